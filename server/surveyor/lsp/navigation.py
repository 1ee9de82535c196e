"""`editor/…`: an agent's navigation questions, answered by the servers that this window has warmed.

The engine asks over the session; the answer is the upstream's own, on unsaved text.
"""

from __future__ import annotations

import contextlib
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import msgspec

from surveyor.lsp.relay import RequestRouter
from surveyor.protocol.editor import Navigated, NavigateParams
from surveyor.servers.documents import OpenDocuments
from surveyor.servers.upstream import Upstream

METHODS = {
    "editor/definition": ["textDocument/definition"],
    "editor/declaration": ["textDocument/declaration"],
    "editor/typeDefinition": ["textDocument/typeDefinition"],
    "editor/references": ["textDocument/references"],
    "editor/implementation": ["textDocument/implementation"],
    "editor/documentSymbol": ["textDocument/documentSymbol"],
    "editor/hover": ["textDocument/hover"],
    "editor/rename": ["textDocument/rename"],
    "editor/incomingCalls": ["textDocument/prepareCallHierarchy", "callHierarchy/incomingCalls"],
    "editor/outgoingCalls": ["textDocument/prepareCallHierarchy", "callHierarchy/outgoingCalls"],
    "editor/supertypes": ["textDocument/prepareTypeHierarchy", "typeHierarchy/supertypes"],
    "editor/subtypes": ["textDocument/prepareTypeHierarchy", "typeHierarchy/subtypes"],
    "editor/callHierarchy": ["textDocument/prepareCallHierarchy"],
    "editor/typeHierarchy": ["textDocument/prepareTypeHierarchy"],
}
"""What the engine may ask: one LSP request, or a prepare and what follows on its first item."""


class Navigation:
    """Answers the engine's `editor/…` requests by asking this window's upstreams."""

    def __init__(self, relay: RequestRouter, documents: OpenDocuments) -> None:
        self._relay = relay
        self._documents = documents

    def handlers(self) -> dict[str, Callable[[Any], Awaitable[Any]]]:
        """Handlers by method."""
        return {name: self._handler(steps) for name, steps in METHODS.items()}

    def _handler(self, steps: list[str]) -> Callable[[Any], Awaitable[Any]]:
        async def serve(params: Any) -> Any:
            return await self.answer(steps, read_params(params))

        return serve

    async def answer(self, steps: list[str], params: NavigateParams) -> Navigated:
        """Ask the upstream; its errors go to the engine as they are."""
        uri = self._documents.uri_of(Path(params.path))
        upstream = await self._relay.upstream_for(uri)
        if params.wait_ready_ms:
            with contextlib.suppress(Exception):
                await upstream.wait_running(params.wait_ready_ms / 1000)
                await upstream.wait_ready(params.wait_ready_ms / 1000)
        answer = await upstream.request(
            steps[0],
            {
                "textDocument": {"uri": uri},
                "position": {"line": params.line - 1, "character": params.column},
                **defaults(steps[0]),
                **params.extra,
            },
        )
        if len(steps) > 1:
            return await self._second(upstream, steps[1], answer.value(), uri)
        return self._navigated(upstream, answer.raw, answer.complete, uri)

    async def _second(self, upstream: Upstream, method: str, items: Any, uri: str) -> Navigated:
        if not items:
            return self._navigated(upstream, msgspec.Raw(b"[]"), upstream.ready, uri)
        answer = await upstream.request(method, {"item": items[0]})
        return self._navigated(upstream, answer.raw, answer.complete, uri)

    def _navigated(
        self, upstream: Upstream, raw: msgspec.Raw, complete: bool, uri: str
    ) -> Navigated:
        document = self._documents.get(uri)
        return Navigated(
            result=raw if bytes(raw) else msgspec.Raw(b"null"),
            complete=complete,
            server=upstream.name,
            language=upstream.language,
            unsaved_version=document.version if document and document.dirty else None,
        )


def defaults(method: str) -> dict[str, Any]:
    """Params that a method cannot do without."""
    if method == "textDocument/references":
        return {"context": {"includeDeclaration": False}}
    return {}


def read_params(params: Any) -> NavigateParams:
    """Params from raw JSON or from objects."""
    if isinstance(params, msgspec.Raw | bytes):
        return msgspec.json.decode(bytes(params), type=NavigateParams)
    return msgspec.convert(params, type=NavigateParams)
