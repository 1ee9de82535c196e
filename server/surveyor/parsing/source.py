"""A file's bytes as text that a parser, a person and an editor agree on: lines and columns."""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass
from functools import cached_property
from operator import sub

__all__ = ["BYTES_REPLACED", "MAX_TEXT_BYTES", "SourceText", "Utf16Columns", "utf16_length"]

MAX_TEXT_BYTES = 16_000_000
"""What lies behind this is not searchable; a person does not read there either."""

BYTES_REPLACED = "undecodable bytes were replaced"
"""How the problem of a text ends that is not read as its author wrote it."""

_WIDE = re.compile(rb"[\xc2-\xf4][\x80-\xbf]+")
_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")


def utf16_length(text: str) -> int:
    """Length in UTF-16 code units, the columns of editors."""
    if text.isascii():
        return len(text)
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


class Utf16Columns:
    """Byte columns of one file as UTF-16 columns, whatever the length of its lines."""

    def __init__(self, data: bytes) -> None:
        self._starts: list[int] = []
        self._surplus = [0]
        self._units: list[int] = []
        """Where they begin, in UTF-16 code units of the whole file."""
        if data.isascii():
            return
        surplus = 0
        for match in _WIDE.finditer(data):
            size = match.end() - match.start()
            surplus += size - (2 if size == 4 else 1)
            self._starts.append(match.start())
            self._surplus.append(surplus)

    def of(self, start_byte: int, byte_column: int) -> int:
        """The column of the byte `start_byte`, which is `byte_column` bytes into its line."""
        if not self._starts:
            return byte_column
        before = self._surplus[bisect_left(self._starts, start_byte)]
        at_line = self._surplus[bisect_left(self._starts, start_byte - byte_column)]
        return byte_column - (before - at_line)

    def byte_of(self, line_start: int, column: int) -> int:
        """The byte of a column of the line that begins at the byte `line_start`."""
        if not self._starts:
            return line_start + column
        if not self._units:
            self._units = list(map(sub, self._starts, self._surplus))
        unit = line_start - self._surplus[bisect_left(self._starts, line_start)] + column
        return unit + self._surplus[bisect_left(self._units, unit)]


@dataclass(frozen=True)
class SourceText:
    """Valid UTF-8 without a byte-order mark, as parsed; lines end at `\\n`, `\\r\\n` counts as one.

    A file that uses `\\r` alone is read as if those were `\\n`.
    """

    data: bytes
    problems: tuple[str, ...] = ()

    @classmethod
    def of(cls, data: bytes) -> SourceText:
        """Decodes what a file holds; never fails, what had to be replaced is a problem."""
        problems: tuple[str, ...] = ()
        if data.startswith(_UTF16_MARKS):
            data = data.decode("utf-16", "replace").encode("utf-8", "replace")
        data = data.removeprefix(b"\xef\xbb\xbf")
        if not data.isascii():
            try:
                data.decode("utf-8")
            except UnicodeDecodeError as error:
                problems = (f"not UTF-8 at byte {error.start}: {BYTES_REPLACED}",)
                data = data.decode("utf-8", "replace").encode("utf-8")
        if b"\r" in data and b"\n" not in data:
            data = data.replace(b"\r", b"\n")
        return cls(data, problems)

    @cached_property
    def lines(self) -> list[str]:
        """Every line without its end; the last is empty when the file ends with a line end."""
        text = self.data.decode("utf-8")
        if "\r" in text:
            text = text.replace("\r\n", "\n").removesuffix("\r")
        return text.split("\n")

    @cached_property
    def _columns(self) -> Utf16Columns:
        return Utf16Columns(self.data)

    def text(self, start_byte: int, end_byte: int) -> str:
        """The text between two byte offsets that lie on character boundaries."""
        return self.data[start_byte:end_byte].decode("utf-8", "replace")

    def column(self, start_byte: int, byte_column: int) -> int:
        """The UTF-16 column of a byte offset that is `byte_column` bytes into its line."""
        return self._columns.of(start_byte, byte_column)
