"""Word documents by heading style, tables included, in the order of the page."""

from __future__ import annotations

import io
import re
import zipfile
from pathlib import PurePath

import docx
from docx.document import Document
from docx.opc.exceptions import PackageNotFoundError
from docx.table import Table

from surveyor.formats.document import ExtractedDocument, ExtractionError, SectionCollector, one_line

_HEADING = re.compile(r"(?:heading|überschrift|titre|título|rubrik)\s*(\d)", re.IGNORECASE)
"""Names of the built-in heading styles in the languages Word is most used in."""
_NO_TITLES = frozenset(("word document", "document", "untitled", "powerpoint presentation"))
"""What programs write where nobody has given a title, in lower case."""


def read(data: bytes, name: str) -> ExtractedDocument:
    """Sections by heading; a `Title` paragraph is the title, else what the file says of itself."""
    try:
        document = docx.Document(io.BytesIO(data))
    except (PackageNotFoundError, zipfile.BadZipFile, KeyError, ValueError) as error:
        raise ExtractionError(f"{name} is not a readable Word document: {error}") from error
    said_title, keywords = _properties(document)
    title = ""
    outline = SectionCollector()
    said: list[str] = []

    def finish() -> None:
        outline.text("\n\n".join(said))
        said.clear()

    for block in document.iter_inner_content():
        if isinstance(block, Table):
            said.append("\n".join(
                " | ".join(one_line(cell.text) for cell in row.cells) for row in block.rows
            ))  # fmt: skip
            continue
        text = block.text.strip()
        style = (block.style.name if block.style else "") or ""
        if not text:
            continue
        if style == "Title" and not outline.sections and not said:
            title = one_line(text)
        elif match := _HEADING.match(style):
            finish()
            outline.heading(int(match[1]), one_line(text))
        else:
            said.append(f"- {text}" if style.startswith("List") else text)
    finish()
    heading = next((one.headings[0] for one in outline.sections if one.headings), "")
    return ExtractedDocument(
        title or _title_said(said_title) or heading or PurePath(name).stem,
        "docx",
        tuple(outline.sections),
        tuple(w for w in map(one_line, re.split(r"[,;]", keywords)) if w),
    )


def _properties(document: Document) -> tuple[str, str]:
    """The title and keywords among a file's properties; nothing where its list of types leaves
    them out, as some programs write it: they are bytes to the library then."""
    try:
        about = document.core_properties
    except AttributeError:
        return "", ""
    return about.title or "", about.keywords or ""


def _title_said(said: str) -> str:
    """The title among a file's properties, unless it is what a template or a printer put there."""
    title = one_line(said)
    return "" if title.lower() in _NO_TITLES or title.startswith("Microsoft Word - ") else title
