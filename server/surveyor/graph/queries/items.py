"""From stored nodes and edges to what goes over the wire."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from pathlib import Path

from surveyor.files.contained_paths import read_below
from surveyor.graph.queries.lookup import EdgeAt, Node, StoredGraph, language_of_path
from surveyor.graph.queries.traverse import ReachedNode
from surveyor.graph.resolve.certainty import CERTAIN
from surveyor.protocol.enumerations import Precision
from surveyor.protocol.graph import GraphItem
from surveyor.secrets import mask_bytes

__all__ = [
    "LineReader",
    "definition_item",
    "language_of_path",
    "precision_of",
    "reached_item",
    "use_item",
    "use_order",
    "with_details",
]

MAX_LINE_CHARS = 200
"""Shown of a line."""


class LineReader:
    """Lines of a checkout's files, read once per answer; an unsaved buffer beats the disk.

    What many files are needed for is loaded first, beside the event loop: to read a thousand and
    mask what is secret in them takes a second, and a drive may not answer.
    """

    def __init__(self, root: str, buffers: dict[str, str] | None = None) -> None:
        self._root = Path(root)
        self._files: dict[str, list[str]] = {}
        self._buffers = buffers or {}

    async def load(self, paths: Iterable[str]) -> None:
        """Read files, those that have not been, beside the event loop; at once in a question that
        is answered in a thread of its own, where there is none."""
        missing = [path for path in dict.fromkeys(paths) if path not in self._files]
        if not missing:
            return
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            self._files.update(self._read_all(missing))
        else:
            self._files.update(await asyncio.to_thread(self._read_all, missing))

    async def fill(self, items: Sequence[GraphItem]) -> None:
        """Give items the lines that they are at."""
        await self.load(item.path for item in items)
        for item in items:
            item.text = self.get(item.path, item.line) or item.text

    def get(self, path: str, line: int) -> str:
        """A line without its indentation; empty when it is not there."""
        lines = self._lines(path)
        return lines[line - 1].strip()[:MAX_LINE_CHARS] if 0 < line <= len(lines) else ""

    def text(self, path: str, first: int, last: int) -> str:
        """Lines as they are, each with its end; empty when they are not there."""
        return "".join(f"{line}\n" for line in self._lines(path)[max(0, first - 1) : last])

    def _lines(self, path: str) -> list[str]:
        if path not in self._files:
            self._files[path] = self._read(path)
        return self._files[path]

    def _read_all(self, paths: Sequence[str]) -> dict[str, list[str]]:
        return {path: self._read(path) for path in paths}

    def _read(self, path: str) -> list[str]:
        text = self._buffers.get(path)
        if text is None:
            try:
                data = mask_bytes(read_below(self._root, path), path)
                text = data.decode("utf-8", errors="replace")
            except OSError:
                text = ""
        return text.splitlines()


def precision_of(score: float) -> Precision:
    """What a score is called: by its scopes and imports, or by its name only."""
    return "syntax" if score >= CERTAIN else "text"


def definition_item(
    node: Node, lines: LineReader | None = None, *, score: float = 1.0
) -> GraphItem:
    """A definition."""
    return GraphItem(
        path=node.path,
        line=node.line,
        column=node.column,
        end_column=node.end_column,
        kind="definition",
        symbol=node.qualname,
        symbol_kind=node.kind,
        start_line=node.start_line,
        end_line=node.end_line,
        score=score,
        precision=precision_of(score),
        is_test=node.is_test,
        language=language_of_path(node.path),
        text=lines.get(node.path, node.line) if lines else "",
    )


def use_item(edge: EdgeAt, around: Node | None, *, target: Node | None = None) -> GraphItem:
    """A use, with the definition around it; its line is filled in when it is shown."""
    return GraphItem(
        path=edge.path,
        line=edge.line,
        column=edge.column,
        end_column=edge.end_column,
        kind=edge.kind,
        symbol=around.qualname if around else "",
        symbol_kind=around.kind if around else "file",
        start_line=around.start_line if around else 0,
        end_line=around.end_line if around else 0,
        score=round(edge.score, 3),
        precision=precision_of(edge.score),
        target=target.key if target else None,
        is_test=edge.is_test or (around is not None and around.is_test),
        language=language_of_path(edge.path),
    )


def reached_item(item: ReachedNode, *, backward: bool) -> GraphItem:
    """A step of a walk: for callers the place of the call, for callees what is called there.

    Its line is filled in when it is shown.
    """
    edge = item.edge
    assert edge is not None
    around = item.node if backward else item.previous
    found = use_item(edge, around, target=item.previous if backward else item.node)
    found.depth = item.depth
    found.via = [node.qualname or node.path for node in item.via]
    if not backward:
        # What is called is the answer; where it is called from is beside it.
        node = item.node
        found.symbol, found.symbol_kind = node.qualname, node.kind
        found.path, found.line = node.path, node.line
        found.column, found.end_column = node.column, node.end_column
        found.start_line, found.end_line = node.start_line, node.end_line
        found.is_test, found.language = node.is_test, language_of_path(node.path)
        found.target = item.previous.key
    return found


async def with_details(
    stored: StoredGraph, items: Sequence[GraphItem], nodes: Iterable[Node]
) -> None:
    """Add signatures to definitions."""
    by_place = {(node.path, node.line, node.column): node for node in nodes}
    signatures = await stored.signatures(by_place.values())
    for item in items:
        node = by_place.get((item.path, item.line, item.column))
        if node is not None:
            item.signature = signatures.get((node.path, node.line, node.column))


def use_order(item: GraphItem) -> tuple[bool, bool, str, int, int]:
    """By which uses are told: what is certain first, tests after what they test."""
    return item.score < CERTAIN, item.is_test, item.path, item.line, item.column
