"""PDF by page, under the headings of its outline (bookmarks)."""

from __future__ import annotations

import io
import logging
from pathlib import PurePath
from typing import Any

import pypdf
from pypdf.errors import PyPdfError

from surveyor.formats.document import (
    DocumentSection,
    ExtractedDocument,
    ExtractionError,
    one_line,
    tidy,
)

logging.getLogger("pypdf").setLevel(logging.ERROR)  # it warns of every oddity of every file


def page_count(data: bytes) -> int:
    """Number of pages; 0 when the file is damaged or encrypted (`read` says which)."""
    try:
        return len(pypdf.PdfReader(io.BytesIO(data)).pages)
    except Exception:  # whatever is wrong with it, reading it will say
        return 0


def read(
    data: bytes, name: str, first_page: int = 1, last_page: int | None = None
) -> ExtractedDocument:
    """One section a page; a page that opens several outline entries is cut where they are named."""
    try:
        reader = pypdf.PdfReader(io.BytesIO(data))
        if reader.is_encrypted and not reader.decrypt(""):
            raise ExtractionError(
                f"{name} is encrypted", "save a copy without a password and add that"
            )
        outline = _outline(reader)
        pages = list(reader.pages)
    except PyPdfError as error:
        raise ExtractionError(f"{name} is not a readable PDF: {error}") from error
    sections: list[DocumentSection] = []
    problems: list[str] = []
    earlier = [path for at, path in outline if at < first_page]
    current = earlier[-1] if earlier else ()
    for number in range(first_page, min(last_page or len(pages), len(pages)) + 1):
        page = pages[number - 1]
        try:
            text = tidy(page.extract_text())
        except Exception as error:  # one damaged page does not cost the others
            problems.append(f"page {number}: {error}")
            continue
        entries = [path for at, path in outline if at == number]
        for headings, part in _by_entries(text, current, entries):
            if part.strip():
                sections.append(DocumentSection(part.strip("\n"), headings, number))
        current = entries[-1] if entries else current
    if not sections:
        problems.append("no text on its pages, which may be images")
    about = reader.metadata
    title = one_line(about.title or "") if about else ""
    keywords = str(about.get("/Keywords", "")) if about else ""
    first = sections[0].text.split("\n")[0] if sections else ""
    return ExtractedDocument(
        title or one_line(first)[:100] or PurePath(name).stem,
        "pdf",
        tuple(sections),
        tuple(word for word in map(one_line, keywords.replace(";", ",").split(",")) if word),
        tuple(problems),
    )


def _outline(reader: pypdf.PdfReader) -> list[tuple[int, tuple[str, ...]]]:
    """Outline entries as (page, titles from the top), in reading order."""
    found: list[tuple[int, tuple[str, ...]]] = []

    def enter(entries: list[Any], above: tuple[str, ...]) -> None:
        last = above
        for entry in entries:
            if isinstance(entry, list):
                enter(entry, last)
                continue
            last = (*above, one_line(str(entry.title or "")))
            page = reader.get_destination_page_number(entry)
            if page is not None and page >= 0:
                found.append((page + 1, last))

    try:
        enter(reader.outline, ())
    except Exception:  # a broken outline costs headings only
        return found
    return found


def _by_entries(
    text: str, current: tuple[str, ...], entries: list[tuple[str, ...]]
) -> list[tuple[tuple[str, ...], str]]:
    """A page's text cut at the outline entries that begin on it."""
    parts = []
    position = 0
    for path in entries:
        found = text.find(path[-1], position) if path[-1] else -1
        if found < 0:
            if not text[:position].strip():
                current = path
            continue
        parts.append((current, text[position:found]))
        current, position = path, found
    parts.append((current, text[position:]))
    return parts
