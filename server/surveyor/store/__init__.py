"""Qdrant, embedded or served, and the SQLite state beside it."""
