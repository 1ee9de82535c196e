"""Damaged shards: set aside and made again in the background, while the state answers."""

from __future__ import annotations

import asyncio
import logging
import time
from typing import TYPE_CHECKING

from surveyor.errors import SurveyorError

if TYPE_CHECKING:
    from surveyor.engine.app import Engine

log = logging.getLogger(__name__)

MOST_TIMES = 3
"""So often within `PERIOD_S` is an engine's index made again: a disk that goes on damaging it is
for the user to see to."""
PERIOD_S = 3600.0


class Mending:
    """One engine's."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._times: list[float] = []
        self._running: asyncio.Task[None] | None = None
        self.problem = ""
        """What is damaged, until it has been made again; empty when nothing is."""

    def found(self, why: str) -> None:
        """A call of the store failed in a way that only damage explains."""
        self.problem = why
        if (self._running is not None and not self._running.done()) or self._is_too_often():
            return
        self._running = self._engine.spawn(self._mend())

    def _is_too_often(self) -> bool:
        now = time.monotonic()
        self._times = [each for each in self._times if now - each < PERIOD_S]
        return len(self._times) >= MOST_TIMES

    async def _mend(self) -> None:
        from surveyor.store.vectors.edge import EdgeStore

        engine = self._engine
        store = engine.vectors
        if not isinstance(store, EdgeStore):
            return
        while not self._is_too_often():
            self._times.append(time.monotonic())
            for each in await engine.on_store(store.damaged):
                if not each.is_newer:
                    moved = await engine.on_store(store.quarantine, each)
                    log.warning("%s: %s; moved to %s", each.folder, each.reason, moved)
            before = self.problem
            try:
                await engine.remaker.reconcile_all()
                await engine.knowledge.reconcile()
            except SurveyorError as error:
                log.warning("the index is not made again yet: %s", error.message)
                return
            if self.problem is before and not store.suspect:
                self.problem = ""
                log.info("what was damaged has been made again")
                return
