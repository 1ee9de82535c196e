"""A relay's socket, one JSON-RPC message a line, as the message streams that the SDK reads."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any

import anyio
import mcp_types as types
import msgspec
from mcp.shared.message import SessionMessage
from mcp_types import jsonrpc_message_adapter

from surveyor.protocol.wire import clipped, id_of, is_json

log = logging.getLogger(__name__)

MAX_DATA_CHARS = 2000
"""Longer data of an error repeat what was asked."""


class SocketMessages:
    """Reads and writes JSON-RPC lines of a socket as the SDK's message streams."""

    def __init__(
        self,
        touch: Callable[[], None],
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        heard: Sequence[bytes],
        answered: int | str | None,
    ) -> None:
        """`heard` are lines that were read before; `answered` is what was answered of them."""
        self._touch = touch
        self._reader = reader
        self._writer = writer
        self._heard = list(heard)
        self._answered = answered

    @asynccontextmanager
    async def streams(self) -> AsyncIterator[tuple[Any, Any]]:
        """What the SDK reads from and writes to."""
        to_server, incoming = anyio.create_memory_object_stream[SessionMessage | Exception](64)
        outgoing, from_server = anyio.create_memory_object_stream[SessionMessage](64)
        async with anyio.create_task_group() as group:

            async def guarded(work: Awaitable[None]) -> None:
                with contextlib.suppress(
                    ConnectionError, anyio.ClosedResourceError, anyio.BrokenResourceError
                ):
                    await work

            group.start_soon(guarded, self._read(to_server))
            group.start_soon(guarded, self._write(from_server))
            try:
                yield incoming, outgoing
            finally:
                group.cancel_scope.cancel()

    async def _read(self, to_server: Any) -> None:
        async with to_server:
            while line := self._heard.pop(0) if self._heard else await self._reader.readline():
                self._touch()
                if not line.strip():
                    continue
                try:
                    message = jsonrpc_message_adapter.validate_json(line, by_name=False)
                except (ValueError, RecursionError) as error:
                    await self._refuse(line, error)
                    continue
                await to_server.send(SessionMessage(message))

    async def _refuse(self, line: bytes, error: Exception) -> None:
        """What is no JSON-RPC is answered under its id, where it has one."""
        code, text = (-32600, "Invalid Request") if is_json(line) else (-32700, "Parse error")
        log.debug("an agent sent what is no message: %s", clipped(str(error)))
        await self._say(_failed(id_of(line), code, text))

    async def _say(self, message: bytes) -> None:
        self._writer.write(message + b"\n")
        await self._writer.drain()

    async def _write(self, from_server: Any) -> None:
        async with from_server:
            async for each in from_server:
                if self._answered is not None and self._is_answered(each.message):
                    continue
                await self._say(_encoded(each.message))

    def _is_answered(self, message: Any) -> bool:
        """Whether this is the second answer to the handshake."""
        second = isinstance(message, types.JSONRPCResponse) and message.id == self._answered
        if second:
            self._answered = None
        return second


def _encoded(message: Any) -> bytes:
    """A message as a line; an error repeats nothing huge, and what cannot be written is said."""
    if isinstance(message, types.JSONRPCError):
        message.error.message = clipped(message.error.message)
        if len(repr(message.error.data)) > MAX_DATA_CHARS:
            message.error.data = None
    try:
        return bytes(message.model_dump_json(by_alias=True, exclude_unset=True).encode())
    except ValueError as error:  # half a surrogate pair in a file's name
        log.warning("an answer cannot be written: %s", clipped(str(error)))
        text = "the answer has characters that JSON cannot carry"
        return _failed(getattr(message, "id", None), -32603, text)


def _failed(number: int | str | None, code: int, text: str) -> bytes:
    error = {"code": code, "message": text}
    return msgspec.json.encode({"jsonrpc": "2.0", "id": number, "error": error})
