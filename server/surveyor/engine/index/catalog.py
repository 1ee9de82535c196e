"""Rows of documents, files and branches: what a committed batch changes in `state.db`.

Every function runs inside the caller's transaction, so that a kill leaves all of a batch or none.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha1
from typing import TypeVar
from zlib import crc32

import msgspec

from surveyor.embedding.embedded import Embedded
from surveyor.parsing.types import ParsedFile
from surveyor.store.chunk_record import CHUNK_COLUMNS, column_values
from surveyor.store.state import Transaction
from surveyor.store.state.content_digests import (
    SYMBOL_COLUMNS,
    contents_digests,
    insert_of,
    text_checksum,
)
from surveyor.worker.messages import Outcome

POINT_NAMESPACE = uuid.UUID("6f2d5f0e-6a53-5f43-9b54-1d2f7f0a9c11")
"""Namespace of chunk ids (version 5 UUIDs)."""

_VARIANT = {digit: "89ab"[int(digit, 16) & 3] for digit in "0123456789abcdef"}
"""The digit of a UUID that says that it is one, by the digit that the hash has there."""

T = TypeVar("T")

_FILE_STATUS = {"skipped": "skipped", "failed": "failed"}
"""Status of a file's row by that of its outcome; `indexed` for all others."""

SQL_VARIABLES = 500
"""Values bound in one IN list; SQLite's smallest usual limit is 999."""


@dataclass(frozen=True, slots=True)
class NewDocument:
    """A parsed file on its way into the catalog."""

    project_id: str
    path: str
    outcome: Outcome
    point_ids: tuple[str, ...]
    anew: bool = False
    """Its points are written again, whatever the catalog says of them."""

    @property
    def parsed(self) -> ParsedFile:
        """What the worker made of it."""
        assert self.outcome.parsed is not None
        return self.outcome.parsed


def point_ids(project_id: str, path: str, vectors: Sequence[Embedded]) -> tuple[str, ...]:
    """Ids of a file's chunks: project, path, text and ordinal among equal texts; never lines."""
    seen: dict[bytes, int] = {}
    found = []
    of_file = sha1(
        POINT_NAMESPACE.bytes + f"{project_id}\0{path}\0".encode(), usedforsecurity=False
    )
    for vector in vectors:
        ordinal = seen.get(vector.text_hash, 0)
        seen[vector.text_hash] = ordinal + 1
        # RFC 9562's version 5 by hand: the library's takes four times as long.
        named = of_file.copy()
        named.update(f"{vector.text_hash.hex()}\0{ordinal}".encode())
        digits = named.hexdigest()
        variant = _VARIANT[digits[16]]
        found.append(
            f"{digits[:8]}-{digits[8:12]}-5{digits[13:16]}-{variant}{digits[17:20]}-{digits[20:32]}"
        )
    return tuple(found)


def batches(values: Sequence[T]) -> Iterable[Sequence[T]]:
    """Slices short enough for one IN list."""
    for start in range(0, len(values), SQL_VARIABLES):
        yield values[start : start + SQL_VARIABLES]


def marks(values: Sequence[object]) -> str:
    """Question marks for an IN list."""
    return ",".join("?" * len(values))


async def insert_documents(
    tx: Transaction, new: Sequence[NewDocument], model: str, version: str
) -> list[int]:
    """Add a project's documents with all that they hold, replacing older versions; their ids.

    One statement a table, not one a document: each crosses to the writer's thread and back.
    """
    if not new:
        return []
    await tx.many(
        """INSERT INTO documents
             (project_id, path, content_hash, language, file_type, version, is_reexport, problems)
           VALUES (?, ?, ?, ?, ?, ?, ?, ?)
           ON CONFLICT (project_id, path, content_hash) DO UPDATE SET
             language = excluded.language, file_type = excluded.file_type,
             version = excluded.version, is_reexport = excluded.is_reexport,
             problems = excluded.problems""",
        [
            (
                each.project_id,
                each.path,
                each.outcome.content_hash,
                each.parsed.language,
                each.parsed.file_type,
                version,
                each.parsed.is_reexport,
                _json(each.parsed.problems),
            )
            for each in new
        ],
    )
    keys = [(each.path, each.outcome.content_hash) for each in new]
    ids = await find_documents(tx, new[0].project_id, keys)
    held = {ids[key]: each for key, each in zip(keys, new, strict=True)}  # of equals, one
    replaced: set[tuple[str, str]] = set()
    for part in batches(list(held)):
        rows = await tx.read(
            f"DELETE FROM chunks WHERE doc_id IN ({marks(part)}) RETURNING point_id", part
        )
        replaced.update((new[0].project_id, str(row[0])) for row in rows)
        await tx.execute(f"DELETE FROM symbols WHERE doc_id IN ({marks(part)})", part)
    await _insert_contents(tx, held, model)
    if replaced or await tx.read("SELECT 1 FROM dead_points LIMIT 1"):
        await tx.many(
            "DELETE FROM dead_points WHERE point_id = ?",
            [(point_id,) for each in held.values() for point_id in each.point_ids],
        )
        await note_dead(tx, replaced)
    return [ids[key] for key in keys]


async def _insert_contents(tx: Transaction, held: Mapping[int, NewDocument], model: str) -> None:
    """Chunks, texts, vectors and symbols of documents that have none (any more)."""
    pieces = [
        (doc_id, ordinal, point_id, chunk, vector)
        for doc_id, each in held.items()
        for ordinal, (point_id, chunk, vector) in enumerate(
            zip(each.point_ids, each.parsed.chunks, each.outcome.vectors, strict=True)
        )
    ]
    await tx.many(
        "INSERT OR IGNORE INTO texts (text_hash, text, checksum) VALUES (?, ?, ?)",
        [
            (text_hash, text, text_checksum(text))
            for text_hash, text in {v.text_hash: c.text for *_, c, v in pieces}.items()
        ],
    )
    bodies = {v.text_hash: v.body for *_, v in pieces if v.body is not None}
    await tx.many(
        "INSERT OR REPLACE INTO vectors (model, text_hash, dense, checksum) VALUES (?, ?, ?, ?)",
        [(model, text_hash, body, crc32(body)) for text_hash, body in bodies.items()],
    )
    chunks = [
        (
            doc_id,
            ordinal,
            point_id,
            vector.text_hash,
            *column_values(chunk),
        )
        for doc_id, ordinal, point_id, chunk, vector in pieces
    ]
    symbols = [
        (
            doc_id,
            ordinal,
            symbol.name,
            symbol.name.lower(),
            symbol.kind,
            symbol.container,
            symbol.start_line,
            symbol.end_line,
            symbol.line,
            symbol.column,
            symbol.end_column,
            symbol.signature,
            symbol.docstring,
        )
        for doc_id, each in held.items()
        for ordinal, symbol in enumerate(each.parsed.symbols)
    ]
    await tx.many(insert_of("chunks", CHUNK_COLUMNS), chunks)
    await tx.many(insert_of("symbols", SYMBOL_COLUMNS), symbols)
    await tx.many(
        "INSERT OR REPLACE INTO document_digests (doc_id, digest) VALUES (?, ?)",
        contents_digests(held, chunks, symbols),
    )


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


async def set_files(
    tx: Transaction,
    checkout_id: str,
    changes: Sequence[tuple[str, Outcome, int | None]],
) -> list[int | None]:
    """Point files at their documents, or at the reason for having none; forget missing ones.

    `changes` are (path, what became of it, document); returns for each the document that it
    had before, if it had another.
    """
    current: dict[str, int | None] = {}
    for part in batches(list({path for path, _, _ in changes})):
        rows = await tx.read(
            f"SELECT path, doc_id FROM files WHERE checkout_id = ? AND path IN ({marks(part)})",
            (checkout_id, *part),
        )
        current.update({str(row[0]): row[1] for row in rows})
    before: list[int | None] = []
    last: dict[str, tuple[str, Outcome, int | None]] = {}
    for change in changes:
        path, _, doc_id = change
        old = current.get(path)
        before.append(None if old == doc_id else old)
        current[path], last[path] = doc_id, change
    await tx.many(
        "DELETE FROM files WHERE checkout_id = ? AND path = ?",
        [(checkout_id, path) for path, outcome, _ in last.values() if outcome.status == "missing"],
    )
    await tx.many(
        """INSERT INTO files
             (checkout_id, path, size, mtime_ns, content_hash, doc_id, status, reason, detail)
           VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
           ON CONFLICT (checkout_id, path) DO UPDATE SET
             size = excluded.size, mtime_ns = excluded.mtime_ns,
             content_hash = excluded.content_hash, doc_id = excluded.doc_id,
             status = excluded.status, reason = excluded.reason, detail = excluded.detail,
             indexed_at = strftime('%Y-%m-%dT%H:%M:%fZ', 'now')""",
        [
            (
                checkout_id,
                path,
                outcome.size,
                outcome.mtime_ns,
                outcome.content_hash or None,
                doc_id,
                _FILE_STATUS.get(outcome.status, "indexed"),
                outcome.reason,
                outcome.detail,
            )
            for path, outcome, doc_id in last.values()
            if outcome.status != "missing"
        ],
    )
    return before


async def note_unseen(tx: Transaction, checkout_id: str, why: Mapping[str, str]) -> None:
    """Files that could not be looked at: what is known of one stays, the others are listed."""
    await tx.many(
        """INSERT INTO files (checkout_id, path, size, mtime_ns, status, reason, detail)
           VALUES (?, ?, 0, 0, 'skipped', 'unreadable', ?)
           ON CONFLICT (checkout_id, path) DO NOTHING""",
        [(checkout_id, path, said) for path, said in why.items()],
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


async def note_dead(tx: Transaction, points: Iterable[tuple[str, str]]) -> None:
    """Mark points (project, id) for deletion unless some chunk still has them."""
    await tx.many(
        "INSERT OR IGNORE INTO dead_points (project_id, point_id) SELECT ?1, ?2"
        " WHERE NOT EXISTS (SELECT 1 FROM chunks WHERE point_id = ?2)",
        points,
    )


def _json(values: Sequence[str]) -> str:
    return msgspec.json.encode(values).decode()
