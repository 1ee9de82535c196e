"""Which extractor reads a file, by its name and, where that says nothing, its first bytes.

The libraries behind the formats are imported only when a document of the format comes.
"""

from __future__ import annotations

import importlib
from pathlib import PurePath
from typing import Protocol

from surveyor.formats.document import ExtractedDocument, ExtractionError

FORMATS: dict[str, tuple[str, ...]] = {
    "markdown": (".md", ".markdown", ".mdown", ".mkd", ".mdx", ".qmd", ".rmd"),
    "html": (".html", ".htm", ".xhtml"),
    "pdf": (".pdf",),
    "docx": (".docx", ".docm"),
    "epub": (".epub",),
    "rst": (".rst", ".rest"),
    "notebook": (".ipynb",),
    "text": (".txt", ".text", ".log", ".adoc", ".asciidoc", ".org", ".tex", ".textile", ""),
}
"""Extensions by format. The last entry is what remains when the content is text."""

_MODULES = {
    "markdown": "markdown",
    "html": "html",
    "pdf": "pdf",
    "docx": "docx",
    "epub": "epub",
    "rst": "rst",
    "notebook": "notebook",
    "text": "text",
}


class Extractor(Protocol):
    """The `read` function of each format's module."""

    def __call__(self, data: bytes, name: str) -> ExtractedDocument:
        """A document from a file's bytes; `name` is its file name.

        Raises `ExtractionError` when the bytes are not of the format.
        """


def format_of(name: str, head: bytes = b"") -> str | None:
    """Format of a file, or None when it is no document that can be read."""
    suffix = PurePath(name).suffix.lower()
    for known, suffixes in FORMATS.items():
        if suffix and suffix in suffixes:
            return known
    if head.startswith(b"%PDF-"):
        return "pdf"
    start = head.lstrip()[:200].lower()
    if start.startswith((b"<!doctype html", b"<html")):
        return "html"
    if not suffix and head and b"\0" not in head:
        return "text"
    return None


def extract(data: bytes, name: str, known_format: str | None = None) -> ExtractedDocument:
    """The document in some bytes.

    Raises `ExtractionError` with what is wrong: no known format, encrypted, damaged.
    """
    chosen = known_format or format_of(name, data[:512])
    if chosen is None:
        raise ExtractionError(
            f"{name} is of no format that can be read", f"formats: {', '.join(FORMATS)}"
        )
    module = importlib.import_module(f"surveyor.formats.{_MODULES[chosen]}")
    document = read_with(module.read, data, name, chosen)
    if not document.sections and not document.problems:
        raise ExtractionError(f"{name} has no text")
    return document


def read_with(read: Extractor, data: bytes, name: str, format_name: str) -> ExtractedDocument:
    """What a reader makes of some bytes. Raises `ExtractionError`, whatever the reader raises."""
    try:
        return read(data, name)
    except ExtractionError:
        raise
    except RecursionError as error:
        raise ExtractionError(f"{name} is nested too deeply to be read") from error
    except Exception as error:  # what a library raises on damaged input is its own affair
        raise ExtractionError(f"{name} cannot be read as {format_name}: {error}") from error
