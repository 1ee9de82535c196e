"""Finding documents: which libraries a caller sees, and the pieces of them that answer a query."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from surveyor.errors import NotFoundError
from surveyor.knowledge.library_store import LibraryStore
from surveyor.knowledge.names import below
from surveyor.knowledge.points import CANDIDATES, Found, Mode
from surveyor.protocol.knowledge import DocumentHit
from surveyor.store.state import State
from surveyor.store.vectors.contract import Filter, Space

DEEPER = 4
DEEPEST = 800
"""When filters leave too few of the candidates, more are asked for, up to this many."""


@dataclass(frozen=True, slots=True)
class Shelf:
    """What a caller wants to see. `project_id` of None with `every` is everything there is."""

    project_id: str | None
    every: bool = False
    library: str | None = None
    notes: bool = False
    include_deleted: bool = False
    tags: tuple[str, ...] = ()


@dataclass(slots=True)
class Shelves:
    """Searches documents."""

    state: State
    library_store: LibraryStore

    async def find(
        self, query: str, shelf: Shelf, *, limit: int, mode: Mode = "hybrid"
    ) -> list[tuple[DocumentHit, Found]]:
        """Pieces that a query is about, best first.

        Raises `NotFoundError` for a library that does not exist.
        """
        spaces, where = await self._spaces(shelf)
        if not spaces:
            return []
        asked = CANDIDATES
        while True:
            found = await self.library_store.points.find(
                spaces, query, mode=mode, limit=asked, where=where
            )
            rows = await self._rows([one.id for one in found], shelf)
            if len(rows) >= limit or len(found) < asked or asked >= DEEPEST:
                break
            asked *= DEEPER
        hits = [(one, rows[one.id]) for one in found if one.id in rows][:limit]
        return [(_hit(row, one), one) for one, row in hits]

    async def _spaces(self, shelf: Shelf) -> tuple[list[Space], Filter | None]:
        """Where to look, and which libraries of a shared space count."""
        rows = await self.state.read(
            """SELECT DISTINCT l.name, l.kind FROM libraries l
               LEFT JOIN project_packages u ON u.library = l.name AND u.project_id IS ?
               WHERE (? OR l.deleted_at IS NULL)
                 AND (l.kind IN ('notes', 'sessions')) = ?
                 AND (? OR l.kind <> 'package' OR u.library IS NOT NULL OR l.name = ?)""",
            (
                shelf.project_id,
                shelf.include_deleted,
                shelf.notes,
                shelf.every,
                shelf.library,
            ),
        )
        if shelf.library is not None:
            wanted = shelf.library
            rows = [
                row
                for row in rows
                if wanted == row["name"]
                or str(row["name"]).startswith(wanted)
                or wanted.startswith(f"{row['name']}.")
            ]
            if not rows:
                raise NotFoundError(
                    f"there is no library {wanted!r} here", "See `surveyor library list`."
                )
        names = tuple(sorted(str(row["name"]) for row in rows))
        spaces = {self.library_store.space(row["name"], row["kind"]) for row in rows}
        shared = any(row["kind"] == "package" for row in rows)
        where = Filter(must={"library_name": names}) if shared or shelf.library else None
        return sorted(spaces, key=lambda space: space.tenant), where

    async def _rows(self, ids: Sequence[str], shelf: Shelf) -> dict[str, sqlite3.Row]:
        """Rows of the pieces that the caller may see."""
        conditions = [f"p.point_id IN ({','.join('?' * len(ids))})", "d.evicted_at IS NULL"]
        parameters: list[object] = [*ids]
        if not shelf.every:
            conditions.append("(d.project_id IS NULL OR d.project_id = ?)")
            parameters.append(shelf.project_id)
        if not shelf.include_deleted:
            conditions.append("d.deleted_at IS NULL")
        if shelf.library is not None:
            conditions.append(f"({below('d.name')} OR instr(d.library, ?) = 1)")
            parameters += [shelf.library, shelf.library + ".", shelf.library]
        rows = await self.state.read(
            f"""SELECT p.*, d.name, d.library, d.project_id, d.title, d.source, d.file_path, d.url,
                 d.format, d.topics, d.dated, d.deleted_at FROM library_pieces p
                JOIN library_documents d USING (document_id) WHERE {" AND ".join(conditions)}""",
            parameters,
        )
        return {
            str(row["point_id"]): row
            for row in rows
            if not shelf.tags or set(shelf.tags) & set(json.loads(row["topics"]))
        }


def _hit(row: sqlite3.Row, found: Found) -> DocumentHit:
    project = row["project_id"]
    dated = datetime.fromtimestamp(row["dated"], UTC)
    return DocumentHit(
        id=row["point_id"],
        tenant=f"{project}.{row['name']}" if project else row["name"],
        library=row["library"],
        title=row["title"],
        headings=json.loads(row["headings"]),
        page_number=row["page_number"],
        start_line=row["start_line"] or None,
        end_line=row["end_line"] or None,
        path=row["file_path"],
        source=row["source"],
        url=row["url"],
        topics=json.loads(row["topics"]),
        score=round(found.score, 6),
        confidence=found.confidence,
        snippet=row["text"],
        deleted=bool(row["deleted_at"]),
        dated=dated.strftime("%Y-%m-%dT%H:%M:%SZ"),
    )
