"""What is read of a file takes time in proportion to its length, whatever is repeated in it.

Steps are counted, not seconds: lines of Surveyor that run. Of twice as many parts they may be twice
as many; where each part looks at all others, they are up to four times as many.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from types import FrameType
from typing import Any

import pytest

from surveyor.change.calls import read_calls
from surveyor.change.jobs import CallsJob
from surveyor.clones.extract import take_fingerprints
from surveyor.clones.jobs import CodeRange, FingerprintJob
from surveyor.graph.extract.file_graph import parse_with_graph
from surveyor.graph.facts import decode_blobs, decode_facts, decode_references
from surveyor.graph.resolve.model import MemorySource
from surveyor.graph.resolve.resolver import Resolver
from surveyor.parsing.depth import MAX_TREE_DEPTH, deep_parts
from surveyor.parsing.parse import tree_of
from tests.long_files import WRITINGS, cases

SHAPES = (
    "members", "called members", "nested calls", "long list", "variables", "same variable",
    "assigned outside", "one line", "functions", "functions of one name", "classes", "parameters",
)  # fmt: skip
"""Of the cases, one of each kind: all of them take minutes."""
FEW = 220
"""More parts than are ever looked back through: 400 bytes of a chain before a name, and 200
children of a node."""
MOST_TIMES = 3.0
"""Steps for twice as many parts: chunks that are divided take a few more than twice as many, and so
do climbs to what is around a name, until the deepest level that is read."""


def _read(path: str, data: bytes) -> None:
    """All that is made of a file."""
    parsed = parse_with_graph(path, data)
    places: list[tuple[int, int]] = []
    if parsed.graph:
        blobs = decode_blobs(parsed.graph)
        rows = decode_references(blobs.references)
        source = MemorySource({path: decode_facts(blobs.facts)}, {path: data.decode()})
        Resolver(source).resolve(path, rows)
        places = [(row[2], row[3]) for row in rows]
    names = ["a", "b", "f", "g", "x"]
    read_calls(CallsJob(path, data, places=places, names=names, held=places, handed_on=True))
    ranges = [CodeRange(s.start_line, s.end_line, s.name) for s in parsed.symbols]
    take_fingerprints(FingerprintJob(path, data, [CodeRange(1, data.count(b"\n") + 1), *ranges]))


def _steps(run: Callable[[], None]) -> int:
    """Lines of Surveyor that run."""
    count = 0

    def local(frame: FrameType, event: str, argument: object) -> Any:
        nonlocal count
        count += 1
        return local

    def called(frame: FrameType, event: str, argument: object) -> Any:
        return local if "surveyor" in frame.f_code.co_filename else None

    before = sys.gettrace()
    sys.settrace(called)
    try:
        run()
    finally:
        sys.settrace(before)
    return count


@pytest.mark.parametrize(
    "language",
    [
        "python",
        "swift",
        "typescript",
        *(
            pytest.param(each, marks=pytest.mark.slow)
            for each in ("dart", "elixir", "lua", "scala")
        ),
    ],
)
def test_twice_the_parts_take_twice_the_steps(language: str) -> None:
    writing = WRITINGS[language]
    found: dict[str, tuple[int, int]] = {}
    _read(writing.path, next(iter(cases(writing).values()))(1).encode())  # loads the grammar
    makers = cases(writing)
    for name, make in ((each, makers[each]) for each in SHAPES if each in makers):
        once = _steps(partial(_read, writing.path, make(FEW).encode()))
        twice = _steps(partial(_read, writing.path, make(2 * FEW).encode()))
        if twice > MOST_TIMES * once:
            found[name] = once, twice
    assert not found


@pytest.mark.parametrize("language", WRITINGS)
def test_nothing_is_read_below_a_depth(language: str) -> None:
    writing = WRITINGS[language]
    text = writing.head + writing.body[0] + writing.value.format(
        "(" * 2 * MAX_TREE_DEPTH + "hidden" + ")" * 2 * MAX_TREE_DEPTH
    ) + writing.end + writing.body[1] + writing.tail  # fmt: skip
    tree = tree_of(writing.path, text.encode())
    assert tree is not None
    assert tree.deep == deep_parts(tree.tree.root_node)
    if tree.deep:
        parsed = parse_with_graph(writing.path, text.encode())
        assert any("nested over" in problem for problem in parsed.problems)
        assert all(row[0] != "hidden" for row in decode_references(
            decode_blobs(parsed.graph).references))  # fmt: skip
