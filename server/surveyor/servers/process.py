"""A language server's process: its own group, its stderr kept, and an end in every case.

Each server runs apart (`platform.processes`), so that it can be ended with all that it has started.
Should Surveyor itself be killed, a guard ends what it was told of (`platform.process_guard`).
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from surveyor import paths
from surveyor.platform.process_guard import guard_of_platform
from surveyor.platform.processes import apart, end_group, family_of, terminate_group
from surveyor.process_memory import machine_bytes
from surveyor.servers.errors import UpstreamMissingError
from surveyor.servers.transport import STREAM_LIMIT_BYTES

STDERR_TAIL_BYTES = 64 * 1024
"""How much of a server's stderr is kept."""

MEMORY_LOOK_S = 20.0
"""How often it is looked how much memory a server uses."""

OVER_MEMORY = "Surveyor ended it: it used"
"""How the last line of a server begins that used more memory than it may."""

EXIT_GRACE_S = 2.0
TERM_GRACE_S = 1.0
"""How long a server may take to end after `exit`, and after SIGTERM, in seconds."""

guard = guard_of_platform()


class ServerConnection(Protocol):
    """What an upstream needs of its server: a process of its own, or one that others use too."""

    @property
    def reader(self) -> asyncio.StreamReader:
        """What the server writes."""
        ...

    @property
    def writer(self) -> asyncio.StreamWriter:
        """What the server reads."""
        ...

    @property
    def pid(self) -> int:
        """The server's process id."""
        ...

    @property
    def running(self) -> bool:
        """Whether the server's own process is alive."""
        ...

    @property
    def returncode(self) -> int | None:
        """How the server's own process ended; `None` while it runs."""
        ...

    @property
    def broken(self) -> str:
        """Why somebody else, who reads it for us, could not follow what it writes."""
        ...

    @property
    def lost(self) -> bool:
        """Once the conversation is over: whether that says nothing of the server's program,
        because who ran it for us is gone, or has ended it."""
        ...

    def stderr_tail(self) -> str:
        """The end of what the server wrote to stderr."""
        ...

    def renew(self) -> None:
        """Have the server's process end for all who use it, so that the next start is another."""
        ...

    def hear(self, method: str, params: Any) -> None:
        """Take what is said about the server and not by it (`$/surveyor/…`)."""
        ...

    def settled(self) -> None:
        """The server was found to give complete answers."""
        ...

    async def wait(self) -> int:
        """Wait for the end of it."""
        ...

    async def end(self, *, grace: float = EXIT_GRACE_S) -> None:
        """Have no more to do with it."""
        ...

    def kill(self) -> None:
        """The same, at once."""
        ...

    def memory_bytes(self) -> int:
        """Resident memory of the server and its children."""
        ...

    def effort(self) -> tuple[float, bool]:
        """Processor time in seconds that it has used, and whether it is at work right now."""
        ...


class ServerProcess:
    """A running server: its streams, the tail of its stderr, and how to end it."""

    broken = ""
    lost = False

    def __init__(self, process: asyncio.subprocess.Process, memory_limit: int = 0) -> None:
        self.process = process
        self.pid = process.pid
        assert process.stdin is not None and process.stdout is not None
        self.writer = process.stdin
        self.reader = process.stdout
        self._tail: deque[bytes] = deque()
        self._tail_bytes = 0
        self._drain = asyncio.ensure_future(self._read_stderr())
        self._watch = asyncio.ensure_future(self._watch_memory(memory_limit))

    @classmethod
    async def spawn(
        cls,
        command: Sequence[str],
        *,
        cwd: Path,
        env: Mapping[str, str] | None = None,
        umask: int = -1,
        memory_limit: int = 0,
    ) -> ServerProcess:
        """Start a server, to be ended when it uses more than `memory_limit` bytes.

        0 is half of the machine's memory; `umask` -1 is the user's as far as it is known.

        Raises `UpstreamMissingError` when the program cannot be executed.
        """
        try:
            process = await asyncio.create_subprocess_exec(
                *command,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
                cwd=cwd,
                env=None if env is None else dict(env),
                **apart(),
                umask=paths.user_umask if umask == -1 else umask,
                limit=STREAM_LIMIT_BYTES,
            )
        except OSError as error:
            raise UpstreamMissingError(
                f"{command[0]} cannot be started: {error.strerror or error}"
            ) from error
        guard.add(process.pid)
        return cls(process, memory_limit or machine_bytes() // 2)

    @property
    def running(self) -> bool:
        """Whether the server's own process (not its children) is alive."""
        return self.process.returncode is None

    @property
    def returncode(self) -> int | None:
        """How its own process ended; `None` while it runs."""
        return self.process.returncode

    def hear(self, method: str, params: Any) -> None:
        """Nobody stands between us and the server."""

    def settled(self) -> None:
        """Nobody else wants to know."""

    def renew(self) -> None:
        """Nobody else uses it: it ends with us."""

    def stderr_tail(self) -> str:
        """The last 64 KB that the server wrote to stderr."""
        return b"".join(self._tail).decode(errors="replace")

    async def wait(self) -> int:
        """Wait for the process to end, whoever ends it, and for its stderr to be read."""
        code = await self.process.wait()
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(asyncio.shield(self._drain), 0.2)
        return code

    async def end(self, *, grace: float = EXIT_GRACE_S) -> None:
        """Close stdin, wait `grace` seconds, then TERM and KILL the whole group. Idempotent."""
        with contextlib.suppress(OSError, RuntimeError):
            self.writer.close()
        if not await self._ended(grace):
            terminate_group(self.pid)
            await self._ended(TERM_GRACE_S)
        self.kill()
        await self._ended(TERM_GRACE_S)
        self._drain.cancel()
        self._watch.cancel()
        guard.remove(self.pid)
        await close_pipes(self.process)

    def kill(self) -> None:
        """SIGKILL to the whole group, at once."""
        end_group(self.pid)

    async def _watch_memory(self, limit: int) -> None:
        while limit and self.running:
            await asyncio.sleep(MEMORY_LOOK_S)
            used = await asyncio.to_thread(self.memory_bytes)
            if used > limit:
                said = f"{OVER_MEMORY} {used >> 20} MB of memory, and may use {limit >> 20} MB"
                self._keep(f"\n{said} (memory_limit)\n".encode())
                self.kill()
                return

    def memory_bytes(self) -> int:
        """Resident memory of the process and its children; 0 when it has ended."""
        return memory_of(self.pid)

    def effort(self) -> tuple[float, bool]:
        """Processor time in seconds that the process and its children have used, and whether one of
        them runs, waits for the processor or for the disk right now."""
        return effort_of(self.pid)

    async def _ended(self, seconds: float) -> bool:
        try:
            await asyncio.wait_for(self.process.wait(), seconds)
        except TimeoutError:
            return False
        return True

    async def _read_stderr(self) -> None:
        assert self.process.stderr is not None
        while data := await self.process.stderr.read(64 * 1024):
            self._keep(data)

    def _keep(self, data: bytes) -> None:
        self._tail.append(data)
        self._tail_bytes += len(data)
        while self._tail_bytes > STDERR_TAIL_BYTES and len(self._tail) > 1:
            self._tail_bytes -= len(self._tail.popleft())


def memory_of(pid: int) -> int:
    """Resident memory in bytes of a process and its children; 0 when it has ended."""
    import psutil

    total = 0
    for member in family_of(pid):
        with contextlib.suppress(psutil.Error):
            total += member.memory_info().rss
    return total


def effort_of(pid: int) -> tuple[float, bool]:
    """Processor time in seconds of a process and its children, and whether one is at work."""
    import psutil

    seconds, eager = 0.0, False
    for member in family_of(pid):
        with contextlib.suppress(psutil.Error):
            times = member.cpu_times()
            seconds += times.user + times.system
            state = member.status()
            eager = eager or state in (psutil.STATUS_RUNNING, psutil.STATUS_DISK_SLEEP)
    return seconds, eager


async def close_pipes(process: asyncio.subprocess.Process) -> None:
    """Give the pipes of an ended process back, also those that a stray child still holds open.

    asyncio closes them when it has seen the end of each; nothing public does it before that.
    """
    transport = getattr(process, "_transport", None)
    if transport is not None:
        transport.close()
        await asyncio.sleep(0)  # the pipes' own closing is a callback
