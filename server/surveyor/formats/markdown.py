"""Markdown by markdown-it's own block structure: headings in code fences are none."""

from __future__ import annotations

import re
from pathlib import PurePath

from markdown_it import MarkdownIt

from surveyor.formats.document import ExtractedDocument, SectionCollector, one_line
from surveyor.formats.text import decode

_FRONT_MATTER = re.compile(r"\A---[ \t]*\n(.*?)\n(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
_FRONT_FIELD = re.compile(
    r"^(title|tags|keywords|topics)\s*:\s*(.+)$", re.MULTILINE | re.IGNORECASE
)
_SPOKEN = ("text", "code_inline", "image")
"""Inline tokens whose content is what a reader sees of a heading."""


def read(data: bytes, name: str) -> ExtractedDocument:
    """Sections by heading; text stays Markdown, which people and models both read."""
    return read_text(decode(data), name)


def read_text(source: str, name: str) -> ExtractedDocument:
    """As `read`, from text."""
    source = source.replace("\r\n", "\n")
    front = _FRONT_MATTER.match(source)
    found = _FRONT_FIELD.findall(front[1]) if front else []
    fields = {key.lower(): value for key, value in found}
    skipped = source[: front.end()].count("\n") if front else 0
    body = source[front.end() :] if front else source
    lines = body.split("\n")
    outline = SectionCollector()
    first_heading = ""
    position = 0
    tokens = MarkdownIt("commonmark").parse(body)
    for index, token in enumerate(tokens):
        if token.type != "heading_open" or token.level or token.map is None:
            continue
        start, end = token.map
        _take(outline, lines, position, start, skipped)
        inline = tokens[index + 1].children or []
        title = one_line("".join(one.content for one in inline if one.type in _SPOKEN))
        first_heading = first_heading or title
        outline.heading(int(token.tag[1]), title)
        position = end
    _take(outline, lines, position, len(lines), skipped)
    title = fields.get("title", "").strip().strip("\"'") or first_heading or PurePath(name).stem
    listed = next((fields[key] for key in ("tags", "keywords", "topics") if key in fields), "")
    topics = tuple(t for t in (x.strip(" []\"'") for x in listed.split(",")) if t)
    if not outline.sections and first_heading:
        outline.text(first_heading, None, skipped + 1, skipped + len(lines))
    return ExtractedDocument(one_line(title), "markdown", tuple(outline.sections), topics)


def _take(outline: SectionCollector, lines: list[str], start: int, end: int, skipped: int) -> None:
    while start < end and not lines[start].strip():
        start += 1
    while end > start and not lines[end - 1].strip():
        end -= 1
    if start < end:
        outline.text("\n".join(lines[start:end]), None, skipped + start + 1, skipped + end)
