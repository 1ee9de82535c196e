"""What a diff takes away, and who still names it: the places that it breaks."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from surveyor.graph.extract.scopes import qualified
from surveyor.graph.facts import KIND_NAMES, DefinedName, decode_facts, decode_references, name_hash
from surveyor.graph.queries.diff import FileDiff, Hunk, read_old_texts
from surveyor.graph.queries.items import language_of_path
from surveyor.graph.queries.lookup import Node, StoredGraph
from surveyor.graph.resolve.certainty import CERTAIN, is_common
from surveyor.parsing.types import Symbol
from surveyor.protocol.graph import GraphItem, ImpactItem
from surveyor.store.state.graph.documents import FileMention, defined_names, mentions
from surveyor.store.state.graph.lost_uses import LostUses, lost_uses
from surveyor.store.state.projects import Checkout

__all__ = [
    "MAX_REMOVED",
    "RemovedDefinition",
    "SymbolsIn",
    "UseOfRemoved",
    "moved_by",
    "removed_by",
    "still_used",
    "unsought",
]

SymbolsIn = Callable[[Checkout, str, bytes], Awaitable[Sequence[Symbol]]]
"""The definitions of a file of a checkout, given by its path and what is in it; none where it
cannot be read."""

_Lost = Mapping[tuple[str, str], Sequence[LostUses]]
"""Uses that were known, by path and qualified name of what is gone."""

_Row = tuple[str, int, int, int, int, str, int]
"""As `decode_references` gives them."""

FILES_AT_ONCE = 40
"""Whose text from before is being read at a time."""
MAX_REMOVED = 200
"""Removed definitions whose uses are looked for."""
MAX_USES = 100
"""Places shown for each."""
BREAKS = 2.0
"""Rank of a place that uses what is gone: before what merely uses what changed."""


@dataclass(frozen=True, slots=True)
class RemovedDefinition:
    """A definition that was in a file and is not any more."""

    path: str
    symbol: Symbol
    moved_to: str = ""
    """The file that it is in now, where that was renamed."""

    @property
    def key(self) -> str:
        """`path::name`, as edges name their ends."""
        return f"{self.path}::{qualified(self.symbol)}"

    @property
    def place(self) -> tuple[str, str]:
        """Path and qualified name."""
        return self.path, qualified(self.symbol)

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
    await read_old_texts(Path(checkout.root), diff)
    cut = [file for file in diff if file.old_text and any(map(_old_lines, file.hunks))]
    found: list[RemovedDefinition] = []
    for start in range(0, len(cut), FILES_AT_ONCE):
        part = cut[start : start + FILES_AT_ONCE]
        read = await asyncio.gather(
            *(symbols_in(checkout, file.old_path, file.old_text or b"") for file in part)
        )
        for file, symbols in zip(part, read, strict=True):
            if not symbols:
                continue
            kept = await defined_names(stored.state, stored.checkout_id, file.path)
            lines = [each for hunk in file.hunks if (each := _old_lines(hunk)) is not None]
            found += [
                RemovedDefinition(file.path, symbol)
                for symbol in symbols
                if (symbol.container, symbol.name) not in kept
                and any(first <= symbol.line <= last for first, last in lines)
            ]
    return found


async def moved_by(stored: StoredGraph, diff: Sequence[FileDiff]) -> list[RemovedDefinition]:
    """What stands at the top of renamed files, where it was: imports by the former path end."""
    return [
        RemovedDefinition(file.old_path, _symbol(node), moved_to=file.path)
        for file in diff
        if file.old_path and file.old_path != file.path and not (file.whole or file.deleted)
        for node in await stored.inside(file.path)
        if node.qualname and "." not in node.qualname
    ]


def _symbol(node: Node) -> Symbol:
    lines = (node.start_line, node.end_line, node.line)
    return Symbol(node.name, node.kind, "", *lines, node.column, node.end_column)


def _old_lines(hunk: Hunk) -> tuple[int, int] | None:
    """First and last of the lines that a hunk took away; None where it only adds."""
    return (hunk.old_first, hunk.old_last) if hunk.old_last >= hunk.old_first else None


class UseOfRemoved(NamedTuple):
    """A place that names something removed."""

    gone: RemovedDefinition
    item: ImpactItem
    column: int
    qualifier: str
    """What it is said to be a member of, as the graph prints it."""
    was_known: bool
    """Whether the graph had followed a use of what is gone to the definition around the place."""


async def still_used(
    stored: StoredGraph, removed: Sequence[RemovedDefinition]
) -> list[UseOfRemoved]:
    """Places that name something removed and do not mean anything else that is known.

    Of the first `MAX_REMOVED`; what stands at the top of a file before members, of which less is
    certain. Of a name that many types have, only where it was known to be meant.
    """
    paths = {gone.path for gone in removed}
    lost = await lost_uses(stored.state, stored.checkout_id, paths) if removed else {}
    sought = _sought(removed, lost)[:MAX_REMOVED]
    users = _Users(stored, frozenset(gone.symbol.name for gone in sought), lost)
    items: list[UseOfRemoved] = []
    for gone in sought:
        items += (await users.of(gone))[:MAX_USES]
    return items


def unsought(removed: Sequence[RemovedDefinition]) -> int:
    """Of how many the uses are not looked for, though they might be found."""
    return max(0, len(_sought(removed, {})) - MAX_REMOVED)


def _sought(removed: Sequence[RemovedDefinition], lost: _Lost) -> list[RemovedDefinition]:
    """Those whose names say what they mean, or whose uses were known, in the order in which they
    are looked for."""
    wanted = (each for each in removed if _is_telling(each) or each.place in lost)
    return sorted(wanted, key=lambda each: bool(each.symbol.container))


def _is_telling(gone: RemovedDefinition) -> bool:
    return not (gone.symbol.container and is_common(gone.symbol.name))


class _UsesOfFile(NamedTuple):
    """What one file says of the names that are sought."""

    by_name: Mapping[str, Sequence[_Row]]
    names: Sequence[DefinedName]
    """The definitions of the file."""


class _Users:
    """Reads who names what is gone: each file once, whatever many of the names it has."""

    def __init__(self, stored: StoredGraph, names: frozenset[str], lost: _Lost) -> None:
        self._stored = stored
        self._names = names
        self._lost = lost
        self._files: dict[int, _UsesOfFile] = {}
        self._known: dict[int, set[tuple[int, int]]] = {}
        """Lines and columns by file of what certainly means something that is there."""

    async def of(self, gone: RemovedDefinition) -> list[UseOfRemoved]:
        """Places that name it and mean nothing else that is known."""
        stored, name = self._stored, gone.symbol.name
        language = language_of_path(gone.path)
        lost = {(each.path, each.enclosing): each.uses for each in self._lost.get(gone.place, ())}
        users = {path for path, _ in lost}
        is_telling = _is_telling(gone)
        items: list[UseOfRemoved] = []
        for row in await mentions(stored.state, stored.checkout_id, name_hash(name)):
            if row.path not in users and (not is_telling or language_of_path(row.path) != language):
                continue
            file = self._read(row)
            uses = file.by_name.get(name, ())
            known = await self._certain(row.file_id) if uses else ()
            uses = [use for use in uses if (use[2], use[3]) not in known]
            around = [file.names[use[6]] if 0 <= use[6] < len(file.names) else None for use in uses]
            count = Counter(owner.qualname if owner else "" for owner in around)
            for (_, kind, line, column, _, qualifier, _), owner in zip(uses, around, strict=True):
                inside = owner.qualname if owner else ""
                # Of more places than there were, some mean something else.
                was_known = count[inside] <= lost.get((row.path, inside), 0)
                if not (is_telling or was_known):
                    continue
                item = ImpactItem(
                    path=row.path,
                    line=line,
                    name=owner.qualname if owner else "",
                    kind=owner.kind if owner else "file",
                    start_line=owner.start_line if owner else 1,
                    end_line=owner.end_line if owner else 1,
                    depth=1,
                    source=f"{row.path}::{owner.qualname}" if owner else row.path,
                    target=gone.key,
                    edge=KIND_NAMES[kind],
                    is_test=bool(row.is_test),
                    score=BREAKS,
                    precision="text",
                    language=language,
                )
                items.append(UseOfRemoved(gone, item, column, qualifier, was_known))
        return items

    def _read(self, row: FileMention) -> _UsesOfFile:
        if row.file_id not in self._files:
            found: dict[str, list[_Row]] = {}
            for use in decode_references(row.references):
                # What an operator runs is known by its receiver only: a removed one has none.
                if use[0] in self._names and KIND_NAMES[use[1]] != "implicit":
                    found.setdefault(use[0], []).append(use)
            names = decode_facts(row.facts).names if found else ()
            self._files[row.file_id] = _UsesOfFile(found, names)
        return self._files[row.file_id]

    async def _certain(self, file_id: int) -> set[tuple[int, int]]:
        if file_id not in self._known:
            edges = await self._stored.of_files([file_id])
            self._known[file_id] = {(e.line, e.column) for e in edges if e.score >= CERTAIN}
        return self._known[file_id]
