"""Digests of what is derived from files, by which damage inside a page of `state.db` is found.

SQLite's own check reads the structure of its pages, not what rows say.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from zlib import crc32

import msgspec

from surveyor.store.chunk_record import CHUNK_COLUMNS
from surveyor.store.state import kept_rows
from surveyor.store.state.kept_rows import KEPT, Key
from surveyor.store.state.second_copy import described, open_copy
from surveyor.units import counted

Row = Sequence[object]

SYMBOL_COLUMNS = [
    "doc_id",
    "ordinal",
    "name",
    "name_lower",
    "kind",
    "container",
    "start_line",
    "end_line",
    "line",
    '"column"',
    "end_column",
    "signature",
]
"""Columns in the order in which rows are written and digested; the first says whose they are."""

DIGEST_BYTES = 8
DOCUMENTS_AT_ONCE = 500


def insert_of(table: str, columns: Sequence[str]) -> str:
    """The statement that inserts a row."""
    return f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))})"


def text_checksum(text: str) -> int:
    """CRC-32 of a text."""
    return crc32(text.encode("utf-8", "surrogatepass"))


def contents_digests(
    documents: Iterable[int], chunks: Iterable[Row], symbols: Iterable[Row]
) -> Iterator[tuple[int, bytes]]:
    """Documents with the digest of their rows, which come in order."""
    rows: dict[int, list[Row]] = defaultdict(list)
    for row in chunks:
        rows[int(row[0])].append(row[1:])  # type: ignore[call-overload]
    for row in symbols:
        rows[int(row[0])].append(row[1:])  # type: ignore[call-overload]
    for document in documents:
        yield document, _digest(rows[document])


def _digest(rows: Iterable[Row]) -> bytes:
    digest = hashlib.blake2b(digest_size=DIGEST_BYTES)
    for row in rows:
        digest.update(msgspec.msgpack.encode(row))
    return digest.digest()


@dataclass(slots=True)
class Damage:
    """Rows whose digests do not match their content."""

    kept: list[Key] = field(default_factory=list)
    """Keys of what nothing can make again."""
    documents: set[int] = field(default_factory=set)
    """Documents whose chunks, symbols or texts are damaged."""
    texts: list[bytes] = field(default_factory=list)
    """Hashes of damaged texts."""
    vectors: list[int] = field(default_factory=list)

    def __bool__(self) -> bool:
        return bool(self.kept or self.documents or self.texts or self.vectors)

    def said(self) -> str:
        """In a few words."""
        parts = described(table for table, _ in self.kept)
        if self.documents or self.texts:
            parts.append(f"the index of {counted(max(len(self.documents), 1), 'file')}")
        if self.vectors:
            parts.append(counted(len(self.vectors), "vector"))
        return ", ".join(parts)


def find_damage(path: Path) -> Damage:
    """Read every row that has a digest; takes a second for some 50,000 chunks.

    Raises `sqlite3.Error` where pages cannot be read at all.
    """
    with closing(open_copy(path)) as connection:
        connection.execute("BEGIN")  # one moment's rows, while others write
        found = Damage(kept=damaged_kept(connection))
        found.texts = [
            text_hash
            for text_hash, text, checksum in connection.execute(
                "SELECT text_hash, text, checksum FROM texts WHERE checksum IS NOT NULL"
            )
            if not isinstance(text, str) or text_checksum(text) != checksum
        ]
        found.vectors = [
            vector_id
            for vector_id, dense, checksum in connection.execute(
                "SELECT vector_id, dense, checksum FROM vectors WHERE checksum IS NOT NULL"
            )
            if not isinstance(dense, bytes) or crc32(dense) != checksum
        ]
        found.documents = set(_damaged_documents(connection))
        found.documents.update(
            doc_id
            for doc_id, text, checksum in connection.execute(
                "SELECT doc_id, text, checksum FROM document_texts"
            )
            if not isinstance(text, bytes) or crc32(text) != checksum
        )
        for text_hash in found.texts:
            found.documents.update(
                row[0]
                for row in connection.execute(
                    "SELECT doc_id FROM chunks WHERE text_hash = ?", (text_hash,)
                )
            )
    return found


def damaged_kept(connection: sqlite3.Connection) -> list[Key]:
    """Keys whose rows are not what was written, or gone. Raises `sqlite3.Error`."""
    written: dict[Key, bytes] = {
        (table, key): digest
        for table, key, digest in connection.execute("SELECT tbl, key, digest FROM kept_digests")
    }
    wrong = []
    for table in KEPT.values():
        for key, data in kept_rows.rows_of(connection, table):
            expected = written.pop((table.name, key), None)
            if expected not in (None, kept_rows.digest_of(data)):
                wrong.append((table.name, key))
    return [*wrong, *written]


def _damaged_documents(connection: sqlite3.Connection) -> Iterator[int]:
    written = connection.execute("SELECT doc_id, digest FROM document_digests ORDER BY doc_id")
    while some := dict(written.fetchmany(DOCUMENTS_AT_ONCE)):
        between = (min(some), max(some))
        chunks = _by_document(connection, "chunks", CHUNK_COLUMNS, between)
        symbols = _by_document(connection, "symbols", SYMBOL_COLUMNS, between)
        for doc_id, expected in some.items():
            if _digest((*chunks.get(doc_id, ()), *symbols.get(doc_id, ()))) != expected:
                yield doc_id


def _by_document(
    connection: sqlite3.Connection, table: str, columns: Sequence[str], between: tuple[int, int]
) -> dict[int, list[Row]]:
    found: dict[int, list[Row]] = defaultdict(list)
    for doc_id, *row in connection.execute(
        f"SELECT {', '.join(columns)} FROM {table} WHERE doc_id BETWEEN ? AND ?"
        " ORDER BY doc_id, ordinal",
        between,
    ):
        found[doc_id].append(row)
    return found
