"""Lines of the lists: a result, a symbol, as text that fits and that no file can break."""

from __future__ import annotations

from typing import TYPE_CHECKING

from surveyor.terminal_text import written_out
from surveyor.tui.code_target import CodeTarget

if TYPE_CHECKING:
    from rich.text import Text

    from surveyor.protocol.search import SearchResult, SymbolItem

SURE = 0.8
"""Confidence from which a result is shown as good."""
MOST_SIGNS = 400
"""Of a row."""


def search_row(result: SearchResult, width: int) -> Text:
    """A result of a search: how sure, where, what."""
    if result.column is not None:
        where = f"{result.path}:{result.line}:{result.column + 1}"
        matched = result.snippet.splitlines() or [""]
        offset = min(max(result.line - result.start_line, 0), len(matched) - 1)
        return _row("", False, where, "", matched[offset].strip(), width)
    name = qualified(result.container, result.symbol) or result.title or ""
    where = f"{result.path}:{result.line or result.start_line}"
    sure = result.confidence > SURE
    return _row(f"{result.confidence:.2f} ", sure, where, result.kind, name, width)


def symbol_row(item: SymbolItem, width: int) -> Text:
    """A definition."""
    name = qualified(item.container, item.name)
    return _row("", False, f"{item.path}:{item.line}", item.kind, name, width)


def search_target(result: SearchResult) -> CodeTarget:
    """Where a result of a search leads to."""
    first, last = result.start_line, result.end_line
    if result.column is not None:
        first, last = result.line, result.match_end_line or result.line
    return CodeTarget(
        root=result.root,
        path=result.path,
        line=result.line or result.start_line,
        column=result.column,
        first_line=first,
        last_line=last,
        branch=result.branch,
        language=result.language,
        name=qualified(result.container, result.symbol),
    )


def symbol_target(item: SymbolItem) -> CodeTarget:
    """Where a definition is."""
    return CodeTarget(
        root=item.root,
        path=item.path,
        line=item.line,
        column=item.column,
        first_line=item.start_line,
        last_line=item.end_line,
        language=item.language,
        name=qualified(item.container, item.name),
    )


def qualified(container: str | None, name: str | None) -> str:
    """`Class.method`."""
    return ".".join(part for part in (container, name) if part)


def fitted_path(place: str, width: int) -> str:
    """The end of a path that is too long: that is what tells files apart."""
    from rich.cells import cell_len

    shown = written_out(place)
    if cell_len(shown) <= width:
        return shown
    while shown and cell_len(shown) > width - 1:
        shown = shown[1:]
    return f"…{shown}"


def _row(sure: str, good: bool, where: str, kind: str, name: str, width: int) -> Text:
    from rich.text import Text

    row = Text(no_wrap=True, overflow="ellipsis")
    row.append(sure, "bold" if good else "")
    row.append(fitted_path(where, max(width // 2, 20)), "underline" if good else "")
    row.append(f"  {kind} " if kind else "  ", "italic")
    row.append(written_out(name[:MOST_SIGNS]), "bold" if kind else "")
    return row
