"""Records made of rows, away from the event loop where there are many."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from surveyor.store.state.question_threads import aside

__all__ = ["AT_ONCE", "made_of"]

AT_ONCE = 1000
"""Rows that are made into records on the event loop: a few milliseconds."""
Row = TypeVar("Row")
Record = TypeVar("Record")


async def made_of(make: Callable[[Row], Record], rows: Iterable[Row]) -> list[Record]:
    """A record of each row, in their order."""
    if isinstance(rows, Sequence) and len(rows) <= AT_ONCE:
        return [make(row) for row in rows]
    return await aside(lambda: [make(row) for row in rows])
