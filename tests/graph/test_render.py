"""Pictures of graphs: well-formed text whatever the names are, and the same every time."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Literal

from hypothesis import given
from hypothesis import strategies as st

from surveyor.graph.queries import diagrams
from surveyor.graph.queries.diagrams import MAX_EDGES
from surveyor.graph.queries.lookup import Node


def node(number: int, qualname: str = "", path: str = "a.py", *, is_test: bool = False) -> Node:
    return Node(
        node_id=number, file_id=1, path=path, qualname=qualname, name=qualname, kind="function",
        start_line=1, end_line=2, line=1, column=0, end_column=1, rank=0.0, is_test=is_test,
    )  # fmt: skip


def picture(
    kind: Literal["dot", "mermaid"], edges: Sequence[tuple[Node, Node]], subjects: Sequence[Node]
) -> str:
    return diagrams.picture(kind, diagrams.draw(edges, subjects))


def test_dot_marks_subjects_and_tests() -> None:
    subject, user, test = node(1, "f"), node(2, "g"), node(3, "test_f", is_test=True)
    drawn = picture("dot", [(user, subject), (test, user)], [subject])
    assert drawn.startswith("digraph surveyor {") and drawn.rstrip().endswith("}")
    assert drawn.count(" -> ") == 2 and drawn.count("fillcolor") == 1
    assert drawn.count("dashed") == 1 and "f\\na.py:1" in drawn


def test_mermaid_marks_subjects() -> None:
    subject, user = node(1, "f"), node(2, "operator<>")
    drawn = picture("mermaid", [(user, subject)], [subject])
    lines = drawn.splitlines()
    assert lines[0] == "flowchart LR" and ("n0 --> n1" in drawn or "n1 --> n0" in drawn)
    assert "operator#lt;#gt;" in drawn and "classDef subject" in drawn


def test_dot_reads_no_entity_in_a_name() -> None:
    assert 'label="a&amp;lt;b\\\\d\\"\\na.py:1"' in picture("dot", [], [node(1, 'a&lt;b\\d"')])


def test_a_subject_without_edges_is_drawn() -> None:
    assert "a.py" in picture("dot", [], [node(1)])
    assert "a.py" in picture("mermaid", [], [node(1)])


def test_the_order_of_far_edges_does_not_matter_and_the_nearest_are_kept() -> None:
    subject = node(0, "f")
    near = [(node(i, f"near{i}"), subject) for i in range(1, 6)]
    far = [(node(i, f"a{i:04}"), near[0][0]) for i in range(100, 100 + MAX_EDGES)]
    drawn = picture("dot", [*near, *far], [subject])
    assert drawn.count(" -> ") == MAX_EDGES and "5 more edges" in drawn
    assert all(f"near{i}" in drawn for i in range(1, 6))
    few = [*near, *far[:20]]
    mixed = random.Random(1).sample(few, len(few))
    assert picture("dot", few, [subject]) == picture("dot", mixed, [subject])


@given(st.lists(st.text(min_size=1, max_size=12), min_size=1, max_size=6))
def test_no_name_breaks_out_of_its_label(names: list[str]) -> None:
    nodes = [node(number, name) for number, name in enumerate(names, 1)]
    edges = list(pairwise(nodes))
    dot = picture("dot", edges, nodes[:1])
    for line in dot.split("\n"):
        if "label=" in line:
            label = re.match(r'^  n\d+ \[label="((?:[^"\\]|\\.)*)"[^"]*(?:"[^"]*")?\];$', line)
            assert label is not None, line
    for line in picture("mermaid", edges, nodes[:1]).split("\n")[1:]:
        assert re.match(r'^(?:  n\d+\["[^"\n]*"\]|  n\d+ --> n\d+|  class.*|)$', line), line
