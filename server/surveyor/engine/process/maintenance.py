"""What the engine does now and then: end when nobody needs it, let go of what is not needed."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING

from surveyor.store.vectors.contract import StoreUnreachableError

if TYPE_CHECKING:
    from surveyor.engine.app import Engine

log = logging.getLogger(__name__)

HOUSEKEEPING_S = 30.0
"""How often idle time, missing roots, retired vectors and dead points are looked at."""


class Housekeeping:
    """One engine's."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    async def keep(self) -> None:
        """Until the engine is idle, which ends it."""
        engine = self._engine
        while True:
            limit = engine.settings.engine.idle_timeout
            pause = min(HOUSEKEEPING_S, max(0.2, limit / 4)) if limit else HOUSEKEEPING_S
            await asyncio.sleep(pause)
            if self.is_idle():
                engine.stop("idle")
                return
            try:
                await engine.following.purge_missing(engine.settings.watching.missing_grace)
                await self._follow_settings()
                await engine.scanner.retry()
                for keep_house in engine.housekeepers:
                    await keep_house()
                await self._find_lost()
                await self._compact()
                await engine.state.keep_spare()
            except StoreUnreachableError:
                continue  # said by `freshness`
            except Exception:
                log.exception("housekeeping failed")

    async def _follow_settings(self) -> None:
        """See what events did not tell of a project's files, such as links to other places."""
        for checkout in await self._engine.projects.all():
            await asyncio.to_thread(self._engine.preferences.walk, checkout.root)
            await self._engine.follow_preferences(checkout)

    def is_idle(self) -> bool:
        """Whether nobody needs the engine, for longer than the idle time."""
        engine = self._engine
        limit = engine.settings.engine.idle_timeout
        if not limit or engine.sessions.lasting():
            return False
        return not engine.pipeline.running and engine.untouched_s > limit

    async def _find_lost(self) -> None:
        """Make again what somebody has deleted beneath the running engine."""
        from surveyor.store.vectors.edge import EdgeStore

        engine = self._engine
        if not isinstance(engine.vectors, EdgeStore):
            return
        if await engine.on_store(engine.vectors.close_deleted):
            await engine.remaker.count()
            engine.spawn(engine.remaker.reconcile_all())

    async def _compact(self) -> None:
        """Reclaim dead points and vectors that no text has any more, when nothing is queued."""
        engine = self._engine
        if engine.pipeline.running or engine.pipeline.stopped_reason:
            return
        for space in await engine.on_store(engine.vectors.spaces):
            if await engine.on_store(engine.vectors.needs_optimizing, space):
                await asyncio.to_thread(engine.vectors.optimize, space)
        counts = await engine.state.one(
            "SELECT (SELECT count(*) FROM vectors), (SELECT count(*) FROM texts)"
        )
        if counts is not None and counts[0] > 1.5 * counts[1] + 1000:
            async with engine.state.transaction() as tx:
                await tx.execute(
                    "DELETE FROM vectors WHERE text_hash NOT IN (SELECT text_hash FROM texts)"
                )
