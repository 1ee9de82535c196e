"""What every extractor makes: a document of sections, and the pieces that are embedded."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from surveyor.errors import SurveyorError

CHUNK_MAX_CHARS = 1500
CHUNK_OVERLAP_CHARS = 150
"""Repeated between the parts of one long section, so that no sentence is cut off from both."""


class ExtractionError(SurveyorError):
    """A document that cannot be read: encrypted, damaged, or of no known format."""

    code = "not_readable"


@dataclass(frozen=True, slots=True)
class DocumentSection:
    """Text under one heading, or on one page.

    `headings` lead from the document's top to this section. `page` is 1-based, None where the
    format has none; lines are 1-based, 0 where they mean nothing to a reader.
    """

    text: str
    headings: tuple[str, ...] = ()
    page: int | None = None
    start_line: int = 0
    end_line: int = 0


@dataclass(frozen=True, slots=True)
class ExtractedDocument:
    """A document in reading order."""

    title: str
    format: str
    sections: tuple[DocumentSection, ...] = ()
    topics: tuple[str, ...] = ()
    """Keywords that the document itself declares."""
    problems: tuple[str, ...] = field(default=())


@dataclass(frozen=True, slots=True)
class DocumentChunk:
    """A part of a document that is embedded and found as one."""

    ordinal: int
    text: str
    headings: tuple[str, ...]
    page: int | None
    start_line: int
    end_line: int


def document_chunks(
    document: ExtractedDocument, max_chars: int = CHUNK_MAX_CHARS
) -> Iterator[DocumentChunk]:
    """The sections cut at paragraphs, then lines, then words; small neighbours are joined.

    Sections join only under the same first two headings and on the same page, so that a piece
    can say where it is.
    """
    ordinal = 0
    for group in _joined(document.sections, max_chars):
        first = group[0]
        text = "\n\n".join(_shown(one, first) for one in group)
        line = first.start_line
        parts = [text] if len(text) <= max_chars else list(_split(text, max_chars))
        for number, part in enumerate(parts):
            start = line + text[: text.find(part)].count("\n") if line else 0
            yield DocumentChunk(
                ordinal=ordinal,
                text=part,
                headings=first.headings,
                page=first.page,
                start_line=start if number else line,
                end_line=_end_line(group, start, part, last=number == len(parts) - 1),
            )
            ordinal += 1


def _shown(section: DocumentSection, first: DocumentSection) -> str:
    """A joined section keeps its heading as a line of text."""
    if section is first or section.headings == first.headings or not section.headings:
        return section.text
    return f"{section.headings[-1]}\n{section.text}"


def _joined(sections: Iterable[DocumentSection], max_chars: int) -> Iterator[list[DocumentSection]]:
    group: list[DocumentSection] = []
    size = 0
    for section in sections:
        if not section.text.strip():
            continue
        length = len(section.text) + len(section.headings[-1] if section.headings else "") + 3
        related = (
            group
            and group[0].page == section.page
            and group[0].headings[:2] == section.headings[:2]
            and len(section.headings) >= len(group[0].headings)
        )
        if group and (not related or size + length > max_chars):
            yield group
            group, size = [], 0
        group.append(section)
        size += length
    if group:
        yield group


def _split(text: str, max_chars: int) -> Iterator[str]:
    start = 0
    while start < len(text):
        end = min(start + max_chars, len(text))
        if end < len(text):
            for boundary in ("\n\n", "\n", ". ", " "):
                found = text.rfind(boundary, start + max_chars // 2, end)
                if found > 0:
                    end = found + len(boundary)
                    break
        if part := text[start:end].strip("\n"):
            yield part
        if end == len(text):
            return
        overlap = text.rfind("\n", end - CHUNK_OVERLAP_CHARS, end - 1)
        if overlap < 0:
            overlap = text.rfind(" ", end - CHUNK_OVERLAP_CHARS, end - 1)
        start = overlap + 1 if overlap > start else end


def _end_line(group: list[DocumentSection], start: int, part: str, *, last: bool) -> int:
    if last or not start:
        return group[-1].end_line
    return min(start + part.count("\n"), group[-1].end_line)


_SPACES = re.compile(r"[ \t\xa0]+")
_BLANKS = re.compile(r"\n{3,}")


def tidy(text: str) -> str:
    """Text without control characters, lone surrogates, runs of blanks or of empty lines."""
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\f", "\n")
    text = "".join(c for c in text if c >= " " or c in "\n\t")
    text = text.encode("utf-8", "ignore").decode("utf-8")
    return _BLANKS.sub("\n\n", text).strip("\n").rstrip()


def one_line(text: str) -> str:
    """A heading or title: tidy, on one line."""
    return _SPACES.sub(" ", " ".join(tidy(text).split("\n"))).strip()


class SectionCollector:
    """Collects sections while headings of given levels come and go."""

    def __init__(self) -> None:
        self.sections: list[DocumentSection] = []
        self._levels: list[tuple[int, str]] = []

    @property
    def headings(self) -> tuple[str, ...]:
        """From the top to where the reader is."""
        return tuple(title for _, title in self._levels)

    def heading(self, level: int, title: str) -> None:
        """Enter a heading; those of the same or a deeper level end."""
        while self._levels and self._levels[-1][0] >= level:
            self._levels.pop()
        if title:
            self._levels.append((level, title))

    def text(
        self, text: str, page: int | None = None, start_line: int = 0, end_line: int = 0
    ) -> None:
        """Add text under the current headings."""
        if cleaned := tidy(text):
            self.sections.append(
                DocumentSection(cleaned, self.headings, page, start_line, end_line)
            )
