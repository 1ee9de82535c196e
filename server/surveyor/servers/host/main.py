"""`surveyor servers run`: the process that owns the language servers of one user.

Started by the first client that finds none (`client.py`), in a session of its own. It ends by
itself when it has had no server and no client for a while; its servers end with it, however it
ends (`process.ProcessGroupGuard`).
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import time
from collections.abc import Coroutine
from pathlib import Path
from typing import Any

import msgspec

from surveyor import __version__, paths
from surveyor.engine_lock import FileLock
from surveyor.platform import endpoints
from surveyor.platform.event_loop import on_end_signals
from surveyor.process_memory import own_bytes
from surveyor.protocol.wire import id_of
from surveyor.servers import messages
from surveyor.servers.errors import FramingError, UpstreamError
from surveyor.servers.host.attach import (
    APPLICATION_ERROR,
    ATTACH,
    PROTOCOL,
    PROTOCOL_ERROR,
    REPLACED,
    STATUS,
    STOP,
    Attach,
    Attached,
    as_unconfined,
    key_of,
    profile_key,
)
from surveyor.servers.host.channel import Channel
from surveyor.servers.host.client import LOCK, SOCKET
from surveyor.servers.host.shared_server import SharedServer
from surveyor.servers.process import guard
from surveyor.servers.rpc_session import UNREADABLE
from surveyor.servers.transport import STREAM_LIMIT_BYTES, frame, read_frame

IDLE_EXIT_S = 5.0
"""How long the host stays without a server and a client."""

CHECK_S = 1.0
"""How often its socket and its lock are looked at."""

READY_LOOK_S = 0.2
"""How often it is looked whether a server has become ready."""

HELLO_S = 10.0
"""How long a connection may take to say what it wants."""

log = logging.getLogger(__name__)


class Host:
    """The servers that run, by what makes two of them one, and those who use them."""

    def __init__(self, runtime: Path) -> None:
        self._runtime = runtime
        self._servers: dict[str, SharedServer] = {}
        self._private: set[SharedServer] = set()
        self._starting: dict[str, asyncio.Task[SharedServer]] = {}
        self._graces: dict[str, asyncio.TimerHandle] = {}
        self._ended: dict[str, tuple[int, str]] = {}
        """How often the server of a key has ended by itself, and why it did last."""
        self._connections: set[asyncio.Task[None]] = set()
        self._channels = 0
        self._used = time.monotonic()
        self._tasks: set[asyncio.Future[Any]] = set()
        self._listening: asyncio.Server | None = None
        self.stopping = asyncio.Event()

    async def listen(self) -> None:
        """Open the socket, to this user only. Raises `OSError`."""
        address = self._runtime / SOCKET
        self._listening = await asyncio.start_server(
            self.connected, sock=endpoints.listen(address), limit=STREAM_LIMIT_BYTES
        )

    # --- connections ------------------------------------------------------------------

    def connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Somebody connected."""
        if not endpoints.is_from_same_user(writer.get_extra_info("socket")):
            log.warning("a process of another user was refused")
            writer.close()
            return
        task = asyncio.ensure_future(self._serve(reader, writer))
        self._connections.add(task)
        task.add_done_callback(self._served)

    def _served(self, task: asyncio.Task[None]) -> None:
        self._connections.discard(task)
        self._used = time.monotonic()
        if not task.cancelled() and (error := task.exception()) is not None:
            log.error("a connection failed", exc_info=error)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            async with asyncio.timeout(HELLO_S):
                body = await read_frame(reader, forgive_junk=False)
            if body is None:
                return
            await self._begin(body, reader, writer)
        except (TimeoutError, FramingError, ConnectionError) as error:
            log.info("a connection ended early: %s", error)
        finally:
            writer.close()

    async def _begin(
        self, body: bytes, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        try:
            envelope = messages.decode_envelope(body)
            number, method = envelope.id, envelope.method
            if method == ATTACH:
                wish = msgspec.json.decode(envelope.params, type=Attach)
        except UNREADABLE as error:
            error_body = messages.error_object(-32600, str(error))
            writer.write(frame(messages.splice_error(id_of(body), error_body)))
            return
        if self.stopping.is_set() and method != STOP:
            return  # it has gone, to whoever wants something of it
        if method == ATTACH:
            await self._attach(number, wish, reader, writer)
        elif method == STATUS:
            writer.write(frame(messages.splice_result(number, messages.encode(self.status()))))
            await writer.drain()
        elif method == STOP:
            writer.write(frame(messages.splice_result(number, b"null")))
            await writer.drain()
            self.stop("asked to")
        else:
            error_body = messages.error_object(-32601, f"not served: {method}")
            writer.write(frame(messages.splice_error(number, error_body)))

    async def _attach(
        self,
        number: Any,
        wish: Attach,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
    ) -> None:
        if min(wish.protocol[1], PROTOCOL[1]) < max(wish.protocol[0], PROTOCOL[0]):
            # As with the engine: only a newer client that cannot speak to it replaces a host.
            newer = wish.protocol[0] > PROTOCOL[1]
            error = messages.error_object(
                REPLACED if newer else PROTOCOL_ERROR,
                f"the host that runs is of another version ({__version__}): it speaks protocols"
                f" {PROTOCOL[0]} to {PROTOCOL[1]}, this client {wish.protocol[0]} to"
                f" {wish.protocol[1]}",
            )
            writer.write(frame(messages.splice_error(number, error)))
            await writer.drain()
            if newer:
                self.stop("replaced by a newer version")
            return
        common = await self._common(wish)
        key = self._key(wish, common)
        try:
            server = await self._server(key, wish)
        except UpstreamError as error:
            body = messages.error_object(APPLICATION_ERROR, error.message)
            writer.write(frame(messages.splice_error(number, body)))
            await writer.drain()
            return
        answer = Attached(version=__version__, pid=server.pid, host=os.getpid())
        writer.write(frame(messages.splice_result(number, messages.encode(answer))))
        self._channels += 1
        channel = Channel(self._channels, wish, server, self._open_private, reader, writer)
        if wish.profile:
            self._spawn(self._bring_together(server, common))
        grace = self._graces.pop(key, None)
        if grace is not None:
            grace.cancel()
        try:
            await channel.serve()
        finally:
            self._left(channel.shared)

    # --- servers ----------------------------------------------------------------------

    async def _common(self, wish: Attach) -> str:
        """What the keys of all servers begin with that can serve a client."""
        for each in filter(None, (as_unconfined(wish), wish)):
            common = await asyncio.to_thread(key_of, each)  # looks for tools on the whole PATH
            # Only one that is there: what this client has started is confined.
            known = self._servers.get(self._key(wish, common))
            if each is wish or (known is not None and known.alive):
                break
        return common

    def _key(self, wish: Attach, common: str) -> str:
        """Under which the server for a client is: one that was told more than the client can do is
        as good for a client of the usual kind."""
        key = f"{common}{profile_key(wish)}"
        if key not in self._servers and not wish.profile:
            key = next(
                (each for each, s in self._servers.items() if each.startswith(common) and s.alive),
                key,
            )
        return key

    async def _server(self, key: str, wish: Attach) -> SharedServer:
        server = self._servers.get(key)
        if server is not None and server.alive:
            return server
        starting = self._starting.get(key)
        if starting is None:
            starting = self._starting[key] = asyncio.ensure_future(self._start(key, wish))
            starting.add_done_callback(lambda _: self._starting.pop(key, None))
        return await asyncio.shield(starting)

    async def _start(self, key: str, wish: Attach) -> SharedServer:
        server = SharedServer(key, wish, self._server_ended)
        await server.start()
        self._servers[key] = server
        if self.stopping.is_set():
            await server.stop()
        return server

    async def _open_private(self, channel: Channel) -> SharedServer:
        """A server for one client alone, whose texts are in conflict with the others'."""
        server = SharedServer(channel.shared.key, channel.wish, self._private_ended)
        server.private_for = channel
        await server.start()
        self._private.add(server)
        if self.stopping.is_set():
            await server.stop()
        return server

    def _private_ended(self, server: SharedServer, why: str) -> None:
        self._private.discard(server)

    def _server_ended(self, server: SharedServer, why: str) -> None:
        if self._servers.get(server.key) is server:
            del self._servers[server.key]
        times, _ = self._ended.get(server.key, (0, ""))
        self._ended[server.key] = (times + 1, why)
        log.info("%s on %s ended: %s", server.wish.name, server.root, why)

    def _left(self, server: SharedServer) -> None:
        """A client is gone: after the last one the server is kept for a while."""
        self._private = {each for each in self._private if each.alive}
        if server.interested or self._servers.get(server.key) is not server:
            return
        self._spawn(self._stop_unless_keepable(server))
        loop = asyncio.get_running_loop()
        old = self._graces.pop(server.key, None)
        if old is not None:
            old.cancel()
        self._graces[server.key] = loop.call_later(server.wish.grace_s, self._grace_over, server)

    def _grace_over(self, server: SharedServer) -> None:
        self._graces.pop(server.key, None)
        if not server.interested and self._servers.get(server.key) is server:
            del self._servers[server.key]
            self._spawn(server.stop())

    async def _stop_unless_keepable(self, server: SharedServer) -> None:
        if not await server.keepable() and not server.interested:
            self._grace_over(server)

    async def _bring_together(self, server: SharedServer, common: str) -> None:
        """Move the clients of a server that was told of less over to one as good for them."""
        deadline = time.monotonic() + server.wish.readiness.deadline_s
        while not server.ready:  # theirs may be: what they ask shall not be answered in part
            if not server.alive or time.monotonic() > deadline:
                return
            await asyncio.sleep(READY_LOOK_S)
        usual = self._servers.get(common)
        if usual is None or usual is server:
            return
        for client in list(usual.interested):
            await client.rehome(server)
        if not usual.interested and self._servers.get(common) is usual:
            self._grace_over(usual)

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    # --- the process ------------------------------------------------------------------

    def stop(self, why: str) -> None:
        """End the process."""
        log.info("the host of language servers ends: %s", why)
        self.stopping.set()

    async def watch(self, lock: FileLock) -> None:
        """End it when nobody has use for it, or nobody can find it."""
        while True:
            await asyncio.sleep(CHECK_S)
            busy = self._servers or self._connections or self._starting or self._tasks
            if busy:
                self._used = time.monotonic()
            elif time.monotonic() - self._used > IDLE_EXIT_S:
                self.stop("nobody uses it")
            if lock.is_lost() or not (self._runtime / SOCKET).exists():
                self.stop("its lock or its socket has been removed")

    async def close(self) -> None:
        """End all servers."""
        if self._listening is not None:
            self._listening.close()
            with contextlib.suppress(OSError):
                (self._runtime / SOCKET).unlink()
        for timer in self._graces.values():
            timer.cancel()
        for starting in self._starting.values():
            starting.cancel()
        servers = [*self._servers.values(), *self._private]
        await asyncio.gather(*(server.stop() for server in servers), return_exceptions=True)
        await asyncio.gather(*self._tasks, return_exceptions=True)
        for connection in list(self._connections):
            connection.cancel()
        await asyncio.gather(*self._connections, return_exceptions=True)

    def status(self) -> dict[str, Any]:
        """What runs, for people."""
        rows = []
        private = (server for server in self._private if server.alive)
        for server in (*self._servers.values(), *private):
            times, why = self._ended.get(server.key, (0, ""))
            row = {**server.status(), "restarts": times, "reason": why or None}
            rows.append({**row, "kept": server.key in self._graces})
        return {
            "pid": os.getpid(),
            "version": __version__,
            "memoryBytes": own_bytes(),
            "servers": rows,
        }


def run() -> int:
    """Be the host until nobody needs one; 0 also where another process is it already."""
    if not endpoints.is_unix():
        raise UpstreamError("language servers are not shared on Windows: each window has its own")
    data = paths.data_dir()
    runtime = paths.make_folders(data)
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s")
    lock = FileLock(runtime / LOCK)
    if not lock.acquire():
        return 0
    try:
        asyncio.run(_run(runtime, lock))
    finally:
        lock.release()
        guard.close()
    return 0


async def _run(runtime: Path, lock: FileLock) -> None:
    host = Host(runtime)
    await host.listen()
    loop = asyncio.get_running_loop()
    on_end_signals(loop, host.stop, hangup=True)
    watching = asyncio.ensure_future(host.watch(lock))
    try:
        await host.stopping.wait()
    finally:
        watching.cancel()
        await host.close()
        lock.release()  # threads that look at files may take longer: whoever waits need not
