"""Code that does what some other code does."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

from surveyor.clones.jobs import CodeRange
from surveyor.embedding.embedded import dense_of, sparse_of
from surveyor.engine.clone_finder import CALLABLE, TYPES, Clone, CloneFinder, ComparedCode, RunJobs
from surveyor.engine.index.unsaved_buffers import EditorBuffers
from surveyor.engine.operations import Caller, operation
from surveyor.engine.operations.engine_callables import FreshnessOf, ResolveCheckout
from surveyor.engine.operations.filters import check_kinds, check_types, languages_meant
from surveyor.engine.operations.search_scope import place_in
from surveyor.engine.operations.texts import IndexedTexts, relative
from surveyor.engine.projects.checkouts import Checkout
from surveyor.errors import NotFoundError, UsageError
from surveyor.parsing.languages import find_language, language_of
from surveyor.protocol.enumerations import SYMBOL_KINDS
from surveyor.protocol.search import Scores, SearchResponse, SearchResult, SimilarRequest
from surveyor.search.globs import below
from surveyor.search.pipeline import Searcher
from surveyor.search.query import understand
from surveyor.search.scope import Conditions, SearchTarget
from surveyor.search.snippets import allot, snippet
from surveyor.store.state import State
from surveyor.store.state.symbols import symbols_of_file
from surveyor.store.vectors.contract import Space
from surveyor.worker.messages import TextJob

SURE = 0.5
"""Certainty below which nothing is said to do the same."""
LEAST = 0.02
"""Certainty of what has nothing in common but its language."""
NEAREST = 3
"""Of these shown where there is nothing else."""
MAX_SYMBOLS = 20_000
NEIGHBOURS = 12
"""Chunks by whose languages that of a text is told."""


class SimilarOperations:
    """Code that does what some other code does."""

    def __init__(
        self,
        state: State,
        resolve: ResolveCheckout,
        freshness: FreshnessOf,
        texts: IndexedTexts,
        buffers: EditorBuffers,
        searcher: Searcher,
        clones: CloneFinder,
        space: Callable[[str], Space],
        run: RunJobs,
    ) -> None:
        self._state = state
        self._resolve = resolve
        self._freshness = freshness
        self._texts = texts
        self._buffers = buffers
        self._searcher = searcher
        self._clones = clones
        self._space = space
        self._run = run

    @operation(SimilarRequest)
    async def similar(self, request: SimilarRequest, _: Caller) -> SearchResponse:
        """Definitions that do the same, the surest first, without what is asked about.

        What no grammar reads (prose, configuration) is compared by its vector alone.
        """
        started = time.perf_counter()
        check_kinds(request.kinds, SYMBOL_KINDS)
        check_types(request.types)
        checkout = await self._resolve(request.cwd, request.project)
        place = place_in(checkout, self._space(checkout.project_id))
        conditions = Conditions(
            languages=languages_meant(request.languages),
            paths=below(request.paths, [checkout.root], ""),
            types=tuple(request.types),
            kinds=tuple(request.kinds),
        )
        own = relative(checkout, request.path) if request.path is not None else None
        sought = await self._sought(request, checkout, own, place)
        notice = None
        (taken,) = await self._clones.fingerprints([sought])
        if taken.tokens:
            clones = await self._clones.find(
                sought, place, conditions, own=_own(request, sought, own), fingerprint=taken
            )
            least = max(LEAST, request.score_threshold)
            kept = [each for each in clones if each.likeness.certainty >= least]
            if not kept and not request.score_threshold:
                kept = clones[:NEAREST]
            results = [_result(each, place) for each in kept[: request.limit]]
            _cut(results, request.token_budget)
            if results and results[0].confidence < SURE:
                notice = "Nothing surely does the same: these are the nearest."
        else:
            results = await self._nearest(request, sought, own, place, conditions)
        fresh = await self._freshness(checkout)
        return SearchResponse(
            results=results,
            took_ms=round((time.perf_counter() - started) * 1000, 2),
            branch=checkout.branch,
            notice=notice,
            **fresh.freshness(),
        )

    async def _sought(
        self, request: SimilarRequest, checkout: Checkout, own: str | None, place: SearchTarget
    ) -> ComparedCode:
        """What is compared. Raises `UsageError` where nothing is named."""
        if request.text is not None:
            if not request.text.strip():
                raise UsageError("the text that is to be compared is empty", "Give some code.")
            data = request.text.encode("utf-8", "surrogatepass")
            path = own or await self._path_of_text(request, place)
            last = data.count(b"\n") + 1
            return ComparedCode(path, data, CodeRange(1, last), is_part=True)
        if own is None:
            raise UsageError("neither text nor path given", "Give one of them.")
        text, _ = await self._texts.read(checkout, own)
        data = text.encode("utf-8", "surrogatepass")
        if request.end_line is None:
            return await self._definition(checkout, own, data, request.start_line)
        within = CodeRange(request.start_line, max(request.start_line, request.end_line))
        for name, kind, first, last in await self._symbols(checkout, own):
            if (first, last) == (within.start_line, within.end_line):
                return ComparedCode(own, data, CodeRange(first, last, name), is_type=kind in TYPES)
        return ComparedCode(own, data, within)

    async def _definition(
        self, checkout: Checkout, path: str, data: bytes, line: int
    ) -> ComparedCode:
        """The innermost definition around a line."""
        around = [
            (last - first, name, kind, first, last)
            for name, kind, first, last in await self._symbols(checkout, path)
            if kind in (*CALLABLE, *TYPES) and first <= line <= last
        ]
        if not around:
            last = len(data.splitlines())
            if line > last:
                raise NotFoundError(
                    f"{path} ends with line {last}, before line {line}", "Give a line of it."
                )
            raise NotFoundError(
                f"no definition at {path}:{line}",
                f"Give a range: {path}:{line}-{min(line + 5, last)}.",
            )
        _, name, kind, first, last = min(around)
        return ComparedCode(path, data, CodeRange(first, last, name), is_type=kind in TYPES)

    async def _symbols(self, checkout: Checkout, path: str) -> list[tuple[str, str, int, int]]:
        """Name, kind, first and last line of a file's definitions, as an editor has them."""
        for overlay in self._buffers.of(checkout.checkout_id):
            if overlay.path == path:
                return [(s.name, s.kind, s.start_line, s.end_line) for s in overlay.symbols]
        rows = await symbols_of_file(self._state, checkout.checkout_id, path, MAX_SYMBOLS)
        stored = [row.symbol for row in rows]
        return [(s.name, s.kind, s.start_line, s.end_line) for s in stored]

    async def _path_of_text(self, request: SimilarRequest, place: SearchTarget) -> str:
        """A path by which a text's language is known: the one that it is asked for in, or that of
        most of what stands nearest to it."""
        if len(request.languages) == 1:
            language = find_language(request.languages[0])
            if language is not None and language.extensions:
                return f"text{language.extensions[0]}"
        (outcome,) = await self._run([TextJob([""], [request.text or ""])])
        vectors = [(dense_of(each), sparse_of(each)) for each in outcome.vectors]
        rows = await self._searcher.near(place, vectors, Conditions())
        near = [each.row.path for each in rows if each.row.file_type in ("code", "test")]
        suffixes = Counter(
            Path(path).suffix
            for path in near[:NEIGHBOURS]
            if (language := language_of(path)) is not None and language.grammar is not None
        )
        return f"text{suffixes.most_common(1)[0][0]}" if suffixes else "text"

    async def _nearest(
        self,
        request: SimilarRequest,
        sought: ComparedCode,
        own: str | None,
        place: SearchTarget,
        conditions: Conditions,
    ) -> list[SearchResult]:
        (outcome,) = await self._run([TextJob(titles=[""], texts=[sought.text])])
        if outcome.status != "embedded":
            raise UsageError(f"the text cannot be compared: {outcome.detail}")
        results = await self._searcher.nearest(
            dense_of(outcome.vectors[0]),
            place,
            conditions,
            limit=request.limit,
            without=_own(request, sought, own) or ("", 0, 0),
        )
        return [each for each in results if each.confidence >= request.score_threshold]


def _own(
    request: SimilarRequest, sought: ComparedCode, path: str | None
) -> tuple[str, int, int] | None:
    """Where the code stands that others are compared with: path, first and last line."""
    if path is None:
        return None
    if sought.is_part:
        return path, request.start_line, request.end_line or request.start_line
    return path, sought.within.start_line, sought.within.end_line


def _result(clone: Clone, place: SearchTarget) -> SearchResult:
    row, definition = clone.row, clone.definition
    certainty = round(clone.likeness.certainty, 3)
    return SearchResult(
        path=row.path,
        start_line=definition.start_line,
        end_line=definition.end_line,
        language=row.language or None,
        kind=definition.kind,
        symbol=definition.name,
        score=certainty,
        confidence=certainty,
        scores=Scores(dense=None, sparse=None),
        snippet=clone.text,
        project=place.project,
        branch=place.branch,
        id=row.point_id,
        root=place.root,
        file_type=row.file_type,
        container=definition.container or None,
        signature=definition.signature or None,
        unsaved_version=clone.overlay.version if clone.overlay else None,
        reasons=list(clone.likeness.reasons),
        line=definition.line,
    )


def _cut(results: Sequence[SearchResult], budget: int | None) -> None:
    """Shorten snippets to a budget of tokens."""
    budgets = allot([each.snippet for each in results], budget)
    for result, tokens in zip(results, budgets, strict=True):
        cut = snippet(result.snippet, understand(""), tokens, result.line - result.start_line)
        result.snippet, result.truncated = cut.text, cut.truncated
