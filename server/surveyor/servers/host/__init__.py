"""The host: the one process of a user that owns the language servers of all windows and agents."""
