"""The embedding model that answers now, those it replaced, and the change from one to another."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import replace
from typing import TYPE_CHECKING

from surveyor.embedding.dense import SHIPPED_MODEL, Embedder, describe_model, load_embedder
from surveyor.engine.index.pipeline import Model
from surveyor.errors import SurveyorError
from surveyor.store.vectors.contract import Space

if TYPE_CHECKING:
    from surveyor.engine.app import Engine

log = logging.getLogger(__name__)


class ModelInUse:
    """Loads models once, and keeps an earlier one while its points still answer."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self.info = describe_model()
        self.warning = ""
        """Why it is not the configured one, if so."""
        self._embedder: asyncio.Future[Embedder] | None = None
        self._earlier: dict[str, Embedder | None] = {}

    async def choose(self) -> None:
        """Take the configured model; the shipped one, with a warning, where it cannot be used."""
        name, threads = self._engine.settings.model.name, self._engine.settings.model.threads
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
                    load_embedder, self.info.name, threads=self._engine.settings.model.threads
                )
            )
        return await asyncio.shield(self._embedder)

    async def of(self, space: Space) -> Embedder | None:
        """The model that a space's points were made with, if it can still be loaded."""
        if space.model == self.info.fingerprint:
            return await self.embedder()
        if space.model not in self._earlier:
            name = await self._engine.state.value(
                "SELECT value FROM settings WHERE key = ?", (f"model:{space.model}",)
            )
            try:
                self._earlier[space.model] = (
                    await asyncio.to_thread(load_embedder, str(name)) if name else None
                )
            except SurveyorError as error:
                log.warning("the earlier model %s cannot be loaded: %s", name, error.message)
                self._earlier[space.model] = None
        return self._earlier[space.model]

    async def use(self, name: str) -> None:
        """Answer with another model from now on; points are made in the background.

        Raises `ModelError` and changes nothing when it cannot be loaded.
        """
        info = describe_model(name)
        threads = self._engine.settings.model.threads
        loaded = await asyncio.to_thread(load_embedder, name, threads=threads)
        if info.fingerprint == self.info.fingerprint:
            return
        previous = await self.embedder()
        self.warning = ""
        async with self._engine.writing():
            model = Model(info.fingerprint, loaded.dimension)
            projects = await self._engine.state.read("SELECT project_id FROM projects")
            self._engine.remaker.keep_answering((str(row[0]) for row in projects), model)
            self._earlier[self.info.fingerprint] = previous
            self.info = info
            self._embedder = asyncio.get_running_loop().create_future()
            self._embedder.set_result(loaded)
            self._engine.pipeline.model = model
            self._engine.pool.change(self._engine.worker_setup())
            await self.note()
        self._engine.spawn(self._engine.remaker.reconcile_all())

    async def note(self) -> None:
        """Remember which name a fingerprint stands for: its vectors may outlive it."""
        async with self._engine.state.transaction() as tx:
            await tx.execute(
                "INSERT OR REPLACE INTO settings (key, value) VALUES (?, ?)",
                (f"model:{self.info.fingerprint}", self.info.name),
            )
