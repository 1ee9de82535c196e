"""What a shared server says: told to all of its clients, or to the one that it concerns.

Its registrations, diagnostics and progress are told to every client, also to those that come later.
"""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from surveyor.servers import messages
from surveyor.servers.errors import UpstreamDeadError, UpstreamError
from surveyor.servers.host.shared_client import SharedClient
from surveyor.servers.host.shared_documents import SharedDocuments
from surveyor.servers.host.shared_questions import SharedQuestions
from surveyor.servers.host.spellings import respelled
from surveyor.servers.host.translation import OutsideTextError, Translation, own_uri
from surveyor.servers.lsp_client import REFRESHES, items_of, registration_of
from surveyor.servers.rpc_session import MethodNotFoundError
from surveyor.servers.uris import to_uri

WATCHED_FILES = "workspace/didChangeWatchedFiles"

CLIENT_ANSWER_S = 600.0
"""How long a client may take to answer what a server asks: a person may be reading it."""

_OF_THE_MOMENT = ("window/", "telemetry/", "$/logTrace", "$/cancel")
"""What is said once, and is no state."""

SAID_KEPT = 32
SAID_BYTES = 16_384
"""How many of a server's own notifications are kept for clients that come later, and how long one
may be."""


@dataclass(slots=True)
class ServerProgress:
    """Work that the server has told of, and not of its end."""

    create: bytes
    begin: bytes = b""


class SharedEvents:
    """Notifications and requests of one server."""

    def __init__(
        self,
        root: Path,
        clients: Mapping[SharedClient, None],
        documents: SharedDocuments,
        questions: SharedQuestions,
    ) -> None:
        self._root = root
        self._clients = clients
        self._documents = documents
        self._questions = questions
        self._registrations: dict[str, dict[str, Any]] = {}
        self._diagnostics: dict[str, msgspec.Raw] = {}
        self._unopened: set[str] = set()
        """Documents whose diagnostics came while nobody had them open: those of the workspace."""
        self._progress: dict[Any, ServerProgress] = {}
        self._said: dict[tuple[str, str], bytes] = {}
        """The last notifications of its own, by method and type: of the server's state."""
        self._said_of: dict[str, dict[str, msgspec.Raw]] = {}
        """The same of open documents, by URI and method: what clangd leaves out, what jdtls
        decompiled."""
        self._configuration: dict[bytes, Any] = {}
        """The last answers to `workspace/configuration`, by its params."""

    def greet(self, channel: SharedClient) -> None:
        """Tell a client that has been initialized what was said before it came."""
        if self._registrations:
            items = {"registrations": list(self._registrations.values())}
            self._ask_beside(channel, "client/registerCapability", messages.encode(items))
        for each in self._progress.values():
            self._ask_beside(channel, "window/workDoneProgress/create", each.create)
            if each.begin:
                channel.tell("$/progress", msgspec.Raw(each.begin))
        for (method, _), params in self._said.items():
            channel.tell(method, msgspec.Raw(params))
        for uri in self._unopened:
            if self._documents.get(uri) is None:
                self.show_diagnostics(channel, uri)

    def take_back(self, channel: SharedClient) -> None:
        """Unregister with a client that leaves for another server."""
        if self._registrations:
            items = [
                {"id": number, "method": item.get("method")}
                for number, item in self._registrations.items()
            ]
            params = messages.encode({"unregisterations": items})
            self._ask_beside(channel, "client/unregisterCapability", params)

    def watchers(self) -> list[dict[str, Any]]:
        """Which files it wants to be told of."""
        return [
            watcher
            for item in self._registrations.values()
            if item.get("method") == WATCHED_FILES
            for watcher in item["registerOptions"].get("watchers", [])
        ]

    def configured(self) -> None:
        """Its settings may be others now."""
        self._configuration.clear()

    def on_notification(self, method: str, params: msgspec.Raw) -> None:
        """Tell whom it concerns."""
        if method == "$/progress":
            self._on_progress(params)
        elif method == "textDocument/publishDiagnostics":
            self._on_diagnostics(params)
        elif method == "window/showMessage":
            channel = self._concerned()
            if channel is not None:
                channel.tell(method, params)
        elif method.startswith(_OF_THE_MOMENT):
            for channel in self._clients:
                channel.tell(method, params)
        else:
            value = messages.decode(params) if bytes(params) else None
            told = value if isinstance(value, dict) else {}
            uri = own_uri(told)
            if uri is not None:
                self._on_document(method, *self._respelled(params, uri))
                return
            self._keep(method, params, told)
            for channel in self._clients:
                channel.tell(method, params)

    def _respelled(self, params: msgspec.Raw, uri: str) -> tuple[msgspec.Raw, str]:
        """What a server says of a file under the URI that it was opened with: some servers write
        `%28x%29` for the `(x)` of an editor, or the other way round."""
        known = self._documents.spelling_of(uri)
        if known == uri:
            return params, uri
        return msgspec.Raw(respelled(bytes(params), {uri: known})), known

    def _on_document(self, method: str, params: msgspec.Raw, uri: str) -> None:
        """Tell those that have a document open what is said of it, at their own places."""
        opened = [c for c in self._clients if self._documents.has(c, uri)]
        if opened:
            said = self._said_of.setdefault(uri, {})
            said.pop(method, None)
            if len(params) <= SAID_BYTES * SAID_KEPT and len(said) < SAID_KEPT:
                said[method] = params
        for channel in opened or self._clients:
            self._tell_of(channel, method, params, uri)

    def show_document(self, channel: SharedClient, uri: str) -> None:
        """Tell a client that opened a document what was last said of it."""
        self.show_diagnostics(channel, uri)
        for method, params in self._said_of.get(uri, {}).items():
            self._tell_of(channel, method, params, uri)

    def closed(self, uri: str) -> None:
        """Forget what was said of a document that nobody has open any more."""
        self._said_of.pop(uri, None)

    def _keep(self, method: str, params: msgspec.Raw, told: Mapping[str, Any]) -> None:
        """Keep what a server says of itself in words of its own."""
        if len(params) > SAID_BYTES:
            return
        key = (method, str(told.get("type", "")))
        self._said.pop(key, None)
        self._said[key] = bytes(params)
        while len(self._said) > SAID_KEPT:
            del self._said[next(iter(self._said))]

    def _on_progress(self, params: msgspec.Raw) -> None:
        value = messages.decode(params)
        token = value.get("token") if isinstance(value, dict) else None
        if self._questions.progressed(token, value.get("value") if token is not None else None):
            return
        told = value.get("value") if isinstance(value, dict) else None
        kind = told.get("kind") if isinstance(told, dict) else None
        if isinstance(token, int | str) and kind == "begin":
            begun = self._progress.setdefault(
                token, ServerProgress(messages.encode({"token": token}))
            )
            begun.begin = bytes(params)
        elif isinstance(token, int | str) and kind == "end":
            self._progress.pop(token, None)
        for channel in self._clients:
            channel.tell("$/progress", params)

    def _on_diagnostics(self, params: msgspec.Raw) -> None:
        said = str((messages.decode(params) or {}).get("uri", ""))
        params, uri = self._respelled(params, said)
        self._diagnostics[uri] = params
        opened = [c for c in self._clients if self._documents.has(c, uri)]
        if opened:
            self._unopened.discard(uri)
        else:
            self._unopened.add(uri)
        for channel in opened or self._clients:
            self.show_diagnostics(channel, uri)

    def show_diagnostics(self, channel: SharedClient, uri: str) -> None:
        """Tell a client of what was last found in a document, at its own places."""
        raw = self._diagnostics.get(uri)
        if raw is not None:
            self._tell_of(channel, "textDocument/publishDiagnostics", raw, uri)

    def _tell_of(self, channel: SharedClient, method: str, raw: msgspec.Raw, uri: str) -> None:
        lines = self._questions.to_client(channel) if len(self._clients) > 1 else {}
        versions = self._documents.versions(channel)
        if uri not in lines and uri not in versions:
            channel.tell(method, raw)
            return
        try:
            value = Translation(lines, versions, uri, strict=False).move(messages.decode(raw))
        except OutsideTextError:
            return  # of a place that its text does not have
        for named in (value, value.get("textDocument")):
            if isinstance(named, dict) and named.get("version", uri) is None:
                del named["version"]
        channel.tell(method, value)

    async def on_request(self, method: str, params: msgspec.Raw) -> Any:
        """Answer, or have a client answer. Raises `MethodNotFoundError`."""
        if method == "client/registerCapability":
            for item in items_of(params, "registrations"):
                if isinstance(item.get("method"), str):
                    self._registrations[str(item.get("id"))] = registration_of(item)
            return self._ask_all(method, params)
        if method == "client/unregisterCapability":
            for item in items_of(params, "unregisterations", "unregistrations"):
                self._registrations.pop(str(item.get("id")), None)
            return self._ask_all(method, params)
        if method == "window/workDoneProgress/create":
            token = (messages.decode(params) or {}).get("token")
            if isinstance(token, int | str):
                self._progress[token] = ServerProgress(bytes(params))
            return self._ask_all(method, params)
        if method in REFRESHES:
            return self._ask_all(method, params)
        if method == "workspace/workspaceFolders":
            return [{"uri": to_uri(self._root), "name": self._root.name or str(self._root)}]
        if method == "workspace/configuration":
            return await self._answer_configuration(params)
        if method == "workspace/applyEdit":
            return await self._apply_edit(params)
        channel = self._concerned()
        if channel is not None:
            return await self._ask(channel, method, params)
        if method == "window/showMessageRequest":
            return None
        if method == "window/showDocument":
            return {"success": False}
        raise MethodNotFoundError(method)

    async def _answer_configuration(self, params: msgspec.Raw) -> Any:
        """By the client whose document it is about, else by the last one that asked."""
        asked = bytes(params)
        channel = self._concerned()
        for item in items_of(params, "items"):
            scope = item.get("scopeUri")
            document = self._documents.get(scope) if isinstance(scope, str) else None
            if document is not None:
                channel = next((c for c in self._clients if c is document.owner), channel)
        if channel is not None:
            with contextlib.suppress(UpstreamError):
                answer = await self._ask(channel, "workspace/configuration", params)
                self._configuration[asked] = answer
                return answer
        if asked in self._configuration:
            return self._configuration[asked]
        return [None for _ in items_of(params, "items")]

    async def _apply_edit(self, params: msgspec.Raw) -> Any:
        """By the client whose command it follows, at the places of its own texts."""
        channel = self._concerned()
        if channel is None:
            return {"applied": False, "failureReason": "No editor is attached to Surveyor."}
        value = messages.decode(params)
        lines = self._questions.to_client(channel)
        try:
            mover = Translation(lines, self._documents.versions(channel), "", strict=True)
            value = mover.move(value)
        except OutsideTextError:
            reason = "Another window is editing one of the documents."
            return {"applied": False, "failureReason": reason}
        return await self._ask(channel, "workspace/applyEdit", value)

    def _concerned(self) -> SharedClient | None:
        """The client that what the server asks is about: an editor's, the last one that asked."""
        commanding = [c for c in self._clients if c.commands]
        editors = commanding or [c for c in self._clients if c.wish.attached]
        return max(editors or self._clients, key=lambda c: c.last_asked, default=None)

    async def _ask(self, channel: SharedClient, method: str, params: Any) -> msgspec.Raw:
        return await channel.request(method, params, timeout=CLIENT_ANSWER_S)

    def _ask_all(self, method: str, params: msgspec.Raw) -> None:
        for channel in self._clients:
            self._ask_beside(channel, method, bytes(params))

    def _ask_beside(self, channel: SharedClient, method: str, params: bytes) -> None:
        """Ask a client something whose answer does not matter."""
        with contextlib.suppress(UpstreamDeadError):
            _, future = channel.send(method, params)
            future.add_done_callback(lambda done: done.cancelled() or done.exception())
