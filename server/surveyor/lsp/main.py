"""`surveyor lsp`: the process. stdout carries the protocol and nothing else.

Starts, serves one editor over the streams of `stdio.py` or a socket, and ends with everything that
was started.
"""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import logging
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from surveyor.lsp.initialize import greet
from surveyor.lsp.logs import default_log_file, log_to_file
from surveyor.lsp.message_reader import lost
from surveyor.lsp.stdio import FLUSH_S, Writer, open_stdio
from surveyor.platform import processes
from surveyor.platform.event_loop import on_end_signals
from surveyor.servers.errors import FramingError
from surveyor.servers.transport import frame

if TYPE_CHECKING:
    from surveyor.lsp.server import LspServer

PARENT_CHECK_S = 2.0
CLOSE_LIMIT_S = 4.0
"""How long ending politely may take before upstreams are killed."""

log = logging.getLogger(__name__)


class TcpWriter:
    """A writer over a socket (`--tcp`)."""

    def __init__(self, writer: asyncio.StreamWriter) -> None:
        self._writer = writer

    def write(self, data: bytes) -> None:
        """Hand bytes to the transport."""
        if not self._writer.is_closing():
            self._writer.write(data)

    def close(self) -> None:
        """End the connection."""
        self._writer.close()

    async def flushed(self) -> None:
        """Wait until what was written has left."""
        self.close()
        with contextlib.suppress(OSError, TimeoutError):
            await asyncio.wait_for(self._writer.wait_closed(), FLUSH_S)


def serve(
    *,
    tcp: tuple[str, int] | None = None,
    log_level: str = "info",
    log_file: Path | None = None,
) -> int:
    """Run until the editor ends the session; returns the exit status LSP asks for."""
    log_to_file(log_level, log_file or default_log_file())
    if tcp is not None:
        return asyncio.run(serve_tcp(*tcp))
    # Anything that prints goes to stderr: the real stdout is the protocol's alone.
    protocol_out = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())

    async def run() -> NoReturn:
        reader, writer = await open_stdio(sys.stdin.buffer, protocol_out)
        try:
            status = await serve_connection(reader, writer)
        finally:
            await writer.flushed()
        logging.shutdown()
        # From within the loop, which would wait for its threads: one may sit in a read of stdin,
        # which nothing can interrupt, or in looking through a folder.
        os._exit(status)

    return asyncio.run(run())


async def serve_tcp(host: str, port: int) -> int:
    """Serve the first client that connects to a port. Raises `OSError` where it cannot be had."""
    done: asyncio.Future[int] = asyncio.get_running_loop().create_future()

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if done.done() or server.is_serving() is False:
            writer.close()
            return
        server.close()
        out = TcpWriter(writer)
        try:
            status = await serve_connection(reader, out)
        finally:
            await out.flushed()
        if not done.done():
            done.set_result(status)

    server = await asyncio.start_server(connected, host, port)
    name = server.sockets[0].getsockname()
    print(f"surveyor lsp listens on {name[0]}:{name[1]}", file=sys.stderr, flush=True)  # noqa: T201
    return await done


async def serve_connection(reader: asyncio.StreamReader, writer: Writer) -> int:
    """Serve one editor; every upstream is gone when this returns."""

    def write(body: bytes) -> None:
        writer.write(frame(body))

    try:
        editor_info = await greet(reader, write)
    except FramingError as error:
        lost(error, write)
        return 1
    if editor_info is None:
        return 1
    # Beside the loop: what arrives meanwhile waits in the reader.
    module = await asyncio.to_thread(importlib.import_module, "surveyor.lsp.server")
    server: LspServer = module.create(editor_info, writer)
    status: asyncio.Future[int] = asyncio.get_running_loop().create_future()

    def ended(code: int) -> None:
        if not status.done():
            status.set_result(code)

    server.protocol.on_exit = ended
    loop = asyncio.get_running_loop()
    on_end_signals(loop, lambda _: ended(1))
    if editor_info.waits:
        answering = asyncio.ensure_future(server.introduce(editor_info))
        both: list[asyncio.Future[Any]] = [status, answering]
        await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
    reading = asyncio.ensure_future(server.protocol.read_all(reader))
    reading.add_done_callback(lambda _: ended(1))
    watching = asyncio.ensure_future(watch_parent(server, ended))
    try:
        return await status
    finally:
        watching.cancel()
        reading.cancel()
        try:
            await asyncio.wait_for(server.close(), CLOSE_LIMIT_S)
        except TimeoutError:
            server.kill()


async def watch_parent(server: LspServer, ended: object) -> None:
    """End when the editor's process has gone without closing our input (LSP's processId)."""
    seen = False
    while True:
        pid = server.protocol.initialize_params.get("processId")
        if isinstance(pid, int):
            alive = processes.exists(pid)
            # Never seen: the editor is in another process namespace, its number means nothing.
            if seen and not alive and callable(ended):
                ended(1)
                return
            seen = seen or alive
        await asyncio.sleep(PARENT_CHECK_S)
