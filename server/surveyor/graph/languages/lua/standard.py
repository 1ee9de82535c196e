"""Members that values of Lua's own types have."""

from __future__ import annotations

__all__ = ["MEMBERS"]

_WORDS = """
byte close find flush format gmatch gsub len lines lower match read rep reverse seek setvbuf split
sub upper write
"""
MEMBERS = frozenset(_WORDS.split())
"""Methods of Lua's strings and files."""
