"""Documents as rows, pieces and points."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from surveyor.knowledge.document_reading import ReadDocument, content_hash
from surveyor.knowledge.points import PointEntry, point_id
from surveyor.store.state.libraries import DocumentChunkRow, DocumentRow, StoredDocumentChunk

GLOBAL = "global"
"""Project of documents that belong to none."""


@dataclass(frozen=True, slots=True)
class DocumentFacts:
    """Metadata of a document: library, name, project, source and topics."""

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


def piece_ids(facts: DocumentFacts, found: ReadDocument) -> list[str]:
    """Ids of a document's pieces: text and its ordinal among equals, never the place."""
    seen: dict[str, int] = {}
    ids = []
    for chunk in found.chunks:
        key = "\0".join((*chunk.headings, chunk.text))
        number = seen[key] = seen.get(key, -1) + 1
        digest = content_hash(key.encode("utf-8", "replace")).hex()
        ids.append(
            point_id(
                "piece", facts.library, facts.project_id or "", facts.name, digest, str(number)
            )
        )
    return ids


def piece_entries(
    facts: DocumentFacts, found: ReadDocument, ids: Sequence[str]
) -> Iterable[PointEntry]:
    """What is embedded of a document: each piece under its title and headings."""
    title = facts.title or found.title
    for key, chunk in zip(ids, found.chunks, strict=True):
        yield _entry(
            key, title, chunk.headings, chunk.text, facts.library, facts.name, found.format,
            found.path, [*facts.topics, *found.topics], chunk.page, chunk.ordinal,
            facts.project_id,
        )  # fmt: skip


def row_entry(one: StoredDocumentChunk) -> PointEntry:
    """What is embedded of a stored piece."""
    chunk = one.chunk
    return _entry(
        chunk.point_id, one.title, chunk.headings, chunk.text, one.library, one.name, one.format,
        one.file_path or "", one.topics, chunk.page_number, chunk.ordinal, one.project_id,
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
) -> PointEntry:
    return PointEntry(
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


def document_row(facts: DocumentFacts, found: ReadDocument) -> DocumentRow:
    """What is stored of a document."""
    return DocumentRow(
        library=facts.library,
        project_id=facts.project_id,
        name=facts.name,
        title=facts.title or found.title,
        source=facts.source,
        file_path=found.path or None,
        url=facts.url,
        format=found.format,
        topics=[*facts.topics, *found.topics],
        metadata=facts.metadata,
        content=facts.content,
        content_hash=found.content_hash,
        size=found.size,
        mtime_ns=found.mtime_ns,
        dated=facts.dated or found.dated or time.time(),
        problem="; ".join(found.problems),
    )


def chunk_rows(found: ReadDocument, ids: Sequence[str]) -> list[DocumentChunkRow]:
    """What is stored of a document's pieces."""
    return [
        DocumentChunkRow(
            key,
            chunk.ordinal,
            chunk.headings,
            chunk.page,
            chunk.start_line,
            chunk.end_line,
            chunk.text,
        )
        for key, chunk in zip(ids, found.chunks, strict=True)
    ]
