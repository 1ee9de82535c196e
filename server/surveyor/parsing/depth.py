"""How deeply a syntax tree is nested, and what of it is read.

A node knows its parent by a walk from the root: what looks at what is around a name takes the
time of its depth, and a chain of 8,000 members has names at 8,000 depths. So nothing is read below
`MAX_TREE_DEPTH`; the names there are kept as such (`graph/extract/unread_names`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node, Query, QueryCursor

__all__ = ["MAX_TREE_DEPTH", "cursor_of", "deep_parts"]

MAX_TREE_DEPTH = 500
"""Levels of a tree that are read. Of hundreds of files that people wrote the deepest had 205."""


def deep_parts(root: Node) -> tuple[tuple[int, int], ...]:
    """The outermost parts of a tree that are nested too deeply to be read, as byte ranges."""
    if root.descendant_count <= MAX_TREE_DEPTH:
        return ()
    found: list[tuple[int, int]] = []
    waiting = [(root, MAX_TREE_DEPTH)]
    while waiting:
        node, levels = waiting.pop()
        if not levels:
            found.append((node.start_byte, node.end_byte))
            continue
        levels -= 1
        # A node with as many levels below it has as many nodes: nearly all have fewer.
        waiting += [(each, levels) for each in node.children if each.descendant_count > levels]
    return tuple(sorted(found))


def cursor_of(query: Query, *, is_deep: bool) -> QueryCursor:
    """Runs a query over as much of a tree as is read."""
    from tree_sitter import QueryCursor

    cursor = QueryCursor(query)
    if is_deep:
        cursor.set_max_start_depth(MAX_TREE_DEPTH)
    return cursor
