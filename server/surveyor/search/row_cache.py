"""Rows of whole checkouts, kept in memory for as long as the catalog stays as it is.

Joining the hits of a query with SQLite takes longer than finding them. What was read of a checkout
is used only at the very version of the catalog that it was read at (`State.catalog_version`), so
that nothing stale or orphaned shows; after a change the hits are joined until, a moment later, what
has changed was read again.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Coroutine, Iterable, Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Any

from surveyor.search.scope import SearchTarget
from surveyor.store.chunk_row import Row
from surveyor.store.state import State
from surveyor.store.state.searched_chunks import (
    DocumentSignature,
    chunks_of_documents,
    document_signatures,
)

MOST_ROWS = 60_000
"""Rows kept in all: about 600 bytes each. A larger checkout is joined query by query."""
RECENT_S = 60.0
"""What was searched so lately is not let go for another checkout: where more are in use than there
is room for, reading them in turns takes longer than joining the hits of some."""
QUIET_S = 0.5
"""Without a change for so long, what has changed is read again."""
FIRST_S = 1.0
"""So long after a checkout is asked about its rows are read: an engine that has just started has
all its clients waiting, and reading took a fifth of the interpreter from their answers."""
RECOUNT_S = 300.0
"""A checkout that is too large is counted again after so long: it takes 40 ms of all reading."""
ROWS_AT_ONCE = 400
"""Rows decoded before others get their turn: 3 ms."""

Spawn = Callable[[Coroutine[Any, Any, None]], "asyncio.Task[None]"]


@dataclass(slots=True)
class _CheckoutRows:
    """The cached rows of one checkout."""

    version: int = -1
    """Of the catalog, as of which the rows are true; below 0: they are being read."""
    rows: dict[str, Row] = field(default_factory=dict)
    """By point."""
    documents: dict[int, tuple[str, tuple[str, ...]]] = field(default_factory=dict)
    """Signature and points, by document."""
    expected: int = 0
    """Rows that there are, or will be when all are read."""
    used: float = 0.0
    """When it was searched last, in monotonic seconds."""


class RowCache:
    """Rows of the checkouts that were searched last."""

    def __init__(self, state: State, spawn: Spawn | None = None) -> None:
        self._state = state
        self._spawn = spawn
        self._kept: dict[str, _CheckoutRows] = {}
        """By checkout."""
        self._reading: dict[str, asyncio.Task[None]] = {}
        self._turned_away: dict[str, float] = {}
        """By checkout that there was no room for: when to try again, in monotonic seconds."""

    def of(self, place: SearchTarget) -> dict[str, Row] | None:
        """All rows of a place by their points, if they are known as of now."""
        if place.other_branch is not None or self._spawn is None:
            return None
        kept = self._kept.get(place.checkout_id)
        if kept is not None:
            kept.used = time.monotonic()
        if kept is None or kept.version != self._state.catalog_version:
            self.prepare(place.checkout_id)
            return None
        return kept.rows

    def prepare(self, checkout_id: str) -> None:
        """Read a checkout's rows in the background, before somebody waits for them."""
        known = self._reading.get(checkout_id)
        if self._spawn is None or (known is not None and not known.done()):
            return
        if time.monotonic() < self._turned_away.get(checkout_id, 0.0):
            return
        self._reading[checkout_id] = self._spawn(self._read(checkout_id))

    async def settled(self) -> None:
        """Until nothing is being read."""
        await asyncio.gather(*self._reading.values())

    def forget(self, checkout_id: str) -> None:
        """Let a checkout's rows go."""
        self._kept.pop(checkout_id, None)

    async def _read(self, checkout_id: str) -> None:
        """Read what has changed, until nothing has meanwhile."""
        if checkout_id not in self._kept:
            await asyncio.sleep(FIRST_S)
        while True:
            version = self._state.catalog_version
            kept = self._kept.setdefault(checkout_id, _CheckoutRows(used=time.monotonic()))
            if version % 2 or kept.documents:
                await asyncio.sleep(QUIET_S)
                if version % 2 or version != self._state.catalog_version:
                    continue
            kept.version = -1
            if not await self._refresh(checkout_id, kept):
                self.forget(checkout_id)
                return
            if version == self._state.catalog_version:
                kept.version = version
                return

    async def _refresh(self, checkout_id: str, kept: _CheckoutRows) -> bool:
        """Whether there is room for the checkout, and its rows are now those that there are."""
        found = await document_signatures(self._state, checkout_id)
        documents = {each.doc_id: each for each in found}
        kept.expected = sum(each.chunks for each in documents.values())
        if not self._make_room(checkout_id, kept.expected):
            return False
        for doc_id in list(kept.documents):
            known = documents.get(doc_id)
            if known is None or known.signature != kept.documents[doc_id][0]:
                _, points = kept.documents.pop(doc_id)
                for point in points:
                    kept.rows.pop(point, None)
        new = [each for each in documents.values() if each.doc_id not in kept.documents]
        shared = _Shared()
        for part in _parts(new):
            rows = await chunks_of_documents(self._state, [each.doc_id for each in part])
            held: dict[int, list[str]] = {each.doc_id: [] for each in part}
            for row in rows:
                held[row.doc_id].append(row.point_id)
                kept.rows[row.point_id] = _compact(row, shared)
            for each in part:
                kept.documents[each.doc_id] = each.signature, tuple(held[each.doc_id])
            await asyncio.sleep(0)
        return True

    def _make_room(self, checkout_id: str, wanted: int) -> bool:
        """Let those go that were searched longest ago, until there is room for so many rows; false,
        and nothing is let go, where that takes too much."""
        now = time.monotonic()
        if wanted > MOST_ROWS:
            self._turned_away[checkout_id] = now + RECOUNT_S
            return False
        others = {key: kept for key, kept in self._kept.items() if key != checkout_id}
        over = wanted + sum(kept.expected for kept in others.values()) - MOST_ROWS
        leaving: list[str] = []
        for key, kept in sorted(others.items(), key=lambda item: item[1].used):
            if over <= 0:
                break
            if kept.used > now - RECENT_S:
                self._turned_away[checkout_id] = now + RECENT_S
                return False
            leaving.append(key)
            over -= kept.expected
        for key in leaving:
            self.forget(key)
        return True


def _parts(documents: Iterable[DocumentSignature]) -> Iterable[Sequence[DocumentSignature]]:
    """Documents of about `ROWS_AT_ONCE` rows together."""
    part: list[DocumentSignature] = []
    held = 0
    for each in documents:
        part.append(each)
        held += each.chunks
        if held >= ROWS_AT_ONCE:
            yield part
            part, held = [], 0
    if part:
        yield part


class _Shared(dict[Any, Any]):
    """Returns the same object for equal values, so that each is in memory once."""

    def __missing__(self, value: Any) -> Any:
        self[value] = value
        return value


_first, *_REPEATED = Row.__struct_fields__[: Row.__struct_fields__.index("chunk_rowid")]
_repeated = attrgetter(*_REPEATED)
"""Values that many rows have; the first field is the tuple of symbols."""


def _compact(row: Row, shared: _Shared) -> Row:
    """The row, its values those that others have, too."""
    symbols = shared.get(row.symbols)
    if symbols is None:
        symbols = tuple([shared[name] for name in row.symbols])
        shared[symbols] = symbols
    held = tuple(map(shared.__getitem__, _repeated(row)))
    return Row(*((symbols, *held, row.chunk_rowid, row.point_id)))
