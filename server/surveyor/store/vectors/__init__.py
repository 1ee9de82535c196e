"""Qdrant, embedded (`edge`) and served (`server`), behind one contract."""
