"""Types level by level above and below others, and what of their members may override."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from surveyor.graph.facts import KIND_CODES
from surveyor.graph.languages import traits_of
from surveyor.graph.queries.lookup import Node, StoredGraph, language_of_path

__all__ = [
    "INHERITANCE",
    "TYPE_KINDS",
    "has_members",
    "may_override",
    "supertype_levels",
    "types_below",
]

TYPE_KINDS = frozenset({"class", "interface", "struct", "enum", "trait", "object", "type"})
INHERITANCE = (KIND_CODES["inheritance"],)
MAX_LEVELS = 6
"""Levels of types that are looked through."""
_MODULES = frozenset({"module", "mixin"})
_FIELDS_OVERRIDE = frozenset({"dart", "javascript", "python", "scala", "typescript"})
"""Languages in which a field is looked up by the object, not by the type it is read through."""


def may_override(node: Node) -> bool:
    """Whether a definition may stand for one of a base, as far as its kind says."""
    if node.kind in ("method", "property"):
        return True
    language = language_of_path(node.path) or ""
    if node.kind == "function":
        return "." in node.qualname and traits_of(language).modules_are_types
    return node.kind == "field" and language in _FIELDS_OVERRIDE


def has_members(node: Node) -> bool:
    """Whether a definition has members that others override: a type, or a module that is one."""
    if node.kind in TYPE_KINDS:
        return True
    is_module = node.kind in _MODULES
    return is_module and traits_of(language_of_path(node.path) or "").modules_are_types


async def supertype_levels(
    stored: StoredGraph, types: Sequence[Node]
) -> dict[int, list[list[Node]]]:
    """What each type extends or implements, by its id: level by level, each type once."""
    return await stored.kept(_Bases).levels(types)


class _Bases:
    """What types extend or implement, each read once for a question."""

    def __init__(self, stored: StoredGraph) -> None:
        self._stored = stored
        self._direct: dict[int, list[Node]] = {}

    async def levels(self, types: Sequence[Node]) -> dict[int, list[list[Node]]]:
        """As `supertype_levels`."""
        direct, frontier = self._direct, list(types)
        for _ in range(MAX_LEVELS):
            missing = [node for node in frontier if node.node_id not in direct]
            if missing:
                await self._read(missing)
            above = [base for node in frontier for base in direct[node.node_id]]
            seen = {node.node_id for node in frontier}
            frontier = list({n.node_id: n for n in above if n.node_id not in seen}.values())
            if not frontier:
                break
        return {node.node_id: _levels(node, direct) for node in types}

    async def _read(self, types: Sequence[Node]) -> None:
        edges = await self._stored.used([node.node_id for node in types], INHERITANCE)
        above = await self._stored.by_id(edge.target for edge in edges)
        self._direct |= {node.node_id: [] for node in types}
        for edge in edges:
            base = above.get(edge.target)
            if base is not None and has_members(base):
                self._direct[edge.source].append(base)


def _levels(node: Node, direct: Mapping[int, list[Node]]) -> list[list[Node]]:
    levels: list[list[Node]] = []
    frontier, seen = [node], {node.node_id}
    for _ in range(MAX_LEVELS):
        bases = {
            base.node_id: base
            for each in frontier
            for base in direct.get(each.node_id, ())
            if base.node_id not in seen
        }
        if not bases:
            break
        seen |= bases.keys()
        frontier = list(bases.values())
        levels.append(frontier)
    return levels


async def types_below(stored: StoredGraph, types: Sequence[Node]) -> list[Node]:
    """What extends or implements some types, however far below."""
    frontier, found = list(types), {node.node_id: node for node in types}
    for _ in range(MAX_LEVELS):
        edges = await stored.uses([node.node_id for node in frontier], INHERITANCE)
        users = await stored.by_id({edge.source for edge in edges} - found.keys())
        frontier = [node for node in users.values() if has_members(node)]
        found |= users
        if not frontier:
            break
    own = {node.node_id for node in types}
    return [node for node in found.values() if node.node_id not in own]
