"""A file's bytes as text and back: what an edit does not touch stays as it is, to the last byte."""

from __future__ import annotations

import codecs
import difflib
import hashlib
from bisect import bisect_left
from dataclasses import dataclass

from surveyor.errors import UsageError

__all__ = ["FileText", "changed_spans", "version_of"]

MAX_COMPARED_LINES = 4000
"""Where more lines lie between the first and the last change, they are one change: what compares
them takes quadratic time."""

_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


@dataclass(frozen=True, slots=True)
class FileText:
    """What a file holds: its text with line ends as they are, and how it is encoded."""

    text: str
    encoding: str = "utf-8"
    bom: bytes = b""

    @classmethod
    def of(cls, data: bytes) -> FileText:
        """A file's text. Raises `UsageError` for what is no text.

        What is no UTF-8 and has no byte order mark is read as Latin-1, in which each byte is a
        character: it is written as it was read, whatever it was meant to be.
        """
        for bom, encoding in _BOMS:
            if data.startswith(bom):
                try:
                    return cls(data[len(bom) :].decode(encoding), encoding, bom)
                except UnicodeDecodeError as error:
                    raise UsageError(f"it is no text in {encoding}") from error
        if b"\0" in data:
            raise UsageError("it is no text", "Only text files are edited.")
        try:
            return cls(data.decode("utf-8"))
        except UnicodeDecodeError:
            return cls(data.decode("latin-1"), "latin-1")

    def with_text(self, text: str) -> FileText:
        """Another text in the same encoding."""
        return FileText(text, self.encoding, self.bom)

    def encoded(self) -> bytes:
        """The bytes of the file. Raises `UsageError` for a character that its encoding lacks."""
        try:
            return self.bom + self.text.encode(self.encoding)
        except UnicodeEncodeError as error:
            raise UsageError(
                f"the file is in {self.encoding}, which has no {error.object[error.start]!r}",
                "Write it in another way, or convert the file first.",
            ) from error

    @property
    def line_end(self) -> str:
        """The line end that most lines have."""
        windows = self.text.count("\r\n")
        return "\r\n" if windows > self.text.count("\n") - windows else "\n"

    def find(self, wanted: str) -> list[tuple[int, int]]:
        r"""Where a text stands, as spans of ours; a line end is found however it is written."""
        plain, marks = self._plain()
        needle = wanted.replace("\r\n", "\n")
        found = []
        at = plain.find(needle)
        while at >= 0:
            end = at + len(needle)
            found.append((at + bisect_left(marks, at), end + bisect_left(marks, end)))
            at = plain.find(needle, end)
        return found

    def _plain(self) -> tuple[str, list[int]]:
        r"""The text with `\n` alone, and where in it `\r\n` stood."""
        marks: list[int] = []
        at = self.text.find("\r\n")
        while at >= 0:
            marks.append(at - len(marks))
            at = self.text.find("\r\n", at + 2)
        return (self.text.replace("\r\n", "\n") if marks else self.text), marks

    def replaced(self, spans: list[tuple[int, int]], new: str) -> FileText:
        """With a text in place of each span, its line ends as this file's are."""
        written = new.replace("\r\n", "\n").replace("\n", self.line_end)
        parts, last = [], 0
        for start, end in spans:
            parts += [self.text[last:start], written]
            last = end
        return self.with_text("".join([*parts, self.text[last:]]))

    def line_starts(self) -> list[int]:
        r"""Index of the first character of every line; only `\n` and `\r\n` end one."""
        starts, at = [0], self.text.find("\n")
        while at >= 0:
            starts.append(at + 1)
            at = self.text.find("\n", at + 1)
        return starts


def version_of(text: str) -> str:
    """What tells one text of a file from another, whatever its line ends."""
    plain = text.replace("\r\n", "\n")
    return hashlib.sha256(plain.encode("utf-8", "surrogatepass")).hexdigest()[:12]


def changed_spans(old: list[str], new: list[str]) -> list[tuple[int, int, int, int]]:
    """Runs of lines that differ, as (first, end) of the old and of the new, from 0."""
    same = 0
    while same < min(len(old), len(new)) and old[same] == new[same]:
        same += 1
    tail = 0
    while tail < min(len(old), len(new)) - same and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    last_old, last_new = len(old) - tail, len(new) - tail
    if same == last_old and same == last_new:
        return []
    if max(last_old, last_new) - same > MAX_COMPARED_LINES:
        return [(same, last_old, same, last_new)]
    matcher = difflib.SequenceMatcher(None, old[same:last_old], new[same:last_new], autojunk=False)
    return [
        (a + same, b + same, c + same, d + same)
        for tag, a, b, c, d in matcher.get_opcodes()
        if tag != "equal"
    ]
