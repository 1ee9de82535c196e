"""One language server and its clients: its life, who uses it, and what they tell it.

A client talks to it as to a server of its own (`channel.py`). What clients ask is in
`shared_questions.py`, what the server says in `shared_events.py`.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from surveyor.servers import messages
from surveyor.servers.documents import OpenDocument
from surveyor.servers.errors import UpstreamDeadError, UpstreamError
from surveyor.servers.host.attach import READY, RENEW, Attach
from surveyor.servers.host.client_shape import SUPERSET, merged
from surveyor.servers.host.file_changes import Stamps, changes_between, stamps_of
from surveyor.servers.host.shared_client import SharedClient
from surveyor.servers.host.shared_documents import SharedDocuments
from surveyor.servers.host.shared_events import WATCHED_FILES, SharedEvents
from surveyor.servers.host.shared_questions import SharedQuestions
from surveyor.servers.process import ServerProcess
from surveyor.servers.readiness import Readiness
from surveyor.servers.rpc_session import RpcSession
from surveyor.servers.uris import to_path

SHUTDOWN_S = 2.0

STDERR_CHARS = 16_000
"""Of what it wrote to stderr, the end that is shown."""

log = logging.getLogger(__name__)


class SharedServer:
    """A language server that several clients use."""

    def __init__(self, key: str, wish: Attach, ended: Callable[[SharedServer, str], None]) -> None:
        self.key = key
        self.wish = wish
        self.root = Path(wish.root)
        self.started_at = time.time()
        self.channels: dict[SharedClient, None] = {}
        self.interested: set[SharedClient] = set()
        """Its clients, and those that have servers of their own while texts are in conflict."""
        self.documents = SharedDocuments(self.notify, self._sync)
        self.questions = SharedQuestions(
            wish.name, lambda: self.session, self.channels, self.documents
        )
        self.events = SharedEvents(self.root, self.channels, self.documents, self.questions)
        self.capabilities: dict[str, Any] = {}
        self.ready = False
        self.process: ServerProcess | None = None
        self.session: RpcSession | None = None
        self.private_for: SharedClient | None = None
        """The client whose texts are in conflict with the others', where it is for one alone."""
        self._readiness = Readiness(wish.readiness)
        self._ended = ended
        self._initialized: asyncio.Future[msgspec.Raw] | None = None
        self._pushed: bytes = b""
        self._files: dict[str, tuple[Any, Any]] = {}
        self._tasks: set[asyncio.Future[Any]] = set()
        self._stopping = False
        self._last: dict[str, Any] | None = None
        """What clients are told of its end, once that has come."""
        self._files_before: asyncio.Future[Stamps | None] | None = None
        """What was on disk when the last client went."""

    @property
    def pid(self) -> int:
        """Of the server's process; 0 when there is none."""
        return self.process.pid if self.process is not None and self.process.running else 0

    @property
    def alive(self) -> bool:
        """Whether it can be attached to."""
        return self.session is not None and not self.session.closed and not self._stopping

    # --- its life ---------------------------------------------------------------------

    async def start(self) -> None:
        """Start the program. Raises `UpstreamMissingError`."""
        cwd = self.root if self.root.is_dir() else Path.home()
        self.process = await ServerProcess.spawn(
            self.wish.command,
            cwd=cwd,
            env=self.wish.env,
            umask=self.wish.umask,
            memory_limit=self.wish.memory_limit,
        )
        self.session = RpcSession(
            self.process.reader,
            self.process.writer,
            on_request=self.events.on_request,
            on_notification=self._on_notification,
            name=self.wish.name,
        )
        self._spawn(self._live(self.process, self.session))

    async def _live(self, process: ServerProcess, session: RpcSession) -> None:
        reading = asyncio.ensure_future(session.run())
        waiting = asyncio.ensure_future(process.wait())
        await asyncio.wait([reading, waiting], return_when=asyncio.FIRST_COMPLETED)
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(asyncio.shield(waiting), 0.5)
        why = session.broken
        code = process.returncode
        reading.cancel()
        waiting.cancel()
        session.close(UpstreamDeadError(f"{self.wish.name} ended"))
        tail = process.stderr_tail()
        await process.end(grace=0.0)
        last = {"code": code, "stderr": tail, "broken": why, "stopped": self._stopping}
        self._last = last
        for channel in list(self.channels):
            channel.server_ended(last)
        if not self._stopping:
            self._ended(self, why or f"ended with status {code}")

    async def stop(self) -> None:
        """Ask it to end, then make it; its clients are told. Idempotent."""
        self._stopping = True
        session, process = self.session, self.process
        polite = False
        if session is not None and not session.closed:
            with contextlib.suppress(UpstreamError):
                await session.request("shutdown", timeout=SHUTDOWN_S)
                polite = True
            with contextlib.suppress(UpstreamError):
                session.notify("exit")
        if process is not None:
            await process.end(grace=SHUTDOWN_S if polite else 0.0)
        for task in list(self._tasks):
            with contextlib.suppress(Exception):
                await asyncio.wait_for(asyncio.shield(task), 1.0)

    def _spawn(self, work: Any) -> None:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    # --- clients ----------------------------------------------------------------------

    async def initialize(self, params: msgspec.Raw) -> msgspec.Raw:
        """The server's answer to `initialize`: asked once, with the first client's params."""
        if self._initialized is None:
            self._initialized = asyncio.ensure_future(self._initialize(params))
        result = await asyncio.shield(self._initialized)
        await self._catch_up()
        return result

    async def _initialize(self, params: msgspec.Raw) -> msgspec.Raw:
        assert self.session is not None
        value = messages.decode(params) or {}
        value["processId"] = os.getpid()
        value["capabilities"] = merged(value.get("capabilities") or {}, SUPERSET)
        _, answer = self.session.send("initialize", messages.encode(value))
        raw = await answer
        result = messages.decode(raw)
        found = result.get("capabilities") if isinstance(result, dict) else None
        self.capabilities = found if isinstance(found, dict) else {}
        self.session.notify("initialized", {})
        self.ready = self.ready or self._readiness.ready
        return raw

    def join(self, channel: SharedClient) -> None:
        """A client begins to use it."""
        self.channels[channel] = None
        self.documents.foreign[channel] = 0
        if self._last is not None:
            channel.server_ended(self._last)

    def greet(self, channel: SharedClient) -> None:
        """Tell a client that has been initialized what was said before it came."""
        self.events.greet(channel)
        if self.ready:
            channel.tell(READY, {})

    def leave(self, channel: SharedClient) -> None:
        """A client is gone, or has a server of its own for a while."""
        if channel not in self.channels:
            return
        del self.channels[channel]
        if not self.channels and self.alive and self.events.watchers():
            self._files_before = asyncio.ensure_future(asyncio.to_thread(stamps_of, self.root))
        uris = [view.uri for view in self.documents.views_of(channel)]
        self.documents.close_all(channel)
        for uri in uris:
            self._forget(uri)
        self.questions.left(channel)

    def _forget(self, uri: str) -> None:
        if self.documents.get(uri) is None:
            self.events.closed(uri)

    async def keepable(self) -> bool:
        """Whether it can be kept without a client: what changes meanwhile can be made good for."""
        if self._initialized is None or not self._initialized.done():
            return False  # who comes again would wait for what these clients have waited for
        return self._files_before is None or await self._files_before is not None

    async def _catch_up(self) -> None:
        """Tell the server what changed on disk while it had no client."""
        if self._files_before is None:
            return
        pending, self._files_before = self._files_before, None
        before = await pending
        now = await asyncio.to_thread(stamps_of, self.root)
        if before is not None and now is not None:
            changes = changes_between(before, now, self.root, self.events.watchers())
            if changes:
                self.notify(WATCHED_FILES, {"changes": changes})

    def changed(self) -> None:
        """Texts have changed, here or in a server that a client has for itself."""
        if len(self.interested) > 1:
            for channel in self.interested:
                channel.review()

    def stop_beside(self, private: SharedServer) -> None:
        """End a client's own server, in the background."""
        self._spawn(private.stop())

    def _settled(self, finder: SharedClient) -> None:
        """A client found out that its answers are complete: the others need not."""
        if not self.ready and not self._readiness.working:
            self.ready = True
            for channel in self.channels:
                if channel is not finder:
                    channel.tell(READY, {})

    # --- what clients say -------------------------------------------------------------

    def notify(self, method: str, params: Any) -> None:
        """Tell the server something."""
        if self.session is not None:
            with contextlib.suppress(UpstreamDeadError):
                self.session.notify(method, params)

    def hear(self, channel: SharedClient, method: str, params: msgspec.Raw) -> None:
        """A client's notification."""
        if method.startswith(("textDocument/", "workspace/")):
            self.questions.heard(channel)
        if method.startswith("textDocument/did"):
            self._document_event(channel, method, params)
        elif method == WATCHED_FILES:
            self._watched(params)
        elif method == "workspace/didChangeConfiguration":
            if bytes(params) != self._pushed:
                self._pushed = bytes(params)
                self.events.configured()
                self.notify(method, params)
        elif method == "window/workDoneProgress/cancel":
            token = (messages.decode(params) or {}).get("token")
            self.notify(method, {"token": self.questions.token_of(channel, token)})
        elif method == READY:
            self._settled(channel)
        elif method == RENEW:
            log.info("%s on %s is started anew for a client", self.wish.name, self.root)
            self._spawn(self.stop())
        elif method in ("initialized", "$/setTrace"):
            return
        else:
            self.notify(method, params)

    def _document_event(self, channel: SharedClient, method: str, params: msgspec.Raw) -> None:
        value = messages.decode(params)
        item = value["textDocument"]
        uri = item["uri"]
        kind = method.rpartition("/")[2]
        known = self.documents.get(uri)
        if kind == "didOpen":
            view = OpenDocument(
                uri, str(item.get("languageId", "")), int(item["version"] or 0), item["text"]
            )
            self.documents.open(channel, view)
            if known is not None:
                self.events.show_document(channel, uri)
        elif kind == "didChange":
            differed = known is not None and known.differs_for(channel)
            version = int(item.get("version") or 0)
            self.documents.change(channel, uri, version, value["contentChanges"], params)
            if differed and known is not None and not known.differs_for(channel):
                self.events.show_document(channel, uri)
        elif kind == "didSave":
            self.documents.save(channel, uri, params)
        elif kind == "didClose":
            self.documents.close(channel, uri)
            self._forget(uri)

    def _watched(self, params: msgspec.Raw) -> None:
        """File events: every client sends them; the server gets each once."""
        value = messages.decode(params)
        new = []
        for change in value.get("changes") or []:
            uri = str(change.get("uri"))
            path = to_path(uri)
            state: Any = None
            if path is not None:
                with contextlib.suppress(OSError):
                    status = path.stat()
                    state = (status.st_mtime_ns, status.st_size)
            event = (change.get("type"), state)
            if self._files.get(uri) != event:
                self._files[uri] = event
                new.append(change)
        if new:
            self.notify(WATCHED_FILES, {"changes": new})

    # --- what the server says ---------------------------------------------------------

    def _on_notification(self, method: str, params: msgspec.Raw) -> None:
        strategy = self.wish.readiness
        watched = {
            "progress": "$/progress",
            "log": "window/logMessage",
            "notification": strategy.method,
        }.get(strategy.kind)
        if method == watched:
            self._readiness.feed(method, messages.decode(params))
            if self._readiness.working or self._readiness.trouble:
                self.ready = False
            elif self._readiness.ready:
                self.ready = True  # each client has heard the signal itself
        self.events.on_notification(method, params)

    def _sync(self, key: str, default: Any) -> Any:
        sync = self.capabilities.get("textDocumentSync")
        if isinstance(sync, int):
            return sync if key == "change" else True
        return sync.get(key, default) if isinstance(sync, dict) else default

    # --- status -----------------------------------------------------------------------

    def status(self) -> dict[str, Any]:
        """State for people."""
        running = self.process is not None and self.process.running
        return {
            "name": self.wish.name,
            "language": self.wish.language,
            "root": self.wish.root,
            "command": list(self.wish.command),
            "state": "ready" if self.ready else "running" if self._initialized else "starting",
            "ready": self.ready,
            "pid": self.pid or None,
            "memoryBytes": self.process.memory_bytes() if self.process and running else 0,
            "documents": len(self.documents),
            "private": self.private_for is not None,
            "clients": [channel.status() for channel in self.channels],
            "since": self.started_at,
            "stderr": self.process.stderr_tail()[-STDERR_CHARS:] if self.process else "",
        }
