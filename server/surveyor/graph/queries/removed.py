"""What a diff takes away, and who still names it: the places that it breaks."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from surveyor.graph.extract.scopes import qualified
from surveyor.graph.facts import (
    KIND_NAMES,
    DefinedName,
    decode_blobs,
    decode_facts,
    decode_references,
)
from surveyor.graph.jobs import FIELD_KINDS, MEMBERS_APART
from surveyor.graph.languages.builtin_names import is_builtin
from surveyor.graph.queries.diff import FileDiff, Hunk, read_old_texts
from surveyor.graph.queries.former_uses import FormerDefinition, FormerUses
from surveyor.graph.queries.gone_files import GoneFile, moved_files
from surveyor.graph.queries.lookup import Node, StoredGraph, language_of_path
from surveyor.graph.queries.lost_bases import LostBases, bases_lost
from surveyor.graph.resolve.certainty import CERTAIN, FOLLOWED_SCORE, is_common
from surveyor.parsing.types import ParsedFile, Symbol
from surveyor.protocol.graph import GraphItem, ImpactItem
from surveyor.store.state.graph.documents import FileMention, defined_names
from surveyor.store.state.projects import Checkout

__all__ = [
    "MAX_REMOVED",
    "ParsedFrom",
    "RemovedDefinition",
    "TakenAway",
    "UseOfRemoved",
    "former_definitions",
    "moved_by",
    "removed_by",
    "still_used",
    "unsought",
]

ParsedFrom = Callable[[Checkout, str, bytes], Awaitable[ParsedFile | None]]
"""A file of a checkout with its graph, given by its path and what is in it; None where it cannot
be read."""

_Row = tuple[str, int, int, int, int, str, int]
"""As `decode_references` gives them."""

FILES_AT_ONCE = 40
"""Whose text from before is being read at a time."""
MAX_REMOVED = 200
"""Removed definitions whose uses are looked for."""
MAX_USES = 100
"""Places shown for each."""
MAX_INCLUDE_DEPTH = 12
_INCLUDING = frozenset({"c", "cpp"})
_NAMESPACED = frozenset({"csharp"})
"""Where a namespace may be written around definitions, or once for a file."""
BREAKS = 2.0
"""Rank of a place that uses what is gone: before what merely uses what changed."""


@dataclass(frozen=True, slots=True)
class RemovedDefinition:
    """A definition that was in a file and is not any more."""

    path: str
    symbol: Symbol
    moved_to: str = ""
    """The file that it is in now, where that was renamed."""
    graph: bytes = field(default=b"", repr=False)
    """Of its file as it was, encoded; empty where that was moved."""

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


class TakenAway(NamedTuple):
    """What a diff takes away."""

    definitions: list[RemovedDefinition]
    """Those whose lines it removes and whose names are not in their file any more."""
    bases: list[LostBases]
    """Of types that are still there."""
    files: list[GoneFile]
    """Those that it deletes or renames."""


async def removed_by(
    parsed_from: ParsedFrom, checkout: Checkout, stored: StoredGraph, diff: Sequence[FileDiff]
) -> TakenAway:
    """What a diff takes away, by what its files were and the index has of them now."""
    await read_old_texts(Path(checkout.root), diff)
    cut = [file for file in diff if file.old_text and any(map(_old_lines, file.hunks))]
    found: list[RemovedDefinition] = []
    bases: list[LostBases] = []
    files = await moved_files(stored, diff)
    for start in range(0, len(cut), FILES_AT_ONCE):
        part = cut[start : start + FILES_AT_ONCE]
        read = await asyncio.gather(
            *(parsed_from(checkout, file.old_path, file.old_text or b"") for file in part)
        )
        for file, parsed in zip(part, read, strict=True):
            if parsed is not None and file.deleted and parsed.graph:
                files.append(GoneFile(file.path, parsed.graph))
            if parsed is None or not parsed.symbols:
                continue
            kept = await defined_names(stored.state, stored.checkout_id, file.path)
            if language_of_path(file.path) in _NAMESPACED:
                kept = _with_namespaces(kept, parsed.symbols)
            lines = [each for hunk in file.hunks if (each := _old_lines(hunk)) is not None]
            found += [
                RemovedDefinition(file.path, symbol, graph=parsed.graph)
                for symbol in parsed.symbols
                if not _is_kept(symbol, kept, language_of_path(file.path))
                and (symbol.container or not is_builtin(symbol.name, language_of_path(file.path)))
                and any(first <= symbol.line <= last for first, last in lines)
            ]
            facts = await stored.facts(file.path)
            if facts is not None and parsed.graph:
                was = decode_facts(decode_blobs(parsed.graph).facts)
                bases += bases_lost(file.path, parsed.graph, was, decode_facts(facts))
    return TakenAway(found, bases, files)


def _is_kept(
    symbol: Symbol, kept: Mapping[tuple[str, str], set[str]], language: str | None
) -> bool:
    """Whether a file still defines a symbol: a field is no method of its name."""
    kinds = kept.get((symbol.container, symbol.name), set())
    is_apart = language in MEMBERS_APART and symbol.kind == "method"
    return bool(kinds - FIELD_KINDS if is_apart and language != "ruby" else kinds)


def _with_namespaces(
    kept: Mapping[tuple[str, str], set[str]], was: Sequence[Symbol]
) -> dict[tuple[str, str], set[str]]:
    """What a file defines, also as it was called with the namespace of the file around it, or
    without: `namespace A;` is around no definition, `namespace A { }` around each."""
    before = {qualified(each) for each in was if each.kind == "namespace"}
    now = {
        f"{container}.{name}" if container else name
        for (container, name), kinds in kept.items()
        if "namespace" in kinds
    }
    more: dict[tuple[str, str], set[str]] = {}
    for (container, name), kinds in kept.items():
        for space in now:
            if container == space or container.startswith(f"{space}."):
                more.setdefault((container[len(space) + 1 :], name), set()).update(kinds)
        for space in before:
            inside = f"{space}.{container}" if container else space
            more.setdefault((inside, name), set()).update(kinds)
    return {**more, **kept}


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
    """Whether the graph would follow it to what is gone if that were there."""


async def still_used(
    stored: StoredGraph, removed: Sequence[RemovedDefinition], former: FormerUses
) -> list[UseOfRemoved]:
    """Places that name something removed and do not mean anything else that is known.

    Of the first `MAX_REMOVED`; what stands at the top of a file before members, of which less is
    certain. Of a name that many types have, only where it is known to be meant.
    """
    sought = _sought(removed)
    users = _Users(stored, frozenset(gone.symbol.name for gone in sought), former)
    items: list[UseOfRemoved] = []
    for gone in sought:
        items += (await users.of(gone))[:MAX_USES]
    return items


def unsought(removed: Sequence[RemovedDefinition]) -> int:
    """Of how many the uses are not looked for."""
    return max(0, len(removed) - MAX_REMOVED)


def former_definitions(removed: Sequence[RemovedDefinition]) -> list[FormerDefinition]:
    """Those whose uses are looked for, as they are asked about."""
    return [
        FormerDefinition(*gone.place, gone.graph, _is_bare(gone))
        for gone in _sought(removed)
        if gone.graph
    ]


def _is_bare(gone: RemovedDefinition) -> bool:
    return gone.symbol.kind == "enum_member" and language_of_path(gone.path) in _INCLUDING


def _sought(removed: Sequence[RemovedDefinition]) -> list[RemovedDefinition]:
    """Those whose uses are looked for, in the order in which they are."""
    return sorted(removed, key=lambda each: bool(each.symbol.container))[:MAX_REMOVED]


def _is_telling(gone: RemovedDefinition) -> bool:
    return not (gone.symbol.container and is_common(gone.symbol.name))


class _Meant(NamedTuple):
    """What a place means, and how sure that is."""

    score: float
    target: int


class _UsesOfFile(NamedTuple):
    """What one file says of the names that are sought."""

    by_name: Mapping[str, Sequence[_Row]]
    names: Sequence[DefinedName]
    """The definitions of the file."""


class _Users:
    """Reads who names what is gone: each file once, whatever many of the names it has."""

    def __init__(self, stored: StoredGraph, names: frozenset[str], former: FormerUses) -> None:
        self._stored = stored
        self._names = names
        self._former = former
        self._files: dict[int, _UsesOfFile] = {}
        self._known: dict[int, dict[tuple[int, int], _Meant]] = {}
        """Lines and columns by file of what means something that is there."""
        self._included: dict[int, frozenset[int]] = {}

    async def of(self, gone: RemovedDefinition) -> list[UseOfRemoved]:
        """Places that name it and mean nothing else that is known."""
        stored, name = self._stored, gone.symbol.name
        language = language_of_path(gone.path)
        former = self._former.places.get(gone.place, {})
        own: set[int] = set()
        if language in MEMBERS_APART and gone.symbol.kind == "method":
            own = {node.node_id for node in await stored.qualified(*gone.place)}
        users = {path for path, _, _ in former}
        is_telling = _is_telling(gone)
        if not (is_telling or users):
            return []
        items: list[UseOfRemoved] = []
        for row in await stored.mentions(name):
            if row.path not in users and (not is_telling or language_of_path(row.path) != language):
                continue
            file = await self._read(row)
            uses = file.by_name.get(name, ())
            known = await self._meaning(row.file_id) if uses else {}
            if language in _INCLUDING and known:
                known = await self._included_only(gone, row, uses, known)
            uses = [
                use
                for use in uses
                if _called_as_before(row.path, use, known, former, own)
                or not _means_another(row.path, use, known, former)
            ]
            around = [file.names[use[6]] if 0 <= use[6] < len(file.names) else None for use in uses]
            for (_, kind, line, column, _, qualifier, _), owner in zip(uses, around, strict=True):
                was_known = (row.path, line, column) in former
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

    async def _read(self, row: FileMention) -> _UsesOfFile:
        if row.file_id not in self._files:
            found: dict[str, list[_Row]] = {}
            rows = (
                decode_references(row.references)
                if row.references
                else await self._stored.references(row.path)
            )
            for use in rows:
                # What an operator runs is known by its receiver only: a removed one has none. Names
                # of arguments are compared with the call.
                is_named = KIND_NAMES[use[1]] != "implicit" and not use[5].startswith(":=")
                if is_named and use[0] in self._names:
                    found.setdefault(use[0], []).append(use)
            names = decode_facts(row.facts).names if found else ()
            self._files[row.file_id] = _UsesOfFile(found, names)
        return self._files[row.file_id]

    async def _meaning(self, file_id: int) -> dict[tuple[int, int], _Meant]:
        if file_id not in self._known:
            known = self._known[file_id] = {}
            for edge in await self._stored.of_files([file_id]):
                if edge.score >= CERTAIN:
                    place = (edge.line, edge.column)
                    meant = _Meant(edge.score, edge.target)
                    known[place] = max(meant, known.get(place, meant))
        return self._known[file_id]

    async def _included_only(
        self,
        gone: RemovedDefinition,
        row: FileMention,
        uses: Sequence[_Row],
        known: Mapping[tuple[int, int], _Meant],
    ) -> dict[tuple[int, int], _Meant]:
        """Without what means a definition called the same of a file that the user does not include,
        as in a copy of all headers in one, where it includes the one that had what is gone."""
        places = {(use[2], use[3]) for use in uses} & known.keys()
        nodes = await self._stored.by_id(known[place].target for place in places)
        name = qualified(gone.symbol)
        others = {
            place
            for place in places
            if (node := nodes.get(known[place].target)) is not None
            and node.qualname == name
            and node.path not in (gone.path, row.path)
        }
        if not others:
            return dict(known)
        file = await self._stored.file(gone.path)
        reached = await self._files_included(row.file_id)
        if file is None or file.file_id not in reached:
            return dict(known)
        unseen = {p for p in others if nodes[known[p].target].file_id not in reached}
        return {place: meant for place, meant in known.items() if place not in unseen}

    async def _files_included(self, file_id: int) -> frozenset[int]:
        """Files that one includes, however deep."""
        if file_id not in self._included:
            reached, waiting = {file_id}, [file_id]
            for _ in range(MAX_INCLUDE_DEPTH):
                imports = await self._stored.imports(waiting, "out") if waiting else []
                waiting = [each.other_id for each in imports if each.other_id not in reached]
                reached.update(waiting)
            self._included[file_id] = frozenset(reached)
        return self._included[file_id]


def _called_as_before(
    path: str,
    use: _Row,
    known: Mapping[tuple[int, int], _Meant],
    former: Mapping[tuple[str, int, int], float],
    own: Set[int],
) -> bool:
    """Whether a place calls what is gone, and leads to a field of the name (`own`) for want of
    it."""
    _, kind, line, column, *_ = use
    now = known.get((line, column))
    return (
        now is not None
        and now.target in own
        and KIND_NAMES[kind] == "call"
        and former.get((path, line, column), 0.0) >= FOLLOWED_SCORE
    )


def _means_another(
    path: str,
    use: _Row,
    known: Mapping[tuple[int, int], _Meant],
    former: Mapping[tuple[str, int, int], float],
) -> bool:
    """Whether a place means something that is there: not where that is guessed by the name alone,
    since the member of its receiver's type is gone."""
    _, _, line, column, *_ = use
    now = known.get((line, column))
    if now is None:
        return False
    return now.score >= FOLLOWED_SCORE or former.get((path, line, column), 0.0) < FOLLOWED_SCORE
