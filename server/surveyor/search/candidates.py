"""Candidates for a query: what the store finds, joined with what SQLite says exists.

Two similarity searches (dense, sparse) and the names that the query mentions give candidates;
SQLite says which of them are in the checkout or branch that is asked about. Unsaved buffers stand
in for their files.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from math import ceil
from typing import Any

from surveyor.embedding.tokens import split_words
from surveyor.search import globs
from surveyor.search.lacking import LackingPoints, WhoKnowsPoints
from surveyor.search.query import Query, SymbolName
from surveyor.search.row_cache import RowCache, Spawn
from surveyor.search.scope import (
    CANDIDATES,
    OTHERS,
    CandidateRow,
    Conditions,
    GatheredCandidates,
    Overlay,
    Pool,
    SearchInput,
    SearchTarget,
    Side,
    meets,
    pool_of,
)
from surveyor.search.text_catalog import TextCatalog
from surveyor.search.unsaved import add_unsaved
from surveyor.search.word_search import by_words, merged
from surveyor.store.chunk_row import Row
from surveyor.store.state import State
from surveyor.store.state.files import paths_with_documents
from surveyor.store.state.searched_chunks import (
    ChunkShare,
    chunk_share,
    chunks_at,
    chunks_defining,
    chunks_of_line,
    documents_called,
    documents_named,
)
from surveyor.store.vectors.contract import (
    Filter,
    Hit,
    Space,
    StoreDamagedError,
    StoreError,
    StoreFullError,
    VectorStore,
)

Rows = dict[str, Row]
"""Rows of chunks by point id."""
Look = tuple[Pool, int, Filter]
"""A pool, how many of its hits are wanted on each side, and the filter that gives it."""

MIXED = 150
"""Nearest chunks of any kind that are looked at in a project of much else than code: in 76 of 100
queries (4,100 files of eight languages, a third of the chunks code) enough of both are there."""
LEAST_DEEPER, MOST_DEEPER = 2.0, 16.0
"""Factors by which more hits are asked for when too many belong to other checkouts or paths: as
many as would be enough, were they as common among the next."""
SPARE = 1.3
"""What is asked for then, in multiples of that."""
DEEPEST = 3200
WIDE_SHARE = 0.5
"""Share of code among a project's chunks from which one look without a filter is likely to find
enough of it: queries ask for code more often than chance would."""
RECOUNT_S = 20.0
"""A project that changes is counted again after so long at the earliest."""
PATHS_IN_FILTER = 500
"""Globs that match at most so many files become a filter in the store: with 1,400 a look takes
7 ms, and three times as many hits, of which a third match, are there in 2."""
NAME_CANDIDATES = 40
"""Definitions of names in the query that join the candidates."""
NAMED_FILES = 500
"""Files of one name that are looked at."""
NAMED_MODULES = 10
"""The same where a name that nothing defines may be a file's."""
KEPT_INSIDES = 16
"""Sets of globs whose files are remembered until something changes."""


@dataclass(frozen=True, slots=True)
class _SideQuery:
    """One question to the store, and what is to come of it."""

    side: Side
    pool: Pool | None
    """None for both."""
    wanted: int
    where: Filter
    limit: int
    """Hits asked for: more than are wanted when too many belong to other checkouts or paths."""


@dataclass(frozen=True, slots=True)
class _Inside:
    """The files of a checkout that globs or a folder say."""

    paths: frozenset[str]
    share: float
    """Of all its files."""
    version: int
    """Of the database that they were read from."""


@dataclass(slots=True)
class CandidateFinder:
    """Finds candidates in one state and one store."""

    state: State
    vectors: VectorStore
    on_store: Callable[..., Awaitable[Any]]
    spawn: Spawn | None = None
    """Runs something beside everything else; without it no rows are kept between queries."""
    points: WhoKnowsPoints | None = None
    """Says which projects' points are not all there; without it they are."""
    catalog: TextCatalog = field(init=False)
    kept: RowCache = field(init=False)
    _shares: dict[str, tuple[ChunkShare, int, float]] = field(default_factory=dict)
    """By project: its chunks, at which version of the catalog, and when they were counted."""
    _insides: dict[tuple[str, str, tuple[str, ...]], _Inside] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.kept = RowCache(self.state, self.spawn)
        self.catalog = TextCatalog(self.state)

    async def gather(
        self,
        place: SearchTarget,
        sought: SearchInput,
        overlays: Sequence[Overlay],
        into: GatheredCandidates,
    ) -> None:
        """Add a place's candidates."""
        conditions = sought.conditions
        unsaved = {overlay.path: overlay for overlay in overlays}
        matcher = globs.matcher(conditions.paths, place.prefix)
        inside = await self._inside(place, conditions, matcher)
        in_scope = matcher if inside is None else inside.paths.__contains__

        def fits(row: Row) -> bool:
            path = row.path
            return path not in unsaved and in_scope(path) and meets(row, conditions)

        some = fits if unsaved or place.prefix or conditions != Conditions() else None
        if inside is None or inside.paths:
            where = _filter(conditions, inside)
            await self._note_lacking(place, into)
            await self._hits(place, sought, where, some, inside, into)
            kinds = bool(conditions.kinds)
            for row in await self._named(place, sought.query, kinds=kinds):
                if row.point_id not in into.found and fits(row):
                    into.found[row.point_id] = CandidateRow(row, place)
        for overlay in unsaved.values():
            if matcher(overlay.path):
                add_unsaved(place, overlay, sought, into)

    async def _hits(
        self,
        place: SearchTarget,
        sought: SearchInput,
        where: Filter,
        fits: Callable[[Row], bool] | None,
        inside: _Inside | None,
        into: GatheredCandidates,
    ) -> None:
        """The best hits of each side that exist in the place, code and the rest apart.

        `fits` says which rows count; None: all do.
        """
        pools = _pools(sought, where)
        rows: Rows = {}
        asks: list[_SideQuery] = []
        # Of what a filter of the store does not say, as many more hits are asked for at once.
        rare = 1.0 if inside is None or "file_path" in where.must else inside.share
        if rare == 1.0 and _is_wide(sought.conditions, where, pools):
            if await self._is_mostly_code(place):
                pools = await self._wide(place, sought, pools, fits, into)
            elif sought.dense is not None and where == Filter() and len(pools) == 2:
                # The vectors of all chunks are compared sooner than those of two filters: half
                # of such a project's 150 nearest are enough of both.
                asks.append(_SideQuery("dense", None, MIXED, Filter(), MIXED))
        sides = [side for side in sought.sides() if not (asks and side == "dense")]
        asks += [
            _SideQuery(side, pool, wanted, condition, min(DEEPEST, ceil(wanted / rare)))
            for pool, wanted, condition in pools
            for side in sides
        ]
        while asks:
            found = await self._look(place, sought, asks, fits, rows, into)
            again: list[_SideQuery] = []
            for ask, hits in zip(asks, found, strict=True):
                kept = [hit for hit in hits if hit.id in rows]
                if ask.pool is None:
                    for pool, wanted, condition in pools:
                        own = [hit for hit in kept if pool_of(rows[hit.id].file_type) == pool]
                        if len(own) < wanted and len(hits) == ask.limit:
                            again.append(_SideQuery(ask.side, pool, wanted, condition, wanted))
                        else:
                            _take(rows, own[:wanted], ask.side, pool, place, into)
                elif len(kept) < ask.wanted and len(hits) == ask.limit and ask.limit < DEEPEST:
                    again.append(replace(ask, limit=_deeper(ask, len(kept))))
                else:
                    _take(rows, kept[: ask.wanted], ask.side, ask.pool, place, into)
            asks = again

    async def _wide(
        self,
        place: SearchTarget,
        sought: SearchInput,
        pools: Sequence[Look],
        fits: Callable[[Row], bool] | None,
        into: GatheredCandidates,
    ) -> list[Look]:
        """Take what one look without a filter finds of the pools; returns those to look at still.

        Filters cost the store as much as the similarities, and most of what is nearest in a
        project is code. A side that has too little code among its hits has enough of the rest.
        """
        wide = CANDIDATES + OTHERS
        asks = [_SideQuery(side, None, wide, Filter(), wide) for side in sought.sides()]
        rows: Rows = {}
        found = await self._look(place, sought, asks, fits, rows, into)
        code: list[list[Hit]] = []
        others: list[list[Hit]] = []
        for side in found:
            own = [(hit, rows[hit.id].file_type == "code") for hit in side if hit.id in rows]
            code.append([hit for hit, is_code in own if is_code])
            others.append([hit for hit, is_code in own if not is_code])

        def take(kept: Sequence[Sequence[Hit]], wanted: int, pool: Pool) -> None:
            for ask, hits in zip(asks, kept, strict=True):
                _take(rows, hits[:wanted], ask.side, pool, place, into)

        sides = range(len(asks))
        ended = [len(side) < wide for side in found]
        enough = [ended[n] or len(code[n]) >= CANDIDATES for n in sides]
        if all(enough[n] or ended[n] or len(others[n]) >= OTHERS for n in sides):
            if any(pool == "other" for pool, _, _ in pools):
                take(others, OTHERS, "other")
            pools = [look for look in pools if look[0] == "main"]
        if all(enough):
            take(code, CANDIDATES, "main")
            return []
        return list(pools)

    async def chunks_of(self, project_id: str) -> ChunkShare:
        """How many chunks a project has and how many of them are code, as of not long ago."""
        version = self.state.catalog_version
        known = self._shares.get(project_id)
        now = time.monotonic()
        if known is None or (known[1] != version and now - known[2] > RECOUNT_S):
            known = (await chunk_share(self.state, project_id), version, now)
            self._shares[project_id] = known
        return known[0]

    async def _is_mostly_code(self, place: SearchTarget) -> bool:
        """Whether enough of a project's chunks are code."""
        chunks = await self.chunks_of(place.project_id)
        return chunks.of_code >= WIDE_SHARE * chunks.all

    async def _look(
        self,
        place: SearchTarget,
        sought: SearchInput,
        asks: Sequence[_SideQuery],
        fits: Callable[[Row], bool] | None,
        rows: Rows,
        into: GatheredCandidates,
    ) -> list[list[Hit]]:
        """Hits of each ask, all in one visit to the store; their rows join the others."""
        found = await self._hits_of(place, sought, asks, into)
        kept = self.kept.of(place)
        if kept is not None:
            for hit in chain.from_iterable(found):
                id_ = hit.id
                if id_ in rows or (row := kept.get(id_)) is None:
                    continue
                if fits is None or fits(row):
                    rows[id_] = row
            return found
        new = {hit.id for hits in found for hit in hits}.difference(rows)
        kinds = bool(sought.conditions.kinds)
        for row in await chunks_at(self.state, place, list(new), kinds=kinds):
            if fits is None or fits(row):
                rows[row.point_id] = row
        return found

    async def _hits_of(
        self,
        place: SearchTarget,
        sought: SearchInput,
        asks: Sequence[_SideQuery],
        into: GatheredCandidates,
    ) -> list[list[Hit]]:
        """What the store finds, and in the place of what it lacks, what the stored texts say."""
        found: list[list[Hit]] = [[] for _ in asks]
        lacking = into.lacking.get(place.project_id)
        if lacking is None or not lacking.is_all:
            try:
                found = await self._answers(place.space, sought, asks)
            except StoreError as error:
                lacking = into.lacking[place.project_id] = LackingPoints(0, 0, error.message)
        if lacking is None:
            return found
        worded = await by_words(
            self.catalog,
            place,
            sought,
            asks,
            globs.matcher(sought.conditions.paths, place.prefix),
            lacking.documents,
        )
        return [
            merged(hits, texts, ask.limit)
            for hits, texts, ask in zip(found, worded, asks, strict=True)
        ]

    async def _note_lacking(self, place: SearchTarget, into: GatheredCandidates) -> None:
        if self.points is None or self.points.is_whole(place.project_id):
            return
        lacking = await self.points.lacking(place.project_id)
        if lacking is not None:
            into.lacking[place.project_id] = lacking

    async def _named(self, place: SearchTarget, query: Query, *, kinds: bool) -> list[Row]:
        """Chunks that hold the definition of a name in the query, or the line it points to."""
        rows: list[Row] = []
        names = sorted({symbol.name for symbol in query.symbols})
        if names:
            rows += chunks_defining(self.state, place, names, NAME_CANDIDATES, kinds=kinds)
        if query.kind == "symbol" and not _define(rows, query.symbols[:1]):
            # A module may be defined by a longer name (`Phoenix.Router`), or by its file alone.
            stems = [stem for symbol in query.symbols[:1] for stem in _file_stems(symbol.name)]
            documents = await documents_named(self.state, place, stems, NAMED_MODULES)
            rows += chunks_of_line(self.state, documents, 1, NAMED_MODULES, kinds=kinds)
        for path, line in [(each.path, each.line) for each in query.places]:
            name = path.replace("\\", "/").rsplit("/", 1)[-1]
            documents = await documents_called(self.state, place, name, NAMED_FILES)
            rows += chunks_of_line(self.state, documents, line, NAME_CANDIDATES, kinds=kinds)
        return rows

    async def _answers(
        self, space: Space, sought: SearchInput, asks: Sequence[_SideQuery]
    ) -> list[list[Hit]]:
        # The embedded store holds the interpreter lock while it looks, on whatever thread: a change
        # of thread and back adds a third to that. It is made where there is something to wait for.
        with (
            self.vectors.at_once(space) as free,
            contextlib.suppress(StoreDamagedError, StoreFullError),
        ):
            if free:
                return self._nearest(space, sought, asks)
        found: list[list[Hit]] = await self.on_store(self._nearest, space, sought, asks)
        return found

    def _nearest(
        self, space: Space, sought: SearchInput, asks: Sequence[_SideQuery]
    ) -> list[list[Hit]]:
        found: list[list[Hit]] = []
        for ask in asks:
            if ask.side == "sparse":
                found.append(self.vectors.sparse(space, sought.sparse, ask.limit, ask.where))
            elif sought.dense is not None:
                found.append(self.vectors.dense(space, sought.dense, ask.limit, ask.where))
        return found

    async def _inside(
        self, place: SearchTarget, conditions: Conditions, matcher: Callable[[str], bool]
    ) -> _Inside | None:
        """The files that a search is limited to; None where it is not, or is of a branch."""
        if not (conditions.paths or place.prefix) or place.other_branch is not None:
            return None
        key = (place.checkout_id, place.prefix, conditions.paths)
        version = self.state.data_version
        known = self._insides.get(key)
        if known is None or known.version != version:
            paths = await paths_with_documents(self.state, place.checkout_id)
            matching = frozenset(filter(matcher, paths))
            known = _Inside(matching, len(matching) / max(len(paths), 1), version)
            if len(self._insides) >= KEPT_INSIDES:
                self._insides.clear()
            self._insides[key] = known
        return known


def _define(rows: Sequence[Row], symbols: Sequence[SymbolName]) -> bool:
    """Whether some chunks of code are known by one of some names, as it is written."""
    names = {symbol.name for symbol in symbols}
    return any(row.file_type == "code" and not names.isdisjoint(row.symbols) for row in rows)


def _file_stems(name: str) -> list[str]:
    """How files of a name are called: as it is, in snake case, in kebab case."""
    words = split_words(name)
    return list(dict.fromkeys((name.lower(), "_".join(words), "-".join(words))))


def _deeper(ask: _SideQuery, kept: int) -> int:
    factor = SPARE * ask.wanted / max(kept, 1)
    return min(DEEPEST, ceil(ask.limit * min(max(factor, LEAST_DEEPER), MOST_DEEPER)))


def _filter(conditions: Conditions, inside: _Inside | None) -> Filter:
    must: dict[str, tuple[str | int | bool, ...]] = {}
    if conditions.languages:
        must["language"] = tuple(name.lower() for name in conditions.languages)
    if conditions.types:
        must["file_type"] = conditions.types
    if conditions.kinds:
        must["kinds"] = conditions.kinds
    if inside is not None and len(inside.paths) <= PATHS_IN_FILTER:
        must["file_path"] = tuple(sorted(inside.paths))
    return Filter(must=must)


def _pools(sought: SearchInput, where: Filter) -> list[Look]:
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
    hits: Sequence[Hit],
    side: Side,
    pool: Pool,
    place: SearchTarget,
    into: GatheredCandidates,
) -> None:
    """Add hits that have rows."""
    into.sides.setdefault((side, pool), []).extend(hits)
    for hit in hits:
        if hit.id not in into.found:
            into.found[hit.id] = CandidateRow(rows[hit.id], place)
