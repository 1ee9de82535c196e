"""A face's way to the host: find it, start it where there is none, get a server from it.

A server of the host looks to an upstream like a process of its own (`process.ServerConnection`).
Where no host can be had there is none, and the face starts the server itself.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from surveyor import paths
from surveyor.engine_lock import FileLock, is_held
from surveyor.errors import SurveyorError
from surveyor.platform import endpoints, users
from surveyor.platform.processes import apart
from surveyor.servers import messages
from surveyor.servers.errors import FramingError, UpstreamError, UpstreamMissingError
from surveyor.servers.host.attach import (
    APPLICATION_ERROR,
    ATTACH,
    ENDED,
    MOVED,
    READY,
    RENEW,
    REPLACED,
    STATUS,
    Attach,
    Attached,
)
from surveyor.servers.process import EXIT_GRACE_S, effort_of, memory_of
from surveyor.servers.transport import STREAM_LIMIT_BYTES, frame, read_frame

SOCKET, LOCK, START_LOCK = "servers.sock", "servers.lock", "servers-start.lock"
"""In the runtime folder: where the host listens, what it holds, and who is starting one."""

START_S = 10.0
"""How long a host may take to listen: then the face goes without."""

ATTACH_S = 20.0
"""How long it may take to start a server's process."""

STATUS_S = 5.0
"""How long the host may take to say what runs."""

RETRY_S = 0.02

TRIES = 2
"""How often a host is started again that was ended before it listened."""

LOOK_AGAIN_S = 60.0
"""How long a face goes without a host that it has waited for in vain."""

LOG_BYTES = 1 << 20
"""A longer log is begun anew with the next host."""

log = logging.getLogger(__name__)


class HostUnavailableError(UpstreamError):
    """No host can be reached, nor started."""

    code = "host_unavailable"


class HostGoneError(HostUnavailableError):
    """The host ended, or ends to make room for one of our version."""


class HostedServer:
    """A server of the host, as one client has it."""

    def __init__(
        self, attached: Attached, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        self.reader = reader
        self.writer = writer
        self.pid = attached.pid
        self.returncode: int | None = None
        self.broken = ""
        self.lost = True
        self._tail = ""
        self._over = asyncio.Event()

    @property
    def running(self) -> bool:
        """Whether the conversation about it lasts."""
        return not self.writer.is_closing() and not self.reader.at_eof()

    def hear(self, method: str, params: Any) -> None:
        """What the host says of it."""
        if method == ENDED and isinstance(params, dict):
            code = params.get("code")
            self.returncode = code if isinstance(code, int) else None
            self.broken = str(params.get("broken") or "")
            self._tail = str(params.get("stderr") or "")
            self.lost = bool(params.get("stopped"))
            self._over.set()
        elif method == MOVED and isinstance(params, dict) and isinstance(params.get("pid"), int):
            self.pid = params["pid"]

    def settled(self) -> None:
        """We found its answers to be complete: whoever comes later need not."""
        body = messages.splice_notification(READY, b"{}")
        if not self.writer.is_closing():
            self.writer.write(frame(body))

    def renew(self) -> None:
        """Have the host end its process, and start another for whoever comes next."""
        if not self.writer.is_closing():
            self.writer.write(frame(messages.splice_notification(RENEW, b"{}")))

    def stderr_tail(self) -> str:
        """Its last words, once it has ended."""
        return self._tail

    async def wait(self) -> int:
        """Wait until the host says that it has ended, or we have no more to do with it."""
        await self._over.wait()
        return self.returncode or 0

    async def end(self, *, grace: float = EXIT_GRACE_S) -> None:
        """Leave it to others. What was written still arrives."""
        self._over.set()
        self.writer.close()
        with contextlib.suppress(OSError, TimeoutError):
            await asyncio.wait_for(self.writer.wait_closed(), 1.0)

    def kill(self) -> None:
        """Leave it at once."""
        self._over.set()
        self.writer.transport.abort()

    def memory_bytes(self) -> int:
        """Resident memory of the server, which others use too."""
        return memory_of(self.pid)

    def effort(self) -> tuple[float, bool]:
        """What it has computed, for whomever."""
        return effort_of(self.pid)


_missed: dict[Path, float] = {}
"""When a host was last looked for in vain, by data folder."""


def own_umask() -> int:
    """The umask that the user's files shall have."""
    if paths.user_umask != -1:
        return paths.user_umask
    return users.current_umask()


@dataclass(frozen=True, slots=True)
class Sharing:
    """The way of one face to the host."""

    data: Path
    client: str = ""
    """Who the face is, for people."""
    grace_s: float = 60.0
    """How long a server that nobody uses any more is kept for who comes again."""

    async def open(self, wish: Attach) -> HostedServer:
        """See `open_server`."""
        wish.client, wish.grace_s, wish.umask = self.client, self.grace_s, own_umask()
        missed = _missed.get(self.data)
        if missed is not None and time.monotonic() - missed < LOOK_AGAIN_S:
            raise HostUnavailableError("there was no host of language servers a moment ago")
        until = time.monotonic() + START_S
        try:
            while True:
                try:
                    return await open_server(self.data, wish)
                except HostGoneError as error:
                    if time.monotonic() > until:
                        raise
                    log.info("%s: another one is due", error.message)
                    # One that ends closes its socket at once: then `_connect` waits for the next.
                    await asyncio.sleep(RETRY_S)
        except HostUnavailableError:
            _missed[self.data] = time.monotonic()
            raise

    async def stderr_of(self, pid: int) -> str:
        """The end of what a server of the host has written to stderr; empty where it is gone."""
        try:
            status = await ask(self.data, STATUS, limit_s=STATUS_S)
        except (OSError, TimeoutError):
            return ""
        rows = (status or {}).get("servers", [])
        return next((str(row.get("stderr") or "") for row in rows if row.get("pid") == pid), "")


async def open_server(data: Path, wish: Attach) -> HostedServer:
    """A server of the host, which is started if need be.

    Raises `HostUnavailableError` where there is none, `HostGoneError` where it is ending,
    `UpstreamMissingError` where it cannot
    execute the program.
    """
    reader, writer = await _connect(data)
    try:
        request = messages.splice_request(0, ATTACH, messages.encode(wish))
        writer.write(frame(request))
        async with asyncio.timeout(ATTACH_S):
            body = await read_frame(reader, forgive_junk=False)
        if body is None:
            raise HostGoneError("the host of language servers went away")
        answer = messages.decode_envelope(body)
    except ConnectionError as error:
        writer.close()
        raise HostGoneError("the host of language servers went away") from error
    except (OSError, TimeoutError, FramingError, msgspec.DecodeError) as error:
        writer.close()
        raise HostUnavailableError(f"the host of language servers: {error}") from error
    except BaseException:
        writer.close()
        raise
    if bytes(answer.error) not in (b"", b"null"):
        writer.close()
        said = msgspec.json.decode(answer.error, type=messages.ErrorObject)
        if said.code == APPLICATION_ERROR:
            raise UpstreamMissingError(said.message)
        if said.code == REPLACED:
            raise HostGoneError(said.message)
        raise HostUnavailableError(said.message)
    return HostedServer(msgspec.json.decode(answer.result, type=Attached), reader, writer)


async def ask(data: Path, method: str, *, limit_s: float = ATTACH_S) -> Any:
    """Ask a host that runs something about itself; `None` where none runs.

    Raises `TimeoutError` after `limit_s` seconds without an answer, `OSError` when it goes away.
    """
    try:
        reader, writer = await _open(paths.runtime_dir(data))
    except (OSError, HostUnavailableError):
        return None
    try:
        writer.write(frame(messages.splice_request(0, method, b"{}")))
        async with asyncio.timeout(limit_s):
            body = await read_frame(reader, forgive_junk=False)
        return None if body is None else messages.decode(messages.decode_envelope(body).result)
    finally:
        writer.close()


async def _open(runtime: Path) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    if not endpoints.is_unix():
        raise HostUnavailableError("there is no host of language servers on this platform")
    connection = endpoints.connect(runtime / SOCKET)
    return await asyncio.open_connection(sock=connection, limit=STREAM_LIMIT_BYTES)


async def _connect(data: Path) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """A connection to the host, which one client at a time starts where there is none."""
    deadline = time.monotonic() + START_S
    child: subprocess.Popen[bytes] | None = None
    ended, is_mine = 0, False
    with contextlib.ExitStack() as starting:
        try:
            runtime = paths.make_folders(data)
            turn = FileLock(runtime / START_LOCK)
            starting.callback(turn.release)
            while time.monotonic() < deadline:
                with contextlib.suppress(FileNotFoundError, ConnectionRefusedError):
                    return await _open(runtime)
                if child is not None and (code := child.poll()) is not None:
                    ended += 1
                    if code > 0 or ended > TRIES:
                        raise HostUnavailableError(f"the host ended with {code}")
                    # Somebody ended it before it listened: nothing is wrong with it.
                    child, deadline = None, time.monotonic() + START_S
                if child is None and not is_held(runtime / LOCK):
                    is_mine = is_mine or turn.acquire()
                    if is_mine:
                        child = _spawn(data)
                await asyncio.sleep(RETRY_S)
        except (OSError, SurveyorError) as error:
            if isinstance(error, HostUnavailableError):
                raise
            raise HostUnavailableError(f"no host of language servers: {error}") from error
    raise HostUnavailableError(f"the host of language servers did not listen within {START_S:g} s")


def _spawn(data: Path) -> subprocess.Popen[bytes]:
    """Start the host, in a session of its own; what it says goes to its log."""
    environment = {
        **os.environ,
        "SURVEYOR_DATA_DIR": str(data),
        "PYTHONPATH": os.pathsep.join(paths.import_path()),
    }
    log_file = paths.log_file(data).with_name("servers.log")
    with contextlib.suppress(OSError):
        if log_file.stat().st_size > LOG_BYTES:
            log_file.unlink()
    with open(log_file, "ab", opener=_private) as output:
        return subprocess.Popen(
            [sys.executable, "-m", "surveyor", "servers", "run", "--detached"],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            cwd=data,
            **apart(),
            env=environment,
        )


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)
