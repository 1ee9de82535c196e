"""What depends on a file, a symbol or a diff, and what that depends on: ranked and explained."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from surveyor.graph.queries import traverse
from surveyor.graph.queries.diagrams import draw
from surveyor.graph.queries.items import precision_of
from surveyor.graph.queries.lookup import Node, StoredGraph, language_of_path
from surveyor.graph.queries.traverse import TYPE_KINDS, ReachedNode, TraversalResult
from surveyor.graph.update.rank import LEAST_SCORE
from surveyor.protocol.graph import Drawing, ImpactItem
from surveyor.store.state.question_threads import aside
from surveyor.units import counted

__all__ = [
    "RankedImpact",
    "impact_of",
    "nearest",
    "tests_beyond",
    "tests_of_change",
    "with_members",
]


TESTS_FURTHER = 3
"""Steps that tests are looked for beyond the depth, where none is within it."""


@dataclass(slots=True)
class RankedImpact:
    """Inbound and outbound impact, each in order of importance."""

    inbound: list[ImpactItem]
    outbound: list[ImpactItem]
    tests: list[str]
    cut: bool
    drawing: Drawing | None


async def with_members(stored: StoredGraph, nodes: Sequence[Node]) -> list[Node]:
    """Files with all they define, types with their members: who uses a part uses the whole."""
    found = {node.node_id: node for node in nodes}
    whole = {node.path for node in nodes if not node.qualname}
    types = [node for node in nodes if node.qualname and node.kind in TYPE_KINDS]
    for path in dict.fromkeys([*whole, *(node.path for node in types)]):
        prefixes = tuple(f"{node.qualname}." for node in types if node.path == path)
        for inner in await stored.inside(path):
            if path in whole or inner.qualname.startswith(prefixes):
                found.setdefault(inner.node_id, inner)
    return list(found.values())


async def impact_of(
    stored: StoredGraph,
    subjects: Sequence[Node],
    depth: int,
    *,
    draws: bool = False,
    whole_files: bool = True,
) -> RankedImpact:
    """Walk both ways from what was asked about.

    Without `whole_files` a file stands for its top level only: an import that a diff adds changes
    nothing for those who use what the file defines, and nothing beyond those who import the file.
    """
    start, inward, inbound = await _inward(stored, subjects, depth, whole_files=whole_files)
    outward = await traverse.depends_on(stored, start, min(depth, 2))
    inside = {node.node_id for node in start}
    outbound = await aside(_items, outward, inside, backward=False)
    tests = dict.fromkeys(item.path for item in inbound if item.is_test)
    drawn = None
    if draws:
        edges = [(user, used) for user, used, _ in inward.edges]
        drawn = draw(_by_subject(edges, start, subjects), subjects)
    return RankedImpact(inbound, outbound, list(tests), inward.cut or outward.cut, drawn)


def tests_beyond(inbound: Sequence[ImpactItem], depth: int) -> str | None:
    """That tests may be further away than was looked, where the walk did not come to an end."""
    if all(item.depth < depth for item in inbound):
        return None
    steps = depth if any(item.is_test for item in inbound) else depth + TESTS_FURTHER
    return f"tests more than {counted(steps, 'step')} away are not looked for"


async def tests_of_change(stored: StoredGraph, subjects: Sequence[Node], depth: int) -> list[str]:
    """Test files that reach what a diff changed, nearest first."""
    _, _, inbound = await _inward(stored, subjects, depth, whole_files=False)
    return list(dict.fromkeys(item.path for item in inbound if item.is_test))


async def _inward(
    stored: StoredGraph, subjects: Sequence[Node], depth: int, *, whole_files: bool
) -> tuple[list[Node], TraversalResult, list[ImpactItem]]:
    """What a walk towards the users begins with, the walk, and what it reached."""
    files = [node for node in subjects if not node.qualname and not whole_files]
    others = [node for node in subjects if node.qualname or whole_files]
    start = await with_members(stored, others)
    inward = await traverse.dependants(stored, start, depth, subjects)
    if files:
        inward = inward.with_others(await traverse.dependants(stored, files, 1))
    started = {node.node_id for node in start}
    start += [node for node in files if node.node_id not in started]
    inside = {node.node_id for node in start}
    inward = await _with_tests(stored, inward)
    inbound = await aside(_items, inward, inside, backward=True)
    if inbound and not inward.cut and not any(item.is_test for item in inbound):
        further = await traverse.dependants(stored, start, depth + TESTS_FURTHER, subjects)
        further = await _with_tests(stored, further)
        reached = await aside(_items, further, inside, backward=True)
        inbound += [item for item in reached if item.is_test]
    await aside(_prefer_namesakes, inbound, subjects)
    return start, inward, inbound


_TESTS_BESIDE_CODE = {
    **dict.fromkeys(
        (".c", ".cc", ".cpp", ".cxx", ".h", ".hpp"),
        re.compile(
            r"\s*(?:(?:CATCH|DOCTEST|TYPED)_)?(?:TEST|SCENARIO|TEMPLATE_TEST|BOOST_\w*TEST)[A-Z_]*\s*\("
        ),
    ),
    ".rs": re.compile(r"\s*(?:async\s+)?fn test_\w+\s*\(\s*\)"),  # `#[test]` stands before it
    ".zig": re.compile(r"\s*test\b"),
}
"""By the end of a file's name, how a test is declared that stands beside the code."""


async def _with_tests(stored: StoredGraph, walk: TraversalResult) -> TraversalResult:
    """The walk, with those definitions told to be tests that say so where they stand."""
    patterns = {
        item.node.node_id: (item.node, pattern)
        for item in walk.reached
        if item.node.qualname
        and not item.node.is_test
        and item.node.kind == "function"
        and (item.node.name.startswith("test_") or not item.node.path.endswith(".rs"))
        and (pattern := _TESTS_BESIDE_CODE.get(posixpath.splitext(item.node.path)[1]))
    }
    if not patterns:
        return walk
    texts = await stored.signatures([node for node, _ in patterns.values()])
    tests = {
        key
        for key, (node, pattern) in patterns.items()
        if pattern.match(texts.get((node.path, node.line, node.column), ""))
    }
    return replace(
        walk,
        reached=[
            replace(item, node=replace(item.node, is_test=True))
            if item.node.node_id in tests
            else item
            for item in walk.reached
        ],
    )


def nearest(items: Sequence[ImpactItem], limit: int) -> list[ImpactItem]:
    """The first `limit` in their order, where tests leave code at least half of the room."""
    if len(items) <= limit:
        return list(items)
    code = sum(not item.is_test for item in items)
    room = {True: max(limit - code, limit // 2)}
    room[False] = limit - min(room[True], len(items) - code)
    kept = []
    for item in items:
        if room[item.is_test] > 0:
            room[item.is_test] -= 1
            kept.append(item)
    return kept


def _items(walk: TraversalResult, inside: set[int], *, backward: bool) -> list[ImpactItem]:
    items = []
    reached = [
        item
        for item in walk.reached
        if item.node.node_id not in inside and (item.edge is None or item.edge.score >= LEAST_SCORE)
    ]
    named = {item.node.file_id for item in reached if item.node.qualname}
    for item in reached:
        if not item.node.qualname and item.edge is None and item.node.file_id in named:
            continue  # its definitions say more than that the file imports
        items.append(_item(item, backward=backward))
    items.sort(key=_order)
    return items


def _order(item: ImpactItem) -> tuple[bool, bool, float, int, str, int]:
    """What names the subject before what uses its class, code before tests, then what counts."""
    return bool(item.through), item.is_test, -item.score, item.depth, item.path, item.line


_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+|[^\W\d_a-zA-Z]+")
_OF_TESTS = frozenset({"test", "tests", "spec", "it", "e2e", "d"})


def _words(text: str) -> set[str]:
    return {word.lower() for word in _WORD.findall(text)} - _OF_TESTS


def _prefer_namesakes(items: list[ImpactItem], subjects: Sequence[Node]) -> None:
    """Of tests that are as near, first those called after what they test: MapTest for MapFactory.

    A score doubles where all words of a test file's name are in the subjects' names.
    """
    words: set[str] = set()
    for node in subjects:
        words |= _words(node.qualname) | _words(posixpath.basename(node.path).partition(".")[0])
    for item in items:
        if item.is_test:
            mine = _words(posixpath.basename(item.path).partition(".")[0])
            item.score = round(item.score * (1 + len(mine & words) / len(mine) if mine else 1), 4)
    items.sort(key=_order)


def _item(reached: ReachedNode, *, backward: bool) -> ImpactItem:
    node, edge = reached.node, reached.edge
    source, target = (node, reached.previous) if backward else (reached.previous, node)
    return ImpactItem(
        path=node.path,
        line=edge.line if backward and edge is not None else node.line,
        name=node.qualname,
        kind=node.kind,
        start_line=node.start_line,
        end_line=node.end_line,
        depth=reached.depth,
        source=source.key,
        target=target.key,
        edge=edge.kind if edge is not None else "import",
        via=[step.key for step in reached.via],
        is_test=node.is_test,
        through=reached.through.key if reached.through is not None else "",
        score=round(traverse.importance(reached), 4),
        precision=precision_of(edge.score if edge is not None else 1.0),
        language=language_of_path(node.path),
    )


def _by_subject(
    edges: Sequence[tuple[Node, Node]], start: Sequence[Node], subjects: Sequence[Node]
) -> list[tuple[Node, Node]]:
    """Draw what was asked about as one box, not as all its members."""
    whole: dict[int, Node] = {}
    for node in start:
        for subject in subjects:
            if node.file_id == subject.file_id and (
                not subject.qualname
                or node.qualname == subject.qualname
                or node.qualname.startswith(subject.qualname + ".")
            ):
                whole[node.node_id] = subject
                break
    drawn = [(whole.get(a.node_id, a), whole.get(b.node_id, b)) for a, b in edges]
    return [(a, b) for a, b in drawn if a is not b]
