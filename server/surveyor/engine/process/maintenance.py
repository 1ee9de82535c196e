"""What the engine does now and then: end when nobody needs it, let go of what is not needed."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Sequence

from surveyor.engine.index.change_handler import ChangeHandler
from surveyor.engine.index.pipeline import Pipeline
from surveyor.engine.index.scanner import Scanner
from surveyor.engine.index.vector_rebuild import VectorRebuilder
from surveyor.engine.process.background import BackgroundTasks
from surveyor.engine.process.lifetime import Lifetime
from surveyor.engine.process.live_settings import LiveSettings
from surveyor.engine.process.sessions import Sessions
from surveyor.engine.process.store_executor import OnStore
from surveyor.engine.projects.registry import ProjectRegistry
from surveyor.errors import DiskFullError
from surveyor.process_memory import give_back_free_memory
from surveyor.store.state import State, compacting, documents
from surveyor.store.state.database import StateFullError
from surveyor.store.vectors.contract import (
    Space,
    StoreFullError,
    StoreUnreachableError,
    VectorStore,
)
from surveyor.store.vectors.edge import EdgeStore
from surveyor.units import format_size

log = logging.getLogger(__name__)

MAINTENANCE_S = 30.0
"""How often idle time, missing roots, retired vectors and dead points are looked at."""

QUIET_S = 20.0
"""So long nobody has asked anything when the state is written anew and memory is given back."""
VACUUM_PAUSE_S = 300.0
"""Between two looks at whether that is worth it."""
VECTORS_AT_ONCE = 2_000
"""Deleted in one transaction: an edit waits for some milliseconds."""


class Maintenance:
    """Looks after everything now and then, and ends an engine that nobody needs."""

    def __init__(
        self,
        state: State,
        vectors: VectorStore,
        on_store: OnStore,
        pipeline: Pipeline,
        projects: ProjectRegistry,
        change_handler: ChangeHandler,
        scanner: Scanner,
        vector_rebuilder: VectorRebuilder,
        sessions: Sessions,
        live_settings: LiveSettings,
        tasks: BackgroundTasks,
        lifetime: Lifetime,
        others: Sequence[Callable[[], Awaitable[None]]],
    ) -> None:
        """`others` are what else is to be done now and then; more may be added to it later."""
        self._state = state
        self._vectors = vectors
        self._on_store = on_store
        self._pipeline = pipeline
        self._projects = projects
        self._change_handler = change_handler
        self._scanner = scanner
        self._vector_rebuilder = vector_rebuilder
        self._sessions = sessions
        self._live_settings = live_settings
        self._tasks = tasks
        self._lifetime = lifetime
        self._others = others
        self._forgotten: set[str] = set()
        """Models of which no vector is kept."""
        self._vacuum_after = 0.0
        """By the monotonic clock: until then the state is not written anew."""
        self._is_given_back = False
        """Nobody asked anything since free memory was given back."""

    async def run(self) -> None:
        """Until the engine is idle, which ends it."""
        while True:
            limit = self._live_settings.settings.engine.idle_timeout
            pause = min(MAINTENANCE_S, max(0.2, limit / 4)) if limit else MAINTENANCE_S
            await asyncio.sleep(pause)
            if self.is_idle():
                self._lifetime.stop("idle")
                return
            try:
                await self._change_handler.purge_missing(
                    self._live_settings.settings.watching.missing_grace
                )
                await self._follow_settings()
                await self._scanner.retry()
                for keep_house in self._others:
                    await keep_house()
                await self._state.keep_spare()
                await self._find_lost()
                await self._compact()
                await self._give_back_memory()
            except (StoreUnreachableError, DiskFullError):
                continue  # said by `freshness`
            except Exception:
                log.exception("maintenance failed")

    async def _follow_settings(self) -> None:
        """See what events did not tell of a project's files, such as links to other places."""
        for checkout in await self._projects.all():
            if not await self._projects.looks.answers(checkout.root):
                continue
            await asyncio.to_thread(self._live_settings.walk, checkout.root)
            await self._scanner.follow_settings(checkout)

    def is_idle(self) -> bool:
        """Whether nobody needs the engine, for longer than the idle time."""
        limit = self._live_settings.settings.engine.idle_timeout
        if not limit or self._sessions.lasting():
            return False
        return not self._pipeline.running and self._lifetime.untouched_s > limit

    async def _find_lost(self) -> None:
        """Make again what somebody has deleted beneath the running engine."""
        if not isinstance(self._vectors, EdgeStore):
            return
        if await self._on_store(self._vectors.close_deleted):
            await self._vector_rebuilder.expect()
            await self._vector_rebuilder.count()
            self._tasks.spawn(self._vector_rebuilder.reconcile_all())

    async def _compact(self) -> None:
        """Reclaim dead points and vectors that no text has any more, when nothing is queued.

        Until then only points that are too many to be kept in memory are made compact.
        """
        if self._pipeline.disk_room.stopped_reason:
            return
        if self._pipeline.running:
            await self._optimize(self._vectors.is_crowded, whole=False)
            return
        await self._optimize(self._vectors.needs_optimizing, whole=True)
        await self._forget_vectors()
        if await documents.has_superfluous_vectors(self._state):
            async with self._state.transaction() as tx:
                await documents.delete_unused_vectors(tx)
        await self._compact_state()
        await self._state.shorten_log()

    async def _optimize(self, is_needed: Callable[[Space], bool], *, whole: bool) -> None:
        for space in await self._on_store(self._vectors.spaces):
            if await self._on_store(is_needed, space):
                try:
                    await asyncio.to_thread(self._vectors.optimize, space, whole=whole)
                except StoreFullError as error:  # said by `doctor`
                    log.warning("%s", error.message)

    async def _compact_state(self) -> None:
        """Give the room back that the state does not need, while nobody asks or writes."""
        now = time.monotonic()
        if self._lifetime.untouched_s < QUIET_S or now < self._vacuum_after:
            return
        least_free = self._live_settings.settings.storage.least_free
        wanted = await compacting.plan(self._state, least_free)
        self._vacuum_after = now + VACUUM_PAUSE_S
        if wanted is None:
            return
        if wanted.lacking:
            log.info(
                "state.db keeps its free pages: to write it anew takes %s for a moment, and %s has"
                " too little room",
                format_size(wanted.bytes * 2),
                " and ".join(map(str, wanted.lacking)),
            )
            return
        try:
            done = await compacting.compact_at_rest(self._state)
        except StateFullError as error:
            log.warning("%s", error.sentence)
            return
        if done:
            log.info("the state was written anew: %s", format_size(wanted.bytes))

    async def _give_back_memory(self) -> None:
        """Hand back what questions have freed, once when nobody asks or writes any more."""
        if self._lifetime.untouched_s < QUIET_S or self._pipeline.running:
            self._is_given_back = False
        elif not self._is_given_back:
            self._is_given_back = True
            await asyncio.to_thread(give_back_free_memory)

    async def _forget_vectors(self) -> None:
        """Delete what an earlier version kept of a model whose vectors need not be kept."""
        model = self._pipeline.committer.model
        if model.is_remembered or model.fingerprint in self._forgotten:
            return
        while await documents.has_vectors_of(self._state, model.fingerprint):
            if self._pipeline.running:
                return
            async with self._state.transaction() as tx:
                await documents.delete_vectors_of(tx, model.fingerprint, VECTORS_AT_ONCE)
        self._forgotten.add(model.fingerprint)
