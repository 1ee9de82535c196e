"""Rows of libraries, of their documents and of the chunks of these, and which projects use them."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from surveyor.store.state.database import State, Transaction

POINTS_PER_QUERY = 500
PROBLEM_CHARS = 500
LibraryKind = str
"""folder, documents, package, notes or sessions; a document whose library is not registered counts
as of `documents`."""
LibraryMode = Literal["sync", "incremental"]

_KIND = "coalesce(l.kind, 'documents')"
_CHUNKS = "library_pieces p JOIN library_documents d USING (document_id)"


def at_or_below(column: str) -> str:
    """SQL: a dotted name equal to the first `?`, or beginning with the second (`name.`)."""
    return f"({column} = ? OR instr({column}, ?) = 1)"


@dataclass(frozen=True, slots=True)
class LibraryRow:
    """A library. `source` is a folder; dates are ISO 8601 in UTC."""

    name: str
    kind: LibraryKind
    source: str | None
    mode: LibraryMode | None
    """Of a folder: sync or incremental."""
    synced_at: str | None
    deleted_at: str | None


@dataclass(frozen=True, slots=True)
class LibrarySize:
    """A library and how much is in it."""

    library: LibraryRow
    documents: int
    evicted: int
    chunks: int
    text_bytes: int
    is_used: bool
    """By the project that was asked about."""


class DocumentFile(NamedTuple):
    """A document that was read from a file, as that was then."""

    library: str
    name: str
    file_path: str | None
    size: int
    mtime_ns: int
    deleted_at: str | None
    evicted_at: str | None


class DocumentOrigin(NamedTuple):
    """What tells documents of one name apart: where each is from, or else its text."""

    file_path: str | None
    url: str | None
    content: str | None


class DocumentKey(NamedTuple):
    """A document and the library that it is in."""

    document_id: int
    library: str
    kind: LibraryKind


@dataclass(frozen=True, slots=True)
class DocumentRow:
    """A document as it is written. `dated` is in seconds since 1970."""

    library: str
    project_id: str | None
    """None: every project sees it."""
    name: str
    title: str
    source: str
    """user_input, web, file, package or session."""
    file_path: str | None
    url: str | None
    format: str
    topics: Sequence[str]
    metadata: Mapping[str, Any]
    content: str | None
    """Of what cannot be read again from a file."""
    content_hash: bytes
    size: int
    mtime_ns: int
    dated: float
    problem: str
    """Why there is less in it than in its file."""


class DocumentChunkRow(NamedTuple):
    """A part of a document that is embedded and found as one. Lines are 1-based, 0 for none."""

    point_id: str
    ordinal: int
    headings: Sequence[str]
    page_number: int | None
    start_line: int
    end_line: int
    text: str


@dataclass(frozen=True, slots=True)
class StoredDocumentChunk:
    """A chunk with what its document says of it."""

    chunk: DocumentChunkRow
    library: str
    project_id: str | None
    name: str
    title: str
    source: str
    file_path: str | None
    url: str | None
    format: str
    topics: tuple[str, ...]
    dated: float
    is_deleted: bool


class LibraryChunks(NamedTuple):
    """How many chunks a library has."""

    library: str
    kind: LibraryKind
    chunks: int


# --- libraries ----------------------------------------------------------------------------


async def find_library(state: State, name: str) -> LibraryRow | None:
    """The library of a name."""
    row = await state.one("SELECT * FROM libraries WHERE name = ?", (name,))
    return None if row is None else _library(row)


def _library(row: sqlite3.Row) -> LibraryRow:
    return LibraryRow(
        name=row["name"],
        kind=row["kind"],
        source=row["source"],
        mode=row["mode"],
        synced_at=row["synced_at"],
        deleted_at=row["deleted_at"],
    )


async def chosen_names(state: State) -> list[str]:
    """Names of the libraries that users made: folders and documents."""
    rows = await state.read(
        "SELECT name FROM libraries WHERE kind IN ('folder', 'documents') ORDER BY name"
    )
    return [str(row[0]) for row in rows]


async def folders(state: State) -> list[tuple[str, str]]:
    """Names and folders of the libraries that are folders and not marked as deleted."""
    rows = await state.read(
        "SELECT name, source FROM libraries WHERE kind = 'folder' AND deleted_at IS NULL"
    )
    return [(row["name"], row["source"]) for row in rows]


async def whole_packages(state: State) -> set[str]:
    """Packages of which nothing was let go."""
    rows = await state.read(
        """SELECT name FROM libraries l WHERE kind = 'package' AND NOT EXISTS (
             SELECT 1 FROM library_documents d
             WHERE d.library = l.name AND d.evicted_at IS NOT NULL)"""
    )
    return {str(row[0]) for row in rows}


async def library_sizes(state: State, project_id: str | None) -> list[LibrarySize]:
    """All libraries by kind and name, and whether a project uses each."""
    rows = await state.read(
        f"""SELECT l.*, (SELECT count(*) FROM library_documents d WHERE d.library = l.name
             AND d.deleted_at IS NULL AND d.evicted_at IS NULL) AS documents,
           (SELECT count(*) FROM library_documents d WHERE d.library = l.name
             AND d.deleted_at IS NULL AND d.evicted_at IS NOT NULL) AS evicted,
           (SELECT count(*) FROM {_CHUNKS} WHERE d.library = l.name) AS chunks,
           (SELECT coalesce(sum(length(p.text)), 0) FROM {_CHUNKS}
             WHERE d.library = l.name) AS bytes,
           EXISTS (SELECT 1 FROM project_packages u WHERE u.library = l.name
             AND u.project_id = ?) AS used
           FROM libraries l ORDER BY l.kind, l.name""",
        (project_id,),
    )
    return [
        LibrarySize(
            library=_library(row),
            documents=row["documents"],
            evicted=row["evicted"],
            chunks=row["chunks"],
            text_bytes=row["bytes"],
            is_used=bool(row["used"]),
        )
        for row in rows
    ]


async def visible_libraries(
    state: State,
    project_id: str | None,
    *,
    notes: bool,
    every: bool,
    include_deleted: bool,
    named: str | None,
) -> list[tuple[str, LibraryKind]]:
    """Names and kinds of the libraries that a search may look into.

    `notes`: notes and sessions, instead of the others; `every`: packages of all projects, too;
    `named`: this package, whoever uses it.
    """
    rows = await state.read(
        """SELECT DISTINCT l.name, l.kind FROM libraries l
           LEFT JOIN project_packages u ON u.library = l.name AND u.project_id IS ?
           WHERE (? OR l.deleted_at IS NULL)
             AND (l.kind IN ('notes', 'sessions')) = ?
             AND (? OR l.kind <> 'package' OR u.library IS NOT NULL OR l.name = ?)""",
        (project_id, include_deleted, notes, every, named),
    )
    return [(str(row["name"]), str(row["kind"])) for row in rows]


async def add_folder(tx: Transaction, name: str, folder: str, mode: str, at: str) -> None:
    """Register a folder, or change its mode; it is not marked as deleted any more."""
    await tx.execute(
        """INSERT INTO libraries (name, kind, source, mode, created_at)
           VALUES (?, 'folder', ?, ?, ?) ON CONFLICT (name) DO UPDATE SET
             mode = excluded.mode, deleted_at = NULL""",
        (name, folder, mode, at),
    )


async def register(
    tx: Transaction, name: str, kind: LibraryKind, source: str | None, at: str
) -> None:
    """Have a library known, unless it is."""
    await tx.execute(
        "INSERT OR IGNORE INTO libraries (name, kind, source, created_at, synced_at)"
        " VALUES (?, ?, ?, ?, ?)",
        (name, kind, source, at, at),
    )


async def register_synced(
    tx: Transaction, name: str, kind: LibraryKind, source: str | None, at: str
) -> None:
    """Have a library known, not marked as deleted, and synced at a time."""
    await tx.execute(
        "INSERT INTO libraries (name, kind, source, created_at, synced_at)"
        " VALUES (?, ?, ?, ?, ?) ON CONFLICT (name) DO UPDATE SET deleted_at = NULL,"
        " synced_at = excluded.synced_at",
        (name, kind, source, at, at),
    )


async def set_synced(tx: Transaction, name: str, at: str) -> None:
    """Note when a library was compared with its folder."""
    await tx.execute("UPDATE libraries SET synced_at = ? WHERE name = ?", (at, name))


async def mark_deleted(tx: Transaction, name: str, at: str | None) -> None:
    """Set the delete mark of a library, or of the documents below a dotted name; None: take it
    away."""
    await tx.execute(
        f"UPDATE library_documents SET deleted_at = ? WHERE {at_or_below('name')}",
        (at, name, name + "."),
    )
    await tx.execute("UPDATE libraries SET deleted_at = ? WHERE name = ?", (at, name))


async def delete_library(tx: Transaction, name: str) -> None:
    """Delete a library's row; its documents stay."""
    await tx.execute("DELETE FROM libraries WHERE name = ?", (name,))


async def set_project_packages(tx: Transaction, project_id: str, libraries: Iterable[str]) -> None:
    """Note which packages a project uses now."""
    await tx.execute("DELETE FROM project_packages WHERE project_id = ?", (project_id,))
    await tx.many(
        "INSERT OR IGNORE INTO project_packages (project_id, library) VALUES (?, ?)",
        [(project_id, one) for one in libraries],
    )


# --- documents ----------------------------------------------------------------------------


async def document_files(state: State, libraries: Sequence[str]) -> list[DocumentFile]:
    """All documents of some libraries."""
    rows = await state.read(
        "SELECT library, name, file_path, size, mtime_ns, deleted_at, evicted_at"
        f" FROM library_documents WHERE library IN ({','.join('?' * len(libraries))})",
        libraries,
    )
    return [DocumentFile._make(row) for row in rows]


async def document_origin(
    state: State, library: str, project_id: str | None, name: str
) -> DocumentOrigin | None:
    """Where a document is from."""
    row = await state.one(
        "SELECT file_path, url, content FROM library_documents WHERE library = ?"
        " AND project_id IS ? AND name = ?",
        (library, project_id, name),
    )
    return None if row is None else DocumentOrigin._make(row)


async def count_documents(state: State, name: str) -> int:
    """How many documents there are of a dotted name, or below it."""
    return int(
        await state.value(
            f"SELECT count(*) FROM library_documents d WHERE {at_or_below('d.name')}",
            (name, name + "."),
        )
    )


async def documents_below(state: State, name: str) -> list[DocumentKey]:
    """The documents of a dotted name, and below it."""
    rows = await state.read(
        f"""SELECT d.document_id, d.library, {_KIND} AS kind
            FROM library_documents d LEFT JOIN libraries l ON l.name = d.library
            WHERE {at_or_below("d.name")}""",
        (name, name + "."),
    )
    return [DocumentKey._make(row) for row in rows]


async def problems_of(state: State, library: str, limit: int) -> list[tuple[str, str]]:
    """Paths (or names) and problems of documents that could not be read as a whole, by name."""
    rows = await state.read(
        "SELECT coalesce(file_path, name), problem FROM library_documents"
        " WHERE library = ? AND problem <> '' ORDER BY name LIMIT ?",
        (library, limit),
    )
    return [(str(row[0]), str(row[1])) for row in rows]


async def replace_document(
    tx: Transaction, document: DocumentRow, chunks: Sequence[DocumentChunkRow], at: str
) -> list[str]:
    """Insert or replace a document with its chunks; returns the points that it no longer has."""
    row = await tx.read(
        "SELECT document_id, created_at FROM library_documents WHERE library = ?"
        " AND project_id IS ? AND name = ?",
        (document.library, document.project_id, document.name),
    )
    old: set[str] = set()
    created = at
    if row:
        created = row[0]["created_at"]
        points = await tx.read(
            "SELECT point_id FROM library_pieces WHERE document_id = ?", (row[0]["document_id"],)
        )
        old = {str(one[0]) for one in points}
        await delete_document(tx, row[0]["document_id"])
    document_id = await tx.insert(
        """INSERT INTO library_documents (library, project_id, name, title, source, file_path, url,
             format, topics, metadata, content, content_hash, size, mtime_ns, dated, created_at,
             updated_at, problem) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)""",
        (
            document.library,
            document.project_id,
            document.name,
            document.title,
            document.source,
            document.file_path,
            document.url,
            document.format,
            json.dumps(list(document.topics)),
            json.dumps(document.metadata),
            document.content,
            document.content_hash,
            document.size,
            document.mtime_ns,
            document.dated,
            created,
            at,
            document.problem[:PROBLEM_CHARS],
        ),
    )
    await tx.many(
        """INSERT INTO library_pieces (document_id, point_id, ordinal, headings, page_number,
             start_line, end_line, text) VALUES (?, ?, ?, ?, ?, ?, ?, ?)""",
        [
            (
                document_id,
                one.point_id,
                one.ordinal,
                json.dumps(one.headings),
                one.page_number,
                one.start_line,
                one.end_line,
                one.text,
            )
            for one in chunks
        ],
    )
    return sorted(old - {one.point_id for one in chunks})


async def delete_document(tx: Transaction, document_id: int) -> None:
    """Delete a document with its chunks."""
    await tx.execute("DELETE FROM library_documents WHERE document_id = ?", (document_id,))


async def mark_file_deleted(tx: Transaction, library: str, file_path: str, at: str) -> None:
    """Set the delete mark of the document of a file that is gone."""
    await tx.execute(
        "UPDATE library_documents SET deleted_at = ? WHERE library = ? AND file_path = ?"
        " AND deleted_at IS NULL",
        (at, library, file_path),
    )


async def mark_names_deleted(
    tx: Transaction, documents: Iterable[tuple[str, str]], at: str
) -> None:
    """Set the delete marks of documents, each given by library and name."""
    await tx.many(
        "UPDATE library_documents SET deleted_at = ? WHERE library = ? AND name = ?",
        [(at, library, name) for library, name in documents],
    )


async def note_unread(
    tx: Transaction,
    library: str,
    project_id: str | None,
    name: str,
    *,
    problem: str,
    size: int,
    mtime_ns: int,
) -> bool:
    """Note why a document's file cannot be read now; False where nothing was read before."""
    rows = await tx.read(
        """UPDATE library_documents SET problem = ?, size = ?, mtime_ns = ?
           WHERE library = ? AND project_id IS ? AND name = ? AND EXISTS (
             SELECT 1 FROM library_pieces p
             WHERE p.document_id = library_documents.document_id)
           RETURNING document_id""",
        (problem[:PROBLEM_CHARS], size, mtime_ns, library, project_id, name),
    )
    return bool(rows)


async def read_again(tx: Transaction, names: Iterable[str]) -> None:
    """Have documents that were let go of differ from their files, so that a scan reads them."""
    await tx.many(
        "UPDATE library_documents SET mtime_ns = 0, size = -1"
        " WHERE name = ? AND evicted_at IS NOT NULL",
        [(name,) for name in names],
    )


# --- chunks -------------------------------------------------------------------------------


async def points_of_document(state: State, document_id: int) -> list[str]:
    """Points of a document's chunks."""
    rows = await state.read(
        "SELECT point_id FROM library_pieces WHERE document_id = ?", (document_id,)
    )
    return [str(row[0]) for row in rows]


async def known_points(state: State, point_ids: Iterable[str]) -> set[str]:
    """Those of some points that chunks have."""
    found: set[str] = set()
    listed = sorted(point_ids)
    for start in range(0, len(listed), POINTS_PER_QUERY):
        part = listed[start : start + POINTS_PER_QUERY]
        rows = await state.read(
            f"SELECT point_id FROM library_pieces WHERE point_id IN ({','.join('?' * len(part))})",
            part,
        )
        found |= {str(row[0]) for row in rows}
    return found


async def count_chunks(state: State) -> list[LibraryChunks]:
    """How many chunks each library has that has any."""
    rows = await state.read(
        f"""SELECT d.library, {_KIND} AS kind, count(*) AS n FROM {_CHUNKS}
            LEFT JOIN libraries l ON l.name = d.library GROUP BY d.library"""
    )
    return [LibraryChunks._make(row) for row in rows]


_CHUNK_COLUMNS = """p.point_id, p.ordinal, p.headings, p.page_number, p.start_line, p.end_line,
    p.text, d.library, d.project_id, d.name, d.title, d.source, d.file_path, d.url, d.format,
    d.topics, d.dated, d.deleted_at"""


async def chunks_of(
    state: State, libraries: Sequence[str], limit: int | None = None
) -> list[StoredDocumentChunk]:
    """Chunks of some libraries: all, or so many."""
    rows = await state.read(
        f"SELECT {_CHUNK_COLUMNS} FROM {_CHUNKS}"
        f" WHERE d.library IN ({','.join('?' * len(libraries))}) LIMIT ?",
        [*libraries, -1 if limit is None else limit],
    )
    return [_chunk(row) for row in rows]


async def chunks_at(
    state: State,
    point_ids: Sequence[str],
    *,
    project_id: str | None,
    every: bool,
    include_deleted: bool,
    below: str | None,
) -> list[StoredDocumentChunk]:
    """Those of some points' chunks that a caller may see.

    That is documents of no project and of this one, with `every` of all; `below` a dotted name, or
    in a library whose name begins with it.
    """
    conditions = [f"p.point_id IN ({','.join('?' * len(point_ids))})", "d.evicted_at IS NULL"]
    parameters: list[object] = [*point_ids]
    if not every:
        conditions.append("(d.project_id IS NULL OR d.project_id = ?)")
        parameters.append(project_id)
    if not include_deleted:
        conditions.append("d.deleted_at IS NULL")
    if below is not None:
        conditions.append(
            f"({at_or_below('d.name')} OR instr(d.library || '.', ?) = 1"
            " OR instr(d.library, ?) = 1)"
        )
        parameters += [below, below + ".", below + ".", below + "@"]
    rows = await state.read(
        f"SELECT {_CHUNK_COLUMNS} FROM {_CHUNKS} WHERE {' AND '.join(conditions)}", parameters
    )
    return [_chunk(row) for row in rows]


def _chunk(row: sqlite3.Row) -> StoredDocumentChunk:
    return StoredDocumentChunk(
        chunk=DocumentChunkRow(
            row["point_id"],
            row["ordinal"],
            json.loads(row["headings"]),
            row["page_number"],
            row["start_line"],
            row["end_line"],
            row["text"],
        ),
        library=row["library"],
        project_id=row["project_id"],
        name=row["name"],
        title=row["title"],
        source=row["source"],
        file_path=row["file_path"],
        url=row["url"],
        format=row["format"],
        topics=tuple(json.loads(row["topics"])),
        dated=row["dated"],
        is_deleted=bool(row["deleted_at"]),
    )
