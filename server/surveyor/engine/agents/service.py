"""Serves agents: over the session socket always, over HTTP where configured.

The server is imported when the engine has little to do: importing the SDK takes 0.6-0.9 s.
"""

from __future__ import annotations

import asyncio
import importlib
import socket
import sys
import time

from surveyor.engine.agents import handshake
from surveyor.engine.agents.address import announce
from surveyor.engine.agents.agent import Agent
from surveyor.engine.agents.session_folders import Origin
from surveyor.engine.app import Engine
from surveyor.engine.process.sessions import Session

SERVING = "surveyor.engine.agents.server"

PRELOAD_DELAY_S = 2.0
"""The SDK is imported when the engine has started, not for an agent."""
PRELOAD_QUIET_S = 1.0
PRELOAD_AT_LATEST_S = 60.0
"""So long it waits for what is being indexed, and for a second without a question: importing takes
a core from the one, and the interpreter from the other."""


class AgentService:
    """Greets agents and hands them to the server."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def start(self) -> None:
        """Serve from now on."""
        self._engine.relays["mcp"] = self.relay
        listening = announce(self._engine)
        self._engine.spawn(self._preload(listening))

    async def relay(
        self, session: Session, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        """Serve the agent of one session until it ends."""
        origin: Origin = "implied" if session.hello.roots_implied else "named"
        agent = Agent(self._engine, session, session.hello.roots, origin)
        first, answered = await reader.readline(), None
        opening = handshake.opening_of(first)
        roots_follow = opening is not None and opening.params.capabilities.get("roots") is not None
        await agent.open_own_roots(roots_follow=roots_follow)
        if opening is not None and SERVING not in sys.modules:
            answered = await _greet(agent, opening, writer)
        serving = await asyncio.to_thread(importlib.import_module, SERVING)
        await serving.serve(agent, reader, writer, first=first, answered=answered)

    async def _preload(self, listening: socket.socket | None) -> None:
        engine = self._engine
        if listening is not None:  # somebody may be waiting there
            serving = await asyncio.to_thread(importlib.import_module, SERVING)
            await serving.serve_http(engine, listening)
            return
        while engine.starting:
            await asyncio.sleep(0.1)
        await asyncio.sleep(PRELOAD_DELAY_S)
        deadline = time.monotonic() + PRELOAD_AT_LATEST_S
        while time.monotonic() < deadline:
            busy = engine.pool.busy or engine.pipeline.running
            if not busy and engine.untouched_s > PRELOAD_QUIET_S:
                break
            await asyncio.sleep(0.5)
        await asyncio.to_thread(importlib.import_module, SERVING)


async def _greet(
    agent: Agent, opening: handshake.Opening, writer: asyncio.StreamWriter
) -> int | str:
    """Answer a handshake before the SDK is there to do it; the id of what was answered."""
    writer.write(handshake.answer(opening, await agent.instructions()))
    await writer.drain()
    return opening.id
