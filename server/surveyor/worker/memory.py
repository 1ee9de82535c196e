"""Memory of index workers: how many there is room for, and when one has had too much."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Callable, Collection

from surveyor.machine.capacity import WORKER_BYTES
from surveyor.process_memory import resident_and_anonymous_bytes, resident_bytes
from surveyor.units import format_size

__all__ = ["MemoryShare", "MemoryWatch", "WornMemory"]

LEAST_BYTES = 160 << 20
"""What each of several workers must be able to have: where there is less, one of them ends."""
SHORT_BYTES = 64 << 20
"""With less than this left, a worker that has grown is replaced by one that has not."""
GROWN_BYTES = 128 << 20
"""What a worker has more than when it begins with most files."""
WORN_BYTES = 256 << 20
"""What a worker has of its own when a fresh one takes its place: Python keeps what many large files
have taken, in pieces, and 2,500 files of C leave 150 MB behind."""
WORN_GROWTH_BYTES = 160 << 20
"""So much of it came after its first batch: a large model is no wear."""
ALONE_S = 60.0
"""How long there is one worker alone after one was killed: for want of memory, as a rule."""
FRESH_S = 0.5
"""How long what was said to be left counts."""
MEMORY_CHECK_S = 0.05
"""How often a busy worker's memory is looked at: some 100 MB can be filled meanwhile."""


class MemoryShare:
    """How many workers memory has room for."""

    def __init__(self, left: Callable[[], int | None] = lambda: None) -> None:
        """`left`: bytes that can be had without taking them from others; None where that is not
        known, and as many are started as are wanted."""
        self._ask = left
        self._asked_at = float("-inf")
        self._known: int | None = None
        self._alone_until = 0.0

    def killed(self) -> None:
        """The system, or somebody, has killed a worker."""
        self._alone_until = time.monotonic() + ALONE_S

    def has_room_for(self, count: int, pids: Collection[int]) -> bool:
        """Whether so many workers have room, those with these process ids among them."""
        return self._is_enough(count, pids, WORKER_BYTES)

    def is_too_many(self, count: int, pids: Collection[int]) -> bool:
        """Whether one of so many workers is to end, for the others' sake."""
        return not self._is_enough(count, pids, LEAST_BYTES)

    def is_grown(self, pid: int) -> bool:
        """Whether a worker has memory that is missing elsewhere, and a fresh one would not."""
        left = self._left()
        return left is not None and left < SHORT_BYTES and resident_bytes(pid) > GROWN_BYTES

    def _left(self) -> int | None:
        now = time.monotonic()
        if now - self._asked_at > FRESH_S:
            self._asked_at, self._known = now, self._ask()
        return self._known

    def _is_enough(self, count: int, pids: Collection[int], each: int) -> bool:
        if count < 2:
            return True
        if time.monotonic() < self._alone_until:
            return False
        left = self._left()
        return left is None or left + sum(map(resident_bytes, pids)) >= count * each


class WornMemory:
    """What a worker has kept of the files that it has read."""

    def __init__(self) -> None:
        self._least: int | None = None

    def is_worn(self, pid: int) -> bool:
        """Whether a fresh worker would need much less; asked after each batch."""
        _, own = resident_and_anonymous_bytes(pid)
        self._least = own if self._least is None else min(self._least, own)
        return own > WORN_BYTES and own - self._least > WORN_GROWTH_BYTES


class MemoryWatch:
    """Measures a worker's memory in bytes, and ends the worker beyond the limit."""

    def __init__(self, process: asyncio.subprocess.Process, limit: int) -> None:
        self._process = process
        self._pid = process.pid
        self._limit = limit
        self._next: asyncio.TimerHandle | None = None
        self._model_bytes = 0
        """A large model's, which no file is to blame for."""
        self._before = 0
        self._is_loading = False
        self._seen = 0
        self.exceeded = False

    @property
    def nearly(self) -> bool:
        """Whether it has had most of what it may have."""
        return self._seen > (self._limit + self._model_bytes) / 2

    @property
    def sentence(self) -> str:
        """What is said of a job that needed too much."""
        return f"needs more than {format_size(self._limit)} of memory"

    def loading(self, begins: bool) -> None:
        """The worker loads a model, or has loaded it."""
        now = resident_bytes(self._pid)
        if begins:
            self._before = now
        elif self._is_loading:
            self._model_bytes = max(0, now - self._before)
        self._is_loading = begins

    def check(self) -> None:
        """Now and again: end the worker once it has too much."""
        if self._process.returncode is not None:
            return
        self._seen = resident_bytes(self._pid)
        if not self._is_loading and self._seen > self._limit + self._model_bytes:
            self.exceeded = True
            with contextlib.suppress(ProcessLookupError):
                self._process.kill()
            return
        self._next = asyncio.get_running_loop().call_later(MEMORY_CHECK_S, self.check)

    def stop_checking(self) -> None:
        """The worker has nothing to do."""
        if self._next is not None:
            self._next.cancel()
