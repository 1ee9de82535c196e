"""Finding documents: which libraries a caller sees, and the pieces of them that answer a query."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial

from surveyor.errors import NotFoundError, Quoting
from surveyor.knowledge.library_store import LibraryStore
from surveyor.knowledge.points import CANDIDATES, MOST_WORDED, PointHit, Stored
from surveyor.protocol.enumerations import Mode
from surveyor.protocol.knowledge import DocumentHit
from surveyor.store.state import State
from surveyor.store.state import libraries as library_table
from surveyor.store.state.libraries import StoredDocumentChunk
from surveyor.store.vectors.contract import Filter, Space

DEEPER = 4
NEAR = 5
"""Most libraries that are named in place of one that is not there."""
DEEPEST = 800
"""When filters leave too few of the candidates, more are asked for, up to this many."""


@dataclass(frozen=True, slots=True)
class LibraryScope:
    """What a caller wants to see. `project_id` of None with `every` is everything there is."""

    project_id: str | None
    every: bool = False
    library: str | None = None
    notes: bool = False
    include_deleted: bool = False
    tags: tuple[str, ...] = ()


@dataclass(slots=True)
class DocumentSearch:
    """Searches the chunks of libraries' documents."""

    state: State
    library_store: LibraryStore

    async def find(
        self, query: str, scope: LibraryScope, *, limit: int, mode: Mode = "hybrid"
    ) -> tuple[list[tuple[DocumentHit, PointHit]], str]:
        """Pieces that a query is about, best first; and what may be lacking, in a line.

        Raises `NotFoundError` for a library that does not exist.
        """
        spaces, where = await self._spaces(scope)
        if not spaces:
            return [], ""
        asked = CANDIDATES
        while True:
            found, lacking = await self.library_store.points.find(
                spaces, query, mode=mode, limit=asked, where=where
            )
            rows = await self._rows([one.id for one in found], scope)
            if len(rows) >= limit or len(found) < asked or asked >= DEEPEST:
                break
            asked *= DEEPER
        hits = [(one, rows[one.id]) for one in found if one.id in rows][:limit]
        return [(_hit(row, one), one) for one, row in hits], lacking

    async def _spaces(self, scope: LibraryScope) -> tuple[dict[Space, Stored], Filter | None]:
        """Where to look, and which libraries of a shared space count."""
        visible = await library_table.visible_libraries(
            self.state,
            scope.project_id,
            notes=scope.notes,
            every=scope.every,
            include_deleted=scope.include_deleted,
            named=scope.library,
        )
        if scope.library is not None:
            wanted = scope.library
            known, visible = visible, [each for each in visible if _covers(wanted, each[0])]
            if not visible:
                near = _near(wanted, [name for name, _ in known])
                raise NotFoundError(
                    f"there is no library {wanted!r} here",
                    Quoting(f"Similar: {', '.join(near)}.")
                    if near
                    else "See `surveyor library list`.",
                )
        names = tuple(sorted(name for name, _ in visible))
        in_space: dict[Space, list[str]] = {}
        for name, kind in sorted(visible):
            in_space.setdefault(self.library_store.space(name, kind), []).append(name)
        spaces: dict[Space, Stored] = {
            space: partial(self.library_store.entries, in_space[space], MOST_WORDED)
            for space in sorted(in_space, key=lambda space: space.tenant)
        }
        shared = any(kind == "package" for _, kind in visible)
        where = Filter(must={"library_name": names}) if shared or scope.library else None
        return spaces, where

    async def _rows(
        self, ids: Sequence[str], scope: LibraryScope
    ) -> dict[str, StoredDocumentChunk]:
        """The chunks that the caller may see, by point."""
        found = await library_table.chunks_at(
            self.state,
            ids,
            project_id=scope.project_id,
            every=scope.every,
            include_deleted=scope.include_deleted,
            below=scope.library,
        )
        return {
            one.chunk.point_id: one
            for one in found
            if not scope.tags or set(scope.tags) & set(one.topics)
        }


def _covers(wanted: str, library: str) -> bool:
    """Whether a dotted name is a library's, or that of something above or below it.

    A package's version need not be said: `python.requests` is `python.requests@2.32.5`.
    """
    return (
        wanted == library
        or library.startswith((f"{wanted}.", f"{wanted}@"))
        or wanted.startswith(f"{library}.")
    )


def _near(wanted: str, libraries: Sequence[str]) -> list[str]:
    """Libraries that may have been meant: with that word in their names, else like it."""
    inside = [name for name in libraries if wanted.lower() in name.lower()]
    return (inside or difflib.get_close_matches(wanted, libraries))[:NEAR]


def _hit(one: StoredDocumentChunk, found: PointHit) -> DocumentHit:
    dated = datetime.fromtimestamp(one.dated, UTC)
    return DocumentHit(
        id=one.chunk.point_id,
        tenant=f"{one.project_id}.{one.name}" if one.project_id else one.name,
        library=one.library,
        title=one.title,
        headings=list(one.chunk.headings),
        page_number=one.chunk.page_number,
        start_line=one.chunk.start_line or None,
        end_line=one.chunk.end_line or None,
        path=one.file_path,
        source=one.source,
        url=one.url,
        topics=list(one.topics),
        score=round(found.score, 6),
        confidence=found.confidence,
        snippet=one.chunk.text,
        deleted=one.is_deleted,
        dated=dated.strftime("%Y-%m-%dT%H:%M:%SZ"),
    )
