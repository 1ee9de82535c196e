"""The queue's side of libraries: folders compared, documents read by the workers, marks set."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from surveyor.errors import SurveyorError
from surveyor.git.project import describe, project_id
from surveyor.knowledge.dates import now
from surveyor.knowledge.document_reading import (
    ReadDocument,
    ReadDocuments,
    ReaderKind,
    ReadJob,
    read_whole,
)
from surveyor.knowledge.documents import DocumentFacts
from surveyor.knowledge.library_store import LibraryStore
from surveyor.knowledge.names import dotted, folder_files
from surveyor.knowledge.write_queue import WriteQueue
from surveyor.store.state import State, checkout_roots, web_pages
from surveyor.store.state import libraries as library_table
from surveyor.store.state.queue import LeasedItem, NewQueueItem

LIBRARY_PRIORITY = 3
"""Below files: reference documents can wait for the code."""
FILE_MAX_BYTES = 256 << 20


@dataclass(frozen=True, slots=True)
class LibraryQueue:
    """Carries out what was queued for libraries."""

    state: State
    read: ReadDocuments
    writes: WriteQueue
    store: LibraryStore

    async def handle(self, item: LeasedItem) -> None:
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
        library = await library_table.find_library(self.state, name)
        if library is None or library.deleted_at:
            return 0
        files = await asyncio.to_thread(folder_files, Path(folder))
        if files is None:
            return 0  # the folder is out of reach: what is known stays
        documents = await library_table.document_files(self.state, [name])
        known = {one.file_path: one for one in documents if one.file_path is not None}
        items = []
        for relative, (size, mtime_ns) in files.items():
            path = str(Path(folder, relative))
            one = known.get(path)
            if (
                one is not None
                and not one.deleted_at
                and not one.evicted_at  # by an earlier version: nothing of a folder goes now
                and (one.size, one.mtime_ns) == (size, mtime_ns)
            ):
                continue
            payload = {
                "file_path": path,
                "library_name": name,
                "relative_path": relative,
                "name": dotted(name, relative, files),
                "kind": library.kind,
                "size": size,
                "mtime_ns": mtime_ns,
            }
            items.append(
                NewQueueItem(
                    "library", "ingest", name, "libraries", payload, priority=LIBRARY_PRIORITY
                )
            )
        if library.mode == "sync":
            present = {str(Path(folder, relative)) for relative in files}
            items += [
                NewQueueItem("library", "delete", name, "libraries",
                     {"library_name": name, "file_path": path}, priority=LIBRARY_PRIORITY)
                for path, one in known.items() if path not in present and not one.deleted_at
            ]  # fmt: skip
        if items:
            await self.writes.submit(items, 0)
        async with self.state.transaction() as tx:
            await library_table.set_synced(tx, name, now())
        return len(items)

    async def _read_document(self, item: LeasedItem) -> None:
        payload = item.payload
        content, path = payload.get("content"), payload.get("file_path")
        library = str(payload["library_name"])
        kind = str(payload.get("kind") or "document")
        head, _, rest = item.tenant_id.partition(".")
        project_id = head if rest and rest == payload["name"] else None
        if path is not None and not Path(path).is_file():
            return  # gone again: the next scan knows
        reader: ReaderKind = payload.get("reader") or "document"
        job = ReadJob(
            reader,
            payload["name"],
            path=path or "",
            data=content.encode() if content is not None else None,
            format="markdown" if content is not None else None,
            max_bytes=FILE_MAX_BYTES,
        )
        problem, unread = "there is no text in it", False
        try:
            found = await read_whole(self.read, job)
        except SurveyorError as error:
            if "kind" not in payload:
                raise  # somebody asked for this one
            # It is remembered, not tried again, until the file changes.
            found, problem, unread = None, error.message, True
        if found is not None and found.directory:
            project_id = await self._project_of(found.directory)
        facts = DocumentFacts(
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
            # What was read of it before stays until the file can be read again.
            if not (unread and await self._is_kept(facts, payload, problem)):
                await self._problem(facts, payload, problem)
            return
        found.mtime_ns = payload.get("mtime_ns") or found.mtime_ns
        found.size = payload.get("size") or found.size
        if not content and payload.get("source") in (None, "file"):
            found.path = path or ""
        await self.store.store(kind, [(facts, found)])

    async def _project_of(self, directory: str) -> str:
        """The project that a session was about; a folder that is gone keeps to itself."""
        folder = Path(directory)
        known = await checkout_roots.project_around(self.state, directory)
        if known is not None:
            return known
        if folder.is_dir():
            return (await asyncio.to_thread(describe, folder)).project_id
        return project_id(None, folder)

    async def _read_package(self, package: Mapping[str, Any]) -> None:
        job = ReadJob(
            "package",
            package["name"],
            path=package["root"],
            ecosystem=package["ecosystem"],
            version=package["version"],
        )
        library = str(package["library"])
        found = await self.read(job)
        documents = [
            (DocumentFacts(library, f"{library}.{one.name}", source="package"), one)
            for one in found
        ]
        await self.store.store("package", documents, source=str(package["root"]))
        if not documents:  # known, so that it is not read again for every project
            await self.store.register(library, "package", str(package["root"]))

    async def _problem(
        self, facts: DocumentFacts, payload: Mapping[str, Any], problem: str
    ) -> None:
        """Remember a document that says nothing, so that it is not read at every scan."""
        empty = ReadDocument(
            facts.name, payload.get("file_path") or "", facts.name, "none", [], problems=[problem],
            size=payload.get("size") or 0, mtime_ns=payload.get("mtime_ns") or 0,
        )  # fmt: skip
        await self.store.store(str(payload.get("kind") or "documents"), [(facts, empty)])

    async def _is_kept(
        self, facts: DocumentFacts, payload: Mapping[str, Any], problem: str
    ) -> bool:
        """Note why a file cannot be read beside what it said before; whether there is that."""
        async with self.state.transaction() as tx:
            return await library_table.note_unread(
                tx,
                facts.library,
                facts.project_id,
                facts.name,
                problem=f"{problem}; what it said before is kept",
                size=payload.get("size") or 0,
                mtime_ns=payload.get("mtime_ns") or 0,
            )

    async def _file_gone(self, payload: Mapping[str, Any]) -> None:
        async with self.state.transaction() as tx:
            await library_table.mark_file_deleted(
                tx, payload["library_name"], payload["file_path"], now()
            )

    async def _mark(self, name: str, payload: Mapping[str, Any]) -> None:
        """Set, take away or carry out a delete mark."""
        at = now() if payload["mark"] else None
        if not payload["purge"]:
            async with self.state.transaction() as tx:
                await library_table.mark_deleted(tx, name, at)
                await web_pages.set_removed(tx, name, is_removed=at is not None)
            library = await library_table.find_library(self.state, name)
            if at is None and library is not None and library.kind == "folder" and library.source:
                await self.scan(name, library.source)
            return
        await self.store.drop(await library_table.documents_below(self.state, name))
        async with self.state.transaction() as tx:
            await library_table.delete_library(tx, name)
            await web_pages.forget(tx, name)
