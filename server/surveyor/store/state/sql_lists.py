"""Values of an IN list, in lists that are short enough."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeVar

T = TypeVar("T")

SQL_VARIABLES = 500
"""Values bound in one IN list; SQLite's smallest usual limit is 999."""


def batches(values: Sequence[T], width: int = 1) -> Iterable[Sequence[T]]:
    """Slices short enough for one list of values, each of which binds `width` variables."""
    count = SQL_VARIABLES // width
    for start in range(0, len(values), count):
        yield values[start : start + count]


def marks(values: Sequence[object]) -> str:
    """Question marks for an IN list."""
    return ",".join("?" * len(values))
