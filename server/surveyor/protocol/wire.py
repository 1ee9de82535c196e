"""What every face needs to answer a JSON-RPC message that cannot be read: whose it is.

A message with a lone surrogate, bytes that are no UTF-8, or more brackets than any decoder takes is
refused; its sender waits for an answer under its id all the same. Imports nothing heavy: the relay
of agents starts in milliseconds.
"""

from __future__ import annotations

import json
import re
from typing import Any

_TOKENS = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*(?:"|\\?\Z)|[\[\]{}:,]', re.DOTALL)
"""Strings and punctuation of JSON; a string without an end reaches to the end of the message."""

_NUMBER = re.compile(rb"\s*(-?\d{1,19})\s*\Z")

_LOOKED_AT_BYTES = 1 << 20
"""How far an id is looked for from either end of a long message: one stands beside the method."""

MAX_ID_CHARS = 1000
"""A longer id is not repeated."""

SHOWN_CHARS = 80


def id_of(message: bytes) -> int | str | None:
    """The id of a message whatever else is wrong with it; `None` when none can be found."""
    found = _id_in(message[:_LOOKED_AT_BYTES])
    if found is None and len(message) > _LOOKED_AT_BYTES:
        return _id_at_end(message[-_LOOKED_AT_BYTES:])
    return found


def is_json(message: bytes) -> bool:
    """Whether a message is JSON at all, be it no JSON-RPC."""
    try:
        json.loads(message)
    except (ValueError, RecursionError):
        return False
    return True


def shown(text: object, limit: int = SHOWN_CHARS) -> str:
    """A value of somebody else's for use in a message: clipped, control characters escaped."""
    cut = text[: limit + 1] if isinstance(text, str) else repr(text)[: limit + 1]
    safe = cut if cut.isprintable() else ascii(cut)[1:-1]
    return safe if len(safe) <= limit else safe[: limit - 1] + "…"


def clipped(text: str, limit: int = 500) -> str:
    """An error's text without what it repeats of a huge request."""
    if len(text) <= limit:
        return text
    return f"{text[: limit // 2]}…{text[-limit // 4 :]}"


def _id_in(message: bytes) -> int | str | None:
    """The value of `id` at the top of an object, its first one."""
    depth, key, begin = 0, b"", 0
    for token in _TOKENS.finditer(message):
        mark = token[0]
        if mark in b"[{":
            depth += 1
        elif mark in b"]}" or mark == b",":
            if depth == 1 and key == b'"id"':
                return _value(message[begin : token.start()])
            depth -= mark != b","
            key = b"" if depth == 1 else key
        elif depth == 1 and mark == b":":
            begin = token.end()
        elif depth == 1 and not key:
            key = mark
    return None


def _id_at_end(tail: bytes) -> int | str | None:
    """The value of an `id` that is the last or last but one of an object's members."""
    found = re.search(
        rb',\s*"id"\s*:\s*("[^"\\]{0,1000}"|-?\d{1,19})\s*'
        rb'(?:,\s*"(?:jsonrpc|method)"\s*:\s*"[^"\\]{0,100}"\s*)*\}\s*\Z',
        tail,
    )
    return _value(found[1]) if found else None


def _value(raw: bytes) -> int | str | None:
    if number := _NUMBER.match(raw):
        return int(number[1])
    try:
        value = json.loads(raw)
    except (ValueError, RecursionError):
        return None
    if not isinstance(value, str) or len(value) > MAX_ID_CHARS:
        return None
    try:
        value.encode()
    except UnicodeEncodeError:  # it could not be repeated
        return None
    return value


_ESCAPES = re.compile(
    rb"\\(?:u[dD][89abAB][0-9a-fA-F]{2}(?P<low>\\u[dD][c-fC-F][0-9a-fA-F]{2})?"
    rb"|(?P<lone>u[dD][c-fC-F][0-9a-fA-F]{2})|.)",
    re.DOTALL,
)


def mended(message: bytes) -> bytes:
    r"""A message with U+FFFD in place of each half of a surrogate pair without its other half.

    An editor's buffer or a model's text may hold one; no decoder takes `\ud800` alone. Both are one
    unit of UTF-16: columns stay what they were.
    """

    def mend(found: re.Match[bytes]) -> bytes:
        escape = found[0]
        whole = len(escape) == 2 or found["low"] is not None
        return escape if whole else rb"\ufffd"

    return _ESCAPES.sub(mend, message)


def one_based(value: Any) -> Any:
    """Plain data of an answer with columns as people count them, from 1.

    Inside, columns are LSP's, from 0: only what is shown to people and agents counts from 1, as
    what they give does, so that an answer can be handed back as a question. An `end_column` is the
    last character's in this count, and so the same number.
    """
    if isinstance(value, list):
        return [one_based(each) for each in value]
    if not isinstance(value, dict):
        return value
    return {
        name: each + 1 if name == "column" and isinstance(each, int) else one_based(each)
        for name, each in value.items()
    }
