"""What LSP does not know: a server's own requests, and notifications to it.

`rust-analyzer/expandMacro`, clangd's `textDocument/switchSourceHeader`, `experimental/parentModule`
and their like are relayed where a language is in `full` mode: an editor that has no other server
would lose them. Params and results are the server's business; only the document is looked for.
"""

from __future__ import annotations

import contextlib
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
    UpstreamError,
    UpstreamMissingError,
)
from surveyor.servers.manager import UpstreamManager
from surveyor.servers.methods import METHODS
from surveyor.servers.upstream import Upstream

__all__ = ["OWN_PREFIXES", "ServerExtensions"]

OWN_PREFIXES = ("$/", "surveyor/")
"""Never a language server's: the protocol's, and ours."""

LIFE = frozenset({"initialize", "shutdown"})
"""Requests that are between the editor and us."""


class ExtensionParams(msgspec.Struct, rename="camel"):
    """Where servers' own requests name their document."""

    text_document: DocumentUri | None = None
    uri: str = ""


class ServerExtensions:
    """Hands on what no part of Surveyor knows to the server of the document that it is about.

    What names none, or one of no known language, goes to the server that its method is named after;
    what is after none and names no document to the one that was last used and knows it.
    """

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

        Raises `ResponseError`: its own, or "method not found" where no server in `full` mode knows
        the method.
        """
        await self._router.until_configured()
        if not method.startswith(OWN_PREFIXES):
            try:
                return await self._ask(method, params)
            except UpstreamMissingError as error:
                raise ResponseError(REQUEST_FAILED, error.message) from error
            except UnsupportedMethodError:
                pass
        raise ResponseError(METHOD_NOT_FOUND, f"Surveyor does not serve {shown(method)}")

    async def _ask(self, method: str, params: msgspec.Raw) -> Any:
        upstream = await self._of_document(method, params)
        if upstream is not None:
            return (await self._router.request(upstream, method, params)).raw
        for upstream in self._nearest(method, params):
            try:
                return (await self._router.request(upstream, method, params)).raw
            except ResponseError as error:
                if error.number != METHOD_NOT_FOUND:
                    raise
        raise UnsupportedMethodError(f"no server knows {shown(method)}")

    async def tell(self, method: str, params: msgspec.Raw) -> None:
        """Hand on a notification; LSP's own, and requests without an id, are nobody's."""
        if method.startswith(OWN_PREFIXES) or method in METHODS or method in LIFE:
            return
        await self._router.until_configured()
        with contextlib.suppress(UpstreamError):
            upstream = await self._of_document(method, params)
            for each in [upstream] if upstream is not None else self._nearest(method, params):
                each.notify(method, params)

    async def _of_document(self, method: str, params: msgspec.Raw) -> Upstream | None:
        """The server of the document that is named; `None` where that is none, or no server's.

        Raises `UpstreamError`s: of a document whose language has no server, or not in `full` mode.
        """
        uri = document_of(params)
        language = self._router.language(uri) if uri else ""
        if not language:
            return None
        if not self._settings().is_full(language):
            raise UnsupportedMethodError(f"not relayed for {language}")
        return await self._router.once_running(uri, method)

    def _nearest(self, method: str, params: msgspec.Raw) -> list[Upstream]:
        """The servers in `full` mode that a method is named after; where it is after none, and no
        document is named, all that run. The last used come first."""
        prefix, settings = method.partition("/")[0], self._settings()
        servers = [
            each
            for each in self._manager().all()
            if each.running and settings.is_full(each.language)
        ]
        named = [each for each in servers if prefix in (each.name, each.language)]
        meant = named if named or document_of(params) else servers
        return sorted(meant, key=lambda each: each.last_used, reverse=True)


def document_of(params: msgspec.Raw) -> str:
    """The document that params name, as `textDocument` or as themselves; empty without one."""
    try:
        found = msgspec.json.decode(bytes(params) or b"{}", type=ExtensionParams)
    except UNREADABLE:
        return ""
    return found.text_document.uri if found.text_document is not None else found.uri
