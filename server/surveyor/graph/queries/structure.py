"""How code is reached that nobody names: from the function around it, through what it overrides.

A callback in an object literal, a local function or a method of an anonymous class is run by what
holds it; a method that overrides another one is run by those who call the other one. Uses of a name
do not show either.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

from surveyor.graph.facts import KIND_CODES
from surveyor.graph.queries.lookup import EdgeAt, Node, StoredGraph
from surveyor.graph.resolve.resolver import CERTAIN

__all__ = ["INHERITANCE", "TYPE_KINDS", "overridden", "overriding", "unnamed_uses"]

TYPE_KINDS = frozenset({"class", "interface", "struct", "enum", "trait", "object", "type"})
INHERITANCE = (KIND_CODES["inheritance"],)
_NAMES_A_TYPE = (KIND_CODES["instantiation"], KIND_CODES["type"])
_CALLABLE_KINDS = frozenset({"function", "method", "constructor"})
_HOLDERS = _CALLABLE_KINDS | {"variable", "constant", "field", "property", "member"}
_ABOVE = 6
"""Levels of supertypes that are looked through for a method."""


class UnnamedUses(NamedTuple):
    """(user, used, edge) of what is run without being named."""

    certain: list[tuple[Node, Node, EdgeAt | None]]
    by_class: list[tuple[Node, Node, EdgeAt | None]]
    """A class and a method of its own that nothing else names."""


async def unnamed_uses(
    stored: StoredGraph, nodes: Sequence[Node], asked: Collection[int]
) -> UnnamedUses:
    """What runs these without naming them, as (user, used, edge).

    A class runs a method of its own that no other place names, if the method was asked about
    (`asked`, by id) or is called by the language itself (`__exit__`): those stand by themselves,
    for what uses the class need not use the method.
    """
    methods = [
        node
        for node in nodes
        if "." in node.qualname and node.kind in _CALLABLE_KINDS and not node.is_test
    ]
    holders = await _holders(stored, methods)
    found: list[tuple[Node, Node, EdgeAt | None]] = []
    classes: list[tuple[Node, Node, EdgeAt | None]] = []
    for node in methods:
        holder = holders.get(node.node_id)
        if holder is None:
            continue
        if holder.kind in _HOLDERS:
            found.append((holder, node, _edge("contains", holder, node, 1.0)))
            above = await _stood_for(stored, holder, node)
            found += [(base, node, _edge("overridden", base, node, 1.0)) for base in above]
            continue
        if holder.kind not in TYPE_KINDS:
            continue
        above = await _overridden(stored, holder, node.name)
        found += [(base, node, _edge("overridden", base, node, 1.0)) for base in above]
        implicit = node.name.startswith("__") and node.name.endswith("__")
        if (node.node_id in asked or implicit) and not await _named_outside(stored, node, holder):
            classes.append((holder, node, _edge("contains", holder, node, 1.0)))
    return UnnamedUses(found, classes)


def _edge(kind: str, user: Node, used: Node, score: float) -> EdgeAt:
    return EdgeAt(
        user.path, user.line, user.column, user.end_column, kind, user.node_id, used.node_id,
        score, user.file_id, user.is_test,
    )  # fmt: skip


async def _holders(stored: StoredGraph, nodes: Sequence[Node]) -> dict[int, Node]:
    """The innermost definition around each; anonymous functions are looked through."""
    by_path: dict[str, list[Node]] = {}
    for node in nodes:
        by_path.setdefault(node.path, []).append(node)
    found: dict[int, Node] = {}
    for path, inside in by_path.items():
        wanted = {outer for node in inside for outer in _outwards(node.qualname)}
        rows = await stored.qualified(path, *sorted(wanted))
        known = {row.qualname: row for row in rows}
        for node in inside:
            outer = next((o for o in _outwards(node.qualname) if o in known), "")
            if outer:
                found[node.node_id] = known[outer]
    return found


def _outwards(qualname: str) -> list[str]:
    """All containers of a name, the innermost first."""
    parts = qualname.split(".")[:-1]
    return [".".join(parts[:count]) for count in range(len(parts), 0, -1)]


async def _overridden(stored: StoredGraph, holder: Node, name: str) -> list[Node]:
    """The nearest methods of a name in the types that a type extends or implements."""
    frontier, seen = [holder], {holder.node_id}
    for _ in range(_ABOVE):
        edges = await stored.used([node.node_id for node in frontier], INHERITANCE)
        above = await stored.by_id({edge.target for edge in edges} - seen)
        seen |= above.keys()
        frontier = [node for node in above.values() if node.kind in TYPE_KINDS]
        found: list[Node] = []
        for base in frontier:
            found += await stored.qualified(base.path, f"{base.qualname}.{name}")
        if found or not frontier:
            return found
    return []


async def overridden(stored: StoredGraph, nodes: Sequence[Node]) -> list[Node]:
    """The methods of bases that these override."""
    methods = [node for node in nodes if node.kind == "method"]
    holders = await _holders(stored, methods)
    found: dict[int, Node] = {}
    for node in methods:
        holder = holders.get(node.node_id)
        if holder is not None and holder.kind in TYPE_KINDS:
            found |= {base.node_id: base for base in await _overridden(stored, holder, node.name)}
    return list(found.values())


async def overriding(
    stored: StoredGraph, nodes: Sequence[Node]
) -> list[tuple[Node, Node, EdgeAt | None]]:
    """The methods that override these, as (overriding, overridden, edge)."""
    methods = [node for node in nodes if node.kind == "method"]
    holders = await _holders(stored, methods)
    found: list[tuple[Node, Node, EdgeAt | None]] = []
    for node in methods:
        holder = holders.get(node.node_id)
        if holder is None or holder.kind not in TYPE_KINDS:
            continue
        others = [n for n in await stored.named(node.name) if n.node_id != node.node_id]
        if not others:
            continue
        below = {(n.path, n.qualname) for n in await _below(stored, holder)}
        for other in others:
            if (other.path, other.qualname.rpartition(".")[0]) in below:
                found.append((other, node, _edge("overrides", other, node, 1.0)))
    return found


async def _below(stored: StoredGraph, holder: Node) -> list[Node]:
    """All types that extend or implement one."""
    frontier, found = [holder], {holder.node_id: holder}
    for _ in range(_ABOVE):
        edges = await stored.uses([node.node_id for node in frontier], INHERITANCE)
        users = await stored.by_id({edge.source for edge in edges} - found.keys())
        frontier = [node for node in users.values() if node.kind in TYPE_KINDS]
        found |= users
        if not frontier:
            break
    return [node for node in found.values() if node is not holder]


async def _stood_for(stored: StoredGraph, holder: Node, node: Node) -> list[Node]:
    """The methods that one in an anonymous class or an object literal stands for.

    What it is a member of says neither; the types that its holder names and that have such a
    member do: `new Reader() { read() … }`, `const handler: Handler = { parse() … }`. One that is
    hung on a function elsewhere (`Boot.prototype.start = …`) is written in neither.
    """
    written_inside = holder.start_line <= node.line <= holder.end_line
    if node.kind != "method" or not written_inside:
        return []
    edges = await stored.used([holder.node_id], _NAMES_A_TYPE)
    types = await stored.by_id(e.target for e in edges if e.line <= node.line)
    found: dict[int, Node] = {}
    for kind in types.values():
        if kind.kind not in TYPE_KINDS:
            continue
        own = await stored.qualified(kind.path, f"{kind.qualname}.{node.name}")
        for base in own or await _overridden(stored, kind, node.name):
            found[base.node_id] = base
    return list(found.values())


async def _named_outside(stored: StoredGraph, node: Node, holder: Node) -> bool:
    """Whether anything but the type itself names one of its methods."""
    inner = holder.qualname + "."
    edges = [edge for edge in await stored.uses([node.node_id]) if edge.score >= CERTAIN]
    around = await stored.by_id(edge.source for edge in edges)
    for edge in edges:
        user = around.get(edge.source)
        if user is None or user.path != holder.path or not f"{user.qualname}.".startswith(inner):
            return True
    return False
