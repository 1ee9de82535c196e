"""Definitions as they are stored: by file, by name, and the names alone.

Rows are read as one JSON value: each row that is let go of lets other threads in, and tens of
thousands of names would take the interpreter from the event loop as often.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from surveyor.store.state.database import State
from surveyor.store.state.searched_chunks import DocumentScope, exists_in
from surveyor.store.state.sql_lists import marks


class StoredSymbol(msgspec.Struct, array_like=True, frozen=True):
    """A definition, without what is said of it in the source."""

    name: str
    kind: str
    container: str
    start_line: int
    end_line: int
    line: int
    column: int
    end_column: int
    signature: str


class SymbolDefinition(NamedTuple):
    """A definition in a stored file."""

    name: str
    kind: str
    container: str
    start_line: int
    end_line: int
    line: int
    signature: str


class SymbolRow(msgspec.Struct, array_like=True, frozen=True):
    """A definition and where it is."""

    path: str
    language: str | None
    symbol: StoredSymbol


class ScoredSymbol(msgspec.Struct, array_like=True, frozen=True):
    """A definition, and how well its name matches."""

    score: float
    row: SymbolRow


_COLUMNS = ", ".join(f's."{name}"' for name in StoredSymbol.__struct_fields__)
_MADE = f"json_array(d.path, d.language, json_array({_COLUMNS}))"
"""A definition as one value."""

_ROWS = msgspec.json.Decoder(list[SymbolRow])
_SCORED = msgspec.json.Decoder(list[ScoredSymbol])


async def symbols_of_file(state: State, checkout_id: str, path: str, limit: int) -> list[SymbolRow]:
    """Symbols of a file, from its top."""
    found = await state.value(
        f"""SELECT group_concat(made) FROM (
              SELECT {_MADE} AS made FROM files f JOIN documents d USING (doc_id)
              JOIN symbols s USING (doc_id) WHERE f.checkout_id = ? AND f.path = ?
              ORDER BY s.start_line LIMIT ?)""",
        (checkout_id, path, limit),
    )
    return _ROWS.decode(f"[{found or ''}]")


def glance_symbols(
    state: State, checkout_id: str, paths: Sequence[str], names: Sequence[str]
) -> list[SymbolRow]:
    """Symbols of these names in these files (each name in any of the files), from the top.

    Read on this thread.
    """
    found = state.read_inline(
        f"""SELECT group_concat(made) FROM (
              SELECT {_MADE} AS made FROM files f JOIN documents d USING (doc_id)
              JOIN symbols s USING (doc_id) WHERE f.checkout_id = ?
              AND f.path IN (SELECT value FROM json_each(?))
              AND s.name IN (SELECT value FROM json_each(?)) ORDER BY s.start_line)""",
        (checkout_id, json.dumps(paths), json.dumps(names)),
    )
    return _ROWS.decode(f"[{found[0][0] or ''}]")


async def symbols_named(
    state: State,
    checkout_id: str,
    scores: Mapping[str, float],
    *,
    kinds: Sequence[str],
    without: Sequence[str],
    below: str,
    limit: int,
) -> list[ScoredSymbol]:
    """Symbols with these very names, in the order in which they are answered.

    `without` are paths that do not count, `below` a folder that ends with a slash. Ordered and cut
    before anything but the order's columns is read: some names have thousands of definitions.
    Found by name first (CROSS JOIN keeps that order): from the checkout's files, which is what
    SQLite would choose, it reads every symbol, 65 ms for 78,000.
    """
    wanted = [[name.lower(), name, round(score, 4)] for name, score in scores.items()]
    found = await state.value(
        f"""WITH wanted AS (
              SELECT json_extract(value, '$[0]') AS lower, json_extract(value, '$[1]') AS name,
                     json_extract(value, '$[2]') AS score FROM json_each(?1)),
            first AS MATERIALIZED (
              SELECT w.score, s.symbol_id FROM wanted w
              CROSS JOIN symbols s ON s.name_lower = w.lower AND s.name = w.name
              CROSS JOIN files f ON f.doc_id = s.doc_id AND f.checkout_id = ?2
              WHERE f.path NOT IN (SELECT value FROM json_each(?3))
              AND (?4 = '[]' OR s.kind IN (SELECT value FROM json_each(?4)))
              AND substr(f.path, 1, length(?6)) = ?6
              ORDER BY w.score DESC, length(s.name), s.kind = 'section', f.path, s.line
              LIMIT ?5)
            SELECT group_concat(json_array(first.score, {_MADE})) FROM first
            JOIN symbols s USING (symbol_id) JOIN documents d USING (doc_id)""",
        (
            json.dumps(wanted),
            checkout_id,
            json.dumps(without),
            json.dumps(kinds),
            limit,
            below,
        ),
    )
    return _SCORED.decode(f"[{found or ''}]")


async def names_of_kinds(state: State, checkout_id: str, kinds: Sequence[str]) -> list[str]:
    """Distinct names of a checkout's symbols of some kinds."""
    rows = await state.read(
        """SELECT DISTINCT s.name FROM symbols s JOIN files f USING (doc_id)
           WHERE f.checkout_id = ? AND s.kind IN (SELECT value FROM json_each(?))""",
        (checkout_id, json.dumps(kinds)),
    )
    return [str(row[0]) for row in rows]


async def distinct_names(
    state: State, checkout_id: str, paths: Sequence[str] | None = None
) -> list[str]:
    """Distinct names of a checkout's symbols, or of those of some of its files."""
    inside = "" if paths is None else "AND f.path IN (SELECT value FROM json_each(?))"
    values = () if paths is None else (json.dumps(paths),)
    found = await state.value(
        f"""SELECT group_concat(name, char(10)) FROM (
              SELECT DISTINCT s.name FROM files f JOIN symbols s USING (doc_id)
              WHERE f.checkout_id = ? {inside})""",
        (checkout_id, *values),
    )
    return str(found).split("\n") if found else []


def is_defined(state: State, scope: DocumentScope, name: str) -> bool:
    """Whether something is called so (in lower case), in whatever case."""
    exists, parameters = exists_in(scope, "s")
    found = state.read_inline(
        f"SELECT 1 FROM symbols s WHERE s.name_lower = ? AND {exists} LIMIT 1",
        (name, *parameters),
    )
    return bool(found)


async def names_beginning_with(
    state: State, scope: DocumentScope, letter: str, lengths: tuple[int, int]
) -> dict[str, str]:
    """Names that begin with a letter in any case and are of a length, by the name in lower case."""
    exists, parameters = exists_in(scope, "s")
    rows = await state.read(
        f"""SELECT DISTINCT s.name_lower, s.name FROM symbols s
            WHERE s.name_lower >= ? AND s.name_lower < ?
            AND length(s.name_lower) BETWEEN ? AND ? AND {exists}""",
        (letter, chr(ord(letter) + 1), *lengths, *parameters),
    )
    return {str(row[0]): str(row[1]) for row in rows}


async def definitions_of_kinds(
    state: State, doc_ids: Sequence[int], kinds: Sequence[str]
) -> dict[int, list[SymbolDefinition]]:
    """Definitions of some kinds by their documents, from the top."""
    return _by_document(
        await state.read(_definitions_where("kind", doc_ids, kinds), (*doc_ids, *kinds))
    )


def definitions_named(
    state: State, doc_ids: Sequence[int], names: Sequence[str]
) -> dict[int, list[SymbolDefinition]]:
    """Definitions of some names, as written, by their documents (a few), from the top."""
    return _by_document(
        state.read_inline(_definitions_where("name", doc_ids, names), (*doc_ids, *names))
    )


def _definitions_where(column: str, doc_ids: Sequence[int], values: Sequence[str]) -> str:
    return (
        "SELECT doc_id, name, kind, container, start_line, end_line, line, signature"
        f" FROM symbols WHERE doc_id IN ({marks(doc_ids)})"
        f" AND {column} IN ({marks(values)}) ORDER BY start_line"
    )


def _by_document(rows: Iterable[Sequence[Any]]) -> dict[int, list[SymbolDefinition]]:
    defined: dict[int, list[SymbolDefinition]] = {}
    for doc_id, *fields in rows:
        defined.setdefault(doc_id, []).append(SymbolDefinition(*fields))
    return defined
