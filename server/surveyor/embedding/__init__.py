"""Texts as vectors: dense models, sparse weights, tokens; the same at index and query time."""
