"""A text is read again after a few of its bytes were changed: what they do not touch is kept."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Tree

__all__ = ["edited"]

BLOCK_BYTES = 64
"""What differs is found by blocks of so many bytes."""
_ENDS_OF_LINES = bytes(byte if byte == ord("\n") else 0 for byte in range(256))


def edited(tree: Tree, read: bytes, changed: bytes) -> Tree | None:
    """The tree of `read` for a parser that reads `changed`; None where bytes or lines have moved.

    The parser takes over what lies outside of the marked places: a third of the time of reading
    all, for the same tree.
    """
    if len(read) != len(changed):
        return None
    old = tree.copy()
    row = counted = 0
    for first, last in _differing(read, changed):
        before, after = read[first:last], changed[first:last]
        if before.translate(_ENDS_OF_LINES) != after.translate(_ENDS_OF_LINES):
            return None
        row += read.count(b"\n", counted, first)
        start = (row, first - read.rfind(b"\n", 0, first) - 1)
        row += read.count(b"\n", first, last)
        counted = last
        end = (row, last - read.rfind(b"\n", 0, last) - 1)
        old.edit(first, last, last, start, end, end)
    return old


def _differing(one: bytes, other: bytes) -> Iterator[tuple[int, int]]:
    """Spans of whole blocks that are not the same in texts of one length."""
    start = None
    for at in range(0, len(one), BLOCK_BYTES):
        is_same = one[at : at + BLOCK_BYTES] == other[at : at + BLOCK_BYTES]
        if is_same and start is not None:
            yield start, at
            start = None
        elif not is_same and start is None:
            start = at
    if start is not None:
        yield start, len(one)
