"""What is registered with the editor after `initialize`, kept in step with servers and settings."""

from __future__ import annotations

import contextlib
from collections.abc import Awaitable, Callable
from typing import Any

from surveyor.lsp import capabilities
from surveyor.lsp.host import EditorHost
from surveyor.lsp.protocol import Protocol
from surveyor.lsp.settings import EditorSettings
from surveyor.servers.errors import UpstreamError
from surveyor.servers.manager import UpstreamManager
from surveyor.servers.upstream import Upstream

WATCHED = {
    "id": "surveyor/watched",
    "method": "workspace/didChangeWatchedFiles",
    "registerOptions": {"watchers": [{"globPattern": "**/*"}]},
}


class Registrations:
    """Dynamic registrations of capabilities with the editor."""

    def __init__(
        self,
        protocol: Protocol,
        host: EditorHost,
        manager: Callable[[], UpstreamManager],
        settings: Callable[[], EditorSettings],
        spawn: Callable[[Awaitable[Any]], None],
    ) -> None:
        self._protocol = protocol
        self._host = host
        self._manager = manager
        self._settings = settings
        self._spawn = spawn
        self._standing: dict[str, dict[str, Any]] = {}
        self._offered: dict[str, dict[str, Any]] = {}

    async def watch_files(self) -> None:
        """Ask for file events: upstreams have use for them."""
        if self._host.can("workspace.didChangeWatchedFiles.dynamicRegistration"):
            with contextlib.suppress(UpstreamError):
                items = {"registrations": [WATCHED]}
                await self._protocol.ask("client/registerCapability", items)

    def offered(self, upstream: Upstream) -> None:
        """A server has shown what it can."""
        found = capabilities.offers(upstream)
        if found != self._offered.get(upstream.language):
            self._offered[upstream.language] = found
            self.refresh()

    def stands(self, method: str) -> bool:
        """Whether a feature is registered for some documents."""
        return any(item["method"] == method for item in self._standing.values())

    def refresh(self) -> None:
        """Register what is missing and take back what is too much."""
        wanted = capabilities.registrations(
            self._host.capabilities, self._settings(), self._manager().registry, self._offered
        )
        gone = [item for key, item in self._standing.items() if wanted.get(key) != item]
        new = [item for key, item in wanted.items() if self._standing.get(key) != item]
        self._standing = wanted
        if gone or new:
            self._spawn(self._register(gone, new))

    async def _register(self, gone: list[dict[str, Any]], new: list[dict[str, Any]]) -> None:
        with contextlib.suppress(UpstreamError):
            if gone:
                items = [{"id": item["id"], "method": item["method"]} for item in gone]
                # The misspelling is the protocol's.
                await self._protocol.ask("client/unregisterCapability", {"unregisterations": items})
            if new:
                await self._protocol.ask("client/registerCapability", {"registrations": new})
