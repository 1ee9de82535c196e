"""Why a member may be run where nothing names it: as that of a base, or by code from elsewhere."""

from __future__ import annotations

from collections.abc import Sequence

from surveyor.graph.facts import KIND_CODES, decode_facts
from surveyor.graph.languages import traits_of
from surveyor.graph.queries.items import LineReader
from surveyor.graph.queries.lookup import Node, StoredGraph, language_of_path
from surveyor.graph.queries.structural_types import (
    STRUCTURAL_ENDINGS,
    declaring_by_name,
    may_declare,
)
from surveyor.graph.queries.structure import all_overridden, inherited_as, overriding
from surveyor.graph.queries.type_levels import INHERITANCE, may_override
from surveyor.graph.resolve.certainty import CERTAIN
from surveyor.graph.resolve.values import TYPE_KINDS

__all__ = ["run_as_another", "run_elsewhere"]

_RUNS = tuple(KIND_CODES[kind] for kind in ("call", "read", "write"))
_MOST_ALIKE = 60
"""Members of one name of which those are looked for that declare what others have."""
_READ = frozenset({"property", "field"})
_SHOWN = 3
_PLAIN_BASES = frozenset({"ABC", "Enum", "Generic", "Object", "Protocol", "object"})
"""They run nothing of what extends them."""
_STRUCTURAL = frozenset({"ecmascript", "go", "lua", "python", "ruby"})
"""Families in which whatever has a member of the name may be handed to who calls it."""


async def run_elsewhere(
    stored: StoredGraph, nodes: Sequence[Node], *, found: bool, lines: LineReader | None = None
) -> list[str]:
    """Why members may be run that are not named there; empty if nothing says so. `found`: whether
    there are places that name them. `lines` reads declarations, where files can be read."""
    node = nodes[0]
    if not may_override(node):
        return []
    if said := await run_as_another(stored, nodes, found=found, lines=lines):
        return said
    if node.kind not in ("method", "property"):
        return []
    traits = traits_of(language_of_path(node.path) or "")
    # A trait's method is called by no other name where the type is known.
    asked = not found or traits.imported_traits
    if asked and (below := await _used_overriders(stored, nodes)):
        names = ", ".join(each.key for each in below[:_SHOWN])
        more = f" and {len(below) - _SHOWN} more" if len(below) > _SHOWN else ""
        uses = "reads" if node.kind in _READ else "calls"
        return [f"{uses} of what implements it are not among these: {names}{more}"]
    if found or node.is_test or node.kind != "method":
        return []
    if not traits.imported_traits and (base := await _base_from_elsewhere(stored, node)):
        return [f"{base}, which its type extends, may call it: that is not in this project"]
    if traits.family in _STRUCTURAL and node.name in traits.standard_members:
        return [f"code from elsewhere that calls a {node.name} may be handed what has this one"]
    if traits.literal_objects and not await _is_of_type(stored, node):
        return ["what the object is handed to, in which it stands, may call it"]
    return []


async def run_as_another(
    stored: StoredGraph, nodes: Sequence[Node], *, found: bool, lines: LineReader | None = None
) -> list[str]:
    """As which other members these may be run: those of bases and interfaces, in one sentence;
    empty where nothing names such. `found`: whether there are places that name them."""
    above = await all_overridden(stored, nodes)
    used = await _used(stored, above)
    if not used and not found:
        used = [each for each in above if not each.path.endswith(".go")]
    how = "which it overrides"
    if nodes[0].path.endswith(".go"):
        how = "which its type implements"
    if not used:
        used = await _used(stored, await inherited_as(stored, nodes))
        how = "which a type that inherits it implements"
    if not used and lines is not None and nodes[0].path.endswith(STRUCTURAL_ENDINGS):
        named = [n for n in await stored.named(nodes[0].name) if may_declare(n, nodes[0])]
        # With more of them the answer says that uses on unknown receivers are not followed.
        alike = await _used(stored, named) if len(named) <= _MOST_ALIKE else []
        used = await declaring_by_name(stored, nodes[0], alike, lines)
        how = "which its class satisfies by the names of its members"
    if not used:
        return []
    names = ", ".join(each.key for each in used[:_SHOWN])
    more = f" and {len(used) - _SHOWN} more" if len(used) > _SHOWN else ""
    done = "read" if nodes[0].kind in _READ else "called"
    return [f"it may be {done} as {names}{more}, {how}"]


async def _used(stored: StoredGraph, members: Sequence[Node]) -> list[Node]:
    """Those of some members that are used for certain."""
    if not members:
        return []
    edges = await stored.uses([each.node_id for each in members], _RUNS)
    used = {edge.target for edge in edges if edge.score >= CERTAIN}
    return [each for each in members if each.node_id in used]


async def _used_overriders(stored: StoredGraph, nodes: Sequence[Node]) -> list[Node]:
    """The members of types below that stand for these, and are called for certain."""
    below = {other.node_id: other for other, _, _ in await overriding(stored, nodes)}
    below |= {each.node_id: each for each in await _of_types_elsewhere(stored, nodes[0])}
    return await _used(stored, list(below.values()))


async def _of_types_elsewhere(stored: StoredGraph, node: Node) -> list[Node]:
    """The members of blocks that implement a member's trait for a type without a definition of its
    own: `impl<T> Opens for Result<T>`."""
    owner = node.qualname.rpartition(".")[0]
    traits = [each for each in await stored.qualified(node.path, owner) if each.kind == "trait"]
    edges = await stored.uses([each.node_id for each in traits], INHERITANCE) if traits else []
    blocks = [edge for edge in edges if not edge.source]
    alike = await stored.named(node.name) if blocks else []
    alike += await stored.overloads(alike)
    behind = [
        min(
            (each for each in alike if each.path == block.path and each.line > block.line),
            key=lambda each: each.line,
            default=None,
        )
        for block in blocks
    ]
    return [each for each in behind if each is not None and each.node_id != node.node_id]


async def _base_from_elsewhere(stored: StoredGraph, node: Node) -> str:
    """A base of a member's type that the project does not define; empty where there is none."""
    owner = node.qualname.rpartition(".")[0]
    data = await stored.facts(node.path) if owner else None
    written = decode_facts(data).bases.get(owner, ()) if data is not None else ()
    names = {base.partition("<")[0].rpartition(".")[2].strip("?&*() ") for base in written}
    names = {name for name in names if name.isidentifier()} - _PLAIN_BASES
    if not names:
        return ""
    types = await stored.qualified(node.path, owner)
    edges = await stored.used([each.node_id for each in types], INHERITANCE)
    ours = await stored.by_id(edge.target for edge in edges)
    return min(names - {each.name for each in ours.values()}, default="")


async def _is_of_type(stored: StoredGraph, node: Node) -> bool:
    """Whether a member's owner is a type."""
    owner = node.qualname.rpartition(".")[0]
    around = await stored.qualified(node.path, owner) if owner else []
    return any(each.kind in TYPE_KINDS for each in around)
