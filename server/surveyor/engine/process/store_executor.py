"""The vector store as the event loop sees it: calls on threads, and whether it answers at all.

An embedded store always answers. A Qdrant server may be away, now or when the engine starts: then
names are still found, work waits in the queue, and what is derived is compared when it is back.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

from surveyor.config import Settings
from surveyor.store.vectors.contract import (
    StoreDamagedError,
    StoreFullError,
    StoreUnreachableError,
    VectorStore,
)
from surveyor.store.vectors.edge import EdgeStore
from surveyor.store.vectors.owner import owner_of

log = logging.getLogger(__name__)

T = TypeVar("T")

OnStore = Callable[..., Awaitable[Any]]
"""Runs a blocking call of the store with its arguments on the store's threads."""

PROBE_S = 5.0
"""How often a server that went away is asked whether it is back."""
SERVER_THREADS = 4
RESERVE_BYTES = 4 << 20


def open_vectors(data_dir: Path, settings: Settings) -> tuple[VectorStore, int]:
    """The configured store, and how many threads may call it at once."""
    qdrant = settings.qdrant
    if qdrant.url:
        from surveyor.store.vectors.server import connect  # seconds, for those who have a server

        store = connect(qdrant.url, owner_of(data_dir), qdrant.api_key, qdrant.timeout)
        return store, SERVER_THREADS
    return EdgeStore(data_dir / "vectors", settings.engine.open_shards), 1


class DiskReserve:
    """A few megabytes that are put by: opening an index takes some room even to read it."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / "reserve"

    def fill(self) -> None:
        """Write what the file lacks of its size, where the disk has room for it."""
        try:
            with self._path.open("ab") as file:
                if file.tell() < RESERVE_BYTES:
                    file.write(bytes(RESERVE_BYTES - file.tell()))
        except OSError as error:
            log.info("nothing is put by: %s", error)
            self.release()

    def release(self) -> bool:
        """Give them up; whether there was anything."""
        try:
            self._path.unlink()
        except OSError:
            return False
        return True


class StoreExecutor:
    """Runs blocking calls and remembers when the store could not be reached."""

    def __init__(
        self,
        vectors: VectorStore,
        threads: int,
        data_dir: Path,
        *,
        on_return: Callable[[], None],
        on_damage: Callable[[str], None],
        on_full: Callable[[], None],
    ) -> None:
        """`on_return` is called when a store that was away is back, `on_damage` with the reason
        when a space cannot be read, `on_full` when there is no room to open one."""
        self.reserve = DiskReserve(data_dir)
        self.reserve.fill()
        self.problem = ""
        """Why the store does not answer; empty when it does."""
        self._vectors = vectors
        self._threads = ThreadPoolExecutor(threads, thread_name_prefix="store")
        self._on_return = on_return
        self._next_probe = 0.0
        self._on_damage = on_damage
        self._on_full = on_full

    async def run(self, work: Callable[..., T], *arguments: Any) -> T:
        """Run a blocking call of the store on its threads."""
        loop = asyncio.get_running_loop()
        try:
            try:
                result = await loop.run_in_executor(self._threads, work, *arguments)
            except StoreFullError:
                if not self.reserve.release():
                    raise
                log.warning("the disk is full: what was put by is used to open an index")
                result = await loop.run_in_executor(self._threads, work, *arguments)
        except StoreFullError:
            self._on_full()
            raise
        except StoreDamagedError as error:
            log.warning("%s", error.message)
            self._on_damage(error.message)
            raise
        except StoreUnreachableError as error:
            if not self.problem:
                log.warning("%s", error.message)
            self.problem = error.message
            self._next_probe = time.monotonic() + PROBE_S
            raise
        if self.problem:
            log.info("the vector store answers again")
            self.problem = ""
            self._on_return()
        return result

    async def answers(self) -> bool:
        """Whether the store can be reached; one that went away is asked now and then."""
        if not self.problem:
            return True
        if time.monotonic() < self._next_probe:
            return False
        try:
            await self.run(self._vectors.spaces)
        except StoreUnreachableError:
            return False
        return True

    async def drop_project(self, project_id: str) -> None:
        """Remove every space of a project, whatever its model."""
        for space in await self.run(self._vectors.spaces):
            if space.collection == "projects" and space.tenant == project_id:
                await self.run(self._vectors.drop, space)

    async def rename_project(self, old: str, new: str) -> None:
        """Move a project's points to its new id."""
        for space in await self.run(self._vectors.spaces):
            if space.collection == "projects" and space.tenant == old:
                await self.run(self._vectors.rename, space, new)

    async def close(self) -> None:
        """Close the store, then the threads."""
        loop = asyncio.get_running_loop()
        await loop.run_in_executor(self._threads, self._vectors.close)
        self._threads.shutdown()
