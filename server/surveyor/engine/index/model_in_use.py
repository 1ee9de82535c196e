"""The embedding model that answers now, those it replaced, and the change from one to another."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from dataclasses import replace

from surveyor.embedding.contract import Embedder, ModelInfo
from surveyor.embedding.dense import SHIPPED_MODEL, describe_model, load_embedder
from surveyor.engine.index.commit import Committer, PointModel
from surveyor.engine.index.vector_rebuild import VectorRebuilder
from surveyor.engine.process.background import BackgroundTasks
from surveyor.engine.process.live_settings import LiveSettings
from surveyor.errors import SurveyorError
from surveyor.store.state import State, projects, settings
from surveyor.store.vectors.contract import Space
from surveyor.worker.messages import WorkerSetup
from surveyor.worker.pool import WorkerPool

log = logging.getLogger(__name__)


class ModelInUse:
    """Loads models once, and keeps an earlier one while its points still answer."""

    def __init__(self, live_settings: LiveSettings, state: State) -> None:
        self._live_settings = live_settings
        self._state = state
        self.info = describe_model()
        self.warning = ""
        """Why it is not the configured one, if so."""
        self._embedder: asyncio.Future[Embedder] | None = None
        self._earlier: dict[str, Embedder | None] = {}

    async def choose(self) -> None:
        """Take the configured model; the shipped one, with a warning, where it cannot be used."""
        model = self._live_settings.settings.model
        name, threads = model.name, model.threads
        try:
            info = describe_model(name)
            if info.name == SHIPPED_MODEL:
                return
            loaded = await asyncio.to_thread(load_embedder, name, threads=threads)
        except SurveyorError as error:
            log.warning("%s %s", error.message, error.hint)
            self.warning = f"model.name: {error.message}; the shipped model answers"
            return
        self._embedder = asyncio.get_running_loop().create_future()
        self._embedder.set_result(loaded)
        self.info = replace(info, dimension=loaded.dimension)

    async def embedder(self) -> Embedder:
        """The model for queries, loaded once."""
        if self._embedder is None:
            self._embedder = asyncio.ensure_future(
                asyncio.to_thread(
                    load_embedder,
                    self.info.name,
                    threads=self._live_settings.settings.model.threads,
                )
            )
        return await asyncio.shield(self._embedder)

    async def of(self, space: Space) -> Embedder | None:
        """The model that a space's points were made with, if it can still be loaded."""
        if space.model == self.info.fingerprint:
            return await self.embedder()
        if space.model not in self._earlier:
            name = await settings.value_of(self._state, settings.model_key(space.model))
            try:
                self._earlier[space.model] = (
                    await asyncio.to_thread(load_embedder, name) if name else None
                )
            except SurveyorError as error:
                log.warning("the earlier model %s cannot be loaded: %s", name, error.message)
                self._earlier[space.model] = None
        return self._earlier[space.model]

    def keep_because(self, error: SurveyorError) -> None:
        """Another model was wanted and cannot be used."""
        self.warning = f"model.name: {error.message}; the earlier model answers"

    def replace(self, info: ModelInfo, loaded: Embedder, previous: Embedder) -> None:
        """Answer with another model from now on; the previous one is kept for its points."""
        self.warning = ""
        self._earlier[self.info.fingerprint] = previous
        self.info = info
        self._embedder = asyncio.get_running_loop().create_future()
        self._embedder.set_result(loaded)

    async def note(self) -> None:
        """Remember which name a fingerprint stands for: its vectors may outlive it."""
        async with self._state.transaction() as tx:
            await settings.remember(tx, settings.model_key(self.info.fingerprint), self.info.name)


class ModelChange:
    """Replaces the model in use: queries have the new one at once, points follow."""

    def __init__(
        self,
        model: ModelInUse,
        live_settings: LiveSettings,
        state: State,
        committer: Committer,
        vector_rebuilder: VectorRebuilder,
        pool: WorkerPool,
        worker_setup: Callable[[], WorkerSetup],
        tasks: BackgroundTasks,
    ) -> None:
        self._model = model
        self._live_settings = live_settings
        self._state = state
        self._committer = committer
        self._vector_rebuilder = vector_rebuilder
        self._pool = pool
        self._worker_setup = worker_setup
        self._tasks = tasks

    async def use(self, name: str) -> None:
        """Answer with another model from now on; points are made in the background.

        Raises `ModelError` and changes nothing when it cannot be loaded.
        """
        info = describe_model(name)
        threads = self._live_settings.settings.model.threads
        loaded = await asyncio.to_thread(load_embedder, name, threads=threads)
        if info.fingerprint == self._model.info.fingerprint:
            return
        previous = await self._model.embedder()
        async with self._committer.committing:
            model = PointModel(info.fingerprint, loaded.dimension, loaded.is_remembered)
            self._vector_rebuilder.keep_answering(await projects.project_ids(self._state), model)
            self._model.replace(info, loaded, previous)
            self._committer.use(model=model)
            self._pool.change(self._worker_setup())
            await self._model.note()
        self._tasks.spawn(self._vector_rebuilder.reconcile_all())
