"""The open buffers: one authoritative text per document, whoever looks at it.

The editor's buffer beats the disk: a document that the editor holds cannot be replaced by what a
headless reader opened. Owners are counted; the last one closes it.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from surveyor.servers.positions import line_starts, offset_at, offset_inside
from surveyor.servers.uris import SpelledFiles, to_uri

EDITOR = "editor"
"""The owner whose text is the truth."""


@dataclass(slots=True)
class OpenDocument:
    """An open buffer. `version` is the editor's; `dirty` means that the disk has another text.

    `saved` is that text while it is dirty, where it is known.
    """

    uri: str
    language_id: str
    version: int
    text: str
    owners: set[str] = field(default_factory=set)
    dirty: bool = False
    saved: str | None = None
    _starts: list[int] | None = None

    @property
    def starts(self) -> list[int]:
        """Index of the first character of every line (kept until the next change)."""
        if self._starts is None:
            self._starts = line_starts(self.text)
        return self._starts

    def line(self, number: int) -> str:
        """One line without its end; empty outside of the text."""
        starts = self.starts
        if not 0 <= number < len(starts):
            return ""
        end = starts[number + 1] if number + 1 < len(starts) else len(self.text)
        return self.text[starts[number] : end].rstrip("\r\n")

    def replace(self, text: str) -> None:
        """Set the whole text."""
        self.text = text
        self._starts = None

    def apply(self, changes: Sequence[Mapping[str, Any]]) -> bool:
        """Apply `contentChanges` of a didChange in order (UTF-16 positions).

        Returns whether the text had all their ranges. One that is outside is moved to the nearest
        place inside, one whose end is before its beginning is turned round: servers do something
        else each, or end.
        """
        are_inside = True
        for change in changes:
            where = change.get("range")
            if where is None:
                self.replace(change["text"])
                continue
            begin, end = (
                (where[side]["line"], where[side]["character"]) for side in ("start", "end")
            )
            first, last = (offset_inside(self.text, self.starts, *each) for each in (begin, end))
            if first is None or last is None or begin > end:
                are_inside = False
                first, last = sorted(
                    offset_at(self.text, self.starts, *each) for each in (begin, end)
                )
            self._splice(first, last, change["text"])
        return are_inside

    def _splice(self, first: int, last: int, new: str) -> None:
        """Replace `text[first:last]`, and find the lines anew only where they can have changed.

        Reading all lines at every key costs 60 ms a megabyte of short lines.
        """
        starts, shift = self.starts, len(new) - (last - first)
        # A line end before or after may become one with what is put in (`\r` and `\n`).
        begin = max(0, bisect_right(starts, first) - 2)
        end = bisect_right(starts, last) + 1
        low, high = starts[begin], starts[end] if end < len(starts) else len(self.text)
        self.text = self.text[:first] + new + self.text[last:]
        between = [low + start for start in line_starts(self.text[low : high + shift])]
        if end < len(starts):
            between.pop()  # the first of the lines that follow
        follow = starts[end:] if shift == 0 else [start + shift for start in starts[end:]]
        starts[begin:] = between + follow

    def word_at(self, line: int, column: int) -> str:
        """The identifier at an LSP position, or an empty string."""
        text = self.line(line)
        begin = end = offset_at(text, [0], 0, column)
        while begin > 0 and is_word(text[begin - 1]):
            begin -= 1
        while end < len(text) and is_word(text[end]):
            end += 1
        return text[begin:end]


def is_word(char: str) -> bool:
    """Whether a character can be part of an identifier."""
    return char.isalnum() or char in "_$"


class OpenDocuments:
    """All open buffers of one Surveyor process, by URI.

    A file is one document however its URI is spelled (`%28x%29` or `(x)`): by whoever opened it.
    """

    def __init__(self) -> None:
        self._documents: dict[str, OpenDocument] = {}
        self._spelled = SpelledFiles()

    def __iter__(self) -> Any:
        return iter(list(self._documents.values()))

    def __len__(self) -> int:
        return len(self._documents)

    def get(self, uri: str) -> OpenDocument | None:
        """The open document, if it is."""
        return self._documents.get(uri) or self._documents.get(self._spelled.same_as(uri))

    def uri_of(self, path: Path) -> str:
        """The URI under which a file is open; the usual one for any other."""
        return self._spelled.of(path) or to_uri(path)

    def open(self, uri: str, language_id: str, version: int, text: str, owner: str) -> OpenDocument:
        """Open a document, or become one more owner of it; an editor's text replaces another."""
        document = self.get(uri)
        if document is None:
            document = OpenDocument(uri, language_id, version, text)
            self._documents[uri] = document
            self._spelled.add(uri)
        elif owner == EDITOR:
            document.language_id, document.version = language_id, version
            document.replace(text)
        document.owners.add(owner)
        return document

    def close(self, uri: str, owner: str) -> bool:
        """Give a document up; `True` when that closed it."""
        document = self.get(uri)
        if document is None:
            return False
        document.owners.discard(owner)
        if document.owners:
            return False
        self.forget(document)
        return True

    def forget(self, document: OpenDocument) -> None:
        """Close a document, whoever has it open."""
        del self._documents[document.uri]
        self._spelled.remove(document.uri)
