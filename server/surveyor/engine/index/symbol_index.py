"""Definitions by name, and by the chunks that are named after them, per checkout."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from surveyor.engine.index.commit import CommittedBatch
from surveyor.engine.index.symbol_names import SymbolNames
from surveyor.engine.index.unsaved_buffers import EditorBuffers, symbol_item
from surveyor.engine.projects.checkouts import Checkout
from surveyor.protocol.search import SearchResult, SymbolItem
from surveyor.search.symbols import match
from surveyor.store.state import State, symbols
from surveyor.store.state.symbols import ScoredSymbol, SymbolRow
from surveyor.symbol_names import name_readings

ENOUGH = 0.45
"""Worse matches than this are not worth showing when there are better ones."""

ELSEWHERE = 10
"""How many times as many names are looked at when only those of one folder count."""

MOST_OF_A_FILE = 1000
"""Definitions of a file that are answered at least, where they are asked for."""


class SymbolIndex:
    """Finds definitions; unsaved buffers are read as they are now."""

    def __init__(self, state: State, editor_buffers: EditorBuffers) -> None:
        self._state = state
        self._editor_buffers = editor_buffers
        self._names = SymbolNames(state)

    async def committed(self, batch: CommittedBatch) -> None:
        """Files have changed."""
        await self._names.committed(batch)

    async def prepare(self, checkout: Checkout) -> None:
        """Read the names before somebody waits for them."""
        await self._names.of(checkout.checkout_id)

    async def find(
        self,
        checkout: Checkout,
        query: str,
        kinds: list[str],
        path: str | None,
        limit: int,
        below: str = "",
    ) -> list[SymbolItem]:
        """Symbols whose names match, best first; all of a file when only `path` is given.

        `below` a folder that ends with a slash.
        """
        found: list[SymbolItem] = []
        for container, name in _qualified(query):
            found = await self._found(checkout, container, name, kinds, path, limit, below)
            if found:
                break
        return found

    async def _found(
        self,
        checkout: Checkout,
        container: str,
        name: str,
        kinds: list[str],
        path: str | None,
        limit: int,
        below: str,
    ) -> list[SymbolItem]:
        if path is not None:
            most = max(limit, MOST_OF_A_FILE)
            rows = await symbols.symbols_of_file(self._state, checkout.checkout_id, path, most)
            scored = [
                ScoredSymbol(score, row)
                for row in rows
                if (score := match(name, row.symbol.name) if name else 1.0)
            ]
        elif not name:
            return []
        else:
            names = max(limit, 50) * (ELSEWHERE if below else 1)
            scores = await self._matching(checkout, name, kinds, names)
            # In a container is what is left of these; else the first are all that is wanted.
            most = max(limit * 20, 1000) if container else limit
            scored = await self._named(checkout, scores, kinds, below, most)
        unsaved = {overlay.path for overlay in self._editor_buffers.of(checkout.checkout_id)}
        items = [
            _item(each.row, each.score, checkout)
            for each in scored
            if each.row.path not in unsaved
            and (not kinds or each.row.symbol.kind in kinds)
            and _in_container(container, each.row.symbol.container, each.row.path)
        ]
        items += [
            item
            for item in self._editor_buffers.symbols(checkout, name, kinds, path, match)
            if item.path.startswith(below) and _in_container(container, item.container, item.path)
        ]
        if name:
            items.sort(key=lambda s: (-s.score, len(s.name), s.kind == "section", s.path, s.line))
        else:
            items.sort(key=lambda s: (s.start_line, -s.end_line))
        return items[:limit]

    async def of_results(
        self, checkout: Checkout, results: Sequence[SearchResult]
    ) -> list[SymbolItem | None]:
        """The definition that each result is named after, in one look; `None` where none is."""
        if not results:
            return []
        unsaved = {overlay.path for overlay in self._editor_buffers.of(checkout.checkout_id)}
        rows = symbols.glance_symbols(
            self._state,
            checkout.checkout_id,
            [result.path for result in results],
            [str(result.symbol) for result in results],
        )
        items = [_item(row, 1.0, checkout) for row in rows if row.path not in unsaved]
        for path in {result.path for result in results} & unsaved:
            items += self._editor_buffers.symbols(checkout, "", [], path, match)

        def of(result: SearchResult) -> SymbolItem | None:
            same = [i for i in items if (i.path, i.name) == (result.path, result.symbol)]
            inside = (i for i in same if result.start_line <= i.line <= result.end_line)
            # A later piece of something long has its name further up.
            around = (i for i in same if i.start_line <= result.start_line <= i.end_line)
            # A long comment is a piece of its own, above what it is about.
            below = (i for i in same if i.line > result.end_line)
            return next(inside, None) or next(around, None) or next(below, None)

        return [of(result) for result in results]

    async def _named(
        self,
        checkout: Checkout,
        scores: dict[str, float],
        kinds: Sequence[str],
        below: str,
        limit: int,
    ) -> list[ScoredSymbol]:
        """Symbols with these very names, in the order in which they are answered."""
        if not scores:
            return []
        return await symbols.symbols_named(
            self._state,
            checkout.checkout_id,
            scores,
            kinds=kinds,
            without=[overlay.path for overlay in self._editor_buffers.of(checkout.checkout_id)],
            below=below,
            limit=limit,
        )

    async def _matching(
        self, checkout: Checkout, query: str, kinds: list[str], most: int
    ) -> dict[str, float]:
        """The `most` best names and how well they match."""
        if kinds:
            names = await symbols.names_of_kinds(self._state, checkout.checkout_id, kinds)
            scored = [(score, name) for name in names if (score := match(query, name))]
            scored.sort(key=lambda pair: (-pair[0], len(pair[1]), pair[1]))
        else:
            table = await self._names.of(checkout.checkout_id)
            sought = table.find_spelled(query, most, ENOUGH)
            if sought.loosely:
                # Beside the loop: for what nothing is called, many are compared letter by letter.
                await asyncio.to_thread(table.find_similar, sought)
            scored = sought.best()
        best = scored[0][0] if scored else 0.0
        return {name: score for score, name in scored[:most] if score >= ENOUGH or best < ENOUGH}


def _qualified(query: str) -> list[tuple[str, str]]:
    """What a query may mean, as the container's name and its own."""
    return [("".join(parts[-2:-1]), parts[-1]) for parts in name_readings(query)] or [("", "")]


def _in_container(wanted: str, container: str, path: str) -> bool:
    if not wanted:
        return True
    last = wanted.lower()
    stem = path.rsplit("/", 1)[-1].split(".", 1)[0].lower()
    return last in container.lower().split(".") or last == stem


def _item(row: SymbolRow, score: float, checkout: Checkout) -> SymbolItem:
    return symbol_item(row.symbol, checkout, row.path, row.language, score)
