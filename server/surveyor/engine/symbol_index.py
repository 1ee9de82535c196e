"""Names of definitions, per checkout, ready to be matched loosely."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Sequence, Sized
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from surveyor.engine.overlays import symbol_item
from surveyor.indexing.types import Symbol
from surveyor.models import ChunkName, SymbolItem
from surveyor.search.nametable import NameTable
from surveyor.search.symbols import match

if TYPE_CHECKING:
    from surveyor.engine.overlays import Overlays
    from surveyor.engine.projects import Checkout
    from surveyor.indexing.commit import Committed
    from surveyor.store.state import State

KEPT_CHECKOUTS = 4
"""Name tables kept in memory: about 350 bytes for each distinct name."""

MOST_CHANGED = 300
"""With more changed files than this all names are read anew."""

ENOUGH = 0.45
"""Worse matches than this are not worth showing when there are better ones."""


@dataclass(slots=True)
class Kept:
    """The names of a checkout as of a revision, and files that were committed since."""

    revision: int
    table: NameTable
    changed: set[str] = field(default_factory=set)


class SymbolIndex:
    """Distinct names of a checkout's symbols, kept and extended while it is edited.

    Names that have gone stay in the table: no definition is found for them any more.
    """

    def __init__(self, state: State, overlays: Overlays) -> None:
        self._state = state
        self._overlays = overlays
        self._kept: dict[str, Kept] = {}
        self._reading: dict[str, asyncio.Lock] = {}

    async def committed(self, batch: Committed) -> None:
        """Files have changed: their names are read before the next search."""
        kept = self._kept.get(batch.checkout_id)
        if kept is not None:
            kept.changed.update(batch.changed)

    async def find(
        self, checkout: Checkout, query: str, kinds: list[str], path: str | None, limit: int
    ) -> list[SymbolItem]:
        """Symbols whose names match, best first; all of a file when only `path` is given."""
        container, _, name = _qualified(query)
        unsaved = {o.path: o for o in self._overlays.of(checkout.checkout_id)}
        rows: list[tuple[float, sqlite3.Row]] = []
        if path is not None:
            found = await self._of_files(checkout, "f.path = ?", (path,), limit)
            scored = ((match(name, str(row["name"])) if name else 1.0, row) for row in found)
            rows = [(score, row) for score, row in scored if score]
        elif not name:
            return []
        else:
            scores = await self._matching(checkout, name, kinds, limit)
            wanted = list(scores)
            for start in range(0, len(wanted), 400):
                part = wanted[start : start + 400]
                found = await self._named(checkout, part, limit * 20)
                rows += [(scores[str(row["name"])], row) for row in found]
        items = [
            _item(row, score, checkout)
            for score, row in rows
            if row["path"] not in unsaved
            and (not kinds or row["kind"] in kinds)
            and _in_container(container, str(row["container"]), str(row["path"]))
        ]
        items += self._overlays.symbols(checkout, name, kinds, path, match)
        if name:
            items.sort(key=lambda s: (-s.score, len(s.name), s.kind == "section", s.path, s.line))
        else:
            items.sort(key=lambda s: (s.start_line, -s.end_line))
        return items[:limit]

    async def of_chunks(
        self, checkout: Checkout, chunks: Sequence[ChunkName]
    ) -> list[SymbolItem | None]:
        """The definition that each chunk is named after, in one look; `None` where there is none.

        Unsaved buffers are read as they are now.
        """
        if not chunks:
            return []
        unsaved = {o.path: o for o in self._overlays.of(checkout.checkout_id)}
        paths, names = ({getattr(chunk, key) for chunk in chunks} for key in ("path", "symbol"))
        rows = await self._of_files(
            checkout,
            f"f.path IN ({marks(paths)}) AND s.name IN ({marks(names)})",
            (*paths, *names),
            0,
        )
        items = [_item(row, 1.0, checkout) for row in rows if row["path"] not in unsaved]
        for path in paths & unsaved.keys():
            items += self._overlays.symbols(checkout, "", [], path, match)

        def of(chunk: ChunkName) -> SymbolItem | None:
            same = [i for i in items if (i.path, i.name) == (chunk.path, chunk.symbol)]
            inside = (i for i in same if chunk.start_line <= i.line <= chunk.end_line)
            # A later piece of something long has its name further up.
            around = (i for i in same if i.start_line <= chunk.start_line <= i.end_line)
            return next(inside, None) or next(around, None)

        return [of(chunk) for chunk in chunks]

    async def _of_files(
        self, checkout: Checkout, where: str, parameters: tuple[object, ...], limit: int
    ) -> list[sqlite3.Row]:
        """Symbols of some files, from the top of each."""
        return await self._state.read(
            f"""SELECT s.*, d.path, d.language FROM files f JOIN documents d USING (doc_id)
                JOIN symbols s USING (doc_id) WHERE f.checkout_id = ? AND {where}
                ORDER BY s.start_line LIMIT ?""",
            (checkout.checkout_id, *parameters, max(limit, 1000)),
        )

    async def _named(
        self, checkout: Checkout, names: Sequence[str], limit: int
    ) -> list[sqlite3.Row]:
        """Symbols with these very names.

        Found by name first (CROSS JOIN keeps that order): from the checkout's files, which is what
        SQLite would choose, it reads every symbol, 65 ms for 78,000.
        """
        return await self._state.read(
            f"""SELECT s.*, d.path, d.language FROM symbols s
                CROSS JOIN files f ON f.doc_id = s.doc_id AND f.checkout_id = ?
                JOIN documents d ON d.doc_id = s.doc_id
                WHERE s.name_lower IN ({marks(names)}) AND s.name IN ({marks(names)})
                ORDER BY s.start_line LIMIT ?""",
            (
                checkout.checkout_id,
                *(name.lower() for name in names),
                *names,
                max(limit, 1000),
            ),
        )

    async def _matching(
        self, checkout: Checkout, query: str, kinds: list[str], limit: int
    ) -> dict[str, float]:
        """The best names and how well they match."""
        if kinds:
            names = await self._of_kinds(checkout, kinds)
            scored = [(score, name) for name in names if (score := match(query, name))]
            scored.sort(key=lambda pair: (-pair[0], len(pair[1]), pair[1]))
        else:
            scored = (await self._all(checkout)).best(query, max(limit, 50), ENOUGH)
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

    async def _all(self, checkout: Checkout) -> NameTable:
        key = checkout.checkout_id
        async with self._reading.setdefault(key, asyncio.Lock()):
            rows = self._state.glance(
                "SELECT revision FROM checkouts WHERE checkout_id = ?", (key,)
            )
            revision = rows[0][0] if rows else None
            kept = self._kept.get(key)
            if kept is not None and kept.changed and len(kept.changed) <= MOST_CHANGED:
                changed, kept.changed = sorted(kept.changed), set()
                marks = ",".join("?" * len(changed))
                kept.table.add(await self._names(key, f"AND f.path IN ({marks})", changed))
                kept.revision = int(revision or 0)
            elif kept is None or kept.changed or kept.revision != revision:
                names = await self._names(key, "", [])
                # Beside the loop: 150 ms for 25,000 names.
                table = await asyncio.to_thread(NameTable, names)
                kept = Kept(int(revision or 0), table)
            self._kept.pop(key, None)
            self._kept[key] = kept  # the last one used is the last to go
            while len(self._kept) > KEPT_CHECKOUTS:
                self._kept.pop(next(iter(self._kept)))
            return kept.table

    async def _names(self, checkout_id: str, more: str, values: list[str]) -> list[str]:
        rows = await self._state.read(
            f"""SELECT DISTINCT s.name FROM symbols s JOIN files f USING (doc_id)
                WHERE f.checkout_id = ? {more}""",
            (checkout_id, *values),
        )
        return [str(row[0]) for row in rows]


def marks(values: Sized) -> str:
    """SQL parameter marks for that many values."""
    return ",".join("?" * len(values))


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
    symbol = Symbol(**{name: row[name] for name in Symbol.__struct_fields__})
    return symbol_item(symbol, checkout, row["path"], row["language"], score)
