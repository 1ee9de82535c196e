"""Chunks by what is stored of them, a page at a time."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

from surveyor.engine.operations import Caller, operation
from surveyor.engine.operations.engine_callables import FreshnessOf, ResolveCheckout
from surveyor.engine.operations.filters import check_kinds, check_types, languages_meant
from surveyor.engine.operations.search_scope import place_in
from surveyor.errors import UsageError
from surveyor.files.globs import PatternError, check_all, rules_spec
from surveyor.protocol.enumerations import CHUNK_KINDS, SYMBOL_KINDS
from surveyor.protocol.passages import ChunksRequest
from surveyor.protocol.search import Scores, SearchResponse, SearchResult
from surveyor.search.query import understand
from surveyor.search.snippets import allot, snippet
from surveyor.store.state import State
from surveyor.store.state.chunk_rows import FoundChunks, branches_elsewhere, chunks_in
from surveyor.store.vectors.contract import Space


class ChunkOperations:
    """Chunks by what is stored of them."""

    def __init__(
        self,
        state: State,
        resolve: ResolveCheckout,
        freshness: FreshnessOf,
        space: Callable[[str], Space],
    ) -> None:
        self._state = state
        self._resolve = resolve
        self._freshness = freshness
        self._space = space

    @operation(ChunksRequest)
    async def chunks(self, request: ChunksRequest, _: Caller) -> SearchResponse:
        """Chunks that match all filters, by path and line, a page at a time."""
        started = time.perf_counter()
        check_types(request.types)
        check_kinds(request.kinds, (*SYMBOL_KINDS, *CHUNK_KINDS))
        checkout = await self._resolve(request.cwd, request.project)
        place = place_in(checkout, self._space(checkout.project_id), request.branch)
        other = place.other_branch
        found = await chunks_in(
            self._state,
            place,
            languages=languages_meant(request.languages),
            types=request.types,
            kinds=request.kinds,
        )
        if request.paths:
            found = await asyncio.to_thread(_among, found, request.paths)
        page = found.page(request.offset, request.limit)
        elsewhere: dict[int, str] = {}
        if other == "*":
            documents = [chunk.doc_id for chunk in page]
            elsewhere = await branches_elsewhere(self._state, checkout.checkout_id, documents)
            other = None
        budgets = allot([chunk.text for chunk in page], request.token_budget)
        results = []
        for chunk, budget in zip(page, budgets, strict=True):
            cut = snippet(chunk.text, understand(""), budget)
            results.append(
                SearchResult(
                    path=chunk.path,
                    start_line=chunk.start_line,
                    end_line=chunk.end_line,
                    language=chunk.language,
                    kind=chunk.kind,
                    symbol=chunk.symbol,
                    score=0.0,
                    confidence=1.0,
                    scores=Scores(),
                    snippet=cut.text,
                    truncated=cut.truncated,
                    project=checkout.name,
                    branch=elsewhere.get(chunk.doc_id, other or checkout.branch),
                    id=chunk.point_id,
                    root=checkout.root,
                    file_type=chunk.file_type,
                    container=chunk.container,
                    signature=chunk.signature,
                )
            )
        fresh = await self._freshness(checkout)
        left = max(0, len(found) - request.offset - len(page))
        return SearchResponse(
            results=results,
            took_ms=round((time.perf_counter() - started) * 1000, 2),
            omitted=left,
            omitted_hint=f"offset={request.offset + len(page)}" if left else None,
            branch=checkout.branch,
            **fresh.freshness(),
        )


def _among(found: FoundChunks, patterns: list[str]) -> FoundChunks:
    """Chunks of files whose paths gitignore's patterns match. Raises `UsageError`."""
    try:
        check_all(patterns)
        chosen = rules_spec(patterns)
    except PatternError as error:
        raise UsageError(f"a path pattern cannot be read: {error}", "Use `*`, `**`, `?`.") from None
    return found.of_paths(chosen.match_file)
