"""One JSON-RPC conversation with an upstream: ids, cancellation, late answers, its requests.

Knows the wire and nothing of LSP's meaning but `$/cancelRequest`. Every request ends: with an
answer, an error, a timeout, a cancel, or the end of the stream.
"""

from __future__ import annotations

import asyncio
import itertools
import logging
import math
import time
from collections.abc import Awaitable, Callable, Collection
from functools import partial
from typing import Any

import msgspec

from surveyor.protocol.wire import id_of, mended
from surveyor.servers import messages
from surveyor.servers.errors import (
    INTERNAL_ERROR,
    METHOD_NOT_FOUND,
    FramingError,
    ResponseError,
    UpstreamDeadError,
    UpstreamLostError,
    UpstreamSilentError,
    UpstreamTimeoutError,
)
from surveyor.servers.transport import ByteReader, frame, read_frame

MAX_UNSENT_BYTES = 64 * 1024 * 1024
"""A server that leaves this much unread is not reading any more."""

OnRequest = Callable[[str, msgspec.Raw], Awaitable[Any]]
OnNotification = Callable[[str, msgspec.Raw], None]

log = logging.getLogger(__name__)


UNREADABLE = (msgspec.DecodeError, UnicodeError, RecursionError)
"""What decoding raises that is no JSON, no JSON-RPC, or too deep."""


class MethodNotFoundError(Exception):
    """Raised by a request handler: answered with -32601."""


class RpcSession:
    """A conversation over one pair of streams."""

    def __init__(
        self,
        reader: ByteReader,
        writer: asyncio.StreamWriter,
        *,
        on_request: OnRequest,
        on_notification: OnNotification,
        name: str = "upstream",
        uncancellable: Collection[str] = (),
        lost: Callable[[], bool] = lambda: False,
    ) -> None:
        """`lost` says, at the end of the stream, whether that says nothing of the other side."""
        self.name = name
        self._uncancellable = uncancellable
        """Methods of which the other side is not told that an answer is not wanted any more."""
        self.last_received = 0.0
        """`time.monotonic()` of the last message; 0 before the first."""
        self.closed = False
        self.broken = ""
        """Why the stream could not be followed to its end."""
        self._lost = lost
        self._reader = reader
        self._writer = writer
        self._on_request = on_request
        self._on_notification = on_notification
        self._numbers = itertools.count(1)
        self._pending: dict[int, asyncio.Future[msgspec.Raw]] = {}
        self._serving: dict[Any, asyncio.Task[None]] = {}

    @property
    def pending(self) -> int:
        """How many requests are waiting for an answer."""
        return len(self._pending)

    async def run(self) -> None:
        """Read until the stream ends; then every pending request fails at once."""
        try:
            while (body := await read_frame(self._reader)) is not None:
                self.last_received = time.monotonic()
                self._receive(body)
        except FramingError as error:
            self.broken = f"what it writes is no LSP: {error.message}"
            log.warning("%s: %s", self.name, self.broken)
        except ConnectionError as error:
            self.broken = str(error)
        finally:
            why = f": {self.broken}" if self.broken else ""
            self.close(self._over_error(f"{self.name} ended{why}"))

    def _over_error(self, text: str) -> UpstreamDeadError:
        return UpstreamLostError(text) if self._lost() else UpstreamDeadError(text)

    def close(self, error: Exception) -> None:
        """Fail what is pending and accept nothing more. Idempotent."""
        self.closed = True
        pending, self._pending = self._pending, {}
        for future in pending.values():
            if not future.done():
                future.set_exception(error)
        for task in self._serving.values():
            task.cancel()
        self._serving.clear()

    async def request(
        self,
        method: str,
        params: Any = None,
        *,
        timeout: float,
        patience: float | None = None,
        calm: float = 0.0,
        excuse: Callable[[], bool] | None = None,
        on_silence: Callable[[], float] | None = None,
    ) -> msgspec.Raw:
        """Send a request and return its result as raw JSON.

        `timeout` may be `math.inf`. `excuse` is asked twice in every `patience`; silence is excused
        while it says yes. `on_silence` is told, once, instead of the request being ended, and
        gives the seconds of silence that end it then.

        Raises `ResponseError`, `UpstreamTimeoutError` after `timeout` seconds without an answer,
        `UpstreamSilentError` after `patience` seconds without any message (`calm` seconds, once it
        has said something), or `UpstreamDeadError`.
        When a limit is over, or the caller is cancelled, the server is told and a late answer is
        dropped.
        """
        number, future = self.send(method, messages.to_raw(params or {}))
        loop = asyncio.get_running_loop()
        # Timers of our own: `asyncio.timeout` costs as much as all the rest of a small request.
        timers: list[asyncio.TimerHandle] = []
        limit = None
        if timeout != math.inf:
            limit = loop.call_later(timeout, self._expire, number, method, timeout)
        if patience is not None and patience < timeout:
            longer = max(patience, calm)
            told = [on_silence] if on_silence is not None else []

            def silent(since: float, seconds: float) -> None:
                if self.last_received >= since:
                    watch(longer)
                elif excuse is not None and excuse():
                    watch(seconds)
                elif tell := told.pop() if told else None:
                    watch(tell())
                elif not future.done():
                    future.set_exception(UpstreamSilentError(f"{self.name} says nothing"))

            def watch(seconds: float) -> None:
                timers.clear()
                if excuse is not None:
                    timers.append(loop.call_later(seconds / 2, excuse))
                timers.append(loop.call_later(seconds, silent, time.monotonic(), seconds))

            watch(patience)
        try:
            return await future
        except (UpstreamTimeoutError, asyncio.CancelledError):
            self.cancel(number, is_told=method not in self._uncancellable)
            raise
        finally:
            self._pending.pop(number, None)
            for timer in (limit, *timers):
                if timer is not None:
                    timer.cancel()

    def send(self, method: str, params: bytes) -> tuple[int, asyncio.Future[msgspec.Raw]]:
        """Send a request now, and return its number and what its answer will be in.

        The answer has no time limit: it ends with the conversation, or by `cancel`. Raises
        `UpstreamDeadError`.
        """
        number = next(self._numbers)
        self._send(messages.splice_request(number, method, params))
        future = self._pending[number] = asyncio.get_running_loop().create_future()
        return number, future

    def cancel(self, number: int, *, is_told: bool = True) -> None:
        """Tell the other side that an answer is not wanted any more; a late one is dropped."""
        self._pending.pop(number, None)
        if is_told and not self.closed:
            try:
                self.notify("$/cancelRequest", {"id": number})
            except UpstreamDeadError:
                log.debug("%s: not told of a cancel, it is gone", self.name)

    def _expire(self, number: int, method: str, limit: float) -> None:
        """End a request whose time is over."""
        future = self._pending.get(number)
        if future is not None and not future.done():
            text = f"{self.name} did not answer {method} within {limit:.3g} s"
            future.set_exception(UpstreamTimeoutError(text))

    def notify(self, method: str, params: Any = None) -> None:
        """Send a notification; dropped when the conversation has ended."""
        if not self.closed:
            raw = b"" if params is None else messages.to_raw(params)
            self._send(messages.splice_notification(method, raw))

    def _send(self, body: bytes) -> None:
        if self.closed or self._writer.is_closing():
            raise self._over_error(f"{self.name} is not running")
        if self._writer.transport.get_write_buffer_size() > MAX_UNSENT_BYTES:
            raise UpstreamDeadError(f"{self.name} does not read its input any more")
        self._writer.write(frame(body))

    def _receive(self, body: bytes) -> None:
        try:
            message = decoded(body)
        except UNREADABLE as error:
            log.warning("%s sent a message that is not JSON-RPC: %s", self.name, error)
            self._give_up(body)
            return
        if message.method is None:
            self._receive_answer(message)
        elif message.id is msgspec.UNSET:
            self._receive_notification(message)
        else:
            self._receive_request(message.id, message.method, message.params)

    def _receive_request(self, number: Any, method: str, params: msgspec.Raw) -> None:
        task = asyncio.ensure_future(self._answer(number, method, params))
        self._serving[number] = task
        task.add_done_callback(partial(self._served, number))

    def _give_up(self, body: bytes) -> None:
        """Fail the request that an unreadable message answers: nothing else will."""
        number = id_of(body)
        future = self._pending.pop(number, None) if isinstance(number, int) else None
        if future is not None and not future.done():
            text = f"{self.name} gave an answer that cannot be read"
            future.set_exception(ResponseError(INTERNAL_ERROR, text))

    def _served(self, number: Any, task: asyncio.Task[None]) -> None:
        if self._serving.get(number) is task:
            del self._serving[number]

    def _receive_answer(self, message: messages.Envelope) -> None:
        number = message.id
        future = self._pending.pop(number, None) if isinstance(number, int) else None
        if future is None or future.done():
            log.debug("%s: a late answer to %r is dropped", self.name, number)
            return
        if bytes(message.error) not in (b"", b"null"):
            future.set_exception(response_error(message.error))
        else:
            future.set_result(message.result)

    def _receive_notification(self, message: messages.Envelope) -> None:
        assert message.method is not None
        if message.method == "$/cancelRequest":
            self._cancelled(message.params)
            return
        try:
            self._on_notification(message.method, message.params)
        except Exception:
            log.exception("%s: notification %s", self.name, message.method)

    def _cancelled(self, params: msgspec.Raw) -> None:
        try:
            value = messages.decode(params)
        except UNREADABLE:
            return
        number = value.get("id") if isinstance(value, dict) else None
        task = self._serving.get(number) if isinstance(number, int | str | float) else None
        if task is not None:
            task.cancel()

    async def _answer(self, number: Any, method: str, params: msgspec.Raw) -> None:
        try:
            result = await self._on_request(method, params)
            body = messages.splice_result(number, messages.to_raw(result))
        except MethodNotFoundError:
            text = f"Surveyor does not serve {method}"
            body = messages.splice_error(number, messages.error_object(METHOD_NOT_FOUND, text))
        except ResponseError as error:
            raw = bytes(error.raw) if error.raw else None
            body = messages.splice_error(
                number, raw or messages.error_object(error.number, error.message)
            )
        except asyncio.CancelledError:
            body = messages.splice_error(number, messages.error_object(-32800, "cancelled"))
        except Exception as error:
            log.exception("%s: request %s", self.name, method)
            body = messages.splice_error(
                number, messages.error_object(INTERNAL_ERROR, f"{type(error).__name__}: {error}")
            )
        try:
            self._send(body)
        except UpstreamDeadError:
            log.debug("%s ended before its request %s was answered", self.name, method)


def decoded(body: bytes) -> messages.Envelope:
    """A message's envelope, mended where only a surrogate pair is broken."""
    try:
        return messages.decode_envelope(body)
    except msgspec.ValidationError:
        raise
    except msgspec.DecodeError:
        return messages.decode_envelope(mended(body))


def response_error(raw: msgspec.Raw) -> ResponseError:
    """A `ResponseError` from a raw error object, however odd it is."""
    try:
        error = msgspec.json.decode(bytes(raw), type=messages.ErrorObject)
        number = int(error.code)
    except (*UNREADABLE, OverflowError, ValueError):
        return ResponseError(INTERNAL_ERROR, bytes(raw)[:200].decode(errors="replace"), raw)
    return ResponseError(number, error.message, raw)
