"""Pictures of call graphs and impact: Graphviz DOT and Mermaid, as text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

from surveyor.graph.queries.lookup import Node

__all__ = ["picture"]

MAX_EDGES = 200
"""Edges drawn, the nearest first; more is a hairball, and Mermaid refuses beyond 500."""


def picture(
    kind: Literal["dot", "mermaid"],
    edges: Iterable[tuple[Node, Node]],
    subjects: Sequence[Node],
) -> str:
    """Edges (user, used), nearest first, with the subjects marked.

    The same text for the same graph.
    """
    one: dict[int, Node] = {}  # a definition is one box, at whichever of its places it was met
    subjects = [one.setdefault(node.node_id, node) for node in subjects]
    distinct = list(
        dict.fromkeys(
            (one.setdefault(a.node_id, a), one.setdefault(b.node_id, b)) for a, b in edges
        )
    )
    drawn = sorted(distinct[:MAX_EDGES], key=lambda edge: (edge[0].key, edge[1].key))
    nodes = dict.fromkeys([*subjects, *(node for edge in drawn for node in edge)])
    names = {node: f"n{index}" for index, node in enumerate(sorted(nodes, key=lambda n: n.key))}
    marked = set(subjects)
    left_out = len(distinct) - len(drawn)
    if kind == "dot":
        return _dot(names, drawn, marked, left_out)
    return _mermaid(names, drawn, marked, left_out)


def _dot(
    names: dict[Node, str],
    edges: Sequence[tuple[Node, Node]],
    marked: set[Node],
    left_out: int,
) -> str:
    lines = ["digraph surveyor {", "  rankdir=LR;", '  node [shape=box, fontname="sans-serif"];']
    for node, name in names.items():
        style = ', style=filled, fillcolor="#ffe9a8"' if node in marked else ""
        style += ", style=dashed" if node.is_test and node not in marked else ""
        label = "\\n".join(
            "".join(_DOT_ESCAPES.get(character, character) for character in part)
            for part in _label(node)
        )
        lines.append(f'  {name} [label="{label}"{style}];')
    lines += [f"  {names[user]} -> {names[used]};" for user, used in edges]
    if left_out:
        lines.append(f'  more [label="{left_out} more edges", shape=plaintext];')
    lines.append("}")
    return "\n".join(lines) + "\n"


def _mermaid(
    names: dict[Node, str],
    edges: Sequence[tuple[Node, Node]],
    marked: set[Node],
    left_out: int,
) -> str:
    lines = ["flowchart LR"]
    for node, name in names.items():
        label = "<br/>".join(
            "".join(_ENTITIES.get(character, character) for character in part)
            for part in _label(node)
        )
        lines.append(f'  {name}["{label}"]')
    lines += [f"  {names[user]} --> {names[used]}" for user, used in edges]
    if left_out:
        lines.append(f'  more["{left_out} more edges"]')
    chosen = [names[node] for node in names if node in marked]
    if chosen:
        lines.append("  classDef subject fill:#ffe9a8,stroke:#a07000")
        lines.append(f"  class {','.join(chosen)} subject")
    return "\n".join(lines) + "\n"


_DOT_ESCAPES = {"\\": "\\\\", '"': '\\"', "&": "&amp;"}
"""DOT reads HTML's entities in a label, too."""
_ENTITIES = {"#": "#35;", '"': "#quot;", "<": "#lt;", ">": "#gt;", "&": "#amp;", "`": "#96;"}
"""What Mermaid would read as its own."""


def _label(node: Node) -> list[str]:
    """Lines of a label, without characters that end or hide it."""
    place = f"{node.path}:{node.line}" if node.qualname else node.path
    lines = [node.qualname, place] if node.qualname else [place]
    return ["".join(c if c.isprintable() else "\ufffd" for c in line) for line in lines]
