"""Rows of documents, files and branches: what a committed batch changes in `state.db`.

Every function runs inside the caller's transaction, so that a kill leaves all of a batch or none.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import msgspec

from surveyor.indexing.types import ParsedFile
from surveyor.indexing.worker import Embedded, Outcome
from surveyor.store.state import Transaction

POINT_NAMESPACE = uuid.UUID("6f2d5f0e-6a53-5f43-9b54-1d2f7f0a9c11")
"""Namespace of chunk ids (version 5 UUIDs)."""

T = TypeVar("T")

SQL_VARIABLES = 500
"""Values bound in one IN list; SQLite's smallest usual limit is 999."""


@dataclass(frozen=True, slots=True)
class NewDocument:
    """A parsed file on its way into the catalog."""

    project_id: str
    path: str
    outcome: Outcome
    point_ids: tuple[str, ...]

    @property
    def parsed(self) -> ParsedFile:
        """What the worker made of it."""
        assert self.outcome.parsed is not None
        return self.outcome.parsed


def point_ids(project_id: str, path: str, vectors: Sequence[Embedded]) -> tuple[str, ...]:
    """Ids of a file's chunks: project, path, text and ordinal among equal texts; never lines."""
    seen: dict[bytes, int] = {}
    found = []
    for vector in vectors:
        ordinal = seen.get(vector.text_hash, 0)
        seen[vector.text_hash] = ordinal + 1
        name = f"{project_id}\0{path}\0{vector.text_hash.hex()}\0{ordinal}"
        found.append(str(uuid.uuid5(POINT_NAMESPACE, name)))
    return tuple(found)


def batches(values: Sequence[T]) -> Iterable[Sequence[T]]:
    """Slices short enough for one IN list."""
    for start in range(0, len(values), SQL_VARIABLES):
        yield values[start : start + SQL_VARIABLES]


def marks(values: Sequence[object]) -> str:
    """Question marks for an IN list."""
    return ",".join("?" * len(values))


async def insert_document(tx: Transaction, new: NewDocument, model: str, version: str) -> int:
    """Add a document with its chunks, texts, vectors and symbols; replaces an older version."""
    parsed = new.parsed
    await tx.execute(
        """INSERT INTO documents
             (project_id, path, content_hash, language, file_type, version, is_reexport, problems)
           VALUES (?, ?, ?, ?, ?, ?, ?, ?)
           ON CONFLICT (project_id, path, content_hash) DO UPDATE SET
             language = excluded.language, file_type = excluded.file_type,
             version = excluded.version, is_reexport = excluded.is_reexport,
             problems = excluded.problems""",
        (
            new.project_id,
            new.path,
            new.outcome.content_hash,
            parsed.language,
            parsed.file_type,
            version,
            parsed.is_reexport,
            _json(parsed.problems),
        ),
    )
    found = await find_document(tx, new.project_id, new.path, new.outcome.content_hash)
    assert found is not None
    doc_id = found
    replaced = await tx.read("DELETE FROM chunks WHERE doc_id = ? RETURNING point_id", (doc_id,))
    await tx.execute("DELETE FROM symbols WHERE doc_id = ?", (doc_id,))
    vectors = new.outcome.vectors
    await tx.many(
        "INSERT OR IGNORE INTO texts (text_hash, text) VALUES (?, ?)",
        [(v.text_hash, c.text) for v, c in zip(vectors, parsed.chunks, strict=True)],
    )
    await tx.many(
        "INSERT OR IGNORE INTO vectors (model, text_hash, dense) VALUES (?, ?, ?)",
        [(model, v.text_hash, v.body) for v in vectors if v.body is not None],
    )
    await tx.many(
        """INSERT INTO chunks (doc_id, ordinal, point_id, text_hash, kind, start_line, end_line,
             symbols, symbol_name, symbol_kind, kinds, parent_symbol, signature, docstring,
             calls, is_fragment) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)""",
        [
            (
                doc_id,
                ordinal,
                new.point_ids[ordinal],
                vectors[ordinal].text_hash,
                chunk.kind,
                chunk.start_line,
                chunk.end_line,
                _json(chunk.symbols),
                chunk.symbol_name,
                chunk.symbol_kind,
                _json(chunk.kinds),
                chunk.parent_symbol,
                chunk.signature,
                chunk.docstring,
                _json(chunk.calls),
                chunk.is_fragment,
            )
            for ordinal, chunk in enumerate(parsed.chunks)
        ],
    )
    await tx.many(
        """INSERT INTO symbols (doc_id, ordinal, name, name_lower, kind, container, start_line,
             end_line, line, "column", end_column, signature, docstring)
           VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)""",
        [
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
            for ordinal, symbol in enumerate(parsed.symbols)
        ],
    )
    await tx.many("DELETE FROM dead_points WHERE point_id = ?", [(p,) for p in new.point_ids])
    await note_dead(tx, {(new.project_id, str(row[0])) for row in replaced})
    return doc_id


async def find_document(
    tx: Transaction, project_id: str, path: str, content_hash: bytes
) -> int | None:
    """The document of one content at one path."""
    rows = await tx.read(
        "SELECT doc_id FROM documents WHERE project_id = ? AND path = ? AND content_hash = ?",
        (project_id, path, content_hash),
    )
    return int(rows[0][0]) if rows else None


async def set_file(
    tx: Transaction,
    checkout_id: str,
    path: str,
    outcome: Outcome,
    doc_id: int | None,
) -> int | None:
    """Point a file at its document or at the reason for having none; returns the old document."""
    rows = await tx.read(
        "SELECT doc_id FROM files WHERE checkout_id = ? AND path = ?", (checkout_id, path)
    )
    old = rows[0]["doc_id"] if rows else None
    status = {"skipped": "skipped", "failed": "failed"}.get(outcome.status, "indexed")
    await tx.execute(
        """INSERT INTO files
             (checkout_id, path, size, mtime_ns, content_hash, doc_id, status, reason, detail)
           VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
           ON CONFLICT (checkout_id, path) DO UPDATE SET
             size = excluded.size, mtime_ns = excluded.mtime_ns,
             content_hash = excluded.content_hash, doc_id = excluded.doc_id,
             status = excluded.status, reason = excluded.reason, detail = excluded.detail,
             indexed_at = strftime('%Y-%m-%dT%H:%M:%fZ', 'now')""",
        (
            checkout_id,
            path,
            outcome.size,
            outcome.mtime_ns,
            outcome.content_hash or None,
            doc_id,
            status,
            outcome.reason,
            outcome.detail,
        ),
    )
    return None if old == doc_id else old


async def remove_file(tx: Transaction, checkout_id: str, path: str) -> int | None:
    """Forget a file that is gone; returns its document."""
    rows = await tx.read(
        "DELETE FROM files WHERE checkout_id = ? AND path = ? RETURNING doc_id",
        (checkout_id, path),
    )
    return rows[0]["doc_id"] if rows else None


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
