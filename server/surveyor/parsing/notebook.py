"""Jupyter notebooks: one chunk a cell, with the lines that the cell has in the file.

Outputs are left out. Definitions in code cells become symbols at their place in the JSON.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from msgspec import structs

from surveyor.files.structured import StructureError, mapping, parse_json
from surveyor.parsing.cut import MAX_CHUNK_CHARS, RowSizes, line_ranks, overlapping
from surveyor.parsing.languages import Language, find_language, languages
from surveyor.parsing.languages.grammar import parser, query
from surveyor.parsing.outline import Outline, outline
from surveyor.parsing.sections import markdown_headings, text_parts
from surveyor.parsing.source import SourceText, utf16_length
from surveyor.parsing.types import Chunk, Symbol

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["Notebook", "chunk_notebook"]

_MAGIC = re.compile(r"^(\s*)[%!?]", re.MULTILINE)


@dataclass(slots=True)
class Notebook:
    """What a notebook contributes to the index."""

    chunks: list[Chunk] = field(default_factory=list)
    symbols: list[Symbol] = field(default_factory=list)
    modules: list[str] = field(default_factory=list)


@dataclass(slots=True)
class _Cell:
    """A cell's lines, each with the row and byte column where it begins in the file."""

    kind: str
    lines: list[str]
    places: list[tuple[int, int]]


def chunk_notebook(source: SourceText, limit: int = MAX_CHUNK_CHARS) -> Notebook:
    """Cells, symbols and imports of a notebook.

    Raises:
        ValueError: when the file is not a notebook in JSON.
    """
    root = parser("json").parse(source.data).root_node
    document = next((node for node in root.named_children if node.type == "object"), None)
    if document is None:
        raise ValueError("not a notebook")
    pairs = _pairs(document, source)
    cells = pairs.get("cells")
    if cells is None or cells.type != "array":
        raise ValueError("a notebook without cells")
    language = _language(pairs.get("metadata"), source)
    result = Notebook()
    for node in cells.named_children:
        if node.type == "object" and (cell := _cell(node, source)) is not None:
            _add(result, cell, language, limit)
    result.modules = list(dict.fromkeys(result.modules))
    return result


def _pairs(node: Node, source: SourceText) -> dict[str, Node]:
    found = {}
    for pair in node.named_children:
        key, value = pair.child_by_field_name("key"), pair.child_by_field_name("value")
        if key is not None and value is not None:
            found[source.text(key.start_byte, key.end_byte).strip('"')] = value
    return found


def _language(metadata: Node | None, source: SourceText) -> Language | None:
    try:
        text = source.text(metadata.start_byte, metadata.end_byte) if metadata else "{}"
        data = mapping(parse_json(text))
    except StructureError:
        data = {}
    name = (
        mapping(data.get("kernelspec")).get("language")
        or mapping(data.get("language_info")).get("name")
        or "python"
    )
    return find_language(str(name)) or languages().get("python")


def _cell(node: Node, source: SourceText) -> _Cell | None:
    pairs = _pairs(node, source)
    kind, body = pairs.get("cell_type"), pairs.get("source")
    if body is None:
        return None
    strings = body.named_children if body.type == "array" else [body]
    lines: list[str] = []
    places: list[tuple[int, int]] = []
    for string in strings:
        if string.type != "string":
            continue
        try:
            text = json.loads(source.text(string.start_byte, string.end_byte), strict=False)
        except ValueError:
            continue
        row, column = string.start_point
        for line in text.removesuffix("\n").split("\n"):
            lines.append(line)
            places.append((row, column + 1))
    name = source.text(kind.start_byte, kind.end_byte).strip('"') if kind else "code"
    return _Cell(name, lines, places) if lines else None


def _add(result: Notebook, cell: _Cell, language: Language | None, limit: int) -> None:
    symbols: list[Symbol] = []
    found = Outline()
    if cell.kind == "code" and language is not None:
        found = _outline(cell, language)
        symbols = [d.symbol for d in found.definitions if d.symbol is not None]
    elif cell.kind == "markdown":
        symbols = [
            Symbol(h.title, "section", "", h.row + 1, h.row + 1, h.title_row + 1, 0, 0)
            for h in markdown_headings(cell.lines)
        ]
    result.modules += found.modules
    sizes = RowSizes(cell.lines)
    last = len(cell.lines) - 1
    whole = sizes.of(0, last) <= limit
    runs = (
        [(0, 0, last)]
        if whole
        else overlapping(0, last, sizes, line_ranks(cell.lines, 0, last), limit)
    )
    for first, core, end in runs:
        names = tuple(dict.fromkeys(s.name for s in symbols if core < s.line <= end + 1))
        owner = next((s for s in symbols if s.start_line <= end + 1 and s.end_line > core), None)
        text = "\n".join(cell.lines[first : end + 1]).strip("\n")
        for piece in text_parts(text, limit):
            result.chunks.append(
                Chunk(
                    kind="cell",
                    start_line=cell.places[first][0] + 1,
                    end_line=cell.places[end][0] + 1,
                    text=piece,
                    symbols=names,
                    symbol_name=owner.name if owner else "",
                    symbol_kind=owner.kind if owner else "",
                    parent_symbol=owner.container if owner else "",
                    signature=owner.signature if owner else "",
                    docstring=owner.docstring if owner else "",
                    calls=tuple(
                        dict.fromkeys(name for row, name in found.calls if core <= row <= end)
                    ),
                    is_fragment=not whole or len(piece) < len(text),
                )
            )
    result.symbols += [_placed(symbol, cell) for symbol in symbols]


def _outline(cell: _Cell, language: Language) -> Outline:
    symbols_query = query(language, "symbols.scm")
    if symbols_query is None or language.grammar is None:
        return Outline()
    text = _MAGIC.sub(lambda match: f"{match[1]}#", "\n".join(cell.lines))
    source = SourceText(text.encode("utf-8", "replace"))
    root = parser(language.grammar).parse(source.data).root_node
    return outline(root, source, language, symbols_query)


def _placed(symbol: Symbol, cell: _Cell) -> Symbol:
    """The symbol at its place in the JSON, where quotes and escapes take columns too."""
    row, column = cell.places[symbol.line - 1]
    before = cell.lines[symbol.line - 1].encode("utf-16-le", "replace")[: 2 * symbol.column]
    prefix = before.decode("utf-16-le", "replace")
    at = column + utf16_length(json.dumps(prefix, ensure_ascii=False)) - 2
    return structs.replace(
        symbol,
        start_line=cell.places[symbol.start_line - 1][0] + 1,
        end_line=cell.places[symbol.end_line - 1][0] + 1,
        line=row + 1,
        column=at,
        end_column=at + symbol.end_column - symbol.column,
    )
