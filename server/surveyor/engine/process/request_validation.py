"""What is asked of the engine, looked at before any operation sees it.

Whoever sends a request, its values go to the file system, to SQLite, to git and into loops: what
none of these takes is refused here, once, with what would be right.
"""

from __future__ import annotations

import os
import posixpath
from collections.abc import Iterator
from typing import Any

import msgspec

from surveyor.errors import UsageError
from surveyor.protocol.wire import shown
from surveyor.units import counted

TEXTS = frozenset({"text", "content", "diff", "metadata"})
"""Fields that carry somebody's text, as long as it is and with whatever is in it."""
QUERIES = frozenset({"query", "name", "symbol", "title"})
"""Fields that a pasted error may stand in."""
PLACES = frozenset({"path", "folder", "files", "diff_path", "cwd", "root"})
"""Fields that name a file or a folder: absolute, or below the project's root."""
HOMES = PLACES | {"project", "projects", "roots"}
"""Fields in which `~` is the user's home folder."""
NEEDED = frozenset({"path", "root", "folder"})
"""Places that mean nothing when they are empty."""

MAX_TEXT_CHARS = 32 << 20
MAX_QUERY_CHARS = 50_000
MAX_NAME_CHARS = 4096
"""Linux' longest path; no name of anything else is as long."""
MAX_ITEMS = 10_000
"""Most items of a list."""
MAX_DEPTH = 50
"""Most levels of a value within another: of metadata."""
MAX_NUMBER = (1 << 53) - 1
"""The largest integer that JSON carries everywhere; SQLite's is larger."""

LIMITS: dict[str, tuple[int, int]] = {
    "limit": (0, 100_000),
    "meant_limit": (0, 100_000),
    "offset": (0, 10_000_000),
    "depth": (0, 1000),
    "callers": (0, 100_000),
    "tokens": (0, 10_000_000),
    "token_budget": (0, 10_000_000),
    "max_chars": (0, 100_000_000),
    "wait_ms": (0, 24 * 3_600_000),
    "wait_until_fresh_ms": (0, 24 * 3_600_000),
    "line": (0, 2**31 - 1),
    "column": (0, 2**31 - 1),
    "start_line": (0, 2**31 - 1),
    "end_line": (0, 2**31 - 1),
}
"""Least and most of integers that count something."""


def check(request: msgspec.Struct) -> None:
    """Refuse what no operation can serve. Raises `UsageError`."""
    for field in request.__struct_fields__:
        value = getattr(request, field)
        if value is None or isinstance(value, bool):
            continue
        if isinstance(value, int):
            _check_number(field, value)
        elif isinstance(value, str | list | dict):
            for text in _texts(field, value, MAX_DEPTH):
                _check_text(field, text)


def _check_number(field: str, value: int) -> None:
    low, high = LIMITS.get(field, (-MAX_NUMBER, MAX_NUMBER))
    if not low <= value <= high:
        said = str(value) if abs(value) <= MAX_NUMBER else "beyond any number"
        raise UsageError(f"{field} is {said}", f"Allowed: {low} to {high}.")


def _texts(field: str, value: object, depth: int) -> Iterator[str]:
    """All texts in a value. Raises `UsageError` for what has too many or too deep."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list | dict):
        if len(value) > MAX_ITEMS:
            raise UsageError(
                f"{field} has {counted(len(value), 'item')}",
                f"Give at most {MAX_ITEMS} in one request.",
            )
        if not depth:
            raise UsageError(f"{field} is nested too deeply", f"At most {MAX_DEPTH} levels.")
        inner: Any = [*value, *value.values()] if isinstance(value, dict) else value
        for each in inner:
            yield from _texts(field, each, depth - 1)
    elif isinstance(value, int) and abs(value) > MAX_NUMBER:
        raise UsageError(f"{field} has a number that is too large", f"At most {MAX_NUMBER}.")


def _check_text(field: str, text: str) -> None:
    limit = (
        MAX_TEXT_CHARS
        if field in TEXTS
        else MAX_QUERY_CHARS
        if field in QUERIES
        else MAX_NAME_CHARS
    )
    if len(text) > limit:
        raise UsageError(
            f"{field} has {counted(len(text), 'character')} ({shown(text, 40)})",
            f"Give at most {limit}.",
        )
    if field in TEXTS:
        return
    if "\0" in text:
        raise UsageError(f"{field} has a NUL character ({shown(text, 40)})", "Leave it out.")
    if field in HOMES and text.startswith("~") and os.path.expanduser(text).startswith("~"):  # noqa: PTH111 - a Path's raises
        raise UsageError(f"{field} names no user's home ({shown(text, 40)})", "Name a folder.")
    if field in HOMES:
        _check_length(field, text)
    if field in PLACES:
        _check_place(field, text)


def _check_length(field: str, path: str) -> None:
    data = path.encode(errors="surrogateescape")
    if len(data) > MAX_NAME_CHARS or any(len(name) > 255 for name in data.split(b"/")):
        raise UsageError(
            f"{field} is longer than any file's name ({shown(path, 40)})",
            "A name has at most 255 bytes, a path 4096.",
        )


def _check_place(field: str, path: str) -> None:
    if field in NEEDED and not path.strip():
        raise UsageError(f"{field} is empty", "Name a file or a folder.")
    if not posixpath.isabs(path) and posixpath.normpath(path).split("/")[0] == "..":
        raise UsageError(
            f"{field} leads out of the project ({shown(path, 40)})",
            "Give a path below the project's root, or an absolute one.",
        )
