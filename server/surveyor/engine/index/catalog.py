"""Rows from what the workers made of files, on their way into `state.db`.

Every function that writes runs inside the caller's transaction, so that a kill leaves all of a
batch or none.
"""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha1

import msgspec

from surveyor.embedding.embedded import Embedded
from surveyor.files.file_class import labels_of
from surveyor.parsing.types import ParsedFile
from surveyor.store.state import Transaction, document_texts, documents
from surveyor.store.state.documents import NewChunkRow, NewDocumentRow, NewSymbolRow
from surveyor.store.state.files import FileChange, FileStatus
from surveyor.worker.messages import Outcome

POINT_NAMESPACE = uuid.UUID("6f2d5f0e-6a53-5f43-9b54-1d2f7f0a9c11")
"""Namespace of chunk ids (version 5 UUIDs)."""

_VARIANT = {digit: "89ab"[int(digit, 16) & 3] for digit in "0123456789abcdef"}
"""The digit of a UUID that says that it is one, by the digit that the hash has there."""


_FILE_STATUS: dict[str, FileStatus | None] = {
    "missing": None,
    "skipped": "skipped",
    "failed": "failed",
}
"""Status of a file's row by that of its outcome; `indexed` for all others, None for no row."""


@dataclass(frozen=True, slots=True)
class NewDocument:
    """A parsed file, before its rows are written."""

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

    def is_apart(self, chunk: int) -> bool:
        """Whether a chunk says something else than its lines of the document's stored text."""
        text = self.outcome.text
        return text is None or chunk in text.apart


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


async def insert_documents(
    tx: Transaction, new: Sequence[NewDocument], model: str, version: str
) -> list[int]:
    """Add a project's documents with all that they hold, replacing older versions; their ids."""
    if not new:
        return []
    project_id = new[0].project_id
    ids = await documents.upsert_documents(
        tx,
        [
            NewDocumentRow(
                each.project_id,
                each.path,
                each.outcome.content_hash,
                each.parsed.language,
                each.parsed.file_type,
                version,
                each.parsed.is_reexport,
                _json(each.parsed.problems),
                labels_of(each.path, each.parsed.file_type),
            )
            for each in new
        ],
    )
    held = dict(zip(ids, new, strict=True))  # of equals, one
    replaced = await documents.clear_contents(tx, list(held))
    if replaced:
        await documents.delete_repeated_texts(
            tx,
            {
                vector.text_hash
                for each in held.values()
                for number, vector in enumerate(each.outcome.vectors)
                if not each.is_apart(number)
            },
        )
    pieces = [
        (doc_id, ordinal, point_id, chunk, vector)
        for doc_id, each in held.items()
        for ordinal, (point_id, chunk, vector) in enumerate(
            zip(each.point_ids, each.parsed.chunks, each.outcome.vectors, strict=True)
        )
    ]
    bodies = {v.text_hash: v.body for *_, v in pieces if v.body is not None}
    await documents.insert_contents(
        tx,
        held,
        texts={v.text_hash: c.text for doc_id, n, _, c, v in pieces if held[doc_id].is_apart(n)},
        vectors=[(model, text_hash, body) for text_hash, body in bodies.items()],
        chunks=[
            NewChunkRow(doc_id, ordinal, point_id, vector.text_hash, chunk)
            for doc_id, ordinal, point_id, chunk, vector in pieces
        ],
        symbols=[
            NewSymbolRow(
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
            )
            for doc_id, each in held.items()
            for ordinal, symbol in enumerate(each.parsed.symbols)
        ],
    )
    await document_texts.put_texts(
        tx,
        [
            document_texts.NewTextRow(doc_id, text.text, text.ngrams)
            for doc_id, each in held.items()
            if (text := each.outcome.text) is not None
        ],
    )
    present = [point_id for each in held.values() for point_id in each.point_ids]
    await documents.replace_points(tx, project_id, replaced, present)
    return ids


def file_change(path: str, outcome: Outcome, doc_id: int | None) -> FileChange:
    """What a file of a checkout becomes, by its outcome."""
    return FileChange(
        path=path,
        status=_FILE_STATUS.get(outcome.status, "indexed"),
        size=outcome.size,
        mtime_ns=outcome.mtime_ns,
        content_hash=outcome.content_hash,
        doc_id=doc_id,
        reason=outcome.reason,
        detail=outcome.detail,
    )


def _json(values: Sequence[str]) -> str:
    return msgspec.json.encode(values).decode()
