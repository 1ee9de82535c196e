"""A map as one file of HTML that shows it as a graph: no network, nothing but what is in it.

The page itself is `clients/vscode/src/graphPage`, bundled; VS Code shows the same.
"""

from __future__ import annotations

import base64
import hashlib
from pathlib import Path
from typing import Any

import msgspec

from surveyor.protocol.graph import Drawing, MapResponse
from surveyor.units import counted

__all__ = ["map_page"]

_SCRIPT = Path(__file__).parent / "pages" / "graph.js"


def map_page(answer: MapResponse, drawing: Drawing) -> str:
    """The page of a map. Names are data in it: no name of a file or symbol becomes markup."""
    name = Path(answer.root).name
    shown = f"{len(drawing.nodes)} of {counted(answer.files_total, 'file')}"
    left_out = (
        f"; {counted(drawing.omitted, 'more arrow is', 'more arrows are')} left out"
        if drawing.omitted
        else ""
    )
    complete = "" if answer.complete else "; the index is not complete yet"
    graph: dict[str, Any] = {
        "title": f"Map of {name}",
        "note": f"{shown}, the most important first{left_out}{complete}.",
        "out": "Uses",
        "into": "Used by",
        "nodes": [
            {
                "name": node.path,
                "detail": counted(len(node.members), "definition"),
                "mark": "test" if node.is_test else "",
                "members": [
                    {"name": each.name, "detail": each.signature, "line": each.line}
                    for each in node.members
                ],
            }
            for node in drawing.nodes
        ],
        "edges": [
            {"source": edge.source, "target": edge.target, "about": counted(edge.uses, "use")}
            for edge in drawing.edges
        ],
    }
    return _page(graph)


def _page(graph: dict[str, Any]) -> str:
    script = _SCRIPT.read_text(encoding="utf-8")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = (
        f"default-src 'none'; script-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    )
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        "<title>Surveyor</title></head><body>\n"
        f'<script type="application/json" id="graph">{_embedded(graph)}</script>\n'
        f"<script>{script}</script>\n</body></html>\n"
    )


def _embedded(value: Any) -> str:
    """JSON that no HTML parser reads anything into."""
    text = msgspec.json.encode(value).decode()
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text
