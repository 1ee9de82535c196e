"""What an index worker reads of `state.db`, on a connection of its own that only reads.

Apart from `store.state`: a worker starts without asyncio and what awaits a database.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterator, Sequence
from zlib import crc32

from surveyor.store.text_compression import decompressed

LOOKUP_HASHES = 100
"""Vectors asked for at once: a file has fewer chunks than that as a rule."""


def open_for_reading(path: str) -> sqlite3.Connection:
    """A connection to the database there, for one thread at a time."""
    return sqlite3.connect(f"file:{path}?mode=ro", uri=True, check_same_thread=False)


def has_document(
    connection: sqlite3.Connection, project_id: str, path: str, content_hash: bytes, version: str
) -> bool:
    """Whether a content of a file has been parsed by a version."""
    row = connection.execute(
        "SELECT 1 FROM documents WHERE project_id = ? AND path = ? AND content_hash = ?"
        " AND version = ?",
        (project_id, path, content_hash, version),
    ).fetchone()
    return row is not None


def stored_texts(connection: sqlite3.Connection, doc_ids: Sequence[int]) -> dict[int, bytes]:
    """The whole texts of documents, without those that are not stored or are damaged."""
    rows = connection.execute(
        "SELECT doc_id, text, checksum FROM document_texts"
        f" WHERE doc_id IN ({','.join('?' * len(doc_ids))})",
        tuple(doc_ids),
    )
    return {
        doc_id: decompressed(text) for doc_id, text, checksum in rows if crc32(text) == checksum
    }


def points_at(
    connection: sqlite3.Connection, project_id: str, path: str, version: str
) -> Counter[bytes]:
    """The texts that a version has made points of at a path, with how many of each there are."""
    # By the path, and not by the version, which all documents of a project have: hence the `+`.
    rows = connection.execute(
        """SELECT text_hash, max(points) FROM (
             SELECT c.text_hash, count(*) AS points FROM documents d JOIN chunks c USING (doc_id)
             WHERE d.project_id = ? AND d.path = ? AND +d.version = ?
             GROUP BY c.doc_id, c.text_hash) GROUP BY text_hash""",
        (project_id, path, version),
    )
    return Counter(dict(rows.fetchall()))


def vectors_of(
    connection: sqlite3.Connection, model: str, text_hashes: Sequence[bytes]
) -> Iterator[tuple[bytes, bytes]]:
    """Those of some texts that have a vector of a model, with it."""
    for start in range(0, len(text_hashes), LOOKUP_HASHES):
        part = text_hashes[start : start + LOOKUP_HASHES]
        yield from connection.execute(
            "SELECT text_hash, dense FROM vectors WHERE model = ? AND text_hash IN"
            f" ({','.join('?' * len(part))})",
            (model, *part),
        )
