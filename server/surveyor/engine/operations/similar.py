"""Code like some other code."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable

from surveyor.embedding.embedded import dense_of
from surveyor.engine.operations import Caller, operation
from surveyor.engine.operations.engine_callables import FreshnessOf, ResolveCheckout
from surveyor.engine.operations.search_scope import place_in
from surveyor.engine.operations.texts import IndexedTexts, relative
from surveyor.errors import UsageError
from surveyor.protocol.search import SearchResponse, SimilarRequest
from surveyor.search.pipeline import Searcher
from surveyor.store.vectors.contract import Space
from surveyor.worker.messages import Outcome, TextJob


class SimilarOperations:
    """Code like some other code."""

    def __init__(
        self,
        resolve: ResolveCheckout,
        freshness: FreshnessOf,
        texts: IndexedTexts,
        searcher: Searcher,
        space: Callable[[str], Space],
        run: Callable[[list[TextJob]], Awaitable[list[Outcome]]],
    ) -> None:
        self._resolve = resolve
        self._freshness = freshness
        self._texts = texts
        self._searcher = searcher
        self._space = space
        self._run = run

    @operation(SimilarRequest)
    async def similar(self, request: SimilarRequest, _: Caller) -> SearchResponse:
        """Code like a range of lines, nearest first, without the range itself."""
        started = time.perf_counter()
        checkout = await self._resolve(cwd=request.cwd)
        text = request.text
        own_path = relative(checkout, request.path) if request.path is not None else ""
        if text is None:
            if request.path is None:
                raise UsageError("neither text nor path given", "Give one of them.")
            lines = (await self._texts.read(checkout, own_path))[0].splitlines()
            text = "\n".join(lines[request.start_line - 1 : request.end_line])
        (outcome,) = await self._run([TextJob(titles=[""], texts=[text])])
        if outcome.status != "embedded":
            raise UsageError(f"the text cannot be compared: {outcome.detail}")
        results = await self._searcher.nearest(
            dense_of(outcome.vectors[0]),
            place_in(checkout, self._space(checkout.project_id)),
            limit=request.limit,
            without=(own_path, request.start_line, request.end_line),
        )
        fresh = await self._freshness(checkout)
        return SearchResponse(
            results=results,
            took_ms=round((time.perf_counter() - started) * 1000, 2),
            branch=checkout.branch,
            **fresh.freshness(),
        )
