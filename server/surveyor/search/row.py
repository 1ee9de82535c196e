"""A chunk as `state.db` has it, with its document: what ranking and results read."""

from __future__ import annotations

import msgspec


class Row(msgspec.Struct, array_like=True):
    """One chunk; the fields are in the order in which `rows` asks for them."""

    doc_id: int
    """0 for a chunk of an unsaved buffer, which has no document."""
    point_id: str
    text_hash: str
    """Hexadecimal."""
    kind: str
    kinds: str
    """A JSON list."""
    start_line: int
    end_line: int
    symbols: str
    """A JSON list."""
    symbol_name: str
    symbol_kind: str
    parent_symbol: str
    signature: str
    is_fragment: int
    path: str
    language: str | None
    file_type: str
    is_reexport: int
    text: str | None = None
    """That of an unsaved chunk; others have theirs under `text_hash`."""
