"""Types above and below, overrides, and Go's types that have all methods of an interface."""

from __future__ import annotations

import re
from collections.abc import Sequence

from surveyor.graph.facts import KIND_CODES
from surveyor.graph.languages import traits_of
from surveyor.graph.queries import traverse
from surveyor.graph.queries.go_method_sets import implemented_by, implementing
from surveyor.graph.queries.items import LineReader, definition_item, use_item, with_details
from surveyor.graph.queries.lambda_types import lambdas_missing
from surveyor.graph.queries.lookup import EdgeAt, Node, StoredGraph, language_of_path
from surveyor.graph.queries.macro_implementations import implemented_by_macros
from surveyor.graph.queries.names import NameMeaning
from surveyor.graph.queries.partial_types import all_parts
from surveyor.graph.queries.questions import MatchedItems
from surveyor.graph.queries.structural_types import STRUCTURAL_SCORE, notice_of, satisfying
from surveyor.graph.queries.structure import constants_members, mixed_in_below
from surveyor.graph.resolve.values import CALLABLE_KINDS
from surveyor.protocol.graph import GraphItem

__all__ = ["hierarchy", "implementations"]

IMPLICIT_SCORE = 0.6
"""A type that has all methods of an interface without saying so (Go)."""

BY_MACRO_SCORE = 0.8
"""A type that is handed to a macro which implements a trait for it (Rust)."""

_FOREIGN = {
    ".rs": re.compile(r".*\bfor (?!<)(?P<type>.+?)\s*(?:\bwhere\b.*|\{.*)?$"),
    ".swift": re.compile(r".*\bextension\s+(?P<type>[^:{]+?)\s*:"),
    ".hs": re.compile(
        r"(?:.*\bderiving\b.*)?\s*\binstance\s+(?:\{-#.*?#-\}\s*)?(?:.*=>\s*)?\S+\s+"
        r"(?P<type>.+?)\s*(?:\bwhere\b.*)?$"
    ),
}
"""Where a trait, protocol or class is implemented outside of any type: for what, by its line."""
_SCRIPTS = (".js", ".cjs", ".mjs", ".jsx", ".ts", ".tsx")
_MODULES = ("module", "namespace")
_HOLDING = ("variable", "constant")
"""What is extended and may hold a class that is written otherwise: a table of Lua."""
_ANONYMOUS = "anonymous"
"""In place of the name of a class that has none: `new Runnable() { … }`."""


_NO_TYPES = frozenset(
    {*_MODULES, "macro", *CALLABLE_KINDS, "field", "property", "variable", "constant"}
)
"""What is around a type that is written there, and is none itself."""


async def hierarchy(
    stored: StoredGraph, meant: NameMeaning, lines: LineReader, direction: str, depth: int
) -> MatchedItems:
    """Types above, then types below, each by its distance."""
    found = MatchedItems([])
    nodes: list[Node] = []
    for side, walk_of in (("super", traverse.supertypes), ("sub", traverse.subtypes)):
        if direction not in (side, "both"):
            continue
        walk = await walk_of(stored, meant.nodes, depth)
        reached = [
            (item.node, item.depth, item.edge.score if item.edge else 1.0, item.via)
            for item in walk.reached
            if _is_type(item.node)
            or (side == "super" and item.node.kind in (*_HOLDING, "function"))
            or (side == "sub" and _is_constructor(item.node, item.edge))
        ]
        if side == "super":
            reached += await _implicit_above(stored, meant, {node.node_id for node, *_ in reached})
        if side == "sub":
            reached += await _implicit_below(stored, meant, {node.node_id for node, *_ in reached})
            reached += [(each, 1, 1.0, ()) for each in await _specialised(stored, meant)]
            below = {node.node_id for node, *_ in reached}
            structural = await _structural(stored, meant, lines, below, found)
            reached += [(node, 1, STRUCTURAL_SCORE, ()) for node in structural]
        await lines.load(node.path for node, *_ in reached)
        items = []
        for node, distance, score, via in reached:
            made = definition_item(node, lines, score=score)
            made.kind, made.depth = f"{side}type", distance
            made.via = [step.qualname for step in via]
            items.append(made)
            nodes.append(node)
        await with_details(stored, items, nodes)
        if side == "sub":
            items += await _without_definition(stored, meant.nodes, lines, "subtype")
            items += await _by_macros(stored, meant.nodes, lines, "subtype", below)
        items.sort(key=lambda item: (item.depth, item.path, item.line))
        found.items += items
        found.cut = found.cut or walk.cut
    if not found.items and not any(map(_may_be_extended, meant.nodes)):
        node = meant.nodes[0]
        found.notice, found.incomplete = f"{node.key} is a {node.kind}: it is no type", True
    return found


def _may_be_extended(node: Node) -> bool:
    return node.kind in (*traverse.TYPE_KINDS, *_MODULES) or node.kind == "type_alias"


async def _specialised(stored: StoredGraph, meant: NameMeaning) -> list[Node]:
    """Other definitions of the same name that extend a type themselves: a template of C++ and each
    specialisation of it. Edges begin at the first."""
    asked = [n.node_id for n in meant.nodes if n.kind in traverse.TYPE_KINDS]
    edges = await stored.uses(asked, [KIND_CODES["inheritance"]]) if asked else []
    around = await stored.by_id(edge.source for edge in edges)
    outside: dict[str, set[tuple[str, int]]] = {}
    for edge in edges:
        source = around.get(edge.source)
        if source is not None and not source.start_line <= edge.line <= source.end_line:
            outside.setdefault(source.path, set()).add((source.qualname, edge.line))
    return [
        node
        for path, places in outside.items()
        for node in await stored.inside(path)
        if any(
            node.qualname == name and node.start_line <= line <= node.end_line
            for name, line in places
        )
    ]


async def _structural(
    stored: StoredGraph, meant: NameMeaning, lines: LineReader, known: set[int], into: MatchedItems
) -> list[Node]:
    """What has the members of an interface without naming it, or the one that is asked about; the
    answer says so, and where lambdas may implement it."""
    found: dict[int, Node] = {}
    missing: list[str] = []
    for node in meant.nodes:
        is_member = "." in node.qualname and node.kind not in traverse.TYPE_KINDS
        around = node.qualname.rpartition(".")[0]
        asked = await stored.qualified(node.path, around) if is_member else [node]
        await lines.load([node.path])
        matches = [await satisfying(stored, each, lines) for each in asked]
        alike = [each for match in matches for each in match.nodes]
        if is_member:
            there = {(each.path, f"{each.qualname}.{node.name}") for each in alike}
            alike = list((await stored.placed(there)).values())
        found |= {each.node_id: each for each in alike if each.node_id not in known}
        missing += (match.missing for match in matches if match.missing)
    reasons = [notice_of(len(found))] if found else []
    reasons += dict.fromkeys(missing)
    if lambdas := await lambdas_missing(stored, meant.nodes, lines):
        reasons.append(lambdas)
    if reasons:
        into.notice, into.incomplete = "; ".join(reasons), True
    return list(found.values())


def _is_constructor(node: Node, edge: EdgeAt | None) -> bool:
    """Whether what extends something is a function that makes objects, or a table: its base is
    given to it outside of it, as `Box.prototype = Object.create(Base.prototype)`."""
    makes = node.kind == "function" and node.path.endswith(_SCRIPTS)
    is_table = node.kind == "variable" and node.path.endswith(".lua")
    if edge is None or not (makes or is_table):
        return False
    return edge.path != node.path or not node.start_line <= edge.line <= node.end_line


def _is_type(node: Node) -> bool:
    """Whether what extends something is a type: a file is none, nor what is around a type, and a
    module only where such are (Ruby's that include others, Elixir's that implement behaviours)."""
    if not node.qualname or node.kind not in _NO_TYPES:
        return bool(node.qualname)
    is_module = node.kind in _MODULES
    return is_module and traits_of(language_of_path(node.path) or "").modules_are_types


async def _without_definition(
    stored: StoredGraph, nodes: Sequence[Node], lines: LineReader, kind: str
) -> list[GraphItem]:
    """What is below a type and has no definition: classes without a name, and types of elsewhere
    that something is implemented for (strings, references, whatever a type parameter may be).
    Each is where that is written."""
    asked = [n.node_id for n in nodes if n.kind in traverse.TYPE_KINDS]
    edges = await stored.uses(asked, [KIND_CODES["inheritance"]]) if asked else []
    around = await stored.by_id(edge.source for edge in edges)
    await lines.load(edge.path for edge in edges)
    items = []
    for edge in edges:
        source = around.get(edge.source)
        pattern = _FOREIGN.get(edge.path[edge.path.rfind(".") :])
        if source and (_is_type(source) or _is_constructor(source, edge)):
            continue
        if source and source.kind == "macro":
            continue  # it writes that into other modules
        named = pattern.match(lines.get(edge.path, edge.line) or "") if pattern else None
        made = use_item(edge, None)
        made.text = lines.get(edge.path, edge.line)
        made.kind, made.symbol_kind, made.depth = kind, "type", 1
        if pattern is None:
            made.symbol = _ANONYMOUS
            made.is_test = made.is_test or bool(source and source.is_test)
        else:
            made.symbol = named["type"] if named else ""
        items.append(made)
    return items


async def _by_macros(
    stored: StoredGraph, nodes: Sequence[Node], lines: LineReader, kind: str, known: set[int]
) -> list[GraphItem]:
    """What macros implement a trait for: types of the project where they are defined, others where
    they are handed to the macro."""
    items, types = [], []
    for made in await implemented_by_macros(stored, nodes, lines):
        if made.node is not None and made.node.kind in traverse.TYPE_KINDS:
            if made.node.node_id not in known:
                known.add(made.node.node_id)
                types.append(made.node)
            continue
        items.append(
            GraphItem(
                path=made.path, line=made.line, column=made.column, end_column=made.column,
                kind=kind, symbol=made.type_text, symbol_kind="type", depth=1,
                language=language_of_path(made.path), text=lines.get(made.path, made.line),
            )
        )  # fmt: skip
    await lines.load(node.path for node in types)
    found = [definition_item(node, lines, score=BY_MACRO_SCORE) for node in types]
    for item in found:
        item.kind, item.depth = kind, 1
    await with_details(stored, found, types)
    return items + found


async def _implicit_below(
    stored: StoredGraph, meant: NameMeaning, known: set[int]
) -> list[tuple[Node, int, float, tuple[Node, ...]]]:
    """Go's types that have all methods of an interface without saying so."""
    return [
        (implicit, 1, IMPLICIT_SCORE, ())
        for node in meant.nodes
        if node.kind == "interface" and node.path.endswith(".go")
        for implicit in await implementing(stored, node)
        if implicit.node_id not in known
    ]


async def _implicit_above(
    stored: StoredGraph, meant: NameMeaning, known: set[int]
) -> list[tuple[Node, int, float, tuple[Node, ...]]]:
    """Go's interfaces that a type has all methods of without saying so."""
    return [
        (implicit, 1, IMPLICIT_SCORE, ())
        for node in meant.nodes
        if node.kind in ("struct", "type") and node.path.endswith(".go")
        for implicit in await implemented_by(stored, node)
        if implicit.node_id not in known
    ]


async def implementations(
    stored: StoredGraph, meant: NameMeaning, lines: LineReader
) -> MatchedItems:
    """Subtypes of a type, overrides of a method; for Go, types with all of its methods."""
    nodes: dict[int, tuple[Node, int, float]] = {}
    answer = MatchedItems([])
    for node in meant.nodes:
        if node.kind in traverse.TYPE_KINDS or (node.kind in _MODULES and _is_type(node)):
            walk = await traverse.subtypes(stored, [node], 20)
            answer.cut = answer.cut or walk.cut
            for reached in walk.reached:
                if _is_type(reached.node) or _is_constructor(reached.node, reached.edge):
                    nodes[reached.node.node_id] = (reached.node, reached.depth, 1.0)
            if node.kind == "interface" and node.path.endswith(".go"):
                for implicit in await implementing(stored, node):
                    nodes.setdefault(implicit.node_id, (implicit, 1, IMPLICIT_SCORE))
        elif "." in node.qualname:
            overrides, cut = await _overrides(stored, node)
            answer.cut = answer.cut or cut
            for override, depth, score in overrides:
                nodes.setdefault(override.node_id, (override, depth, score))
    for node in await _structural(stored, meant, lines, set(nodes), answer):
        nodes[node.node_id] = (node, 1, STRUCTURAL_SCORE)
    await lines.load(node.path for node, *_ in nodes.values())
    items = answer.items
    for node, depth, score in nodes.values():
        made = definition_item(node, lines, score=score)
        made.depth = depth
        items.append(made)
    await with_details(stored, items, [node for node, _, _ in nodes.values()])
    items += await _without_definition(stored, meant.nodes, lines, "definition")
    items += await _by_macros(stored, meant.nodes, lines, "definition", set(nodes))
    items.sort(key=lambda item: (item.depth, item.path, item.line))
    return answer


async def _of_instances(stored: StoredGraph, classes: Sequence[Node], name: str) -> list[Node]:
    """What instances of classes (Haskell) define by a name: it is called as in the class, in any
    file that has an instance."""
    edges = await stored.uses([each.node_id for each in classes], [KIND_CODES["inheritance"]])
    endings = tuple({f"{each.name}.{name}" for each in classes})
    return [
        node
        for path in dict.fromkeys(edge.path for edge in edges)
        for node in await stored.inside(path)
        if node.name == name
        and node.qualname.endswith(endings)
        and not any(
            each.path == path and each.start_line <= node.line <= each.end_line for each in classes
        )
    ]


async def _overrides(stored: StoredGraph, node: Node) -> tuple[list[tuple[Node, int, float]], bool]:
    """Members of types below a member's own that have its name, and whether there may be more."""
    container, _, name = node.qualname.rpartition(".")
    owned = await stored.qualified(node.path, container)
    owners = [part for owner in owned for part in await all_parts(stored, owner)]
    walk = await traverse.subtypes(stored, owners, 20)
    below = {(item.node.path, item.node.qualname): item.depth for item in walk.reached}
    depths = {item.node.node_id: item.depth for item in walk.reached}
    for mixin, user in await mixed_in_below(stored, [*owners, *(i.node for i in walk.reached)]):
        below.setdefault((mixin.path, mixin.qualname), depths.get(user.node_id, 1))
    if node.path.endswith(".go"):
        for owner in owners:
            below |= {(i.path, i.qualname): 1 for i in await implementing(stored, owner)}
    found = []
    if node.path.endswith(".hs"):
        found += [(each, 1, 1.0) for each in await _of_instances(stored, owners, name)]
    for other in await stored.named(name):
        owner_name = other.qualname.rpartition(".")[0]
        depth = below.get((other.path, owner_name))
        if depth is None and node.path.endswith((".go", ".rs")):
            depth = next((d for (_, q), d in below.items() if q == owner_name), None)
        if depth is not None and other.node_id != node.node_id:
            found.append((other, depth, 1.0))
    types = [*owners, *(item.node for item in walk.reached)]
    for other in await constants_members(stored, types, name):
        found.append((other, depths.get(other.node_id, 1), 1.0))
    return found, walk.cut
