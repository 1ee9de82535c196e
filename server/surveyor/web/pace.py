"""How fast a host is asked: one page after the other, and as slowly as it wants."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

__all__ = ["MAX_DELAY_S", "Pace"]

MAX_DELAY_S = 30.0
"""Of what a site asks between two pages: more is not obeyed but by not going there."""


@dataclass(slots=True)
class Pace:
    """When each host may be asked next. `clock` is in seconds, `sleep` waits for some."""

    delay_s: float
    """Between two pages of one host."""
    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    _next: dict[str, float] = field(default_factory=dict)

    async def wait(self, host: str, delay_s: float = 0.0) -> None:
        """Until a host may be asked; `delay_s` is what the site itself wants between pages."""
        now = self.clock()
        due = max(self._next.get(host, now), now)
        self._next[host] = due + min(max(self.delay_s, delay_s), MAX_DELAY_S)
        if due > now:
            await self.sleep(due - now)

    async def pause(self, host: str, seconds: float) -> None:
        """Leave a host alone for a time that it asked for."""
        self._next[host] = self.clock() + seconds
        await self.sleep(seconds)
