"""Asking a server: within a time limit, again where it asks for that, no longer than it is alive.

A server that says nothing for a moment may be computing or may hang. Which of the two shows in its
processes: one that hangs uses no processor.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

import msgspec

from surveyor.servers import messages
from surveyor.servers.errors import (
    CONTENT_MODIFIED,
    GIVEN_UP,
    OTHER_TEXT,
    REPEATS,
    OtherTextError,
    ResponseError,
    UnsupportedMethodError,
    UpstreamSilentError,
    UpstreamTimeoutError,
)
from surveyor.servers.methods import METHODS
from surveyor.servers.process import ServerConnection
from surveyor.servers.readiness import Readiness
from surveyor.servers.registry import ServerSpec
from surveyor.servers.rpc_session import RpcSession
from surveyor.servers.server_documents import Told

OTHER_TIMEOUT_S = 10.0
"""Limit for methods that the table of `methods.py` does not name."""

RETRIES = 3
RETRY_PAUSE_S = 0.2
"""How a ContentModified answer is tried again, for who cannot know that the text has changed. An
editor does: what it asks is passed on once."""

HANGS_S = 60.0
"""How long a server that computes nothing may keep an answer back that nobody else has."""

STABLE_PAUSE_S = 0.3
"""Between two tries of a request whose count must be stable."""

HANGING_PATIENCE_S = 0.1
"""How long a server may say nothing once it was found to hang: whatever it says ends that."""

WORKING_S = 0.02
"""Processor time between two looks that shows work: timers of an idle server use less."""


@dataclass(frozen=True, slots=True)
class ServerAnswer:
    """A server's result as raw JSON; `complete` is false for one given before it was ready."""

    raw: msgspec.Raw
    complete: bool

    def value(self) -> Any:
        """The result as Python objects."""
        return messages.decode(self.raw)


class RequestTarget(Protocol):
    """Interface of the server that requests are sent to."""

    spec: ServerSpec
    readiness: Readiness

    @property
    def name(self) -> str:
        """Its name in the registry."""
        ...

    @property
    def ready(self) -> bool:
        """Whether its answers are complete."""
        ...

    @property
    def session(self) -> RpcSession | None:
        """The conversation, once it is initialized."""
        ...

    @property
    def process(self) -> ServerConnection | None:
        """Its process while there is one."""
        ...

    @property
    def told(self) -> Told:
        """How often it has been told of documents."""
        ...

    @property
    def last_received(self) -> float:
        """`time.monotonic()` of its last message."""
        ...

    def supports(self, method: str) -> bool:
        """Whether it advertised a method."""
        ...

    async def wait_running(self, timeout: float) -> RpcSession:
        """The live session, waiting for `initialized`."""
        ...

    def progressed(self) -> None:
        """Its readiness has something new."""
        ...


class ProcessorUse:
    """Whether a server works, by the processor time of its processes between two looks."""

    def __init__(self, server: RequestTarget) -> None:
        self._server = server
        self._seconds: float | None = None

    def sample(self) -> bool:
        """Whether it has worked since the last look, or is about to; the first takes that so."""
        process = self._server.process
        if process is None:
            return False
        before, (self._seconds, eager) = self._seconds, process.effort()
        return before is None or eager or self._seconds - before >= WORKING_S


class SilenceWatch:
    """How long one request puts up with a server that says nothing, and what excuses that.

    Work does, but not at first where the server was found to hang before: it has had its time.
    """

    def __init__(self, server: RequestTarget, patience: float | None, *, hanging: bool) -> None:
        self.patience = patience
        if patience is not None and hanging:
            self.patience = min(patience, HANGING_PATIENCE_S)
        self.tell: Callable[[], float] | None = None
        """Told of the silence; gives how many seconds more of it end the request."""
        self._use = ProcessorUse(server)
        self._hanging = hanging

    def excuse(self) -> bool:
        """Whether silence until now is no sign of hanging."""
        return self._use.sample() and not self._hanging

    def tell_once(self) -> float:
        """Tell of it."""
        self._hanging = False
        assert self.tell is not None
        return self.tell()


class RequestSender:
    """Sends requests to one server, with time limits and cancellation."""

    def __init__(self, server: RequestTarget) -> None:
        self._server = server
        self._silent_since: float | None = None
        self.waiting = 0
        """How many callers wait for an answer now."""
        self.last_used = time.monotonic()

    @property
    def hangs(self) -> bool:
        """Whether the server was found silent (see `request`), and has said nothing since."""
        return self._silent_since is not None and self._server.last_received <= self._silent_since

    def timeout_of(self, method: str) -> float:
        """Limit in seconds for an answer to a method."""
        known = METHODS.get(method)
        default = known.timeout_s if known else OTHER_TIMEOUT_S
        return float(self._server.spec.timeouts.get(method, default))

    async def request(
        self,
        method: str,
        params: Any,
        *,
        timeout: float | None,
        patience: float | None,
        retries: int = RETRIES,
        on_silence: Callable[[], None] | None = None,
    ) -> ServerAnswer:
        """See `Upstream.request`."""
        limit = self.timeout_of(method) if timeout is None else timeout
        begin = time.monotonic()
        self.waiting += 1
        watch = SilenceWatch(self._server, patience, hanging=self.hangs)
        if on_silence is not None:
            watch.tell = partial(self._found_silent, begin, on_silence)
        try:
            return await self._request(method, params, begin + limit, watch, retries)
        except UpstreamSilentError:
            self._silent_since = begin
            raise
        except (UpstreamTimeoutError, asyncio.CancelledError):
            # Its caller may have gone because somebody else had an answer by then.
            late = time.monotonic() - begin >= self.timeout_of(method)
            if patience is not None and late and self._server.last_received < begin:
                self._silent_since = begin
            raise
        finally:
            self.waiting -= 1
            self.last_used = time.monotonic()

    def _found_silent(self, since: float, on_silence: Callable[[], None]) -> float:
        self._silent_since = since
        on_silence()
        return HANGS_S

    async def _request(
        self, method: str, params: Any, deadline: float, watch: SilenceWatch, retries: int
    ) -> ServerAnswer:
        server = self._server
        session = server.session
        if session is None:
            session = await self._wait(deadline, watch)
        if not server.supports(method):
            raise UnsupportedMethodError(f"{server.name} does not offer {method}")
        known = METHODS.get(method)
        complete, begun = server.ready, server.readiness.begun

        async def ask() -> msgspec.Raw:
            return await self._ask(session, method, params, deadline, watch, retries)

        raw = await ask()
        # Asked about a file of another project, tsserver begins to load that and answers first.
        complete = complete and begun == server.readiness.begun
        if known and known.over_workspace and server.spec.readiness.kind == "stable":
            complete = await self._until_stable(ask, deadline, raw)
            if not complete:
                return ServerAnswer(raw, False)
            raw = await ask()
        return ServerAnswer(raw, complete)

    async def _wait(self, deadline: float, watch: SilenceWatch) -> RpcSession:
        """The live session of a server that is starting."""
        begin, patience = time.monotonic(), watch.patience
        while patience is not None and time.monotonic() + patience < deadline:
            watch.excuse()
            try:
                return await self._server.wait_running(patience)
            except UpstreamTimeoutError:
                if self._server.last_received >= begin:
                    break
                if not watch.excuse():
                    raise UpstreamSilentError(f"{self._server.name} is still starting") from None
        return await self._server.wait_running(deadline - time.monotonic())

    async def _ask(
        self,
        session: RpcSession,
        method: str,
        params: Any,
        deadline: float,
        watch: SilenceWatch,
        retries: int,
    ) -> msgspec.Raw:
        attempt = repeated = 0
        while True:
            before = self._server.told
            try:
                limit = max(0.01, deadline - time.monotonic())
                return await session.request(
                    method,
                    params,
                    timeout=limit,
                    patience=watch.patience,
                    calm=self.timeout_of(method),
                    excuse=watch.excuse,
                    on_silence=watch.tell and watch.tell_once,
                )
            except ResponseError as error:
                if error.number == OTHER_TEXT:
                    raise OtherTextError(error.message) from error
                told = self._server.told
                if (
                    error.number in GIVEN_UP
                    and repeated < REPEATS
                    and told.by_editor == before.by_editor
                    and told.for_questions > before.for_questions
                ):  # the asker knows of nothing that would make it ask again
                    repeated += 1
                    continue
                if error.number != CONTENT_MODIFIED or attempt == retries:
                    raise
                attempt += 1
                await asyncio.sleep(RETRY_PAUSE_S)

    async def _until_stable(
        self, ask: Callable[[], Any], deadline: float, first: msgspec.Raw
    ) -> bool:
        raw = first
        while not self._server.ready:
            value = messages.decode(raw)
            if self._server.readiness.count(len(value) if isinstance(value, list) else 0):
                self._server.progressed()
                break
            if time.monotonic() + STABLE_PAUSE_S >= deadline:
                return False
            await asyncio.sleep(STABLE_PAUSE_S)
            raw = await ask()
        return True
