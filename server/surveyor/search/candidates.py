"""Candidates for a query: what the store finds, joined with what SQLite says exists.

Two similarity searches (dense, sparse) and the names that the query mentions give candidates;
SQLite says which of them are in the checkout or branch that is asked about. Unsaved buffers stand
in for their files.
"""

from __future__ import annotations

import contextlib
import json
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from surveyor.search import globs
from surveyor.search.narrow import of_kinds
from surveyor.search.places import (
    CANDIDATES,
    OTHERS,
    Conditions,
    Found,
    Gathered,
    Overlay,
    Place,
    Pool,
    Side,
    Sought,
)
from surveyor.search.row import Row
from surveyor.search.rows import ChunkRows
from surveyor.store.state import State
from surveyor.store.vectors import Filter, Hit, Space, StoreUnreachableError, VectorStore

Rows = dict[str, Row]
"""Rows of chunks by point id."""
Look = tuple[Pool, int, Filter]
"""A pool, how many of its hits are wanted on each side, and the filter that gives it."""

DEEPENING = 4
"""Factor by which more hits are asked for when too many belong to other checkouts or paths."""
DEEPEST = 3200
WIDE_SHARE = 0.5
"""Share of code among a project's chunks from which one look without a filter is likely to find
enough of it: queries ask for code more often than chance would."""
RECOUNT_S = 20.0
"""A project that changes is counted again after so long at the earliest."""
PATHS_IN_FILTER = 500
"""Globs that match at most so many files become a filter in the store."""
OVERLAY_IDF = 4.0
"""Typical IDF of a telling term: makes an unsaved chunk's BM25 comparable with stored ones."""


@dataclass(slots=True)
class Finder:
    """Finds candidates in one state and one store."""

    state: State
    vectors: VectorStore
    on_store: Callable[..., Awaitable[Any]]
    rows: ChunkRows = field(init=False)
    _shares: dict[str, tuple[float, int, float]] = field(default_factory=dict)
    """By project: the share of code among its chunks, at which revision, counted when."""

    def __post_init__(self) -> None:
        self.rows = ChunkRows(self.state)

    async def gather(
        self, place: Place, sought: Sought, overlays: Sequence[Overlay], into: Gathered
    ) -> None:
        """Add a place's candidates."""
        conditions = sought.conditions
        unsaved = {overlay.path: overlay for overlay in overlays}
        matcher = globs.matcher(conditions.paths, place.prefix)

        def fits(row: Row) -> bool:
            path = row.path
            return path not in unsaved and matcher(path) and _meets(row, conditions)

        where, paths = await self._filter(place, conditions, matcher)
        if paths is None or paths:
            await self._hits(place, sought, where, fits, into)
            for row in await self.rows.named(place, sought.query):
                if row.point_id not in into.found and fits(row):
                    into.found[row.point_id] = Found(row, place)
        for overlay in unsaved.values():
            if matcher(overlay.path):
                _unsaved(place, overlay, sought, into)

    async def _hits(
        self,
        place: Place,
        sought: Sought,
        where: Filter,
        fits: Callable[[Row], bool],
        into: Gathered,
    ) -> None:
        """The best hits of each side that exist in the place, code and the rest apart."""
        pools = _pools(sought, where)
        if _is_wide(sought.conditions, where, pools) and await self._is_mostly_code(place):
            pools = await self._wide(place, sought, pools, fits, into)
        for pool, wanted, condition in pools:
            rows, hits = await self._valid(place, sought, wanted, condition, fits)
            _take(rows, hits, wanted, pool, place, into)

    async def _wide(
        self,
        place: Place,
        sought: Sought,
        pools: Sequence[Look],
        fits: Callable[[Row], bool],
        into: Gathered,
    ) -> list[Look]:
        """Take what one look without a filter finds of the pools; returns those to look at still.

        Filters cost the store as much as the similarities, and most of what is nearest in a
        project is code. A side that has too little code among its hits has enough of the rest.
        """
        wide = CANDIDATES + OTHERS
        rows, hits = await self._valid(place, sought, wide, Filter(), fits, deepen=False)
        code = {id_: row for id_, row in rows.items() if row.file_type == "code"}
        others = {id_: row for id_, row in rows.items() if id_ not in code}

        def enough(kept: Rows, wanted: int, side: Sequence[Hit]) -> bool:
            return len(side) < wide or sum(hit.id in kept for hit in side) >= wanted

        enough_code = all(enough(code, CANDIDATES, side) for side in hits.values())
        if enough_code or all(
            enough(others, OTHERS, side) or enough(code, CANDIDATES, side) for side in hits.values()
        ):
            if any(pool == "other" for pool, _, _ in pools):
                _take(others, hits, OTHERS, "other", place, into)
            pools = [look for look in pools if look[0] == "main"]
        if enough_code:
            _take(code, hits, CANDIDATES, "main", place, into)
            return []
        return list(pools)

    async def _is_mostly_code(self, place: Place) -> bool:
        """Whether enough of a project's chunks are code, by their number not long ago."""
        (revision,) = self.state.glance(
            "SELECT total(revision) FROM checkouts WHERE project_id = ?", (place.project_id,)
        )[0]
        known = self._shares.get(place.project_id)
        now = time.monotonic()
        if known is None or (known[1] != revision and now - known[2] > RECOUNT_S):
            # A document's last ordinal says how many chunks it has: one step in the index.
            rows = await self.state.read(
                """SELECT total(n * (file_type = 'code')), total(n) FROM (
                     SELECT d.file_type,
                       (SELECT max(c.ordinal) + 1 FROM chunks c WHERE c.doc_id = d.doc_id) AS n
                     FROM documents d WHERE d.project_id = ?)""",
                (place.project_id,),
            )
            code, chunks = rows[0]
            known = (code / chunks if chunks else 1.0, revision, now)
            self._shares[place.project_id] = known
        return known[0] >= WIDE_SHARE

    async def _valid(
        self,
        place: Place,
        sought: Sought,
        wanted: int,
        where: Filter,
        fits: Callable[[Row], bool],
        *,
        deepen: bool = True,
    ) -> tuple[Rows, dict[Side, list[Hit]]]:
        """Rows by id and hits of each side.

        Asks for more while fewer than `wanted` of a side's hits exist in the place.
        """
        limit = wanted
        while True:
            hits: dict[Side, list[Hit]] = {}
            with contextlib.suppress(StoreUnreachableError):  # names are found all the same
                hits = await self.on_store(self._nearest, place.space, sought, limit, where)
            rows = await self.rows.join(
                place, list({hit.id for side in hits.values() for hit in side})
            )
            valid = {row.point_id: row for row in rows if fits(row)}
            short = any(
                len(side) == limit and sum(hit.id in valid for hit in side) < wanted
                for side in hits.values()
            )
            if not deepen or not short or limit >= DEEPEST:
                return valid, hits
            limit *= DEEPENING

    def _nearest(
        self, space: Space, sought: Sought, limit: int, where: Filter
    ) -> dict[Side, list[Hit]]:
        """Both sides in one visit to the store's thread."""
        found: dict[Side, list[Hit]] = {}
        if sought.dense is not None:
            found["dense"] = self.vectors.dense(space, sought.dense, limit, where)
        if sought.sparse.indices:
            found["sparse"] = self.vectors.sparse(space, sought.sparse, limit, where)
        return found

    async def _filter(
        self, place: Place, conditions: Conditions, matcher: Callable[[str], bool]
    ) -> tuple[Filter, list[str] | None]:
        must: dict[str, tuple[str | int | bool, ...]] = {}
        if conditions.languages:
            must["language"] = tuple(name.lower() for name in conditions.languages)
        if conditions.types:
            must["file_type"] = conditions.types
        if conditions.kinds:
            must["kinds"] = conditions.kinds
        paths: list[str] | None = None
        if conditions.paths or place.prefix:
            rows = await self.state.read(
                "SELECT path FROM files WHERE checkout_id = ? AND doc_id IS NOT NULL",
                (place.checkout_id,),
            )
            paths = [str(row[0]) for row in rows if matcher(str(row[0]))]
            if len(paths) <= PATHS_IN_FILTER and place.other_branch is None:
                must["file_path"] = tuple(paths)
            else:
                paths = None
        return Filter(must=must), paths


def _pools(sought: Sought, where: Filter) -> list[Look]:
    """What is searched apart: code and the rest, unless the caller says what is wanted."""
    together = sought.conditions.types or sought.query.wants & {"tests", "docs", "config"}
    if together or not sought.apart:
        return [("main", CANDIDATES, where)]
    code = replace(where, must={**where.must, "file_type": ("code",)})
    rest = replace(where, must_not={**where.must_not, "file_type": ("code",)})
    return [("main", CANDIDATES, code), ("other", OTHERS, rest)]


def _is_wide(conditions: Conditions, where: Filter, pools: Sequence[Look]) -> bool:
    """Whether much of what is nearest is likely to meet the conditions."""
    filtered = any(condition != Filter() for _, _, condition in pools)
    return (
        filtered
        and conditions.types in ((), ("code",))
        and not conditions.kinds
        and "file_path" not in where.must
    )


def _take(
    rows: Rows,
    hits: Mapping[Side, Sequence[Hit]],
    wanted: int,
    pool: Pool,
    place: Place,
    into: Gathered,
) -> None:
    """Add the best hits that have rows."""
    for side, found in hits.items():
        kept = [hit for hit in found if hit.id in rows][:wanted]
        into.sides.setdefault((side, pool), []).extend(kept)
        for hit in kept:
            into.found[hit.id] = Found(rows[hit.id], place)


def _unsaved(place: Place, overlay: Overlay, sought: Sought, into: Gathered) -> None:
    """Chunks of an unsaved buffer compete by the same similarities."""
    weights = dict(zip(sought.sparse.indices, sought.sparse.values, strict=True))
    for chunk in overlay.chunks:
        candidate = chunk.candidate
        row = Row(
            doc_id=0,
            point_id=candidate.id,
            text_hash="",
            kind=candidate.kind,
            kinds=json.dumps(chunk.kinds),
            start_line=candidate.start_line,
            end_line=candidate.end_line,
            symbols="[]",
            symbol_name=candidate.symbol_name,
            symbol_kind=candidate.symbol_kind,
            parent_symbol=candidate.parent_symbol,
            signature=chunk.signature,
            is_fragment=candidate.is_fragment,
            path=overlay.path,
            language=chunk.language,
            file_type=candidate.file_type,
            is_reexport=candidate.is_reexport,
            text=chunk.text,
        )
        if not _meets(row, sought.conditions):
            continue
        pool: Pool = "main" if candidate.file_type == "code" else "other"
        into.found[candidate.id] = Found(row, place, overlay, candidate)
        if sought.dense is not None:
            similarity = float(chunk.dense @ sought.dense)
            into.sides.setdefault(("dense", pool), []).append(Hit(candidate.id, similarity))
        score = sum(weights[token] * w for token, w in chunk.sparse.items() if token in weights)
        if score:
            hit = Hit(candidate.id, score * OVERLAY_IDF)
            into.sides.setdefault(("sparse", pool), []).append(hit)


def _meets(row: Row, conditions: Conditions) -> bool:
    return (
        (not conditions.languages or row.language in conditions.languages)
        and (not conditions.types or row.file_type in conditions.types)
        and of_kinds(row, conditions.kinds)
    )
