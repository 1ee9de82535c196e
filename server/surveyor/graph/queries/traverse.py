"""Walking the stored graph: callers, callees, subtypes, and everything that depends on something.

Breadth first, each node once, so cycles end by themselves; every node reached remembers the way.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace

from surveyor.files.file_class import DECLARING
from surveyor.graph.queries.lookup import CALL_KINDS, EdgeAt, Node, StoredGraph
from surveyor.graph.queries.structure import INHERITANCE, TYPE_KINDS, overriding, unnamed_uses
from surveyor.graph.resolve.certainty import CERTAIN
from surveyor.store.state.graph.edges import MAX_USES
from surveyor.store.state.graph.records import AT_ONCE
from surveyor.store.state.question_threads import aside

__all__ = [
    "TYPE_KINDS",
    "WALK_CUT",
    "ReachedNode",
    "called_among",
    "callees",
    "callers",
    "dependants",
    "depends_on",
    "subtypes",
    "supertypes",
]

MAX_REACHED = 3000
"""Nodes that one walk reaches; what lies further is counted as cut."""
WALK_CUT = f"the walk ended at {MAX_REACHED:,} definitions, or {MAX_USES:,} uses, there may be more"
"""What an answer says of itself then."""
IMPORT_WEIGHT = 0.3
"""Of an import against a use that is seen."""
DECAY = 0.5
"""What is one step further away counts half."""
_WEIGHTS = {"call": 1.0, "instantiation": 1.0, "inheritance": 1.0, "implicit": 0.8, "write": 0.8,
            "type": 0.6, "read": 0.6, "contains": 0.8, "overridden": 0.6, "overrides": 0.9,
            "import": IMPORT_WEIGHT}  # fmt: skip


@dataclass(frozen=True, slots=True)
class ReachedNode:
    """A node, how it was reached and from where."""

    node: Node
    depth: int
    edge: EdgeAt | None
    """The edge of the last step; None for an import of a whole file."""
    previous: Node
    """The node before it on the way."""
    via: tuple[Node, ...]
    """Nodes strictly between the start and this."""
    score: float
    through: Node | None = None
    """The class by which alone it is reached: nothing names the method that was asked about."""


@dataclass(slots=True)
class TraversalResult:
    """Everything reached, best first, and whether there was more."""

    reached: list[ReachedNode] = field(default_factory=list)
    edges: list[tuple[Node, Node, EdgeAt | None]] = field(default_factory=list)
    """(user, used, edge) of every edge seen between reached nodes."""
    cut: bool = False

    def with_others(self, other: TraversalResult) -> TraversalResult:
        """Both, and once only what both have reached."""
        seen = {item.node.node_id for item in self.reached}
        return TraversalResult(
            [*self.reached, *(item for item in other.reached if item.node.node_id not in seen)],
            [*self.edges, *other.edges],
            self.cut or other.cut,
        )


async def callers(stored: StoredGraph, start: Sequence[Node], depth: int) -> TraversalResult:
    """What calls these, and what calls that."""
    return await _backward(stored, start, depth, CALL_KINDS, files=False)


async def callees(stored: StoredGraph, start: Sequence[Node], depth: int) -> TraversalResult:
    """What these call, and what that calls."""
    return await _forward(stored, start, depth, CALL_KINDS)


def called_among(walk: TraversalResult, local: Sequence[Node]) -> list[ReachedNode]:
    """Those of a function's own local definitions that a walk began from as well, and that it or
    another one of them calls: each once, as one step away."""
    wanted = {node.node_id for node in local}
    found: dict[int, ReachedNode] = {}
    for user, used, edge in walk.edges:
        if used.node_id in wanted and user.node_id != used.node_id and edge is not None:
            reached = ReachedNode(used, 1, edge, user, (), _WEIGHTS[edge.kind] * edge.score)
            found.setdefault(used.node_id, reached)
    return list(found.values())


async def supertypes(stored: StoredGraph, start: Sequence[Node], depth: int) -> TraversalResult:
    """What these types extend."""
    return await _forward(stored, start, depth, INHERITANCE)


async def subtypes(stored: StoredGraph, start: Sequence[Node], depth: int) -> TraversalResult:
    """What extends these types."""
    return await _backward(stored, start, depth, INHERITANCE, files=False)


async def dependants(
    stored: StoredGraph, start: Sequence[Node], depth: int, asked: Sequence[Node] | None = None
) -> TraversalResult:
    """Everything that uses these, in any way, files that import their files included.

    What is reached without being named is followed too, at no distance of its own: a function that
    another one contains, and a method that stands for the one it overrides. Of the start only for
    those of `asked`. What uses the class of a method that nothing names comes last, and says so.
    """
    by_class: list[tuple[Node, Node, int]] = []
    walk = await _backward(stored, start, depth, (), files=True, asked=asked, by_class=by_class)
    for holder, method, level in by_class:
        if any(item.node.node_id == holder.node_id for item in walk.reached):
            continue
        walk = walk.with_others(await _through_class(stored, holder, method, level, depth))
    return walk


async def _through_class(
    stored: StoredGraph, holder: Node, method: Node, level: int, depth: int
) -> TraversalResult:
    """What uses a class, seen from a method of it that is reached in `level` steps."""
    walk = await _backward(stored, [holder], depth - level + 1, (), files=True)
    edge = _contains(holder, method)
    found = [ReachedNode(holder, level, edge, method, (), _WEIGHTS["contains"], holder)]
    for item in walk.reached:
        via = (holder, *item.via)
        score = item.score * DECAY
        found.append(
            replace(item, depth=item.depth + level - 1, via=via, score=score, through=holder)
        )
    return TraversalResult(found, [(holder, method, edge), *walk.edges], walk.cut)


def _contains(holder: Node, method: Node) -> EdgeAt:
    place = (holder.path, holder.line, holder.column, holder.end_column, "contains")
    return EdgeAt(*place, holder.node_id, method.node_id, 1.0, holder.file_id, holder.is_test)


async def depends_on(stored: StoredGraph, start: Sequence[Node], depth: int) -> TraversalResult:
    """Everything that these use."""
    return await _forward(stored, start, depth, (), files=True)


async def _backward(
    stored: StoredGraph,
    start: Sequence[Node],
    depth: int,
    kinds: Sequence[int],
    *,
    files: bool,
    asked: Sequence[Node] | None = None,
    by_class: list[tuple[Node, Node, int]] | None = None,
) -> TraversalResult:
    """`by_class` takes (class, its method, level) of methods that nothing but the class may run."""
    walk = _Traversal(start)
    frontier = list(start)
    unnamed = list(start if asked is None else asked)
    """Nodes of the frontier that may be reached without being named."""
    chained = {node.node_id for node in start}
    """What was asked about, and the files that import such a file."""
    for level in range(1, depth + 1):
        if not frontier:
            break
        # What a method overrides is not asked about: that its class has other users says nothing.
        by_itself = {node.node_id for node in unnamed} if level == 1 else set()
        while files and unnamed:
            around, classes = await unnamed_uses(stored, unnamed, by_itself)
            if by_class is not None:
                by_class += [(user, used, level) for user, used, _ in classes]
            if level == 1:
                holds = (user for user, _, edge in around if edge and edge.kind == "contains")
                by_itself |= {user.node_id for user in holds}
            unnamed = await walk.step(around, level, lambda user, used: (user, used))
            frontier += unnamed
        by_id = {node.node_id: node for node in frontier}
        edges = await stored.uses(list(by_id), kinds)
        walk.result.cut |= len(edges) >= MAX_USES
        if files:
            # A method is reached through its class too: those who extend it see it.
            edges = [edge for edge in edges if edge.kind != "import" or level == 1]
        sources = await stored.by_id(edge.source for edge in edges)
        tops = await stored.files(edge.file_id for edge in edges if not edge.source)
        found: list[tuple[Node, Node, EdgeAt | None]] = []
        for edge in edges:
            user = sources.get(edge.source) if edge.source else tops.get(edge.file_id)
            if user is not None:
                found.append((user, by_id[edge.target], edge))
        if files and level == 1:
            found += await overriding(stored, start if asked is None else asked)
        if files:
            importers = await _importers(stored, frontier)
            chained |= {user.node_id for user, used, _ in importers if used.node_id in chained}
            found += importers
        frontier = await walk.step(found, level, lambda user, used: (user, used))
        # That a file brings a name in changes nothing for those who import the file.
        brings = {user.node_id for user, _, edge in found if edge and edge.kind == "import"}
        does = {user.node_id for user, _, edge in found if edge and edge.kind != "import"}
        frontier = [node for node in frontier if node.node_id not in brings - does - chained]
        unnamed = list(frontier)
    return walk.result


async def _importers(
    stored: StoredGraph, frontier: Sequence[Node]
) -> list[tuple[Node, Node, EdgeAt | None]]:
    """Files that import the files among these nodes."""
    whole = {node.file_id: node for node in frontier if not node.qualname}
    if not whole:
        return []
    pairs = dict.fromkeys(
        (each.file_id, each.other_id) for each in await stored.imports(list(whole), "in")
    )
    users = await stored.files(user for _, user in pairs)
    return [(users[user], whole[used], None) for used, user in pairs if user in users]


async def _forward(
    stored: StoredGraph,
    start: Sequence[Node],
    depth: int,
    kinds: Sequence[int],
    *,
    files: bool = False,
) -> TraversalResult:
    walk = _Traversal(start)
    frontier = list(start)
    for level in range(1, depth + 1):
        if not frontier:
            break
        by_id = {node.node_id: node for node in frontier}
        edges = await stored.used(list(by_id), kinds)
        walk.result.cut |= len(edges) >= MAX_USES
        whole = {node.file_id: node for node in frontier if not node.qualname}
        found: list[tuple[Node, Node, EdgeAt | None]] = []
        if whole and files:
            edges += [e for e in await stored.of_files(list(whole), kinds) if not e.source]
        targets = await stored.by_id(edge.target for edge in edges)
        for edge in edges:
            user = by_id.get(edge.source) or whole.get(edge.file_id)
            used = targets.get(edge.target)
            if user is not None and used is not None:
                found.append((used, user, edge))
        if files:
            for file_id, node in whole.items():
                imported = await stored.files(await stored.imported_by(file_id))
                for used in imported.values():
                    found.append((used, node, None))
        frontier = await walk.step(found, level, lambda used, user: (user, used))
    return _without_declarations(walk.result)


def _without_declarations(walk: TraversalResult) -> TraversalResult:
    """A function that a header declares and another file defines is one thing: the definition."""
    defined = {
        item.node.qualname: item.node
        for item in walk.reached
        if item.node.qualname and not item.node.path.endswith(DECLARING)
    }

    def real(node: Node) -> Node:
        of = defined.get(node.qualname) if node.path.endswith(DECLARING) else None
        return of if of is not None and node.kind == of.kind else node

    edges = [(real(user), real(used), edge) for user, used, edge in walk.edges]
    reached = [item for item in walk.reached if real(item.node) is item.node]
    return TraversalResult(reached, list(dict.fromkeys(edges)), walk.cut)


class _Traversal:
    """The nodes reached so far, at most `MAX_REACHED`."""

    def __init__(self, start: Iterable[Node]) -> None:
        self.result = TraversalResult()
        self._start = {node.node_id for node in start}
        self._seen: dict[int, ReachedNode | None] = dict.fromkeys(self._start)

    async def step(
        self,
        found: Sequence[tuple[Node, Node, EdgeAt | None]],
        level: int,
        direction: Callable[[Node, Node], tuple[Node, Node]],
    ) -> list[Node]:
        """Take the edges (new node, node it was reached from, edge); the next frontier."""
        if len(found) <= AT_ONCE:
            return self._step(found, level, direction)
        return await aside(self._step, found, level, direction)

    def _step(
        self,
        found: Sequence[tuple[Node, Node, EdgeAt | None]],
        level: int,
        direction: Callable[[Node, Node], tuple[Node, Node]],
    ) -> list[Node]:
        best: dict[int, ReachedNode] = {}
        for node, previous, edge in found:
            user, used = direction(node, previous)
            self.result.edges.append((user, used, edge))
            if node.node_id in self._seen:
                continue
            before = self._seen.get(previous.node_id)
            weight = _WEIGHTS[edge.kind] * edge.score if edge is not None else IMPORT_WEIGHT
            score = (before.score * DECAY if before else 1.0) * weight
            via = (*before.via, previous) if before else ()
            reached = ReachedNode(node, level, edge, previous, via, score)
            if node.node_id not in best or best[node.node_id].score < score:
                best[node.node_id] = reached
        ordered = sorted(best.values(), key=lambda item: -importance(item))
        room = MAX_REACHED - len(self.result.reached)
        if len(ordered) > room:
            self.result.cut = True
            ordered = ordered[: max(room, 0)]
        for item in ordered:
            self._seen[item.node.node_id] = item
        self.result.reached += ordered
        # Candidates by name only are shown and not followed: a guess upon a guess says nothing.
        return [i.node for i in ordered if i.edge is None or i.edge.score >= CERTAIN]


def importance(item: ReachedNode) -> float:
    """Near, certain and much-used first."""
    return item.score * (1.0 + math.log1p(max(item.node.rank, 0.0)))
