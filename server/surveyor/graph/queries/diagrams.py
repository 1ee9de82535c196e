"""Pictures of call graphs and impact: Graphviz DOT and Mermaid, as text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

from surveyor.graph.queries.lookup import Node
from surveyor.protocol.graph import Drawing, DrawnEdge, DrawnNode
from surveyor.units import counted

__all__ = ["draw", "picture"]

MAX_EDGES = 200
"""Edges drawn, the nearest first; more is a hairball, and Mermaid refuses beyond 500."""


def draw(edges: Iterable[tuple[Node, Node]], subjects: Sequence[Node]) -> Drawing:
    """Edges (user, used), nearest first, with the subjects marked.

    The same drawing for the same graph.
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
    index = {node: number for number, node in enumerate(sorted(nodes, key=lambda n: n.key))}
    marked = set(subjects)
    return Drawing(
        nodes=[
            DrawnNode(
                name=node.qualname,
                path=node.path,
                line=node.line,
                kind=node.kind,
                is_test=node.is_test,
                is_subject=node in marked,
            )
            for node in index
        ],
        edges=[DrawnEdge(source=index[user], target=index[used]) for user, used in drawn],
        omitted=len(distinct) - len(drawn),
    )


def picture(kind: Literal["dot", "mermaid"], drawing: Drawing) -> str:
    """A drawing as text in one of the languages of pictures."""
    return _dot(drawing) if kind == "dot" else _mermaid(drawing)


def _dot(drawing: Drawing) -> str:
    lines = ["digraph surveyor {", "  rankdir=LR;", '  node [shape=box, fontname="sans-serif"];']
    for number, node in enumerate(drawing.nodes):
        style = ', style=filled, fillcolor="#ffe9a8"' if node.is_subject else ""
        style += ", style=dashed" if node.is_test and not node.is_subject else ""
        label = "\\n".join(
            "".join(_DOT_ESCAPES.get(character, character) for character in part)
            for part in _label(node)
        )
        lines.append(f'  n{number} [label="{label}"{style}];')
    lines += [f"  n{edge.source} -> n{edge.target};" for edge in drawing.edges]
    if drawing.omitted:
        more = counted(drawing.omitted, "more edge")
        lines.append(f'  more [label="{more}", shape=plaintext];')
    lines.append("}")
    return "\n".join(lines) + "\n"


def _mermaid(drawing: Drawing) -> str:
    lines = ["flowchart LR"]
    for number, node in enumerate(drawing.nodes):
        label = "<br/>".join(
            "".join(_ENTITIES.get(character, character) for character in part)
            for part in _label(node)
        )
        lines.append(f'  n{number}["{label}"]')
    lines += [f"  n{edge.source} --> n{edge.target}" for edge in drawing.edges]
    if drawing.omitted:
        more = counted(drawing.omitted, "more edge")
        lines.append(f'  more["{more}"]')
    chosen = [f"n{number}" for number, node in enumerate(drawing.nodes) if node.is_subject]
    if chosen:
        lines.append("  classDef subject fill:#ffe9a8,stroke:#a07000")
        lines.append(f"  class {','.join(chosen)} subject")
    return "\n".join(lines) + "\n"


_DOT_ESCAPES = {"\\": "\\\\", '"': '\\"', "&": "&amp;"}
"""DOT reads HTML's entities in a label, too."""
_ENTITIES = {"#": "#35;", '"': "#quot;", "<": "#lt;", ">": "#gt;", "&": "#amp;", "`": "#96;"}
"""What Mermaid would read as its own."""


def _label(node: DrawnNode) -> list[str]:
    """Lines of a label, without characters that end or hide it."""
    place = f"{node.path}:{node.line}" if node.name else node.path
    lines = [node.name, place] if node.name else [place]
    return ["".join(c if c.isprintable() else "\ufffd" for c in line) for line in lines]
