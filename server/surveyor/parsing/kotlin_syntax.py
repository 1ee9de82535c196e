"""Right Kotlin that the grammar cannot read, written so that it can; nothing moves.

The grammar ends a class at the end of its name's line. A constructor that stands in the next one,
as ktfmt and Dagger's users write it, made an error of the class and its supertypes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

__all__ = ["blanked", "opened", "repaired"]

_MODIFIERS = rb"(?:private|internal|protected|public|actual|expect)\b"
_ANNOTATION = rb"@[\w.:]++(?:\((?:[^()]|\([^()]*\))*+\))?+"
_COMMENT = rb"//[^\n]*+|/\*(?:[^*]|\*(?!/))*+\*/"
_CONSTRUCTOR = re.compile(
    rb"(\bclass\s++\w++(?:\s*+<(?:[^<>{}()]|<[^<>{}()]*>)*+>)?+)"
    rb"((?:\s++|" + _COMMENT + rb"|" + _ANNOTATION + rb"|" + _MODIFIERS + rb")*+"
    rb"\bconstructor)(?=\s*+\()"
)
"""A class with its constructor. What is between them is blanked where a line ends there: brackets
alone may stand in the next line."""
_PARAMETER = re.compile(rb"(?<=[\s(])(?:actual|expect)(?=\s++(?:override\s++)?(?:val|var)\b)")
"""`class Source actual constructor(actual val file: File)`."""
_DELEGATION = re.compile(
    rb"(\bobject\s*+:\s*+[\w.]++(?:<[^<>{}]*+>)?+)(\s++by\s++[\w.]++(?:\([^()\n]*+\))?+)(?=\s*+\{)"
)
"""`object : Source by source {`."""
_HEADER = re.compile(
    rb"((?:\)\s*+:|,|\b(?:class|object)\s++\w++(?:<[^<>{}]*+>)?+\s*+:)"
    rb"\s*+[\w.]++(?:<(?:[^<>{}]|<[^<>{}]*+>)*+>)?+)"
    rb"(\s++by\s++[\w.]++(?:\([^()\n]*+\))?+)(?=\s*+\{)"
)
"""`class Kept(val store: Store) : Store by store {`: the grammar takes the body for a lambda that
`store` is called with, and so the class for one without members."""
_CONTEXT = re.compile(
    rb"^([ \t]*+)(context\s*+\([^()\n]*+\))"
    rb"(?=\s++(?:@?[a-zA-Z]++\s++){0,4}(?:fun|val|var|class)\b)",
    re.MULTILINE,
)
"""`context(scope: Scope) fun run()`."""
_GUARD = re.compile(rb"^([ \t]*+!?(?:is|in)\b[^\n{}]*?[ \t])if(?=[ \t][^\n]*->)", re.MULTILINE)
"""`is Box if it.open ->`: to the grammar, one condition or the other."""
_SOFT = re.compile(
    rb"((?:^|[{;)]|->|\belse\b)[ \t]*+)(?:abstract|annotation|const|crossinline|enum|external|final"
    rb"|infix|inline|internal|lateinit|noinline|open|operator|override|private|protected|public|sealed|tailrec|vararg)"
    rb"(?=[ \t]*+(?:[({.?]|[-+*/=<>!&|]))",
    re.MULTILINE,
)
"""`open()`, `operator.run()`: names that are modifiers to the grammar where a statement begins."""
_NAME = re.compile(rb"\w+")
_BINARY = re.compile(rb"(?<![\w.])0[bB](?=[01_])")
_DOLLARS = re.compile(rb"\$\$++(?=\")")

_ONE_LINE = re.compile(
    rb"^[^\n]*?\{[^\n]*?\b(?:fun|val|var|class|object|interface)\b[^\n]*[ \t]\}[^\n]*+$",
    re.MULTILINE,
)
"""`ON { override fun size() = 1 },`: to the grammar what a class has ends with its line."""
_CLOSING = re.compile(rb"(?<=[^;{\s])[ \t](?=\})")


def opened(data: bytes) -> bytes:
    """With bodies behind classes that delegate; what they delegate to is blanked."""
    return _HEADER.sub(_without_second, data) if b" by " in data else data


def blanked(source: bytes, read: bytes) -> Iterator[tuple[int, int]]:
    """The names in a source that `opened` has blanked in what was read."""
    for header in _HEADER.finditer(source) if b" by " in source else ():
        start = header.start(2) + header[2].index(b"by") + 3
        if not read[start : header.end(2)].strip() and (name := _NAME.search(source, start)):
            yield name.span()


def repaired(data: bytes) -> bytes:
    """The source of a file that could not be parsed; the same where nothing is to be done."""
    found = _CONSTRUCTOR.sub(_on_one_line, data)
    found = _PARAMETER.sub(lambda match: b" " * len(match[0]), found)
    found = _DELEGATION.sub(_without_second, found)
    found = _CONTEXT.sub(_without_second, found)
    found = _GUARD.sub(rb"\1, ", found)
    found = _SOFT.sub(_as_plain_name, found)
    found = _ONE_LINE.sub(lambda match: _CLOSING.sub(b";", match[0]), found)
    found = _BINARY.sub(b"0x", found)
    found = _DOLLARS.sub(lambda match: b" " * len(match[0]), found)
    return found.replace(b"..<", b".. ")


def _as_plain_name(match: re.Match[bytes]) -> bytes:
    return match[1] + b"_" + match[0][len(match[1]) + 1 :]


def _on_one_line(match: re.Match[bytes]) -> bytes:
    return _without_second(match) if b"\n" in match[2] else match[0]


def _without_second(match: re.Match[bytes]) -> bytes:
    return match[1] + re.sub(rb"\S", b" ", match[2])
