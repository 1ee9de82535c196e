"""The process's own stdin and stdout as streams that never block the loop.

Pipes and sockets, which is what editors give, belong to the loop itself: no thread stands between
a keystroke and its relay. A terminal, a file, or Windows gets a thread on each side.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import queue
import threading
from typing import IO, Protocol

from surveyor.platform.streams import can_poll, stop_blocking

READ_BYTES = 256 * 1024

LIMIT_BYTES = 64 * 1024
"""Read-ahead of the editor's stream, and its longest header line; bodies may be longer."""

FLUSH_S = 1.0
"""How long the last bytes may take to leave."""


class Writer(Protocol):
    """Where the protocol's bytes go."""

    def write(self, data: bytes) -> None:
        """Take bytes; never blocks, never raises."""
        ...

    def close(self) -> None:
        """Accept nothing more."""
        ...

    async def flushed(self) -> None:
        """Wait until what was written has left, `FLUSH_S` at most."""
        ...


async def open_stdio(stdin: IO[bytes], stdout: IO[bytes]) -> tuple[asyncio.StreamReader, Writer]:
    """A reader and a writer for one editor on a pair of byte streams."""
    reader = asyncio.StreamReader(limit=LIMIT_BYTES)
    if can_poll(stdin.fileno()):
        loop = asyncio.get_running_loop()
        await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), stdin)
    else:
        start_reading(stdin, reader)
    writer = PipeWriter(stdout) if can_poll(stdout.fileno()) else ThreadWriter(stdout)
    return reader, writer


class PipeWriter:
    """Writes at once as much as the pipe takes; the loop writes the rest when it can.

    asyncio's own transport for pipes takes any byte that arrives on a socket for its end, and
    stdin and stdout may be one socket.
    """

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self._descriptor = stream.fileno()
        self._loop = asyncio.get_running_loop()
        self._kept = bytearray()
        self._empty = asyncio.Event()
        self._empty.set()
        self._closed = False
        stop_blocking(self._descriptor)

    def write(self, data: bytes) -> None:
        """Write or keep bytes; dropped when the editor has closed its end."""
        if self._closed:
            return
        if self._kept:
            self._kept += data
            return
        sent = self._send(data)
        if sent < len(data) and not self._closed:
            self._kept += memoryview(data)[sent:]
            self._empty.clear()
            self._loop.add_writer(self._descriptor, self._more)

    def close(self) -> None:
        """Accept nothing more; what is kept is still written."""
        self._closed = True

    async def flushed(self) -> None:
        """Wait until what was written has left."""
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._empty.wait(), FLUSH_S)
        self.close()

    def _send(self, data: bytes | bytearray) -> int:
        """How many bytes went out now."""
        try:
            return os.write(self._descriptor, data)
        except (BlockingIOError, InterruptedError):
            return 0
        except OSError:  # the editor has gone
            self._closed = True
            self._kept.clear()
            return 0

    def _more(self) -> None:
        del self._kept[: self._send(self._kept)]
        if not self._kept:
            self._loop.remove_writer(self._descriptor)
            self._empty.set()


class ThreadWriter:
    """A writer whose `write` never blocks: a thread does."""

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
        """Queue the end."""
        self._queue.put(None)

    async def flushed(self) -> None:
        """Wait until what was written has left."""
        self.close()
        await asyncio.to_thread(self._thread.join, FLUSH_S)

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
