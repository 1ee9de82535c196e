"""Documents of libraries as rows and points: stored together, dropped together."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from surveyor.knowledge.dates import now
from surveyor.knowledge.document_reading import ReadDocument
from surveyor.knowledge.documents import (
    Facts,
    piece_entries,
    piece_ids,
    row_entry,
    write_document,
)
from surveyor.knowledge.points import Entry, Points
from surveyor.store.state import State
from surveyor.store.vectors.contract import Space

NOTES = "notes"
SESSIONS = "sessions"
PACKAGES = "packages"
"""Tenants of one space for many: all packages share one, so that a search opens one shard."""
DOCUMENTS_PER_TRANSACTION = 50


@dataclass(frozen=True, slots=True)
class LibraryStore:
    """What is kept of all documents."""

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
            await tx.execute(
                "INSERT OR IGNORE INTO libraries (name, kind, source, created_at, synced_at)"
                " VALUES (?, ?, ?, ?, ?)",
                (library, kind, source, at, at),
            )

    async def store(
        self,
        kind: str,
        documents: Sequence[tuple[Facts, ReadDocument]],
        source: str | None = None,
    ) -> None:
        """Make documents' points durable, then their rows; then drop what they replace."""
        if not documents:
            return
        library = documents[0][0].library
        space = self.space(library, kind)
        ids = [piece_ids(facts, found) for facts, found in documents]
        known = await self._existing({one for some in ids for one in some})
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
                await tx.execute(
                    "INSERT INTO libraries (name, kind, source, created_at, synced_at)"
                    " VALUES (?, ?, ?, ?, ?) ON CONFLICT (name) DO UPDATE SET deleted_at = NULL,"
                    " synced_at = excluded.synced_at",
                    (library, kind, source, at, at),
                )
                for (facts, found), some in list(zip(documents, ids, strict=True))[
                    start : start + DOCUMENTS_PER_TRANSACTION
                ]:
                    outdated += await write_document(tx, facts, found, some, at)
        await self.points.delete(space, outdated)

    async def _existing(self, ids: set[str]) -> set[str]:
        """Those of some points that are there with the same text already."""
        found: set[str] = set()
        listed = sorted(ids)
        for start in range(0, len(listed), 500):
            part = listed[start : start + 500]
            rows = await self.state.read(
                f"SELECT point_id FROM library_pieces WHERE point_id IN"
                f" ({','.join('?' * len(part))})",
                part,
            )
            found |= {str(row[0]) for row in rows}
        return found

    async def drop(self, documents: Iterable[tuple[int, str, str]]) -> None:
        """Remove documents (id, library, kind) for good."""
        for document_id, library, kind in documents:
            rows = await self.state.read(
                "SELECT point_id FROM library_pieces WHERE document_id = ?", (document_id,)
            )
            async with self.state.transaction() as tx:
                await tx.execute(
                    "DELETE FROM library_documents WHERE document_id = ?", (document_id,)
                )
            await self.points.delete(self.space(library, kind), [str(row[0]) for row in rows])

    async def entries(self, libraries: Sequence[str]) -> dict[str, Entry]:
        """What the points of some libraries should be."""
        rows = await self.state.read(
            f"""SELECT d.*, p.point_id, p.ordinal, p.headings, p.page_number, p.text
                FROM library_pieces p JOIN library_documents d USING (document_id)
                WHERE d.library IN ({",".join("?" * len(libraries))})""",
            list(libraries),
        )
        return {str(row["point_id"]): row_entry(row) for row in rows}
