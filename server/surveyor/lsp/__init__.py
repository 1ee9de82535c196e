"""The editor's face: an LSP server that serves the index and relays to real servers.

Everything relayed stays the JSON that it was. docs/lsp.md lists every capability, command,
custom request and setting.
"""
