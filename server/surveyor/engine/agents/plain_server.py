"""Answers an agent without the SDK: the handshake, what there is, and calls of tools.

That is all that most agents ever ask. Importing the SDK takes as long as all the rest of an
engine's start and 25 MB for its life. Whatever else an agent sends (a prompt, a resource, a
subscription, what only its user can allow) goes to the SDK's server, which then hears the
handshake too, and serves the rest of the session.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from functools import partial
from typing import Any

import msgspec

from surveyor.engine.agents import handshake, listings
from surveyor.engine.agents.agent import Agent
from surveyor.engine.agents.client_roots import offer
from surveyor.engine.agents.services import AgentServices
from surveyor.engine.agents.tool_call import Level, ToolOutcome, call_tool
from surveyor.engine.agents.tools import TOOLS

log = logging.getLogger(__name__)

ROOTS_ID = "surveyor-roots-"
"""How ids of our questions begin which folders are open; the SDK's own are numbers."""
CHANGE_CHECK_S = 2.0
"""How often a session looks whether rules have changed, to tell its agent."""
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


class PlainServer:
    """Serves one agent until something comes that only the SDK can answer."""

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
        self._asked_roots = 0
        self._running: dict[int | str, asyncio.Task[None]] = {}

    async def serve(self, first: bytes) -> list[bytes] | None:
        """Answer; returns what the SDK's server has to hear, None when the agent has gone.

        `first` is the line of the handshake. Calls that run when this ends are answered by it.
        """
        heard = [first]
        watching = asyncio.create_task(self._watch())
        try:
            self._write(handshake.answer(self._opening, await self._agent.instructions()))
            while line := await self._reader.readline():
                self._services.touch()
                is_initialized, is_done = self._take(line)
                if is_initialized or not is_done:
                    heard.append(line)
                if not is_done:
                    return heard
                # One that asks and does not read is not heard further, and costs no memory.
                with contextlib.suppress(ConnectionError):
                    await self._writer.drain()
            await asyncio.gather(*self._running.values(), return_exceptions=True)
        except BaseException:
            for task in self._running.values():
                task.cancel()
            raise
        finally:
            watching.cancel()
        return None

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
            return str(message.id).startswith(ROOTS_ID) and self._hear_roots(message)
        if message.method == "notifications/roots/list_changed":
            self._ask_roots()
            return True
        if message.method == "notifications/cancelled":
            cancelled = msgspec.json.decode(message.params, type=_Cancelled)
            if task := self._running.get(cancelled.requestId):
                task.cancel()
            return True
        if message.id is None:
            return False
        if (listed := listings.LISTED.get(message.method)) is not None:
            self._write(msgspec.json.encode({**_head(message.id), "result": listed()}) + b"\n")
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
        """Whether a call never asks the user whether it may: only the SDK can do that."""
        if "elicitation" not in self._opening.params.capabilities:
            return True
        tool, given = TOOLS.get(call.name), call.arguments or {}
        return tool is None or (tool.described.only_reads(given) and not given.get("project"))

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
            self._asked_roots += 1
            asked = {**_head(f"{ROOTS_ID}{self._asked_roots}"), "method": "roots/list"}
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

    async def _watch(self) -> None:
        """Tell the agent when its rules have changed, as the SDK's server does."""
        rules = await self._agent.rules_fingerprint()
        while True:
            await asyncio.sleep(CHANGE_CHECK_S)
            try:
                now = await self._agent.rules_fingerprint()
            except Exception as error:
                log.debug("a session could not look for changes: %r", error)
                continue
            if now != rules and self._is_open:
                self._notify("notifications/resources/list_changed", {})
                rules = now

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
