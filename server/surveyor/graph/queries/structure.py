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
from surveyor.graph.queries.go_method_sets import declaring
from surveyor.graph.queries.lookup import EdgeAt, Node, StoredGraph, language_of_path
from surveyor.graph.queries.partial_types import all_parts
from surveyor.graph.queries.type_levels import (
    INHERITANCE,
    TYPE_KINDS,
    has_members,
    may_override,
    supertype_levels,
    types_below,
)
from surveyor.graph.resolve.certainty import CERTAIN

__all__ = [
    "INHERITANCE",
    "TYPE_KINDS",
    "all_overridden",
    "constants_members",
    "inherited_as",
    "mixed_in_below",
    "overridden",
    "overriding",
    "unnamed_uses",
]

_NAMES_A_TYPE = (KIND_CODES["instantiation"], KIND_CODES["type"], *INHERITANCE)
_CALLABLE_KINDS = frozenset({"function", "method", "constructor"})
_HOLDERS = _CALLABLE_KINDS | {"variable", "constant", "field", "property", "member"}
IMPLICIT_SCORE = 0.6
"""That a method is run as that of an interface which its type satisfies without saying so (Go)."""
MAX_INHERITING = 200
"""Types below one that may have to have its methods for another base of theirs."""


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
        if "." in node.qualname
        and (node.kind in _CALLABLE_KINDS or may_override(node))
        and not node.is_test
    ]
    holders = await _holders(stored, methods)
    above = await _run_through(stored, methods, holders)
    found: list[tuple[Node, Node, EdgeAt | None]] = []
    classes: list[tuple[Node, Node, EdgeAt | None]] = []
    for node in methods:
        holder = holders.get(node.node_id)
        if holder is None:
            continue
        is_callable = node.kind in _CALLABLE_KINDS
        if holder.kind in _HOLDERS and is_callable:
            found.append((holder, node, _edge("contains", holder, node, 1.0)))
        bases = above.get(node.node_id, ())
        found += [(base, node, _standing_in("overridden", base, node)) for base in bases]
        if holder.kind not in TYPE_KINDS or not is_callable:
            continue
        implicit = node.name.startswith("__") and node.name.endswith("__")
        if (node.node_id in asked or implicit) and not await _named_outside(stored, node, holder):
            classes.append((holder, node, _edge("contains", holder, node, 1.0)))
    return UnnamedUses(found, classes)


def _standing_in(kind: str, user: Node, used: Node) -> EdgeAt:
    """The edge between a method and the one it stands for, whose type nothing names in Go."""
    return _edge(kind, user, used, IMPLICIT_SCORE if used.path.endswith(".go") else 1.0)


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


async def constants_members(stored: StoredGraph, below: Sequence[Node], name: str) -> list[Node]:
    """The members of a name that constants of enumerations have in bodies of their own: each
    overrides that of its enumeration, or of what that implements (Java, Kotlin)."""
    enums = {(node.path, node.qualname) for node in below if node.kind == "enum"}
    if not enums:
        return []
    named = [node for node in await stored.named(name) if node.qualname.count(".") > 1]
    around = {(n.path, n.qualname.rpartition(".")[0]): n for n in named}
    mine = [at for at in around if (at[0], at[1].rpartition(".")[0]) in enums]
    constants = await stored.placed(mine)
    return [around[at] for at, constant in constants.items() if constant.kind == "enum_member"]


def _outwards(qualname: str) -> list[str]:
    """All containers of a name, the innermost first."""
    parts = qualname.split(".")[:-1]
    return [".".join(parts[:count]) for count in range(len(parts), 0, -1)]


async def overridden(stored: StoredGraph, nodes: Sequence[Node]) -> list[Node]:
    """The methods of the nearest bases that these override."""
    methods = [node for node in nodes if may_override(node)]
    holders = await _holders(stored, methods)
    in_types = {key: node for key, node in holders.items() if has_members(node)}
    above = await _run_through(stored, methods, in_types)
    return list({base.node_id: base for bases in above.values() for base in bases}.values())


async def all_overridden(stored: StoredGraph, nodes: Sequence[Node]) -> list[Node]:
    """The members of all bases that these override, the nearest first; also those for which a
    member in a class without a name or an object literal stands."""
    own = {node.node_id for node in nodes}
    methods = [node for node in nodes if may_override(node)]
    holders = await _holders(stored, methods)
    above = await _run_through(stored, methods, holders, nearest=False)
    found = {base.node_id: base for bases in above.values() for base in bases}
    return [base for key, base in found.items() if key not in own]


async def _run_through(
    stored: StoredGraph,
    methods: Sequence[Node],
    holders: Mapping[int, Node],
    *,
    nearest: bool = True,
) -> dict[int, list[Node]]:
    """By id of each of some methods, those by which it is run too: what it overrides or stands for,
    of its bases only the `nearest` that have it, or all.

    What many methods need is read at once: one by one it is most of the time of a large question.
    """
    named = await _types_named(stored, methods, holders)
    types = {kind.node_id: kind for kinds in named.values() for kind in kinds}
    types |= {node.node_id: node for node in holders.values() if has_members(node)}
    constants = [node for node in holders.values() if node.kind == "enum_member"]
    enum_of = await _holders(stored, constants) if constants else {}
    enums = {
        key: enum_of[holder.node_id]
        for key, holder in holders.items()
        if holder.node_id in enum_of and has_members(enum_of[holder.node_id])
    }
    types |= {node.node_id: node for node in enums.values()}
    supertypes = await supertype_levels(stored, list(types.values()))
    ways: dict[int, list[list[list[Node]]]] = {}
    for node in methods:
        holder = holders.get(node.node_id)
        if holder is not None and has_members(holder):
            ways[node.node_id] = [supertypes[holder.node_id]]
        elif (around := enums.get(node.node_id)) is not None:
            ways[node.node_id] = [[[around], *supertypes[around.node_id]]]
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
        bases = [base for levels in each for base in _members(levels, name, there, nearest)]
        found[key] = list({base.node_id: base for base in bases}.values())
    for key, declared in (await declaring(stored, methods)).items():
        known = {base.node_id for base in found.get(key, ())}
        found.setdefault(key, []).extend(n for n in declared if n.node_id not in known)
    return found


def _members(
    levels: Sequence[Sequence[Node]],
    name: str,
    there: Mapping[tuple[str, str], Node],
    nearest: bool,
) -> list[Node]:
    """The members of a name of types, level by level: of the first that have it, or of all."""
    found: list[Node] = []
    for level in levels:
        found += [there[at] for kind in level if (at := _member(kind, name)) in there]
        if found and nearest:
            break
    return found


def _member(kind: Node, name: str) -> tuple[str, str]:
    """Path and qualified name of a type's member."""
    return kind.path, f"{kind.qualname}.{name}"


async def overriding(
    stored: StoredGraph, nodes: Sequence[Node]
) -> list[tuple[Node, Node, EdgeAt | None]]:
    """The methods that override these, as (overriding, overridden, edge)."""
    methods = [node for node in nodes if may_override(node)]
    holders = await _holders(stored, methods)
    found: list[tuple[Node, Node, EdgeAt | None]] = []
    types = {node.node_id: node for node in holders.values() if has_members(node)}
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
    for node in methods:
        if (holder := holders.get(node.node_id)) is not None and holder.node_id in below:
            types_of = [holder, *below[holder.node_id]]
            for other in await constants_members(stored, types_of, node.name):
                found.append((other, node, _edge("overrides", other, node, 1.0)))
    found += await _implementing_methods(stored, methods, holders)
    return found


async def _implementing_methods(
    stored: StoredGraph, methods: Sequence[Node], holders: Mapping[int, Node]
) -> list[tuple[Node, Node, EdgeAt | None]]:
    """Go's methods that stand for these of interfaces, whose types do not say so."""
    asked = {
        node.node_id: node
        for node in methods
        if node.path.endswith(".go")
        and (holder := holders.get(node.node_id)) is not None
        and holder.kind == "interface"
    }
    alike = {
        other.node_id: other
        for name in {node.name for node in asked.values()}
        for other in await stored.named(name)
        if other.kind == "method" and other.node_id not in asked
    }
    stands = await declaring(stored, list(alike.values())) if alike else {}
    return [
        (alike[key], base, _standing_in("overrides", alike[key], base))
        for key, bases in stands.items()
        for base in bases
        if base.node_id in asked
    ]


async def inherited_as(stored: StoredGraph, nodes: Sequence[Node]) -> list[Node]:
    """The members of other bases of types below, which have these of theirs by inheriting them:
    `class Near extends Base implements Door` runs `Base.open` as `Door.open`."""
    methods = [node for node in nodes if may_override(node)]
    holders = await _holders(stored, methods)
    types = {node.node_id: node for node in holders.values() if has_members(node)}
    found: dict[int, Node] = {}
    for holder in types.values():
        trait_types = traits_of(language_of_path(holder.path) or "").trait_types
        if holder.kind == "interface" or (holder.kind == "trait" and trait_types):
            continue  # what a type inherits beside it runs, not what it declares
        mine = [n for n in methods if holders.get(n.node_id) is holder]
        parts = await all_parts(stored, holder)
        below = [n for n in await types_below(stored, parts) if has_members(n)][:MAX_INHERITING]
        if not below:
            continue
        above = await supertype_levels(stored, [*parts, *below])
        own = {n.node_id for n in (*parts, *below)}
        own |= {n.node_id for part in parts for level in above[part.node_id] for n in level}
        others = {
            each.node_id: [n for level in above[each.node_id] for n in level] for each in below
        }
        wanted = {
            _member(kind, n.name) for n in mine for kinds in others.values() for kind in kinds
        }
        wanted |= {_member(kind, n.name) for n in mine for kind in below}
        there = await stored.placed(wanted)
        for lower in below:
            for node in mine:
                if _member(lower, node.name) in there:
                    continue  # it has one of its own
                for kind in others[lower.node_id]:
                    if kind.node_id in own or (at := _member(kind, node.name)) not in there:
                        continue
                    if await _runs_first(stored, holder, kind, lower):
                        found[there[at].node_id] = there[at]
    return list(found.values())


async def _runs_first(stored: StoredGraph, holder: Node, other: Node, lower: Node) -> bool:
    """Whether a type has a member from one of its bases where another one has it too."""
    if other.kind == "interface" or (other.kind == "trait" and holder.kind == "class"):
        return True
    mixed = await mixed_in_below(stored, [other, lower])
    return any(mixin.node_id == holder.node_id for mixin, _ in mixed)


async def _below(stored: StoredGraph, holder: Node) -> list[Node]:
    """All types that extend or implement one, and what these mix in before it."""
    parts = await all_parts(stored, holder)
    found = [*parts, *await types_below(stored, parts)]
    mixed = await mixed_in_below(stored, found)
    return [*(n for n in found if n.node_id != holder.node_id), *(n for n, _ in mixed)]


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
