"""Requests that LSP does not have: a language server's own, which its editors' plugins send.

`rust-analyzer/expandMacro`, clangd's `textDocument/switchSourceHeader`, `experimental/parentModule`
and their like are relayed where a language is in `full` mode: an editor that has no other server
would lose them. Params and results are the server's business; only the document is looked for.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from surveyor.lsp.protocol import UNREADABLE
from surveyor.lsp.relay import DocumentUri, RequestRouter
from surveyor.lsp.settings import EditorSettings
from surveyor.protocol.wire import shown
from surveyor.servers.errors import (
    METHOD_NOT_FOUND,
    REQUEST_FAILED,
    ResponseError,
    UnsupportedMethodError,
    UpstreamMissingError,
)
from surveyor.servers.manager import UpstreamManager
from surveyor.servers.upstream import Upstream

__all__ = ["OWN_PREFIXES", "ServerExtensions"]

OWN_PREFIXES = ("$/", "surveyor/")
"""Never a language server's: the protocol's, and ours."""


class ExtensionParams(msgspec.Struct, rename="camel"):
    """Where servers' own requests name their document."""

    text_document: DocumentUri | None = None
    uri: str = ""


class ServerExtensions:
    """Answers what no part of Surveyor knows by the server of the document that it is about."""

    def __init__(
        self,
        router: RequestRouter,
        manager: Callable[[], UpstreamManager],
        settings: Callable[[], EditorSettings],
    ) -> None:
        self._router = router
        self._manager = manager
        self._settings = settings

    async def serve(self, method: str, params: msgspec.Raw) -> Any:
        """The server's answer, whatever it is.

        Raises `ResponseError`: its own, or "method not found" where no server in `full` mode can be
        meant.
        """
        await self._router.until_configured()
        uri = document_of(params)
        if not method.startswith(OWN_PREFIXES):
            try:
                upstream = await self._upstream(uri, method)
                if upstream is not None:
                    return (await self._router.request(upstream, method, params)).raw
            except UpstreamMissingError as error:
                raise ResponseError(REQUEST_FAILED, error.message) from error
            except UnsupportedMethodError:
                pass
        raise ResponseError(METHOD_NOT_FOUND, f"Surveyor does not serve {shown(method)}")

    async def _upstream(self, uri: str, method: str) -> Upstream | None:
        """The server that a request is for; the only one there is where it names no document."""
        if uri:
            if not self._settings().is_full(self._router.language(uri)):
                return None
            return await self._router.once_running(uri, method)
        upstreams, settings = self._manager().all(), self._settings()
        servers = [each for each in upstreams if each.running and settings.is_full(each.language)]
        return servers[0] if len(servers) == 1 else None


def document_of(params: msgspec.Raw) -> str:
    """The document that params name, as `textDocument` or as themselves; empty without one."""
    try:
        found = msgspec.json.decode(bytes(params) or b"{}", type=ExtensionParams)
    except UNREADABLE:
        return ""
    return found.text_document.uri if found.text_document is not None else found.uri
