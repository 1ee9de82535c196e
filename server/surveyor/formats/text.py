"""Plain text: paragraphs, with the first short line as the title."""

from __future__ import annotations

from pathlib import PurePath

from surveyor.formats.document import DocumentSection, ExtractedDocument, tidy

TITLE_MAX_CHARS = 100


def decode(data: bytes) -> str:
    """UTF-8, or UTF-16 by its byte order mark, else Latin-1's superset."""
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return data.decode("utf-16", "replace")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("cp1252", "replace")


def read(data: bytes, name: str) -> ExtractedDocument:
    """One section; lines are those of the file."""
    lines = decode(data).replace("\r\n", "\n").split("\n")
    first = next((line.strip() for line in lines if line.strip()), "")
    title = first if 0 < len(first) <= TITLE_MAX_CHARS else PurePath(name).stem
    start = next((i for i, line in enumerate(lines, 1) if line.strip()), 1)
    text = tidy("\n".join(lines[start - 1 :]))
    sections = (DocumentSection(text, (), None, start, len(lines)),) if text else ()
    return ExtractedDocument(title, "text", sections)
