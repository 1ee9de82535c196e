"""The statements of a TOML file and where each lies, for edits that leave all others alone.

What a statement says is read by `tomllib`, one at a time; only where it ends is found here.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

__all__ = ["KeyPath", "Statement", "statements"]

KeyPath = tuple[str | int, ...]
"""Names of tables and keys; a number stands behind the name of a list of tables."""

_TOKEN = re.compile(
    r'"""(?:\\.|[^\\])*?"{3,5}|' + r"'''.*?'{3,5}|"
    r'"(?:\\.|[^"\\\n])*+"|' + r"'[^'\n]*'|"
    r"(?P<comment>\#[^\n]*)|(?P<end>\n)|(?P<open>[\[{])|(?P<close>[\]}])|(?P<is>=)",
    re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Statement:
    """A header, a key with its value, or a line with neither."""

    kind: Literal["header", "value", "blank"]
    start: int
    end: int
    """Behind the end of its last line."""
    path: KeyPath
    """Of the table or the value, from the root on."""
    table: KeyPath
    """The table that it stands in; a header's is its own."""
    value_start: int = 0
    value_end: int = 0


def statements(text: str) -> list[Statement]:
    """All statements of a text that `tomllib` has read without an error."""
    found: list[Statement] = []
    table: KeyPath = ()
    for start, equals, value_end, end in _spans(text):
        said = text[start:end].strip()
        if not said or said.startswith("#"):
            found.append(Statement("blank", start, end, (), table))
        elif said.startswith("["):
            table = _path(tomllib.loads(said))
            found.append(Statement("header", start, end, table, table))
        else:
            key = _path(tomllib.loads(f"{text[start:equals].strip()} = 0"))
            value = equals + 1 + len(text[equals + 1 :]) - len(text[equals + 1 :].lstrip(" \t"))
            found.append(Statement("value", start, end, table + key, table, value, value_end))
    return found


def _spans(text: str) -> Iterator[tuple[int, int, int, int]]:
    """Of each statement: its start, its first equals sign, the end of its value, and its end."""
    start, equals, comment, depth = 0, -1, -1, 0
    for token in _TOKEN.finditer(text):
        depth += (token["open"] is not None) - (token["close"] is not None)
        if token["is"] and equals < 0:
            equals = token.start()
        if token["comment"] and depth == 0:
            comment = token.start()
        if token["end"] and depth == 0:
            said = text[start : comment if comment >= 0 else token.end()]
            yield start, equals, start + len(said.rstrip()), token.end()
            start, equals, comment = token.end(), -1, -1
    if start < len(text):
        said = text[start : comment if comment >= 0 else len(text)]
        yield start, equals, start + len(said.rstrip()), len(text)


def _path(value: Any) -> KeyPath:
    """The names that lead through objects with one member each."""
    if isinstance(value, list):
        return (0, *_path(value[0]))
    if isinstance(value, dict) and value:
        name = next(iter(value))
        return (name, *_path(value[name]))
    return ()
