"""Definitions, references and the edges between them."""
