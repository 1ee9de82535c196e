"""One client's conversation about one server: to the client, the server itself.

Requests are sent on in the order in which they came, between the notifications that came before and
after them: what is asked is about the text that the client had then.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import Callable
from typing import Any

import msgspec

from surveyor.servers import messages
from surveyor.servers.errors import (
    INTERNAL_ERROR,
    REQUEST_CANCELLED,
    ResponseError,
    UpstreamDeadError,
    UpstreamError,
)
from surveyor.servers.host.attach import ENDED, MOVED, Attach
from surveyor.servers.host.client_shape import ClientShape
from surveyor.servers.host.shared_questions import SharedQuestions, subject_of
from surveyor.servers.host.shared_server import SharedServer
from surveyor.servers.host.spellings import Spellings
from surveyor.servers.rpc_session import RpcSession

SEPARATE_AFTER_S = 0.3
"""How long two unsaved texts of one document must differ before the second gets a server of its
own: an editor that reads a file again passes through other texts."""

REUNITE_AFTER_S = 2.0
"""How long they must agree again before it goes back to the common one."""

IDLE_WAIT_S = 30.0
IDLE_LOOK_S = 0.05
"""How long a moment without a question is waited for in which it can go to another server, and how
often it is looked for."""

COMMAND = "workspace/executeCommand"

log = logging.getLogger(__name__)

Separate = Callable[["Channel"], Any]


class Channel(RpcSession):
    """A client of a shared server. Its own numbers of requests are the keys of `asked`."""

    def __init__(
        self,
        number: int,
        wish: Attach,
        server: SharedServer,
        open_private: Separate,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
    ) -> None:
        super().__init__(
            reader,
            writer,
            on_request=self._never,
            on_notification=self._hear,
            name=f"client {wish.pid}",
        )
        self.number = number
        self.wish = wish
        self.shared = server
        self.server = server
        """The one that it talks to now: `shared`, or one of its own (see `_separate`)."""
        self.shape = ClientShape({})
        self._spellings = Spellings()
        self.asked: dict[Any, tuple[SharedQuestions, int, str]] = {}
        self.last_asked = 0.0
        self.since = time.time()
        self._client_writer = writer
        self._open_private = open_private
        self._initialize: msgspec.Raw | None = None
        self._held: list[tuple[Any, str, msgspec.Raw]] = []
        """Requests about a text that no server has yet."""
        self._separating: asyncio.Task[None] | None = None
        self._timer: asyncio.TimerHandle | None = None
        server.join(self)
        server.interested.add(self)

    async def serve(self) -> None:
        """Serve the client until it goes."""
        try:
            await self.run()
        finally:
            if self._timer is not None:
                self._timer.cancel()
            if self._separating is not None:
                self._separating.cancel()
                await asyncio.gather(self._separating, return_exceptions=True)
            asked, self.asked = self.asked, {}
            for questions, number, _ in asked.values():
                questions.forget(number)
            self.server.leave(self)
            self.shared.leave(self)
            self.shared.interested.discard(self)
            self.shared.changed()
            if self.server is not self.shared:
                await self.server.stop()
            self._client_writer.close()

    # --- to the client ----------------------------------------------------------------

    def tell(self, method: str, params: Any) -> None:
        """A notification."""
        with contextlib.suppress(UpstreamDeadError):
            self.notify(method, params)

    def answer(self, number: Any, result: bytes) -> None:
        """The result of a request."""
        self._reply(messages.splice_result(number, result))

    def refuse(self, number: Any, error: bytes) -> None:
        """A server's error, as it is."""
        self._reply(messages.splice_error(number, error))

    def fail(self, number: Any, code: int, message: str) -> None:
        """An error of ours."""
        self.refuse(number, messages.error_object(code, message))

    def server_ended(self, last: dict[str, Any]) -> None:
        """The server's process is gone: the client hears why, and the conversation ends."""
        self.tell(ENDED, last)
        self._client_writer.close()

    def _reply(self, body: bytes) -> None:
        with contextlib.suppress(UpstreamDeadError):
            self._send(body)

    def _send(self, body: bytes) -> None:
        super()._send(self._spellings.to_client(body) if self._spellings else body)

    # --- from the client --------------------------------------------------------------

    async def _never(self, method: str, params: msgspec.Raw) -> Any:
        raise AssertionError("requests are sent on by _receive_request")

    def _receive_request(self, number: Any, method: str, params: msgspec.Raw) -> None:
        self.last_asked = time.monotonic()
        if self._spellings:
            params = msgspec.Raw(self._spellings.to_server(bytes(params)))
        if method == "initialize":
            self._serving[number] = asyncio.ensure_future(self._greet(number, params))
        elif method == "shutdown":
            self.answer(number, b"null")
        elif self._is_held(params):
            self._held.append((number, method, params))
        else:
            self._forward(number, method, params)

    def _forward(self, number: Any, method: str, params: msgspec.Raw) -> None:
        try:
            self.server.questions.forward(self, number, method, params)
        except Exception as error:  # params that are none
            log.exception("%s: request %s", self.name, method)
            self.fail(number, INTERNAL_ERROR, f"{type(error).__name__}: {error}")

    @property
    def commands(self) -> bool:
        """Whether a command of its user runs now."""
        return any(method == COMMAND for _, _, method in self.asked.values())

    def _cancelled(self, params: msgspec.Raw) -> None:
        value = messages.decode(params)
        number = value.get("id") if isinstance(value, dict) else None
        if not isinstance(number, int | str):
            return
        sent = self.asked.get(number)
        if sent is not None:
            sent[0].cancel(sent[1])
        elif any(held[0] == number for held in self._held):
            self._held = [held for held in self._held if held[0] != number]
            self.fail(number, REQUEST_CANCELLED, "cancelled")
        else:
            super()._cancelled(params)

    async def _greet(self, number: Any, params: msgspec.Raw) -> None:
        value = messages.decode(params)
        capabilities = value.get("capabilities") if isinstance(value, dict) else None
        self.shape = ClientShape(capabilities if isinstance(capabilities, dict) else {})
        self._initialize = params
        try:
            result = await self.server.initialize(params)
        except ResponseError as error:
            self.fail(number, error.number, error.message)
        except UpstreamDeadError:
            return  # the client is told how it ended
        except UpstreamError as error:
            self.fail(number, INTERNAL_ERROR, error.message)
        else:
            self.answer(number, bytes(result))
            self.server.greet(self)
        finally:
            self._serving.pop(number, None)

    def _hear(self, method: str, params: msgspec.Raw) -> None:
        if method == "exit":
            self._client_writer.close()
            return
        closed = ""
        if method == "textDocument/didOpen":
            self._spell(uri_in(params))
        elif method == "textDocument/didClose" and self._spellings:
            closed = uri_in(params)
        if self._spellings:
            params = msgspec.Raw(self._spellings.to_server(bytes(params)))
        self.server.hear(self, method, params)
        self._spellings.remove(closed)
        if method.startswith("textDocument/did"):
            self.shared.changed()

    def _spell(self, uri: str) -> None:
        """Note under which other URI the server has a document that is opened now."""
        self._spellings.add(uri, self.server.documents.spelling_of(uri))

    # --- a server of its own ----------------------------------------------------------

    def review(self) -> None:
        """Texts have changed: see whether this client's fit the server that it talks to."""
        if self._timer is not None or self._separating is not None or self.closed:
            return
        if self.server is self.shared:
            if self.shared.documents.in_conflict(self):
                self._later(SEPARATE_AFTER_S)
        elif self.shared.documents.admits(self.server.documents.views_of(self)):
            self._later(REUNITE_AFTER_S)

    def _later(self, seconds: float) -> None:
        loop = asyncio.get_running_loop()
        self._timer = loop.call_later(seconds, self._decide)

    def _decide(self) -> None:
        self._timer = None
        if self.closed:
            return
        if self.server is not self.shared:
            if self.shared.documents.admits(self.server.documents.views_of(self)):
                self._reunite()
        elif self.shared.documents.in_conflict(self):
            self._separating = asyncio.ensure_future(self._separate())
        self._release()

    async def _separate(self) -> None:
        """Get a server that has this client's texts."""
        private: SharedServer | None = None
        try:
            private = await self._open_private(self)
            private.join(self)
            if self._initialize is not None:
                await private.initialize(self._initialize)
            self._move(private)
            private.greet(self)
        except UpstreamError as error:
            log.warning("no server of its own for %s: %s", self.name, error.message)
        finally:
            self._separating = None
            if private is not None and self.server is not private:
                private.leave(self)
                await private.stop()
            self._release()

    def _reunite(self) -> None:
        """Go back to the common server: the texts agree, or one of the two is saved."""
        private = self.server
        self.shared.join(self)
        self._move(self.shared)
        self.shared.greet(self)
        self.shared.stop_beside(private)

    async def rehome(self, server: SharedServer) -> None:
        """Go over to another server for good, between two questions.

        It stays where it is when it has not been without a question for `IDLE_WAIT_S`.
        """
        deadline = time.monotonic() + IDLE_WAIT_S
        while self.asked or self._held or self._separating is not None or self._timer is not None:
            if self.closed or time.monotonic() > deadline:
                return
            await asyncio.sleep(IDLE_LOOK_S)
        if self.closed or not server.alive:
            return
        old, self.shared = self.shared, server
        server.interested.add(self)
        old.interested.discard(self)
        if self.server is old:
            server.join(self)
            old.events.take_back(self)
            self._move(server)
            server.greet(self)
        old.changed()

    def _move(self, to: SharedServer) -> None:
        views = self.server.documents.views_of(self)
        for number, (questions, ours, _) in list(self.asked.items()):
            questions.forget(ours)
            del self.asked[number]
            self.fail(number, -32801, "the text was edited in another window")
        self.server.leave(self)
        self.server = to
        self.tell(MOVED, {"pid": to.pid})
        for view in views:
            # What the other server knows it by, which may have it open already; else as it was.
            theirs, known = self._spellings.of_client(view.uri), to.documents.spelling_of(view.uri)
            self._spellings.remove(theirs)
            self._spellings.add(theirs, known)
            view.uri = known
            is_known = to.documents.get(known) is not None
            to.documents.open(self, view)
            if is_known:
                to.events.show_document(self, known)
        self.shared.changed()

    def _is_held(self, params: msgspec.Raw) -> bool:
        """Whether a request is about a text of its own that no server has yet."""
        if self._separating is None and self._timer is None:
            return False
        if self.server is not self.shared:
            return False
        value = messages.decode(params)
        uri = subject_of(value) if isinstance(value, dict) else ""
        return bool(uri) and uri in self.shared.documents.in_conflict(self)

    def _release(self) -> None:
        if self._separating is not None:
            return
        held, self._held = self._held, []
        for number, method, params in held:
            if not self.closed:
                self._forward(number, method, params)

    def status(self) -> dict[str, Any]:
        """Who it is, for people."""
        return {
            "client": self.wish.client,
            "pid": self.wish.pid,
            "editor": self.wish.attached,
            "documents": len(self.server.documents.views_of(self)),
            "since": self.since,
        }


def uri_in(params: msgspec.Raw) -> str:
    """The document of a notification."""
    value = messages.decode(params)
    return subject_of(value) if isinstance(value, dict) else ""
