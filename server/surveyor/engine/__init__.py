"""The process that owns the store: one per user. `app` puts its parts together."""
