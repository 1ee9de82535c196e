"""One upstream language server over its lives: start, readiness, requests, crash, restart, end.

    stopped -> starting -> initialized -> indexing -> ready | degraded -> dead

A request waits for `initialized` within its own time limit, fails at once while the server is
dead, and is never sent when the server did not advertise its method.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

import msgspec

from surveyor import __version__
from surveyor.upstream import host as client_side
from surveyor.upstream import messages
from surveyor.upstream.documents import Document, Documents
from surveyor.upstream.errors import (
    CONTENT_MODIFIED,
    ResponseError,
    UnsupportedMethodError,
    UpstreamDeadError,
    UpstreamError,
    UpstreamTimeoutError,
)
from surveyor.upstream.methods import METHODS, capability
from surveyor.upstream.process import EXIT_GRACE_S, ServerProcess
from surveyor.upstream.readiness import Readiness
from surveyor.upstream.registry import ServerSpec
from surveyor.upstream.session import Session
from surveyor.upstream.uris import to_uri

INITIALIZE_TIMEOUT_S = 60.0
SHUTDOWN_TIMEOUT_S = 2.0
OTHER_TIMEOUT_S = 10.0
"""Limit for methods that the table of `methods.py` does not name."""

RETRIES = 3
RETRY_PAUSE_S = 0.2
"""How a ContentModified answer is tried again."""

BACKOFF_S = (1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 60.0)
MAX_RESTARTS = 5
RESTART_WINDOW_S = 180.0
"""More restarts than this in the window and the server is left alone."""

PROBES = ("textDocument/documentSymbol", "textDocument/hover")
"""Cheap questions about one document; an answer shows that it has been read."""

STABLE_PAUSE_S = 0.3
"""Between two tries of a request whose count must be stable."""

log = logging.getLogger(__name__)


class State(StrEnum):
    """Where an upstream is in its life."""

    STOPPED = "stopped"
    STARTING = "starting"
    INITIALIZED = "initialized"
    INDEXING = "indexing"
    READY = "ready"
    DEGRADED = "degraded"
    DEAD = "dead"


@dataclass(frozen=True, slots=True)
class Answer:
    """A server's result as raw JSON; `complete` is false for one given before it was ready."""

    raw: msgspec.Raw
    complete: bool

    def value(self) -> Any:
        """The result as Python objects."""
        return messages.decode(self.raw)


@dataclass(frozen=True, slots=True)
class Limits:
    """Time limits of the life cycle in seconds; tests shorten them."""

    backoff_s: Sequence[float] = BACKOFF_S
    max_restarts: int = MAX_RESTARTS
    window_s: float = RESTART_WINDOW_S
    initialize_s: float = INITIALIZE_TIMEOUT_S


class Upstream:
    """A language server working on one root."""

    def __init__(
        self,
        spec: ServerSpec,
        command: Sequence[str],
        root: Path,
        *,
        host: client_side.Host,
        documents: Documents,
        language: str,
        env: dict[str, str] | None = None,
        limits: Limits | None = None,
    ) -> None:
        self.spec = spec
        self.command = tuple(command)
        self.root = root
        self.host = host
        self.language = language
        self.state = State.STOPPED
        self.reason = ""
        self.capabilities: dict[str, Any] = {}
        self.server_info: dict[str, Any] = {}
        self.registrations: dict[str, dict[str, Any]] = {}
        self.restarts = 0
        self.started_ever = False
        """Whether it has answered `initialize` at least once."""
        self.last_used = time.monotonic()
        self.spawned_at = 0.0
        self.waiting = 0
        """How many callers wait for an answer now."""
        self.silent_since: float | None = None
        """When a caller found it silent; compared with `last_received`."""
        self.readiness = Readiness(spec.readiness)
        self._env = env
        self._limits = limits or Limits()
        self._documents = documents
        self._attached: dict[str, None] = {}
        self._sent: set[str] = set()
        self._session: Session | None = None
        self._talking: Session | None = None
        self._process: ServerProcess | None = None
        self._supervisor: asyncio.Task[None] | None = None
        self._waiters: set[asyncio.Future[None]] = set()
        self._stopping = False
        self._timers: set[asyncio.TimerHandle] = set()
        self._asking: asyncio.Task[None] | None = None
        self._deaths: deque[float] = deque()
        self._tail = ""

    # --- life cycle -------------------------------------------------------------------

    @property
    def name(self) -> str:
        """The server's name in the registry."""
        return self.spec.name

    @property
    def running(self) -> bool:
        """Whether it can be asked now."""
        return (
            self._session is not None
            and not self._session.closed
            and self.state in (State.INITIALIZED, State.INDEXING, State.READY, State.DEGRADED)
        )

    @property
    def ready(self) -> bool:
        """Whether its answers are complete."""
        return self.state is State.READY

    @property
    def pid(self) -> int | None:
        """Process id while there is a process."""
        return self._process.pid if self._process and self._process.running else None

    @property
    def last_received(self) -> float:
        """`time.monotonic()` of the last message from it; 0 before the first."""
        return self._talking.last_received if self._talking else 0.0

    def start(self) -> None:
        """Start it in the background, unless it runs or has been given up."""
        if self._supervisor is None or self._supervisor.done():
            self._stopping = False
            self._set_state(State.STARTING, "")
            self._supervisor = asyncio.ensure_future(self._supervise())

    async def stop(self) -> None:
        """Ask it to end, then make it. Idempotent; leaves no process."""
        self._stopping = True
        polite = False
        if self._session is not None and not self._session.closed:
            with contextlib.suppress(UpstreamError):
                await self._session.request("shutdown", timeout=SHUTDOWN_TIMEOUT_S)
                polite = True
            self.notify("exit")
        if self._process is not None:
            await self._process.end(grace=EXIT_GRACE_S if polite else 0.0)
        supervisor, self._supervisor = self._supervisor, None
        if supervisor is not None:
            supervisor.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await supervisor
        self._life_over("was stopped")
        self._set_state(State.STOPPED, "")

    def kill(self) -> None:
        """End its processes at once, without a word (the last moment of Surveyor itself)."""
        self._stopping = True
        if self._process is not None:
            self._process.kill()

    async def restart(self) -> None:
        """Stop and start anew, forgetting earlier crashes."""
        await self.stop()
        self._deaths.clear()
        self.start()

    async def _supervise(self) -> None:
        while True:
            try:
                why = await self._live()
            except UpstreamError as error:
                why = error.message
            except asyncio.CancelledError:
                raise
            except Exception as error:
                log.exception("%s", self.name)
                why = f"{type(error).__name__}: {error}"
            self._life_over(why)
            if self._stopping:
                return
            now = time.monotonic()
            self._deaths.append(now)
            while self._deaths and now - self._deaths[0] > self._limits.window_s:
                self._deaths.popleft()
            if not self.started_ever or len(self._deaths) > self._limits.max_restarts:
                # A program that never came up will not by trying again: a shim, a wrong option.
                often = f" {len(self._deaths)} times in 3 minutes" if self.started_ever else ""
                self._set_state(State.DEAD, f"ended{often}: {why}")
                return
            pause = self._limits.backoff_s[min(len(self._deaths), len(self._limits.backoff_s)) - 1]
            self._set_state(State.DEAD, f"restarting in {pause:g} s: {why}")
            await asyncio.sleep(pause)
            self.restarts += 1
            self._set_state(State.STARTING, "restarting")

    async def _live(self) -> str:
        """One life: from the process's start to its end; returns why it ended."""
        self.readiness = Readiness(self.spec.readiness)
        self.spawned_at = time.monotonic()
        self._set_state(State.STARTING, "")
        process = self._process = await ServerProcess.spawn(
            self.command, cwd=self.root if self.root.is_dir() else Path.home(), env=self._env
        )
        session = Session(
            process.reader,
            process.writer,
            on_request=self._on_request,
            on_notification=self._on_notification,
            name=self.name,
        )
        self._talking = session
        reading = asyncio.ensure_future(session.run())
        ended = asyncio.ensure_future(process.wait())
        try:
            result = await session.request(
                "initialize",
                self._initialize_params(),
                timeout=self.spec.timeouts.get("initialize", self._limits.initialize_s),
            )
            self._initialized(session, messages.decode(result) or {})
            self._set_state(State.INITIALIZED, "")
            self._after_initialize()
            await asyncio.wait([reading, ended], return_when=asyncio.FIRST_COMPLETED)
            return await self._cause(process)
        except UpstreamDeadError:
            return await self._cause(process)
        finally:
            reading.cancel()
            ended.cancel()
            session.close(UpstreamDeadError(f"{self.name} ended"))
            self._tail = process.stderr_tail()
            await process.end(grace=0.0)

    async def _cause(self, process: ServerProcess) -> str:
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(process.wait(), 0.5)
        code = process.process.returncode
        tail = process.stderr_tail().strip().splitlines()[-5:]
        ending = "closed its output" if code is None else f"ended with status {code}"
        return ending + (": " + " | ".join(tail) if tail else "")

    def _initialize_params(self) -> dict[str, Any]:
        uri = to_uri(self.root)
        params: dict[str, Any] = {
            "processId": os.getpid(),
            "clientInfo": {"name": "surveyor", "version": __version__},
            "rootPath": str(self.root),
            "rootUri": uri,
            "capabilities": client_side.client_capabilities(self.host),
            "workspaceFolders": client_side.workspace_folders(self),
            "trace": "off",
        }
        if self.spec.initialization_options is not None:
            params["initializationOptions"] = self.spec.initialization_options
        return params

    def _initialized(self, session: Session, result: dict[str, Any]) -> None:
        self.capabilities = result.get("capabilities") or {}
        self.server_info = result.get("serverInfo") or {}
        self._session = session
        self.started_ever = True
        session.notify("initialized", {})
        if self.spec.settings:
            session.notify("workspace/didChangeConfiguration", {"settings": self.spec.settings})
        for uri in list(self._attached):
            self._send_open(uri)

    def _after_initialize(self) -> None:
        strategy = self.spec.readiness
        if self.readiness.ready:
            self._progressed()
        elif self._sent:
            self._later(strategy.grace_s, self._grace_over)
        self._later(strategy.deadline_s, self._deadline_over)

    def _later(self, seconds: float, action: Any) -> None:
        life = self._session

        def fire() -> None:
            self._timers.discard(handle)
            if self._session is life:
                action()

        handle = asyncio.get_running_loop().call_later(seconds, fire)
        self._timers.add(handle)

    def _grace_over(self) -> None:
        life = self._session
        if life is not None and not self.readiness.ready:
            self._asking = asyncio.ensure_future(self._grace_answered(life))

    async def _grace_answered(self, life: Session) -> None:
        """Ready after the grace only if the server has got as far as answering about a document.

        On a busy machine work has not even begun within the grace: an answer comes behind it.
        """
        method = next((m for m in PROBES if self.supports(m)), None)
        if method is not None and self._sent:
            params = {
                "textDocument": {"uri": next(iter(self._sent))},
                "position": {"line": 0, "character": 0},
            }
            try:
                await life.request(method, params, timeout=self.spec.readiness.deadline_s)
            except ResponseError:
                log.debug("%s answered a question about a document with an error", self.name)
            except UpstreamError:
                return
        if self._session is life and self.readiness.grace_over():
            self._progressed()

    def _deadline_over(self) -> None:
        if self.state in (State.INITIALIZED, State.INDEXING):
            limit = self.spec.readiness.deadline_s
            self._set_state(State.DEGRADED, f"not ready after {limit:g} s; answers may be partial")

    def _life_over(self, why: str) -> None:
        for timer in self._timers:
            timer.cancel()
        self._timers.clear()
        if self._asking is not None:
            self._asking.cancel()
        if self._session is not None:
            self._session.close(UpstreamDeadError(f"{self.name} {why}"))
        if self._process is not None:
            self._tail = self._process.stderr_tail() or self._tail
        self._session = self._talking = self._process = None
        self._sent.clear()
        self.registrations.clear()

    def _set_state(self, state: State, reason: str) -> None:
        changed = (state, reason) != (self.state, self.reason)
        self.state, self.reason = state, reason
        for waiter in self._waiters:
            if not waiter.done():
                waiter.set_result(None)
        self._waiters.clear()
        if changed:
            self.host.changed(self)

    async def _until(self, settled: Callable[[], bool], timeout: float) -> bool:
        """Wait for a state; `False` when it did not come within `timeout` seconds."""
        try:
            async with asyncio.timeout(timeout):
                while not settled():
                    waiter = asyncio.get_running_loop().create_future()
                    self._waiters.add(waiter)
                    await waiter
        except TimeoutError:
            return False
        return True

    def _progressed(self) -> None:
        """Readiness has something new: move the state along."""
        if self._session is None:
            return
        if self.readiness.ready:
            self._set_state(State.READY, "")
        elif self.readiness.working and self.state is not State.INDEXING:
            self._set_state(State.INDEXING, "reading the workspace")

    # --- asking -----------------------------------------------------------------------

    def supports(self, method: str) -> bool:
        """Whether the server advertised a method, at start or later."""
        known = METHODS.get(method)
        if known is None:
            return True
        if capability(self.capabilities, known.capability):
            return True
        wanted = known.registration or known.name
        return any(item.get("method") == wanted for item in self.registrations.values())

    def timeout_of(self, method: str) -> float:
        """Limit in seconds for an answer to a method."""
        known = METHODS.get(method)
        default = known.timeout_s if known else OTHER_TIMEOUT_S
        return float(self.spec.timeouts.get(method, default))

    async def wait_running(self, timeout: float) -> Session:
        """The live session, waiting for `initialized`; fails at once while the server is dead."""

        def settled() -> bool:
            return self.running or self.state in (State.DEAD, State.STOPPED)

        if not await self._until(settled, timeout):
            raise UpstreamTimeoutError(f"{self.name} is still starting")
        if self._session is None or not self.running:
            raise UpstreamDeadError(f"{self.name} is not running: {self.reason}")
        return self._session

    async def wait_ready(self, timeout: float) -> bool:
        """Wait until answers are complete; `False` when they are not in time, or never."""

        def settled() -> bool:
            return self.ready or self.state in (State.DEAD, State.STOPPED, State.DEGRADED)

        await self._until(settled, timeout)
        return self.ready

    async def request(
        self, method: str, params: Any = None, *, timeout: float | None = None
    ) -> Answer:
        """Ask the server; results are raw JSON.

        Raises `UnsupportedMethodError`, `UpstreamDeadError`, `UpstreamTimeoutError` or
        `ResponseError`. ContentModified is tried again three times.
        """
        limit = self.timeout_of(method) if timeout is None else timeout
        self.waiting += 1
        try:
            return await self._request(method, params, limit)
        finally:
            self.waiting -= 1
            self.last_used = time.monotonic()

    async def _request(self, method: str, params: Any, limit: float) -> Answer:
        deadline = time.monotonic() + limit
        session = await self.wait_running(limit)
        if not self.supports(method):
            raise UnsupportedMethodError(f"{self.name} does not offer {method}")
        known = METHODS.get(method)
        complete, begun = self.ready, self.readiness.begun
        raw = await self._ask(session, method, params, deadline)
        # Asked about a file of another project, tsserver begins to load that and answers first.
        complete = complete and begun == self.readiness.begun
        if known and known.over_workspace and self.spec.readiness.kind == "stable":
            complete = await self._until_stable(session, method, params, deadline, raw)
            if not complete:
                return Answer(raw, False)
            raw = await self._ask(session, method, params, deadline)
        return Answer(raw, complete)

    async def _ask(
        self, session: Session, method: str, params: Any, deadline: float
    ) -> msgspec.Raw:
        for attempt in range(RETRIES + 1):
            try:
                return await session.request(
                    method, params, timeout=max(0.01, deadline - time.monotonic())
                )
            except ResponseError as error:
                if error.number != CONTENT_MODIFIED or attempt == RETRIES:
                    raise
                await asyncio.sleep(RETRY_PAUSE_S)
        raise AssertionError("unreachable")

    async def _until_stable(
        self, session: Session, method: str, params: Any, deadline: float, first: msgspec.Raw
    ) -> bool:
        raw = first
        while not self.ready:
            value = messages.decode(raw)
            if self.readiness.count(len(value) if isinstance(value, list) else 0):
                self._progressed()
                break
            if time.monotonic() + STABLE_PAUSE_S >= deadline:
                return False
            await asyncio.sleep(STABLE_PAUSE_S)
            raw = await self._ask(session, method, params, deadline)
        return True

    def notify(self, method: str, params: Any = None) -> None:
        """Send a notification, when it runs."""
        if self._session is not None:
            with contextlib.suppress(UpstreamDeadError):
                self._session.notify(method, params)

    # --- documents --------------------------------------------------------------------

    def attach(self, document: Document) -> None:
        """The server shall know this document (re-opened after every restart)."""
        self.last_used = time.monotonic()
        if document.uri not in self._attached:
            self._attached[document.uri] = None
            if self._session is not None:
                first = not self._sent
                self._send_open(document.uri)
                if first and not self.readiness.ready:
                    self._later(self.spec.readiness.grace_s, self._grace_over)

    def detach(self, uri: str) -> None:
        """The server need not know this document any more."""
        self._attached.pop(uri, None)
        if uri in self._sent:
            self._sent.discard(uri)
            self.notify("textDocument/didClose", {"textDocument": {"uri": uri}})

    def knows(self, uri: str) -> bool:
        """Whether the document is attached."""
        return uri in self._attached

    @property
    def attached_count(self) -> int:
        """How many documents are attached."""
        return len(self._attached)

    def change(self, document: Document, params: Any) -> None:
        """Pass a change on: as it came where the server takes increments, else the full text."""
        if document.uri not in self._sent:
            return
        kind = self._sync("change", 1)
        if kind == 2:
            self.notify("textDocument/didChange", params)
        elif kind == 1:
            self.notify(
                "textDocument/didChange",
                {
                    "textDocument": {"uri": document.uri, "version": document.version},
                    "contentChanges": [{"text": document.text}],
                },
            )

    def save(self, document: Document) -> None:
        """Tell of a save, with the text when the server wants it."""
        wants = self._sync("save", None)
        if document.uri not in self._sent or not wants:
            return
        params: dict[str, Any] = {"textDocument": {"uri": document.uri}}
        if isinstance(wants, dict) and wants.get("includeText"):
            params["text"] = document.text
        self.notify("textDocument/didSave", params)

    def _sync(self, key: str, default: Any) -> Any:
        sync = self.capabilities.get("textDocumentSync")
        if isinstance(sync, int):
            return sync if key == "change" else True
        return sync.get(key, default) if isinstance(sync, dict) else default

    def _send_open(self, uri: str) -> None:
        document = self._documents.get(uri)
        if document is None or uri in self._sent:
            return
        self._sent.add(uri)
        self.notify(
            "textDocument/didOpen",
            {
                "textDocument": {
                    "uri": uri,
                    "languageId": document.language_id,
                    "version": document.version,
                    "text": document.text,
                }
            },
        )

    # --- what the server says ---------------------------------------------------------

    async def _on_request(self, method: str, params: msgspec.Raw) -> Any:
        return await client_side.answer(self, method, params)

    def _on_notification(self, method: str, params: msgspec.Raw) -> None:
        strategy = self.spec.readiness
        watched = {
            "progress": "$/progress",
            "log": "window/logMessage",
            "notification": strategy.method,
        }.get(strategy.kind)
        if method == watched and self.readiness.feed(method, messages.decode(params)):
            self._progressed()
        self.host.notified(self, method, params)

    # --- status -----------------------------------------------------------------------

    def stderr_tail(self) -> str:
        """The end of what it wrote to stderr, of its last life when it is dead."""
        return (self._process.stderr_tail() if self._process else "") or self._tail

    def status(self) -> dict[str, Any]:
        """State for people and for `surveyor/status`."""
        return {
            "name": self.name,
            "language": self.language,
            "root": str(self.root),
            "state": self.state.value,
            "ready": self.ready,
            "reason": self.reason or None,
            "command": list(self.command),
            "pid": self.pid,
            "memoryBytes": self._process.memory_bytes() if self._process else 0,
            "restarts": self.restarts,
            "documents": len(self._attached),
            "stderr": self.stderr_tail()[-2000:],
        }
