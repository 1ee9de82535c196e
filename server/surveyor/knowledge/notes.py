"""Notes and agents' sessions: folders that are always searchable, read as they change.

The files themselves are never touched. Copies of notes go only when their files do; sessions age.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from surveyor.config.settings import MemorySection
from surveyor.knowledge.dates import now
from surveyor.knowledge.document_reading import ReaderKind
from surveyor.knowledge.foreign_files import matching
from surveyor.knowledge.library_queue import LIBRARY_PRIORITY
from surveyor.knowledge.library_store import NOTES, SESSIONS
from surveyor.knowledge.names import dotted, folder_files
from surveyor.knowledge.write_queue import WriteQueue
from surveyor.store.state import State
from surveyor.store.state import libraries as library_table
from surveyor.store.state.queue import NewQueueItem

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class NoteFile:
    """A file that belongs in the index of notes or sessions."""

    library: str
    kind: str
    name: str
    path: str
    reader: ReaderKind
    size: int
    mtime_ns: int


@dataclass(slots=True)
class Notes:
    """Watches the folders by looking at them now and then: there are few, and they are small."""

    state: State
    writes: WriteQueue
    settings: Callable[[], MemorySection]
    default_folder: Path

    def folder(self) -> Path:
        """Where notes are."""
        chosen = self.settings().notes
        return Path(chosen).expanduser() if chosen else self.default_folder

    async def scan(self) -> int:
        """Queue what is new or changed, mark what is gone; returns how many."""
        found = await asyncio.to_thread(lambda: list(self._sources()))
        documents = await library_table.document_files(self.state, (NOTES, SESSIONS))
        known = {(one.library, one.name): one for one in documents}
        items = []
        for source in found:
            one = known.pop((source.library, source.name), None)
            if (
                one is not None
                and not one.deleted_at
                and not (one.evicted_at and source.kind == NOTES)  # by an earlier version
                and (one.size, one.mtime_ns) == (source.size, source.mtime_ns)
            ):
                continue
            items.append(_item(source))
        if items:
            await self.writes.submit(items, 0)
        gone = [one for one in known.values() if not one.deleted_at]
        # Sessions stay when their originals are cleaned up: they cannot be harvested again.
        gone = [one for one in gone if one.library == NOTES]
        if gone and not await asyncio.to_thread(self.folder().is_dir):
            gone = []  # on a drive that is not there: what is known of them stays
        if gone:
            async with self.state.transaction() as tx:
                await library_table.mark_names_deleted(
                    tx, [(one.library, one.name) for one in gone], now()
                )
        return len(items) + len(gone)

    def _sources(self) -> Iterator[NoteFile]:
        folder = self.folder()
        files = folder_files(folder) or {}
        for relative, (size, mtime_ns) in files.items():
            name = dotted(NOTES, relative, files)
            yield NoteFile(NOTES, NOTES, name, str(folder / relative), "document", size, mtime_ns)
        settings = self.settings()
        if not settings.harvest:
            return
        places: list[tuple[ReaderKind, Path, str]] = [
            ("claude-code", Path(settings.claude_code).expanduser(), "*/*.jsonl"),
            ("opencode", Path(settings.opencode).expanduser() / "session", "*/*.json"),
        ]
        places += [("markdown", Path(one).expanduser(), "**/*.md") for one in settings.transcripts]
        for kind, place, pattern in places:
            for path in matching(place, pattern):
                if (stat := _stat(path)) is not None:
                    size, mtime_ns = stat
                    digest = hashlib.sha256(os.fsencode(path)).hexdigest()[:12]
                    name = f"{SESSIONS}.{kind}.{digest}"
                    yield NoteFile(SESSIONS, SESSIONS, name, str(path), kind, size, mtime_ns)


def _stat(path: Path) -> tuple[int, int] | None:
    try:
        stat = path.stat()
    except OSError:
        return None
    return (stat.st_size, stat.st_mtime_ns) if stat.st_size else None


def _item(source: NoteFile) -> NewQueueItem:
    payload = {
        "library_name": source.library,
        "kind": source.kind,
        "name": source.name,
        "file_path": source.path,
        "reader": source.reader,
        "source": "session" if source.library == SESSIONS else "file",
        "size": source.size,
        "mtime_ns": source.mtime_ns,
    }
    return NewQueueItem(
        "library", "ingest", source.name, "libraries", payload, priority=LIBRARY_PRIORITY + 1
    )
