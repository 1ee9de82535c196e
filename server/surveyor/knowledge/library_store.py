"""Documents of libraries as rows and points: stored together, dropped together."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from surveyor.knowledge.dates import now
from surveyor.knowledge.document_reading import ReadDocument
from surveyor.knowledge.documents import (
    DocumentFacts,
    chunk_rows,
    document_row,
    piece_entries,
    piece_ids,
    row_entry,
)
from surveyor.knowledge.points import PointEntry, Points
from surveyor.store.state import State
from surveyor.store.state import libraries as library_table
from surveyor.store.state.libraries import DocumentKey
from surveyor.store.vectors.contract import Space

NOTES = "notes"
SESSIONS = "sessions"
PACKAGES = "packages"
"""Tenants of one space for many: all packages share one, so that a search opens one shard."""
DOCUMENTS_PER_TRANSACTION = 50


@dataclass(frozen=True, slots=True)
class LibraryStore:
    """Writes documents' rows and points, and deletes them."""

    state: State
    points: Points

    def space(self, library: str, kind: str) -> Space:
        """Where a library's points are."""
        tenant = {"package": PACKAGES, "notes": NOTES, "sessions": SESSIONS}.get(kind, library)
        return self.points.space("libraries", tenant)

    async def register(self, library: str, kind: str, source: str) -> None:
        """Have a library known, though it may hold nothing."""
        at = now()
        async with self.state.transaction() as tx:
            await library_table.register(tx, library, kind, source, at)

    async def store(
        self,
        kind: str,
        documents: Sequence[tuple[DocumentFacts, ReadDocument]],
        source: str | None = None,
    ) -> None:
        """Make documents' points durable, then their rows; then drop what they replace."""
        if not documents:
            return
        library = documents[0][0].library
        space = self.space(library, kind)
        ids = [piece_ids(facts, found) for facts, found in documents]
        known = await library_table.known_points(self.state, {one for some in ids for one in some})
        entries = [
            entry
            for (facts, found), some in zip(documents, ids, strict=True)
            for entry in piece_entries(facts, found, some)
            if entry.id not in known
        ]
        await self.points.put(space, entries)
        outdated: list[str] = []
        at = now()
        for start in range(0, len(documents), DOCUMENTS_PER_TRANSACTION):
            async with self.state.transaction() as tx:
                await library_table.register_synced(tx, library, kind, source, at)
                for (facts, found), some in list(zip(documents, ids, strict=True))[
                    start : start + DOCUMENTS_PER_TRANSACTION
                ]:
                    outdated += await library_table.replace_document(
                        tx, document_row(facts, found), chunk_rows(found, some), at
                    )
        await self.points.delete(space, outdated)

    async def drop(self, documents: Iterable[DocumentKey]) -> None:
        """Remove documents for good."""
        for one in documents:
            points = await library_table.points_of_document(self.state, one.document_id)
            async with self.state.transaction() as tx:
                await library_table.delete_document(tx, one.document_id)
            await self.points.delete(self.space(one.library, one.kind), points)

    async def entries(
        self, libraries: Sequence[str], limit: int | None = None
    ) -> dict[str, PointEntry]:
        """What the points of some libraries should be; of at most so many."""
        found = await library_table.chunks_of(self.state, libraries, limit)
        return {one.chunk.point_id: row_entry(one) for one in found}
