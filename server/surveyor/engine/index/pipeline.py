"""The write path: durable queue items become points and rows, batch by batch.

take a lease -> worker (read, hash, parse, embed) -> upsert points -> one transaction (files,
documents, outdated points, queue items) -> delete outdated points. `commit` has what follows the
worker; here is the loop, and what others want to know of it.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import time
from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from surveyor.engine.index.commit import AGAIN, CheckoutFolder, Committer
from surveyor.engine.index.disk_room import DiskRoom
from surveyor.engine.index.runs import IndexRun
from surveyor.errors import DiskFullError, FolderStalledError, SurveyorError
from surveyor.git.project import describe
from surveyor.paths import is_folder
from surveyor.platform.processes import is_held_open
from surveyor.store.state import State, projects, queue, settings
from surveyor.store.state.queue import LeasedItem, NewQueueItem
from surveyor.store.vectors.contract import StoreDamagedError, StoreFullError, StoreUnreachableError
from surveyor.worker.messages import FileJob, Outcome
from surveyor.worker.pool import BrokenJobError, NoWorkerError, WorkerPool

__all__ = ["EXCLUDED", "Pipeline", "file_item"]

log = logging.getLogger(__name__)

BATCH_FILES = 16
"""Files committed together: small enough to show early, as the first ones of many do."""
FIRST_BATCHES = (2, 4, 8)
"""Files of an engine's first batches: what it has done is kept, however soon it is killed."""
BULK_BATCH_FILES = 64
"""The same while many wait: rows with random keys share more of the pages that are written."""
BULK_FILES = 150
"""So many waiting files of one checkout are many."""
SAVED_AT_ONCE = 3
"""Files that change together where somebody edits them, and waits for them to be found."""
BATCHES_IN_FLIGHT = 3
FLUSH_IDLE_SECONDS = 30.0
"""Quiet time after which what is left is flushed: not between one save and the next, because the
whole engine stands still meanwhile (decision 0002)."""
RECHECK_SECONDS = 0.5
"""How often waiting items are looked at again while retries are pending."""
STALLED_PAUSE_S = 2.0
"""How long the files of a folder that does not answer, or that git is rewriting, wait: others have
their turn meanwhile."""
ESTIMATED_FILES = 2000
"""So many files of a checkout that wait are not counted after each batch."""
COUNT_S = 1.0
"""How old a count of more may be."""
GIT_LOCK_SECONDS = 10.0
"""How long a checkout's files wait for git to finish with the index, where no program is seen that
has the lock: one that was killed leaves it."""
GIT_SEEN_SECONDS = 1.0
"""From when on it is looked who has it: what takes longer waits without holding up others."""


EXCLUDED = "excluded"
"""In a deleted file's payload: it is there, but left out by now; by which of our own rules, where
it is one of those."""

ItemHandler = Callable[[LeasedItem], Awaitable[None]]


class _GitAtWorkError(SurveyorError):
    """Files wait for git: what is read before it ends is of two branches, and what the one has
    would be dropped for what the other has."""


Asking = Callable[[str, Callable[[], bool]], Awaitable[bool]]
"""Asks a folder's file system something, by its root; raises `FolderStalledError` where that does
not answer."""


async def _always() -> bool:
    return True


async def _ask_here(_root: str, question: Callable[[], bool]) -> bool:
    return question()


@dataclass(slots=True, kw_only=True)
class Pipeline:
    """Consumes the queue for as long as the engine lives."""

    state: State
    pool: WorkerPool
    disk_room: DiskRoom
    committer: Committer
    worker_id: str
    wakes: asyncio.Event
    """Set where there may be something to do: new items, or another look at the disk."""
    size_limit: Callable[[str], int | None] = field(default=lambda _: None)
    """The longest file that is indexed in a root."""
    store_answers: Callable[[], Awaitable[bool]] = field(default=_always)
    """Whether the vector store can be reached: nothing is taken while it cannot."""
    ask: Asking = field(default=_ask_here)
    """A drive that has stalled must not hold the event loop."""
    handlers: dict[str, ItemHandler] = field(default_factory=dict)
    """What does items of other types than `file`, by type."""
    on_room: Callable[[bool], object] = field(default=lambda _: None)
    """Called when there is room again; whether something could not be written before."""
    on_ended: Callable[[str, IndexRun], object] = field(default=lambda *_: None)
    """Called with a checkout and its run when that has come to its end."""
    runs: dict[str, IndexRun] = field(default_factory=dict)
    """By checkout; the committer counts in them what becomes of files."""
    paused: bool = False
    _slots: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(BATCHES_IN_FLIGHT))
    _checkouts: dict[str, CheckoutFolder] = field(default_factory=dict)
    _behind: dict[str, int] = field(default_factory=dict)
    _counted: dict[str, float] = field(default_factory=dict)
    """When what is left of a checkout was counted, on the monotonic clock."""
    _fresh: asyncio.Condition = field(default_factory=asyncio.Condition)
    _turn: int = 0
    _rested: bool = True
    """Nothing was waiting when it was last looked."""
    _stranded: list[str] = field(default_factory=list)
    """Items in progress that could not be put back."""

    # --- what others ask ------------------------------------------------------------------

    @property
    def running(self) -> bool:
        """Whether some folder is being compared with the index, or indexed after that."""
        return any(run.phase != "done" for run in self.runs.values())

    def shortage_of(self, run: IndexRun) -> str:
        """What to say where the disk has less room than the rest of a run is likely to need."""
        return self.disk_room.shortage(run.room_still_needed)

    def wake(self) -> None:
        """There may be new items."""
        self.wakes.set()

    async def pause(self, paused: bool) -> None:
        """Take nothing from the queue until told otherwise, by this engine or the next."""
        async with self.state.transaction() as tx:
            await settings.forget(tx, settings.PAUSED)
            if paused:
                await settings.remember(tx, settings.PAUSED, "1")
        self.paused = paused
        self.wake()

    def forget_checkout(self, checkout_id: str) -> None:
        """Its row changed: read it again."""
        self._checkouts.pop(checkout_id, None)

    def rename_checkout(self, old: str, new: str, root: str) -> None:
        """Its ids changed and what it had in the queue is dropped; its run goes on."""
        self.forget_checkout(old)
        self._behind.pop(old, None)
        run = self.runs.pop(old, None)
        if run is not None:
            run.root = root
            self.runs[new] = run

    async def enqueue(self, items: Sequence[NewQueueItem]) -> None:
        """Queue items durably and start on them."""
        if not items:
            return
        async with self.state.transaction() as tx:
            await queue.enqueue(tx, items)
        await self.refresh_behind({item.checkout_id for item in items if item.checkout_id})
        self.wake()

    def is_busy(self, checkout_id: str) -> bool:
        """Whether a checkout's code is being indexed, or waits to be."""
        run = self.runs.get(checkout_id)
        running = run is not None and run.phase != "done"
        return running or bool(self.files_behind(checkout_id))

    def files_behind(self, checkout_id: str) -> int:
        """Files of a checkout that are queued or in progress."""
        return self._behind.get(checkout_id, 0)

    async def wait_fresh(self, checkout_id: str, timeout_s: float) -> None:
        """Until a checkout is scanned and nothing is queued for it, or time is up."""

        def fresh() -> bool:
            run = self.runs.get(checkout_id)
            return not self._behind.get(checkout_id) and (run is None or run.phase == "done")

        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(timeout_s), self._fresh:
                await self._fresh.wait_for(fresh)

    async def refresh_behind(self, checkout_ids: Iterable[str]) -> None:
        """Count what is left for checkouts, and end their runs when it is nothing."""
        for checkout_id in checkout_ids:
            left = await queue.count_unfinished(self.state, checkout_id)
            self._behind[checkout_id] = left
            self._counted[checkout_id] = time.monotonic()
            run = self.runs.get(checkout_id)
            if run is not None and run.phase == "indexing" and left == 0:
                run.phase, run.ended = "done", time.monotonic()
                self.on_ended(checkout_id, run)
            if run is not None:
                await run.notify()
        async with self._fresh:
            self._fresh.notify_all()

    def _estimate_behind(self, checkout_id: str, done: int) -> bool:
        """Take what is done off a count that is not old; False where all is to be counted.

        Counting takes as long as there is left, and is asked for after each batch.
        """
        left = self._behind.get(checkout_id, 0) - done
        if left < ESTIMATED_FILES or time.monotonic() > self._counted.get(checkout_id, 0) + COUNT_S:
            return False
        self._behind[checkout_id] = left
        return True

    # --- the loop -------------------------------------------------------------------------

    async def consume(self) -> None:
        """Take and process batches until cancelled."""
        async with self.state.transaction() as tx:
            await queue.recover(tx)
        await self.refresh_behind(await queue.checkouts_waiting(self.state))
        await self.committer.sweep_dead_points()
        async with asyncio.TaskGroup() as group:
            while True:
                await self._slots.acquire()
                leased = await self._take()
                group.create_task(self._process(leased))

    async def _take(self) -> list[LeasedItem]:
        """The next batch, once there is one."""
        while True:
            self.wakes.clear()
            stopped = self.disk_room.stopped_reason
            if not self.disk_room.has_room():
                if not stopped:  # what is open is closed more safely as long as there is some room
                    await self.committer.flush()
            elif stopped:
                await self._go_on()
            if not self.paused and not self.disk_room.stopped_reason and await self.store_answers():
                many = max(self._behind.values(), default=0) > BULK_FILES
                limit = BULK_BATCH_FILES if many and not self._rested else BATCH_FILES
                if self._turn < len(FIRST_BATCHES):
                    limit = FIRST_BATCHES[self._turn]
                leased = await queue.lease(self.state, self.worker_id, limit, self._turn)
                self._turn += bool(leased)
                self._rested = not leased
                if leased:
                    return leased
            left = await queue.count_pending(self.state)
            again = left or self.disk_room.stopped_reason
            idle = FLUSH_IDLE_SECONDS if self.committer.has_unflushed else None
            pause = RECHECK_SECONDS if again else idle
            try:
                await asyncio.wait_for(self.wakes.wait(), pause)
            except TimeoutError:
                if not again:
                    await self.committer.flush()

    async def _go_on(self) -> None:
        """There is room again."""
        if self._stranded:
            async with self.state.transaction() as tx:
                await queue.put_back(tx, self._stranded)
            self._stranded = []
        self.on_room(self.disk_room.take_missed())

    async def _process(self, leased: list[LeasedItem]) -> None:
        try:
            files = [item for item in leased if item.item_type == "file"]
            others = [item for item in leased if item.item_type != "file"]
            if files:
                await self._process_files(files)
            for item in others:
                await self._process_other(item)
        except asyncio.CancelledError:
            raise
        except (
            StoreUnreachableError,
            StoreDamagedError,
            DiskFullError,
            FolderStalledError,
            NoWorkerError,
            _GitAtWorkError,
        ) as error:  # no fault of the files: they wait
            if isinstance(error, StoreFullError):
                self.disk_room.refused()
            waits = isinstance(error, FolderStalledError | _GitAtWorkError)
            pause_s = STALLED_PAUSE_S if waits else 0.0
            await self._put_back([item.queue_id for item in leased], pause_s)
        except Exception as error:
            log.exception("a batch failed")
            await self.committer.fail([(item, _said(error)) for item in leased])
        finally:
            self._slots.release()
            self.wake()  # for what failed and waits for its retry, or was asked for again
            touched = Counter(item.checkout_id for item in leased if item.checkout_id)
            await self.refresh_behind(
                each for each, items in touched.items() if not self._estimate_behind(each, items)
            )

    async def _put_back(self, queue_ids: list[str], pause_s: float) -> None:
        try:
            async with self.state.transaction() as tx:
                await queue.put_back(tx, queue_ids, pause_s)
        except DiskFullError:
            self._stranded += queue_ids

    async def _process_other(self, item: LeasedItem) -> None:
        handler = self.handlers.get(item.item_type)
        try:
            if handler is None:
                raise SurveyorError(f"nothing here handles items of type {item.item_type!r}")
            await handler(item)
        except (StoreUnreachableError, StoreDamagedError, DiskFullError, NoWorkerError):
            raise
        except BrokenJobError as error:  # again it would cost another worker
            log.warning("%s %s is given up: %s", item.item_type, item.queue_id, error)
            async with self.state.transaction() as tx:
                await queue.fail(tx, [(item, error.message)], retries=0)
        except Exception as error:
            log.warning("%s %s failed: %s", item.item_type, item.queue_id, error)
            await self.committer.fail([(item, _said(error))])
        else:
            async with self.state.transaction() as tx:
                await queue.finish(tx, [item.queue_id])

    async def _process_files(self, items: list[LeasedItem]) -> None:
        by_checkout: dict[str, list[LeasedItem]] = defaultdict(list)
        for item in items:
            by_checkout[item.checkout_id or ""].append(item)
        for checkout_id, group in by_checkout.items():
            checkout = await self._find_checkout(checkout_id)
            if checkout is None:
                async with self.state.transaction() as tx:
                    await queue.finish(tx, [item.queue_id for item in group])
                continue
            await self._wait_for_git(checkout)
            outcomes = await self._read(checkout, group)
            there = await self.ask(checkout.root, partial(is_folder, checkout.root))
            async with self.committer.committing:
                away = not there
                if not away and await self._find_checkout(checkout_id) == checkout:
                    await self.committer.commit(checkout, group, outcomes)
                else:  # it is looked through when it is back; or removed; or under other ids
                    if away and (run := self.runs.get(checkout_id)) is not None:
                        run.error(f"{checkout.root} cannot be reached")
                    async with self.state.transaction() as tx:
                        await queue.finish(tx, [item.queue_id for item in group])

    async def _read(self, checkout: CheckoutFolder, items: list[LeasedItem]) -> list[Outcome]:
        """What the workers make of files; nothing of those that the rules leave out by now."""
        limit = self.size_limit(checkout.root)
        jobs = [
            FileJob(
                checkout.root,
                item.payload["relative_path"],
                checkout.project_id,
                max_file_size=limit,
                anew=bool(item.payload.get(AGAIN)),
                is_awaited=len(items) <= SAVED_AT_ONCE,
            )
            for item in items
            if not item.payload.get(EXCLUDED)
        ]
        read = iter(await self.pool.run(jobs))
        return [_left_out(item) or next(read) for item in items]

    async def _wait_for_git(self, checkout: CheckoutFolder) -> None:
        """While git rewrites the working tree, reading it would mix two branches."""
        if checkout.git_dir is None:
            return
        lock = checkout.git_dir / "index.lock"
        since = time.monotonic()
        is_looked_for = True
        while await self.ask(checkout.root, lock.exists):
            waited = time.monotonic() - since
            if is_looked_for and waited > GIT_SEEN_SECONDS:
                if await asyncio.to_thread(is_held_open, str(lock)):
                    raise _GitAtWorkError(f"git is at work in {checkout.root}")
                is_looked_for = False
            if waited > GIT_LOCK_SECONDS:
                return
            await asyncio.sleep(0.02)

    async def _find_checkout(self, checkout_id: str) -> CheckoutFolder | None:
        if checkout_id in self._checkouts:
            return self._checkouts[checkout_id]
        known = await projects.find_checkout(self.state, checkout_id)
        if known is None:
            return None
        info = await asyncio.to_thread(describe, Path(known.root))
        checkout = CheckoutFolder(
            known.checkout_id, known.project_id, known.root, known.name, info.git_dir
        )
        self._checkouts[checkout_id] = checkout
        return checkout


def _said(error: Exception) -> str:
    """What became of an item; our own errors are sentences."""
    return error.message if isinstance(error, SurveyorError) else f"{type(error).__name__}: {error}"


def _left_out(item: LeasedItem) -> Outcome | None:
    """What becomes of a file that the rules leave out: our own are named, git's are not."""
    why = item.payload.get(EXCLUDED)
    if not why:
        return None
    if isinstance(why, str):
        return Outcome("skipped", reason=EXCLUDED, detail=why)
    return Outcome("missing")


def file_item(checkout_id: str, project_id: str, root: str, path: str, op: str) -> NewQueueItem:
    """A queue item for one file (seed 000, "file")."""
    return NewQueueItem(
        item_type="file",
        op=op,
        tenant_id=project_id,
        collection="projects",
        checkout_id=checkout_id,
        payload={"file_path": os.path.join(root, path), "relative_path": path},  # noqa: PTH118
    )
