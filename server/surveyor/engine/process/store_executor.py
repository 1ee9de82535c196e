"""The vector store as the event loop sees it: calls on threads, and whether it answers at all.

An embedded store always answers. A Qdrant server may be away or hang, now or when the engine
starts: then names and words are still found, work waits in the queue, and what is derived is
compared when it is back. Who asks a question waits for a server no longer than
`qdrant.query_timeout`, and not at all while it is known to be away: a probe in the background sees
when it is back.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from surveyor.config import Settings
from surveyor.store.vectors.contract import (
    StoreDamagedError,
    StoreFullError,
    StoreLateError,
    StoreUnreachableError,
    VectorStore,
)
from surveyor.store.vectors.edge import EdgeStore
from surveyor.store.vectors.owner import owner_of

log = logging.getLogger(__name__)

T = TypeVar("T")

OnStore = Callable[..., Awaitable[Any]]
"""Runs a blocking call of the store with its arguments on the store's threads."""

FIRST_PROBE_S, PROBE_S = 1.0, 5.0
"""How soon a server that went away is asked whether it is back, and how often at last."""
SERVER_THREADS = 4
RESERVE_BYTES = 4 << 20


@dataclass(frozen=True, slots=True)
class OpenedStore:
    """A store, and how it is to be called."""

    vectors: VectorStore
    threads: int = 1
    """How many may call it at once."""
    query_s: float | None = None
    """The longest that a question waits for it; None for a store that always answers."""


def open_vectors(data_dir: Path, settings: Settings) -> OpenedStore:
    """The configured store."""
    qdrant = settings.qdrant
    if qdrant.url:
        from surveyor.store.vectors.server import connect  # seconds, for those who have a server

        store = connect(
            qdrant.url,
            owner_of(data_dir),
            qdrant.api_key,
            timeout_s=qdrant.timeout,
            query_timeout_s=qdrant.query_timeout,
        )
        return OpenedStore(store, SERVER_THREADS, qdrant.query_timeout)
    return OpenedStore(EdgeStore(data_dir / "vectors", settings.engine.open_shards))


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
        store: OpenedStore,
        data_dir: Path,
        *,
        on_return: Callable[[], None],
        on_damage: Callable[[str], None],
        on_full: Callable[[], None],
    ) -> None:
        """`on_return` is called when a store is back that something could not be done to,
        `on_damage` with the reason when a space cannot be read, `on_full` when there is no room to
        open one."""
        self.reserve = DiskReserve(data_dir)
        self.reserve.fill()
        self._vectors = store.vectors
        self._query_s = store.query_s
        self._threads = ThreadPoolExecutor(store.threads, thread_name_prefix="store")
        # Apart: a question is not to wait for what is written.
        self._question_threads = (
            self._threads
            if store.query_s is None
            else ThreadPoolExecutor(store.threads, thread_name_prefix="store question")
        )
        self._on_return = on_return
        self._on_damage = on_damage
        self._on_full = on_full
        self._away: StoreUnreachableError | None = None
        self._missed = False
        """Something was not done while the store was away, or it may have lost something."""
        self._probing: asyncio.Task[None] | None = None

    @property
    def problem(self) -> str:
        """Why the store does not answer; empty when it does."""
        return "" if self._away is None else self._away.message

    async def run(self, work: Callable[..., T], *arguments: Any) -> T:
        """Run a blocking call of the store on its threads.

        Raises `StoreUnreachableError` at once while the store is known to be away.
        """
        try:
            self._check_there()
            return await self._called(self._threads, work, *arguments)
        except StoreUnreachableError as error:
            self._missed = True
            self._went_away(error)
            raise

    async def ask(self, work: Callable[..., T], *arguments: Any) -> T:
        """Run a question that somebody waits for: a server has `qdrant.query_timeout` for it.

        Raises `StoreUnreachableError` when it takes longer, and at once while it is known to be
        away.
        """
        try:
            self._check_there()
            async with asyncio.timeout(self._query_s):
                return await self._called(self._question_threads, work, *arguments)
        except TimeoutError:  # its thread ends by the client's own timeout
            late = self._late()
            self._went_away(late)
            raise late from None
        except StoreUnreachableError as error:
            self._missed |= not isinstance(error, StoreLateError)
            self._went_away(error)
            raise

    def _check_there(self) -> None:
        if self._away is not None:
            raise type(self._away)(self._away.message, self._away.hint)

    async def _called(
        self, threads: ThreadPoolExecutor, work: Callable[..., T], *arguments: Any
    ) -> T:
        loop = asyncio.get_running_loop()
        try:
            try:
                return await loop.run_in_executor(threads, work, *arguments)
            except StoreFullError:
                if not self.reserve.release():
                    raise
                log.warning("the disk is full: what was put by is used to open an index")
                return await loop.run_in_executor(threads, work, *arguments)
        except StoreFullError:
            self._on_full()
            raise
        except StoreDamagedError as error:
            log.warning("%s", error.message)
            self._on_damage(error.message)
            raise

    def _late(self) -> StoreLateError:
        return StoreLateError(
            f"the Qdrant server has not answered within {self._query_s:g} s",
            "See the server's log and load; `qdrant.query_timeout` says how long a search waits.",
        )

    # --- away and back --------------------------------------------------------------------

    def _went_away(self, error: StoreUnreachableError) -> None:
        if self._away is None:
            log.warning("%s", error.message)
        self._away = error
        if self._probing is None or self._probing.done():
            self._probing = asyncio.create_task(self._probe(), name="probe of the store")

    async def _probe(self) -> None:
        pause = FIRST_PROBE_S
        while self._away is not None:
            await asyncio.sleep(pause)
            pause = min(pause * 2, PROBE_S)
            await self.check()

    async def check(self) -> None:
        """See whether the store answers, be it again."""
        if self._query_s is None and self._away is None:
            return
        try:
            async with asyncio.timeout(self._query_s):
                await self._called(self._question_threads, self._vectors.check)
        except TimeoutError:
            self._went_away(self._late())
        except StoreUnreachableError as error:
            self._missed |= not isinstance(error, StoreLateError)
            self._went_away(error)
        else:
            if self._away is None:
                return
            log.info("the vector store answers again")
            self._away = None
            if self._missed:
                self._missed = False
                self._on_return()

    async def answers(self) -> bool:
        """Whether the store can be reached, as far as is known."""
        return self._away is None

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
        """Close the store, then the threads. Those that wait for a server are not waited for."""
        if self._probing is not None:
            self._probing.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._probing
        if self._query_s is None:
            loop = asyncio.get_running_loop()
            await loop.run_in_executor(self._threads, self._vectors.close)
            self._threads.shutdown()
            return
        for threads in (self._threads, self._question_threads):
            threads.shutdown(wait=False, cancel_futures=True)
        await asyncio.to_thread(self._vectors.close)
