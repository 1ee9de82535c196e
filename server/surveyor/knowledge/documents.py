"""Documents as rows, pieces and points."""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from surveyor.knowledge.document_reading import ReadDocument, content_hash
from surveyor.knowledge.points import Entry, point_id
from surveyor.store.state import Transaction

GLOBAL = "global"
"""Project of documents that belong to none."""


@dataclass(frozen=True, slots=True)
class Facts:
    """What is known of a document apart from its text."""

    library: str
    name: str
    project_id: str | None = None
    source: str = "file"
    title: str | None = None
    url: str | None = None
    topics: tuple[str, ...] = ()
    metadata: Mapping[str, Any] = field(default_factory=dict)
    content: str | None = None
    dated: float | None = None


def piece_ids(facts: Facts, found: ReadDocument) -> list[str]:
    """Ids of a document's pieces: text and its ordinal among equals, never the place."""
    seen: dict[str, int] = {}
    ids = []
    for piece in found.pieces:
        key = "\0".join((*piece.headings, piece.text))
        number = seen[key] = seen.get(key, -1) + 1
        digest = content_hash(key.encode("utf-8", "replace")).hex()
        ids.append(
            point_id(
                "piece", facts.library, facts.project_id or "", facts.name, digest, str(number)
            )
        )
    return ids


def piece_entries(facts: Facts, found: ReadDocument, ids: Sequence[str]) -> Iterable[Entry]:
    """What is embedded of a document: each piece under its title and headings."""
    title = facts.title or found.title
    for key, piece in zip(ids, found.pieces, strict=True):
        yield _entry(
            key, title, piece.headings, piece.text, facts.library, facts.name, found.format,
            found.path, [*facts.topics, *found.topics], piece.page, piece.ordinal,
            facts.project_id,
        )  # fmt: skip


def row_entry(row: sqlite3.Row) -> Entry:
    """What is embedded of a stored piece, from its row joined with its document's."""
    return _entry(
        row["point_id"], row["title"], json.loads(row["headings"]), row["text"], row["library"],
        row["name"], row["format"], row["file_path"] or "", json.loads(row["topics"]),
        row["page_number"], row["ordinal"], row["project_id"],
    )  # fmt: skip


def _entry(
    key: str,
    title: str,
    headings: Sequence[str],
    text: str,
    library: str,
    name: str,
    format_name: str,
    path: str,
    topics: Sequence[str],
    page: int | None,
    ordinal: int,
    project_id: str | None,
) -> Entry:
    return Entry(
        id=key,
        title=" ".join(dict.fromkeys((title, *headings))),
        text=text,
        payload={
            "library_name": library,
            "label": name,
            "source_file": path,
            "file_path": path,
            "file_type": format_name,
            "title": title,
            "topics": list(topics),
            "tags": list(topics),
            "page_number": page or 0,
            "chunk_index": ordinal,
            "project_id": project_id or GLOBAL,
        },
    )


async def write_document(
    tx: Transaction, facts: Facts, found: ReadDocument, ids: Sequence[str], at: str
) -> list[str]:
    """Insert or replace one document's rows; returns the points that it no longer has."""
    row = await tx.read(
        "SELECT document_id, created_at FROM library_documents WHERE library = ?"
        " AND project_id IS ? AND name = ?",
        (facts.library, facts.project_id, facts.name),
    )
    old: set[str] = set()
    created = at
    if row:
        created = row[0]["created_at"]
        pieces = await tx.read(
            "SELECT point_id FROM library_pieces WHERE document_id = ?", (row[0]["document_id"],)
        )
        old = {str(one[0]) for one in pieces}
        await tx.execute(
            "DELETE FROM library_documents WHERE document_id = ?", (row[0]["document_id"],)
        )
    document_id = await tx.insert(
        """INSERT INTO library_documents (library, project_id, name, title, source, file_path, url,
             format, topics, metadata, content, content_hash, size, mtime_ns, dated, created_at,
             updated_at, problem) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)""",
        (
            facts.library,
            facts.project_id,
            facts.name,
            facts.title or found.title,
            facts.source,
            found.path or None,
            facts.url,
            found.format,
            json.dumps([*facts.topics, *found.topics]),
            json.dumps(facts.metadata),
            facts.content,
            found.content_hash,
            found.size,
            found.mtime_ns,
            facts.dated or found.dated or time.time(),
            created,
            at,
            "; ".join(found.problems)[:500],
        ),
    )
    await tx.many(
        """INSERT INTO library_pieces (document_id, point_id, ordinal, headings, page_number,
             start_line, end_line, text) VALUES (?, ?, ?, ?, ?, ?, ?, ?)""",
        [
            (
                document_id,
                key,
                piece.ordinal,
                json.dumps(piece.headings),
                piece.page,
                piece.start_line,
                piece.end_line,
                piece.text,
            )
            for key, piece in zip(ids, found.pieces, strict=True)
        ],
    )
    return sorted(old - set(ids))
