"""A chunk's record: what is written of it is what is read."""

from __future__ import annotations

import json
from pathlib import Path

from surveyor.parsing.types import Chunk
from surveyor.store.chunk_record import (
    CHUNK_COLUMNS,
    KINDS,
    SYMBOLS,
    ChunkRecord,
    column_values,
    record_fields,
)
from surveyor.store.chunk_row import Row
from surveyor.store.state import State
from surveyor.store.state.content_digests import insert_of

RECORD = ChunkRecord(
    "method",
    3,
    9,
    ("a", "b"),
    "a",
    "method",
    ("class", "method"),
    "C",
    True,
)
USUAL = ChunkRecord("function", 1, 2, ("a",), "a", "function", ("function",))
NAMELESS = ChunkRecord("block", 3, 4, kinds=("block",))


async def test_a_record_comes_back_from_its_row(tmp_path: Path) -> None:
    state = await State.open(tmp_path / "state.db")
    async with state.transaction() as tx:
        await tx.execute("INSERT INTO projects (project_id, name) VALUES ('p', 'p')")
        await tx.execute(
            "INSERT INTO documents (doc_id, project_id, path, content_hash, file_type, version)"
            " VALUES (1, 'p', 'a.py', x'00', 'code', '1')"
        )
        records = [RECORD, USUAL, NAMELESS]
        rows = [(1, n, f"p{n}", b"hash", *column_values(each)) for n, each in enumerate(records)]
        await tx.many(insert_of("chunks", CHUNK_COLUMNS), rows)
    stored, usual, nameless = await state.read("SELECT * FROM chunks ORDER BY ordinal")
    assert set(stored.keys()) == {"chunk_rowid", *CHUNK_COLUMNS}
    lists = await state.read(f"SELECT {SYMBOLS}, {KINDS} FROM chunks c ORDER BY ordinal")
    await state.close()
    assert [ChunkRecord(**record_fields(each)) for each in (stored, usual, nameless)] == records
    assert [tuple(map(json.loads, each)) for each in lists] == [
        (list(each.symbols), list(each.kinds)) for each in records
    ]
    assert (usual["symbols"], usual["kinds"], nameless["symbols"]) == ("", "", "")
    assert Chunk(text="x", **record_fields(stored)).symbols == ("a", "b")


def test_what_searches_read_of_a_chunk_is_stored() -> None:
    of_document = {"path", "file_type", "is_reexport", "labels", "language"}
    of_text = {"text", "signature"}
    assert set(Row.__struct_fields__) - of_document - of_text <= {"chunk_rowid", *CHUNK_COLUMNS}
