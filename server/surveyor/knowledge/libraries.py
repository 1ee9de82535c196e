"""Libraries: reference documents under hierarchical names, read by the workers, kept as points.

A library is a folder (`sync` mirrors deletions, `incremental` ignores them), a set of single
documents, an installed package, or one of the reserved tenants for notes and sessions.
"""

from __future__ import annotations

import asyncio
import json
import sqlite3
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from surveyor.errors import NotFoundError, SurveyorError, UsageError
from surveyor.knowledge.dates import now
from surveyor.knowledge.documents import (
    Facts,
    piece_entries,
    piece_ids,
    row_entry,
    write_document,
)
from surveyor.knowledge.extract.document import Piece
from surveyor.knowledge.extract.formats import FORMATS, format_of
from surveyor.knowledge.models import LibraryItem, Written
from surveyor.knowledge.names import below, check_name, dotted, folder_files
from surveyor.knowledge.points import Entry, Points
from surveyor.knowledge.reading import Kind, ReadDocument, ReadJob
from surveyor.knowledge.writes import Writes, last_error
from surveyor.store.state.queue import Item, Leased
from surveyor.store.vectors import Space

if TYPE_CHECKING:
    from surveyor.store.state import State

NOTES = "notes"
SESSIONS = "sessions"
PACKAGES = "packages"
"""Tenants of one space for many: all packages share one, so that a search opens one shard."""
LIBRARY_PRIORITY = 3
"""Below files: reference documents can wait for the code."""
FILE_MAX_BYTES = 256 << 20
LISTED_PROBLEMS = 20
DOCUMENTS_PER_TRANSACTION = 50


@dataclass(slots=True)
class Libraries:
    """All documents."""

    state: State
    points: Points
    writes: Writes

    def space(self, library: str, kind: str) -> Space:
        """Where a library's points are."""
        tenant = {"package": PACKAGES, "notes": NOTES, "sessions": SESSIONS}.get(kind, library)
        return self.points.space("libraries", tenant)

    # --- what callers ask -----------------------------------------------------------------

    async def add(self, folder: str, name: str, mode: str, wait_ms: int) -> Written:
        """Register a folder and queue its scan. Raises `UsageError` for a bad name or folder."""
        check_name(name)
        root = Path(folder)
        if not root.is_dir():
            what = "is a file" if root.is_file() else "does not exist"
            raise UsageError(f"{root} {what}", "Give a folder; `library ingest` takes a file.")
        if "." in name:
            raise UsageError(
                f"a folder's library is named without dots, not {name!r}",
                "Its files get the dotted names: rust-book.chapter1.intro.",
            )
        known = await self.state.one("SELECT * FROM libraries WHERE name = ?", (name,))
        if known is not None and known["kind"] != "folder":
            raise UsageError(f"{name!r} is a library of {known['kind']}", "Choose another name.")
        if known is not None and known["source"] != str(root):
            raise UsageError(
                f"{name!r} is the library of {known['source']}",
                "Choose another name, or remove that library first.",
            )
        async with self.state.transaction() as tx:
            await tx.execute(
                """INSERT INTO libraries (name, kind, source, mode, created_at)
                   VALUES (?, 'folder', ?, ?, ?) ON CONFLICT (name) DO UPDATE SET
                     mode = excluded.mode, deleted_at = NULL""",
                (name, str(root), mode, now()),
            )
        item = Item("library", "scan", name, "libraries", {"folder": str(root)})
        written = await self.writes.submit([item], wait_ms, f"library {name}: {root}")
        if written.status == "done" and wait_ms:
            written.status = "done" if await self._settled(name, wait_ms) else "queued"
        return written

    async def ingest(self, facts: Facts, path: str | None, wait_ms: int) -> Written:
        """Queue one document. Raises `UsageError` for a bad name, an unreadable or empty one."""
        check_name(facts.name)
        if path is not None:
            file = Path(path)
            if not file.is_file():
                what = "is a folder" if file.is_dir() else "does not exist"
                raise UsageError(f"{file} {what}", "Give a file; `library add` takes a folder.")
            if format_of(file.name, await asyncio.to_thread(first_bytes, file)) is None:
                raise UsageError(
                    f"{file.name} is of no format that can be read",
                    f"formats: {', '.join(FORMATS)}",
                )
        elif not (facts.content or "").strip():
            raise UsageError("there is no text to store", "Give a file, or text on stdin with `-`.")
        known = await self.state.one("SELECT kind FROM libraries WHERE name = ?", (facts.library,))
        if known is not None and known["kind"] in ("package", "notes", "sessions"):
            raise UsageError(
                f"{facts.library!r} is reserved for {known['kind']}", "Choose another name."
            )
        payload: dict[str, Any] = {
            "library_name": facts.library,
            "name": facts.name,
            "source": facts.source,
            "title": facts.title,
            "url": facts.url,
            "topics": list(facts.topics),
            "metadata": dict(facts.metadata),
            "file_path": path,
            "content": facts.content,
        }
        if path is not None:
            try:
                stat = Path(path).stat()
            except OSError as error:
                raise NotFoundError(f"{path}: {error.strerror}", "Check the path.") from error
            payload["mtime_ns"], payload["size"] = stat.st_mtime_ns, stat.st_size
        tenant = f"{facts.project_id}.{facts.name}" if facts.project_id else facts.name
        item = Item("library", "ingest", tenant, "libraries", payload, priority=LIBRARY_PRIORITY)
        return await self.writes.submit([item], wait_ms, f"{tenant} is stored")

    async def mark(self, name: str, *, deleted: bool, purge: bool, wait_ms: int) -> Written:
        """Queue a delete mark, its removal, or a purge, for a library or below a dotted name."""
        count = await self.state.value(
            f"SELECT count(*) FROM library_documents d WHERE {below('d.name')}", (name, name + ".")
        )
        library = await self.state.one("SELECT * FROM libraries WHERE name = ?", (name,))
        if not count and library is None:
            names = await self.state.read(
                "SELECT name FROM libraries WHERE kind IN ('folder', 'documents') ORDER BY name"
            )
            listed = ", ".join(str(row[0]) for row in names)
            raise NotFoundError(
                f"there is no library {name!r}",
                f"Known: {listed}." if listed else "Add one with `surveyor library add`.",
            )
        op = "delete" if deleted else "update"
        item = Item("library", op, name, "libraries", {"purge": purge, "mark": deleted})
        done = "purged" if purge else "removed" if deleted else "restored"
        return await self.writes.submit([item], wait_ms, f"{name} is {done}")

    async def listed(
        self, project_id: str | None, *, packages: bool, include_deleted: bool
    ) -> list[LibraryItem]:
        """Libraries with their sizes."""
        rows = await self.state.read(
            """SELECT l.*, (SELECT count(*) FROM library_documents d WHERE d.library = l.name
                 AND d.deleted_at IS NULL AND d.evicted_at IS NULL) AS documents,
               (SELECT count(*) FROM library_pieces p JOIN library_documents d USING (document_id)
                 WHERE d.library = l.name) AS pieces,
               (SELECT coalesce(sum(length(p.text)), 0) FROM library_pieces p
                 JOIN library_documents d USING (document_id) WHERE d.library = l.name) AS bytes,
               EXISTS (SELECT 1 FROM project_packages u WHERE u.library = l.name
                 AND u.project_id = ?) AS used
               FROM libraries l ORDER BY l.kind, l.name""",
            (project_id,),
        )
        items = []
        for row in rows:
            if row["kind"] == "package" and not (packages and (row["used"] or not project_id)):
                continue
            if row["deleted_at"] and not include_deleted:
                continue
            items.append(await self._item(row))
        return items

    async def _item(self, row: sqlite3.Row) -> LibraryItem:
        name = str(row["name"])
        queued = await self.state.read(
            """SELECT status, errors, payload_json FROM unified_queue WHERE item_type = 'library'
               AND (tenant_id = ? OR substr(tenant_id, 1, ?) = ?)""",
            (name, len(name) + 1, name + "."),
        )
        problems = await self.state.read(
            "SELECT coalesce(file_path, name), problem FROM library_documents"
            " WHERE library = ? AND problem <> '' ORDER BY name LIMIT ?",
            (name, LISTED_PROBLEMS),
        )
        failed = [
            f"{json.loads(one['payload_json']).get('file_path') or name}: "
            + last_error(one["errors"])
            for one in queued
            if one["status"] == "failed"
        ]
        return LibraryItem(
            name=name,
            kind=row["kind"],
            source=row["source"],
            mode=row["mode"],
            documents=row["documents"],
            pieces=row["pieces"],
            bytes=row["bytes"],
            deleted=bool(row["deleted_at"]),
            synced_at=row["synced_at"],
            queued=sum(one["status"] != "failed" for one in queued),
            failed=[f"{one[0]}: {one[1]}" for one in problems] + failed[:LISTED_PROBLEMS],
        )

    async def _settled(self, name: str, wait_ms: int) -> bool:
        """Whether all documents of a library were read in time."""
        deadline = time.monotonic() + wait_ms / 1000
        while time.monotonic() < deadline:
            if not await self.state.value(
                "SELECT 1 FROM unified_queue WHERE item_type = 'library' AND status <> 'failed'"
                " AND (tenant_id = ? OR substr(tenant_id, 1, ?) = ?)",
                (name, len(name) + 1, name + "."),
            ):
                return True
            await asyncio.sleep(0.05)
        return False

    # --- the queue's side -----------------------------------------------------------------

    async def handle(self, item: Leased) -> None:
        """Carry out a queued item; doing it twice changes nothing more."""
        if item.op == "scan":
            await self.scan(item.tenant_id, item.payload["folder"])
        elif item.op in ("delete", "update") and "mark" in item.payload:
            await self._mark(item.tenant_id, item.payload)
        elif item.op == "delete":
            await self._file_gone(item.payload)
        elif "package" in item.payload:
            await self._read_package(item.payload["package"])
        else:
            await self.writes.earlier_first(item, name=item.payload["name"])
            await self._read_document(item)

    async def scan(self, name: str, folder: str) -> int:
        """Compare a folder with what is known and queue what differs; how much that is."""
        library = await self.state.one("SELECT * FROM libraries WHERE name = ?", (name,))
        if library is None or library["deleted_at"]:
            return 0
        files = await asyncio.to_thread(folder_files, Path(folder))
        if files is None:
            return 0  # the folder is out of reach: what is known stays
        rows = await self.state.read(
            "SELECT file_path, size, mtime_ns, deleted_at FROM library_documents"
            " WHERE library = ? AND file_path IS NOT NULL",
            (name,),
        )
        known = {str(row["file_path"]): row for row in rows}
        items = []
        for relative, (size, mtime_ns) in files.items():
            path = str(Path(folder, relative))
            row = known.get(path)
            if (
                row is not None
                and not row["deleted_at"]
                and (row["size"], row["mtime_ns"]) == (size, mtime_ns)
            ):
                continue
            payload = {
                "file_path": path,
                "library_name": name,
                "relative_path": relative,
                "name": dotted(name, relative, files),
                "kind": library["kind"],
                "size": size,
                "mtime_ns": mtime_ns,
            }
            items.append(
                Item("library", "ingest", name, "libraries", payload, priority=LIBRARY_PRIORITY)
            )
        if library["mode"] == "sync":
            present = {str(Path(folder, relative)) for relative in files}
            items += [
                Item("library", "delete", name, "libraries",
                     {"library_name": name, "file_path": path}, priority=LIBRARY_PRIORITY)
                for path, row in known.items() if path not in present and not row["deleted_at"]
            ]  # fmt: skip
        if items:
            await self.writes.submit(items, 0)
        async with self.state.transaction() as tx:
            await tx.execute("UPDATE libraries SET synced_at = ? WHERE name = ?", (now(), name))
        return len(items)

    async def _read_document(self, item: Leased) -> None:
        payload = item.payload
        content, path = payload.get("content"), payload.get("file_path")
        library = str(payload["library_name"])
        kind = str(payload.get("kind") or "document")
        head, _, rest = item.tenant_id.partition(".")
        project_id = head if rest and rest == payload["name"] else None
        if path is not None and not Path(path).is_file():
            return  # gone again: the next scan knows
        reader: Kind = payload.get("reader") or "document"
        job = ReadJob(
            reader,
            payload["name"],
            path=path or "",
            data=content.encode() if content is not None else None,
            format="markdown" if content is not None else None,
            max_bytes=FILE_MAX_BYTES,
        )
        problem = "there is no text in it"
        try:
            found = await self._read_parts(job)
        except SurveyorError as error:
            if "kind" not in payload:
                raise  # somebody asked for this one
            # It is remembered, not tried again, until the file changes.
            found, problem = None, error.message
        if found is not None and found.directory:
            project_id = await self._project_of(found.directory)
        facts = Facts(
            library=library,
            name=payload["name"],
            project_id=project_id,
            source=payload.get("source") or "file",
            title=payload.get("title"),
            url=payload.get("url"),
            topics=tuple(payload.get("topics") or ()),
            metadata=payload.get("metadata") or {},
            content=content,
        )
        kind = "documents" if kind == "document" else kind
        if found is None:
            await self._problem(facts, payload, problem)
            return
        found.mtime_ns = payload.get("mtime_ns") or found.mtime_ns
        found.size = payload.get("size") or found.size
        if not content and payload.get("source") in (None, "file"):
            found.path = path or ""
        await self.store(kind, [(facts, found)])

    async def _project_of(self, directory: str) -> str:
        """The project that a session was about; a folder that is gone keeps to itself."""
        from surveyor.project import describe, project_id

        folder = Path(directory)
        row = await self.state.one(
            "SELECT project_id FROM checkouts WHERE root = ? OR instr(?, root || '/') = 1"
            " ORDER BY length(root) DESC",
            (directory, directory),
        )
        if row is not None:
            return str(row["project_id"])
        if folder.is_dir():
            return (await asyncio.to_thread(describe, folder)).project_id
        return project_id(None, folder)

    async def _read_parts(self, job: ReadJob) -> ReadDocument | None:
        """A whole document, however many parts it is read in."""
        found = await self.points.read(job)
        if not found:
            return None
        document = found[0]
        more, part = document.more, 0
        while more:
            part += 1
            fields = {name: getattr(job, name) for name in job.__struct_fields__} | {"part": part}
            (next_part,) = await self.points.read(ReadJob(**fields))
            shift = len(document.pieces)
            document.pieces += [
                Piece(one.ordinal + shift, one.text, one.headings, one.page, one.start_line,
                      one.end_line)
                for one in next_part.pieces
            ]  # fmt: skip
            document.problems += next_part.problems
            more = next_part.more
        return document

    async def _read_package(self, package: Mapping[str, Any]) -> None:
        job = ReadJob(
            "package",
            package["name"],
            path=package["root"],
            ecosystem=package["ecosystem"],
            version=package["version"],
        )
        library = str(package["library"])
        found = await self.points.read(job)
        documents = [
            (Facts(library, f"{library}.{one.name}", source="package"), one) for one in found
        ]
        await self.store("package", documents, source=str(package["root"]))
        if not documents:  # known, so that it is not read again for every project
            await self._register(library, "package", str(package["root"]))

    async def _register(self, library: str, kind: str, source: str) -> None:
        at = now()
        async with self.state.transaction() as tx:
            await tx.execute(
                "INSERT OR IGNORE INTO libraries (name, kind, source, created_at, synced_at)"
                " VALUES (?, ?, ?, ?, ?)",
                (library, kind, source, at, at),
            )

    async def _problem(self, facts: Facts, payload: Mapping[str, Any], problem: str) -> None:
        """Remember a document that says nothing, so that it is not read at every scan."""
        empty = ReadDocument(
            facts.name, payload.get("file_path") or "", facts.name, "none", [], problems=[problem],
            size=payload.get("size") or 0, mtime_ns=payload.get("mtime_ns") or 0,
        )  # fmt: skip
        await self.store(str(payload.get("kind") or "documents"), [(facts, empty)])

    async def store(
        self,
        kind: str,
        documents: Sequence[tuple[Facts, ReadDocument]],
        source: str | None = None,
    ) -> None:
        """Make documents' points durable, then their rows; then drop what they replace."""
        if not documents:
            return
        library = documents[0][0].library
        space = self.space(library, kind)
        ids = [piece_ids(facts, found) for facts, found in documents]
        known = await self._existing({one for some in ids for one in some})
        entries = [
            entry
            for (facts, found), some in zip(documents, ids, strict=True)
            for entry in piece_entries(facts, found, some)
            if entry.id not in known
        ]
        await self.points.put(space, entries)
        outdated: list[str] = []
        at = now()
        for start in range(0, len(documents), DOCUMENTS_PER_TRANSACTION):
            async with self.state.transaction() as tx:
                await tx.execute(
                    "INSERT INTO libraries (name, kind, source, created_at, synced_at)"
                    " VALUES (?, ?, ?, ?, ?) ON CONFLICT (name) DO UPDATE SET deleted_at = NULL,"
                    " synced_at = excluded.synced_at",
                    (library, kind, source, at, at),
                )
                for (facts, found), some in list(zip(documents, ids, strict=True))[
                    start : start + DOCUMENTS_PER_TRANSACTION
                ]:
                    outdated += await write_document(tx, facts, found, some, at)
        await self.points.delete(space, outdated)

    async def _existing(self, ids: set[str]) -> set[str]:
        """Those of some points that are there with the same text already."""
        found: set[str] = set()
        listed = sorted(ids)
        for start in range(0, len(listed), 500):
            part = listed[start : start + 500]
            rows = await self.state.read(
                f"SELECT point_id FROM library_pieces WHERE point_id IN"
                f" ({','.join('?' * len(part))})",
                part,
            )
            found |= {str(row[0]) for row in rows}
        return found

    async def _file_gone(self, payload: Mapping[str, Any]) -> None:
        async with self.state.transaction() as tx:
            await tx.execute(
                "UPDATE library_documents SET deleted_at = ? WHERE library = ? AND file_path = ?"
                " AND deleted_at IS NULL",
                (now(), payload["library_name"], payload["file_path"]),
            )

    async def _mark(self, name: str, payload: Mapping[str, Any]) -> None:
        """Set, take away or carry out a delete mark."""
        at = now() if payload["mark"] else None
        if not payload["purge"]:
            async with self.state.transaction() as tx:
                await tx.execute(
                    f"UPDATE library_documents SET deleted_at = ? WHERE {below('name')}",
                    (at, name, name + "."),
                )
                await tx.execute("UPDATE libraries SET deleted_at = ? WHERE name = ?", (at, name))
            library = await self.state.one("SELECT * FROM libraries WHERE name = ?", (name,))
            if at is None and library is not None and library["kind"] == "folder":
                await self.scan(name, library["source"])
            return
        rows = await self.state.read(
            f"""SELECT d.document_id, d.library, coalesce(l.kind, 'documents') AS kind
                FROM library_documents d LEFT JOIN libraries l ON l.name = d.library
                WHERE {below("d.name")}""",
            (name, name + "."),
        )
        await self.drop([(row["document_id"], row["library"], row["kind"]) for row in rows])
        async with self.state.transaction() as tx:
            await tx.execute("DELETE FROM libraries WHERE name = ?", (name,))

    async def drop(self, documents: Iterable[tuple[int, str, str]]) -> None:
        """Remove documents (id, library, kind) for good."""
        for document_id, library, kind in documents:
            rows = await self.state.read(
                "SELECT point_id FROM library_pieces WHERE document_id = ?", (document_id,)
            )
            async with self.state.transaction() as tx:
                await tx.execute(
                    "DELETE FROM library_documents WHERE document_id = ?", (document_id,)
                )
            await self.points.delete(self.space(library, kind), [str(row[0]) for row in rows])

    async def entries(self, libraries: Sequence[str]) -> dict[str, Entry]:
        """What the points of some libraries should be."""
        rows = await self.state.read(
            f"""SELECT d.*, p.point_id, p.ordinal, p.headings, p.page_number, p.text
                FROM library_pieces p JOIN library_documents d USING (document_id)
                WHERE d.library IN ({",".join("?" * len(libraries))})""",
            list(libraries),
        )
        return {str(row["point_id"]): row_entry(row) for row in rows}


def first_bytes(path: Path) -> bytes:
    """Enough of a file to tell its format."""
    with path.open("rb") as file:
        return file.read(512)
