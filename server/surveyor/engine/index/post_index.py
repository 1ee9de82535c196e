"""What follows the end of an index run: queries get ready, and the shard compact."""

from __future__ import annotations

import asyncio
import contextlib
import logging

from surveyor.engine.index.pipeline import Pipeline
from surveyor.engine.index.runs import IndexRun
from surveyor.engine.process.background import BackgroundTasks
from surveyor.engine.process.store_executor import OnStore
from surveyor.engine.projects.registry import ProjectRegistry
from surveyor.errors import NotFoundError, SurveyorError
from surveyor.search.pipeline import Searcher
from surveyor.store.state import State
from surveyor.store.vectors.contract import VectorStore

log = logging.getLogger(__name__)

QUIET_S = 4.0
"""Nothing was written for so long before a shard is made compact: whoever edits would wait while
it is copied. Until then it takes 40 MB of memory instead of 11 (30,000 chunks)."""


class PostIndexWork:
    """Prepares what was just indexed for queries."""

    def __init__(
        self,
        state: State,
        vectors: VectorStore,
        on_store: OnStore,
        pipeline: Pipeline,
        projects: ProjectRegistry,
        searcher: Searcher,
        tasks: BackgroundTasks,
    ) -> None:
        self._state = state
        self._vectors = vectors
        self._on_store = on_store
        self._pipeline = pipeline
        self._projects = projects
        self._searcher = searcher
        self._tasks = tasks
        self._compacting: set[str] = set()

    def compacting(self, checkout_id: str) -> bool:
        """Whether what was written of a checkout is still to be made compact."""
        return checkout_id in self._compacting

    def ended(self, checkout_id: str, run: IndexRun) -> None:
        """A run is at its end. Nothing follows where nobody asked for it and it found nothing."""
        if run.asked or run.chunks:
            self._searcher.prepare(checkout_id)
        if run.chunks:
            self._tasks.spawn(self._compact(checkout_id))

    async def _compact(self, checkout_id: str) -> None:
        self._compacting.add(checkout_id)
        try:
            await self._compact_when_quiet(checkout_id)
        finally:
            self._compacting.discard(checkout_id)

    async def _compact_when_quiet(self, checkout_id: str) -> None:
        version = -1
        while version != self._state.catalog_version:
            version = self._state.catalog_version
            await asyncio.sleep(QUIET_S)
        if self._pipeline.running or self._pipeline.disk_room.stopped_reason:
            return  # maintenance looks again
        with contextlib.suppress(NotFoundError):
            space = self._pipeline.committer.space(
                (await self._projects.get(checkout_id)).project_id
            )
            try:
                if await self._on_store(self._vectors.needs_optimizing, space):
                    await asyncio.to_thread(self._vectors.optimize, space)
            except SurveyorError as error:
                log.warning("an index was not made compact: %s", error.message)
