"""Rows of chunks from `state.db`: which of the points that a store names exist in a place.

What is found by similarity is shown only if it has a row here, so that nothing stale or orphaned
shows.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from surveyor.search.query import Query
from surveyor.search.row import Row
from surveyor.search.scope import SearchTarget
from surveyor.store.chunk_record import CHUNK_COLUMNS
from surveyor.store.state import State

NAME_CANDIDATES = 40
"""Definitions of names in the query that join the candidates."""
NAMED_FILES = 500
"""Files of one name that are looked at."""
IDS_AT_ONCE = 500
"""Points looked up in one statement."""

_SHOWN = ("signature", "text")
"""What is read only of rows that are shown."""
_FIRST, *_OTHERS = (name for name in Row.__struct_fields__ if name not in _SHOWN)


def _made(kinds: bool) -> str:
    """A chunk's columns as one value: a hundred rows, each fetched by itself, cost more than
    finding them, and each row lets another thread take the interpreter lock.

    The first field is JSON already; a string or number behind it leaves one bracket to take away.
    """
    columns = [
        f"{'c' if name == 'chunk_rowid' or name in CHUNK_COLUMNS else 'd'}.{name}"
        if name != "kinds" or kinds
        else "''"
        for name in _OTHERS
    ]
    return f"'[' || c.{_FIRST} || ',' || ltrim(json_array({', '.join(columns)}), '[') AS made"


_MADE = _made(kinds=False)
_MADE_WITH_KINDS = _made(kinds=True)
_CHUNKS = "chunks c"
_POINTS = "json_each(?) j CROSS JOIN chunks c ON c.point_id = j.value"
"""Points as one parameter: the statement is the same for any number, and prepared once."""
_ROWIDS = "json_each(?) j CROSS JOIN chunks c ON c.chunk_rowid = j.value"
_DECODER = msgspec.json.Decoder(list[Row])


@dataclass(slots=True)
class ChunkRows:
    """Reads rows of one state."""

    _state: State

    async def join(
        self, place: SearchTarget, ids: Sequence[str], *, kinds: bool = False
    ) -> list[Row]:
        """Rows of points that exist in the place, one a point; `kinds` only if asked for."""
        if not ids:
            return []
        exists, parameters = exists_in(place)
        rows: list[Row] = []
        for start in range(0, len(ids), IDS_AT_ONCE):
            part = ids[start : start + IDS_AT_ONCE]
            rows += self._rows(_POINTS, f"WHERE {exists}", (_json(part), *parameters), kinds)
            if len(ids) > IDS_AT_ONCE:
                await asyncio.sleep(0)
        return rows

    def _rows(
        self, chunks: str, condition: str, parameters: Sequence[Any], kinds: bool
    ) -> list[Row]:
        """Chunks with their documents."""
        made = _MADE_WITH_KINDS if kinds else _MADE
        joined = f"FROM {chunks} JOIN documents d ON d.doc_id = c.doc_id"
        (found,) = self._state.read_inline(
            f"SELECT group_concat(made) FROM (SELECT {made} {joined} {condition})", parameters
        )[0]
        return _DECODER.decode(f"[{found or ''}]")

    def shown(self, rows: Sequence[Row]) -> list[Row]:
        """The same with signatures and texts."""
        wanted = [row for row in rows if row.text is None]
        stored = self._texts(_ROWIDS, [row.chunk_rowid for row in wanted])
        if len(stored) < len(wanted):  # chunks were made anew, with other numbers
            missing = [row.point_id for row in wanted if (row.doc_id, row.point_id) not in stored]
            stored |= self._texts(_POINTS, missing)
        return [
            _shown(row, *stored.get((row.doc_id, row.point_id), ("", "")))
            if row.text is None
            else row
            for row in rows
        ]

    def _texts(
        self, chunks: str, ids: Sequence[str] | Sequence[int]
    ) -> dict[tuple[int, str], tuple[str, str]]:
        """Signatures and texts. By document, too: a number may be another chunk's by now, and one
        point may be a chunk of several documents (of a file as two branches have it)."""
        stored: dict[tuple[int, str], tuple[str, str]] = {}
        for start in range(0, len(ids), IDS_AT_ONCE):
            found = self._state.read_inline(
                "SELECT c.doc_id, c.point_id, c.signature, t.text"
                f" FROM {chunks} JOIN texts t ON t.text_hash = c.text_hash",
                (_json(ids[start : start + IDS_AT_ONCE]),),
            )
            stored |= {(doc, id_): (signature, text) for doc, id_, signature, text in found}
        return stored

    async def named(self, place: SearchTarget, query: Query, *, kinds: bool = False) -> list[Row]:
        """Chunks that hold the definition of a name in the query, or the line it points to."""
        exists, parameters = exists_in(place)
        rows: list[Row] = []
        names = {symbol.name.lower() for symbol in query.symbols}
        exact = sorted({symbol.name for symbol in query.symbols})
        if names:
            rows += self._rows(
                _CHUNKS,
                f"""JOIN symbols s ON s.doc_id = c.doc_id
                    AND s.line BETWEEN c.start_line AND c.end_line
                    WHERE s.name_lower IN ({",".join("?" * len(names))}) AND {exists}
                    ORDER BY s.name NOT IN ({",".join("?" * len(exact))}),
                        d.file_type != 'code', length(d.path), d.path, c.ordinal
                    LIMIT {NAME_CANDIDATES}""",
                (*sorted(names), *parameters, *exact),
                kinds,
            )
        if query.path:
            stem = query.path.replace("\\", "/").rsplit("/", 1)[-1]
            documents = await self._ending_with(place, stem)
            rows += self._rows(
                _CHUNKS,
                f"""WHERE c.doc_id IN ({",".join("?" * len(documents))})
                    AND (? = 0 OR ? BETWEEN c.start_line AND c.end_line)
                    ORDER BY length(d.path), c.ordinal LIMIT {NAME_CANDIDATES}""",
                (*documents, query.line, query.line),
                kinds,
            )
        return rows

    async def _ending_with(self, place: SearchTarget, name: str) -> list[int]:
        """Documents of files with this name: read beside the event loop, from one index."""
        exists, parameters = exists_in(place, "d")
        found = await self._state.read(
            f"""SELECT d.doc_id FROM documents d
                WHERE d.project_id = ? AND (d.path = ? OR d.path LIKE ? ESCAPE '!') AND {exists}
                ORDER BY length(d.path) LIMIT {NAMED_FILES}""",
            (place.project_id, name, "%/" + _like(name), *parameters),
        )
        return [row[0] for row in found]


async def read_documents(state: State, doc_ids: Sequence[int]) -> list[Row]:
    """All chunks of some documents, with their kinds: read beside the event loop."""
    found = await state.value(
        f"""SELECT group_concat(made) FROM (
              SELECT {_MADE_WITH_KINDS} FROM json_each(?) j
              CROSS JOIN documents d ON d.doc_id = j.value
              JOIN chunks c ON c.doc_id = d.doc_id)""",
        (msgspec.json.encode(doc_ids).decode(),),
    )
    return _DECODER.decode(f"[{found or ''}]")


def _json(ids: Sequence[str] | Sequence[int]) -> str:
    return msgspec.json.encode(ids).decode()


def _shown(row: Row, signature: str, text: str) -> Row:
    return msgspec.structs.replace(row, signature=signature, text=text)


def exists_in(place: SearchTarget, table: str = "c") -> tuple[str, tuple[str, ...]]:
    """The condition that a table's document is in the place, with its parameters."""
    on_disk = (
        f"EXISTS (SELECT 1 FROM files f WHERE f.doc_id = {table}.doc_id AND f.checkout_id = ?)"
    )
    if place.other_branch is None:
        return on_disk, (place.checkout_id,)
    if place.other_branch == "*":
        return (
            f"({on_disk} OR EXISTS (SELECT 1 FROM branch_files b WHERE b.doc_id = {table}.doc_id"
            " AND b.project_id = ?))",
            (place.checkout_id, place.project_id),
        )
    return (
        f"EXISTS (SELECT 1 FROM branch_files b WHERE b.doc_id = {table}.doc_id"
        " AND b.project_id = ?"
        " AND b.branch = ?)",
        (place.project_id, place.other_branch),
    )


def _like(text: str) -> str:
    return text.replace("!", "!!").replace("%", "!%").replace("_", "!_")
