"""Haskell with a preprocessor: the grammar takes all that stands from `#else` to `#endif` for one
directive. The lines of `#else` and `#elif` are blanked, so that each branch is read; every byte
keeps its place."""

from __future__ import annotations

import re

__all__ = ["GRAMMARS", "opened"]

GRAMMARS = frozenset({"haskell"})
_OTHERWISE = re.compile(rb"^#[ \t]*(?:else|elif)\b[^\n]*", re.MULTILINE)


def opened(data: bytes) -> bytes:
    """The source with all branches of its conditionals one after the other; the same without."""
    if b"#" not in data:
        return data
    return _OTHERWISE.sub(lambda match: b" " * len(match[0]), data)
