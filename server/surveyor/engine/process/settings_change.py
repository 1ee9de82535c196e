"""What follows a change of the settings while the engine runs."""

from __future__ import annotations

import logging
import math
from collections.abc import Awaitable, Callable
from hashlib import blake2b

from surveyor.config import Settings
from surveyor.engine.index.model_in_use import ModelChange, ModelInUse
from surveyor.engine.index.pipeline import Pipeline
from surveyor.engine.index.scanner import Scanner
from surveyor.engine.process.background import BackgroundTasks
from surveyor.engine.process.live_settings import LiveSettings
from surveyor.engine.projects.freshness import IndexFreshness
from surveyor.engine.projects.registry import ProjectRegistry
from surveyor.errors import SurveyorError
from surveyor.worker.index_version import index_version
from surveyor.worker.messages import WorkerSetup
from surveyor.worker.pool import WorkerPool

log = logging.getLogger(__name__)

VERSION_BYTES = 6


def version_of(settings: Settings) -> str:
    """What an index was made with, as far as settings say: files of another one are read again.

    Short, for it stands in each document's row and in an index.
    """
    search, indexing = settings.search, settings.indexing
    scan = settings.graph.import_scan_limit
    made = f"{index_version()}/{indexing.chunk_chars}/{search.k1:g}/{search.b:g}/{scan}"
    return blake2b(made.encode(), digest_size=VERSION_BYTES).hexdigest()


class SettingsChange:
    """Applies what can change while running; the rest is read where it is used."""

    def __init__(
        self,
        live_settings: LiveSettings,
        projects: ProjectRegistry,
        freshness: IndexFreshness,
        pipeline: Pipeline,
        scanner: Scanner,
        model: ModelInUse,
        model_change: ModelChange,
        pool: WorkerPool,
        worker_setup: Callable[[], WorkerSetup],
        tasks: BackgroundTasks,
        notify: Callable[[str, object], Awaitable[None]],
    ) -> None:
        self._live_settings = live_settings
        self._projects = projects
        self._freshness = freshness
        self._pipeline = pipeline
        self._scanner = scanner
        self._model = model
        self._model_change = model_change
        self._pool = pool
        self._worker_setup = worker_setup
        self._tasks = tasks
        self._notify = notify

    async def apply(self) -> None:
        """Go by the settings of now, and tell every editor and agent."""
        settings = self._live_settings.settings
        self._pipeline.disk_room.min_free = settings.storage.least_free
        self._pipeline.wake()
        try:
            await self._model_change.use(settings.model.name)
        except SurveyorError as error:
            log.warning("the model stays as it was: %s %s", error.message, error.hint)
            self._model.keep_because(error)
        version = version_of(settings)
        if version != self._pipeline.committer.version:
            self._pipeline.committer.use(version=version)
            await self._freshness.count_stale()
            self._tasks.spawn(self._rebuild())
        self._pool.change(self._worker_setup())
        for checkout in await self._projects.all():
            await self._scanner.follow_settings(checkout)
        await self._notify("configuration_changed", {})

    async def _rebuild(self) -> None:
        """Index by settings that have changed; a scan that had begun compared with the old ones."""
        for checkout in await self._projects.all():
            if checkout.watched:
                await self._pipeline.wait_fresh(checkout.checkout_id, math.inf)
                await self._scanner.scan(checkout)
