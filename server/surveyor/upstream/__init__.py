"""A raw JSON-RPC client for real language servers. Knows nothing of the other rooms."""
