"""Cuts what is not source code: Markdown by heading, notebooks by cell, text by section or lines.

All functions take the file's lines and return chunks and the symbols (headings) among them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from surveyor.parsing.cut import MAX_CHUNK_CHARS, RowSizes, line_ranks, overlapping
from surveyor.parsing.heading_titles import shown_title
from surveyor.parsing.source import utf16_length
from surveyor.parsing.types import Chunk, Symbol

__all__ = ["Heading", "chunk_lines", "chunk_sections", "markdown_headings", "section_headings"]

MERGED_CHARS = 600
"""Short sections under one heading are found together up to this size."""
MAX_LINE_PIECES = 8
"""A longer line is cut into this many pieces of a chunk's size; the rest is not searchable."""
MAX_HEADING_DEPTH = 10


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading and where it stands; rows are 0-based."""

    title: str
    level: int
    row: int
    """First row of the heading, an overline included."""
    title_row: int
    written: str = ""
    """The title with its markup, where it has some; as it stands in its row."""


def chunk_lines(lines: Sequence[str], limit: int = MAX_CHUNK_CHARS) -> list[Chunk]:
    """Overlapping runs of lines, cut at blank lines and low indentation where possible."""
    return _cut(lines, 0, len(lines) - 1, RowSizes(lines), limit, kind="text")


def chunk_sections(
    lines: Sequence[str], headings: Sequence[Heading], limit: int = MAX_CHUNK_CHARS
) -> tuple[list[Chunk], list[Symbol]]:
    """One chunk a section, large ones cut at paragraphs, tiny ones with their first subsection."""
    if not headings:
        return chunk_lines(lines, limit), []
    sizes = RowSizes(lines)
    last_row = len(lines) - 1
    symbols: list[Symbol] = []
    chunks = _cut(lines, 0, headings[0].row - 1, sizes, limit, kind="preamble")
    path: list[tuple[int, str]] = []
    pending: tuple[int, Symbol] | None = None
    for index, heading in enumerate(headings):
        end = headings[index + 1].row - 1 if index + 1 < len(headings) else last_row
        while path and path[-1][0] >= heading.level:
            path.pop()
        symbol = _symbol(lines, heading, path, _section_end(headings, index, last_row))
        path.append((heading.level, symbol.name))
        del path[:-MAX_HEADING_DEPTH]
        symbols.append(symbol)
        start = heading.row
        if pending is not None:
            if sizes.of(pending[0], end) <= min(MERGED_CHARS, limit):
                start, symbol = pending
            else:
                chunks += _section(lines, pending[0], heading.row - 1, sizes, limit, pending[1])
        pending = (start, symbol)
        following = headings[index + 1] if index + 1 < len(headings) else None
        merges = following is not None and following.level > headings[index].level
        if not merges or sizes.of(start, end) > MERGED_CHARS:
            chunks += _section(lines, start, end, sizes, limit, symbol)
            pending = None
    names = [(symbol.line, symbol.name) for symbol in symbols]
    return [_with_names(chunk, names) for chunk in chunks], symbols


def _section_end(headings: Sequence[Heading], index: int, last_row: int) -> int:
    level = headings[index].level
    for following in headings[index + 1 : index + 200]:
        if following.level <= level:
            return following.row - 1
    return last_row


def _symbol(
    lines: Sequence[str], heading: Heading, path: Sequence[tuple[int, str]], end_row: int
) -> Symbol:
    line = lines[heading.title_row]
    written = heading.written or heading.title
    at = max(line.find(written), 0)
    column = utf16_length(line[:at])
    return Symbol(
        name=heading.title[:200],
        kind="section",
        container=" > ".join(title for _, title in path),
        start_line=heading.row + 1,
        end_line=end_row + 1,
        line=heading.title_row + 1,
        column=column,
        end_column=column + utf16_length(written),
    )


def _section(
    lines: Sequence[str], first: int, last: int, sizes: RowSizes, limit: int, symbol: Symbol
) -> list[Chunk]:
    return _cut(lines, first, last, sizes, limit, kind="section", symbol=symbol)


def _cut(
    lines: Sequence[str],
    first: int,
    last: int,
    sizes: RowSizes,
    limit: int,
    *,
    kind: str,
    symbol: Symbol | None = None,
) -> list[Chunk]:
    while first <= last and not lines[first].strip():
        first += 1
    while first <= last and not lines[last].strip():
        last -= 1
    if first > last:
        return []
    if sizes.of(first, last) <= limit:
        runs = [(first, first, last)]
    else:
        ranks = line_ranks(lines, first, last)
        runs = overlapping(first, last, sizes, ranks, limit)
    chunks = []
    for start, _, end in runs:
        while start < end and not lines[start].strip():
            start += 1
        while start < end and not lines[end].strip():
            end -= 1
        text = "\n".join(lines[start : end + 1])
        for piece in text_parts(text, limit):
            chunks.append(
                Chunk(
                    kind=kind,
                    start_line=start + 1,
                    end_line=end + 1,
                    text=piece,
                    symbol_name=symbol.name if symbol else "",
                    symbol_kind=symbol.kind if symbol else "",
                    parent_symbol=symbol.container if symbol else "",
                    is_fragment=len(runs) > 1 or len(piece) < len(text),
                )
            )
    return chunks


def text_parts(text: str, limit: int) -> list[str]:
    """Cuts text that line ends cannot bring under the limit: the first MAX_LINE_PIECES of it."""
    if len(text) <= limit:
        return [text] if text.strip() else []
    parts = [text[at : at + limit] for at in range(0, len(text), limit)][:MAX_LINE_PIECES]
    return [part for part in parts if part.strip()]


def _with_names(chunk: Chunk, names: Sequence[tuple[int, str]]) -> Chunk:
    from bisect import bisect_left

    from msgspec import structs

    low = bisect_left(names, (chunk.start_line, ""))
    high = bisect_left(names, (chunk.end_line + 1, ""))
    return structs.replace(chunk, symbols=tuple(name for _, name in names[low:high]))


_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_ATX = re.compile(r" {0,3}(#{1,6})[ \t]++(?=[^ \t])")
_SETEXT = re.compile(r" {0,3}(=+|-+)[ \t]*$")
_NOT_A_TITLE = re.compile(r"\s*(?:[-*+>|]|\d+[.)]|$|#|<|`{3})")


def markdown_headings(lines: Sequence[str]) -> list[Heading]:
    """ATX and setext headings outside fenced code (CommonMark 4.5) and front matter."""
    headings: list[Heading] = []
    fence = ""
    row = _after_front_matter(lines)
    while row < len(lines):
        line = lines[row]
        if match := _FENCE.match(line):
            mark, rest = match[1], line[match.end() :]
            if not fence:
                fence = mark if mark[0] == "~" or "`" not in rest else ""
            elif mark[0] == fence[0] and len(mark) >= len(fence) and not rest.strip():
                fence = ""
        elif not fence and line and line.lstrip()[:1] == "#":
            if (found := _ATX.match(line)) and (title := _unclosed(line[found.end() :], "#")):
                headings.append(_heading(_plain(title), "markdown", len(found[1]), row, row))
        elif (
            not fence
            and line[:4].lstrip()[:1] in ("=", "-")
            and (setext := _SETEXT.match(line))
            and row > 0
            and not _NOT_A_TITLE.match(lines[row - 1])
            and (row < 2 or not lines[row - 2].strip())
        ):
            level = 1 if setext[1][0] == "=" else 2
            written = _plain(lines[row - 1])
            headings.append(_heading(written, "markdown", level, row - 1, row - 1))
        row += 1
    return headings


def _after_front_matter(lines: Sequence[str]) -> int:
    if lines and lines[0].strip() in ("---", "+++"):
        mark = lines[0].strip()
        for row in range(1, min(len(lines), 200)):
            if lines[row].strip() == mark:
                return row + 1
    return 0


def _unclosed(title: str, mark: str) -> str:
    """A title without the marks that stand behind it, apart from it."""
    title = title.rstrip()
    rest = title.rstrip(mark)
    return rest.rstrip() if not rest or rest[-1] in " \t" else title


def _plain(title: str) -> str:
    """Without a name for links behind it: `{#name}`."""
    title = title.strip()
    if title.endswith("}") and (at := title.rfind("{#")) >= 0 and "}" not in title[at:-1]:
        title = title[:at].rstrip()
    return title


def _heading(written: str, language: str, level: int, row: int, title_row: int) -> Heading:
    title = shown_title(written, language)
    return Heading(title, level, row, title_row, "" if title == written else written)


_UNDERLINE = re.compile(r"([=\-`:.'\"~^_*+#<>])\1{2,}\s*$")
_MARKED = {
    "asciidoc": (re.compile(r"(={1,6})[ \t]++(?=\S)"), "="),
    "org": (re.compile(r"(\*{1,8})[ \t]++(?=\S)"), ""),
}


def section_headings(lines: Sequence[str], language: str) -> list[Heading]:
    """Titles of reStructuredText and plain text (underlined, levels in order of appearance), of
    AsciiDoc (`=`) and of Org (`*`)."""
    if (marked := _MARKED.get(language)) is not None:
        begin, closing = marked
        titles = (
            (row, found, _unclosed(line[found.end() :], closing))
            for row, line in enumerate(lines)
            if line[:1] in ("=", "*") and (found := begin.match(line))
        )
        return [
            _heading(title, language, len(found[1]), row, row)
            for row, found, title in titles
            if title
        ]
    return _underlined_headings(lines, language)


def _underlined_headings(lines: Sequence[str], language: str) -> list[Heading]:
    headings: list[Heading] = []
    levels: dict[str, int] = {}
    for row, line in enumerate(lines):
        mark = _UNDERLINE.match(line) if row and line[:1] else None
        if mark is None:
            continue
        title = lines[row - 1].rstrip()
        if not title.strip() or _UNDERLINE.match(title) or len(line.rstrip()) < len(title.strip()):
            continue
        over = row > 1 and lines[row - 2].rstrip() == line.rstrip()
        if not over and row > 1 and lines[row - 2].strip():
            continue
        style = mark[1] * (2 if over else 1)
        level = levels.setdefault(style, len(levels) + 1)
        first = row - 2 if over else row - 1
        headings.append(_heading(title.strip(), language, level, first, row - 1))
    return headings
