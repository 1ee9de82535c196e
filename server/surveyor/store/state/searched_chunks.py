"""Chunks as searches read them: by point, by definition, by document, with or without their texts.

What is found by similarity is shown only if it has a row here, so that nothing stale or orphaned
shows.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple, Protocol

import msgspec

from surveyor.store.chunk_record import CHUNK_COLUMNS, KINDS, SYMBOLS
from surveyor.store.chunk_row import Row
from surveyor.store.state.chunk_texts import CHUNK_SIGNATURE, CHUNK_TEXT
from surveyor.store.state.database import State
from surveyor.store.state.sql_lists import is_point, marks

__all__ = [
    "ChunkShare",
    "DocumentScope",
    "DocumentSignature",
    "WordedChunk",
    "chunk_share",
    "chunks_at",
    "chunks_defining",
    "chunks_of_documents",
    "chunks_of_line",
    "document_signatures",
    "documents_called",
    "exists_in",
    "ngrams_of",
    "with_signatures",
    "with_texts",
    "worded_chunks",
]

IDS_AT_ONCE = 500
"""Points looked up in one statement."""

_APART = ("signature", "text")
"""What is read only of rows that it is asked of (`with_texts`, `with_signatures`)."""
_FIRST, *_OTHERS = (name for name in Row.__struct_fields__ if name not in _APART)


def _made(kinds: bool) -> str:
    """A chunk's columns as one value: a hundred rows, each fetched by itself, cost more than
    finding them, and each row lets another thread take the interpreter lock.

    The first field is JSON already; a string or number behind it leaves one bracket to take away.
    """
    columns = [
        f"{'c' if name == 'chunk_rowid' or name in CHUNK_COLUMNS else 'd'}.{name}"
        if name != "kinds"
        else f"({KINDS} || '')"  # SQLite hands an array of its own on as one, not as text
        if kinds
        else "''"
        for name in _OTHERS
    ]
    assert _FIRST == "symbols"
    return f"'[' || {SYMBOLS} || ',' || ltrim(json_array({', '.join(columns)}), '[') AS made"


_MADE = _made(kinds=False)
_MADE_WITH_KINDS = _made(kinds=True)
_CHUNKS = "chunks c"
_POINTS = f"json_each(?) j CROSS JOIN chunks c ON {is_point('j.value')}"
"""Points as one parameter: the statement is the same for any number, and prepared once."""
_ROWIDS = "json_each(?) j CROSS JOIN chunks c ON c.chunk_rowid = j.value"
_DECODER = msgspec.json.Decoder(list[Row])


class DocumentScope(Protocol):
    """Where a document has to be: on disk in a checkout, or in a branch of its project."""

    @property
    def checkout_id(self) -> str:
        """The checkout that is asked about."""

    @property
    def project_id(self) -> str:
        """Its project."""

    @property
    def other_branch(self) -> str | None:
        """A branch that is not checked out there, or `*` for what is there and in any branch."""


class DocumentSignature(msgspec.Struct, array_like=True, frozen=True):
    """A document, and what changes when its chunks or their columns do."""

    doc_id: int
    signature: str
    chunks: int


_SIGNATURES = msgspec.json.Decoder(list[DocumentSignature])


class ChunkShare(NamedTuple):
    """Chunks of a project."""

    of_code: int
    all: int


class WordedChunk(NamedTuple):
    """What a search by words reads of a chunk."""

    point_id: str
    path: str
    symbol_name: str
    symbols: Sequence[str]
    parent_symbol: str
    text: str


async def chunks_at(
    state: State, scope: DocumentScope, ids: Sequence[str], *, kinds: bool = False
) -> list[Row]:
    """Rows of points that exist in the scope, one a point; `kinds` only if asked for."""
    if not ids:
        return []
    exists, parameters = exists_in(scope)
    rows: list[Row] = []
    for start in range(0, len(ids), IDS_AT_ONCE):
        part = ids[start : start + IDS_AT_ONCE]
        rows += _rows(state, _POINTS, f"WHERE {exists}", (_json(part), *parameters), kinds)
        if len(ids) > IDS_AT_ONCE:
            await asyncio.sleep(0)
    return rows


def chunks_defining(
    state: State, scope: DocumentScope, names: Sequence[str], limit: int, *, kinds: bool = False
) -> list[Row]:
    """Chunks that hold the definition of one of some names in any case, their own case first."""
    exists, parameters = exists_in(scope)
    lower = sorted({name.lower() for name in names})
    return _rows(
        state,
        _CHUNKS,
        f"""JOIN symbols s ON s.doc_id = c.doc_id
            AND s.line BETWEEN c.start_line AND c.end_line
            WHERE s.name_lower IN ({marks(lower)}) AND {exists}
            ORDER BY s.name NOT IN ({marks(names)}),
                d.file_type != 'code', length(d.path), d.path, c.ordinal
            LIMIT {limit}""",
        (*lower, *parameters, *names),
        kinds,
    )


def chunks_of_line(
    state: State, doc_ids: Sequence[int], line: int, limit: int, *, kinds: bool = False
) -> list[Row]:
    """Chunks of some documents that have a line; 0: all."""
    return _rows(
        state,
        _CHUNKS,
        f"""WHERE c.doc_id IN ({marks(doc_ids)})
            AND (? = 0 OR ? BETWEEN c.start_line AND c.end_line)
            ORDER BY length(d.path), c.ordinal LIMIT {limit}""",
        (*doc_ids, line, line),
        kinds,
    )


async def documents_called(state: State, scope: DocumentScope, name: str, limit: int) -> list[int]:
    """Documents of files with this name: read beside the event loop, from one index."""
    exists, parameters = exists_in(scope, "d")
    found = await state.read(
        f"""SELECT d.doc_id FROM documents d
            WHERE d.project_id = ? AND (d.path = ? OR d.path LIKE ? ESCAPE '!') AND {exists}
            ORDER BY length(d.path) LIMIT {limit}""",
        (scope.project_id, name, "%/" + _like(name), *parameters),
    )
    return [row[0] for row in found]


async def documents_named(
    state: State, scope: DocumentScope, stems: Sequence[str], limit: int
) -> list[int]:
    """Documents of code in files with one of some names, whatever their endings and case: read
    beside the event loop."""
    exists, parameters = exists_in(scope, "d")
    patterns = [start + _like(stem) + ".%" for stem in stems for start in ("", "%/")]
    called = " OR ".join(["d.path LIKE ? ESCAPE '!'"] * len(patterns))
    found = await state.read(
        f"""SELECT d.doc_id FROM documents d
            WHERE d.project_id = ? AND d.file_type = 'code' AND ({called}) AND {exists}
            ORDER BY length(d.path), d.path LIMIT {limit}""",
        (scope.project_id, *patterns, *parameters),
    )
    return [row[0] for row in found]


async def chunks_of_documents(state: State, doc_ids: Sequence[int]) -> list[Row]:
    """All chunks of some documents, with their kinds: read beside the event loop."""
    found = await state.value(
        f"""SELECT group_concat(made) FROM (
              SELECT {_MADE_WITH_KINDS} FROM json_each(?) j
              CROSS JOIN documents d ON d.doc_id = j.value
              JOIN chunks c ON c.doc_id = d.doc_id)""",
        (_json(doc_ids),),
    )
    return _DECODER.decode(f"[{found or ''}]")


def with_texts(state: State, rows: Sequence[Row]) -> list[Row]:
    """The same with texts, empty where none is stored of it."""
    wanted = {(row.doc_id, row.point_id): row for row in rows if row.text is None}
    stored = state.chunk_texts.of(list(wanted), partial(_values, state, CHUNK_TEXT, wanted))
    return [
        msgspec.structs.replace(row, text=stored[row.doc_id, row.point_id])
        if row.text is None
        else row
        for row in rows
    ]


def with_signatures(state: State, rows: Sequence[Row]) -> list[Row]:
    """The same with the signatures of what they are known by."""
    wanted = {(row.doc_id, row.point_id): row for row in rows if row.chunk_rowid}
    stored = state.chunk_signatures.of(
        list(wanted), partial(_values, state, CHUNK_SIGNATURE, wanted)
    )
    return [
        msgspec.structs.replace(row, signature=signature)
        if (signature := stored.get((row.doc_id, row.point_id)))
        else row
        for row in rows
    ]


def ngrams_of(state: State, rowids: Sequence[int]) -> dict[int, bytes]:
    """What the documents of some chunks may say (`embedding.ngrams`), by the chunk's number: of
    those whose texts are parts of their documents', and are stored."""
    return state.ngrams.of(rowids, partial(_ngrams, state))


def _ngrams(state: State, rowids: Sequence[int]) -> dict[int, bytes]:
    parts = state.read_inline(
        f"""SELECT c.chunk_rowid, c.doc_id FROM {_ROWIDS}
            WHERE NOT EXISTS (SELECT 1 FROM texts t WHERE t.text_hash = c.text_hash)""",
        (_json(rowids),),
    )
    documents = {doc_id for _, doc_id in parts}
    known = dict(
        state.read_inline(
            "SELECT doc_id, bits FROM document_ngrams"
            " WHERE doc_id IN (SELECT value FROM json_each(?))",
            (_json(list(documents)),),
        )
    )
    return {rowid: known[doc_id] for rowid, doc_id in parts if doc_id in known}


async def document_signatures(state: State, checkout_id: str) -> list[DocumentSignature]:
    """The documents of a checkout's files."""
    made = await state.value(
        # What chunks there are follows from this; the last one's ordinal is a step in an index.
        """SELECT json_group_array(json_array(d.doc_id, json_array(d.path, d.version,
             hex(d.content_hash), d.language, d.file_type, d.is_reexport, d.labels, d.problems,
             (SELECT c.chunk_rowid FROM chunks c WHERE c.doc_id = d.doc_id
              ORDER BY c.ordinal LIMIT 1)) || '',
             ifnull((SELECT max(c.ordinal) + 1 FROM chunks c WHERE c.doc_id = d.doc_id), 0)))
           FROM (SELECT DISTINCT doc_id FROM files WHERE checkout_id = ?) f
           JOIN documents d ON d.doc_id = f.doc_id""",
        (checkout_id,),
    )
    return _SIGNATURES.decode(made)


async def chunk_share(state: State, project_id: str) -> ChunkShare:
    """How many of a project's chunks are code. A document's last ordinal says how many it has."""
    rows = await state.read(
        """SELECT total(n * (file_type = 'code')), total(n) FROM (
             SELECT d.file_type,
               (SELECT max(c.ordinal) + 1 FROM chunks c WHERE c.doc_id = d.doc_id) AS n
             FROM documents d WHERE d.project_id = ?)""",
        (project_id,),
    )
    of_code, chunks = rows[0]
    return ChunkShare(int(of_code), int(chunks))


async def worded_chunks(state: State, doc_ids: Sequence[int], most: int) -> list[WordedChunk]:
    """Chunks of some documents with their texts, in the order of the documents; those whose texts
    are not stored are left out. Read beside the event loop."""
    rows = await state.read(
        f"""SELECT c.point_id, d.path, c.symbol_name, {SYMBOLS}, c.parent_symbol, {CHUNK_TEXT}
            FROM json_each(?) j CROSS JOIN documents d ON d.doc_id = j.value
            JOIN chunks c ON c.doc_id = d.doc_id LIMIT ?""",
        (_json(doc_ids), most),
    )
    return [
        WordedChunk(id_, path, name, json.loads(symbols), parent, text)
        for id_, path, name, symbols, parent, text in rows
        if text is not None
    ]


def exists_in(scope: DocumentScope, table: str = "c") -> tuple[str, tuple[str, ...]]:
    """The condition that a table's document is in the scope, with its parameters."""
    on_disk = (
        f"EXISTS (SELECT 1 FROM files f WHERE f.doc_id = {table}.doc_id AND f.checkout_id = ?)"
    )
    if scope.other_branch is None:
        return on_disk, (scope.checkout_id,)
    if scope.other_branch == "*":
        return (
            f"({on_disk} OR EXISTS (SELECT 1 FROM branch_files b WHERE b.doc_id = {table}.doc_id"
            " AND b.project_id = ?))",
            (scope.checkout_id, scope.project_id),
        )
    return (
        f"EXISTS (SELECT 1 FROM branch_files b WHERE b.doc_id = {table}.doc_id"
        " AND b.project_id = ?"
        " AND b.branch = ?)",
        (scope.project_id, scope.other_branch),
    )


def _rows(
    state: State, chunks: str, condition: str, parameters: Sequence[Any], kinds: bool
) -> list[Row]:
    """Chunks with their documents."""
    made = _MADE_WITH_KINDS if kinds else _MADE
    joined = f"FROM {chunks} JOIN documents d ON d.doc_id = c.doc_id"
    (found,) = state.read_inline(
        f"SELECT group_concat(made) FROM (SELECT {made} {joined} {condition})", parameters
    )[0]
    return _DECODER.decode(f"[{found or ''}]")


def _values(
    state: State,
    expression: str,
    rows: Mapping[tuple[int, str], Row],
    keys: Sequence[tuple[int, str]],
) -> dict[tuple[int, str], str]:
    """What an expression of stored chunks gives for some of them, by document and point, and
    nothing ('') where there is no such chunk.

    By document, too: a number may be another chunk's by now, and one point may be a chunk of
    several documents (of a file as two branches have it).
    """
    found = _values_at(state, expression, _ROWIDS, [rows[key].chunk_rowid for key in keys])
    missing = [point for doc_id, point in keys if (doc_id, point) not in found]
    if missing:  # chunks were made anew, with other numbers
        found |= _values_at(state, expression, _POINTS, missing)
    return {key: found.get(key, "") for key in keys}


def _values_at(
    state: State, expression: str, chunks: str, ids: Sequence[str] | Sequence[int]
) -> dict[tuple[int, str], str]:
    stored: dict[tuple[int, str], str] = {}
    for start in range(0, len(ids), IDS_AT_ONCE):
        found = state.read_inline(
            f"SELECT c.doc_id, c.point_id, {expression} FROM {chunks}",
            (_json(ids[start : start + IDS_AT_ONCE]),),
        )
        stored |= {(doc, id_): value for doc, id_, value in found if value is not None}
    return stored


def _json(ids: Sequence[str] | Sequence[int]) -> str:
    return msgspec.json.encode(ids).decode()


def _like(text: str) -> str:
    return text.replace("!", "!!").replace("%", "!%").replace("_", "!_")
