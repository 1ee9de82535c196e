"""Rust's macros that are handed whole items: `cfg_rt! { pub mod task; }`, `pin_project! { … }`.

To the grammar what they hold is no syntax. Their name and brackets are blanked, every byte keeps
its place.
"""

from __future__ import annotations

import re

__all__ = ["GRAMMARS", "opened"]

GRAMMARS = frozenset({"rust"})
_OPENING = re.compile(
    rb"^[ \t]*((?!macro_rules)\w+(?:::\w+)*![ \t]*\{)"
    rb"(?=\s*(?:(?://[^\n]*\n|#!?\[[^\n]*\]\s*\n)\s*)*"
    rb"(?:pub\b|struct\b|enum\b|union\b|impl\b|fn\b|mod\b|use\b|const\b|static\b|trait\b|type\b"
    rb"|unsafe\b|async\s+fn\b|extern\b))",
    re.MULTILINE,
)
"""A macro that begins a line and whose brackets begin with an item."""
_TOKEN = re.compile(
    rb"//[^\n]*|/\*.*?\*/|\"(?:[^\"\\]|\\.)*\"|r(#+)\".*?\"\1|'(?:[^'\\\n]|\\[^\n]{1,10})'|[{}]",
    re.DOTALL,
)


def opened(data: bytes) -> bytes:
    """The source with what such macros hold as if it stood by itself; the same without any."""
    if b"! {" not in data and b"!{" not in data:
        return data
    found: bytearray | None = None
    for match in _OPENING.finditer(data):
        end = _closing(data, match.end(1))
        if end < 0:
            continue
        if found is None:
            found = bytearray(data)
        found[match.start(1) : match.end(1)] = b" " * len(match[1])
        found[end : end + 1] = b" "
    return data if found is None else bytes(found)


def _closing(data: bytes, start: int) -> int:
    """Where the bracket is closed that ends before a place; -1 where it never is."""
    depth = 1
    for match in _TOKEN.finditer(data, start):
        token = match[0]
        if token == b"{":
            depth += 1
        elif token == b"}":
            depth -= 1
            if not depth:
                return match.start()
    return -1
