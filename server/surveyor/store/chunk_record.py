"""What is stored of a chunk: the one place where its fields are declared.

A new field needs a migration with its column, a value from parsing and, if searches read it, a
line in `chunk_row.RankedChunk`. Apart from `store.state`, because parsing makes these and needs
no database.
"""

from __future__ import annotations

import sqlite3
from operator import attrgetter
from typing import Any

import msgspec

__all__ = ["CHUNK_COLUMNS", "KINDS", "SYMBOLS", "ChunkRecord", "column_values", "record_fields"]


class ChunkRecord(msgspec.Struct, frozen=True, array_like=True):
    """A chunk's columns, in the order in which rows are written and digested."""

    kind: str
    """A `ChunkKind`."""
    start_line: int
    end_line: int
    symbols: tuple[str, ...] = ()
    """Names that this chunk defines."""
    symbol_name: str = ""
    symbol_kind: str = ""
    kinds: tuple[str, ...] = ()
    """All that a filter by kind finds this chunk by: its own kind and those of its symbols."""
    parent_symbol: str = ""
    is_fragment: bool = False


_FIELDS = ChunkRecord.__struct_fields__

CHUNK_COLUMNS = ("doc_id", "ordinal", "point_id", "text_hash", *_FIELDS)
"""Columns of the table, but for its key: whose the chunk is, its place among the document's chunks,
its point and its text, then the record."""

_values = attrgetter(*_FIELDS)

SYMBOLS = "iif(c.symbols = '', iif(c.symbol_name = '', '[]', json_array(c.symbol_name)), c.symbols)"
KINDS = "iif(c.kinds = '', json_array(c.kind), c.kinds)"
"""The lists of a row `c` of `chunks`, as JSON: most say what stands beside them, and are empty."""


def column_values(record: ChunkRecord) -> list[Any]:
    """A record as its columns hold it."""
    named = (record.symbol_name,) if record.symbol_name else ()
    usual = {"symbols": named, "kinds": (record.kind,)}
    return [
        _column(value, usual.get(name))
        for name, value in zip(_FIELDS, _values(record), strict=True)
    ]


def _column(value: Any, usual: tuple[str, ...] | None) -> Any:
    if usual is not None:
        return "" if value == usual else msgspec.json.encode(value).decode()
    return int(value) if isinstance(value, bool) else value


def record_fields(row: sqlite3.Row) -> dict[str, Any]:
    """The fields of a record from a row that has all its columns by name."""
    fields = {name: row[name] for name in _FIELDS}
    fields["is_fragment"] = bool(fields["is_fragment"])
    named = (fields["symbol_name"],) if fields["symbol_name"] else ()
    fields["symbols"] = _names(fields["symbols"]) if fields["symbols"] else named
    fields["kinds"] = _names(fields["kinds"]) if fields["kinds"] else (fields["kind"],)
    return fields


def _names(text: str) -> tuple[str, ...]:
    return msgspec.json.decode(text, type=tuple[str, ...])
