"""Answers from the stored graph: definition, references, callers, callees, hierarchy, outline.

Each takes what was meant (`names.NameMeaning`) and gives items; what is sure about them is theirs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from surveyor.graph.facts import KIND_CODES, KIND_NAMES
from surveyor.graph.languages import traits_of
from surveyor.graph.queries import traverse
from surveyor.graph.queries.diagrams import draw
from surveyor.graph.queries.handed_over import named_without_call
from surveyor.graph.queries.items import (
    LineReader,
    definition_item,
    reached_item,
    use_item,
    use_order,
    with_details,
)
from surveyor.graph.queries.lookup import (
    EdgeAt,
    Node,
    OmittedUses,
    StoredGraph,
    answer_order,
    first_places,
    language_of_path,
)
from surveyor.graph.queries.names import NameMeaning
from surveyor.graph.resolve.certainty import CERTAIN
from surveyor.graph.resolve.tree import EXTERNAL
from surveyor.graph.resolve.values import CALLABLE_KINDS
from surveyor.protocol.graph import Drawing, GraphItem, UnresolvedImport
from surveyor.store.state.graph import imports
from surveyor.store.state.graph.edges import dependencies_by_name
from surveyor.store.state.question_threads import aside
from surveyor.units import counted

__all__ = [
    "MatchedItems",
    "callees",
    "callers",
    "definition",
    "dependencies",
    "outline",
    "references",
    "unresolved_imports",
]


Direction = Literal["in", "out"]
_NAMING = tuple(kind for kind in KIND_NAMES if kind != "implicit")
"""Uses that have the name, unless others are asked for."""

_READ = KIND_CODES["read"]
_COMPUTED = "dynamic"
"""Kind of an import by a call, whose module may be anything."""


@dataclass(slots=True)
class MatchedItems:
    """Items before they are cut to a limit."""

    items: list[GraphItem]
    cut: bool = False
    drawing: Drawing | None = None
    nodes: list[Node] = field(default_factory=list)
    notice: str | None = None
    incomplete: bool = False
    """Whether there may be more, or less: `notice` says why."""
    others: OmittedUses = field(default_factory=OmittedUses)
    """Uses that no items were made of, because they would not be shown."""
    untold: str = ""
    """What of several functions of one name is not told apart."""


async def definition(stored: StoredGraph, meant: NameMeaning, lines: LineReader) -> MatchedItems:
    """Where it is defined; what an import or a call at the asked place means."""
    score = meant.place.score if meant.place else 1.0
    live = [node for node in meant.nodes if not node.gone]
    nodes = [*live, *await stored.overloads(live)]
    await lines.load(node.path for node in nodes)
    if meant.place is None and len(nodes) > len(live):
        places = {(node.path, node.line, node.column): node for node in nodes}
        nodes = sorted(places.values(), key=lambda node: (node.path, node.line, node.column))
    items = [definition_item(node, lines, score=score) for node in nodes]
    await with_details(stored, items, nodes)
    return MatchedItems(items)


async def references(
    stored: StoredGraph,
    meant: NameMeaning,
    kinds: Sequence[str],
    *,
    most: int | None = None,
    min_score: float = 0.0,
) -> MatchedItems:
    """All uses, those in tests last, by file and line; imports of a file where one was asked about.

    With `most` the first so many, of those that have the score, and how many others there are.
    """
    codes = [KIND_CODES[kind] for kind in kinds or _NAMING]
    targets = [node.node_id for node in meant.used]
    if most is None:
        first, others = await aside(_ordered, await stored.uses(targets, codes)), OmittedUses()
    else:
        first, others = await stored.first_uses(targets, codes, most, min_score)
    around = await stored.by_id(edge.source for edge in first)
    items = [use_item(edge, around.get(edge.source)) for edge in first]
    for node in meant.nodes:
        if not node.qualname:
            items += await _imports_of(stored, node)
    items.sort(key=use_order)
    return MatchedItems(items, others=others)


def _ordered(edges: Sequence[EdgeAt]) -> list[EdgeAt]:
    """Uses in the order of an answer, each place once."""
    return sorted(first_places(edges), key=answer_order)


async def _imports_of(stored: StoredGraph, node: Node) -> list[GraphItem]:
    return [
        GraphItem(
            path=place.path,
            line=place.line,
            column=0,
            end_column=0,
            kind="import",
            symbol="",
            symbol_kind="file",
            is_test=bool(place.is_test),
            target=node.path,
            text=place.module,
        )
        for place in await stored.import_places(node.file_id)
    ]


async def callers(
    stored: StoredGraph, meant: NameMeaning, depth: int, lines: LineReader, *, draws: bool = False
) -> MatchedItems:
    """What calls it, nearest first."""
    start = await _callable(stored, meant.used)
    walk = await traverse.callers(stored, start, depth)
    items = [reached_item(item, backward=True) for item in walk.reached if item.edge]
    # Every call of a direct caller is a place of its own.
    direct = {n.node_id for n in start}
    known = {(item.path, item.line, item.column) for item in items}
    for user, used, edge in walk.edges:
        if edge is None or used.node_id not in direct:
            continue
        if (edge.path, edge.line, edge.column) not in known:
            known.add((edge.path, edge.line, edge.column))
            items.append(use_item(edge, user, target=used))
    items.sort(key=lambda item: (item.depth, *use_order(item)))
    drawn = None
    if draws:
        drawn = draw([(user, used) for user, used, _ in walk.edges], meant.nodes)
    found = MatchedItems(items, cut=walk.cut, drawing=drawn)
    if handed := await named_without_call(stored, start, known, lines):
        places = counted(len(handed), "place names", "places name")
        first = f"{handed[0].path}:{handed[0].line}"
        said = f"{places} it without calling it ({first}): what takes it there may call it"
        found.notice, found.incomplete = said, True
    return found


async def _callable(stored: StoredGraph, nodes: Sequence[Node]) -> list[Node]:
    """A constructor is called by the name of its class, unless it has one of its own."""
    found = list(nodes)
    for node in nodes:
        if node.kind == "constructor" and "." in node.qualname and not _has_own_name(node):
            found += await stored.qualified(node.path, node.qualname.rpartition(".")[0])
    return found


def _has_own_name(constructor: Node) -> bool:
    """Whether a constructor is called by a name of its own: Dart's `Box.filled`."""
    traits = traits_of(language_of_path(constructor.path))
    around = constructor.qualname.rpartition(".")[0].rpartition(".")[2]
    return traits.named_constructors and constructor.name not in (around, "new")


async def callees(
    stored: StoredGraph, meant: NameMeaning, depth: int, *, draws: bool = False
) -> MatchedItems:
    """What it calls, in the order of the calls."""
    start = list(meant.nodes)
    local: list[Node] = []
    for node in meant.nodes:
        inner = node.qualname + "."
        if node.qualname:
            inside = [n for n in await stored.inside(node.path) if n.qualname.startswith(inner)]
            start += inside
            local += inside if node.kind in CALLABLE_KINDS else ()
    walk = await traverse.callees(stored, start, depth)
    walk.reached += traverse.called_among(walk, local)
    items = [reached_item(item, backward=False) for item in walk.reached if item.edge]
    order = {
        item.node.node_id: (item.depth, item.edge.line if item.edge else 0) for item in walk.reached
    }
    nodes = {(i.node.path, i.node.line, i.node.column): i.node for i in walk.reached}
    items.sort(key=lambda item: order[nodes[item.path, item.line, item.column].node_id])
    await with_details(stored, items, nodes.values())
    drawn = None
    if draws:
        drawn = draw([(user, used) for user, used, _ in walk.edges], meant.nodes)
    followed = [*start, *(item.node for item in walk.reached if item.depth < depth)]
    return MatchedItems(items, cut=walk.cut, drawing=drawn, nodes=followed)


async def outline(
    stored: StoredGraph, path: str, lines: LineReader, within: Node | None = None
) -> MatchedItems:
    """A file's definitions in order, or those `within` one of them, with itself."""
    nodes = await stored.inside(path)
    if within is not None:
        first, last = within.start_line, within.end_line
        nodes = [node for node in nodes if first <= node.start_line and node.end_line <= last]
    await lines.load([path])
    items = [definition_item(node, lines) for node in nodes]
    for item in items:
        item.depth = item.symbol.count(".") + 1
    await with_details(stored, items, nodes)
    return MatchedItems(items)


async def dependencies(
    stored: StoredGraph, node: Node, lines: LineReader, direction: Direction, depth: int
) -> MatchedItems:
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
        users = others.values() if direction == "in" else frontier
        await lines.load(each.path for each in users)
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
                item.line = line  # in the file that imports: `path` for "in", else `target`
                item.column = item.end_column = 0
                items.append(item)
        frontier = following
        if not frontier:
            break
    return MatchedItems(items)


_SHARED_SCOPE = frozenset(
    {"java", "csharp", "php", "go", "ruby", "elixir", "julia", "kotlin", "scala", "swift"}
)
"""Languages whose files see each other without an import."""
_Dependency = tuple[int, int, str, str]
"""(the other file, line of the one that depends, what it says if that cannot be read, kind)."""


async def _imports(
    stored: StoredGraph, nodes: Sequence[Node], direction: Direction
) -> dict[int, list[_Dependency]]:
    """Imports of, or of each of, these files, by the file's id."""
    found: dict[int, list[_Dependency]] = {}
    ids = [node.file_id for node in nodes]
    for each in await stored.imports(ids, direction):
        found.setdefault(each.file_id, []).append((each.other_id, each.line, each.module, "import"))
    return found


async def _named_without_import(
    stored: StoredGraph, nodes: Sequence[Node], direction: Direction
) -> dict[int, list[_Dependency]]:
    """Other files whose definitions are named, by the first place that does, by the file's id."""
    found: dict[int, list[_Dependency]] = {}
    ids = [node.file_id for node in nodes]
    by_modules = any(traits_of(language_of_path(n.path) or "").named_modules for n in nodes)
    kinds = sorted({*traverse.TYPE_KINDS, "module"} if by_modules else traverse.TYPE_KINDS)
    for each in await dependencies_by_name(stored.state, ids, direction, kinds, CERTAIN):
        found.setdefault(each.file_id, []).append(
            (each.other_id, each.line, each.name, KIND_NAMES[each.kind])
        )
    return found


async def unresolved_imports(
    stored: StoredGraph, paths: Sequence[str], limit: int
) -> tuple[list[UnresolvedImport], int]:
    """Imports of these files that no file was found for, in their order, at most `limit`.

    And the number of those in the same languages that are not listed and cannot be computed: each
    of them, wherever it is in the project, may mean any file. Installed packages are in neither.
    """
    rows = await imports.unresolved_imports(
        stored.state, stored.checkout_id, EXTERNAL, paths, _COMPUTED
    )
    return await aside(_listed_and_elsewhere, rows, paths, limit)


def _listed_and_elsewhere(
    rows: Sequence[imports.UnresolvedRecord], paths: Sequence[str], limit: int
) -> tuple[list[UnresolvedImport], int]:
    place = {path: position for position, path in enumerate(dict.fromkeys(paths))}
    found: dict[tuple[str, int, str], UnresolvedImport] = {}
    for row in rows:
        item = UnresolvedImport(**row._asdict())
        found.setdefault((item.path, item.line, item.module), item)
    near = sorted(
        (item for item in found.values() if item.path in place), key=lambda item: place[item.path]
    )
    listed = near[:limit]
    families = {traits_of(language_of_path(path) or "").family for path in place}
    shown = {id(item) for item in listed}
    elsewhere = sum(
        item.kind == _COMPUTED
        and id(item) not in shown
        and traits_of(language_of_path(item.path) or "").family in families
        for item in found.values()
    )
    return listed, elsewhere
