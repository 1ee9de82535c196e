"""Serves agents: over the session socket always, over HTTP where configured.

The SDK is imported once there is an agent, when the engine has little to do or the agent needs it:
that takes half a second and 25 MB, which an engine of editors and terminals alone does without.
"""

from __future__ import annotations

import asyncio
import importlib
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from types import ModuleType

from surveyor import paths
from surveyor.config.settings import McpSection
from surveyor.engine.agents import handshake, lazy_packages
from surveyor.engine.agents.address import PublishedSocket, announce, token_of
from surveyor.engine.agents.agent import Agent
from surveyor.engine.agents.early import EarlyServer
from surveyor.engine.agents.services import AgentServices, SessionHooks
from surveyor.engine.agents.session_folders import Origin
from surveyor.engine.process.sessions import Session

SERVING = "surveyor.engine.agents.server"
SERVING_HTTP = "surveyor.engine.agents.http"

PRELOAD_DELAY_S = 2.0
"""The SDK is imported when the first agent has been greeted, not meanwhile."""
PRELOAD_AT_LATEST_S = 60.0
"""So long it waits for what is being indexed, and for a second without a question: importing takes
a core from the one, and the interpreter from the other."""

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
        is_starting: Callable[[], bool],
        is_quiet: Callable[[], bool],
    ) -> None:
        """`is_quiet` says whether nothing is being indexed and nobody asked for a second."""
        self._services = services
        self._visitors = visitors
        self._settings = settings
        self._data_dir = data_dir
        self._is_starting = is_starting
        self._is_quiet = is_quiet
        self._loaded = asyncio.Event()
        """The SDK is there."""
        self._loads = False
        """Somebody sees to it that the SDK will be there."""
        self._announced: PublishedSocket | None = None
        self._end_http: Callable[[], Awaitable[None]] | None = None

    def start(self) -> None:
        """Bind what agents connect to; over HTTP they are served by the SDK from the start."""
        self._announced = announce(self._settings, self._data_dir)
        if self._announced is not None:
            self._loads = True
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
        if opening is not None and not self._loaded.is_set():
            if not self._loads:
                self._loads = True
                self._services.spawn(self._load_at_rest())
            answered = opening.id
            early = EarlyServer(agent, self._services, opening, reader, writer)
            left = await early.serve(first, self._loaded)
            if left is None:
                return
            heard = left
        serving = await self._load()
        await serving.serve(agent, self._services, reader, writer, heard=heard, answered=answered)

    async def _load(self) -> ModuleType:
        module = await asyncio.to_thread(with_sdk, SERVING)
        self._loaded.set()
        return module

    async def _listen(self, announced: PublishedSocket) -> None:
        serving = await asyncio.to_thread(with_sdk, SERVING_HTTP)
        self._loaded.set()
        self._end_http = await serving.listen(
            self._services,
            self._visitors,
            announced.listening,
            self._settings.host,
            token_of(paths.runtime_dir(self._data_dir)),
        )

    async def _load_at_rest(self) -> None:
        while self._is_starting():
            await asyncio.sleep(0.1)
        await asyncio.sleep(PRELOAD_DELAY_S)
        deadline = time.monotonic() + PRELOAD_AT_LATEST_S
        while time.monotonic() < deadline and not self._is_quiet():
            await asyncio.sleep(0.5)
        await self._load()
