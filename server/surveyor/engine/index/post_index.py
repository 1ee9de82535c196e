"""What follows the end of an index run: queries get ready, and the shard compact."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from typing import TYPE_CHECKING

from surveyor.errors import NotFoundError, SurveyorError

if TYPE_CHECKING:
    from surveyor.engine.app import Engine
    from surveyor.engine.index.runs import Run

log = logging.getLogger(__name__)

QUIET_S = 4.0
"""Nothing was written for so long before a shard is made compact: whoever edits would wait while
it is copied. Until then it takes 40 MB of memory instead of 11 (30,000 chunks)."""


class Settling:
    """One engine's."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def ended(self, checkout_id: str, run: Run) -> None:
        """A run is at its end. Nothing follows where nobody asked for it and it found nothing."""
        if run.asked or run.chunks:
            self._engine.searcher.prepare(checkout_id)
        if run.chunks:
            self._engine.spawn(self._compact(checkout_id))

    async def _compact(self, checkout_id: str) -> None:
        engine = self._engine
        version = -1
        while version != engine.state.catalog_version:
            version = engine.state.catalog_version
            await asyncio.sleep(QUIET_S)
        if engine.pipeline.running or engine.pipeline.stopped_reason:
            return  # housekeeping looks again
        with contextlib.suppress(NotFoundError):
            space = engine.pipeline.space((await engine.projects.get(checkout_id)).project_id)
            try:
                if await engine.on_store(engine.vectors.needs_optimizing, space):
                    await asyncio.to_thread(engine.vectors.optimize, space)
            except SurveyorError as error:
                log.warning("an index was not made compact: %s", error.message)
