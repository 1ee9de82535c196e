"""Values of an IN list, in lists that are short enough."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeVar

T = TypeVar("T")

POINT_PREFIX = 8
"""Characters of a point's id that the index of chunks has (migration 19)."""
SQL_VARIABLES = 500
"""Values bound in one IN list; SQLite's smallest usual limit is 999."""


def batches(values: Sequence[T], width: int = 1) -> Iterable[Sequence[T]]:
    """Slices short enough for one list of values, each of which binds `width` variables."""
    count = SQL_VARIABLES // width
    for start in range(0, len(values), count):
        yield values[start : start + count]


def is_point(wanted: str) -> str:
    """The condition that a row `c` of `chunks` is of a point, which an expression says."""
    prefix = f"substr(c.point_id, 1, {POINT_PREFIX}) = substr({wanted}, 1, {POINT_PREFIX})"
    return f"({prefix} AND c.point_id = {wanted})"


def marks(values: Sequence[object]) -> str:
    """Question marks for an IN list."""
    return ",".join("?" * len(values))
