"""Names of definitions, per checkout, ready to be matched loosely."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING

from surveyor.engine.overlays import symbol_item
from surveyor.indexing.types import Symbol
from surveyor.models import SymbolItem
from surveyor.search.symbols import match

if TYPE_CHECKING:
    from surveyor.engine.overlays import Overlays
    from surveyor.engine.projects import Checkout
    from surveyor.store.state import State

KEPT_CHECKOUTS = 4
"""Name lists kept in memory: about 100 bytes for each distinct name."""

ENOUGH = 0.45
"""Worse matches than this are not worth showing when there are better ones."""


class SymbolIndex:
    """Distinct names of a checkout's symbols, remembered for one revision."""

    def __init__(self, state: State, overlays: Overlays) -> None:
        self._state = state
        self._overlays = overlays
        self._names: dict[str, tuple[int, list[str]]] = {}

    async def find(
        self, checkout: Checkout, query: str, kinds: list[str], path: str | None, limit: int
    ) -> list[SymbolItem]:
        """Symbols whose names match, best first; all of a file when only `path` is given."""
        container, _, name = _qualified(query)
        unsaved = {o.path: o for o in self._overlays.of(checkout.checkout_id)}
        rows: list[tuple[float, sqlite3.Row]] = []
        if not name:
            if path is None:
                return []
            found = await self._rows(checkout, "d.path = ?", (path,), limit)
            rows = [(1.0, row) for row in found]
        else:
            scores = await self._matching(checkout, name, kinds, limit)
            wanted = list(scores)
            for start in range(0, len(wanted), 400):
                part = wanted[start : start + 400]
                where = f"s.name IN ({','.join('?' * len(part))})"
                found = await self._rows(checkout, where, tuple(part), limit * 20)
                rows += [(scores[str(row["name"])], row) for row in found]
        items = [
            _item(row, score, checkout)
            for score, row in rows
            if row["path"] not in unsaved
            and (path is None or row["path"] == path)
            and (not kinds or row["kind"] in kinds)
            and _in_container(container, str(row["container"]), str(row["path"]))
        ]
        items += self._overlays.symbols(checkout, name, kinds, path, match)
        if name:
            items.sort(key=lambda s: (-s.score, len(s.name), s.path, s.line))
        else:
            items.sort(key=lambda s: (s.start_line, -s.end_line))
        return items[:limit]

    async def _rows(
        self, checkout: Checkout, where: str, parameters: tuple[object, ...], limit: int
    ) -> list[sqlite3.Row]:
        return await self._state.read(
            f"""SELECT s.*, d.path, d.language FROM symbols s JOIN documents d USING (doc_id)
                JOIN files f USING (doc_id) WHERE f.checkout_id = ? AND {where}
                ORDER BY s.start_line LIMIT ?""",
            (checkout.checkout_id, *parameters, max(limit, 1000)),
        )

    async def _matching(
        self, checkout: Checkout, query: str, kinds: list[str], limit: int
    ) -> dict[str, float]:
        """The best names and how well they match."""
        names = await (self._of_kinds(checkout, kinds) if kinds else self._all(checkout))
        scored = [(score, name) for name in names if (score := match(query, name))]
        scored.sort(key=lambda pair: (-pair[0], len(pair[1]), pair[1]))
        best = scored[0][0] if scored else 0.0
        return {
            name: score
            for score, name in scored[: max(limit, 50)]
            if score >= ENOUGH or best < ENOUGH
        }

    async def _of_kinds(self, checkout: Checkout, kinds: list[str]) -> list[str]:
        rows = await self._state.read(
            f"""SELECT DISTINCT s.name FROM symbols s JOIN files f USING (doc_id)
                WHERE f.checkout_id = ? AND s.kind IN ({",".join("?" * len(kinds))})""",
            (checkout.checkout_id, *kinds),
        )
        return [str(row[0]) for row in rows]

    async def _all(self, checkout: Checkout) -> list[str]:
        revision = await self._state.value(
            "SELECT revision FROM checkouts WHERE checkout_id = ?", (checkout.checkout_id,)
        )
        kept = self._names.get(checkout.checkout_id)
        if kept is not None and kept[0] == revision:
            return kept[1]
        rows = await self._state.read(
            """SELECT DISTINCT s.name FROM symbols s JOIN files f USING (doc_id)
               WHERE f.checkout_id = ?""",
            (checkout.checkout_id,),
        )
        names = [str(row[0]) for row in rows]
        self._names.pop(checkout.checkout_id, None)
        self._names[checkout.checkout_id] = (int(revision or 0), names)
        while len(self._names) > KEPT_CHECKOUTS:
            self._names.pop(next(iter(self._names)))
        return names


def _qualified(query: str) -> tuple[str, str, str]:
    """`Class.method`, `module::fn` and `ns/name` as container and name."""
    text = query.replace("::", ".").replace("#", ".").strip(". ()")
    return text.rpartition(".")


def _in_container(wanted: str, container: str, path: str) -> bool:
    if not wanted:
        return True
    last = wanted.rpartition(".")[2].lower()
    stem = path.rsplit("/", 1)[-1].split(".", 1)[0].lower()
    return last in container.lower().split(".") or last == stem


def _item(row: sqlite3.Row, score: float, checkout: Checkout) -> SymbolItem:
    symbol = Symbol(**{name: row[name] for name in Symbol.__slots__})
    return symbol_item(symbol, checkout, row["path"], row["language"], score)
