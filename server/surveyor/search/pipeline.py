"""From a query to ranked answers: candidates from the store, joined with SQLite, ranked.

Two similarity searches (dense, sparse) and the names that the query mentions give candidates;
SQLite says which of them still exist in the checkout that is asked about; `rank` orders them.
"""

from __future__ import annotations

import difflib
import json
import sqlite3
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, Protocol

import numpy as np

from surveyor.indexing.types import Symbol
from surveyor.indexing.worker import Embedded
from surveyor.models import ScorePart, Scores, SearchResult
from surveyor.search import globs
from surveyor.search.confidence import Evidence, confidence, coverage
from surveyor.search.narrow import Defined, narrow, needs_narrowing, of_kinds
from surveyor.search.pathfacts import path_facts
from surveyor.search.query import Query, SymbolName, understand
from surveyor.search.rank import Candidate, RankContext, Ranked, RankSettings, rank
from surveyor.search.snippets import allot, snippet
from surveyor.search.sparse import query_vector
from surveyor.search.tokens import tokenize
from surveyor.store.state import State
from surveyor.store.vectors import Filter, Hit, Space, Sparse, VectorStore

CANDIDATES = 50
"""Hits of each side that are fused (retrieval.md)."""
OTHERS = 25
"""Hits of each side that are fused from tests, docs and configuration, unless asked for: they
would crowd out the code that they are about (whole repositories .818 -> .841 NDCG@10)."""
DEEPENING = 4
"""Factor by which more hits are asked for when too many belong to other checkouts or paths."""
DEEPEST = 3200
LEAST_FUZZY = 4
"""Letters of a name from which typing errors are looked for."""
FUZZY_CUTOFF = 0.8
"""Least similarity (difflib's ratio) of a defined name to a mistyped one."""
GUESS_WEIGHT = 0.7
"""What a guessed name counts beside a written one."""
NAME_CANDIDATES = 40
"""Definitions of names in the query that join the candidates."""
PATHS_IN_FILTER = 500
"""Globs that match at most so many files become a filter in the store."""


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


NO_CONDITIONS = Conditions()
NO_CONTEXT = RankContext()
DEFAULT_RANKING = RankSettings()


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


class QueryEmbedder(Protocol):
    """What turns a query into a dense vector."""

    def embed_query(self, text: str) -> np.ndarray:
        """Unit vector, or zeros for a query without a known word."""


@dataclass(frozen=True, slots=True)
class Found:
    """A candidate's row, kept for its result."""

    row: Mapping[str, Any]
    place: Place
    overlay: Overlay | None = None


@dataclass(slots=True)
class Searcher:
    """Answers queries from one state and one store."""

    state: State
    vectors: VectorStore
    on_store: Callable[..., Awaitable[Any]]
    overlays: Callable[[str], Sequence[Overlay]] = field(default=lambda _: ())
    """Unsaved buffers of a checkout."""

    async def search(
        self,
        text: str,
        places: Sequence[Place],
        embedders: Mapping[str, QueryEmbedder],
        *,
        mode: Literal["hybrid", "semantic", "keyword"] = "hybrid",
        conditions: Conditions = NO_CONDITIONS,
        settings: RankSettings = DEFAULT_RANKING,
        context: RankContext = NO_CONTEXT,
        limit: int = 10,
    ) -> tuple[Query, list[Ranked], dict[str, Found]]:
        """Ranked candidates and the rows behind them; `embedders` are by model fingerprint."""
        query = await self._corrected(understand(text), places)
        dense: dict[str, np.ndarray] = {}
        if mode != "keyword" and query.kind != "empty":
            for model in {place.space.model for place in places} & embedders.keys():
                vector = embedders[model].embed_query(query.text)
                if np.any(vector):
                    dense[model] = vector
        sparse = query_vector(query.text) if mode != "semantic" else Sparse((), ())
        found: dict[str, Found] = {}
        candidates: dict[str, Candidate] = {}
        sides: Sides = {}
        for place in places:
            await self._candidates(
                place,
                dense.get(place.space.model),
                sparse,
                conditions,
                query,
                candidates,
                found,
                sides,
            )
        for side in ("dense", "sparse"):
            for hit, position in _positions(sides, side):
                candidates[hit.id] = (
                    replace(candidates[hit.id], dense_rank=position, dense=hit.score)
                    if side == "dense"
                    else replace(candidates[hit.id], sparse_rank=position, sparse=hit.score)
                )
        ranked = rank(query, list(candidates.values()), settings, context, limit)
        return query, ranked, found

    async def _corrected(self, query: Query, places: Sequence[Place]) -> Query:
        """A name that nothing is called, joined by the defined names that it may be a typing
        error for (same first letter, nearly the same length)."""
        if query.kind != "symbol" or not query.symbols or len(query.symbols[0].name) < LEAST_FUZZY:
            return query
        name = query.symbols[0].name.lower()
        near: set[str] = set()
        for place in places:
            exists, parameters = _exists(place, "s")
            rows = await self.state.read(
                f"""SELECT DISTINCT s.name, s.name_lower FROM symbols s
                    WHERE s.name_lower >= ? AND s.name_lower < ?
                    AND length(s.name_lower) BETWEEN ? AND ? AND {exists}""",
                (name[0], chr(ord(name[0]) + 1), len(name) - 2, len(name) + 2, *parameters),
            )
            lower = {str(row[1]): str(row[0]) for row in rows}
            if name in lower:
                return query
            near.update(lower[n] for n in difflib.get_close_matches(name, lower, 3, FUZZY_CUTOFF))
        guesses = tuple(SymbolName(guess, weight=GUESS_WEIGHT) for guess in sorted(near))
        return replace(query, symbols=query.symbols + guesses)

    # --- candidates -----------------------------------------------------------------------

    async def _candidates(
        self,
        place: Place,
        dense: np.ndarray | None,
        sparse: Sparse,
        conditions: Conditions,
        query: Query,
        candidates: dict[str, Candidate],
        found: dict[str, Found],
        sides: Sides,
    ) -> None:
        unsaved = {overlay.path: overlay for overlay in self.overlays(place.checkout_id)}
        matcher = globs.matcher(conditions.paths, place.prefix)
        where, paths = await self._filter(place, conditions, matcher)
        if paths is not None and not paths and not unsaved:
            return
        valid: dict[str, dict[str, Any]] = {}
        for pool, wanted, condition in _pools(query, conditions, where):
            hits, rows = await self._hits(
                place,
                dense,
                sparse,
                wanted,
                condition,
                lambda path: path not in unsaved and matcher(path),
            )
            valid |= rows
            for side, kept in hits.items():
                sides.setdefault((side, pool), []).extend(kept)
                for hit in kept:
                    candidates[hit.id] = candidate_of(valid[hit.id], place)
                    found[hit.id] = Found(valid[hit.id], place)
        for row in await self._named(place, query):
            if (
                row["point_id"] not in candidates
                and row["path"] not in unsaved
                and matcher(row["path"])
                and _meets(row, conditions)
            ):
                candidates[row["point_id"]] = candidate_of(row, place)
                found[row["point_id"]] = Found(row, place)
        for overlay in unsaved.values():
            if matcher(overlay.path):
                self._unsaved(place, overlay, dense, sparse, conditions, candidates, found, sides)

    async def _hits(
        self,
        place: Place,
        dense: np.ndarray | None,
        sparse: Sparse,
        wanted: int,
        where: Filter | None,
        fits: Callable[[str], bool],
    ) -> tuple[dict[Side, list[Hit]], dict[str, dict[str, Any]]]:
        """The best `wanted` hits of each side that exist in the place, and their rows."""
        limit = wanted
        while True:
            hits: dict[Side, list[Hit]] = await self.on_store(
                self._nearest, place.space, dense, sparse, limit, where
            )
            rows = await self._join(place, list({hit.id for side in hits.values() for hit in side}))
            valid = {row["point_id"]: row for row in rows if fits(row["path"])}
            short = any(
                len(side) == limit and sum(hit.id in valid for hit in side) < wanted
                for side in hits.values()
            )
            if not short or limit >= DEEPEST:
                break
            limit *= DEEPENING
        kept = {
            side: [hit for hit in found if hit.id in valid][:wanted] for side, found in hits.items()
        }
        return kept, valid

    def _nearest(
        self,
        space: Space,
        dense: np.ndarray | None,
        sparse: Sparse,
        limit: int,
        where: Filter | None,
    ) -> dict[Side, list[Hit]]:
        """Both sides in one visit to the store's thread."""
        return {
            "dense": [] if dense is None else self.vectors.dense(space, dense, limit, where),
            "sparse": self.vectors.sparse(space, sparse, limit, where) if sparse.indices else [],
        }

    async def _filter(
        self, place: Place, conditions: Conditions, matcher: Callable[[str], bool]
    ) -> tuple[Filter | None, list[str] | None]:
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
        return (Filter(must=must) if must else None), paths

    async def _join(self, place: Place, ids: Sequence[str]) -> list[dict[str, Any]]:
        """Rows of points that exist in the place, one a point."""
        if not ids:
            return []
        exists, parameters = _exists(place)
        rows: list[sqlite3.Row] = []
        for start in range(0, len(ids), 500):
            part = ids[start : start + 500]
            rows += await self.state.read(
                f"""{_SELECT} WHERE c.point_id IN ({",".join("?" * len(part))}) AND {exists}""",
                (*part, *parameters),
            )
        return _dicts(rows)

    async def _named(self, place: Place, query: Query) -> list[dict[str, Any]]:
        """Chunks that hold the definition of a name in the query, or the line it points to."""
        exists, parameters = _exists(place)
        rows: list[sqlite3.Row] = []
        names = {symbol.name.lower() for symbol in query.symbols}
        exact = sorted({symbol.name for symbol in query.symbols})
        if names:
            rows += await self.state.read(
                f"""{_SELECT} JOIN symbols s ON s.doc_id = c.doc_id
                    AND s.line BETWEEN c.start_line AND c.end_line
                    WHERE s.name_lower IN ({",".join("?" * len(names))}) AND {exists}
                    ORDER BY s.name NOT IN ({",".join("?" * len(exact))}),
                        d.file_type != 'code', length(d.path), d.path, c.ordinal
                    LIMIT {NAME_CANDIDATES}""",
                (*sorted(names), *parameters, *exact),
            )
        if query.path:
            stem = query.path.replace("\\", "/").rsplit("/", 1)[-1]
            rows += await self.state.read(
                f"""{_SELECT} WHERE (d.path = ? OR d.path LIKE ? ESCAPE '!') AND {exists}
                    AND (? = 0 OR ? BETWEEN c.start_line AND c.end_line)
                    ORDER BY length(d.path), c.ordinal LIMIT {NAME_CANDIDATES}""",
                (stem, "%/" + _like(stem), *parameters, query.line, query.line),
            )
        return _dicts(rows)

    def _unsaved(
        self,
        place: Place,
        overlay: Overlay,
        dense: np.ndarray | None,
        sparse: Sparse,
        conditions: Conditions,
        candidates: dict[str, Candidate],
        found: dict[str, Found],
        sides: Sides,
    ) -> None:
        """Chunks of an unsaved buffer compete by the same similarities."""
        weights = dict(zip(sparse.indices, sparse.values, strict=True))
        for chunk in overlay.chunks:
            row = {
                "point_id": chunk.candidate.id,
                "path": overlay.path,
                "language": chunk.language,
                "file_type": chunk.candidate.file_type,
                "kind": chunk.candidate.kind,
                "kinds": json.dumps(chunk.kinds),
                "symbol_name": chunk.candidate.symbol_name,
                "parent_symbol": chunk.candidate.parent_symbol,
                "start_line": chunk.candidate.start_line,
                "end_line": chunk.candidate.end_line,
                "signature": chunk.signature,
                "docstring": chunk.docstring,
                "text": chunk.text,
            }
            if not _meets(row, conditions):
                continue
            pool: Pool = "main" if chunk.candidate.file_type == "code" else "other"
            point_id = chunk.candidate.id
            candidates[point_id] = replace(chunk.candidate, root=place.root)
            found[point_id] = Found(row, place, overlay)
            if dense is not None:
                sides.setdefault(("dense", pool), []).append(
                    Hit(point_id, float(chunk.dense @ dense))
                )
            score = sum(weights[token] * w for token, w in chunk.sparse.items() if token in weights)
            if score:
                sides.setdefault(("sparse", pool), []).append(Hit(point_id, score * OVERLAY_IDF))

    # --- results --------------------------------------------------------------------------

    async def results(
        self,
        query: Query,
        ranked: Sequence[Ranked],
        found: Mapping[str, Found],
        *,
        kinds: Sequence[str] = (),
        explain: bool = False,
        token_budget: int | None = None,
        threshold: float = 0.0,
    ) -> list[SearchResult]:
        """Results with snippets and confidence, those below the threshold left out.

        With `kinds`, a chunk found for a symbol in it becomes that symbol.
        """
        texts = await self._texts([found[each.candidate.id].row for each in ranked])
        defined = await self._defined([found[e.candidate.id] for e in ranked], kinds)
        made: list[tuple[SearchResult, str]] = []
        for position, each in enumerate(ranked):
            behind = found[each.candidate.id]
            text = texts[position]
            sure = confidence(evidence_of(query, ranked, position, text))
            if sure < threshold:
                continue
            if needs_narrowing(each.candidate, kinds):
                symbols: Sequence[Defined] = defined.get(behind.row.get("doc_id"), ())
                if behind.overlay is not None:
                    symbols = behind.overlay.symbols
                smaller, row, text = narrow(each.candidate, behind.row, text, symbols, kinds, query)
                each, behind = replace(each, candidate=smaller), replace(behind, row=row)
            made.append((_result(each, behind, sure, explain), text))
        budgets = allot([text for _, text in made], token_budget)
        for (result, text), budget in zip(made, budgets, strict=True):
            cut = snippet(text, query, budget)
            result.snippet, result.truncated = cut.text, cut.truncated
        return [result for result, _ in made]

    async def nearest(
        self, vector: Embedded, place: Place, *, limit: int, without: tuple[str, int, int]
    ) -> list[SearchResult]:
        """Chunks nearest to a vector, apart from those that overlap a range of a file."""
        dense = np.frombuffer(vector.dense, dtype=np.float16).astype(np.float32)
        own, start, end = without
        hits = await self.on_store(self.vectors.dense, place.space, dense, limit + CANDIDATES, None)
        rows = {row["point_id"]: row for row in await self._join(place, [h.id for h in hits])}
        ranked: list[Ranked] = []
        found: dict[str, Found] = {}
        for hit in hits:
            row = rows.get(hit.id)
            if row is None or (
                row["path"] == own and row["start_line"] <= end and row["end_line"] >= start
            ):
                continue
            candidate = replace(candidate_of(row, place), dense=hit.score, dense_rank=1)
            found[hit.id] = Found(row, place)
            ranked.append(Ranked(candidate, hit.score, ()))
            if len(ranked) == limit:
                break
        results = await self.results(understand(""), ranked, found)
        for result, each in zip(results, ranked, strict=True):
            result.confidence = round(max(0.0, each.score), 3)
        return results

    async def _defined(
        self, found: Sequence[Found], kinds: Sequence[str]
    ) -> dict[Any, list[Symbol]]:
        """Symbols of some kinds in the documents of results, by document."""
        documents = list({each.row["doc_id"] for each in found if "doc_id" in each.row})
        if not kinds or not documents:
            return {}
        rows = await self.state.read(
            "SELECT doc_id, name, kind, container, start_line, end_line, line, column, end_column,"
            f" signature FROM symbols WHERE doc_id IN ({','.join('?' * len(documents))})"
            f" AND kind IN ({','.join('?' * len(kinds))}) ORDER BY start_line",
            (*documents, *kinds),
        )
        defined: dict[Any, list[Symbol]] = {}
        for doc_id, *fields in rows:
            defined.setdefault(doc_id, []).append(Symbol(*fields))
        return defined

    async def _texts(self, rows: Sequence[Mapping[str, Any]]) -> list[str]:
        hashes = list({row["text_hash"] for row in rows if "text" not in row})
        stored: dict[bytes, str] = {}
        if hashes:
            stored = {
                bytes(row[0]): str(row[1])
                for row in await self.state.read(
                    "SELECT text_hash, text FROM texts WHERE text_hash IN"
                    f" ({','.join('?' * len(hashes))})",
                    hashes,
                )
            }
        return [
            str(row["text"]) if "text" in row else stored.get(bytes(row["text_hash"]), "")
            for row in rows
        ]


OVERLAY_IDF = 4.0
"""Typical IDF of a telling term: makes an unsaved chunk's BM25 comparable with stored ones."""

_SELECT = """SELECT c.*, d.path, d.language, d.file_type, d.is_reexport
             FROM chunks c JOIN documents d ON d.doc_id = c.doc_id"""


Side = Literal["dense", "sparse"]
Pool = Literal["main", "other"]
Sides = dict[tuple[Side, Pool], list[Hit]]


def _pools(
    query: Query, conditions: Conditions, where: Filter | None
) -> list[tuple[Pool, int, Filter | None]]:
    """What is searched apart: code and the rest, unless the caller says what is wanted."""
    if conditions.types or query.wants & {"tests", "docs", "config"}:
        return [("main", CANDIDATES, where)]
    base = where or Filter()
    return [
        ("main", CANDIDATES, replace(base, must={**base.must, "file_type": ("code",)})),
        ("other", OTHERS, replace(base, must_not={**base.must_not, "file_type": ("code",)})),
    ]


def _positions(sides: Sides, side: Side) -> list[tuple[Hit, int]]:
    """Hits with their ranks: code among code, the rest among everything."""
    # The same chunk may be in the spaces of two models while one replaces the other.
    main = _best(sides.get((side, "main"), []))[:CANDIDATES]
    other = _best(sides.get((side, "other"), []))[:OTHERS]
    placed = [(hit, position) for position, hit in enumerate(main, 1)]
    for position, hit in enumerate(other, 1):
        above = sum(better.score > hit.score for better in main)
        placed.append((hit, position + above))
    return placed


def _best(hits: Sequence[Hit]) -> list[Hit]:
    best: dict[str, Hit] = {}
    for hit in sorted(hits, key=lambda hit: (-hit.score, hit.id)):
        best.setdefault(hit.id, hit)
    return list(best.values())


def _exists(place: Place, table: str = "c") -> tuple[str, tuple[str, ...]]:
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


def _dicts(rows: Sequence[sqlite3.Row]) -> list[dict[str, Any]]:
    """Rows as dicts; `dict(row)` looks every name up again, which took a third of a query."""
    if not rows:
        return []
    names = rows[0].keys()
    return [dict(zip(names, row, strict=True)) for row in rows]


def _like(text: str) -> str:
    return text.replace("!", "!!").replace("%", "!%").replace("_", "!_")


def candidate_of(row: Mapping[str, Any], place: Place) -> Candidate:
    """A row as ranking sees it."""
    return Candidate(
        id=row["point_id"],
        path=row["path"],
        start_line=row["start_line"],
        end_line=row["end_line"],
        kind=row["kind"],
        file_type=row["file_type"],
        symbol_name=row["symbol_name"],
        symbol_kind=row["symbol_kind"],
        parent_symbol=row["parent_symbol"],
        symbols=json.loads(row["symbols"]) if row["symbols"] != "[]" else (),
        is_fragment=bool(row["is_fragment"]),
        is_reexport=bool(row["is_reexport"]),
        root=place.root,
    )


def evidence_of(query: Query, ranked: Sequence[Ranked], position: int, text: str) -> Evidence:
    """What `confidence` reads of one of the ranked results, whose chunk has this text."""
    each, top = ranked[position], ranked[0].score
    candidate = each.candidate
    facts = path_facts(candidate.path)
    said_by_path = facts.stem_words | facts.folder_words
    said = coverage(query.words, frozenset(tokenize(text)) | said_by_path)
    margin = 0.0
    if position == 0 and top > 0:
        others = (r.score for r in ranked[1:] if r.candidate.path != candidate.path)
        margin = 1.0 - max(next(others, 0.0), 0.0) / top
    return Evidence(
        position=position,
        margin=margin,
        similarity=_similarity(ranked, candidate, said),
        coverage=said,
        both=bool(candidate.dense_rank and candidate.sparse_rank),
        defines=each.defines,
    )


TYPICAL_SIMILARITY = 0.5
"""Cosine of a question and a chunk that says all its words, where it was not computed."""


def _similarity(ranked: Sequence[Ranked], candidate: Candidate, said: float) -> float:
    """The cosine; guessed where nothing was searched by meaning (keyword mode)."""
    if candidate.dense is None and all(each.candidate.dense is None for each in ranked):
        return TYPICAL_SIMILARITY * said
    return candidate.dense or 0.0


def _result(each: Ranked, behind: Found, sure: float, explain: bool) -> SearchResult:
    candidate, row, place = each.candidate, behind.row, behind.place
    branch = place.other_branch if place.other_branch not in (None, "*") else place.branch
    return SearchResult(
        path=candidate.path,
        start_line=candidate.start_line,
        end_line=candidate.end_line,
        language=row["language"] or None,
        kind=candidate.kind,
        symbol=candidate.symbol_name or None,
        score=round(each.score, 6),
        confidence=round(sure, 3),
        scores=Scores(dense=_rounded(candidate.dense), sparse=_rounded(candidate.sparse)),
        snippet="",
        project=place.project,
        branch=branch,
        id=candidate.id,
        root=place.root,
        file_type=candidate.file_type,
        container=candidate.parent_symbol or None,
        signature=row["signature"] or None,
        unsaved_version=behind.overlay.version if behind.overlay else None,
        explain=[
            ScorePart(name=p.name, operation=p.operation, value=p.value, score=p.score)
            for p in each.parts
        ]
        if explain
        else None,
    )


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 4)
