"""Names in code that was left out so that the rest could be read: a conditional's other branches.

`#ifdef A … if (b) { … #else … if (open(c)) { … #endif` cannot be read as it stands: one branch is,
and what the others use is not followed. A name in them is kept like one that is used, under another
spelling (`#open`), so that who asks for its uses is told. So are names in what is nested too deeply
to be read (`##open`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from surveyor.parsing.preprocessor import code_alone

__all__ = ["deep_names", "spelling_of_deep", "spelling_of_unread", "unread_names"]

MIN_CHARS = 3
"""Shorter names are mostly those of variables."""
_WORD = re.compile(rb"\b[A-Za-z_]\w{%d,}\b" % (MIN_CHARS - 1))
_LINE = re.compile(rb"[^\n]*\S[^\n]*")


def unread_names(data: bytes, read: bytes) -> Iterator[str]:
    """What stands in a source and is blank in what was read of it, as `spelling_of_unread`."""
    for line in _LINE.finditer(code_alone(data)):
        words = _WORD.findall(line[0]) if read[line.start() : line.end()].isspace() else ()
        if not all(word.isupper() for word in words):  # a macro in a line of its own is known
            for word in words:
                yield spelling_of_unread(word.decode("ascii", "replace"))


def spelling_of_unread(name: str) -> str:
    """How a name is kept that stands in code which was not read."""
    return f"#{name}"


def deep_names(data: bytes, parts: Sequence[tuple[int, int]]) -> Iterator[str]:
    """What stands in parts of a source that are nested too deeply, as `spelling_of_deep`."""
    for start, end in parts:
        for word in set(_WORD.findall(data, start, end)):
            yield spelling_of_deep(word.decode("ascii", "replace"))


def spelling_of_deep(name: str) -> str:
    """How a name is kept that stands in code which is nested too deeply to be read."""
    return f"##{name}"
