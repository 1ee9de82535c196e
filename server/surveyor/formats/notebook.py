"""Jupyter notebooks: Markdown cells give headings and text, code cells stay with them."""

from __future__ import annotations

from typing import Any

from surveyor.files.structured import mapping, parse_json, sequence
from surveyor.formats import markdown
from surveyor.formats.document import ExtractedDocument, ExtractionError


def read(data: bytes, name: str) -> ExtractedDocument:
    """The notebook as one Markdown document; outputs are left out."""
    try:
        notebook = mapping(parse_json(data.decode("utf-8-sig"), len(data)))
        cells = notebook["cells"] if "cells" in notebook else _old_cells(notebook)
        language = _language(notebook)
        parts = [_cell(mapping(cell), language) for cell in cells]
    except (ValueError, KeyError, TypeError) as error:
        raise ExtractionError(f"{name} is not a notebook: {error}") from error
    document = markdown.read_text("\n\n".join(part for part in parts if part), name)
    sections = tuple(type(one)(one.text, one.headings) for one in document.sections)
    return ExtractedDocument(document.title, "notebook", sections, document.topics)


def _cell(cell: Any, language: str) -> str:
    source = cell.get("source", cell.get("input", ""))
    lines = source if isinstance(source, list) else [source]
    text = "".join(line for line in lines if isinstance(line, str)).strip("\n")
    if not text.strip():
        return ""
    if cell.get("cell_type") == "code":
        fence = "```"
        while fence in text:
            fence += "`"
        return f"{fence}{language}\n{text}\n{fence}"
    return text


def _old_cells(notebook: Any) -> list[Any]:
    """Version 3 kept cells in worksheets."""
    sheets = [mapping(sheet) for sheet in notebook["worksheets"]]
    return [cell for sheet in sheets for cell in sequence(sheet.get("cells"))]


def _language(notebook: Any) -> str:
    about = mapping(notebook.get("metadata"))
    return str(
        mapping(about.get("kernelspec")).get("language")
        or mapping(about.get("language_info")).get("name")
        or "python"
    )
