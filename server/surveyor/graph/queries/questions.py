"""Answers from the stored graph: definition, references, callers, callees, hierarchy, outline.

Each takes what was meant (`names.Meant`) and gives items; what is sure about them is theirs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from surveyor.graph.facts import KIND_CODES, KIND_NAMES
from surveyor.graph.queries import traverse
from surveyor.graph.queries.items import (
    Lines,
    definition_item,
    language_of_path,
    reached_item,
    use_item,
    with_details,
)
from surveyor.graph.queries.lookup import EdgeAt, Node, Stored
from surveyor.graph.queries.names import Meant
from surveyor.graph.queries.picture import picture as draw
from surveyor.graph.queries.structure import overridden
from surveyor.graph.resolve.model import family
from surveyor.graph.resolve.resolver import CERTAIN
from surveyor.graph.resolve.tree import EXTERNAL
from surveyor.protocol.enumerations import Picture
from surveyor.protocol.graph import GraphItem, UnresolvedImport

__all__ = [
    "Found",
    "callees",
    "callers",
    "definition",
    "dependencies",
    "outline",
    "references",
    "unresolved_imports",
]


@dataclass(slots=True)
class Found:
    """Items before they are cut to a limit."""

    items: list[GraphItem]
    cut: bool = False
    picture: str | None = None
    nodes: list[Node] = field(default_factory=list)
    notice: str | None = None


async def definition(stored: Stored, meant: Meant, lines: Lines) -> Found:
    """Where it is defined; what an import or a call at the asked place means."""
    score = meant.place.score if meant.place else 1.0
    nodes = [*meant.nodes, *await stored.overloads(meant.nodes)]
    if meant.place is None and len(nodes) > len(meant.nodes):
        places = {(node.path, node.line, node.column): node for node in nodes}
        nodes = sorted(places.values(), key=lambda node: (node.path, node.line, node.column))
    items = [definition_item(node, lines, score=score) for node in nodes]
    await with_details(stored, items, nodes)
    return Found(items)


async def references(stored: Stored, meant: Meant, lines: Lines, kinds: Sequence[str]) -> Found:
    """All uses, by file and line; imports of a file where a file was asked about."""
    codes = [KIND_CODES[kind] for kind in kinds if kind in KIND_CODES]
    edges = await stored.uses([node.node_id for node in meant.nodes], codes)
    edges = _once(edges)
    around = await stored.by_id(edge.source for edge in edges)
    items = [use_item(edge, around.get(edge.source), lines) for edge in edges]
    for node in meant.nodes:
        if not node.qualname:
            items += await _imports_of(stored, node, lines)
    items.sort(key=lambda item: (item.score < 0.5, item.path, item.line, item.column))
    return Found(items)


def _once(edges: Sequence[EdgeAt]) -> list[EdgeAt]:
    """A place that uses a declaration and its definition is one place."""
    best: dict[tuple[str, int, int], EdgeAt] = {}
    for edge in edges:
        key = (edge.path, edge.line, edge.column)
        if key not in best or best[key].score < edge.score:
            best[key] = edge
    return list(best.values())


async def _imports_of(stored: Stored, node: Node, lines: Lines) -> list[GraphItem]:
    rows = await stored.state.read(
        """SELECT f.path, f.is_test, i.line, i.module FROM graph_imports i
           JOIN graph_files f ON f.file_id = i.file_id
           WHERE i.target = ? ORDER BY f.path, i.line""",
        (node.file_id,),
    )
    return [
        GraphItem(
            path=row["path"],
            line=row["line"],
            column=0,
            end_column=0,
            kind="import",
            symbol="",
            symbol_kind="file",
            is_test=bool(row["is_test"]),
            target=node.path,
            text=lines.get(row["path"], row["line"]) or row["module"],
        )
        for row in rows
    ]


async def callers(
    stored: Stored, meant: Meant, lines: Lines, depth: int, picture: Picture | None
) -> Found:
    """What calls it, nearest first."""
    start = await _callable(stored, meant.nodes)
    walk = await traverse.callers(stored, start, depth)
    items = [reached_item(item, lines, backward=True) for item in walk.reached if item.edge]
    # Every call of a direct caller is a place of its own.
    direct = {n.node_id for n in start}
    known = {(item.path, item.line, item.column) for item in items}
    for user, used, edge in walk.edges:
        if edge is None or used.node_id not in direct:
            continue
        if (edge.path, edge.line, edge.column) not in known:
            known.add((edge.path, edge.line, edge.column))
            items.append(use_item(edge, user, lines, target=used))
    items.sort(key=lambda item: (item.depth, item.score < 0.5, item.path, item.line, item.column))
    drawn = None
    if picture:
        drawn = draw(picture, [(user, used) for user, used, _ in walk.edges], meant.nodes)
    notice = None
    if not items and (above := await overridden(stored, meant.nodes)):
        # `db->Get()` calls what a variable of the base's type holds.
        notice = (
            f"it may be called as {', '.join(node.key for node in above[:3])}, which it overrides"
        )
    return Found(items, cut=walk.cut, picture=drawn, notice=notice)


async def _callable(stored: Stored, nodes: Sequence[Node]) -> list[Node]:
    """A constructor is called by the name of its class."""
    found = list(nodes)
    for node in nodes:
        if node.kind == "constructor" and "." in node.qualname:
            found += await stored.nodes(
                "f.path = ? AND n.qualname = ?", node.path, node.qualname.rpartition(".")[0]
            )
    return found


async def callees(
    stored: Stored, meant: Meant, lines: Lines, depth: int, picture: Picture | None
) -> Found:
    """What it calls, in the order of the calls."""
    start = list(meant.nodes)
    for node in meant.nodes:
        inner = node.qualname + "."
        if node.qualname:
            start += [n for n in await stored.inside(node.path) if n.qualname.startswith(inner)]
    walk = await traverse.callees(stored, start, depth)
    items = [reached_item(item, lines, backward=False) for item in walk.reached if item.edge]
    order = {
        item.node.node_id: (item.depth, item.edge.line if item.edge else 0) for item in walk.reached
    }
    nodes = {(i.node.path, i.node.line, i.node.column): i.node for i in walk.reached}
    items.sort(key=lambda item: order[nodes[item.path, item.line, item.column].node_id])
    await with_details(stored, items, nodes.values())
    drawn = None
    if picture:
        drawn = draw(picture, [(user, used) for user, used, _ in walk.edges], meant.nodes)
    return Found(items, cut=walk.cut, picture=drawn)


async def outline(stored: Stored, path: str, lines: Lines) -> Found:
    """A file's definitions in order."""
    nodes = await stored.inside(path)
    items = [definition_item(node, lines) for node in nodes]
    for item in items:
        item.depth = item.symbol.count(".") + 1
    await with_details(stored, items, nodes)
    return Found(items)


async def dependencies(
    stored: Stored, node: Node, lines: Lines, direction: str, depth: int
) -> Found:
    """Files that a file imports, or that import it, level by level.

    In languages where a package or autoloading makes an import unnecessary, also those whose
    types, functions and constants it names; `kind` is then how.
    """
    seen = {node.file_id}
    frontier = [node]
    items: list[GraphItem] = []
    for level in range(1, depth + 1):
        found = await _imports(stored, frontier, direction)
        shared = [each for each in frontier if language_of_path(each.path) in _SHARED_SCOPE]
        for one, more in (await _named_without_import(stored, shared, direction)).items():
            found.setdefault(one, []).extend(more)
        others = await stored.files(
            row[0] for rows in found.values() for row in rows if row[0] not in seen
        )
        following: list[Node] = []
        for current in frontier:
            for file_id, line, text, kind in found.get(current.file_id, ()):
                other = others.get(file_id)
                if other is None or other.file_id in seen:
                    continue
                seen.add(other.file_id)
                following.append(other)
                item = definition_item(other)
                item.kind, item.depth, item.target = kind, level, current.path
                place = other.path if direction == "in" else current.path
                item.text = lines.get(place, line) or text
                if direction == "in":
                    item.line = line
                items.append(item)
        frontier = following
        if not frontier:
            break
    return Found(items)


_SHARED_SCOPE = frozenset({"java", "csharp", "php", "go", "ruby"})
"""Languages whose files see each other without an import."""
_Dependency = tuple[int, int, str, str]
"""(the other file, line of the one that depends, what it says if that cannot be read, kind)."""


async def _imports(
    stored: Stored, nodes: Sequence[Node], direction: str
) -> dict[int, list[_Dependency]]:
    """Imports of, or of each of, these files, by the file's id."""
    mine, theirs = ("file_id", "target") if direction == "out" else ("target", "file_id")
    found: dict[int, list[_Dependency]] = {}
    for row in await stored.of_many(
        f"""SELECT {mine}, {theirs}, line, module FROM graph_imports
            WHERE {mine} IN (%s) AND target IS NOT NULL
            ORDER BY line, file_id, ordinal""",
        [node.file_id for node in nodes],
    ):
        found.setdefault(int(row[0]), []).append((int(row[1]), int(row[2]), str(row[3]), "import"))
    return found


async def _named_without_import(
    stored: Stored, nodes: Sequence[Node], direction: str
) -> dict[int, list[_Dependency]]:
    """Other files whose definitions are named, by the first place that does, by the file's id."""
    mine, theirs = ("e", "n") if direction == "out" else ("n", "e")
    types = ", ".join(f"'{kind}'" for kind in sorted(traverse.TYPE_KINDS))
    found: dict[int, list[_Dependency]] = {}
    # SQLite takes the other columns from the row that has the minimum.
    for row in await stored.of_many(
        f"""SELECT {mine}.file_id, {theirs}.file_id, e.line, n.name, e.kind,
                   min(e.line * {_COLUMNS} + e."column") AS place
            FROM graph_edges e JOIN graph_nodes n ON n.node_id = e.target
            WHERE {mine}.file_id IN (%s) AND n.file_id != e.file_id AND e.score >= {CERTAIN}
              AND (n.kind IN ({types}) OR instr(n.qualname, '.') = 0)
            GROUP BY {mine}.file_id, {theirs}.file_id ORDER BY place, e.file_id, n.file_id""",
        [node.file_id for node in nodes],
    ):
        found.setdefault(int(row[0]), []).append(
            (int(row[1]), int(row[2]), str(row[3]), KIND_NAMES[row[4]])
        )
    return found


_COLUMNS = 1 << 20
"""More than any line has: orders places by line, then column, in one number."""


async def unresolved_imports(
    stored: Stored, paths: Sequence[str], limit: int
) -> tuple[list[UnresolvedImport], int]:
    """Imports of these files that no file was found for, in their order, at most `limit`.

    And the number of those in the same languages that are not listed and cannot be computed: each
    of them, wherever it is in the project, may mean any file. Installed packages are in neither.
    """
    rows = await stored.state.read(
        """SELECT f.path, i.line, i.module, i.kind, i.reason FROM graph_imports i
           JOIN graph_files f ON f.file_id = i.file_id
           WHERE f.checkout_id = ? AND i.target IS NULL AND i.reason NOT IN ('', ?)
           ORDER BY f.path, i.line""",
        (stored.checkout_id, EXTERNAL),
    )
    place = {path: position for position, path in enumerate(dict.fromkeys(paths))}
    found: dict[tuple[str, int, str], UnresolvedImport] = {}
    for row in rows:
        item = UnresolvedImport(**{key: row[key] for key in UnresolvedImport.__struct_fields__})
        found.setdefault((item.path, item.line, item.module), item)
    near = sorted(
        (item for item in found.values() if item.path in place), key=lambda item: place[item.path]
    )
    listed = near[:limit]
    families = {family(language_of_path(path) or "") for path in place}
    shown = {id(item) for item in listed}
    elsewhere = sum(
        item.kind == "dynamic"
        and id(item) not in shown
        and family(language_of_path(item.path) or "") in families
        for item in found.values()
    )
    return listed, elsewhere
