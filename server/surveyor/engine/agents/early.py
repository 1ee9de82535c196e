"""Answers an agent while the SDK is not there: the handshake, the tools, and calls that only read.

The first agent of an engine finds it so. An engine that has just started is asked by every agent
whose calls the end of the last one has interrupted. Importing the SDK takes as long as all the rest
of a start, and a search needs nothing of it. Whatever else an agent sends goes to the SDK's server,
which then hears the handshake too.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from functools import partial
from typing import Any

import msgspec

from surveyor.engine.agents import handshake
from surveyor.engine.agents.agent import Agent
from surveyor.engine.agents.client_roots import offer
from surveyor.engine.agents.services import AgentServices
from surveyor.engine.agents.tool_call import Level, ToolOutcome, call_tool
from surveyor.engine.agents.tools import TOOLS
from surveyor.protocol.tools import listed_tools

log = logging.getLogger(__name__)

ROOTS_ID = "surveyor-roots"
"""The id of our question which folders are open; the SDK's own are numbers."""
UNWRITABLE = {"code": -32603, "message": "the answer has characters that JSON cannot carry"}


class _AgentMessage(msgspec.Struct):
    id: int | str | None = None
    method: str | None = None
    params: msgspec.Raw = msgspec.Raw(b"{}")
    result: msgspec.Raw = msgspec.Raw(b"null")


class _Meta(msgspec.Struct):
    progressToken: int | str | None = None


class _ToolCall(msgspec.Struct):
    name: str
    arguments: dict[str, Any] | None = None
    meta: _Meta = msgspec.field(name="_meta", default_factory=_Meta)


class _Cancelled(msgspec.Struct):
    requestId: int | str


class _Root(msgspec.Struct):
    uri: str


class _Roots(msgspec.Struct):
    roots: list[_Root]


class EarlyServer:
    """Serves one agent until the SDK is there, or something comes that only the SDK can answer."""

    def __init__(
        self,
        agent: Agent,
        services: AgentServices,
        opening: handshake.InitializeRequest,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
    ) -> None:
        self._agent = agent
        self._services = services
        self._opening = opening
        self._reader = reader
        self._writer = writer
        self._is_open = False
        self._running: dict[int | str, asyncio.Task[None]] = {}

    async def serve(self, first: bytes, loaded: asyncio.Event) -> list[bytes] | None:
        """Answer; returns what the SDK's server has to hear, None when the agent has gone.

        `first` is the line of the handshake. Calls that run when this ends are answered by it.
        """
        heard = [first]
        try:
            self._write(handshake.answer(self._opening, await self._agent.instructions()))
            while (line := await self._next(loaded)) is not None:
                self._services.touch()
                if not line:
                    await asyncio.gather(*self._running.values(), return_exceptions=True)
                    return None
                is_initialized, is_done = self._take(line)
                if is_initialized or not is_done:
                    heard.append(line)
                if not is_done:
                    break
        except BaseException:
            for task in self._running.values():
                task.cancel()
            raise
        return heard

    async def _next(self, loaded: asyncio.Event) -> bytes | None:
        """The next line, empty at the end; None once the SDK is there."""
        reading = asyncio.ensure_future(self._reader.readline())
        waiting = asyncio.ensure_future(loaded.wait())
        try:
            await asyncio.wait((reading, waiting), return_when=asyncio.FIRST_COMPLETED)
            return reading.result() if reading.done() else None
        finally:
            for each in (reading, waiting):  # what has come of a line stays in the reader
                each.cancel()
            await asyncio.wait((reading, waiting))

    def _take(self, line: bytes) -> tuple[bool, bool]:
        """Whether this ends the handshake, and whether nothing is left to be done about it."""
        try:
            message = msgspec.json.decode(line, type=_AgentMessage)
            if message.method == "notifications/initialized":
                self._is_open = True
                self._ask_roots()
                return True, True
            return False, self._is_open and self._is_taken(message)
        except (msgspec.MsgspecError, UnicodeError, RecursionError):
            return False, False

    def _is_taken(self, message: _AgentMessage) -> bool:
        if message.method is None:
            return message.id == ROOTS_ID and self._hear_roots(message)
        if message.method == "notifications/cancelled":
            cancelled = msgspec.json.decode(message.params, type=_Cancelled)
            if task := self._running.get(cancelled.requestId):
                task.cancel()
            return True
        if message.id is None:
            return False
        if message.method == "ping":
            self._write(msgspec.json.encode({**_head(message.id), "result": {}}) + b"\n")
            return True
        if message.method == "tools/list":
            listed = {**_head(message.id), "result": {"tools": listed_tools()}}
            self._write(msgspec.json.encode(listed) + b"\n")
            return True
        if message.method != "tools/call":
            return False
        call = msgspec.json.decode(message.params, type=_ToolCall)
        if not self._is_for_us(call):
            return False
        task = asyncio.create_task(self._answer(message.id, call))
        self._running[message.id] = task
        task.add_done_callback(partial(self._ended, message.id))
        return True

    def _ended(self, number: int | str, task: asyncio.Task[None]) -> None:
        if self._running.get(number) is task:
            del self._running[number]

    def _is_for_us(self, call: _ToolCall) -> bool:
        """Whether a call only reads, and never asks the user whether it may."""
        tool = TOOLS.get(call.name)
        if tool is None or not tool.described.only_reads(call.arguments or {}):
            return False
        may_ask = "elicitation" in self._opening.params.capabilities
        return not (may_ask and (call.arguments or {}).get("project"))

    async def _answer(self, number: int | str, call: _ToolCall) -> None:
        token = call.meta.progressToken

        async def report(done: float, total: float | None, message: str) -> None:
            if token is not None:
                told = {"progressToken": token, "progress": done, "message": message}
                told |= {} if total is None else {"total": total}
                self._notify("notifications/progress", told)

        async def tell(level: Level, text: str) -> None:
            if level == "error":  # a client that wants more has said so to the SDK's server
                said = {"level": level, "logger": "surveyor", "data": text}
                self._notify("notifications/message", said)

        outcome = await call_tool(
            call.name,
            call.arguments,
            self._agent,
            self._agent.reporting(report),
            self._services.request_timeout,
            tell,
        )
        try:
            said = msgspec.json.encode({**_head(number), "result": result_of(outcome)})
        except UnicodeEncodeError:  # half a surrogate pair in a file's name
            said = msgspec.json.encode({**_head(number), "error": UNWRITABLE})
        self._write(said + b"\n")
        with contextlib.suppress(ConnectionError):
            await self._writer.drain()

    # --- roots ------------------------------------------------------------------------------

    def _ask_roots(self) -> None:
        """Ask a client that has roots for them, as the SDK's server does."""
        if self._opening.params.capabilities.get("roots") is not None:
            asked = {**_head(ROOTS_ID), "method": "roots/list"}
            self._write(msgspec.json.encode(asked) + b"\n")

    def _hear_roots(self, message: _AgentMessage) -> bool:
        try:
            said = msgspec.json.decode(message.result, type=_Roots)
            uris = [each.uri for each in said.roots]
        except msgspec.MsgspecError as error:
            log.info("an agent did not say its roots: %r", error)
            uris = []

        async def take() -> None:
            for why in await offer(self._agent, uris):
                said = {
                    "level": "warning",
                    "logger": "surveyor",
                    "data": f"an open folder is no project: {why}",
                }
                self._notify("notifications/message", said)

        self._services.spawn(take())
        return True

    # --- the wire ---------------------------------------------------------------------------

    def _notify(self, method: str, params: dict[str, Any]) -> None:
        said = {"jsonrpc": "2.0", "method": method, "params": params}
        with contextlib.suppress(UnicodeEncodeError):
            self._write(msgspec.json.encode(said) + b"\n")

    def _write(self, line: bytes) -> None:
        self._writer.write(line)


def _head(number: int | str) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": number}


def result_of(outcome: ToolOutcome) -> dict[str, Any]:
    """What a call came to, as the protocol wants it."""
    meta = {"_meta": outcome.meta} if outcome.meta else {}
    return {
        **meta,
        "content": [{"type": "text", "text": outcome.text}],
        "isError": outcome.is_error,
    }
