"""Candidates for a query: what the store finds, joined with what SQLite says exists.

Two similarity searches (dense, sparse) and the names that the query mentions give candidates;
SQLite says which of them are in the checkout or branch that is asked about. Unsaved buffers stand
in for their files.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import msgspec
import numpy as np

from surveyor.search import globs
from surveyor.search.narrow import Defined, of_kinds
from surveyor.search.query import Query
from surveyor.search.rank import Candidate
from surveyor.store.state import State
from surveyor.store.vectors import Filter, Hit, Space, Sparse, StoreUnreachableError, VectorStore

CANDIDATES = 50
"""Hits of each side that are fused (retrieval.md)."""
OTHERS = 25
"""Hits of each side that are fused from tests, docs and configuration, unless asked for: they
would crowd out the code that they are about (whole repositories .818 -> .841 NDCG@10)."""
DEEPENING = 4
"""Factor by which more hits are asked for when too many belong to other checkouts or paths."""
DEEPEST = 3200
NAME_CANDIDATES = 40
"""Definitions of names in the query that join the candidates."""
WIDE_SHARE = 0.5
"""Share of code among a project's chunks from which one look without a filter is likely to find
enough of it: queries ask for code more often than chance would."""
RECOUNT_S = 20.0
"""A project that changes is counted again after so long at the earliest."""
IDS_AT_ONCE = 500
"""Points looked up in one statement."""
PATHS_IN_FILTER = 500
"""Globs that match at most so many files become a filter in the store."""
OVERLAY_IDF = 4.0
"""Typical IDF of a telling term: makes an unsaved chunk's BM25 comparable with stored ones."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where to look: a checkout, or a branch of its project, or a folder in it."""

    checkout_id: str
    project_id: str
    root: str
    project: str
    branch: str | None
    space: Space
    other_branch: str | None = None
    """A branch that is not checked out here, or `*`."""
    prefix: str = ""
    """Folder that the search is scoped to, with a slash at the end."""


@dataclass(frozen=True, slots=True)
class Conditions:
    """Filters that a caller asked for."""

    languages: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class OverlayChunk:
    """A chunk of an unsaved buffer."""

    candidate: Candidate
    text: str
    kinds: tuple[str, ...]
    language: str | None
    signature: str
    docstring: str
    dense: np.ndarray
    sparse: Mapping[int, float]


@dataclass(frozen=True, slots=True)
class Overlay:
    """An unsaved buffer as searches see it, in place of the file on disk."""

    path: str
    version: int
    chunks: tuple[OverlayChunk, ...]
    symbols: tuple[Defined, ...]


@dataclass(frozen=True, slots=True)
class Found:
    """A candidate's row, kept for its result."""

    row: Mapping[str, Any]
    place: Place
    overlay: Overlay | None = None
    unsaved: Candidate | None = None
    """An unsaved chunk, complete but for its ranks."""


Side = Literal["dense", "sparse"]
Pool = Literal["main", "other"]
Rows = dict[str, dict[str, Any]]
"""Rows of chunks by point id."""
Look = tuple[Pool, int, Filter]
"""A pool, how many of its hits are wanted on each side, and the filter that gives it."""


NOWHERE: tuple[int, float | None] = (0, None)
"""Rank and score of what a side did not find."""


@dataclass(slots=True)
class Gathered:
    """Candidates so far, and which side found them among what."""

    found: dict[str, Found] = field(default_factory=dict)
    """By chunk id."""
    sides: dict[tuple[Side, Pool], list[Hit]] = field(default_factory=dict)

    def candidates(self) -> list[Candidate]:
        """Everything found, with its ranks."""
        dense, sparse = self._positions("dense"), self._positions("sparse")
        return [
            candidate_of(found, dense.get(id_, NOWHERE), sparse.get(id_, NOWHERE))
            for id_, found in self.found.items()
        ]

    def _positions(self, side: Side) -> dict[str, tuple[int, float | None]]:
        """Rank and score by id: code among code, the rest among everything."""
        # The same chunk may be in the spaces of two models while one replaces the other.
        main = _best(self.sides.get((side, "main"), []))[:CANDIDATES]
        other = _best(self.sides.get((side, "other"), []))[:OTHERS]
        placed: dict[str, tuple[int, float | None]] = {
            hit.id: (position, hit.score) for position, hit in enumerate(main, 1)
        }
        for position, hit in enumerate(other, 1):
            above = sum(better.score > hit.score for better in main)
            placed[hit.id] = (position + above, hit.score)
        return placed


@dataclass(frozen=True, slots=True)
class Sought:
    """What is looked for: a query as each side reads it, and the caller's conditions."""

    query: Query
    dense: np.ndarray | None
    sparse: Sparse
    conditions: Conditions
    apart: bool = True
    """Whether code is searched apart from the rest."""


@dataclass(slots=True)
class Finder:
    """Finds candidates in one state and one store."""

    state: State
    vectors: VectorStore
    on_store: Callable[..., Awaitable[Any]]
    _shares: dict[str, tuple[float, int, float]] = field(default_factory=dict)
    """By project: the share of code among its chunks, at which revision, counted when."""

    async def gather(
        self, place: Place, sought: Sought, overlays: Sequence[Overlay], into: Gathered
    ) -> None:
        """Add a place's candidates."""
        conditions = sought.conditions
        unsaved = {overlay.path: overlay for overlay in overlays}
        matcher = globs.matcher(conditions.paths, place.prefix)

        def fits(row: Mapping[str, Any]) -> bool:
            path = row["path"]
            return path not in unsaved and matcher(path) and _meets(row, conditions)

        where, paths = await self._filter(place, conditions, matcher)
        if paths is None or paths:
            await self._hits(place, sought, where, fits, into)
            for row in self._named(place, sought.query):
                if row["point_id"] not in into.found and fits(row):
                    into.found[row["point_id"]] = Found(row, place)
        for overlay in unsaved.values():
            if matcher(overlay.path):
                _unsaved(place, overlay, sought, into)

    async def _hits(
        self,
        place: Place,
        sought: Sought,
        where: Filter,
        fits: Callable[[Mapping[str, Any]], bool],
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
        fits: Callable[[Mapping[str, Any]], bool],
        into: Gathered,
    ) -> list[Look]:
        """Take what one look without a filter finds of the pools; returns those to look at still.

        Filters cost the store as much as the similarities, and most of what is nearest in a
        project is code. A side that has too little code among its hits has enough of the rest.
        """
        wide = CANDIDATES + OTHERS
        rows, hits = await self._valid(place, sought, wide, Filter(), fits, deepen=False)
        code = {id_: row for id_, row in rows.items() if row["file_type"] == "code"}
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
        fits: Callable[[Mapping[str, Any]], bool],
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
            rows = await self.join(place, list({hit.id for side in hits.values() for hit in side}))
            valid = {row["point_id"]: row for row in rows if fits(row)}
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

    async def join(self, place: Place, ids: Sequence[str]) -> list[dict[str, Any]]:
        """Rows of points that exist in the place, one a point."""
        if not ids:
            return []
        exists, parameters = exists_in(place)
        rows: list[dict[str, Any]] = []
        for start in range(0, len(ids), IDS_AT_ONCE):
            part = ids[start : start + IDS_AT_ONCE]
            rows += self._rows(
                f"WHERE c.point_id IN ({','.join('?' * len(part))}) AND {exists}",
                (*part, *parameters),
            )
            if len(ids) > IDS_AT_ONCE:
                await asyncio.sleep(0)
        return rows

    def _rows(self, condition: str, parameters: Sequence[Any]) -> list[dict[str, Any]]:
        """Chunks with their documents."""
        (found,) = self.state.glance(
            f"SELECT group_concat(made) FROM (SELECT {_MADE} {_FROM} {condition})", parameters
        )[0]
        rows = msgspec.json.decode(f"[{found or ''}]")
        return [dict(zip(_NAMES, row, strict=True)) for row in rows]

    def _named(self, place: Place, query: Query) -> list[dict[str, Any]]:
        """Chunks that hold the definition of a name in the query, or the line it points to."""
        exists, parameters = exists_in(place)
        rows: list[dict[str, Any]] = []
        names = {symbol.name.lower() for symbol in query.symbols}
        exact = sorted({symbol.name for symbol in query.symbols})
        if names:
            rows += self._rows(
                f"""JOIN symbols s ON s.doc_id = c.doc_id
                    AND s.line BETWEEN c.start_line AND c.end_line
                    WHERE s.name_lower IN ({",".join("?" * len(names))}) AND {exists}
                    ORDER BY s.name NOT IN ({",".join("?" * len(exact))}),
                        d.file_type != 'code', length(d.path), d.path, c.ordinal
                    LIMIT {NAME_CANDIDATES}""",
                (*sorted(names), *parameters, *exact),
            )
        if query.path:
            stem = query.path.replace("\\", "/").rsplit("/", 1)[-1]
            rows += self._rows(
                f"""WHERE (d.path = ? OR d.path LIKE ? ESCAPE '!') AND {exists}
                    AND (? = 0 OR ? BETWEEN c.start_line AND c.end_line)
                    ORDER BY length(d.path), c.ordinal LIMIT {NAME_CANDIDATES}""",
                (stem, "%/" + _like(stem), *parameters, query.line, query.line),
            )
        return rows


_COLUMNS = """c.doc_id, c.point_id, hex(c.text_hash) AS text_hash, c.kind, c.kinds, c.start_line,
              c.end_line, c.symbols, c.symbol_name, c.symbol_kind, c.parent_symbol, c.signature,
              c.is_fragment, d.path, d.language, d.file_type, d.is_reexport"""
_NAMES = [column.split()[-1].split(".")[-1] for column in _COLUMNS.split(",")]
_MADE = f"json_array({_COLUMNS.replace(' AS text_hash', '')}) AS made"
"""A chunk's columns as one value: a hundred rows of seventeen columns, each fetched by itself,
cost more than finding them, and each row lets another thread take the interpreter lock."""
_FROM = "FROM chunks c JOIN documents d ON d.doc_id = c.doc_id"


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
        row = {
            "point_id": candidate.id,
            "path": overlay.path,
            "language": chunk.language,
            "file_type": candidate.file_type,
            "kind": candidate.kind,
            "kinds": json.dumps(chunk.kinds),
            "start_line": candidate.start_line,
            "end_line": candidate.end_line,
            "signature": chunk.signature,
            "text": chunk.text,
        }
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


def _best(hits: Sequence[Hit]) -> list[Hit]:
    best: dict[str, Hit] = {}
    for hit in sorted(hits, key=lambda hit: (-hit.score, hit.id)):
        best.setdefault(hit.id, hit)
    return list(best.values())


def exists_in(place: Place, table: str = "c") -> tuple[str, tuple[str, ...]]:
    """The condition that a table's document is in the place, with its parameters."""
    on_disk = (
        f"EXISTS (SELECT 1 FROM files f WHERE f.doc_id = {table}.doc_id AND f.checkout_id = ?)"
    )
    if place.other_branch is None:
        return on_disk, (place.checkout_id,)
    if place.other_branch == "*":
        return (
            f"({on_disk} OR EXISTS (SELECT 1 FROM branch_files b WHERE b.doc_id = {table}.doc_id"
            " AND b.project_id = ?))",
            (place.checkout_id, place.project_id),
        )
    return (
        f"EXISTS (SELECT 1 FROM branch_files b WHERE b.doc_id = {table}.doc_id"
        " AND b.project_id = ?"
        " AND b.branch = ?)",
        (place.project_id, place.other_branch),
    )


def _meets(row: Mapping[str, Any], conditions: Conditions) -> bool:
    return (
        (not conditions.languages or row["language"] in conditions.languages)
        and (not conditions.types or row["file_type"] in conditions.types)
        and of_kinds(row, conditions.kinds)
    )


def _like(text: str) -> str:
    return text.replace("!", "!!").replace("%", "!%").replace("_", "!_")


def candidate_of(
    found: Found,
    dense: tuple[int, float | None] = NOWHERE,
    sparse: tuple[int, float | None] = NOWHERE,
) -> Candidate:
    """What was found as ranking sees it, with its rank and score on each side."""
    row, root = found.row, found.place.root
    if found.unsaved is not None:
        return msgspec.structs.replace(
            found.unsaved,
            dense_rank=dense[0],
            dense=dense[1],
            sparse_rank=sparse[0],
            sparse=sparse[1],
            root=root,
        )
    return Candidate(
        id=row["point_id"],
        path=row["path"],
        start_line=row["start_line"],
        end_line=row["end_line"],
        dense_rank=dense[0],
        sparse_rank=sparse[0],
        dense=dense[1],
        sparse=sparse[1],
        kind=row["kind"],
        file_type=row["file_type"],
        symbol_name=row["symbol_name"],
        symbol_kind=row["symbol_kind"],
        parent_symbol=row["parent_symbol"],
        symbols=json.loads(row["symbols"]) if row["symbols"] != "[]" else (),
        is_fragment=bool(row["is_fragment"]),
        is_reexport=bool(row["is_reexport"]),
        root=root,
    )
