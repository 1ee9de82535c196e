"""Serves agents: over the session socket always, over HTTP where configured.

The SDK is imported when an agent asks for what only it can answer, or is served over HTTP: that
takes half a second and 25 MB, which most engines do without.
"""

from __future__ import annotations

import asyncio
import importlib
from collections.abc import Awaitable, Callable
from pathlib import Path
from types import ModuleType

from surveyor import paths
from surveyor.config.settings import McpSection
from surveyor.engine.agents import handshake, lazy_packages
from surveyor.engine.agents.address import PublishedSocket, announce, token_of
from surveyor.engine.agents.agent import Agent
from surveyor.engine.agents.plain_server import PlainServer
from surveyor.engine.agents.services import AgentServices, SessionHooks
from surveyor.engine.agents.session_folders import Origin
from surveyor.engine.process.sessions import Session

SERVING = "surveyor.engine.agents.server"
SERVING_HTTP = "surveyor.engine.agents.http"

SDK_PACKAGES = ("mcp", "mcp.server")
"""Their `__init__` imports clients and a web server of the SDK's own."""


def with_sdk(name: str) -> ModuleType:
    """Import a module of ours that uses the SDK, without what of that we do not use."""
    for package in SDK_PACKAGES:
        lazy_packages.enter(package)
    return importlib.import_module(name)


class AgentService:
    """Answers an agent's `initialize`, then runs the SDK's server for its connection."""

    def __init__(
        self,
        services: AgentServices,
        visitors: SessionHooks,
        settings: McpSection,
        data_dir: Path,
    ) -> None:
        self._services = services
        self._visitors = visitors
        self._settings = settings
        self._data_dir = data_dir
        self._announced: PublishedSocket | None = None
        self._end_http: Callable[[], Awaitable[None]] | None = None

    def start(self) -> None:
        """Bind what agents connect to; over HTTP they are served by the SDK from the start."""
        self._announced = announce(self._settings, self._data_dir)
        if self._announced is not None:
            self._services.spawn(self._listen(self._announced))

    async def close(self) -> None:
        """End what is served over HTTP."""
        try:
            if self._end_http is not None:
                await self._end_http()
        finally:
            if self._announced is not None:
                self._announced.withdraw()

    async def relay(
        self, session: Session, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        """Serve the agent of one session until it ends."""
        origin: Origin = "implied" if session.hello.roots_implied else "named"
        agent = Agent(self._services, session, session.hello.roots, origin)
        first, answered = await reader.readline(), None
        opening = handshake.opening_of(first)
        roots_follow = opening is not None and opening.params.capabilities.get("roots") is not None
        if opening is not None:
            agent.client = opening.params.clientInfo.name
        await agent.open_own_roots(roots_follow=roots_follow)
        heard = [first]
        if opening is not None:
            answered = opening.id
            plain = PlainServer(agent, self._services, opening, reader, writer)
            left = await plain.serve(first)
            if left is None:
                return
            heard = left
        serving = await asyncio.to_thread(with_sdk, SERVING)
        await serving.serve(agent, self._services, reader, writer, heard=heard, answered=answered)

    async def _listen(self, announced: PublishedSocket) -> None:
        serving = await asyncio.to_thread(with_sdk, SERVING_HTTP)
        self._end_http = await serving.listen(
            self._services,
            self._visitors,
            announced.listening,
            self._settings.host,
            token_of(paths.runtime_dir(self._data_dir)),
        )
