"""The editor's face: an LSP server on pygls that serves the index and relays to real servers.

pygls and lsprotocol types face the editor only, for what is Surveyor's own (`workspace/symbol`,
lenses, commands). Everything relayed stays raw JSON. docs/lsp.md lists every capability, command,
custom request and setting.
"""
