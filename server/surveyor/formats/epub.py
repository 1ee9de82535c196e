"""EPUB: a zip of XHTML chapters, read in the order of its spine."""

from __future__ import annotations

import io
import posixpath
import zipfile
from pathlib import PurePath
from urllib.parse import unquote

from bs4 import BeautifulSoup
from lxml import etree

from surveyor.formats import html
from surveyor.formats.document import ExtractedDocument, ExtractionError, SectionCollector, one_line

CHAPTER_MAX_BYTES = 16 << 20
"""A chapter that unpacks to more is passed over: no book needs it, a zip bomb does."""

_DC = "{http://purl.org/dc/elements/1.1/}"
_OPF = "{http://www.idpf.org/2007/opf}"
_CONTAINER = "{urn:oasis:names:tc:opendocument:xmlns:container}"


def read(data: bytes, name: str) -> ExtractedDocument:
    """Sections by heading within each chapter."""
    try:
        book = zipfile.ZipFile(io.BytesIO(data))
    except zipfile.BadZipFile as error:
        raise ExtractionError(f"{name} is not an EPUB: {error}") from error
    with book:
        package_path = _package_path(book, name)
        package = _xml(book, package_path)
        base = posixpath.dirname(package_path)
        problems: list[str] = []
        outline = SectionCollector()
        for chapter in _spine(package, base):
            content = _member(book, chapter)
            if content is None:
                problems.append(f"{chapter}: missing or too large")
                continue
            soup = BeautifulSoup(content, "lxml")
            heading = one_line(soup.title.get_text()) if soup.title else ""
            outline.heading(0, "")
            before = len(outline.sections)
            html.walk(html.main_part(soup), outline)
            if len(outline.sections) > before and heading and not outline.headings:
                outline.sections[before:] = [
                    type(one)(one.text, (heading, *one.headings))
                    for one in outline.sections[before:]
                ]
    titles = [one_line(e.text or "") for e in package.iter(f"{_DC}title")]
    topics = [one_line(e.text or "") for e in package.iter(f"{_DC}subject")]
    return ExtractedDocument(
        next((title for title in titles if title), PurePath(name).stem),
        "epub",
        tuple(outline.sections),
        tuple(topic for topic in topics if topic),
        tuple(problems),
    )


def _package_path(book: zipfile.ZipFile, name: str) -> str:
    container = _xml(book, "META-INF/container.xml")
    for entry in container.iter(f"{_CONTAINER}rootfile"):
        if path := entry.get("full-path"):
            return path
    raise ExtractionError(f"{name} is not an EPUB: it names no package file")


def _spine(package: etree._Element, base: str) -> list[str]:
    items = {
        entry.get("id", ""): entry.get("href", "")
        for entry in package.iter(f"{_OPF}item")
        if "html" in (entry.get("media-type") or "")
    }
    order = [entry.get("idref", "") for entry in package.iter(f"{_OPF}itemref")]
    return [
        posixpath.normpath(posixpath.join(base, unquote(items[one])))
        for one in order
        if one in items
    ]


def _member(book: zipfile.ZipFile, path: str) -> bytes | None:
    try:
        if book.getinfo(path).file_size > CHAPTER_MAX_BYTES:
            return None
        return book.read(path)
    except (KeyError, zipfile.BadZipFile):
        return None


def _parser() -> etree.XMLParser:
    return etree.XMLParser(resolve_entities=False, no_network=True, recover=True)


def _xml(book: zipfile.ZipFile, path: str) -> etree._Element:
    content = _member(book, path)
    if content is None:
        raise ExtractionError(f"not an EPUB: {path} is missing")
    root = etree.fromstring(content, _parser())
    if root is None:
        raise ExtractionError(f"not an EPUB: {path} is empty")
    return root
