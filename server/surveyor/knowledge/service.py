"""All of knowledge, put together for an engine: rules, libraries, notes, history, limits."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from surveyor.config.settings import Settings
from surveyor.embedding.contract import Embedder
from surveyor.knowledge.document_reading import ReadDocuments
from surveyor.knowledge.document_search import DocumentSearch
from surveyor.knowledge.eviction import Evictor
from surveyor.knowledge.history.index import History
from surveyor.knowledge.history.line_history_cache import LineHistoryCache
from surveyor.knowledge.libraries import Libraries
from surveyor.knowledge.library_queue import LibraryQueue
from surveyor.knowledge.library_store import LibraryStore
from surveyor.knowledge.limits import GATHERED, StorageLimits
from surveyor.knowledge.memory import Memory
from surveyor.knowledge.notes import Notes
from surveyor.knowledge.points import EmbedTexts, PointEntry, Points
from surveyor.knowledge.retention import Retention
from surveyor.knowledge.rule_rows import GLOBAL
from surveyor.knowledge.settings_guard import LimitGuard
from surveyor.knowledge.write_queue import WriteQueue
from surveyor.store.state import State, queue
from surveyor.store.state import history as commit_table
from surveyor.store.state import libraries as library_table
from surveyor.store.state import rules as rule_table
from surveyor.store.vectors.contract import Space, VectorStore

log = logging.getLogger(__name__)

SETTLED_POLL_S = 0.05
Entries = Callable[[], Awaitable[dict[str, PointEntry]]]


@dataclass(slots=True)
class Knowledge:
    """The parts of knowledge, put together for the operations."""

    state: State
    points: Points
    writes: WriteQueue
    memory: Memory
    libraries: Libraries
    library_queue: LibraryQueue
    library_store: LibraryStore
    document_search: DocumentSearch
    history: History
    changes: LineHistoryCache
    notes: Notes
    guard: LimitGuard
    retention: Retention
    _scanning: asyncio.Lock = field(default_factory=asyncio.Lock)

    @classmethod
    def assemble(
        cls,
        *,
        state: State,
        vectors: VectorStore,
        on_store: Callable[..., Awaitable[Any]],
        ask_store: Callable[..., Awaitable[Any]],
        embed: EmbedTexts,
        read: ReadDocuments,
        model: Callable[[], tuple[str, int]],
        embedder: Callable[[Space], Awaitable[Embedder | None]],
        settings: Callable[[], Settings],
        are_settings_whole: Callable[[], bool],
        wake_queue: Callable[[], None],
        data_dir: Path,
    ) -> Knowledge:
        """All parts, each with what it needs.

        `on_store` runs a call of the vector store, `ask_store` a question that somebody waits
        for, `embed` and `read` are done by the workers,
        `model` is fingerprint and dimension of the model in use, `embedder` the model of a space.
        `are_settings_whole` says whether every setting of the user could be read.
        """
        points = Points(
            vectors=vectors,
            on_store=on_store,
            ask_store=ask_store,
            embed_texts=embed,
            model=model,
            embedder=embedder,
        )

        def limits() -> StorageLimits:
            storage = settings().storage
            own = {kind: getattr(storage, f"max_{kind}") for kind in GATHERED}
            return StorageLimits(
                storage.max_size,
                storage.retention,
                storage.least_free,
                {kind: size for kind, size in own.items() if size is not None},
            )

        writes = WriteQueue(state, data_dir, limits, wake_queue)
        library_store = LibraryStore(state, points)
        history = History(
            state,
            points,
            writes,
            initial=lambda: settings().history.initial,
            summaries=lambda: settings().history.summaries,
        )
        guard = LimitGuard(state)
        return cls(
            state=state,
            points=points,
            writes=writes,
            memory=Memory(state, points, writes),
            libraries=Libraries(state, writes),
            library_queue=LibraryQueue(state, read, writes, library_store),
            library_store=library_store,
            document_search=DocumentSearch(state, library_store),
            history=history,
            changes=LineHistoryCache(),
            notes=Notes(state, writes, lambda: settings().memory, data_dir / "notes"),
            guard=guard,
            retention=Retention(
                state,
                Evictor(state, writes, library_store, history),
                guard,
                limits,
                are_settings_whole,
                data_dir,
            ),
        )

    async def scan(self) -> int:
        """Queue what has changed on disk: notes, sessions, folders of libraries; how much."""
        async with self._scanning:
            changed = await self.notes.scan()
            for name, folder in await library_table.folders(self.state):
                changed += await self.library_queue.scan(name, folder)
            return changed

    async def maintain(self) -> int:
        """Look at what changed, mend what is derived, keep the limits; how much was let go."""
        await self.scan()
        if await self._waiting():
            return 0
        async with self._scanning:
            await self.reconcile()
            return await self.retention.enforce_limits()

    async def settled(self, timeout_s: float) -> bool:
        """Whether everything queued was carried out in time."""
        deadline = time.monotonic() + timeout_s
        while await self._waiting():
            if time.monotonic() >= deadline:
                return False
            await asyncio.sleep(SETTLED_POLL_S)
        return True

    async def _waiting(self) -> bool:
        return await queue.is_waiting_outside(self.state, "projects")

    async def reconcile(self) -> int:
        """Make the points equal to the rows: after a crash, a new model or a changed id."""
        made = 0
        kept: set[Space] = set()
        for space, count, entries in await self._expected():
            kept.add(space)
            if not await self._has(space, count):
                made += await self.points.reconcile(space, await entries())
        for space in await self.points.spaces():
            if space.collection != "projects" and space not in kept:
                await self.points.on_store(self.points.vectors.drop, space)
        if made:
            log.info("%d knowledge points were made again", made)
        return made

    async def _expected(self) -> list[tuple[Space, int, Entries]]:
        """Every space there should be: how many points, and how to make them."""
        found: list[tuple[Space, int, Entries]] = []
        for owner, rules in await rule_table.count_rules_by_project(self.state):
            space = self.points.space("memory", owner or GLOBAL)
            found.append((space, rules, partial(self.memory.entries, owner)))
        for project, commits in await commit_table.count_commits_by_project(self.state):
            space = self.history.space(project)
            found.append((space, commits, partial(self.history.entries, project)))
        shared: dict[Space, tuple[list[str], int]] = {}
        for library, kind, chunks in await library_table.count_chunks(self.state):
            space = self.library_store.space(library, kind)
            names, count = shared.setdefault(space, ([], 0))
            names.append(library)
            shared[space] = (names, count + chunks)
        for space, (names, count) in shared.items():
            found.append((space, count, partial(self.library_store.entries, names)))
        return found

    async def stored_entries(self) -> list[tuple[Space, Entries]]:
        """Every space there should be, and how to make its points of what is stored."""
        return [(space, entries) for space, _, entries in await self._expected()]

    async def _has(self, space: Space, count: int) -> bool:
        if space not in await self.points.spaces():
            return False
        return bool(await self.points.on_store(self.points.vectors.count, space) == count)
