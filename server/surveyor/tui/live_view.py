"""A view that follows what changes by itself, for as long as it is shown."""

from __future__ import annotations

import asyncio

from textual.containers import Vertical

from surveyor.tui.engine_calls import EngineCalls

LIVE_S = 1.5
"""Between two looks."""


class LiveView(Vertical):
    """Asks again and again while it is shown and there is an engine.

    What it asks is for its kinds to say; no abstract base class can demand that, for Textual's
    widgets have a metaclass.
    """

    def __init__(self, engine: EngineCalls, folder: str) -> None:
        super().__init__(id=type(self).__name__, classes="view")
        self._engine = engine
        self._folder = folder

    def enter_view(self) -> None:
        """The view is shown: look at once."""
        self.run_worker(self._follow(), group="live", exclusive=True)

    async def _follow(self) -> None:
        while self.display:
            if self._engine.connected:
                await self.refresh_view()
            await asyncio.sleep(LIVE_S)

    async def refresh_view(self) -> None:
        """Ask what is so now, and show it."""
        raise NotImplementedError
