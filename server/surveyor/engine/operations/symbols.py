"""Definitions by name, and beside them by what a query means."""

from __future__ import annotations

import re
import time

from surveyor.engine.index.symbol_index import SymbolIndex
from surveyor.engine.operations import Caller, operation
from surveyor.engine.operations.engine_callables import (
    AllCheckouts,
    FreshnessOf,
    ResolveCheckout,
    Search,
    worst_freshness,
)
from surveyor.engine.operations.filters import check_kinds
from surveyor.engine.operations.search_scope import ScopeFinder
from surveyor.engine.operations.texts import relative
from surveyor.engine.projects.checkouts import Checkout
from surveyor.errors import SurveyorError
from surveyor.protocol.enumerations import SYMBOL_KINDS
from surveyor.protocol.search import (
    SearchRequest,
    SearchResult,
    SymbolItem,
    SymbolsRequest,
    SymbolsResponse,
    WorkspaceSymbolsRequest,
    WorkspaceSymbolsResponse,
)

MEANING_AT_LEAST = 0.1
"""Confidence below which a result by meaning is not shown beside names."""

IDENTIFIER = re.compile(r"\S*(?:[_.:#$0-9]|[a-z][A-Z])\S*")
"""What is asked for by name alone: where no name resembles it, nothing is what was asked for."""

GUESSES = 3
"""Results by meaning that are shown however unsure they are, where no name matches what several
words say. One word may as well be a name that nobody has."""


class SymbolOperations:
    """Definitions by name, and beside them by what a query means."""

    def __init__(
        self,
        resolve: ResolveCheckout,
        freshness: FreshnessOf,
        checkouts: AllCheckouts,
        symbol_index: SymbolIndex,
        scopes: ScopeFinder,
        search: Search,
    ) -> None:
        self._resolve = resolve
        self._freshness = freshness
        self._checkouts = checkouts
        self._symbol_index = symbol_index
        self._scopes = scopes
        self._search = search

    @operation(SymbolsRequest)
    async def symbols(self, request: SymbolsRequest, _: Caller) -> SymbolsResponse:
        """Definitions by name, best match first; a file's outline when only a path is given."""
        started = time.perf_counter()
        check_kinds(request.kinds, SYMBOL_KINDS)
        if request.scope == "current":
            checkouts = [await self._resolve(request.cwd, request.project)]
        else:
            checkouts = await self._checkouts()
        items: list[SymbolItem] = []
        for checkout in checkouts:
            path = relative(checkout, request.path) if request.path is not None else None
            items += await self._symbol_index.find(
                checkout, request.query.strip(), request.kinds, path, request.limit
            )
        if request.query.strip():
            items.sort(key=lambda s: (-s.score, len(s.name), s.kind == "section", s.path, s.line))
        fresh = await worst_freshness(checkouts, self._freshness)
        return SymbolsResponse(
            results=items[: request.limit],
            took_ms=round((time.perf_counter() - started) * 1000, 2),
            **fresh.freshness(),
        )

    @operation(WorkspaceSymbolsRequest)
    async def workspace_symbols(
        self, request: WorkspaceSymbolsRequest, call: Caller
    ) -> WorkspaceSymbolsResponse:
        """Names that match, then what is meant, at the places of definitions; each once."""
        started = time.perf_counter()
        query = request.query.strip()
        scope = await self._scopes.of(
            SearchRequest(query=query, cwd=request.cwd, project=request.project)
        )
        (checkout,) = scope.checkouts
        names = await self._symbol_index.find(
            checkout, query, [], None, request.limit, scope.prefix
        )
        meant: list[SymbolItem] = []
        named = IDENTIFIER.fullmatch(query) is not None and not names
        if len(query) > 1 and not named and (request.both or len(names) < request.limit):
            meant = await self._meant(checkout, request, names, call)
        fresh = await self._freshness(checkout)
        return WorkspaceSymbolsResponse(
            names=names,
            meant=meant,
            took_ms=round((time.perf_counter() - started) * 1000, 2),
            **fresh.freshness(),
        )

    async def _meant(
        self,
        checkout: Checkout,
        request: WorkspaceSymbolsRequest,
        names: list[SymbolItem],
        call: Caller,
    ) -> list[SymbolItem]:
        """Definitions that a query means, but those that are named already."""
        wanted = SearchRequest(
            query=request.query,
            cwd=request.cwd,
            project=request.project,
            limit=request.meant_limit,
            score_threshold=0.0,
            types=["code", "test"],
        )
        try:
            found = [each for each in (await self._search(wanted, call)).results if each.symbol]
        except SurveyorError:
            return []  # names are there all the same
        sure = [each for each in found if each.confidence >= MEANING_AT_LEAST]
        if not sure and not names and len(request.query.split()) > 1:
            sure = found[:GUESSES]
        new = [
            each
            for each in sure
            if not any(
                item.name == each.symbol
                and item.path == each.path
                and each.start_line <= item.line <= each.end_line
                for item in names
            )
        ]
        places = await self._symbol_index.of_results(checkout, new)
        placed = [_placed(each, place) for each, place in zip(new, places, strict=True)]
        # Pieces of one definition are it, once.
        once: dict[tuple[str, str, int], SymbolItem] = {}
        for each in placed:
            once.setdefault(_key(each), each)
        return [each for key, each in once.items() if key not in set(map(_key, names))]


def _key(item: SymbolItem) -> tuple[str, str, int]:
    return item.path, item.name, item.line


def _placed(result: SearchResult, place: SymbolItem | None) -> SymbolItem:
    """A result at its definition, or at its first line where that is not known."""
    sure = result.confidence
    if place is not None:
        place.score = sure
        return place
    return SymbolItem(
        name=str(result.symbol),
        kind=result.kind,
        container=result.container or "",
        path=result.path,
        start_line=result.start_line,
        end_line=result.end_line,
        line=result.start_line,
        column=0,
        end_column=0,
        language=result.language,
        signature=result.signature,
        score=sure,
        project=result.project,
        root=result.root,
        unsaved_version=result.unsaved_version,
    )
