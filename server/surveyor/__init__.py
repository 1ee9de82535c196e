"""Surveyor: one map of the code for a programmer's editor and their coding agent."""

__version__ = "0.1.0"
