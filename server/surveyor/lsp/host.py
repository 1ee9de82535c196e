"""The editor as seen by upstreams: what they ask it and tell it, passed on under our own tokens."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from surveyor.lsp.settings import EditorSettings
from surveyor.servers import messages
from surveyor.servers.documents import EDITOR, OpenDocuments
from surveyor.servers.errors import UpstreamError
from surveyor.servers.lsp_client import REFRESHES, refreshed
from surveyor.servers.methods import capability
from surveyor.servers.rpc_session import MethodNotFoundError
from surveyor.servers.upstream import Upstream

if TYPE_CHECKING:
    from surveyor.lsp.protocol import Protocol

DIAGNOSTICS = "textDocument/publishDiagnostics"
SERVER_STATUS = "experimental/serverStatus"
"""rust-analyzer's: sent to clients that say they take it."""

ERROR = 1
"""LSP's severity; also what a diagnostic without one is taken for."""
MOST_IN_ERROR = 10
"""Files with errors that tell what somebody works at; of more, the build is broken."""

CONFIGURATION_TIMEOUT_S = 2.0
"""An editor that does not answer `workspace/configuration` by then is answered for."""


class EditorHost:
    """An `UpstreamHost` with an editor attached."""

    attached = True

    def __init__(
        self,
        protocol: Protocol,
        documents: OpenDocuments,
        settings: Callable[[], EditorSettings],
        on_change: Callable[[Upstream], None],
        on_said: Callable[[Upstream, int, str], None],
        is_confined: Callable[[Path], bool] = lambda root: False,
    ) -> None:
        """`is_confined`: of which folders an editor's settings may be the repository's own."""
        self._is_confined = is_confined
        self._protocol = protocol
        self._documents = documents
        self._settings = settings
        self._on_change = on_change
        self._on_said = on_said
        self._tokens: dict[tuple[int, Any], str] = {}
        self._working: dict[str, tuple[Upstream, Any]] = {}
        """The servers' work that the editor shows, by our tokens: whose it is, and its token."""
        self._relayed_tokens: dict[Any, Upstream] = {}
        """Tokens that the editor itself put into requests now under way, and who was asked."""
        self._refreshing: set[asyncio.Task[Any]] = set()
        self._unseen: dict[str, dict[str, Any]] = {}
        """Diagnostics of documents that questions of the engine have opened, not the editor."""
        self._in_error: dict[str, set[str]] = {}
        """By document in which servers show the editor errors: their names."""

    @property
    def capabilities(self) -> Mapping[str, Any]:
        """The editor's `ClientCapabilities` as it sent them."""
        value = self._protocol.initialize_params.get("capabilities")
        return value if isinstance(value, dict) else {}

    def can(self, path: str) -> bool:
        """Whether the editor has a capability (dotted path)."""
        return bool(capability(self.capabilities, path))

    def relayed(self, upstream: Upstream) -> frozenset[str]:
        """Features of a server that the editor gets beyond the usual."""
        return self._settings().relayed(upstream.language)

    @contextlib.contextmanager
    def relaying(self, upstream: Upstream, tokens: set[Any]) -> Iterator[None]:
        """While a request with the editor's own progress tokens is under way."""
        own = dict.fromkeys(tokens - {None}, upstream)
        self._relayed_tokens |= own
        try:
            yield
        finally:
            for token in own:
                self._relayed_tokens.pop(token, None)

    def progress_cancelled(self, params: msgspec.Raw) -> None:
        """The editor's user does not want some work to go on: its server is told."""
        value = messages.decode(params)
        token = value.get("token") if isinstance(value, dict) else None
        if not isinstance(token, int | str):
            return
        asked = self._relayed_tokens.get(token)
        upstream, theirs = (asked, token) if asked else self._working.get(str(token), (None, None))
        if upstream is not None:
            upstream.notify("window/workDoneProgress/cancel", {"token": theirs})

    async def forward(self, upstream: Upstream, method: str, params: msgspec.Raw) -> Any:
        """Ask the editor what an upstream asks, if it can be asked."""
        if method == "window/workDoneProgress/create":
            return await self._create_token(upstream, params)
        if method == "workspace/configuration":
            if not self.can("workspace.configuration") or self._is_confined(upstream.root):
                return None
            async with asyncio.timeout(CONFIGURATION_TIMEOUT_S):
                return await self._protocol.ask(method, params)
        if method == "workspace/applyEdit":
            if not self.can("workspace.applyEdit"):
                return {"applied": False, "failureReason": "The editor does not apply edits."}
            return await self._protocol.ask(method, params)
        if method == "window/showMessageRequest":
            return await self._protocol.ask(method, params)
        if method == "window/showDocument":
            if not self.can("window.showDocument.support"):
                return {"success": False}
            return await self._protocol.ask(method, params)
        raise MethodNotFoundError(method)

    async def _create_token(self, upstream: Upstream, params: msgspec.Raw) -> None:
        token = (messages.decode(params) or {}).get("token")
        ours = f"surveyor/{upstream.name}/{id(upstream):x}/{token}"
        if self.can("window.workDoneProgress"):
            self._tokens[(id(upstream), token)] = ours
            self._working[ours] = (upstream, token)
            await self._protocol.ask("window/workDoneProgress/create", {"token": ours})

    def notified(self, upstream: Upstream, method: str, params: msgspec.Raw) -> None:
        """Pass on what the editor can use; the rest of an upstream's notifications is dropped."""
        if method == "$/progress":
            self._progress(upstream, params)
        elif method == "window/logMessage":
            value = self._say(upstream, params)
            text = f"{upstream.name}: {value.get('message', '')}"
            self._protocol.tell(method, {"type": value.get("type", 4), "message": text})
        elif method == "window/showMessage":
            self._say(upstream, params)
            self._protocol.tell(method, params)
        elif method == DIAGNOSTICS:
            if method in self.relayed(upstream):
                self._diagnosed(upstream, params)
        elif method in REFRESHES:
            self._refresh(upstream, method)
        elif self._settings().is_full(upstream.language) and self._takes(method):
            self._protocol.tell(method, params)

    def _takes(self, method: str) -> bool:
        """Whether the editor's own plugin for a server may know a notification that LSP has not."""
        if method == SERVER_STATUS:  # we ask for it, to know when the server is ready
            return self.can("experimental.serverStatusNotification")
        return not method.startswith(("surveyor/", "window/", "workspace/", "textDocument/publish"))

    def _say(self, upstream: Upstream, params: msgspec.Raw) -> dict[str, Any]:
        """Keep what a server says; the message itself."""
        value: dict[str, Any] = messages.decode(params) or {}
        self._on_said(upstream, value.get("type", 4), str(value.get("message", "")))
        return value

    @property
    def in_error(self) -> list[str]:
        """Documents in which the editor shows errors; none where these are everywhere."""
        return list(self._in_error) if len(self._in_error) <= MOST_IN_ERROR else []

    def _diagnosed(self, upstream: Upstream, params: msgspec.Raw) -> None:
        """Show diagnostics, but of what the editor does not know to be open."""
        value = messages.decode(params)
        uri = str(value.get("uri"))
        document = self._documents.get(uri)
        if document is not None and EDITOR not in document.owners:
            self._unseen[uri] = value
            return
        of_engine = self._unseen.pop(uri, None) is not None
        if document is None and of_engine and not value.get("diagnostics"):
            return  # it was closed again
        self._count_errors(upstream, uri, value.get("diagnostics") or [])
        self._protocol.tell(DIAGNOSTICS, params)

    def _count_errors(
        self, upstream: Upstream, uri: str, diagnostics: list[dict[str, Any]]
    ) -> None:
        if any(each.get("severity", ERROR) == ERROR for each in diagnostics):
            self._in_error.setdefault(uri, set()).add(upstream.name)
        elif uri in self._in_error:
            self._in_error[uri].discard(upstream.name)
            if not self._in_error[uri]:
                del self._in_error[uri]

    def opened(self, uri: str) -> None:
        """The editor has opened a document: a server that knew it will not speak of it again."""
        value = self._unseen.pop(uri, None)
        if value is not None:
            value.pop("version", None)
            self._protocol.tell(DIAGNOSTICS, value)

    def _refresh(self, upstream: Upstream, method: str) -> None:
        """Ask the editor to ask anew for what a server has news of."""
        supported = self.can(f"workspace.{refreshed(method)}.refreshSupport")
        if supported and REFRESHES[method] in self.relayed(upstream):
            task = asyncio.ensure_future(self._ask_to_refresh(method))
            self._refreshing.add(task)
            task.add_done_callback(self._refreshing.discard)

    async def _ask_to_refresh(self, method: str) -> None:
        with contextlib.suppress(UpstreamError):
            await self._protocol.ask(method)

    def _progress(self, upstream: Upstream, params: msgspec.Raw) -> None:
        value = messages.decode(params) or {}
        token = value.get("token")
        ours = self._tokens.get((id(upstream), token))
        if ours is not None:
            self._protocol.tell("$/progress", {**value, "token": ours})
            if (value.get("value") or {}).get("kind") == "end":
                self._tokens.pop((id(upstream), token), None)
                self._working.pop(ours, None)
        elif token in self._relayed_tokens:
            self._protocol.tell("$/progress", params)

    def changed(self, upstream: Upstream) -> None:
        """An upstream's state or registrations changed."""
        self._on_change(upstream)
