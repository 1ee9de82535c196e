"""Sessions: long-lived connections of editors, agents and terminals.

A session is a stream of newline-delimited JSON-RPC 2.0 in both directions on the private session
socket. Its first request is `hello`; while it is open its roots are active; whatever ends the
connection ends that.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import secrets
from collections.abc import Awaitable, Callable, Container, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from surveyor import __version__
from surveyor.engine.process.deadlines import LONG
from surveyor.engine.process.lifetime import Lifetime
from surveyor.errors import EngineUnavailableError, SurveyorError, UsageError
from surveyor.protocol.base import PROTOCOL_MAX, PROTOCOL_MIN
from surveyor.protocol.sessions import Hello, Welcome
from surveyor.protocol.wire import clipped, id_of, shown
from surveyor.store.state import damage_of

log = logging.getLogger(__name__)

LINE_LIMIT_BYTES = 64 << 20
"""Longest message: an unsaved buffer of a very large file still fits."""
HELLO_TIMEOUT_S = 10.0
MAX_AT_ONCE = 32
"""Requests of one session that are answered at a time: others get their turn as well."""
MAX_WAITING = 1000
"""Requests of one session that wait; more are refused."""
PROTOCOL_ERRORS = {"parse": -32700, "request": -32600, "method": -32601, "params": -32602}
APPLICATION_ERROR = -32000
CANCELLED = -32800

MESSAGE_CHARS = 4000
"""An error says no more, whatever it quotes."""

UNREADABLE = (msgspec.MsgspecError, UnicodeError, RecursionError)
"""What decoding params raises that are not an operation's, or no JSON."""

Relay = Callable[["Session", asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


class Message(msgspec.Struct, kw_only=True):
    """A JSON-RPC request, notification or answer."""

    id: int | str | None = None
    method: str | None = None
    # Not `Raw | None`: in a union msgspec takes `Raw` for nothing at all and accepts null only.
    params: msgspec.Raw = msgspec.Raw(b"null")
    result: msgspec.Raw = msgspec.Raw(b"null")
    error: msgspec.Raw = msgspec.Raw(b"null")


class RemoteError(SurveyorError):
    """The other side of the session answered with an error, or is gone."""

    code = "remote_error"


@dataclass(frozen=True, slots=True)
class SessionServices:
    """What a session needs of the engine."""

    sessions: Sessions
    relays: Mapping[str, Relay]
    """What serves sessions that say in their `hello` that they relay something, by that."""
    lifetime: Lifetime
    operations: Container[str]
    """Names of what can be asked."""
    answer: Callable[[str, bytes, Session], Awaitable[Any]]
    """Serves one operation; raises `SurveyorError` and, for params that are none, `UNREADABLE`."""
    is_authorised: Callable[[str | None], bool]
    """Whether a caller with this token may be served."""
    opened: Callable[[Session], Awaitable[None]]
    """Called when a session has been greeted."""
    closed: Callable[[Session], Awaitable[None]]
    """Called when its connection has ended."""
    folder_problem: Callable[[], SurveyorError | None]
    """What to say where the data folder is not there any more."""
    explain: Callable[[Exception], SurveyorError]
    """What to say of a fault of ours."""


class Session:
    """One connection."""

    def __init__(
        self,
        services: SessionServices,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
    ) -> None:
        self.id = secrets.token_hex(4)
        self.hello = Hello(client="test", version="", pid=0)
        self._services = services
        self._reader = reader
        self._writer = writer
        self._running: dict[int | str, asyncio.Task[None]] = {}
        self._asked: dict[int, asyncio.Future[msgspec.Raw]] = {}
        self._next_id = 1
        self._turns = asyncio.Semaphore(MAX_AT_ONCE)

    async def serve(self) -> None:
        """Greet, then answer until the connection ends."""
        if not await self._greet():
            return
        self._services.sessions.add(self)
        try:
            relay = self._services.relays.get(self.hello.relay or "")
            await self._services.opened(self)
            if relay is not None:
                await relay(self, self._reader, self._writer)
            else:
                await self._answer_all()
        finally:
            self._services.sessions.discard(self)
            for task in list(self._running.values()):
                task.cancel()
            for future in self._asked.values():
                if not future.done():
                    future.set_exception(RemoteError("the other side closed the session"))
            await self._services.closed(self)

    async def request(self, method: str, params: object, timeout_s: float) -> msgspec.Raw:
        """Ask the client something that it said it serves.

        Raises `RemoteError` when it answers with an error, not in time, or is gone.
        """
        number, self._next_id = self._next_id, self._next_id + 1
        future: asyncio.Future[msgspec.Raw] = asyncio.get_running_loop().create_future()
        self._asked[number] = future
        try:
            await self._send({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
            async with asyncio.timeout(timeout_s):
                return await future
        except TimeoutError as error:
            with contextlib.suppress(ConnectionError):
                await self.notify("$/cancel", {"id": number})
            raise RemoteError(f"{method}: no answer within {timeout_s:g} s") from error
        finally:
            self._asked.pop(number, None)

    async def notify(self, method: str, params: object) -> None:
        """Tell the client something; a client that is gone is not told."""
        with contextlib.suppress(ConnectionError):
            await self._send({"jsonrpc": "2.0", "method": method, "params": params})

    def close(self) -> None:
        """End the connection."""
        self._writer.close()

    async def _greet(self) -> bool:
        try:
            async with asyncio.timeout(HELLO_TIMEOUT_S):
                message = msgspec.json.decode(await self._reader.readline(), type=Message)
            if message.method != "hello":
                raise UsageError("the first message must be `hello`")
            self.hello = msgspec.json.decode(message.params, type=Hello)
        except (TimeoutError, *UNREADABLE, UsageError, ValueError) as error:
            await self._fail(None, PROTOCOL_ERRORS["request"], str(error))
            return False
        low, high = self.hello.protocol
        common = min(high, PROTOCOL_MAX)
        if common < max(low, PROTOCOL_MIN):
            await self._fail(
                message.id,
                APPLICATION_ERROR,
                f"the engine that runs is of another version ({__version__}): it speaks protocols"
                f" {PROTOCOL_MIN} to {PROTOCOL_MAX}, this client {low} to {high}",
                {
                    "code": "protocol",
                    "minimum": PROTOCOL_MIN,
                    "maximum": PROTOCOL_MAX,
                    "exit_code": EngineUnavailableError.exit_code,
                    "hint": f"Update this Surveyor ({self.hello.version}), or set"
                    " SURVEYOR_DATA_DIR to a folder of its own.",
                },
            )
            # An engine is replaced only by a newer client that cannot speak to it.
            if low > PROTOCOL_MAX:
                self._services.lifetime.stop("replaced by a newer version")
            return False
        if not self._services.is_authorised(self.hello.token):
            await self._fail(message.id, APPLICATION_ERROR, "wrong token", {"code": "token"})
            return False
        pid = self._services.lifetime.pid
        welcome = Welcome(version=__version__, pid=pid, protocol=common, session=self.id)
        await self._send({"jsonrpc": "2.0", "id": message.id, "result": welcome})
        return True

    async def _answer_all(self) -> None:
        while True:
            try:
                line = await self._reader.readline()
            except ValueError:  # longer than any message: where the next begins is unknown
                text = f"a message is longer than {LINE_LIMIT_BYTES} bytes; the session ends"
                await self._fail(None, PROTOCOL_ERRORS["request"], text)
                return
            if not line:
                return
            self._services.lifetime.touch()
            try:
                message = msgspec.json.decode(line, type=Message)
            except UNREADABLE as error:
                await self._fail(id_of(line), PROTOCOL_ERRORS["parse"], str(error))
                continue
            if message.method is None:
                self._settle(message)
            elif message.method == "$/cancel":
                self._cancel(message)
            elif len(self._running) >= MAX_WAITING:
                await self._fail(
                    message.id,
                    APPLICATION_ERROR,
                    f"{MAX_WAITING} requests of this session wait for their answers already",
                    {"code": "busy", "hint": "Wait for some of them."},
                )
            else:
                task = asyncio.create_task(self._answer_in_turn(message))
                key: int | str = message.id if message.id is not None else f"n{id(task)}"
                self._running[key] = task
                task.add_done_callback(partial(self._answered, key))

    def _answered(self, key: int | str, task: asyncio.Task[None]) -> None:
        if self._running.get(key) is task:
            del self._running[key]

    def _settle(self, message: Message) -> None:
        future = self._asked.get(message.id) if isinstance(message.id, int) else None
        if future is None or future.done():
            return
        if bytes(message.error) != b"null":
            future.set_exception(RemoteError(bytes(message.error).decode()))
        else:
            future.set_result(message.result)

    def _cancel(self, message: Message) -> None:
        try:
            wanted = msgspec.json.decode(message.params, type=dict[str, int | str])
        except UNREADABLE:
            return
        task = self._running.get(wanted.get("id", ""))
        if task is not None:
            task.cancel()

    async def _answer_in_turn(self, message: Message) -> None:
        """Answer once few enough are being answered; what may take long takes nobody's turn."""
        if message.method in LONG:
            await self._answer(message)
            return
        try:
            await self._turns.acquire()
        except asyncio.CancelledError:
            await self._fail(message.id, CANCELLED, "cancelled")
            raise
        try:
            await self._answer(message)
        finally:
            self._turns.release()

    async def _answer(self, message: Message) -> None:
        if message.method is None or message.method not in self._services.operations:
            text = f"no such operation: {shown(message.method)}"
            await self._fail(message.id, PROTOCOL_ERRORS["method"], text)
            return
        try:
            result = await self._services.answer(message.method, bytes(message.params), self)
        except asyncio.CancelledError:
            await self._fail(message.id, CANCELLED, "cancelled")
            raise
        except UNREADABLE as error:
            await self._fail(message.id, PROTOCOL_ERRORS["params"], str(error))
        except SurveyorError as error:
            said = self._services.folder_problem() or error
            await self._fail(message.id, APPLICATION_ERROR, said.message, error_data(said))
        except Exception as error:
            await self._confess(message, error)
        else:
            if message.id is None:
                return
            try:
                line = _line({"jsonrpc": "2.0", "id": message.id, "result": result})
            except Exception as error:  # whoever waits has to hear of it
                await self._confess(message, error)
                return
            with contextlib.suppress(ConnectionError):
                await self._write(line)

    async def _confess(self, message: Message, error: Exception) -> None:
        """Answer a request with a fault of ours, and log it."""
        said = self._services.explain(error)
        log_fault(message.method or "", said)
        await self._fail(message.id, APPLICATION_ERROR, said.message, error_data(said))

    async def _fail(
        self, number: int | str | None, code: int, text: str, data: dict[str, Any] | None = None
    ) -> None:
        error = {"code": code, "message": clipped(text, MESSAGE_CHARS), "data": data or {}}
        with contextlib.suppress(ConnectionError):
            await self._send({"jsonrpc": "2.0", "id": number, "error": error})

    async def _send(self, message: dict[str, Any]) -> None:
        await self._write(_line(message))

    async def _write(self, line: bytes) -> None:
        self._writer.write(line)
        await self._writer.drain()


def _line(message: dict[str, Any]) -> bytes:
    return msgspec.json.encode(message) + b"\n"


def error_data(error: SurveyorError) -> dict[str, Any]:
    """What a client needs to raise the same error on its side."""
    data: dict[str, Any] = {"code": error.code, "hint": error.hint, "exit_code": error.exit_code}
    if error.details.get("complete") is False:
        data["complete"] = False
    return data


def internal_error(
    error: Exception,
    folder_problem: SurveyorError | None,
    state_path: Path,
    *,
    is_ending: bool = False,
) -> SurveyorError:
    """What is said of a fault of ours, of a folder that is gone, of a damaged state, or of a store
    that was closed because the engine ends; the log has the rest."""
    if folder_problem is not None:
        return folder_problem
    if is_ending:
        return EngineUnavailableError("the engine ended while it was answering", "Call again.")
    damage = damage_of(error, state_path)
    if damage is not None:
        return damage
    said = SurveyorError(f"{type(error).__name__}: {error}", "See `surveyor engine logs`.")
    said.code = "internal"
    return said


def log_fault(operation: str, said: SurveyorError) -> None:
    """Log the exception that is being handled, whole where it is a fault of ours."""
    if isinstance(said, EngineUnavailableError):
        log.info("%s was not answered: %s", operation, said.message)
    else:
        log.exception("%s failed", operation)


class Sessions:
    """The connections open now."""

    def __init__(self) -> None:
        self._open: dict[str, Session] = {}

    def __len__(self) -> int:
        return len(self._open)

    def __iter__(self) -> Any:
        return iter(list(self._open.values()))

    def add(self, session: Session) -> None:
        """A session that has been greeted."""
        self._open[session.id] = session

    def discard(self, session: Session) -> None:
        """A session that has ended."""
        self._open.pop(session.id, None)

    def lasting(self) -> list[Session]:
        """Editors and agents: what keeps an engine from being idle."""
        return [s for s in self._open.values() if s.hello.client in ("lsp", "mcp")]

    def editor_for(self, root: str, method: str) -> Session | None:
        """An attached editor that serves `method` and has `root`, or a folder in or above it."""
        for session in self._open.values():
            if session.hello.client == "lsp" and method in session.hello.serves:
                for opened in session.hello.roots:
                    if _within(root, opened) or _within(opened, root):
                        return session
        return None

    async def notify(self, method: str, params: object) -> None:
        """Tell every editor and agent."""
        await asyncio.gather(
            *(s.notify(method, params) for s in self.lasting() if not s.hello.relay)
        )


def _within(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip("/") + "/")
