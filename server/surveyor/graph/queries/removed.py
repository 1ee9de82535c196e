"""What a diff takes away, and who still names it: the places that it breaks."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from surveyor.graph.extract.scopes import qualified
from surveyor.graph.facts import KIND_NAMES, decode_facts, decode_references, name_hash
from surveyor.graph.queries.diff import FileDiff, read_old
from surveyor.graph.queries.items import language_of_path
from surveyor.graph.queries.lookup import StoredGraph
from surveyor.graph.resolve.certainty import CERTAIN, is_common
from surveyor.parsing.types import Symbol
from surveyor.protocol.graph import GraphItem, ImpactItem
from surveyor.store.state.graph.documents import defined_names, mentions
from surveyor.store.state.projects import Checkout

__all__ = ["RemovedDefinition", "SymbolsIn", "UseOfRemoved", "removed_by", "still_used"]

SymbolsIn = Callable[[Checkout, str, bytes], Awaitable[Sequence[Symbol]]]
"""The definitions of a file of a checkout, given by its path and what is in it; none where it
cannot be read."""

MAX_REMOVED = 200
"""Removed definitions that are looked for."""
MAX_USES = 100
"""Places shown for each."""
BREAKS = 2.0
"""Rank of a place that uses what is gone: before what merely uses what changed."""


@dataclass(frozen=True, slots=True)
class RemovedDefinition:
    """A definition that was in a file and is not any more."""

    path: str
    symbol: Symbol

    @property
    def key(self) -> str:
        """`path::name`, as edges name their ends."""
        return f"{self.path}::{qualified(self.symbol)}"

    def item(self) -> GraphItem:
        """As a subject of an answer; lines are those before."""
        return GraphItem(
            path=self.path,
            line=self.symbol.line,
            column=self.symbol.column,
            end_column=self.symbol.end_column,
            kind="removed",
            symbol=qualified(self.symbol),
            symbol_kind=self.symbol.kind,
            start_line=self.symbol.start_line,
            end_line=self.symbol.end_line,
            language=language_of_path(self.path),
        )


async def removed_by(
    symbols_in: SymbolsIn, checkout: Checkout, stored: StoredGraph, diff: Sequence[FileDiff]
) -> list[RemovedDefinition]:
    """Definitions whose lines a diff removes and whose names are not in the file any more."""
    found: list[RemovedDefinition] = []
    for file in diff:
        old_lines = [(h.old_first, h.old_last) for h in file.hunks if h.old_last >= h.old_first]
        if not old_lines:
            continue
        data = await read_old(Path(checkout.root), file)
        if not data:
            continue
        symbols = await symbols_in(checkout, file.old_path, data)
        if not symbols:
            continue
        kept = await defined_names(stored.state, stored.checkout_id, file.path)
        found += [
            RemovedDefinition(file.path, symbol)
            for symbol in symbols
            if (symbol.container, symbol.name) not in kept
            and any(first <= symbol.line <= last for first, last in old_lines)
        ]
    return found[:MAX_REMOVED]


class UseOfRemoved(NamedTuple):
    """A place that names something removed."""

    item: ImpactItem
    column: int
    qualifier: str
    """What it is said to be a member of, as the graph prints it."""


async def still_used(
    stored: StoredGraph, removed: Sequence[RemovedDefinition]
) -> list[UseOfRemoved]:
    """Places that name something removed and do not mean anything else that is known."""
    items: list[UseOfRemoved] = []
    for gone in removed:
        if is_common(gone.symbol.name) and gone.symbol.container:
            continue
        found = await _uses(stored, gone)
        items += found[:MAX_USES]
    return items


async def _uses(stored: StoredGraph, gone: RemovedDefinition) -> list[UseOfRemoved]:
    name = gone.symbol.name
    language = language_of_path(gone.path)
    rows = await mentions(stored.state, stored.checkout_id, name_hash(name))
    items: list[UseOfRemoved] = []
    for row in rows:
        if language_of_path(row.path) != language:
            continue
        # What an operator runs is known by its receiver only, and a removed one has none.
        uses = [
            use
            for use in decode_references(row.references)
            if use[0] == name and KIND_NAMES[use[1]] != "implicit"
        ]
        if not uses:
            continue
        edges = await stored.of_files([row.file_id])
        known = {(e.line, e.column) for e in edges if e.score >= CERTAIN}
        around = decode_facts(row.facts).names
        for _, kind, line, column, _, qualifier, enclosing in uses:
            if (line, column) in known:
                continue
            owner = around[enclosing] if 0 <= enclosing < len(around) else None
            key = f"{row.path}::{owner.qualname}" if owner else row.path
            item = ImpactItem(
                path=row.path,
                line=line,
                name=owner.qualname if owner else "",
                kind=owner.kind if owner else "file",
                start_line=owner.start_line if owner else 1,
                end_line=owner.end_line if owner else 1,
                depth=1,
                source=key,
                target=gone.key,
                edge=KIND_NAMES[kind],
                is_test=bool(row.is_test),
                score=BREAKS,
                precision="text",
                language=language,
            )
            items.append(UseOfRemoved(item, column, qualifier))
    return items
