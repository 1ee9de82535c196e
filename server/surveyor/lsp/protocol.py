"""The wire to the editor: JSON-RPC whose params arrive and whose results leave as JSON bytes.

Our own, not pygls: what an editor sends has to reach a server as it came, and pygls with lsprotocol
took half a second to import and half of a window's memory (docs/decisions/0006).
"""

from __future__ import annotations

import asyncio
import itertools
import logging
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

import msgspec

from surveyor.lsp.message_reader import envelopes, failure, lost
from surveyor.lsp.stdio import Writer
from surveyor.protocol.wire import clipped, shown
from surveyor.servers import messages
from surveyor.servers.errors import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    REQUEST_CANCELLED,
    FramingError,
    ResponseError,
)
from surveyor.servers.rpc_session import response_error
from surveyor.servers.transport import frame

RawRequest = Callable[[msgspec.Raw], Awaitable[Any]]
RawNotification = Callable[[msgspec.Raw], None]

log = logging.getLogger(__name__)

UNREADABLE = (msgspec.DecodeError, UnicodeError, RecursionError)
"""What decoding params raises that are not what they should be."""

NOTIFICATIONS = frozenset(
    {
        "$/cancelRequest", "$/logTrace", "$/progress", "$/setTrace", "exit", "initialized",
        "notebookDocument/didChange", "notebookDocument/didClose", "notebookDocument/didOpen",
        "notebookDocument/didSave", "telemetry/event",
        "textDocument/didChange", "textDocument/didClose", "textDocument/didOpen",
        "textDocument/didSave", "textDocument/publishDiagnostics", "textDocument/willSave",
        "window/logMessage", "window/showMessage", "window/workDoneProgress/cancel",
        "workspace/didChangeConfiguration", "workspace/didChangeWatchedFiles",
        "workspace/didChangeWorkspaceFolders", "workspace/didCreateFiles",
        "workspace/didDeleteFiles", "workspace/didRenameFiles",
    }
)  # fmt: skip
"""LSP's methods that nobody is answered for."""


class InvalidParamsError(Exception):
    """Raised by a raw handler: answered with -32602."""


class Protocol:
    """One connection to an editor."""

    def __init__(self, writer: Writer) -> None:
        self._writer = writer
        self._shutdown = False
        self.raw_requests: dict[str, RawRequest] = {}
        self.raw_notifications: dict[str, RawNotification] = {}
        self.other_requests: Callable[[str, msgspec.Raw], Awaitable[Any]] | None = None
        """Answers what is not in `raw_requests`; raises `ResponseError` where nobody serves it."""
        self.other_notifications: Callable[[str, msgspec.Raw], None] | None = None
        """Takes those that are neither LSP's nor in `raw_notifications`."""
        self.initialize_params: dict[str, Any] = {}
        self.on_exit: Callable[[int], None] = lambda code: None
        self._numbers = itertools.count(1)
        self._asked: dict[str, asyncio.Future[msgspec.Raw]] = {}
        self._serving: dict[Any, asyncio.Task[None]] = {}
        self._held: list[bytes] | None = None
        """What is to be sent once `initialize` has been answered; `None` when it has."""

    # --- reading ----------------------------------------------------------------------

    async def read_all(self, reader: asyncio.StreamReader) -> None:
        """Serve until the stream ends, or cannot be followed any further."""
        try:
            async for message in envelopes(reader, self._write):
                self.receive(message)
                # Requests reach their upstream in the order in which they came: each gets its
                # first step before the next message is looked at.
                await asyncio.sleep(0)
        except FramingError as error:
            lost(error, self._write)
        except OSError as error:
            log.info("the editor's stream ended: %s", error)

    def receive(self, message: messages.Envelope) -> None:
        """Handle one message; never raises."""
        try:
            if message.method is None:
                self._receive_answer(message)
            elif message.id is msgspec.UNSET:
                self._receive_notification(message.method, message.params)
            else:
                self._receive_request(message.id, message.method, message.params)
        except (InvalidParamsError, *UNREADABLE) as error:
            log.info("message %s: bad params: %s", message.method, error)
            if message.method is not None and message.id is not msgspec.UNSET:
                self._fail(message.id, INVALID_PARAMS, f"bad params: {error}")
        except Exception as error:
            log.exception("message %s", message.method)
            if message.method is not None and message.id is not msgspec.UNSET:
                self._fail(message.id, INTERNAL_ERROR, f"{type(error).__name__}: {error}")

    def _receive_request(self, number: Any, method: str, params: msgspec.Raw) -> None:
        if self._shutdown:
            self._fail(number, INVALID_REQUEST, "the server has been shut down")
        elif method == "initialize":
            self._fail(number, INVALID_REQUEST, "initialize was sent before")
        elif method in self.raw_requests:
            self._begin(number, method, self.raw_requests[method], params)
        elif method in self.raw_notifications or method in NOTIFICATIONS:
            self._fail(number, INVALID_REQUEST, f"{method} is a notification: send it without id")
        elif method == "shutdown":
            self._shutdown = True
            self.cancel_all()
            self._write(messages.splice_result(number, b"null"))
        elif self.other_requests is not None:
            self._begin(number, method, partial(self.other_requests, method), params)
        else:
            self._fail(number, METHOD_NOT_FOUND, f"Surveyor does not serve {shown(method)}")

    def _begin(self, number: Any, method: str, handler: RawRequest, params: msgspec.Raw) -> None:
        task = asyncio.ensure_future(self._serve(number, method, handler, params))
        self._serving[number] = task
        task.add_done_callback(partial(self._served, number))

    def _served(self, number: Any, task: asyncio.Task[None]) -> None:
        if self._serving.get(number) is task:  # else another request took its id meanwhile
            del self._serving[number]

    def _receive_notification(self, method: str, params: msgspec.Raw) -> None:
        if method == "$/cancelRequest":
            self._cancel(messages.decode(params))
        elif method == "exit":
            self.on_exit(0 if self._shutdown else 1)
        elif self._shutdown:
            log.debug("%s is dropped: the server has been shut down", method)
        elif method in self.raw_notifications:
            self.raw_notifications[method](params)
        elif self._is_others(method) and self.other_notifications is not None:
            self.other_notifications(method, params)
        else:  # a request without an id, too: nobody could be answered
            log.debug("notification %s is not for us", shown(method))

    def _is_others(self, method: str) -> bool:
        return method not in NOTIFICATIONS and method not in self.raw_requests

    def _receive_answer(self, message: messages.Envelope) -> None:
        future = self._asked.pop(str(message.id), None)
        if future is None or future.done():
            return
        if bytes(message.error) not in (b"", b"null"):
            future.set_exception(response_error(message.error))
        else:
            future.set_result(message.result)

    def _cancel(self, params: Any) -> None:
        number = params.get("id") if isinstance(params, dict) else None
        if not isinstance(number, int | str | float):
            return
        task = self._serving.get(number)
        if task is not None:
            task.cancel()

    # --- answering --------------------------------------------------------------------

    async def _serve(
        self, number: Any, method: str, handler: RawRequest, params: msgspec.Raw
    ) -> None:
        try:
            result = await handler(params)
            body = messages.splice_result(number, messages.to_raw(result))
        except asyncio.CancelledError:
            self._fail(number, REQUEST_CANCELLED, "cancelled")
            return
        except ResponseError as error:
            raw = bytes(error.raw) if error.raw else None
            body = messages.splice_error(
                number, raw or messages.error_object(error.number, error.message)
            )
        except (InvalidParamsError, *UNREADABLE) as error:
            self._fail(number, INVALID_PARAMS, str(error))
            return
        except Exception as error:
            log.exception("request %s", method)
            self._fail(number, INTERNAL_ERROR, f"{type(error).__name__}: {error}")
            return
        self._write(body)

    def _fail(self, number: Any, code: int, message: str) -> None:
        self._write(failure(number, code, clipped(message)))

    def _write(self, body: bytes) -> None:
        if self._held is not None:
            self._held.append(body)
        else:
            self._writer.write(frame(body))

    def hold(self) -> None:
        """Send nothing until `release`: the editor has no answer to `initialize` yet."""
        self._held = []

    def release(self, first: bytes) -> None:
        """Send the answer to `initialize`, and then what was held back."""
        held, self._held = self._held or [], None
        for body in (first, *held):
            self._write(body)

    # --- asking and telling the editor ------------------------------------------------

    async def ask(self, method: str, params: Any = None) -> msgspec.Raw:
        """Send a request to the editor and return its raw result.

        Raises `ResponseError`; cancelling it cancels it there too.
        """
        number = f"surveyor:{next(self._numbers)}"
        future: asyncio.Future[msgspec.Raw] = asyncio.get_running_loop().create_future()
        self._asked[number] = future
        try:
            raw = b"" if params is None else messages.to_raw(params)
            self._write(messages.splice_request(number, method, raw))
            return await future
        except asyncio.CancelledError:
            self.tell("$/cancelRequest", {"id": number})
            raise
        finally:
            self._asked.pop(number, None)

    def tell(self, method: str, params: Any = None) -> None:
        """Send a notification to the editor."""
        raw = b"" if params is None else messages.to_raw(params)
        self._write(messages.splice_notification(method, raw))

    def cancel_all(self) -> None:
        """Cancel what is being served (at shutdown)."""
        for task in list(self._serving.values()):
            task.cancel()
