"""One upstream language server: what it can, whether its answers are complete, and asking it.

A request waits for `initialized` within its own time limit, fails at once while the server is
dead, and is never sent when the server did not advertise its method. `lifecycle.py` has its starts
and ends, `server_documents.py` its documents, `requests.py` the requests.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import math
import os
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from surveyor import __version__
from surveyor.servers import lsp_client as client_side
from surveyor.servers import messages
from surveyor.servers.documents import OpenDocument, OpenDocuments
from surveyor.servers.errors import (
    ResponseError,
    UpstreamDeadError,
    UpstreamError,
    UpstreamTimeoutError,
)
from surveyor.servers.host.attach import HOST_PREFIX, MOVED, READY, Attach, Unconfined
from surveyor.servers.host.client import HostUnavailableError, Sharing
from surveyor.servers.lifecycle import Lifecycle, LifecycleState, LifecycleTimeouts
from surveyor.servers.methods import (
    FEATURE_OF,
    METHODS,
    Feature,
    offered_options,
    offers,
)
from surveyor.servers.process import ServerConnection, ServerProcess
from surveyor.servers.readiness import Readiness
from surveyor.servers.registry import ServerSpec
from surveyor.servers.requests import RETRIES, ProcessorUse, RequestSender, ServerAnswer
from surveyor.servers.rpc_session import RpcSession
from surveyor.servers.server_documents import ServerDocuments, Told
from surveyor.servers.uris import to_uri

__all__ = ["LifecycleState", "LifecycleTimeouts", "ServerAnswer", "Upstream"]

PROBES = ("textDocument/documentSymbol", "textDocument/hover")
"""Cheap questions about one document; an answer shows that it has been read."""

IDLE_LOOK_S = 0.5
IDLE_LOOKS = 4
"""How often in a row, and how far apart, a server is seen to compute nothing."""

STANDSTILL_S = 30.0
"""A server that has told of no progress for so long is not at work any more …"""
AT_WORK_FACTOR = 10
"""… and one that goes on telling of it is waited for so many times its deadline, at most."""

START_ANEW = "It is not started again by itself: restart the language server, or open a new window."

SETTLED = frozenset({LifecycleState.DEAD, LifecycleState.STOPPED})

REGISTERING_S = 1.0
"""How long after its start a server may register what it offers, and is waited for to do so."""

log = logging.getLogger(__name__)


class Upstream:
    """A language server working on one root."""

    def __init__(
        self,
        spec: ServerSpec,
        command: Sequence[str],
        root: Path,
        *,
        host: client_side.UpstreamHost[Upstream],
        documents: OpenDocuments,
        language: str,
        env: dict[str, str] | None = None,
        limits: LifecycleTimeouts | None = None,
        sharing: Sharing | None = None,
    ) -> None:
        """`env` is the user's, without what the server's configuration sets; None: that of this
        process. `sharing` is a way to servers that others use too; without one it has a process of
        its own."""
        self.spec = spec
        self.command = tuple(command)
        self.root = root
        self.host = host
        self.language = language
        self.capabilities: dict[str, Any] = {}
        self.registrations: dict[str, dict[str, Any]] = {}
        self.readiness = Readiness(spec.readiness)
        self._progress_at = -math.inf
        """When (`time.monotonic()`) it last said how far it is."""
        self._asking = RequestSender(self)
        self._env = env
        self._sharing = sharing
        self._limits = limits or LifecycleTimeouts()
        self._life = Lifecycle(self, self._limits)
        self._opened = ServerDocuments(documents, self.notify, lambda: self.capabilities)
        self._probing: asyncio.Task[None] | None = None

    # --- its life ---------------------------------------------------------------------

    @property
    def name(self) -> str:
        """The server's name in the registry."""
        return self.spec.name

    @property
    def state(self) -> LifecycleState:
        """Where it is in its life."""
        return self._life.state

    @property
    def reason(self) -> str:
        """Why it is in that state; empty where that goes without saying."""
        return self._life.reason

    @property
    def running(self) -> bool:
        """Whether it can be asked now."""
        return self._life.running

    @property
    def ready(self) -> bool:
        """Whether its answers are complete."""
        return self._life.state is LifecycleState.READY

    @property
    def started_ever(self) -> bool:
        """Whether it has answered `initialize` at least once."""
        return self._life.started_ever

    @property
    def stopping(self) -> bool:
        """Whether it was told to end, and not since to start."""
        return self._life.stopping

    @property
    def given_up(self) -> bool:
        """Whether it has crashed so often that it is not started again."""
        dead = self.started_ever and self.state is LifecycleState.DEAD
        return dead and self._life.restart_at == math.inf

    @property
    def restarts(self) -> int:
        """How often it was started again after a crash."""
        return self._life.restarts

    @property
    def pid(self) -> int | None:
        """Process id while there is a process."""
        return self._life.pid

    @property
    def last_used(self) -> float:
        """`time.monotonic()` of the last question or document."""
        return self._asking.last_used

    @property
    def idle_since(self) -> float:
        """`time.monotonic()` of its last use or start; now, while somebody waits for an answer."""
        if self._asking.waiting:
            return time.monotonic()
        return max(self.last_used, self._life.spawned_at)

    @property
    def session(self) -> RpcSession | None:
        """The conversation, once it is initialized."""
        return self._life.session if self.running else None

    @property
    def process(self) -> ServerConnection | None:
        """Its process while there is one."""
        return self._life.process

    @property
    def last_received(self) -> float:
        """`time.monotonic()` of its last message; 0 before the first."""
        return self._life.talking.last_received if self._life.talking else 0.0

    @property
    def told(self) -> Told:
        """How often it has been told of documents."""
        return self._opened.told

    def start(self) -> None:
        """Start it in the background, unless it runs or has been given up."""
        self._life.start()

    async def stop(self) -> None:
        """Ask it to end, then make it. Idempotent; leaves no process."""
        await self._life.stop()

    def kill(self) -> None:
        """End its processes at once, without a word."""
        self._life.kill()

    async def restart(self) -> None:
        """Stop and start anew, forgetting earlier crashes; one that others use too goes on."""
        await self._life.restart()

    async def renew(self) -> None:
        """The same with another process, also for others who use it."""
        if self.process is not None:
            self.process.renew()
        await self._life.restart()

    async def stderr(self) -> str:
        """The end of what it wrote to stderr, as far as it is known."""
        if self._sharing is not None and self.pid is not None:
            return await self._sharing.stderr_of(self.pid) or self._life.stderr_tail()
        return self._life.stderr_tail()

    # --- what its life asks of it (`lifecycle.LifecycleOwner`) ------------------------

    async def spawn(self) -> ServerConnection:
        """Start the program in its root, or have the host do so."""
        if self._sharing is not None:
            try:
                return await self._sharing.open(self._wish())
            except HostUnavailableError as error:
                log.warning("%s has a process of its own: %s", self.name, error.message)
        cwd = self.root if self.root.is_dir() else Path.home()
        return await ServerProcess.spawn(
            self.command,
            cwd=cwd,
            env={**self._user_env(), **self.spec.env},
            memory_limit=self.spec.memory_limit,
        )

    def _user_env(self) -> Mapping[str, str]:
        return self._env if self._env is not None else os.environ

    def _unconfined(self, env: Mapping[str, str]) -> Unconfined | None:
        """How its server is started elsewhere, given the user's environment."""
        other = self.spec.unconfined
        if other is None:
            return None
        elsewhere = {**env, **other.env}
        return Unconfined(
            env={name: elsewhere.get(name) for name in self.spec.env},
            chosen_env=tuple(other.env),
            settings=other.all_settings,
            initialization_options=other.initialization_options,
        )

    def _wish(self) -> Attach:
        """What makes its server one that others can use too."""
        env = self._user_env()
        return Attach(
            version=__version__,
            pid=os.getpid(),
            attached=self.host.attached,
            name=self.name,
            language=self.language,
            command=self.command,
            root=str(self.root),
            env={**env, **self.spec.env},
            chosen_env=tuple(self.spec.env),
            settings=self.spec.all_settings,
            initialization_options=self.spec.initialization_options,
            profile=client_side.extra_capabilities(self.host, self.host.relayed(self)),
            readiness=self.spec.readiness,
            memory_limit=self.spec.memory_limit,
            unconfined=self._unconfined(env),
        )

    def talk(self, process: ServerConnection) -> RpcSession:
        """A conversation over the process's streams."""
        self.readiness = Readiness(self.spec.readiness)
        return RpcSession(
            process.reader,
            process.writer,
            on_request=self._on_request,
            on_notification=self._on_notification,
            name=self.name,
            uncancellable=self.spec.uncancellable,
            lost=lambda: process.lost or self.stopping,
        )

    async def greet(self, session: RpcSession) -> None:
        """Send `initialize` and take its answer."""
        raw = await session.request(
            "initialize",
            self._initialize_params(),
            timeout=self.spec.timeouts.get("initialize", self._limits.initialize_s),
        )
        self.capabilities = capabilities_of(raw)

    def began(self, session: RpcSession) -> None:
        """Send what follows `initialize`, the open documents too."""
        session.notify("initialized", {})
        if settings := self.spec.all_settings:
            session.notify("workspace/didChangeConfiguration", {"settings": settings})
        self._opened.send_all()
        self._await_readiness()

    def ended(self) -> None:
        """Forget what belonged to the life that is over."""
        if self._probing is not None:
            self._probing.cancel()
        self._opened.sent.clear()
        self.registrations.clear()

    def changed(self) -> None:
        """Tell the host."""
        self.host.changed(self)

    def _initialize_params(self) -> dict[str, Any]:
        params: dict[str, Any] = {
            "processId": os.getpid(),
            "clientInfo": {"name": "surveyor", "version": __version__},
            "rootPath": str(self.root),
            "rootUri": to_uri(self.root),
            "capabilities": client_side.client_capabilities(self.host, self.host.relayed(self)),
            "workspaceFolders": client_side.workspace_folders(self),
            "trace": "off",
        }
        if self.spec.initialization_options is not None:
            params["initializationOptions"] = self.spec.initialization_options
        return params

    # --- readiness --------------------------------------------------------------------

    def _await_readiness(self) -> None:
        if self.readiness.ready:
            self.progressed()
        elif self._opened.sent:
            self._later(self.spec.readiness.grace_s, self._grace_over)
        self._later(self.spec.readiness.deadline_s, self._deadline_over)

    def _later(self, seconds: float, action: Callable[[], None]) -> None:
        """Do something after a while, if the same process is still waited for."""
        readiness = self.readiness
        self._life.later(seconds, lambda: action() if self.readiness is readiness else None)

    def progressed(self) -> None:
        """Readiness has something new: move the state along."""
        if self._life.session is None:
            return
        if self.readiness.ready:
            if self.state is not LifecycleState.READY and self._life.process is not None:
                self._life.process.settled()
            self._life.set_state(LifecycleState.READY, "")
        elif self.readiness.trouble:
            said = self.readiness.trouble.rstrip(".")
            self._life.set_state(LifecycleState.DEGRADED, f"{said}; answers may be partial")
        elif self.readiness.working and self.state is not LifecycleState.INDEXING:
            self._life.set_state(LifecycleState.INDEXING, "reading the workspace")

    def _grace_over(self) -> None:
        life = self._life.session
        if life is not None and not self.readiness.ready:
            self._probing = asyncio.ensure_future(self._grace_answered(life))

    async def _grace_answered(self, life: RpcSession) -> None:
        """Ready after the grace only if the server has got as far as answering about a document.

        On a busy machine work has not even begun within the grace: an answer comes behind it.
        """
        method = next((m for m in PROBES if self.supports(m)), None)
        if method is not None and self._opened.sent:
            params = {
                "textDocument": {"uri": next(iter(self._opened.sent))},
                "position": {"line": 0, "character": 0},
            }
            try:
                await life.request(method, params, timeout=self.spec.readiness.deadline_s)
            except ResponseError:
                log.debug("%s answered a question about a document with an error", self.name)
            except UpstreamError:
                return
        if self.spec.readiness.kind == "stable":
            await self._until_idle()
        if self._life.session is life and self.readiness.grace_over():
            self.progressed()

    async def _until_idle(self) -> None:
        """Wait until the server computes nothing: one without a signal has then read its files."""
        work, idle = ProcessorUse(self), 0
        while idle < IDLE_LOOKS:
            await asyncio.sleep(IDLE_LOOK_S)
            idle = 0 if work.sample() else idle + 1

    def _deadline_over(self) -> None:
        if self.state in (LifecycleState.INITIALIZED, LifecycleState.INDEXING):
            limit, now = self.spec.readiness.deadline_s, time.monotonic()
            waited = now - self._life.initialized_at
            if now - self._progress_at < STANDSTILL_S and waited < limit * AT_WORK_FACTOR:
                # It says what it does: rust-analyzer compiles a crate's dependencies first.
                self._later(STANDSTILL_S, self._deadline_over)
                return
            reason = f"not ready after {max(waited, limit):.0f} s; answers may be partial"
            self._life.set_state(LifecycleState.DEGRADED, reason)

    async def wait_running(self, timeout: float, restart_s: float = 0.0) -> RpcSession:
        """The live session, waiting for `initialized`.

        Fails at once while the server is dead, unless it is started again within `restart_s`.
        """

        def settled() -> bool:
            soon = self._life.restart_at <= time.monotonic() + restart_s
            return self.running or (self.state in SETTLED and not soon)

        if not await self._life.until(settled, timeout):
            raise UpstreamTimeoutError(f"{self.name} is still starting")
        session = self._life.session
        if session is None or not self.running:
            what = f"{self.name} is not running: {self.reason}"
            raise UpstreamDeadError(f"{what}. {START_ANEW}" if self.given_up else what)
        return session

    async def until_offered(self, method: str) -> None:
        """Wait while a server that has just started may still register a method."""

        def settled() -> bool:
            return not self.running or self.supports(method)

        left = self._life.initialized_at + REGISTERING_S - time.monotonic()
        if left > 0 and not settled():
            await self._life.until(settled, left)

    async def wait_ready(self, timeout: float) -> bool:
        """Wait until answers are complete; `False` when they are not in time, or never."""

        def settled() -> bool:
            return self.ready or self.state is LifecycleState.DEGRADED or self.state in SETTLED

        await self._life.until(settled, timeout)
        return self.ready

    # --- asking -----------------------------------------------------------------------

    def supports(self, method: str) -> bool:
        """Whether the server advertised a method, at start or later."""
        feature = FEATURE_OF.get(method)
        return feature is None or offers(self.options(feature), METHODS[method])

    def options(self, feature: Feature) -> list[Any]:
        """Options under which the server offers a feature now; none where it does not."""
        return offered_options(feature, self.capabilities, self.registrations.values())

    def timeout_of(self, method: str) -> float:
        """Limit in seconds for an answer to a method."""
        return self._asking.timeout_of(method)

    async def request(
        self,
        method: str,
        params: Any = None,
        *,
        timeout: float | None = None,
        patience: float | None = None,
        retries: int = RETRIES,
        on_silence: Callable[[], None] | None = None,
    ) -> ServerAnswer:
        """Ask the server; results are raw JSON.

        `timeout` in seconds may be `math.inf`. `patience` is how long in seconds a server may say
        nothing at all; one that shows progress, logs, gives other answers or computes is busy and
        has the whole `timeout`. `on_silence` is told of silence, which then ends the request only
        when it lasts (`HANGS_S`). A ContentModified is tried again `retries` times.

        Raises `UnsupportedMethodError`, `UpstreamDeadError`, `UpstreamTimeoutError` or
        `ResponseError`.
        """
        return await self._asking.request(
            method,
            params,
            timeout=timeout,
            patience=patience,
            retries=retries,
            on_silence=on_silence,
        )

    def notify(self, method: str, params: Any = None) -> None:
        """Send a notification, when it runs."""
        if self._life.session is not None:
            with contextlib.suppress(UpstreamDeadError):
                self._life.session.notify(method, params)

    # --- documents --------------------------------------------------------------------

    def attach(self, document: OpenDocument) -> None:
        """The server shall know this document (re-opened after every restart)."""
        self._asking.last_used = time.monotonic()
        if self._opened.attach(document.uri) and self._life.session is not None:
            first = not self._opened.sent
            self._opened.send(document.uri)
            if first and not self.readiness.ready:
                self._later(self.spec.readiness.grace_s, self._grace_over)

    def detach(self, uri: str) -> None:
        """The server need not know this document any more."""
        self._opened.detach(uri)

    def knows(self, uri: str) -> bool:
        """Whether the document is attached."""
        return uri in self._opened

    @property
    def attached_count(self) -> int:
        """How many documents are attached."""
        return len(self._opened)

    def change(self, document: OpenDocument, params: Any) -> None:
        """Pass a change on."""
        self._opened.change(document, params)

    def save(self, document: OpenDocument) -> None:
        """Tell of a save."""
        self._opened.save(document)

    # --- what the server says ---------------------------------------------------------

    async def _on_request(self, method: str, params: msgspec.Raw) -> Any:
        try:
            return await client_side.answer(self, self.host, method, params)
        finally:
            self._life.wake()  # it may have registered something

    def _on_notification(self, method: str, params: msgspec.Raw) -> None:
        if method.startswith(HOST_PREFIX):
            self._on_host(method, params)
            return
        if method == "$/progress":
            self._progress_at = time.monotonic()
        strategy = self.spec.readiness
        watched = {
            "progress": "$/progress",
            "log": "window/logMessage",
            "notification": strategy.method,
        }.get(strategy.kind)
        if method == watched and self.readiness.feed(method, messages.decode(params)):
            self.progressed()
        self.host.notified(self, method, params)

    def _on_host(self, method: str, params: msgspec.Raw) -> None:
        if method == READY:
            self.readiness.ready = True
            self.progressed()
        elif self._life.process is not None:
            self._life.process.hear(method, messages.decode(params))
            if method == MOVED:
                self._begin_anew()

    def _begin_anew(self) -> None:
        """Another process answers from now on: what was known of how far it is, was of the other.

        The host says at once if it is ready.
        """
        if self._life.session is None:
            return
        if self._probing is not None:
            self._probing.cancel()  # it asks the other process
        self.readiness = Readiness(self.spec.readiness)
        self._life.set_state(LifecycleState.INITIALIZED, "")
        self._await_readiness()

    # --- status -----------------------------------------------------------------------

    def stderr_tail(self) -> str:
        """The end of what it wrote to stderr, of its last life when it is dead."""
        return self._life.stderr_tail()

    def status(self) -> dict[str, Any]:
        """State for people and for `surveyor/status`."""
        process = self._life.process
        return {
            "name": self.name,
            "language": self.language,
            "root": str(self.root),
            "state": self.state.value,
            "ready": self.ready,
            "reason": self.reason or None,
            "command": list(self.command),
            "pid": self.pid,
            "memoryBytes": process.memory_bytes() if process else 0,
            "restarts": self.restarts,
            "documents": self.attached_count,
            "stderr": self.stderr_tail()[-2000:],
        }


def capabilities_of(raw: msgspec.Raw) -> dict[str, Any]:
    """`ServerCapabilities` of an answer to `initialize`, as far as it is one."""
    result = messages.decode(raw)
    found = result.get("capabilities") if isinstance(result, dict) else None
    return found if isinstance(found, dict) else {}
