"""The faces' way to the engine, asynchronous: one session, both directions, found again when lost.

`lsp` holds one for as long as an editor window lives. Calls fail fast while no engine answers;
a background task finds or starts one and greets it again.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import time
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import msgspec

from surveyor import __version__, paths
from surveyor.client import blocking as sync
from surveyor.errors import EngineUnavailableError, SurveyorError
from surveyor.protocol.base import Request
from surveyor.protocol.sessions import Hello, RootsRequest, Welcome

log = logging.getLogger(__name__)

A = TypeVar("A")

LINE_LIMIT_BYTES = 64 << 20
RECONNECT_S = (0.1, 0.2, 0.5, 1.0, 2.0)
"""Pauses between attempts to find the engine again; the last one repeats."""
LASTING_S = 1.0
"""A session that lasted so long is looked for again without a pause when it is lost."""

ROOTS_LIMIT_S = 10.0
"""How long an engine may take to hear of other folders before it is greeted again with them."""

NotificationHandler = Callable[[Any], Awaitable[None] | None]
RequestHandler = Callable[[Any], Awaitable[Any]]
ConnectionHandler = Callable[[bool], Awaitable[None] | None]


class _Message(msgspec.Struct):
    id: int | str | None = None
    method: str | None = None
    params: Any = None
    result: msgspec.Raw = msgspec.Raw(b"null")
    error: dict[str, Any] | None = None


class AsyncClient:
    """An asynchronous session with the engine, which is opened again when the engine restarts."""

    def __init__(self, hello: Hello, *, start: bool = True) -> None:
        self._hello = hello
        self._start = start
        self._writer: asyncio.StreamWriter | None = None
        self._pending: dict[int, asyncio.Future[msgspec.Raw]] = {}
        self._next_id = 1
        self._notifications: dict[str, NotificationHandler] = {}
        self._served: dict[str, RequestHandler] = {}
        self._on_connection: ConnectionHandler | None = None
        self._keeper: asyncio.Task[None] | None = None
        self._serving: dict[int | str, asyncio.Task[None]] = {}
        self._greeted_with: list[str] = []
        """Roots that the engine has heard of in the last greeting."""
        self.welcome: Welcome | None = None
        self.last_error: SurveyorError | None = None
        """Why the last attempt to reach an engine failed; none while the first is under way."""

    @property
    def connected(self) -> bool:
        """Whether an engine is there now."""
        return self._writer is not None

    def on(self, notification: str, handler: NotificationHandler) -> None:
        """Hear what the engine tells everybody."""
        self._notifications[notification] = handler

    def serve(self, method: str, handler: RequestHandler) -> None:
        """Answer a question of the engine's; to be said before `open`."""
        self._served[method] = handler
        if method not in self._hello.serves:
            self._hello.serves.append(method)

    def on_connection(self, handler: ConnectionHandler) -> None:
        """Hear of every time the engine is found (true) or lost (false)."""
        self._on_connection = handler

    def open(self) -> None:
        """Start looking for the engine; returns at once."""
        if self._keeper is None:
            self._keeper = asyncio.create_task(self._keep(), name="engine-session")

    async def set_roots(self, roots: list[str]) -> None:
        """The folders that are open have changed."""
        if roots == self._hello.roots:
            return
        self._hello.roots = roots  # an engine that comes later is greeted with them
        writer = self._writer
        try:
            await self.call(RootsRequest(roots=roots), timeout_s=ROOTS_LIMIT_S)
        except EngineUnavailableError:
            pass
        except (SurveyorError, TimeoutError):
            # An engine from before there was this request: it hears of them in a new greeting.
            if writer is not None:
                writer.close()

    async def close(self) -> None:
        """End the session."""
        if self._keeper is not None:
            self._keeper.cancel()
            await asyncio.gather(self._keeper, return_exceptions=True)
            self._keeper = None

    async def call(self, request: Request[A], *, timeout_s: float | None = None) -> A:
        """Ask and wait; cancelling the caller cancels the work in the engine.

        Raises the engine's `SurveyorError`, `EngineUnavailableError` when there is no engine or it
        goes away, `TimeoutError` after `timeout_s` seconds.
        """
        if self._writer is None:
            raise EngineUnavailableError("no engine is connected", "It is being looked for.")
        number, self._next_id = self._next_id, self._next_id + 1
        future: asyncio.Future[msgspec.Raw] = asyncio.get_running_loop().create_future()
        self._pending[number] = future
        try:
            await self._send(
                {"jsonrpc": "2.0", "id": number, "method": request.operation, "params": request}
            )
            async with asyncio.timeout(timeout_s):
                raw = await future
        except (asyncio.CancelledError, TimeoutError):
            with contextlib.suppress(EngineUnavailableError):
                await self._send({"jsonrpc": "2.0", "method": "$/cancel", "params": {"id": number}})
            raise
        finally:
            self._pending.pop(number, None)
        answer: A = msgspec.json.decode(raw, type=request.answer)
        return answer

    async def notify(self, method: str, params: object) -> None:
        """Tell the engine something without waiting for an answer."""
        await self._send({"jsonrpc": "2.0", "method": method, "params": params})

    # --- the connection -------------------------------------------------------------------

    async def _keep(self) -> None:
        attempt = 0
        while True:
            try:
                reader, writer = await self._connect()
            except (OSError, SurveyorError) as error:
                self.last_error = (
                    error
                    if isinstance(error, SurveyorError)
                    else EngineUnavailableError(f"it cannot be reached: {error}")
                )
                log.debug("no engine: %s", error)
            else:
                attempt, began = 0, time.monotonic()
                self._writer = writer
                if self._greeted_with != self._hello.roots:  # changed while it was greeted
                    request = RootsRequest(roots=self._hello.roots)
                    await self.notify(request.operation, request)
                await self._tell(True)
                try:
                    await self._read(reader)
                except (OSError, ValueError, asyncio.IncompleteReadError) as error:
                    log.debug("the session ended: %s", error)
                finally:
                    self._lost()
                    writer.close()
                await self._tell(False)
                if time.monotonic() - began > LASTING_S:
                    continue
            await asyncio.sleep(RECONNECT_S[min(attempt, len(RECONNECT_S) - 1)])
            attempt += 1

    async def _connect(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """A greeted connection; starting an engine happens in a thread, because it waits."""
        data = paths.data_dir()
        connection = await asyncio.to_thread(sync.open_session, data)
        if connection is None and self._start:
            await asyncio.to_thread(lambda: sync.connect().close())
            connection = await asyncio.to_thread(sync.open_session, data)
        if connection is None:
            raise EngineUnavailableError("no engine is running")
        connection.setblocking(False)
        reader, writer = await asyncio.open_connection(sock=connection, limit=LINE_LIMIT_BYTES)
        self._hello.token = sync.read_token(data)
        self._greeted_with = list(self._hello.roots)
        hello = {"jsonrpc": "2.0", "id": 0, "method": "hello", "params": self._hello}
        writer.write(msgspec.json.encode(hello) + b"\n")
        await writer.drain()
        answer = msgspec.json.decode(await reader.readline() or b"{}", type=_Message)
        if answer.error is not None:
            writer.close()
            raise sync.error_from(answer.error)
        self.welcome = msgspec.json.decode(answer.result, type=Welcome)
        return reader, writer

    def _lost(self) -> None:
        self._writer = None
        for future in self._pending.values():
            if not future.done():
                future.set_exception(EngineUnavailableError("the engine went away"))
        for task in list(self._serving.values()):
            task.cancel()

    async def _tell(self, connected: bool) -> None:
        if self._on_connection is not None:
            result = self._on_connection(connected)
            if result is not None:
                await result

    async def _read(self, reader: asyncio.StreamReader) -> None:
        while line := await reader.readline():
            message = msgspec.json.decode(line, type=_Message)
            if message.method is None:
                self._settle(message)
            elif message.method == "$/cancel":
                task = self._serving.get((message.params or {}).get("id", ""))
                if task is not None:
                    task.cancel()
            elif message.id is not None:
                task = asyncio.create_task(self._answer(message))
                self._serving[message.id] = task
            else:
                await self._hear(message)

    def _settle(self, message: _Message) -> None:
        future = self._pending.get(message.id) if isinstance(message.id, int) else None
        if future is None or future.done():
            return
        if message.error is not None:
            future.set_exception(sync.error_from(message.error))
        else:
            future.set_result(message.result)

    async def _hear(self, message: _Message) -> None:
        handler = self._notifications.get(message.method or "")
        if handler is not None:
            try:
                result = handler(message.params)
                if result is not None:
                    await result
            except Exception:
                log.exception("the handler of %s failed", message.method)

    async def _answer(self, message: _Message) -> None:
        assert message.id is not None
        reply: dict[str, Any] = {"jsonrpc": "2.0", "id": message.id}
        handler = self._served.get(message.method or "")
        try:
            if handler is None:
                reply["error"] = {"code": -32601, "message": f"not served: {message.method}"}
            else:
                reply["result"] = await handler(message.params)
        except asyncio.CancelledError:
            reply["error"] = {"code": -32800, "message": "cancelled"}
        except Exception as error:
            reply["error"] = {"code": -32000, "message": f"{type(error).__name__}: {error}"}
        finally:
            self._serving.pop(message.id, None)
        with contextlib.suppress(EngineUnavailableError):
            await self._send(reply)

    async def _send(self, message: dict[str, Any]) -> None:
        if self._writer is None:
            raise EngineUnavailableError("the engine went away")
        try:
            self._writer.write(msgspec.json.encode(message) + b"\n")
            await self._writer.drain()
        except ConnectionError as error:
            raise EngineUnavailableError("the engine went away") from error


def hello(client: str, roots: list[str] | None = None) -> Hello:
    """A greeting from this process."""
    return msgspec.convert(
        {"client": client, "version": __version__, "pid": os.getpid(), "roots": roots or []}, Hello
    )
