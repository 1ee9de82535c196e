"""Right Scala that the grammar cannot read, written so that it can; nothing moves.

The grammar knows no modifiers of an enumeration: `private enum State:` cost the file all types that
stand in it.
"""

from __future__ import annotations

import re

__all__ = ["repaired"]

_MODIFIED = re.compile(
    rb"(?<![\w.])((?:private|protected)(?:\[\w++\])?+|sealed|final)(?=[ \t]++enum[ \t]++[\w`])"
)

_PARAMETER = re.compile(
    rb"^([^\n]*?\{)[ \t]((?:implicit[ \t]++)?+)"
    rb"(\w++[ \t]*+:[ \t]*+[\w.]++(?:\[[^\n{}]*?\])?+)[ \t](?==>)",
    re.MULTILINE,
)
"""`forAll { all: List[Box] =>`: a parameter with its type, and no brackets around it."""
_TYPE = re.compile(rb"\b(?:class|trait|object|enum|given|new|extends|with)\b")
"""Behind these it is what a type calls itself."""


def repaired(data: bytes) -> bytes:
    """The source of a file that could not be parsed; the same where nothing is to be done.

    A comment in place of the modifier keeps the column of the line, which says what is inside.
    """
    found = _MODIFIED.sub(lambda match: b"/*" + b"-" * (len(match[0]) - 4) + b"*/", data)
    return _PARAMETER.sub(_in_brackets, found)


def _in_brackets(match: re.Match[bytes]) -> bytes:
    if _TYPE.search(match[1]):
        return match[0]
    return match[1] + b" " * len(match[2]) + b"(" + match[3] + b")"
