"""The editor's face: an LSP server that serves the index and relays to upstreams."""
