"""Expressions and types as text (`graph.expressions`, `graph.ecmatypes`), taken apart."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from surveyor.graph.extract.type_names import REMEMBERED, split

__all__ = ["Alternative", "alternatives", "given", "tokens_of"]

_NEXT = re.compile(r"<|\{[^{}]*\}|\(\)|\(|\[\]|#?[\w$!?]+")
_PARAMETER = re.compile(r"#\d")
_NAME = re.compile(r"[\w$.]+")
_SUFFIX = re.compile(r"\[\]|\(\)|#\d+|'\[\]|'[\w$]+")


class Alternative(NamedTuple):
    """One of the types that a text stands for."""

    head: str
    """A dotted name, `{shape}`, `^T`, or an expression in `=(…)`."""
    given: tuple[str, ...]
    """What it is given; of a type parameter what it extends."""
    suffixes: tuple[str, ...]


@lru_cache(REMEMBERED)
def tokens_of(expression: str) -> tuple[str, ...]:
    """Names, calls, elements, parameters (of parameters in one: `#1#0`) and `<types>`."""
    found: list[str] = []
    position = 0
    while match := _NEXT.search(expression, position):
        position = match.end()
        if match[0] in "<(":  # what a type or a call holds may hold others
            position = _closing(expression, match.start()) + 1
            found.append(expression[match.start() : position])
        else:
            found.append(match[0])
    return tuple(_with_callbacks(found))


def _with_callbacks(tokens: list[str]) -> list[str]:
    joined: list[str] = []
    for token in tokens:
        if joined and _PARAMETER.match(token) and _PARAMETER.match(joined[-1]):
            joined[-1] += token
        else:
            joined.append(token)
    return joined


def _closing(text: str, start: int) -> int:
    """Where the bracket at `start` is closed; the end of the text where it is not."""
    opening = text[start]
    closing = {"<": ">", "(": ")"}[opening]
    depth = 0
    for index in range(start, len(text)):
        if text[index] == opening:
            depth += 1
        elif text[index] == closing:
            depth -= 1
            if not depth:
                return index
    return len(text) - 1


@lru_cache(REMEMBERED)
def alternatives(text: str) -> tuple[Alternative, ...]:
    """The types that a text stands for, one of them or all at once."""
    return tuple(found for part in split(text, "|") if (found := _alternative(part)) is not None)


def _alternative(text: str) -> Alternative | None:
    inner: tuple[str, ...] = ()
    if text[:2] == "=(":
        end = _closing(text, 1) + 1
        head = text[2 : end - 1]
        return Alternative("=", (head,), tuple(_SUFFIX.findall(text, end)))
    if text[:1] == "{":
        end = text.find("}") + 1
        head = text[:end]
    else:
        mark = text[:1] == "^"
        match = _NAME.match(text, 1 if mark else 0)
        if match is None or text == "_":
            return None
        head, end = text[: match.end()], match.end()
        if mark and text[end : end + 1] == "(":
            close = _closing(text, end)
            inner, end = (text[end + 1 : close],), close + 1
    if text[end : end + 1] == "<":
        close = _closing(text, end)
        inner, end = tuple(split(text[end + 1 : close], ",")), close + 1
    return Alternative(head, inner, tuple(_SUFFIX.findall(text, end)))


@lru_cache(REMEMBERED)
def given(token: str) -> tuple[str, ...]:
    """The types in `<A,B>`."""
    return tuple(split(token[1:-1], ","))
