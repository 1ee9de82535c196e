"""What an agent over HTTP was sent, kept for a while: it reads on from where its stream broke."""

from __future__ import annotations

import secrets
from collections import OrderedDict
from dataclasses import dataclass

import mcp_types as types
from mcp.server.streamable_http import EventCallback, EventMessage, EventStore
from mcp.server.streamable_http import StreamableHTTPServerTransport as Transport
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp_types import JSONRPCMessage

MAX_EVENTS = 1000
MAX_EVENTS_BYTES = 8 << 20
"""How much is kept of a session: the oldest goes first, but never the newest."""

RETRY_MS = 1000
"""How long a client is asked to wait before it connects again."""


@dataclass(frozen=True, slots=True)
class Event:
    """A message as it was sent, or the mark at a stream's beginning."""

    stream: str
    message: JSONRPCMessage | None
    size: int


class SessionEvents(EventStore):
    """The events of one session, in the order in which they were sent."""

    def __init__(self) -> None:
        self._events: OrderedDict[str, Event] = OrderedDict()
        self._bytes = 0
        self._name = secrets.token_hex(4)
        self._number = 0

    async def store_event(self, stream_id: str, message: JSONRPCMessage | None) -> str:
        """Keep an event; returns its id."""
        self._number += 1
        name = f"{self._name}-{self._number}"
        size = 0 if message is None else len(message.model_dump_json())
        self._events[name] = Event(stream_id, message, size)
        self._bytes += size
        while len(self._events) > 1 and (
            len(self._events) > MAX_EVENTS or self._bytes > MAX_EVENTS_BYTES
        ):
            _, oldest = self._events.popitem(last=False)
            self._bytes -= oldest.size
        return name

    async def replay_events_after(
        self, last_event_id: str, send_callback: EventCallback
    ) -> str | None:
        """Send again what followed an event of the same stream; the stream if it goes on."""
        last = self._events.get(last_event_id)
        if last is None:
            return None
        names = list(self._events)
        ended = _ends(last.message)
        for name in names[names.index(last_event_id) + 1 :]:
            event = self._events.get(name)
            if event is not None and event.stream == last.stream and event.message is not None:
                await send_callback(EventMessage(event.message, name))
                ended = ended or _ends(event.message)
        return None if ended else last.stream


def _ends(message: JSONRPCMessage | None) -> bool:
    """Whether nothing follows a message in its stream."""
    return isinstance(message, types.JSONRPCResponse | types.JSONRPCError)


class ResumableSessions(StreamableHTTPSessionManager):
    """The SDK's sessions, each with events of its own: streams are named by the client's ids."""

    def _admit_session(self, requestor: object) -> Transport | None:
        transport = super()._admit_session(requestor)  # type: ignore[arg-type]
        if transport is not None:
            transport._event_store = SessionEvents()
        return transport
