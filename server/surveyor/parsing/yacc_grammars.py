"""Grammars of yacc and bison, read as the C that is in them.

What a rule does when it applies is C between braces: that stands at the top of the file, and the
rules themselves are blanked. `$$`, `$1` and `@1` become names. Every byte keeps its place.
"""

from __future__ import annotations

import re

__all__ = ["GRAMMARS", "opened"]

GRAMMARS = frozenset({"c", "cpp"})
_BETWEEN = re.compile(rb"^%%[ \t]*\r?$", re.MULTILINE)
_DECLARES = re.compile(rb"^%(?:\{|token|type|start|union|left|right|define|prec)", re.MULTILINE)
_PROLOGUE = re.compile(rb"^%\{(.*?)(?:^%\}|\Z)", re.MULTILINE | re.DOTALL)
_TOKEN = re.compile(
    rb"//[^\n]*|/\*.*?(?:\*/|\Z)"
    rb"|\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\[^\n]{1,10})'|[{}]",
    re.DOTALL,
)
_VALUE = re.compile(rb"[$@](?:<\w+>)?[$\d]")


def opened(data: bytes) -> bytes:
    """The C of such a grammar; the same source where it is none."""
    first = _BETWEEN.search(data) if b"%%" in data else None
    if first is None or not _DECLARES.search(data, 0, first.start()):
        return data
    second = _BETWEEN.search(data, first.end())
    last = second.start() if second is not None else len(data)
    made = bytearray(_blank(data[: first.start()]))
    for prologue in _PROLOGUE.finditer(data, 0, first.start()):
        made[prologue.start(1) : prologue.end(1)] = prologue[1]
    made += _actions(data, first.start(), last)
    if second is not None:
        made += b"  " + data[second.start() + 2 :]
    return bytes(made)


def _actions(data: bytes, start: int, end: int) -> bytes:
    """What the rules do, each where it stands, and blanks for what is around."""
    made = bytearray(_blank(data[start:end]))
    depth, opening = 0, 0
    for token in _TOKEN.finditer(data, start, end):
        if token[0] == b"{":
            opening = opening if depth else token.start()
            depth += 1
        elif token[0] == b"}" and depth:
            depth -= 1
            if not depth:
                action = _VALUE.sub(_named, data[opening : token.end()])
                made[opening - start : token.end() - start] = action
    return bytes(made)


def _named(value: re.Match[bytes]) -> bytes:
    return re.sub(rb"\W", b"_", value[0])


def _blank(text: bytes) -> bytes:
    return re.sub(rb"[^\n]", b" ", text)
