"""Libraries: reference documents under hierarchical names, read by the workers, kept as points.

A library is a folder (`sync` mirrors deletions, `incremental` ignores them), a set of single
documents, an installed package, or one of the reserved tenants for notes and sessions. Here is
what callers ask; `library_queue` carries it out, `library_store` keeps it.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

from surveyor.errors import NotFoundError, Quoting, UsageError
from surveyor.files.safe_read import read_up_to
from surveyor.formats.formats import FORMATS, format_of
from surveyor.knowledge.dates import now
from surveyor.knowledge.documents import DocumentFacts
from surveyor.knowledge.library_queue import LIBRARY_PRIORITY
from surveyor.knowledge.names import check_name
from surveyor.knowledge.write_queue import WriteQueue, last_error
from surveyor.protocol.knowledge import LibraryItem, Written
from surveyor.secrets import mask_text, mask_values
from surveyor.secrets.files import is_private_key, is_secret_file
from surveyor.store.state import State, queue, web_pages
from surveyor.store.state import libraries as library_table
from surveyor.store.state.libraries import LibrarySize
from surveyor.store.state.queue import NewQueueItem

LISTED_PROBLEMS = 20


@dataclass(frozen=True, slots=True)
class Libraries:
    """Adds, lists, removes and restores libraries; writes go through the queue."""

    state: State
    writes: WriteQueue

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
        known = await library_table.find_library(self.state, name)
        if known is not None and known.kind != "folder":
            raise UsageError(f"{name!r} is a library of {known.kind}", "Choose another name.")
        if known is not None and known.source != str(root):
            raise UsageError(
                f"{name!r} is the library of {known.source}",
                "Choose another name, or remove that library first.",
            )
        async with self.state.transaction() as tx:
            await library_table.add_folder(tx, name, str(root), mode, now())
        item = NewQueueItem("library", "scan", name, "libraries", {"folder": str(root)})
        written = await self.writes.submit([item], wait_ms, f"library {name}: {root}")
        if written.status == "done" and wait_ms:
            written.status = "done" if await self._settled(name, wait_ms) else "queued"
        return written

    async def ingest(self, facts: DocumentFacts, path: str | None, wait_ms: int) -> Written:
        """Queue one document. Raises `UsageError` for a bad name, an unreadable or empty one."""
        check_name(facts.name)
        if path is not None:
            file = Path(path)
            if not file.is_file():
                what = "is a folder" if file.is_dir() else "does not exist"
                raise UsageError(f"{file} {what}", "Give a file; `library add` takes a folder.")
            if is_secret_file(str(file)) or is_secret_file(str(file.resolve())):
                raise UsageError(
                    f"{file.name} is a file that holds secrets, and is not read",
                    "Store what you want to find again in a file without them.",
                )
            if is_private_key(await asyncio.to_thread(_first_bytes, file)):
                raise UsageError(f"{file.name} is a private key, and is not read")
            if format_of(file.name, await asyncio.to_thread(_first_bytes, file)) is None:
                raise UsageError(
                    f"{file.name} is of no format that can be read",
                    f"formats: {', '.join(FORMATS)}",
                )
        elif not (facts.content or "").strip():
            raise UsageError("there is no text to store", "Give a file, or text on stdin with `-`.")
        known = await library_table.find_library(self.state, facts.library)
        if known is not None and known.kind in ("package", "notes", "sessions"):
            raise UsageError(
                f"{facts.library!r} is reserved for {known.kind}", "Choose another name."
            )
        # Before it waits in the queue: what is written there stays in the log of the database.
        payload: dict[str, Any] = {
            "library_name": facts.library,
            "name": facts.name,
            "source": facts.source,
            "title": _masked(facts.title),
            "url": _masked(facts.url),
            "topics": [mask_text(topic) for topic in facts.topics],
            "metadata": mask_values(dict(facts.metadata)),
            "file_path": path,
            "content": _masked(facts.content),
        }
        if path is not None:
            try:
                stat = Path(path).stat()
            except OSError as error:
                raise NotFoundError(f"{path}: {error.strerror}", "Check the path.") from error
            payload["mtime_ns"], payload["size"] = stat.st_mtime_ns, stat.st_size
        tenant = f"{facts.project_id}.{facts.name}" if facts.project_id else facts.name
        item = NewQueueItem(
            "library", "ingest", tenant, "libraries", payload, priority=LIBRARY_PRIORITY
        )
        return await self.writes.submit([item], wait_ms, f"{tenant} is stored")

    async def free_name(
        self,
        name: str,
        project_id: str | None,
        *,
        path: str | None,
        url: str | None,
        content: str | None,
    ) -> str:
        """A document's name, numbered where the plain one is that of another document."""
        library = name.partition(".")[0]
        for number in count(1):
            candidate = name if number == 1 else f"{name}-{number}"
            origin = await library_table.document_origin(self.state, library, project_id, candidate)
            tenant = f"{project_id}.{candidate}" if project_id else candidate
            waiting = await self.writes.pending("library", tenant, name=candidate)
            others = [origin._asdict()] if origin is not None else []
            others += [each for each in waiting if each["op"] == "ingest"]
            wanted = {"file_path": path, "url": url, "content": content}
            if all(_is_same(each, wanted) for each in others):
                return candidate
        raise AssertionError

    async def mark(self, name: str, *, deleted: bool, purge: bool, wait_ms: int) -> Written:
        """Queue a delete mark, its removal, or a purge, for a library or below a dotted name."""
        count = await library_table.count_documents(self.state, name)
        library = await library_table.find_library(self.state, name)
        if not count and library is None:
            listed = ", ".join(await library_table.chosen_names(self.state))
            raise NotFoundError(
                f"there is no library {name!r}",
                Quoting(f"Known: {listed}.") if listed else "Add one with `surveyor library add`.",
            )
        op = "delete" if deleted else "update"
        item = NewQueueItem("library", op, name, "libraries", {"purge": purge, "mark": deleted})
        done = "purged" if purge else "removed" if deleted else "restored"
        return await self.writes.submit([item], wait_ms, f"{name} is {done}")

    async def listed(
        self, project_id: str | None, *, packages: bool, include_deleted: bool
    ) -> list[LibraryItem]:
        """Libraries with their sizes."""
        items = []
        for one in await library_table.library_sizes(self.state, project_id):
            library = one.library
            if library.kind == "package" and not (packages and (one.is_used or not project_id)):
                continue
            if library.deleted_at and not include_deleted:
                continue
            items.append(await self._item(one))
        return items

    async def _item(self, size: LibrarySize) -> LibraryItem:
        library = size.library
        name = library.name
        queued = await queue.items_below(self.state, "library", name)
        problems = await library_table.problems_of(self.state, name, LISTED_PROBLEMS)
        failed = [
            f"{one.payload.get('file_path') or name}: {last_error(one.errors)}"
            for one in queued
            if one.status == "failed"
        ]
        is_web = await web_pages.crawl_of(self.state, name) is not None
        if is_web:
            problems += await web_pages.problems_of_pages(self.state, name, LISTED_PROBLEMS)
        return LibraryItem(
            web=is_web,
            name=name,
            kind=library.kind,
            source=library.source,
            mode=library.mode,
            documents=size.documents,
            pieces=size.chunks,
            bytes=size.text_bytes,
            deleted=bool(library.deleted_at),
            synced_at=library.synced_at,
            evicted=size.evicted,
            queued=sum(one.status != "failed" for one in queued),
            failed=[f"{path}: {why}" for path, why in problems] + failed[:LISTED_PROBLEMS],
        )

    async def _settled(self, name: str, wait_ms: int) -> bool:
        """Whether all documents of a library were read in time."""
        deadline = time.monotonic() + wait_ms / 1000
        while time.monotonic() < deadline:
            if not await queue.is_waiting_below(self.state, "library", name):
                return True
            await asyncio.sleep(0.05)
        return False


def _is_same(known: Mapping[str, Any], wanted: Mapping[str, Any]) -> bool:
    """Whether a document comes from the same file or page as another, or has the same text."""
    said = [key for key in ("url", "file_path", "content") if known.get(key)]
    return not said or known[said[0]] == wanted[said[0]]


def _masked(text: str | None) -> str | None:
    return None if text is None else mask_text(text)


def _first_bytes(path: Path) -> bytes:
    """Enough of a file to tell its format."""
    return read_up_to(path, 511)[0]
