"""What is stored of a chunk: the one place where its fields are declared.

A new field needs a migration with its column, a value from parsing and, if searches read it, a
line in `chunk_row.RankedChunk`. Apart from `store.state`, because parsing makes these and needs
no database.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from operator import attrgetter
from typing import Any

import msgspec

__all__ = ["CHUNK_COLUMNS", "ChunkRecord", "column_values", "record_fields"]


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
    signature: str = ""
    docstring: str = ""
    calls: tuple[str, ...] = ()
    is_fragment: bool = False


_FIELDS = ChunkRecord.__struct_fields__

CHUNK_COLUMNS = ("doc_id", "ordinal", "point_id", "text_hash", *_FIELDS)
"""Columns of the table, but for its key: whose the chunk is, its place among the document's chunks,
its point and its text, then the record."""

_values = attrgetter(*_FIELDS)


def _json(names: tuple[str, ...]) -> str:
    return msgspec.json.encode(names).decode()


def _names(text: str) -> tuple[str, ...]:
    return msgspec.json.decode(text, type=tuple[str, ...])


_WRITTEN: dict[object, Callable[[Any], Any]] = {"tuple[str, ...]": _json, "bool": int}
_READ: dict[object, Callable[[Any], Any]] = {"tuple[str, ...]": _names, "bool": bool}
"""How fields of a type become columns, and columns fields; others are what they are."""
_WRITERS = tuple(_WRITTEN.get(ChunkRecord.__annotations__[name]) for name in _FIELDS)
_READERS = tuple((name, _READ.get(ChunkRecord.__annotations__[name])) for name in _FIELDS)


def column_values(record: ChunkRecord) -> list[Any]:
    """A record as its columns hold it."""
    return [
        value if write is None else write(value)
        for write, value in zip(_WRITERS, _values(record), strict=True)
    ]


def record_fields(row: sqlite3.Row) -> dict[str, Any]:
    """The fields of a record from a row that has all its columns by name."""
    return {name: row[name] if read is None else read(row[name]) for name, read in _READERS}
