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
QUIET_S = 0.5
"""Without a change for so long, what has changed is read again."""
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


class RowCache:
    """Rows of the checkouts that were searched last."""

    def __init__(self, state: State, spawn: Spawn | None = None) -> None:
        self._state = state
        self._spawn = spawn
        self._kept: dict[str, _CheckoutRows] = {}
        """By checkout, the one searched last at the end."""
        self._reading: dict[str, asyncio.Task[None]] = {}
        self._too_large: dict[str, float] = {}
        """By checkout that had too many rows: when to count them again, in monotonic seconds."""

    def of(self, place: SearchTarget) -> dict[str, Row] | None:
        """All rows of a place by their points, if they are known as of now."""
        if place.other_branch is not None or self._spawn is None:
            return None
        kept = self._kept.get(place.checkout_id)
        if kept is None or kept.version != self._state.catalog_version:
            self.prepare(place.checkout_id)
            return None
        if next(reversed(self._kept)) != place.checkout_id:
            self._kept[place.checkout_id] = self._kept.pop(place.checkout_id)
        return kept.rows

    def prepare(self, checkout_id: str) -> None:
        """Read a checkout's rows in the background, before somebody waits for them."""
        known = self._reading.get(checkout_id)
        if self._spawn is None or (known is not None and not known.done()):
            return
        if time.monotonic() < self._too_large.get(checkout_id, 0.0):
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
        while True:
            version = self._state.catalog_version
            kept = self._kept.setdefault(checkout_id, _CheckoutRows())
            if version % 2 or kept.documents:
                await asyncio.sleep(QUIET_S)
                if version % 2 or version != self._state.catalog_version:
                    continue
            kept.version = -1
            if not await self._refresh(checkout_id, kept):
                self._too_large[checkout_id] = time.monotonic() + RECOUNT_S
                self.forget(checkout_id)
                return
            if version == self._state.catalog_version:
                kept.version = version
                self._make_room(checkout_id)
                return

    async def _refresh(self, checkout_id: str, kept: _CheckoutRows) -> bool:
        """Whether the checkout is small enough, and its rows are now those that there are."""
        found = await document_signatures(self._state, checkout_id)
        documents = {each.doc_id: each for each in found}
        if sum(each.chunks for each in documents.values()) > MOST_ROWS:
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

    def _make_room(self, checkout_id: str) -> None:
        """Let those go that were searched longest ago, until all together are few enough."""
        self._kept[checkout_id] = self._kept.pop(checkout_id)
        while sum(len(kept.rows) for kept in self._kept.values()) > MOST_ROWS:
            self.forget(next(iter(self._kept)))


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
