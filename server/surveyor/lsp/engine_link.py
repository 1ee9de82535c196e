"""The engine as the editor's face sees it: there or not, and never waited for at start.

The engine's client finds it, starts it and finds it again. A call that is made while it starts, or
starts again, waits for it within bounds; after that `call` raises `EngineUnavailableError` at once:
what comes from the index is then left out, and the relay goes on.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from surveyor.client.asynchronous import AsyncClient, hello
from surveyor.errors import EngineUnavailableError
from surveyor.protocol.base import Request

A = TypeVar("A")

CALL_LIMIT_S = 10.0
PATIENCE_S = 15.0
"""How long an engine that starts, or starts again, is waited for."""

log = logging.getLogger(__name__)

Handler = Callable[[Any], Awaitable[Any]]


class EngineLink:
    """The window's connection to the engine, which is made again when it breaks."""

    def __init__(
        self,
        *,
        on_state: Callable[[bool, str], None],
        on_notification: Mapping[str, Callable[[Any], None]],
        on_request: Mapping[str, Handler],
    ) -> None:
        self.message = "connecting"
        """Why it is away; `connecting` until the first attempt is over."""
        self._on_state = on_state
        self._on_notification = on_notification
        self._on_request = on_request
        self._client: AsyncClient | None = None
        self._patience: asyncio.TimerHandle | None = None
        self._settled = asyncio.Event()

    @property
    def up(self) -> bool:
        """Whether an engine is connected."""
        return self._client is not None and self._client.connected

    @property
    def starts(self) -> bool:
        """Whether an engine is still waited for that starts, or starts again."""
        return self._client is not None and not self.up and not self._settled.is_set()

    @property
    def version(self) -> str:
        """The engine's version; empty while there is none."""
        welcome = self._client.welcome if self._client is not None else None
        return welcome.version if welcome is not None and self.up else ""

    def start(self, roots: list[Path]) -> None:
        """Begin to look for the engine, in the background."""
        client = AsyncClient(hello("lsp", [str(root) for root in roots]))
        for name, handler in self._on_notification.items():
            client.on(name, handler)
        for name, server in self._on_request.items():
            client.serve(name, server)
        client.on_connection(self._connection)
        client.open()
        self._client = client
        loop = asyncio.get_running_loop()
        self._patience = loop.call_later(PATIENCE_S, self._still_away)

    def leave(self, why: str) -> None:
        """Do without an engine."""
        self.message = why
        self._settled.set()

    async def settled(self) -> None:
        """Wait until the engine, which takes a moment to start, is there or given up."""
        await self._settled.wait()

    async def set_roots(self, roots: list[Path]) -> None:
        """The workspace's folders are now these."""
        if self._client is not None:
            await self._client.set_roots([str(root) for root in roots])

    async def close(self) -> None:
        """End the link, and with it our projects' being active."""
        if self._patience is not None:
            self._patience.cancel()
        self._settled.set()
        client, self._client = self._client, None
        if client is not None:
            await client.close()

    async def call(self, request: Request[A], *, limit_s: float | None = CALL_LIMIT_S) -> A:
        """Call an operation; without a limit it is waited for as long as it takes.

        An engine that starts is waited for, within `limit_s` seconds. Raises `SurveyorError`s;
        `EngineUnavailableError` when the engine is away.
        """
        client = self._client
        if self.starts:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._settled.wait(), limit_s)
        if client is None or not client.connected:
            raise EngineUnavailableError(f"The engine is not connected: {self.message}")
        try:
            return await client.call(request, timeout_s=limit_s)
        except TimeoutError:
            raise EngineUnavailableError(
                f"The engine did not answer {request.operation} within {limit_s} s"
            ) from None

    def _connection(self, connected: bool) -> None:
        if self._patience is not None:
            self._patience.cancel()
            self._patience = None
        self.message = "" if connected else "it ended, or was replaced"
        if connected:
            self._settled.set()
        else:
            self._settled.clear()
            loop = asyncio.get_running_loop()
            self._patience = loop.call_later(PATIENCE_S, self._still_away)
        self._on_state(connected, self.message)

    def _still_away(self) -> None:
        self._patience = None
        self._settled.set()
        if not self.up and self._client is not None:
            error = self._client.last_error
            # Without an error the first attempt is not over: a busy machine starts it slowly.
            slow = f"it has not answered in {PATIENCE_S:g} s and is waited for"
            self.message = error.message if error is not None else slow
            self._on_state(False, self.message)
