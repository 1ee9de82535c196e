"""Code that the grammar leaves as tokens, read once more, by itself.

What Rust's macros are handed (`check!(|dir: Dir| { … })`), where it has names of its own, of
closures or of `let`: what these are bound to is known then as anywhere else. What is no code by
itself stays as it is. And what macros of C stand for (`#define CHECK(x) verify(x)`): nothing else
is known of that, and it is read as far as it can be.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from surveyor.parsing.languages.grammar import grammar

if TYPE_CHECKING:
    from tree_sitter import Node, Query

__all__ = ["read_again"]

_MAX_NESTED = 3
"""Macros in what macros are handed."""
_MAX_BYTES = 100_000
_BINDS = re.compile(rb"\blet\s|\|\s*(?:mut\s+|&\s*)?\w+\s*[:,|]|\bfor\s|::\s*<")
"""What may give a name a meaning: a closure's parameters, a declaration, a loop; or what stands
between a name and the brackets of its call: `size::<T>()`."""
_BODY = "preproc_arg"
"""What a macro of C stands for: seldom a whole statement, so that errors are to be expected."""
_NAMES = re.compile(rb"(?<![\w.])[A-Za-z_]\w")
"""A name, and not only numbers."""


def read_again(
    captures: dict[str, list[Node]], source: bytes, name: str, compiled: Query
) -> dict[str, list[Node]]:
    """The captures of a file with those in what its macros are handed (`@tokens`)."""
    from tree_sitter import Parser, QueryCursor, Range

    waiting = captures.pop("tokens", [])
    left = _MAX_BYTES
    parser = Parser(grammar(name))
    for _ in range(_MAX_NESTED):
        found: list[Node] = []
        for node in waiting:
            left -= node.end_byte - node.start_byte
            ranges = _ranges(node, source) if left > 0 else []
            if not ranges:
                continue
            parser.included_ranges = [Range(*each) for each in ranges]
            root = parser.parse(source).root_node
            if root.has_error and node.type != _BODY:
                continue
            for capture, nodes in QueryCursor(compiled).captures(root).items():
                if capture == "tokens":
                    found += nodes
                else:
                    captures.setdefault(capture, []).extend(nodes)
        waiting = found
        if not waiting:
            break
    return captures


_Span = tuple[tuple[int, int], tuple[int, int], int, int]


def _ranges(node: Node, source: bytes) -> list[_Span]:
    """What of the source is read: the brackets, and the next `;`, which ends a statement."""
    start, end = node.start_byte, node.end_byte
    whole = (node.start_point, node.end_point, start, end)
    if node.type == _BODY:
        return [whole] if _NAMES.search(source, start, end) else []
    if not _BINDS.search(source, start, end):
        return []
    if source[start : start + 1] == b"{":
        return [whole]
    close = source.find(b";", end)
    if close < 0:
        return []
    row = node.end_point[0] + source.count(b"\n", end, close)
    column = close - (source.rfind(b"\n", 0, close) + 1)
    return [whole, ((row, column), (row, column + 1), close, close + 1)]
