"""How code is reached that nobody names: from the function around it, through what it overrides.

A callback in an object literal, a local function or a method of an anonymous class is run by what
holds it; a method that overrides another one is run by those who call the other one. Uses of a name
do not show either.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from surveyor.graph.facts import KIND_CODES
from surveyor.graph.languages import traits_of
from surveyor.graph.queries.lookup import EdgeAt, Node, StoredGraph, language_of_path
from surveyor.graph.queries.partial_types import all_parts
from surveyor.graph.resolve.certainty import CERTAIN

__all__ = [
    "INHERITANCE",
    "TYPE_KINDS",
    "mixed_in_below",
    "overridden",
    "overriding",
    "unnamed_uses",
]

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
    above = await _run_through(stored, methods, holders)
    found: list[tuple[Node, Node, EdgeAt | None]] = []
    classes: list[tuple[Node, Node, EdgeAt | None]] = []
    for node in methods:
        holder = holders.get(node.node_id)
        if holder is None:
            continue
        if holder.kind in _HOLDERS:
            found.append((holder, node, _edge("contains", holder, node, 1.0)))
        bases = above.get(node.node_id, ())
        found += [(base, node, _edge("overridden", base, node, 1.0)) for base in bases]
        if holder.kind not in TYPE_KINDS:
            continue
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
    wanted = {(node.path, outer) for node in nodes for outer in _outwards(node.qualname)}
    known = await stored.placed(wanted)
    found: dict[int, Node] = {}
    for node in nodes:
        around = ((node.path, outer) for outer in _outwards(node.qualname))
        if (nearest := next((at for at in around if at in known), None)) is not None:
            found[node.node_id] = known[nearest]
    return found


def _outwards(qualname: str) -> list[str]:
    """All containers of a name, the innermost first."""
    parts = qualname.split(".")[:-1]
    return [".".join(parts[:count]) for count in range(len(parts), 0, -1)]


async def overridden(stored: StoredGraph, nodes: Sequence[Node]) -> list[Node]:
    """The methods of bases that these override."""
    methods = [node for node in nodes if node.kind in ("method", "property")]
    holders = await _holders(stored, methods)
    in_types = {key: node for key, node in holders.items() if node.kind in TYPE_KINDS}
    above = await _run_through(stored, methods, in_types)
    return list({base.node_id: base for bases in above.values() for base in bases}.values())


async def _run_through(
    stored: StoredGraph, methods: Sequence[Node], holders: Mapping[int, Node]
) -> dict[int, list[Node]]:
    """By id of each of some methods, those by which it is run too: what it overrides or stands for.

    What many methods need is read at once: one by one it is most of the time of a large question.
    """
    named = await _types_named(stored, methods, holders)
    types = {kind.node_id: kind for kinds in named.values() for kind in kinds}
    types |= {node.node_id: node for node in holders.values() if node.kind in TYPE_KINDS}
    supertypes = await _supertypes(stored, list(types.values()))
    ways: dict[int, list[list[list[Node]]]] = {}
    for node in methods:
        holder = holders.get(node.node_id)
        if holder is not None and holder.kind in TYPE_KINDS:
            ways[node.node_id] = [supertypes[holder.node_id]]
        elif node.node_id in named:
            kinds = named[node.node_id]
            ways[node.node_id] = [[[kind], *supertypes[kind.node_id]] for kind in kinds]
    by_id = {node.node_id: node for node in methods}
    wanted = {
        _member(kind, by_id[key].name)
        for key, each in ways.items()
        for levels in each
        for level in levels
        for kind in level
    }
    there = await stored.placed(wanted)
    found: dict[int, list[Node]] = {}
    for key, each in ways.items():
        name = by_id[key].name
        near = [base for levels in each for base in _nearest(levels, name, there)]
        found[key] = list({base.node_id: base for base in near}.values())
    return found


def _nearest(
    levels: Sequence[Sequence[Node]], name: str, there: Mapping[tuple[str, str], Node]
) -> list[Node]:
    """The members of a name of the first types that have it."""
    for level in levels:
        found = [there[at] for kind in level if (at := _member(kind, name)) in there]
        if found:
            return found
    return []


def _member(kind: Node, name: str) -> tuple[str, str]:
    """Path and qualified name of a type's member."""
    return kind.path, f"{kind.qualname}.{name}"


async def _supertypes(stored: StoredGraph, types: Sequence[Node]) -> dict[int, list[list[Node]]]:
    """What each type extends or implements, by its id: level by level, each type once."""
    direct: dict[int, list[Node]] = {}
    frontier = list(types)
    for _ in range(_ABOVE):
        if not frontier:
            break
        edges = await stored.used([node.node_id for node in frontier], INHERITANCE)
        above = await stored.by_id(edge.target for edge in edges)
        direct |= {node.node_id: [] for node in frontier}
        for edge in edges:
            base = above.get(edge.target)
            if base is not None and base.kind in TYPE_KINDS:
                direct[edge.source].append(base)
        known = (base for base in above.values() if base.kind in TYPE_KINDS)
        frontier = [base for base in known if base.node_id not in direct]
    return {node.node_id: _levels(node, direct) for node in types}


def _levels(node: Node, direct: Mapping[int, list[Node]]) -> list[list[Node]]:
    levels: list[list[Node]] = []
    frontier, seen = [node], {node.node_id}
    for _ in range(_ABOVE):
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


async def overriding(
    stored: StoredGraph, nodes: Sequence[Node]
) -> list[tuple[Node, Node, EdgeAt | None]]:
    """The methods that override these, as (overriding, overridden, edge)."""
    methods = [node for node in nodes if node.kind == "method"]
    holders = await _holders(stored, methods)
    found: list[tuple[Node, Node, EdgeAt | None]] = []
    types = {node.node_id: node for node in holders.values() if node.kind in TYPE_KINDS}
    below = {key: await _below(stored, each) for key, each in types.items()}
    ways = [
        (_member(lower, node.name), node)
        for node in methods
        if (holder := holders.get(node.node_id)) is not None
        for lower in below.get(holder.node_id, ())
    ]
    there = await stored.placed({way for way, _ in ways})
    for way, node in ways:
        if (other := there.get(way)) is not None and other.node_id != node.node_id:
            found.append((other, node, _edge("overrides", other, node, 1.0)))
    return found


async def _below(stored: StoredGraph, holder: Node) -> list[Node]:
    """All types that extend or implement one, and what these mix in before it."""
    parts = await all_parts(stored, holder)
    frontier, found = parts, {node.node_id: node for node in parts}
    for _ in range(_ABOVE):
        edges = await stored.uses([node.node_id for node in frontier], INHERITANCE)
        users = await stored.by_id({edge.source for edge in edges} - found.keys())
        frontier = [node for node in users.values() if node.kind in TYPE_KINDS]
        found |= users
        if not frontier:
            break
    mixed = await mixed_in_below(stored, list(found.values()))
    return [*(n for n in found.values() if n.node_id != holder.node_id), *(n for n, _ in mixed)]


async def mixed_in_below(stored: StoredGraph, types: Sequence[Node]) -> list[tuple[Node, Node]]:
    """(type, where it is mixed in) of what has its methods before a type in the types below that.

    `types` are the type and those below it. `class Box(Quiet, Base)`: `Quiet.open` runs in place of
    `Base.open`, though it is no kind of `Base`.
    """
    by_id = {node.node_id: node for node in types}
    edges = await stored.used(list(by_id), INHERITANCE)
    bases = await stored.by_id({edge.target for edge in edges} - by_id.keys())
    found: dict[int, tuple[Node, Node]] = {}
    for edge in edges:
        base, user = bases.get(edge.target), by_id.get(edge.source)
        rule = traits_of(language_of_path(edge.path) or "").mixins
        if base is None or user is None or not rule:
            continue
        extended = [
            (each.line, each.column)
            for each in edges
            if each.source == edge.source and each.target in by_id
        ]
        first = rule == "first" and extended and (edge.line, edge.column) < min(extended)
        if first or (rule == "always" and extended and base.kind in ("trait", "module", "mixin")):
            found[base.node_id] = (base, user)
    return list(found.values())


async def _types_named(
    stored: StoredGraph, methods: Sequence[Node], holders: Mapping[int, Node]
) -> dict[int, list[Node]]:
    """By id of each method in an anonymous class or an object literal, the types it may be of.

    What it is a member of does not say; the types that its holder names and that have such a
    member do: `new Reader() { read() … }`, `const handler: Handler = { parse() … }`. One that is
    hung on a function elsewhere (`Boot.prototype.start = …`) is written in neither.
    """
    inside = {
        node.node_id: holder
        for node in methods
        if node.kind == "method"
        and (holder := holders.get(node.node_id)) is not None
        and holder.kind in _HOLDERS
        and holder.start_line <= node.line <= holder.end_line
    }
    edges = await stored.used([holder.node_id for holder in inside.values()], _NAMES_A_TYPE)
    types = await stored.by_id(edge.target for edge in edges)
    by_holder: dict[int, list[EdgeAt]] = {}
    for edge in edges:
        by_holder.setdefault(edge.source, []).append(edge)
    found: dict[int, list[Node]] = {}
    for node in methods:
        if node.node_id in inside:
            around = by_holder.get(inside[node.node_id].node_id, ())
            named = {edge.target for edge in around if edge.line <= node.line}
            found[node.node_id] = [
                kind for key, kind in types.items() if key in named and kind.kind in TYPE_KINDS
            ]
    return found


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
