"""Columns of a file: bytes, as its parser counts, and UTF-16 units, as everybody else does."""

from __future__ import annotations

from itertools import accumulate

from surveyor.parsing.source import Utf16Columns

__all__ = ["SourceColumns"]


class SourceColumns:
    """The lines of one file's source; they are only cut where somebody needs them."""

    def __init__(self, source: bytes) -> None:
        self._source = source
        self._wide: frozenset[int] = frozenset()
        """Rows that are not plain ASCII: on all others bytes and UTF-16 units are the same."""
        self._utf16: Utf16Columns | None = None
        self._starts: list[int] = []
        if not source.isascii():
            lines = source.split(b"\n")
            self._wide = frozenset(row for row, line in enumerate(lines) if not line.isascii())

    def of_name(self, row: int, column: int, length: int) -> tuple[int, int]:
        """Column and end column of a name, from its byte column and length."""
        if row not in self._wide:
            return column, column + length
        at = self._start(row) + column
        columns = self._columns()
        return columns.of(at, column), columns.of(at + length, column + length)

    def byte_of(self, line: int, column: int) -> int:
        """The byte of a 1-based line and a UTF-16 column."""
        start = self._start(line - 1)
        if line - 1 not in self._wide:
            return start + column
        return self._columns().byte_of(start, column)

    def _columns(self) -> Utf16Columns:
        if self._utf16 is None:
            self._utf16 = Utf16Columns(self._source)
        return self._utf16

    def _start(self, row: int) -> int:
        if not self._starts:
            lines = self._source.split(b"\n")
            self._starts = [0, *accumulate([len(line) + 1 for line in lines])]
        return self._starts[row]
