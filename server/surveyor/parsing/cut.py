"""Where to cut text that is too large for one chunk. Pure functions over lines and sizes.

Rows are 0-based and inclusive. Sizes are characters, line ends included.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import accumulate
from zlib import crc32

__all__ = ["MAX_CHUNK_CHARS", "OVERLAP_CHARS", "RowSizes", "line_ranks", "overlapping", "pack"]

MAX_CHUNK_CHARS = 1500
"""Measured best among 1000, 1500 and 2500 (design notes on retrieval)."""
OVERLAP_CHARS = 200
"""How much of a fragment's end the next one repeats, at most: a sentence or a few lines."""
MAX_OVERLAP_ROWS = 5
MIN_FILL = 0.45
"""Share of the limit below which a cut is not considered: no sliver chunks."""


class RowSizes:
    """How many characters any run of rows has, in constant time."""

    def __init__(self, lines: Sequence[str]) -> None:
        self._sums = [0, *accumulate(len(line) + 1 for line in lines)]

    def of(self, first: int, last: int) -> int:
        """Characters in rows first..last."""
        return self._sums[last + 1] - self._sums[first]


def line_ranks(lines: Sequence[str], first: int, last: int) -> dict[int, int]:
    """How good each row is as the first of a piece (lower is better), by indentation, blank
    lines and, among equals, the line's own text.

    The text's hash makes equal text be cut at equal places wherever it stands in the file, so
    that a line inserted above does not change every chunk below.
    """
    ranks = {}
    for row in range(first + 1, last + 1):
        line = lines[row]
        stripped = line.lstrip()
        if not stripped:
            continue
        after_blank = not lines[row - 1].strip()
        indent = min(len(line) - len(stripped), 15)
        closes = stripped[0] in ")]}"
        rank = (indent * 2 + (0 if after_blank else 8) + (16 if closes else 0)) << 8
        ranks[row] = rank | (crc32(stripped.encode("utf-8", "replace")) & 0xFF)
    return ranks


def pack(
    first: int, last: int, sizes: RowSizes, ranks: Mapping[int, int], limit: int
) -> list[tuple[int, int]]:
    """Cuts rows first..last into runs of at most `limit` characters.

    Of the rows in reach, the one with the lowest rank begins the next run, the farthest among
    equals; rows without a rank are used only where there is no other. One row may exceed the
    limit by itself.
    """
    runs: list[tuple[int, int]] = []
    start = first
    while start <= last:
        if sizes.of(start, last) <= limit:
            runs.append((start, last))
            break
        best, best_rank = -1, 1 << 62
        row = start + 1
        reach = start + 1
        while row <= last and (size := sizes.of(start, row - 1)) <= limit:
            reach = row
            if size >= limit * MIN_FILL and (rank := ranks.get(row, 1 << 61)) <= best_rank:
                best, best_rank = row, rank
            row += 1
        cut = best if best > 0 else reach
        runs.append((start, cut - 1))
        start = cut
    return runs


def overlapping(
    first: int, last: int, sizes: RowSizes, ranks: Mapping[int, int], limit: int
) -> list[tuple[int, int, int]]:
    """Like `pack`, with each run repeating the end of the one before, still within `limit`:
    (first row, first row that is new, last row)."""
    runs = pack(first, last, sizes, ranks, max(limit - OVERLAP_CHARS, limit // 2))
    overlapped = []
    previous = None
    for first, last in runs:
        start = first
        if previous is not None:
            room = min(OVERLAP_CHARS, limit - sizes.of(first, last))
            while (
                start - 1 > previous
                and first - start < MAX_OVERLAP_ROWS
                and sizes.of(start - 1, first - 1) <= room
            ):
                start -= 1
        overlapped.append((start, first, last))
        previous = first
    return overlapped
