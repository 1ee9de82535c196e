"""Reading what is not code: rules, pieces of documents and commits, by id, name or metadata."""

from __future__ import annotations

import time
from typing import Any

from surveyor.engine.operations import Caller, operation
from surveyor.engine.operations.engine_callables import FreshnessOf, ResolveCheckout
from surveyor.engine.projects.checkouts import Checkout
from surveyor.errors import NotFoundError, UsageError
from surveyor.protocol.passages import PassageRequest, PassagesRequest
from surveyor.protocol.search import RetrieveResponse, Scores, SearchResponse, SearchResult
from surveyor.search.query import understand
from surveyor.search.snippets import allot, snippet
from surveyor.store.state import State, passages
from surveyor.store.state.passages import DocumentPassage
from surveyor.units import counted


class PassageOperations:
    """Reading what is not code: rules, pieces of documents and commits."""

    def __init__(
        self,
        state: State,
        resolve: ResolveCheckout,
        freshness: FreshnessOf,
    ) -> None:
        self._state = state
        self._resolve = resolve
        self._freshness = freshness

    @operation(PassagesRequest)
    async def list_passages(self, request: PassagesRequest, _: Caller) -> SearchResponse:
        """Rules first, then documents; a page at a time. Raises `UsageError` without any filter."""
        started = time.perf_counter()
        if not (request.tags or request.labels or request.libraries):
            raise UsageError("nothing to look for", "Give tags, labels or libraries.")
        checkout = await self._resolve(request.cwd, request.project)
        found = [] if request.libraries else await self._rules(request, checkout)
        found += [] if request.labels else await self._document_passages(request, checkout)
        page = found[request.offset : request.offset + request.limit]
        budgets = allot([each.snippet for each in page], request.token_budget)
        for each, budget in zip(page, budgets, strict=True):
            cut = snippet(each.snippet, understand(""), budget)
            each.snippet, each.truncated = cut.text, cut.truncated
        left = max(0, len(found) - request.offset - len(page))
        fresh = await self._freshness(checkout)
        return SearchResponse(
            results=page,
            took_ms=round((time.perf_counter() - started) * 1000, 2),
            omitted=left,
            omitted_hint=f"offset={request.offset + len(page)}" if left else None,
            **fresh.freshness(),
        )

    async def _rules(self, request: PassagesRequest, checkout: Checkout) -> list[SearchResult]:
        wanted = set(request.tags)
        return [
            SearchResult(
                path=f"rules/{'project' if rule.project_id else 'global'}/{rule.label}",
                start_line=1,
                end_line=rule.content.count("\n") + 1,
                kind="rule",
                snippet=rule.content,
                project=checkout.name if rule.project_id else "",
                id=rule.rule_id,
                source="rules",
                file_type="note",
                title=f"{rule.label}: {rule.title}" if rule.title else rule.label,
                **_unranked(),
            )
            for rule in await passages.rules_of(self._state, checkout.project_id)
            if (not wanted or wanted & set(rule.tags))
            and (not request.labels or rule.label in request.labels)
        ]

    async def _document_passages(
        self, request: PassagesRequest, checkout: Checkout
    ) -> list[SearchResult]:
        found = await passages.pieces_of(self._state, checkout.project_id, request.libraries)
        wanted = set(request.tags)
        return [_passage_result(each) for each in found if not wanted or wanted & set(each.topics)]

    # --- one of them ------------------------------------------------------------------------

    @operation(PassageRequest)
    async def passage(self, request: PassageRequest, _: Caller) -> RetrieveResponse:
        """One text. Raises `NotFoundError`."""
        if request.id is not None:
            return await self._by_id(request.id)
        if request.path is None:
            raise UsageError("neither id nor path given", "Give one of them.")
        checkout = await self._resolve(request.cwd, request.project)
        found_passages = await passages.document_called(
            self._state, checkout.project_id, request.path
        )
        if not found_passages:
            raise NotFoundError(f"no document is called {request.path}", "Search in=libraries.")
        lines = [line for each in found_passages for line in each.text.splitlines()]
        if request.start_line > len(lines):
            raise UsageError(f"{request.path} has {counted(len(lines), 'line')}", "Ask for fewer.")
        last = min(request.end_line or len(lines), len(lines))
        return RetrieveResponse(
            path=request.path,
            root="",
            start_line=request.start_line,
            end_line=last,
            total_lines=len(lines),
            text="\n".join(lines[request.start_line - 1 : last]),
        )

    async def _by_id(self, key: str) -> RetrieveResponse:
        found = await passages.passage_with(self._state, key)
        if found is None:
            raise NotFoundError(
                f"nothing has the id {key}",
                "It may have changed since: search again, or give a path.",
            )
        return RetrieveResponse(
            path=found.path,
            root="",
            start_line=found.start_line,
            end_line=found.start_line + max(0, len(found.lines) - 1),
            total_lines=len(found.lines),
            text="\n".join(found.lines),
        )


def _passage_result(passage: DocumentPassage) -> SearchResult:
    return SearchResult(
        path=passage.place,
        start_line=passage.start_line or 1,
        end_line=passage.end_line or passage.start_line or 1,
        kind="note" if passage.is_note else "document",
        snippet=passage.text,
        project=passage.library,
        id=passage.point_id,
        source="notes" if passage.is_note else "libraries",
        file_type="note" if passage.is_note else "doc",
        container=" > ".join(passage.headings) or None,
        title=passage.title,
        **_unranked(),
    )


def _unranked() -> dict[str, Any]:
    return {
        "language": None,
        "symbol": None,
        "score": 0.0,
        "confidence": 1.0,
        "scores": Scores(),
        "branch": None,
    }
