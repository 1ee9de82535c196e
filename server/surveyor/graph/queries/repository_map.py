"""A map of a repository: its most important files and definitions, within a number of tokens."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from surveyor.graph.queries.lookup import Node, StoredGraph, language_of_path
from surveyor.protocol.graph import Drawing, DrawnEdge, DrawnNode, MapFile, MapSymbol
from surveyor.store.state.question_threads import aside

__all__ = ["CANDIDATES", "RepoMap", "draw_map", "map_drawing"]

CHARS_PER_TOKEN = 3.6
"""Of code and paths, measured with common tokenizers on source: 3.4 to 4."""
MAX_SIGNATURE_CHARS = 110
SHOWN_KINDS = frozenset(
    {"class", "interface", "struct", "enum", "trait", "function", "method", "type", "object",
     "module", "macro"}
)  # fmt: skip
Signatures = Mapping[tuple[str, int, int], str]
MAX_PER_FILE = 12
"""Definitions shown of one file, so that one large file does not fill the map."""
CANDIDATES = 4000
"""Definitions that one map is chosen from."""
SIGNATURES_AT_LEAST = 200
"""Read for a map, however small."""
CANDIDATES_FOR_EACH = 2
"""As many are looked at first for each that there is room for."""
MACRO_WEIGHT = 0.3
"""Of a macro's rank: constants of a header are used everywhere and say little."""


MAX_DRAWN_FILES = 150
MAX_DRAWN_EDGES = 400
"""Of the drawing of a map; more cannot be read."""


@dataclass(frozen=True, slots=True)
class RepoMap:
    """Files with their definitions, and the text that fits."""

    files: list[MapFile]
    text: str
    tokens: int
    definitions: int
    """Of all that it could be drawn from."""
    omitted: int
    is_ranked: bool
    """Whether it is known already what is important."""


async def draw_map(
    stored: StoredGraph,
    tokens: int,
    ranks: Mapping[int, float] | None = None,
    *,
    below: str = "",
) -> RepoMap:
    """The map for a budget; `ranks` (by node id) are of those that it is drawn from.

    `below`: only files whose path begins so.
    """
    at_most = max(SIGNATURES_AT_LEAST, tokens // 4)
    # Most maps are full long before the last candidate: four thousand take five times as long.
    for limit in (CANDIDATES_FOR_EACH * at_most, CANDIDATES):
        found = await stored.important(below, limit, ranks)
        nodes, rank = await aside(_ranked, found, ranks or {})
        signatures = await stored.signatures(nodes[:at_most])
        chosen, omitted, last = _chosen(nodes, signatures, tokens * CHARS_PER_TOKEN)
        is_full = last is not None and rank[last.node_id] >= found[-1].rank
        if ranks is not None or len(found) < limit or is_full:
            break
    weight = {path: sum(rank[n.node_id] for n in mine) for path, mine in chosen.items()}
    files: list[MapFile] = []
    lines: list[str] = []
    for path in sorted(chosen, key=lambda path: (-weight[path], path)):
        mine = sorted(chosen[path], key=lambda node: (node.start_line, node.line))
        lines.append(path)
        lines += [_line(node, signatures) for node in mine]
        files.append(
            MapFile(
                path=path,
                rank=round(weight[path], 3),
                language=language_of_path(path),
                symbols=[
                    MapSymbol(
                        name=node.qualname,
                        kind=node.kind,
                        line=node.line,
                        rank=round(rank[node.node_id], 3),
                        signature=_signature(node, signatures),
                    )
                    for node in mine
                ],
            )
        )
    text = "\n".join(lines)
    total = await stored.count_definitions(below)
    shown = sum(len(file.symbols) for file in files)
    left = max(omitted, total - shown)
    is_ranked = ranks is not None or len({node.rank for node in nodes}) > 1 or len(nodes) < 2
    tokens_taken = round(len(text) / CHARS_PER_TOKEN)
    return RepoMap(files, text, tokens_taken, total, left, is_ranked)


def _chosen(
    nodes: Sequence[Node], signatures: Signatures, budget: float
) -> tuple[dict[str, list[Node]], int, Node | None]:
    """What fits into so many characters, by file; how many do not; and the node at which it was
    full, None where there was room to the last."""
    chosen: dict[str, list[Node]] = {}
    used = 0.0
    omitted = 0
    for node in nodes:
        mine = chosen.get(node.path)
        cost = len(_line(node, signatures)) + 1
        if mine is None:
            cost += len(node.path) + 2
        elif len(mine) >= MAX_PER_FILE:
            omitted += 1
            continue
        if used + cost > budget:
            omitted += 1
            if used > budget * 0.97:
                return chosen, omitted, node
            continue
        used += cost
        chosen.setdefault(node.path, []).append(node)
    return chosen, omitted, None


async def map_drawing(stored: StoredGraph, files: Sequence[MapFile]) -> Drawing:
    """The files of a map, and how often one uses what another defines."""
    drawn = list(files[:MAX_DRAWN_FILES])
    found = [await stored.file(file.path) for file in drawn]
    number = {node.file_id: index for index, node in enumerate(found) if node is not None}
    uses = await stored.file_use_counts(list(number))
    edges = [(number[user], number[used], count) for (user, used), count in uses.items()]
    edges.sort(key=lambda edge: (-edge[2], edge))
    return Drawing(
        nodes=[
            DrawnNode(name="", path=file.path, line=1, kind="file", members=file.symbols)
            for file in drawn
        ],
        edges=[
            DrawnEdge(source=user, target=used, uses=count)
            for user, used, count in edges[:MAX_DRAWN_EDGES]
        ],
        omitted=max(len(edges) - MAX_DRAWN_EDGES, 0),
    )


def _ranked(nodes: list[Node], ranks: Mapping[int, float]) -> tuple[list[Node], dict[int, float]]:
    """Those that may be shown, the most important first, and how important all are."""
    rank = {
        node.node_id: ranks.get(node.node_id, node.rank)
        * (MACRO_WEIGHT if node.kind == "macro" else 1.0)
        for node in nodes
    }
    nodes = sorted(nodes, key=lambda node: (-rank[node.node_id], node.path, node.line))[:CANDIDATES]
    return [node for node in nodes if node.kind in SHOWN_KINDS and not _is_dull(node)], rank


def _is_dull(node: Node) -> bool:
    return node.name.startswith("__") and node.name.endswith("__")


def _signature(node: Node, signatures: Signatures) -> str:
    text = signatures.get((node.path, node.line, node.column), "")
    if node.name not in text:  # typedef struct { … } name
        text = f"{node.kind} {node.name}"
    return " ".join(text.split())[:MAX_SIGNATURE_CHARS]


def _line(node: Node, signatures: Signatures) -> str:
    indent = "    " if "." in node.qualname else "  "
    owner = node.qualname.rpartition(".")[0]
    prefix = f"{owner}: " if owner else ""
    return f"{indent}{node.line}: {prefix}{_signature(node, signatures)}"
