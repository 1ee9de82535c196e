"""The lives of one server program: started, greeted, ended or crashed, started again.

    stopped -> starting -> initialized -> indexing -> ready | degraded -> dead

Knows processes, conversations and time, and nothing of LSP's requests: what is said in a life is
its owner's business.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import math
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from surveyor.servers.errors import UpstreamDeadError, UpstreamError, UpstreamLostError
from surveyor.servers.process import EXIT_GRACE_S, ServerConnection
from surveyor.servers.rpc_session import RpcSession
from surveyor.units import counted

INITIALIZE_TIMEOUT_S = 60.0
SHUTDOWN_TIMEOUT_S = 2.0

BACKOFF_S = (1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 60.0)
MAX_RESTARTS = 5
RESTART_WINDOW_S = 180.0
"""More restarts than this in the window and the server is left alone."""

LOST_PAUSES_S = (0.0, 0.5, 1.0, 2.0)
"""Pauses before a server is started again that was lost with the host that ran it, by how often
that was so in the window; the last repeats. Nothing is wrong with the server: it is not given up.
"""

log = logging.getLogger(__name__)


class LifecycleState(StrEnum):
    """The states of an upstream's process and session."""

    STOPPED = "stopped"
    STARTING = "starting"
    INITIALIZED = "initialized"
    INDEXING = "indexing"
    READY = "ready"
    DEGRADED = "degraded"
    DEAD = "dead"


RUNNING = frozenset(
    {
        LifecycleState.INITIALIZED,
        LifecycleState.INDEXING,
        LifecycleState.READY,
        LifecycleState.DEGRADED,
    }
)
"""States in which a server can be asked."""


@dataclass(frozen=True, slots=True)
class LifecycleTimeouts:
    """Time limits of the life cycle in seconds; tests shorten them."""

    backoff_s: Sequence[float] = BACKOFF_S
    max_restarts: int = MAX_RESTARTS
    window_s: float = RESTART_WINDOW_S
    initialize_s: float = INITIALIZE_TIMEOUT_S


class LifecycleOwner(Protocol):
    """Interface of the upstream whose process a `Lifecycle` starts and restarts."""

    @property
    def name(self) -> str:
        """The server's name."""
        ...

    async def spawn(self) -> ServerConnection:
        """Start the program."""
        ...

    def talk(self, process: ServerConnection) -> RpcSession:
        """A conversation over a process's streams."""
        ...

    async def greet(self, session: RpcSession) -> None:
        """Send `initialize` and take its answer; raises `UpstreamError`s."""
        ...

    def began(self, session: RpcSession) -> None:
        """The server is initialized: tell it what it has to know."""
        ...

    def ended(self) -> None:
        """A life is over: forget what belonged to it."""
        ...

    def changed(self) -> None:
        """The state has changed."""
        ...


class Lifecycle:
    """Starts, restarts and ends the processes of one server."""

    def __init__(self, owner: LifecycleOwner, limits: LifecycleTimeouts) -> None:
        self.state = LifecycleState.STOPPED
        self.reason = ""
        self.restarts = 0
        self.started_ever = False
        """Whether it has answered `initialize` at least once."""
        self.spawned_at = 0.0
        self.initialized_at = 0.0
        self.restart_at = math.inf
        """When (`time.monotonic()`) it is started again; infinity while that is not planned."""
        self.session: RpcSession | None = None
        """The conversation once `initialize` has been answered."""
        self.talking: RpcSession | None = None
        """The conversation from the process's start."""
        self.process: ServerConnection | None = None
        self._owner = owner
        self._limits = limits
        self._supervisor: asyncio.Task[None] | None = None
        self._waiters: set[asyncio.Future[None]] = set()
        self._timers: set[asyncio.TimerHandle] = set()
        self._deaths: deque[float] = deque()
        self._losses: deque[float] = deque()
        self._lost = False
        """Whether the last life ended for a reason that is not the program's."""
        self._tail = ""
        self.stopping = False

    @property
    def running(self) -> bool:
        """Whether it can be asked now."""
        return self.session is not None and not self.session.closed and self.state in RUNNING

    @property
    def pid(self) -> int | None:
        """Process id while there is a process."""
        return self.process.pid if self.process and self.process.running else None

    def stderr_tail(self) -> str:
        """The end of what it wrote to stderr, of its last life when it is dead."""
        return (self.process.stderr_tail() if self.process else "") or self._tail

    # --- from outside -----------------------------------------------------------------

    def start(self) -> None:
        """Start it in the background, unless it runs or has been given up."""
        if self._supervisor is None or self._supervisor.done():
            self.stopping = False
            self.set_state(LifecycleState.STARTING, "")
            self._supervisor = asyncio.ensure_future(self._supervise())

    async def stop(self) -> None:
        """Ask it to end, then make it. Idempotent; leaves no process."""
        self.stopping = True
        polite = False
        if self.session is not None and not self.session.closed:
            with contextlib.suppress(UpstreamError):
                await self.session.request("shutdown", timeout=SHUTDOWN_TIMEOUT_S)
                polite = True
            with contextlib.suppress(UpstreamError):
                self.session.notify("exit")
        if self.process is not None:
            await self.process.end(grace=EXIT_GRACE_S if polite else 0.0)
        self.restart_at = math.inf
        supervisor, self._supervisor = self._supervisor, None
        if supervisor is not None:
            supervisor.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await supervisor
        self._over("was stopped")
        self.set_state(LifecycleState.STOPPED, "")

    def kill(self) -> None:
        """End its processes at once, without a word (the last moment of Surveyor itself)."""
        self.stopping = True
        if self.process is not None:
            self.process.kill()

    async def restart(self) -> None:
        """Stop and start anew, forgetting earlier crashes."""
        await self.stop()
        self._deaths.clear()
        self._losses.clear()
        self.start()

    def set_state(self, state: LifecycleState, reason: str) -> None:
        """Move on, waking whoever waits for a state."""
        changed = (state, reason) != (self.state, self.reason)
        self.state, self.reason = state, reason
        self.wake()
        if changed:
            self._owner.changed()

    def wake(self) -> None:
        """Have what waits in `until` look again."""
        for waiter in self._waiters:
            if not waiter.done():
                waiter.set_result(None)
        self._waiters.clear()

    async def until(self, settled: Callable[[], bool], timeout: float) -> bool:
        """Wait for a state, or what `wake` tells of; `False` when `timeout` seconds are over."""
        if settled():
            return True
        try:
            async with asyncio.timeout(None if timeout == math.inf else timeout):
                while not settled():
                    waiter = asyncio.get_running_loop().create_future()
                    self._waiters.add(waiter)
                    await waiter
        except TimeoutError:
            return False
        return True

    def later(self, seconds: float, action: Callable[[], None]) -> None:
        """Do something after a while, if this life still lasts."""
        life = self.session

        def fire() -> None:
            self._timers.discard(handle)
            if self.session is life:
                action()

        handle = asyncio.get_running_loop().call_later(seconds, fire)
        self._timers.add(handle)

    # --- one life after another -------------------------------------------------------

    async def _supervise(self) -> None:
        while True:
            self._lost = False
            try:
                why = await self._live()
            except UpstreamError as error:
                why = error.message
            except asyncio.CancelledError:
                raise
            except Exception as error:
                log.exception("%s", self._owner.name)
                why = f"{type(error).__name__}: {error}"
            self._over(why)
            if self.stopping:
                return
            if self._lost:
                times = self._count(self._losses)
                self.set_state(LifecycleState.STARTING, f"starting again: {why}")
                await asyncio.sleep(LOST_PAUSES_S[min(times, len(LOST_PAUSES_S)) - 1])
                self.restarts += 1
                continue
            self._count(self._deaths)
            if not self.started_ever or len(self._deaths) > self._limits.max_restarts:
                # A program that never came up will not by trying again: a shim, a wrong option.
                often = (
                    f" {counted(len(self._deaths), 'time')} in 3 minutes"
                    if self.started_ever
                    else ""
                )
                self.set_state(LifecycleState.DEAD, f"ended{often}: {why}")
                return
            pause = self._limits.backoff_s[min(len(self._deaths), len(self._limits.backoff_s)) - 1]
            self.restart_at = time.monotonic() + pause
            self.set_state(LifecycleState.DEAD, f"restarting in {pause:g} s: {why}")
            await asyncio.sleep(pause)
            self.restarts += 1
            self.restart_at = math.inf
            self.set_state(LifecycleState.STARTING, "restarting")

    def _count(self, ends: deque[float]) -> int:
        """Note an end of now; how many there were in the window."""
        now = time.monotonic()
        ends.append(now)
        while now - ends[0] > self._limits.window_s:
            ends.popleft()
        return len(ends)

    async def _live(self) -> str:
        """One life: from the process's start to its end; returns why it ended."""
        self.spawned_at = time.monotonic()
        self.set_state(LifecycleState.STARTING, "")
        process = self.process = await self._owner.spawn()
        session = self.talking = self._owner.talk(process)
        reading = asyncio.ensure_future(session.run())
        ended = asyncio.ensure_future(process.wait())
        try:
            await self._owner.greet(session)
            self.session = session
            self.started_ever = True
            self.initialized_at = time.monotonic()
            self.set_state(LifecycleState.INITIALIZED, "")
            self._owner.began(session)
            await asyncio.wait([reading, ended], return_when=asyncio.FIRST_COMPLETED)
            return await self._why(process, session)
        except UpstreamDeadError:
            return await self._why(process, session)
        finally:
            reading.cancel()
            ended.cancel()
            session.close(self._error("ended before it answered; ask again"))
            self._tail = process.stderr_tail()
            await process.end(grace=0.0)

    async def _why(self, process: ServerConnection, session: RpcSession) -> str:
        """Why a life ended that we did not end."""
        self._lost = process.lost
        if self._lost:
            return "the host of language servers ended, or was told to start it anew"
        return session.broken or await cause(process)

    def _error(self, why: str) -> UpstreamDeadError:
        """What is told to who waits for an answer."""
        kind = UpstreamLostError if self._lost or self.stopping else UpstreamDeadError
        return kind(f"{self._owner.name} {why}")

    def _over(self, why: str) -> None:
        for timer in self._timers:
            timer.cancel()
        self._timers.clear()
        if self.session is not None:
            self.session.close(self._error(why))
        if self.process is not None:
            self._tail = self.process.stderr_tail() or self._tail
        self.session = self.talking = self.process = None
        self._owner.ended()


async def cause(process: ServerConnection) -> str:
    """Why a process ended, with the last lines of its stderr."""
    with contextlib.suppress(TimeoutError):
        await asyncio.wait_for(process.wait(), 0.5)
    if process.broken:
        return process.broken
    code = process.returncode
    tail = process.stderr_tail().strip().splitlines()[-5:]
    ending = "closed its output" if code is None else f"ended with status {code}"
    return ending + (": " + " | ".join(tail) if tail else "")
