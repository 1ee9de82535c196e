"""Structured files of a repository (TOML, JSON), whatever somebody has written into them.

What is read here was written by strangers: a list may stand where a table is expected, brackets
may nest deeper than Python can follow, and keys may be made to take minutes. Readers ask for a
text's value within limits, and then for the shape that they need; another shape is an empty one.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from surveyor.files.safe_read import read_up_to

__all__ = ["StructureError", "mapping", "parse_json", "parse_toml", "read_text", "sequence", "text"]

MAX_BYTES = 4 << 20
"""The longest file that is read; the lock file of a large Rust workspace has half a megabyte."""
MAX_DEPTH = 100
"""Values inside values; what people write has ten at most."""
MAX_KEY_COST = 4_000_000
"""Sum over a TOML text's lines of the dots in a line, squared: `tomllib` takes so many steps for
`a.a.a…`, a microsecond each. Long files have some 100,000."""


class StructureError(ValueError):
    """A text that is no TOML or JSON, or one beyond the limits."""


def parse_toml(text: str) -> dict[str, Any]:
    """The table of a TOML text. Raises `StructureError`."""
    if len(text) <= MAX_BYTES and sum(n.count(".") ** 2 for n in text.split("\n")) > MAX_KEY_COST:
        raise StructureError("its keys have too many parts")
    value: dict[str, Any] = _parsed(text, tomllib.loads, MAX_BYTES)
    return value


def parse_json(text: str, limit: int = MAX_BYTES) -> Any:
    """The value of a JSON text of at most `limit` characters. Raises `StructureError`."""
    return _parsed(text, json.loads, limit)


def _parsed(text: str, parse: Callable[[str], Any], limit: int) -> Any:
    if len(text) > limit:
        raise StructureError(f"it is longer than {limit >> 20} MB")
    try:
        value = parse(text)
    except ValueError as error:
        raise StructureError(str(error)) from error
    except RecursionError:
        raise StructureError("its values are nested too deeply") from None
    if _is_deep(value):
        raise StructureError(f"its values are nested more than {MAX_DEPTH} deep")
    return value


def _is_deep(value: Any) -> bool:
    level = [value]
    for _ in range(MAX_DEPTH + 1):
        level = [
            inner
            for outer in level
            if isinstance(outer, dict | list)
            for inner in (outer.values() if isinstance(outer, dict) else outer)
        ]
        if not level:
            return False
    return True


def read_text(path: Path) -> str:
    """The text of a file that somebody else has written; empty where it cannot be read."""
    try:
        data, _ = read_up_to(path, MAX_BYTES)
    except (OSError, ValueError):  # no regular file, or a NUL in its name
        return ""
    return data[:MAX_BYTES].decode("utf-8", "replace")


def mapping(value: Any) -> dict[str, Any]:
    """The value, if it is a table; else an empty one."""
    return value if isinstance(value, dict) else {}


def sequence(value: Any) -> list[Any]:
    """The value, if it is a list; else an empty one."""
    return value if isinstance(value, list) else []


def text(value: Any) -> str:
    """The value, if it is a text; else an empty one."""
    return value if isinstance(value, str) else ""
