"""Pictures of call graphs and impact: Graphviz DOT and Mermaid, as text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

from surveyor.graph.lookup import Node

__all__ = ["picture"]

MAX_EDGES = 400
"""Edges drawn; more is a hairball and Mermaid refuses beyond 500."""


def picture(
    kind: Literal["dot", "mermaid"],
    edges: Iterable[tuple[Node, Node]],
    subjects: Sequence[Node],
) -> str:
    """Edges (user, used) with the subjects marked; the same text for the same graph."""
    distinct = sorted({(user, used) for user, used in edges}, key=lambda e: (e[0].key, e[1].key))
    drawn = distinct[:MAX_EDGES]
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
        lines.append(f'  {name} [label="{_quoted(_label(node))}"{style}];')
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
        label = _label(node).replace('"', "#quot;").replace("<", "#lt;").replace(">", "#gt;")
        lines.append(f'  {name}["{label.replace(chr(92) + "n", "<br/>")}"]')
    lines += [f"  {names[user]} --> {names[used]}" for user, used in edges]
    if left_out:
        lines.append(f'  more["{left_out} more edges"]')
    chosen = [names[node] for node in names if node in marked]
    if chosen:
        lines.append("  classDef subject fill:#ffe9a8,stroke:#a07000")
        lines.append(f"  class {','.join(chosen)} subject")
    return "\n".join(lines) + "\n"


def _label(node: Node) -> str:
    if not node.qualname:
        return node.path
    return f"{node.qualname}\\n{node.path}:{node.line}"


def _quoted(text: str) -> str:
    return text.replace('"', '\\"')
