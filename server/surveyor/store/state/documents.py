"""Rows of documents and what they hold: chunks, texts, vectors, symbols, points that have to go.

A document is one content at one path of a project. Changes run inside the caller's transaction, so
that a kill leaves all of a batch or none.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple
from zlib import crc32

import msgspec

from surveyor.store.chunk_record import CHUNK_COLUMNS, ChunkRecord, column_values, record_fields
from surveyor.store.state.chunk_texts import CHUNK_TEXT
from surveyor.store.state.content_digests import (
    SYMBOL_COLUMNS,
    contents_digests,
    insert_of,
    text_checksum,
)
from surveyor.store.state.database import State, Transaction
from surveyor.store.state.sql_lists import batches, is_point, marks

_IDS = msgspec.json.Decoder(list[int])
_POINTS = msgspec.json.Decoder(list[tuple[str, int]])

Vector = tuple[str, bytes, bytes]
"""Fingerprint of the model, hash of the text, the vector as it is stored."""


class NewDocumentRow(NamedTuple):
    """A document that is to be stored."""

    project_id: str
    path: str
    content_hash: bytes
    language: str | None
    file_type: str
    version: str
    is_reexport: bool
    problems: str
    """A list, as JSON."""
    labels: str


class NewChunkRow(NamedTuple):
    """A chunk that is to be stored."""

    doc_id: int
    ordinal: int
    point_id: str
    text_hash: bytes
    record: ChunkRecord


class NewSymbolRow(NamedTuple):
    """A definition that is to be stored."""

    doc_id: int
    ordinal: int
    name: str
    name_lower: str
    kind: str
    container: str
    start_line: int
    end_line: int
    line: int
    column: int
    end_column: int
    signature: str


class StoredChunk(NamedTuple):
    """A chunk with what its point is made from."""

    doc_id: int
    path: str
    language: str | None
    file_type: str
    project_name: str
    project_id: str
    point_id: str
    record: ChunkRecord
    text: str


# --- reading ------------------------------------------------------------------------------


async def has_documents(state: State) -> bool:
    """Whether anything is indexed."""
    return bool(await state.value("SELECT 1 FROM documents LIMIT 1"))


async def has_document(state: State, project_id: str, path: str, content_hash: bytes) -> bool:
    """Whether a content of a path is stored."""
    return bool(
        await state.value(
            "SELECT 1 FROM documents WHERE project_id = ? AND path = ? AND content_hash = ?",
            (project_id, path, content_hash),
        )
    )


async def known_paths(state: State, project_id: str, paths: Sequence[str]) -> set[str]:
    """Those of some paths of which a project has documents."""
    found: set[str] = set()
    for part in batches(paths):
        rows = await state.read(
            f"SELECT DISTINCT path FROM documents WHERE project_id = ? AND path IN ({marks(part)})",
            (project_id, *part),
        )
        found.update(str(row[0]) for row in rows)
    return found


async def points_of_version(state: State, version: str, point_ids: Sequence[str]) -> set[str]:
    """Those of some points that belong to a document made by a version."""
    found: set[str] = set()
    for part in batches(point_ids):
        rows = await state.read(
            f"""SELECT c.point_id FROM json_each(?) j CROSS JOIN chunks c ON {is_point("j.value")}
                JOIN documents d ON d.doc_id = c.doc_id WHERE d.version = ?""",
            (json.dumps(part), version),
        )
        found.update(str(row[0]) for row in rows)
    return found


async def chunks_by_project(state: State) -> dict[str, int]:
    """How many chunks each project's documents have."""
    rows = await state.read(
        """SELECT d.project_id, count(*) FROM documents d
           JOIN chunks c USING (doc_id) GROUP BY d.project_id"""
    )
    return {str(row[0]): int(row[1]) for row in rows}


async def chunk_count(state: State, project_id: str) -> int:
    """How many chunks a project's documents have. A document's last ordinal says how many."""
    found = await state.value(
        """SELECT total((SELECT max(c.ordinal) + 1 FROM chunks c WHERE c.doc_id = d.doc_id))
           FROM documents d WHERE d.project_id = ?""",
        (project_id,),
    )
    return int(found)


async def count_points(state: State, project_id: str) -> int:
    """How many points a project should have: documents may share them."""
    found = await state.value(
        """SELECT count(DISTINCT c.point_id) FROM documents d JOIN chunks c USING (doc_id)
           WHERE d.project_id = ?""",
        (project_id,),
    )
    return int(found)


async def document_ids(state: State, project_id: str) -> list[int]:
    """Ids of a project's documents."""
    found = await state.value(
        "SELECT json_group_array(doc_id) FROM documents WHERE project_id = ?", (project_id,)
    )
    return _IDS.decode(found)


async def points_of_documents(state: State, doc_ids: Sequence[int]) -> list[tuple[str, int]]:
    """Points of some documents, with the document of each."""
    found = await state.value(
        """SELECT json_group_array(json_array(point_id, doc_id)) FROM chunks
           WHERE doc_id IN (SELECT value FROM json_each(?))""",
        (json.dumps(doc_ids),),
    )
    return _POINTS.decode(found)


async def points_among(
    state: State, project_id: str, point_ids: Collection[str]
) -> list[tuple[str, int]]:
    """Those of some points that a project should have, with a document of each."""
    rows = await state.read(
        f"""SELECT c.point_id, c.doc_id FROM json_each(?) j
            CROSS JOIN chunks c ON {is_point("j.value")}
            JOIN documents d ON d.doc_id = c.doc_id WHERE d.project_id = ?""",
        (json.dumps(list(point_ids)), project_id),
    )
    return [(str(row[0]), int(row[1])) for row in rows]


async def stored_chunks(state: State, doc_ids: Sequence[int]) -> list[StoredChunk]:
    """Chunks of some documents (no more than one IN list takes), in order, with their texts."""
    rows = await state.read(
        f"""SELECT d.doc_id, d.path, d.language, d.file_type, p.name, p.project_id, c.*,
              {CHUNK_TEXT} AS text
            FROM documents d JOIN projects p USING (project_id) JOIN chunks c USING (doc_id)
            WHERE d.doc_id IN ({marks(doc_ids)}) ORDER BY d.doc_id, c.ordinal""",
        doc_ids,
    )
    return [
        StoredChunk(
            doc_id=row["doc_id"],
            path=row["path"],
            language=row["language"],
            file_type=row["file_type"],
            project_name=row["name"],
            project_id=row["project_id"],
            point_id=row["point_id"],
            record=ChunkRecord(**record_fields(row)),
            text=row["text"],
        )
        for row in rows
        if row["text"] is not None
    ]


async def has_superfluous_vectors(state: State) -> bool:
    """Whether so many stored vectors are of no chunk any more that deleting them is worth it."""
    counts = await state.one("SELECT (SELECT count(*) FROM vectors), (SELECT count(*) FROM chunks)")
    return counts is not None and counts[0] > 1.5 * counts[1] + 1000


async def has_vectors_of(state: State, model: str) -> bool:
    """Whether any vector of a model is kept."""
    return bool(await state.value("SELECT 1 FROM vectors WHERE model = ? LIMIT 1", (model,)))


async def dead_points(state: State, project_id: str | None = None) -> dict[str, list[str]]:
    """Points that have to go from the store, by project; of one project only, where it is given."""
    where, parameters = ("WHERE project_id = ?", (project_id,)) if project_id else ("", ())
    rows = await state.read(f"SELECT project_id, point_id FROM dead_points {where}", parameters)
    found: dict[str, list[str]] = defaultdict(list)
    for row in rows:
        found[str(row[0])].append(str(row[1]))
    return found


# --- writing ------------------------------------------------------------------------------


async def upsert_documents(tx: Transaction, new: Sequence[NewDocumentRow]) -> list[int]:
    """Add documents of one project, or replace what is said of known ones; returns their ids."""
    if not new:
        return []
    await tx.many(
        """INSERT INTO documents
             (project_id, path, content_hash, language, file_type, version, is_reexport, problems,
              labels)
           VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
           ON CONFLICT (project_id, path, content_hash) DO UPDATE SET
             language = excluded.language, file_type = excluded.file_type,
             version = excluded.version, is_reexport = excluded.is_reexport,
             problems = excluded.problems, labels = excluded.labels""",
        new,
    )
    keys = [(each.path, each.content_hash) for each in new]
    ids = await find_documents(tx, new[0].project_id, keys)
    return [ids[key] for key in keys]


async def find_documents(
    tx: Transaction, project_id: str, keys: Sequence[tuple[str, bytes]]
) -> dict[tuple[str, bytes], int]:
    """Ids of the documents of a project, by path and hash of the content, that there are."""
    found: dict[tuple[str, bytes], int] = {}
    for part in batches(list({path for path, _ in keys})):
        rows = await tx.read(
            "SELECT path, content_hash, doc_id FROM documents WHERE project_id = ?"
            f" AND path IN ({marks(part)})",
            (project_id, *part),
        )
        found.update({(str(row[0]), bytes(row[1])): int(row[2]) for row in rows})
    return found


async def count_chunks(tx: Transaction, doc_ids: Sequence[int]) -> dict[int, int]:
    """How many chunks each of these documents has, of those that have any."""
    found: dict[int, int] = {}
    for part in batches(doc_ids):
        rows = await tx.read(
            f"SELECT doc_id, count(*) FROM chunks WHERE doc_id IN ({marks(part)}) GROUP BY doc_id",
            part,
        )
        found |= {int(row[0]): int(row[1]) for row in rows}
    return found


async def uses_project(tx: Transaction, project_id: str) -> bool:
    """Whether a project has documents."""
    return bool(
        await tx.read("SELECT 1 FROM documents WHERE project_id = ? LIMIT 1", (project_id,))
    )


async def clear_contents(tx: Transaction, doc_ids: Sequence[int]) -> set[str]:
    """Delete the chunks and symbols of documents; returns the points that the chunks had."""
    points: set[str] = set()
    for part in batches(doc_ids):
        rows = await tx.read(
            f"DELETE FROM chunks WHERE doc_id IN ({marks(part)}) RETURNING point_id", part
        )
        points.update(str(row[0]) for row in rows)
        await tx.execute(f"DELETE FROM symbols WHERE doc_id IN ({marks(part)})", part)
    return points


async def insert_contents(
    tx: Transaction,
    doc_ids: Iterable[int],
    texts: Mapping[bytes, str],
    vectors: Iterable[Vector],
    chunks: Sequence[NewChunkRow],
    symbols: Sequence[NewSymbolRow],
) -> None:
    """Store what documents hold that have nothing (any more). `texts` are by their hashes: those
    that are not lines of their documents.

    One statement a table, not one a document: each crosses to the writer's thread and back.
    """
    await tx.many(
        "INSERT OR IGNORE INTO texts (text_hash, text, checksum) VALUES (?, ?, ?)",
        [(text_hash, text, text_checksum(text)) for text_hash, text in texts.items()],
    )
    await tx.many(
        "INSERT OR REPLACE INTO vectors (model, text_hash, dense, checksum) VALUES (?, ?, ?, ?)",
        [(*each, crc32(each[2])) for each in vectors],
    )
    rows = [
        (each.doc_id, each.ordinal, each.point_id, each.text_hash, *column_values(each.record))
        for each in chunks
    ]
    await tx.many(insert_of("chunks", CHUNK_COLUMNS), rows)
    await tx.many(insert_of("symbols", SYMBOL_COLUMNS), symbols)
    await tx.many(
        "INSERT OR REPLACE INTO document_digests (doc_id, digest) VALUES (?, ?)",
        contents_digests(doc_ids, rows, symbols),
    )


async def add_vectors(tx: Transaction, vectors: Iterable[Vector]) -> None:
    """Keep vectors that were made, but for those that are there."""
    await tx.many(
        "INSERT OR IGNORE INTO vectors (model, text_hash, dense, checksum) VALUES (?, ?, ?, ?)",
        [(*each, crc32(each[2])) for each in vectors],
    )


async def drop_unused(tx: Transaction, doc_ids: Iterable[int]) -> list[int]:
    """Delete documents that no file and no branch needs, noting their points; returns them."""
    candidates = list(set(doc_ids))
    dropped: list[int] = []
    for part in batches(candidates):
        rows = await tx.read(
            f"""SELECT doc_id FROM documents d WHERE doc_id IN ({marks(part)})
                  AND NOT EXISTS (SELECT 1 FROM files f WHERE f.doc_id = d.doc_id)
                  AND NOT EXISTS (SELECT 1 FROM branch_files b WHERE b.doc_id = d.doc_id)""",
            part,
        )
        unused = [int(row[0]) for row in rows]
        if not unused:
            continue
        chunks = await tx.read(
            f"""SELECT d.project_id, c.point_id, c.text_hash FROM chunks c
                JOIN documents d USING (doc_id) WHERE c.doc_id IN ({marks(unused)})""",
            unused,
        )
        await tx.execute(f"DELETE FROM documents WHERE doc_id IN ({marks(unused)})", unused)
        await note_dead(tx, {(row["project_id"], row["point_id"]) for row in chunks})
        await tx.many(
            "DELETE FROM texts WHERE text_hash = ?1"
            " AND NOT EXISTS (SELECT 1 FROM chunks WHERE text_hash = ?1)",
            {(row["text_hash"],) for row in chunks},
        )
        dropped += unused
    return dropped


async def replace_points(
    tx: Transaction, project_id: str, replaced: Collection[str], present: Iterable[str]
) -> None:
    """Of points that were replaced, mark those for deletion that are not present."""
    if replaced or await tx.read("SELECT 1 FROM dead_points LIMIT 1"):
        await tx.many(
            "DELETE FROM dead_points WHERE point_id = ?", [(point_id,) for point_id in present]
        )
        await note_dead(tx, {(project_id, point_id) for point_id in replaced})


async def note_dead(tx: Transaction, points: Iterable[tuple[str, str]]) -> None:
    """Mark points (project, id) for deletion unless some chunk still has them."""
    await tx.many(
        "INSERT OR IGNORE INTO dead_points (project_id, point_id) SELECT ?1, ?2"
        f" WHERE NOT EXISTS (SELECT 1 FROM chunks c WHERE {is_point('?2')})",
        points,
    )


async def forget_dead(tx: Transaction, project_id: str, point_ids: Iterable[str]) -> None:
    """Points that have gone from the store."""
    await tx.many(
        "DELETE FROM dead_points WHERE project_id = ? AND point_id = ?",
        [(project_id, point_id) for point_id in point_ids],
    )


async def delete_repeated_texts(tx: Transaction, text_hashes: Iterable[bytes]) -> None:
    """Delete what an earlier version stored of chunks that are lines of their documents."""
    if await tx.read("SELECT 1 FROM texts LIMIT 1"):
        await tx.many("DELETE FROM texts WHERE text_hash = ?", [(each,) for each in text_hashes])


async def delete_unused_texts(tx: Transaction) -> None:
    """Delete texts that no chunk has."""
    await tx.execute("DELETE FROM texts WHERE text_hash NOT IN (SELECT text_hash FROM chunks)")


async def delete_vectors_of(tx: Transaction, model: str, most: int) -> None:
    """Delete so many of the vectors that are kept of a model."""
    await tx.execute(
        "DELETE FROM vectors WHERE vector_id IN"
        " (SELECT vector_id FROM vectors WHERE model = ? LIMIT ?)",
        (model, most),
    )


async def delete_unused_vectors(tx: Transaction) -> None:
    """Delete vectors that no chunk has."""
    await tx.execute("DELETE FROM vectors WHERE text_hash NOT IN (SELECT text_hash FROM chunks)")


async def delete_damaged(
    tx: Transaction, text_hashes: Iterable[bytes], vector_ids: Iterable[int]
) -> None:
    """Delete texts and vectors that are not what was written."""
    await tx.many("DELETE FROM texts WHERE text_hash = ?", [(each,) for each in text_hashes])
    await tx.many("DELETE FROM vectors WHERE vector_id = ?", [(each,) for each in vector_ids])
