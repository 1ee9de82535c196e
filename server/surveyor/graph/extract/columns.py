"""Columns of a file: bytes, as its parser counts, and UTF-16 units, as everybody else does."""

from __future__ import annotations

from itertools import accumulate

__all__ = ["SourceColumns"]


class SourceColumns:
    """The lines of one file's source; they are only cut where somebody needs them."""

    def __init__(self, source: bytes) -> None:
        self._source = source
        self._wide: frozenset[int] = frozenset()
        """Rows that are not plain ASCII: on all others bytes and UTF-16 units are the same."""
        self._starts: list[int] = []
        if not source.isascii():
            lines = source.split(b"\n")
            self._wide = frozenset(row for row, line in enumerate(lines) if not line.isascii())

    def of_name(self, row: int, column: int, length: int) -> tuple[int, int]:
        """Column and end column of a name, from its byte column and length."""
        if row not in self._wide:
            return column, column + length
        start = self._start(row)
        before = self._source[start : start + column].decode("utf-8", "replace")
        name = self._source[start + column : start + column + length].decode("utf-8", "replace")
        first = len(before.encode("utf-16-le")) // 2
        return first, first + len(name.encode("utf-16-le")) // 2

    def byte_of(self, line: int, column: int) -> int:
        """The byte of a 1-based line and a UTF-16 column."""
        start = self._start(line - 1)
        if line - 1 not in self._wide:
            return start + column
        text = self._source[start : start + 4 * column].decode("utf-8", "replace")
        before = text.encode("utf-16-le", "surrogatepass")[: 2 * column]
        return start + len(before.decode("utf-16-le", "replace").encode())

    def _start(self, row: int) -> int:
        if not self._starts:
            lines = self._source.split(b"\n")
            self._starts = [0, *accumulate([len(line) + 1 for line in lines])]
        return self._starts[row]
