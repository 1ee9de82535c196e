"""The window's language servers as its user sees them: started with a buffer, shown, counted on."""

from __future__ import annotations

import contextlib
from collections.abc import Awaitable, Callable
from typing import Any

from surveyor.errors import SurveyorError
from surveyor.lsp.engine_link import EngineLink
from surveyor.lsp.host import EditorHost
from surveyor.lsp.progress import WorkDoneProgress
from surveyor.lsp.protocol import Protocol
from surveyor.lsp.relay import RequestRouter
from surveyor.lsp.settings import EditorSettings
from surveyor.protocol.graph import EnrichmentRequest
from surveyor.servers.documents import OpenDocument
from surveyor.servers.errors import UpstreamError
from surveyor.servers.process import OVER_MEMORY
from surveyor.servers.upstream import LifecycleState, Upstream
from surveyor.servers.uris import to_path

GETTING_READY = frozenset(
    {LifecycleState.STARTING, LifecycleState.INITIALIZED, LifecycleState.INDEXING}
)

COUNT_WAIT_S = 2.0


class WindowUpstreams:
    """Starts upstreams for open buffers, and tells the editor of their state."""

    def __init__(
        self,
        protocol: Protocol,
        host: EditorHost,
        relay: RequestRouter,
        index: EngineLink,
        settings: Callable[[], EditorSettings],
        spawn: Callable[[Awaitable[Any]], None],
    ) -> None:
        self._protocol = protocol
        self._host = host
        self._relay = relay
        self._index = index
        self._settings = settings
        self._spawn = spawn
        self._starting: dict[int, WorkDoneProgress] = {}
        self._said_memory: set[str] = set()
        """Servers of which it was said that they use too much memory."""

    def opened(self, document: OpenDocument) -> None:
        """A buffer is open: start its language server, unless another one serves it."""
        self._host.opened(document.uri)
        self._spawn(self._attach(document))

    async def _attach(self, document: OpenDocument) -> None:
        await self._relay.until_configured()
        language = self._relay.language(document.uri)
        if not language or self._settings().is_companion(language):
            return
        with contextlib.suppress(UpstreamError):
            await self._relay.upstream_for(document.uri)

    def show(self, upstream: Upstream) -> None:
        """Tell the window of a server's state: one progress item while it gets ready."""
        key = id(upstream)
        if upstream.state in GETTING_READY:
            if key not in self._starting:
                title = f"{upstream.name} is getting ready"
                self._starting[key] = WorkDoneProgress(self._protocol, self._host, title)
            self._starting[key].report(upstream.reason or upstream.state.value)
        else:
            item = self._starting.pop(key, None)
            if item is not None:
                item.end(upstream.state.value)
        if upstream.state is LifecycleState.DEAD:
            text = f"{upstream.name}: {upstream.reason}"
            self._protocol.tell("window/logMessage", {"type": 1, "message": text})
            if OVER_MEMORY in upstream.reason and upstream.name not in self._said_memory:
                self._said_memory.add(upstream.name)
                self._protocol.tell("window/showMessage", {"type": 2, "message": text})

    def missing(self, message: str) -> None:
        """No server of a language runs."""
        text = f"{message} Definitions and references come from the index until then."
        self._protocol.tell("window/logMessage", {"type": 2, "message": text})

    async def count_references(self, uri: str, line: int, character: int) -> int | None:
        """How often a symbol is used: by its server when that is ready, else by the index."""
        with contextlib.suppress(UpstreamError):
            upstream = await self._relay.upstream_for(uri)
            if upstream.ready:
                params = {
                    "textDocument": {"uri": uri},
                    "position": {"line": line, "character": character},
                    "context": {"includeDeclaration": False},
                }
                answer = await upstream.request("textDocument/references", params)
                return len(answer.value() or [])
        path = to_path(uri)
        if path is None:
            return None
        with contextlib.suppress(SurveyorError):
            known = await self._index.call(
                EnrichmentRequest(
                    saved=True,
                    path=str(path),
                    line=line + 1,
                    column=character,
                    cwd=str(path.parent),
                    details=False,
                ),
                limit_s=COUNT_WAIT_S,
            )
            return known.references if known.found else None
        return None
