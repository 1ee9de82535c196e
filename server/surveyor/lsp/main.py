"""`surveyor lsp`: the process. stdout carries the protocol and nothing else.

Bytes are read by one thread and written by another, so that neither a slow editor nor a full pipe
ever blocks the loop that relays keystrokes.
"""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import logging
import logging.handlers
import os
import queue
import signal
import sys
import threading
from pathlib import Path
from typing import IO, TYPE_CHECKING

from surveyor import paths
from surveyor.lsp.greeting import greet
from surveyor.upstream.transport import frame

if TYPE_CHECKING:
    from surveyor.lsp.server import Server

LOG_BYTES = 2 * 1024 * 1024
"""Size at which the log file is rotated; one old file is kept."""

PARENT_CHECK_S = 2.0
CLOSE_LIMIT_S = 4.0
"""How long ending politely may take before upstreams are killed."""

READ_BYTES = 256 * 1024

log = logging.getLogger(__name__)


class ThreadWriter:
    """A pygls writer whose `write` never blocks."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self._queue: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self.broken = False
        self._thread = threading.Thread(target=self._run, name="surveyor-stdout", daemon=True)
        self._thread.start()

    def write(self, data: bytes) -> None:
        """Queue bytes; dropped when the editor has closed its end."""
        if not self.broken:
            self._queue.put(data)

    def close(self) -> None:
        """Write what is queued, waiting a second at most."""
        self._queue.put(None)
        self._thread.join(1.0)

    def _run(self) -> None:
        while (data := self._queue.get()) is not None:
            try:
                self._stream.write(data)
                if self._queue.empty():
                    self._stream.flush()
            except (OSError, ValueError):
                self.broken = True
                return
        with contextlib.suppress(OSError, ValueError):
            self._stream.flush()


class TcpWriter:
    """A pygls writer over a socket (`--tcp`)."""

    def __init__(self, writer: asyncio.StreamWriter) -> None:
        self._writer = writer

    def write(self, data: bytes) -> None:
        """Hand bytes to the transport."""
        if not self._writer.is_closing():
            self._writer.write(data)

    def close(self) -> None:
        """End the connection."""
        self._writer.close()


def serve(*, tcp: str | None = None, log_level: str = "info") -> int:
    """Run until the editor ends the session; returns the exit status LSP asks for."""
    log_to_file(log_level)
    if tcp is not None:
        return asyncio.run(serve_tcp(tcp))
    # Anything that prints goes to stderr: the real stdout is the protocol's alone.
    protocol_out = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    status = asyncio.run(serve_stdio(sys.stdin.buffer, protocol_out))
    logging.shutdown()
    # A thread may still sit in a read of stdin, which nothing can interrupt.
    os._exit(status)


async def serve_stdio(stdin: IO[bytes], stdout: IO[bytes]) -> int:
    """Serve one editor over a pair of byte streams."""
    reader = asyncio.StreamReader(limit=1 << 30)
    start_reading(stdin, reader)
    writer = ThreadWriter(stdout)
    try:
        return await serve_connection(reader, writer)
    finally:
        writer.close()


async def serve_tcp(address: str) -> int:
    """Serve the first client that connects to `HOST:PORT`."""
    host, _, port = address.rpartition(":")
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
            out.close()
        if not done.done():
            done.set_result(status)

    server = await asyncio.start_server(connected, host or "127.0.0.1", int(port))
    name = server.sockets[0].getsockname()
    print(f"surveyor lsp listens on {name[0]}:{name[1]}", file=sys.stderr, flush=True)  # noqa: T201
    return await done


async def serve_connection(reader: asyncio.StreamReader, writer: ThreadWriter | TcpWriter) -> int:
    """Serve one editor; every upstream is gone when this returns."""
    greeting = await greet(reader, lambda body: writer.write(frame(body)))
    if greeting is None:
        return 1
    # Beside the loop: what arrives meanwhile waits in the reader.
    module = await asyncio.to_thread(importlib.import_module, "surveyor.lsp.server")
    server: Server = module.create(greeting, writer)
    status: asyncio.Future[int] = asyncio.get_running_loop().create_future()

    def ended(code: int) -> None:
        if not status.done():
            status.set_result(code)

    server.protocol.on_exit = ended
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        with contextlib.suppress(NotImplementedError, ValueError):
            loop.add_signal_handler(number, ended, 1)
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


def start_reading(stream: IO[bytes], reader: asyncio.StreamReader) -> None:
    """Feed a stream reader from a thread until the stream ends."""
    loop = asyncio.get_running_loop()

    def run() -> None:
        descriptor = stream.fileno()
        while True:
            try:
                data = os.read(descriptor, READ_BYTES)
            except OSError:
                data = b""
            try:
                if not data:
                    loop.call_soon_threadsafe(reader.feed_eof)
                    return
                loop.call_soon_threadsafe(reader.feed_data, data)
            except RuntimeError:
                return  # the loop has ended

    threading.Thread(target=run, name="surveyor-stdin", daemon=True).start()


async def watch_parent(server: Server, ended: object) -> None:
    """End when the editor's process has gone without closing our input (LSP's processId)."""
    seen = False
    while True:
        pid = server.protocol.initialize_params.get("processId")
        if isinstance(pid, int):
            alive = process_exists(pid)
            # Never seen: the editor is in another process namespace, its number means nothing.
            if seen and not alive and callable(ended):
                ended(1)
                return
            seen = seen or alive
        await asyncio.sleep(PARENT_CHECK_S)


def process_exists(pid: int) -> bool:
    """Whether a process with this id exists."""
    if sys.platform != "win32":
        try:
            os.kill(pid, 0)
        except (ProcessLookupError, OverflowError):
            return False
        except PermissionError:
            return True
        return True
    import psutil

    return bool(psutil.pid_exists(pid))


def log_to_file(level: str) -> None:
    """Log to a rotating file in the data folder; a folder that cannot be written stops nothing."""
    root = logging.getLogger()
    root.setLevel(getattr(logging, level.upper(), logging.INFO))
    logging.getLogger("pygls").setLevel(logging.WARNING)
    try:
        file = log_file()
        file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        handler = logging.handlers.RotatingFileHandler(
            file, maxBytes=LOG_BYTES, backupCount=1, encoding="utf-8", delay=True
        )
    except OSError:
        return
    handler.setFormatter(
        logging.Formatter("%(asctime)s %(process)d %(levelname)s %(name)s: %(message)s")
    )
    root.addHandler(handler)


def log_file() -> Path:
    """Where `surveyor lsp` logs."""
    return paths.data_dir() / "logs" / "lsp.log"
