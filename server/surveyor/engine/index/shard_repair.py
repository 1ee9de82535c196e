"""Damaged shards: set aside and made again in the background, while the state answers."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable

from surveyor.engine.index.vector_rebuild import VectorRebuilder
from surveyor.engine.process.background import BackgroundTasks
from surveyor.engine.process.store_executor import OnStore
from surveyor.errors import SurveyorError
from surveyor.store.vectors.contract import VectorStore
from surveyor.store.vectors.edge import EdgeStore

log = logging.getLogger(__name__)

MOST_TIMES = 3
"""So often within `PERIOD_S` is an engine's index made again: a disk that goes on damaging it is
for the user to see to."""
PERIOD_S = 3600.0


class ShardRepair:
    """Rebuilds shards that a call of the store has found damaged, a limited number of times."""

    def __init__(
        self,
        vectors: VectorStore,
        on_store: OnStore,
        vector_rebuilder: VectorRebuilder,
        reconcile_knowledge: Callable[[], Awaitable[object]],
        tasks: BackgroundTasks,
    ) -> None:
        self._vectors = vectors
        self._on_store = on_store
        self._vector_rebuilder = vector_rebuilder
        self._reconcile_knowledge = reconcile_knowledge
        self._tasks = tasks
        self._times: list[float] = []
        self._running: asyncio.Task[None] | None = None
        self.problem = ""
        """What is damaged, until it has been made again; empty when nothing is."""

    def found(self, why: str) -> None:
        """A call of the store failed in a way that only damage explains."""
        self.problem = why
        self._vector_rebuilder.doubt()
        if (self._running is not None and not self._running.done()) or self._is_too_often():
            return
        self._running = self._tasks.spawn(self._mend())

    def _is_too_often(self) -> bool:
        now = time.monotonic()
        self._times = [each for each in self._times if now - each < PERIOD_S]
        return len(self._times) >= MOST_TIMES

    async def _mend(self) -> None:
        store = self._vectors
        if not isinstance(store, EdgeStore):
            return
        while not self._is_too_often():
            self._times.append(time.monotonic())
            for each in await self._on_store(store.damaged):
                if not each.is_newer:
                    moved = await self._on_store(store.quarantine, each)
                    log.warning("%s: %s; moved to %s", each.folder, each.reason, moved)
            before = self.problem
            try:
                await self._vector_rebuilder.reconcile_all()
                await self._reconcile_knowledge()
            except SurveyorError as error:
                log.warning("the index is not made again yet: %s", error.message)
                return
            if self.problem is before and not store.suspect:
                self.problem = ""
                log.info("what was damaged has been made again")
                return
