"""Structural search: code by its syntax, with holes, by ast-grep's patterns and rules."""
