"""Tasks that run beside everything else, for as long as the engine lives."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine
from typing import Any, TypeVar

from surveyor.engine.projects import boundary

log = logging.getLogger(__name__)

T = TypeVar("T")

CANCEL_AGAIN_S = 0.5
"""How long a task may take to end before it is cancelled once more."""


class BackgroundTasks:
    """Keeps references to running tasks, logs those that fail, and cancels the rest at the end."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[Any]] = set()

    def spawn(self, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        """Start a task; returns it. It acts for the engine, whoever is answered now."""
        task = asyncio.create_task(work, context=boundary.nobody())
        self._tasks.add(task)
        task.add_done_callback(self._ended)
        return task

    def _ended(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and task.exception() is not None:
            log.error("a background task failed", exc_info=task.exception())

    async def cancel(self) -> None:
        """Cancel all tasks, and wait until they have ended.

        Again and again: what a task awaits may end at the moment in which it is cancelled, and the
        task goes on (`asyncio.wait_for` before Python 3.12).
        """
        while self._tasks:
            for task in list(self._tasks):
                task.cancel()
            await asyncio.wait(self._tasks, timeout=CANCEL_AGAIN_S)
