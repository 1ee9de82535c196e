"""Answering queries: from the corpora that are asked for, put together."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Mapping, Sequence

import msgspec

from surveyor.engine.operations import Caller, operation
from surveyor.engine.operations.code_search import CodeSearch
from surveyor.engine.operations.engine_callables import CorpusFinder, FreshnessOf, worst_freshness
from surveyor.engine.operations.filters import check_kinds, check_types
from surveyor.engine.operations.pattern_search import Tell
from surveyor.engine.operations.search_scope import Scope, ScopeFinder
from surveyor.engine.operations.text_search import TextSearch
from surveyor.engine.projects.checkouts import Checkout
from surveyor.errors import NotFoundError, Quoting, UsageError
from surveyor.protocol.base import Freshness
from surveyor.protocol.enumerations import CHUNK_KINDS, SYMBOL_KINDS, TEXT_MODES
from surveyor.protocol.search import (
    SEARCH_PROGRESS,
    SearchProgress,
    SearchRequest,
    SearchResponse,
    SearchResult,
)
from surveyor.search.confidence import LOW
from surveyor.search.lacking import LackingPoints
from surveyor.search.query import understand
from surveyor.store.state import State
from surveyor.store.state.files import kept_branches
from surveyor.units import counted

LEAST_BESIDE_OTHERS = 0.35
"""Confidence that knowledge needs among results of other corpora: a rule that has nothing to do
with a query is always the best of the rules. Measured on rules, pages and commits: what matches
has .44 and more, what does not .34 and less."""
TAGGED = ("rules", "libraries", "notes")
"""What carries tags; code and commits do not, so nothing of them has the one that is asked for."""
NOTHING_MATCHES = (
    "Nothing here matches this well (confidence below {}); what follows is the nearest."
)
SHOW_ALL = "A least confidence of 0 shows them."
RRF_K = 60
"""Reciprocal rank fusion over corpora (Cormack et al. 2009)."""


class SearchOperations:
    """Answering queries."""

    def __init__(
        self,
        state: State,
        scopes: ScopeFinder,
        freshness: FreshnessOf,
        wait_fresh: Callable[[Sequence[Checkout], float], Awaitable[None]],
        code: CodeSearch,
        text: TextSearch,
        corpora: Mapping[str, CorpusFinder],
    ) -> None:
        self._state = state
        self._scopes = scopes
        self._freshness = freshness
        self._wait_fresh = wait_fresh
        self._code = code
        self._text = text
        self._corpora = corpora

    @operation(SearchRequest)
    async def search(self, request: SearchRequest, caller: Caller) -> SearchResponse:
        """Ranked results from the corpora asked for."""
        started = time.perf_counter()
        _check(request)
        scope = await self._scopes.of(request)
        checkouts = scope.checkouts
        if "code" in request.corpora and request.branch not in (None, "*"):
            await self._check_branch(request.branch, checkouts)
        if request.wait_until_fresh_ms:
            await self._wait_fresh(checkouts, request.wait_until_fresh_ms / 1000)
        if request.mode in TEXT_MODES:
            answer = await self._text.find(request, scope, _teller(request, caller))
            return await self._completed(answer, scope, started)
        lists: list[list[SearchResult]] = []
        withheld = 0
        unsaid: list[str] = []
        lacking: Sequence[LackingPoints] = ()
        corpora = [each for each in request.corpora if not request.tags or each in TAGGED]
        if "code" in corpora:
            shown = await self._code.find(request, scope)
            lists.append(shown.results)
            withheld, lacking = shown.withheld, shown.lacking
        for corpus in corpora:
            finder = self._corpora.get(corpus)
            if finder is not None:
                found, lacks = await finder(request, checkouts)
                unsaid += [lacks] if lacks and lacks not in unsaid else []
                if len(corpora) > 1 and request.mode != "keyword":
                    found = [one for one in found if one.confidence >= LEAST_BESIDE_OTHERS]
                lists.append(found)
        results = lists[0] if len(lists) == 1 else _fuse(lists, request.limit)
        fresh = await worst_freshness(checkouts, self._freshness)
        if "code" in corpora and self._code.problem and fresh.status == "healthy":
            fresh.status, fresh.reason, fresh.message = "degraded", "reranker", self._code.problem
        # More may be there by now than when it was asked; it is said once all the same.
        unsaid += [each.said for each in lacking if each.why not in (fresh.message or "")]
        if unsaid and fresh.status == "healthy":
            fresh.status, fresh.reason, fresh.message = "stale", "rebuilding", " ".join(unsaid)
            unsaid = []
        notice = " ".join(filter(None, [_notice(request, results, fresh, scope), *unsaid]))
        return SearchResponse(
            results=results,
            took_ms=round((time.perf_counter() - started) * 1000, 2),
            omitted=withheld,
            omitted_hint=SHOW_ALL if withheld else None,
            notice=notice or None,
            branch=checkouts[0].branch if len(checkouts) == 1 else None,
            **fresh.freshness(),
        )

    async def _completed(
        self, answer: SearchResponse, scope: Scope, started: float
    ) -> SearchResponse:
        """An answer of exact text, with where it was searched and how fresh that is."""
        fresh = await worst_freshness(scope.checkouts, self._freshness)
        said = [f"In {scope.prefix}:"] if scope.prefix else []
        said += [answer.notice] if answer.notice else []
        said += [_not_indexed(scope)] if scope.unknown else []
        return msgspec.structs.replace(
            answer,
            took_ms=round((time.perf_counter() - started) * 1000, 2),
            notice=" ".join(said),
            branch=scope.checkouts[0].branch if len(scope.checkouts) == 1 else None,
            **fresh.freshness(),
        )

    async def _check_branch(self, branch: str, checkouts: Sequence[Checkout]) -> None:
        """Raise `NotFoundError` for a branch that nothing is kept of."""
        known = await kept_branches(self._state, [each.project_id for each in checkouts])
        known |= {each.branch for each in checkouts if each.branch}
        if checkouts and branch not in known:
            raise NotFoundError(
                f"nothing is indexed of a branch {branch!r}",
                Quoting(
                    f"One of: {', '.join(sorted(known)) or 'none'}. A branch is indexed once it is"
                    " checked out, and kept when another is."
                ),
            )


def _teller(request: SearchRequest, caller: Caller) -> Tell:
    async def tell(done: int, total: int) -> None:
        if caller.report is not None:
            await caller.report(done, total, f"read {done} of {counted(total, 'file')}")
        elif caller.session is not None and request.token:
            said = SearchProgress(token=request.token, done=done, total=total)
            await caller.session.notify(SEARCH_PROGRESS, said)

    return tell


def _check(request: SearchRequest) -> None:
    if request.limit < 1:
        raise UsageError("limit must be at least 1")
    if request.mode not in TEXT_MODES and (
        request.offset or request.context_lines or request.ignore_case or request.rewrite
    ):
        raise UsageError(
            "offset, context_lines, ignore_case and rewrite belong to"
            f" {', '.join(f'mode={each}' for each in TEXT_MODES)}",
            "What is ranked has no further pages: raise the limit.",
        )
    check_types(request.types)
    check_kinds(request.kinds, (*SYMBOL_KINDS, *CHUNK_KINDS))


def _fuse(lists: list[list[SearchResult]], limit: int) -> list[SearchResult]:
    """Reciprocal rank fusion, the first corpus first among equals."""
    scored = [
        (1.0 / (RRF_K + position), order, result)
        for order, results in enumerate(lists)
        for position, result in enumerate(results, 1)
    ]
    scored.sort(key=lambda entry: (-entry[0], entry[1]))
    return [result for _, _, result in scored[:limit]]


def _notice(
    request: SearchRequest, results: Sequence[SearchResult], fresh: Freshness, scope: Scope
) -> str | None:
    said = [_said(request, results, fresh, scope.prefix)]
    if scope.unknown:
        said.append(_not_indexed(scope))
    return " ".join(filter(None, said)) or None


def _not_indexed(scope: Scope) -> str:
    return f"Not searched, for it is not indexed: {', '.join(scope.unknown)}."


def _said(
    request: SearchRequest, results: Sequence[SearchResult], fresh: Freshness, prefix: str
) -> str | None:
    if not results and understand(request.query).kind == "empty":
        return "The query has no words: type some to search for."
    if request.tags and not set(request.corpora) & set(TAGGED):
        return f"Code and commits carry no tags: search in {', '.join(TAGGED)}."
    if not results:
        where = f" in {prefix}" if prefix else ""
        if fresh.status != "healthy":
            return None
        return f"Nothing found{where}. {fresh.message or ''}".rstrip()
    if all(each.confidence < LOW and each.source == "code" for each in results):
        return NOTHING_MATCHES.format(LOW)
    return f"Searched in {prefix}" if prefix else None
