"""The faces' way to the engine, synchronous: find it, start it when needed, call it.

Only what a fast command may import: sockets and msgspec. `async_client` is the other half.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any, TypeVar

import msgspec

from surveyor import __version__, paths
from surveyor.engine_lock import (
    START_LOCK,
    FileLock,
    data_unusable,
    holder_of,
    is_held,
    pause_after,
)
from surveyor.errors import EngineUnavailableError, NotFoundError, SurveyorError, UsageError
from surveyor.platform import endpoints, processes
from surveyor.platform.load import slowness
from surveyor.protocol.base import PROTOCOL_MIN, Request
from surveyor.protocol.sessions import Hello, Welcome

A = TypeVar("A")

START_TIMEOUT_S = 30.0
"""An engine answers in about a second; a slow disk and a long log replay get their time, and where
processes wait for a processor as many times of it."""
GREET_TIMEOUT_S = 10.0
"""An engine that serves greets at once; one that takes longer is stuck."""
NO_SPACE_BYTES = 1 << 20
"""An engine that fails to start with less free than this failed for want of space."""

ERRORS = {error.code: error for error in (UsageError, NotFoundError, EngineUnavailableError)}


_END_IT = "`surveyor engine stop` ends it; `surveyor engine logs` has what it was at."


class SilentEngineError(EngineUnavailableError):
    """Raised where a process holds the data folder's lock and does not answer."""


class EngineReply(msgspec.Struct):
    """A response or notification that the engine has sent."""

    id: int | str | None = None
    result: msgspec.Raw = msgspec.Raw(b"null")
    error: dict[str, Any] | None = None
    method: str | None = None
    params: msgspec.Raw = msgspec.Raw(b"null")


OnNotification = Callable[[str, msgspec.Raw], None]
"""Hears what the engine tells while it is at work: a method and its params."""


class Client:
    """A session with the engine, one call at a time."""

    def __init__(self, connection: socket.socket) -> None:
        self._socket = connection
        self._stream = connection.makefile("rwb")
        self._next_id = 1
        self.welcome: Welcome | None = None

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the session."""
        self._stream.close()
        self._socket.close()

    def call(self, request: Request[A], told: OnNotification | None = None) -> A:
        """Ask and wait for the answer; `told` hears what the engine says meanwhile.

        Raises the `SurveyorError` that the engine raised, `EngineUnavailableError` when it went
        away meanwhile.
        """
        raw = self._roundtrip(request.operation, request, told)
        answer: A = msgspec.json.decode(raw, type=request.answer)
        return answer

    def greet(self, hello: Hello, timeout_s: float = GREET_TIMEOUT_S) -> Welcome:
        """Say who is calling; must come first. Raises `TimeoutError`."""
        self.limit(timeout_s)
        self.welcome = msgspec.json.decode(self._roundtrip("hello", hello), type=Welcome)
        self.limit(None)
        return self.welcome

    def limit(self, timeout_s: float | None) -> None:
        """From now on an answer that takes longer raises `TimeoutError`; None: any may come."""
        self._socket.settimeout(timeout_s)

    def _roundtrip(
        self, method: str, params: object, told: OnNotification | None = None
    ) -> msgspec.Raw:
        number, self._next_id = self._next_id, self._next_id + 1
        message = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
        try:
            line = msgspec.json.encode(message)
        except UnicodeEncodeError as error:
            raise UsageError(
                "a name or a text in this request is not valid UTF-8", "Rename what is called so."
            ) from error
        try:
            self._stream.write(line + b"\n")
            self._stream.flush()
            while line := self._stream.readline():
                answer = msgspec.json.decode(line, type=EngineReply)
                if answer.method is None and answer.id in (number, None):
                    if answer.error is not None:
                        raise error_from(answer.error)
                    return answer.result
                if answer.method is not None and told is not None:
                    told(answer.method, answer.params)
        except TimeoutError:
            raise
        except OSError as error:
            raise _gone() from error
        raise _gone()


def error_from(error: dict[str, Any]) -> SurveyorError:
    """The engine's error as an exception of this process."""
    data = error.get("data") or {}
    kind = ERRORS.get(data.get("code", ""), SurveyorError)
    raised = kind(str(error.get("message", "")), str(data.get("hint", "")))
    raised.code = data.get("code", raised.code)
    raised.exit_code = data.get("exit_code", raised.exit_code)
    raised.details = data
    return raised


def _gone() -> EngineUnavailableError:
    return EngineUnavailableError(
        "the engine went away while it was asked", "Run the command again; see `surveyor doctor`."
    )


def call(request: Request[A], *, start: bool = True) -> A:
    """One call on a session of its own."""
    with connect(start=start) as client:
        return client.call(request)


def connect(
    *,
    start: bool = True,
    hello: Hello | None = None,
    greet_s: float | None = None,
    turn: FileLock | None = None,
) -> Client:
    """A greeted session; starts the engine when none answers, unless `start` is false.

    `greet_s` is how long an engine that is there may say nothing, GREET_TIMEOUT_S (more on a busy
    machine) by default. `turn` is `start.lock`, where the caller has it: whose it is may start an
    engine.
    Raises `EngineUnavailableError` when there is none and none can be started.
    """
    hello = hello or Hello(client="cli", version=__version__, pid=os.getpid())
    data = paths.data_dir()
    with contextlib.ExitStack() as starting:
        return _connect(data, hello, start, greet_s or GREET_TIMEOUT_S * slowness(), starting, turn)


def _connect(
    data: Path,
    hello: Hello,
    start: bool,
    greet_s: float,
    starting: contextlib.ExitStack,
    turn: FileLock | None,
) -> Client:
    begun = time.monotonic()
    deadline = begun + START_TIMEOUT_S * slowness()
    child: subprocess.Popen[bytes] | None = None
    while True:
        # Not before somebody has the lock: where systemd listens, to connect is to start an engine.
        connection = open_session(data) if start or _engine_lives(data) else None
        if connection is not None:
            client = Client(connection)
            try:
                hello.token = read_token(data)
                client.greet(hello, greet_s)
            except TimeoutError as error:
                client.close()
                raise SilentEngineError(_silence(data), _END_IT) from error
            except EngineUnavailableError:
                client.close()  # it was just ending: a new one is due
            except SurveyorError as error:
                client.close()
                if error.code != "protocol" or not _may_replace(error):
                    raise
            else:
                return client
        if not start:
            if not _engine_lives(data):
                raise EngineUnavailableError(
                    "no engine is running", "Start it with `surveyor engine start`."
                )
            if time.monotonic() > begun + greet_s:
                raise SilentEngineError(_silence(data), _END_IT)
            time.sleep(pause_after(time.monotonic() - begun))  # it is starting, or ending
            continue
        if child is not None and child.poll():
            raise _start_failed(data, child.returncode)
        waits = child is not None and child.returncode is None
        if not waits and not _engine_lives(data):
            if turn is None:
                turn = _take_turn(data, starting)
            if turn is not None:
                child = spawn(data)
        if time.monotonic() > deadline:
            if _engine_lives(data):
                raise SilentEngineError(_silence(data), _END_IT)
            raise EngineUnavailableError(
                f"the engine did not answer within {time.monotonic() - begun:.0f} s",
                "See `surveyor engine logs` and `surveyor doctor`.",
            )
        time.sleep(pause_after(time.monotonic() - begun))


def _take_turn(data: Path, starting: contextlib.ExitStack) -> FileLock | None:
    """The right to start an engine, until `starting` ends; None while another client has it."""
    try:
        lock = FileLock(paths.make_folders(data) / START_LOCK)
        taken = lock.acquire()
    except OSError as error:
        raise data_unusable(data, error) from error
    if not taken:
        return None
    starting.callback(lock.release)
    return lock


def open_session(data: Path) -> socket.socket | None:
    """A raw connection to the session socket, if somebody listens."""
    try:
        return endpoints.connect(paths.runtime_dir(data) / "session.sock")
    except OSError:
        return None


def read_token(data: Path) -> str | None:
    """The secret of a TCP endpoint; `None` where a private socket does without."""
    return endpoints.read_token(paths.runtime_dir(data))


def spawn(data: Path) -> subprocess.Popen[bytes]:
    """Start an engine in a session of its own; its messages go to the log in the data folder."""
    try:
        folder = paths.make_folders(data)
        (folder / "start-error.json").unlink(missing_ok=True)
        with open(paths.log_file(data), "ab", opener=_private) as log:
            return subprocess.Popen(
                [sys.executable, "-m", "surveyor", "engine", "run", "--detached"],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd=data,
                **processes.apart(),
                env=os.environ
                | {
                    "SURVEYOR_DATA_DIR": str(data),
                    "SURVEYOR_CONFIG": str(paths.config_file()),
                    "PYTHONPATH": os.pathsep.join(paths.import_path()),
                    # Ours is for us: to a language server it would mean the user's packages.
                    paths.USER_PYTHONPATH: os.environ.get("PYTHONPATH", ""),
                },
            )
    except OSError as error:
        if error.filename == sys.executable:
            raise EngineUnavailableError(
                f"the engine cannot be started: {sys.executable}: {error.strerror}",
                "This Python cannot be run by your user: install Surveyor with one that can.",
            ) from error
        raise data_unusable(data, error) from error


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _may_replace(error: SurveyorError) -> bool:
    """The engine has been told to end, because this client is newer and cannot speak to it."""
    maximum = error.details.get("maximum")
    return isinstance(maximum, int) and maximum < PROTOCOL_MIN


def _engine_lives(data: Path) -> bool:
    """Whether some engine holds the lock (it may still be starting)."""
    return is_held(paths.runtime_dir(data) / "engine.lock")


def _silence(data: Path) -> str:
    """Who has the data folder without answering."""

    holder = holder_of(paths.runtime_dir(data) / "engine.lock")
    who = holder.sentence if holder is not None else "a process"
    return f"{who} holds {data} and does not answer"


def _start_failed(data: Path, code: int) -> SurveyorError:
    try:
        said = json.loads((paths.runtime_dir(data) / "start-error.json").read_text())
        return EngineUnavailableError(said["message"], said["hint"])
    except (OSError, ValueError, KeyError):
        import shutil

        if shutil.disk_usage(data).free < NO_SPACE_BYTES:  # not even that could be said
            return data_unusable(data, OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)))
        return EngineUnavailableError(
            f"the engine ended with {code} while starting", "See `surveyor engine logs`."
        )
