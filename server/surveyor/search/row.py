"""A chunk as `state.db` has it, with its document: what ranking reads of it."""

from __future__ import annotations

import msgspec


class Row(msgspec.Struct, array_like=True, gc=False):
    """One chunk; the fields are in the order in which `rows` asks for them."""

    rowid: int
    """0 for a chunk of an unsaved buffer."""
    doc_id: int
    """0 for a chunk of an unsaved buffer, which has no document."""
    point_id: str
    kind: str
    kinds: str
    """A JSON list; empty unless it was asked for."""
    start_line: int
    end_line: int
    symbol_name: str
    symbol_kind: str
    parent_symbol: str
    is_fragment: int
    path: str
    language: str | None
    file_type: str
    is_reexport: int
    symbols: tuple[str, ...]
    signature: str = ""
    """Of stored chunks only once they are to be shown (`ChunkRows.shown`), as the text."""
    text: str | None = None
