"""Whole texts of documents, and the n-grams by which those are found that may hold a string."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from surveyor.store.state.database import State, Transaction
from surveyor.store.state.searched_chunks import DocumentScope
from surveyor.store.text_compression import decompressed


class NewTextRow(NamedTuple):
    """A text that is to be stored."""

    doc_id: int
    text: bytes
    """Compressed."""
    ngrams: bytes


class SearchedDocument(NamedTuple):
    """A document whose text may be searched."""

    doc_id: int
    path: str
    language: str | None
    file_type: str
    checksum: int | None
    """Of its stored text; None where that is not stored (yet)."""


class CompressedText(NamedTuple):
    """A stored text, not read yet: reading many takes a processor's time."""

    compressed: bytes
    checksum: int

    def read(self) -> bytes | None:
        """The text in UTF-8; None where it is not what was written."""
        if zlib.crc32(self.compressed) != self.checksum:
            return None
        return decompressed(self.compressed)


class SymbolAround(NamedTuple):
    """A definition in a document, by its lines."""

    name: str
    kind: str
    container: str
    start_line: int
    end_line: int


# --- reading ------------------------------------------------------------------------------


async def signatures_in(state: State, scope: DocumentScope) -> list[tuple[int, bytes | None]]:
    """Documents of a scope with the bits of their n-grams, None where their texts are not stored
    (yet).

    Nothing else, for there are as many rows as files, and each costs two microseconds.
    """
    within, given = _within(scope)
    rows = await state.read(
        f"""SELECT w.doc_id, (SELECT bits FROM document_ngrams t WHERE t.doc_id = w.doc_id)
            FROM ({within}) w""",
        given,
    )
    return [(row[0], row[1]) for row in rows]


_SEARCHED = """d.doc_id, d.path, d.language, d.file_type,
    (SELECT checksum FROM document_texts t WHERE t.doc_id = d.doc_id)"""


async def documents_of(state: State, doc_ids: Sequence[int]) -> list[SearchedDocument]:
    """Some documents, by path."""
    rows = await state.read(
        f"""SELECT {_SEARCHED} FROM documents d
            WHERE doc_id IN (SELECT value FROM json_each(?)) ORDER BY path, doc_id""",
        (json.dumps(list(doc_ids)),),
    )
    return [SearchedDocument._make(row) for row in rows]


async def documents_in(state: State, scope: DocumentScope) -> list[SearchedDocument]:
    """All documents of a scope, by path."""
    within, given = _within(scope)
    rows = await state.read(
        f"""SELECT {_SEARCHED} FROM ({within}) w
            JOIN documents d ON d.doc_id = w.doc_id ORDER BY d.path, d.doc_id""",
        given,
    )
    return [SearchedDocument._make(row) for row in rows]


async def paths_noted(state: State, scope: DocumentScope, problem: str) -> list[str]:
    """Documents of a scope of which a problem was noted as they were read, by path."""
    within, given = _within(scope)
    rows = await state.read(
        f"""SELECT DISTINCT d.path FROM ({within}) w JOIN documents d ON d.doc_id = w.doc_id
            WHERE d.problems <> '[]' AND EXISTS (
              SELECT 1 FROM json_each(d.problems) j WHERE j.value = ?) ORDER BY d.path""",
        [*given, problem],
    )
    return [str(path) for (path,) in rows]


def _within(scope: DocumentScope) -> tuple[str, list[str]]:
    """The ids of a scope's documents as a query, with its parameters."""
    on_disk = "SELECT doc_id FROM files WHERE checkout_id = ? AND doc_id IS NOT NULL"
    if scope.other_branch is None:
        return on_disk, [scope.checkout_id]
    on_branch = "SELECT doc_id FROM branch_files WHERE project_id = ?"
    if scope.other_branch == "*":
        return f"{on_disk} UNION {on_branch}", [scope.checkout_id, scope.project_id]
    return f"{on_branch} AND branch = ?", [scope.project_id, scope.other_branch]


async def texts_of(state: State, doc_ids: Sequence[int]) -> dict[int, CompressedText]:
    """The texts that are stored of some documents."""
    rows = await state.read(
        "SELECT doc_id, text, checksum FROM document_texts"
        " WHERE doc_id IN (SELECT value FROM json_each(?))",
        (json.dumps(list(doc_ids)),),
    )
    return {int(doc_id): CompressedText(text, checksum) for doc_id, text, checksum in rows}


async def symbols_in(state: State, doc_ids: Sequence[int]) -> Mapping[int, Sequence[SymbolAround]]:
    """The definitions of some documents, outer ones before those inside them."""
    rows = await state.read(
        """SELECT doc_id, name, kind, container, start_line, end_line FROM symbols
           WHERE doc_id IN (SELECT value FROM json_each(?))
           ORDER BY doc_id, start_line, end_line DESC""",
        (json.dumps(list(doc_ids)),),
    )
    found: dict[int, list[SymbolAround]] = {}
    for doc_id, *fields in rows:
        found.setdefault(int(doc_id), []).append(SymbolAround(*fields))
    return found


async def texts_after(
    state: State, doc_id: int, limit: int
) -> list[tuple[int, str, CompressedText]]:
    """(document, path, text) of so many of the documents behind one, by their numbers."""
    rows = await state.read(
        """SELECT t.doc_id, d.path, t.text, t.checksum FROM document_texts t
           JOIN documents d USING (doc_id) WHERE t.doc_id > ? ORDER BY t.doc_id LIMIT ?""",
        (doc_id, limit),
    )
    return [(row[0], row[1], CompressedText(row[2], row[3])) for row in rows]


# --- writing ------------------------------------------------------------------------------


async def put_texts(tx: Transaction, new: Iterable[NewTextRow]) -> None:
    """Store the texts of documents, in place of what was stored of them."""
    rows = list(new)
    await tx.many(
        "INSERT OR REPLACE INTO document_texts (doc_id, text, checksum) VALUES (?, ?, ?)",
        [(each.doc_id, each.text, zlib.crc32(each.text)) for each in rows],
    )
    await tx.many(
        "INSERT OR REPLACE INTO document_ngrams (doc_id, bits) VALUES (?, ?)",
        [(each.doc_id, each.ngrams) for each in rows],
    )


async def delete_texts(tx: Transaction, doc_ids: Iterable[int]) -> None:
    """Delete the texts of documents: they are made again as their files are read again."""
    keys = [(doc_id,) for doc_id in doc_ids]
    await tx.many("DELETE FROM document_texts WHERE doc_id = ?", keys)
    await tx.many("DELETE FROM document_ngrams WHERE doc_id = ?", keys)
