"""The engine's HTTP server, loaded when somebody connects.

Loading takes a fifth of the time of a start, and agents, editors and the terminal do not need it.
The socket listens from the beginning: who connects first waits until it is loaded.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import uvicorn

REQUESTS_GRACE_S = 1.0
"""So long requests that are under way are waited for when the engine ends."""


class WebServer:
    """Serves on a listening socket."""

    def __init__(self, listening: socket.socket, load: Callable[[], uvicorn.Server]) -> None:
        """`load` makes the server, in a thread; it imports what that takes."""
        self._listening = listening
        self._load = load
        self._server: uvicorn.Server | None = None
        self._task = asyncio.create_task(self._serve())

    async def close(self) -> None:
        """End it, once requests have had a little time."""
        if self._server is None:
            self._task.cancel()
        else:
            loop = asyncio.get_running_loop()
            self._server.should_exit = True
            loop.call_later(REQUESTS_GRACE_S, setattr, self._server, "force_exit", True)
        with contextlib.suppress(asyncio.CancelledError):
            await self._task

    async def _serve(self) -> None:
        await _connection(self._listening)
        self._server = await asyncio.to_thread(self._load)
        await self._server.serve(sockets=[self._listening])


async def _connection(listening: socket.socket) -> None:
    """Until somebody has connected; at once where an event loop cannot tell (Windows)."""
    loop = asyncio.get_running_loop()
    connected = asyncio.Event()
    try:
        loop.add_reader(listening, connected.set)
    except NotImplementedError:
        return
    try:
        await connected.wait()
    finally:
        loop.remove_reader(listening)
