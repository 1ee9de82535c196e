"""From an engine's start to its end: what it has opened so far, its last use, and its stop."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import time
from collections.abc import Callable, Iterator

log = logging.getLogger(__name__)


class Lifetime:
    """State of the engine's process: starting, in use or idle, stopping."""

    def __init__(self, on_stop: Callable[[], None] = lambda: None) -> None:
        """`on_stop` sees to it that the process ends, however long closing takes."""
        self.pid = os.getpid()
        self.started_at = time.monotonic()
        self.starting = True
        """Whether what takes a while is still being opened."""
        self.stopping = asyncio.Event()
        self._on_stop = on_stop
        self._begun = asyncio.Event()
        self._last_touch = time.monotonic()
        self._answering = 0

    @property
    def uptime_s(self) -> float:
        """Seconds since the start."""
        return time.monotonic() - self.started_at

    @property
    def untouched_s(self) -> float:
        """Seconds since somebody used the engine; 0 while somebody waits for an answer."""
        return 0.0 if self._answering else time.monotonic() - self._last_touch

    @contextlib.contextmanager
    def answering(self) -> Iterator[None]:
        """While a question is answered, the engine is in use."""
        self._answering += 1
        try:
            yield
        finally:
            self._answering -= 1
            self.touch()

    def touch(self) -> None:
        """Somebody used the engine."""
        self._last_touch = time.monotonic()

    def opened(self) -> None:
        """Everything is open."""
        self.starting = False

    @property
    def begun(self) -> bool:
        """Whether every followed folder is being compared with the index, or has been."""
        return self._begun.is_set()

    def begin(self) -> None:
        """Every followed folder is being compared with the index."""
        self._begun.set()

    async def wait_begun(self) -> None:
        """Until every followed folder is being compared with the index."""
        await self._begun.wait()

    def stop(self, why: str) -> None:
        """Ask the process to end."""
        if not self.stopping.is_set():
            log.info("stopping: %s", why)
            self._on_stop()
        self.stopping.set()
