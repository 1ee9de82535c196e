"""Comparing folders with the catalog: what differs is queued, what is not wanted any more goes."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator, Mapping
from contextlib import asynccontextmanager, closing
from dataclasses import replace
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import Any

from surveyor.engine.index.branches import Branches
from surveyor.engine.index.commit import AGAIN
from surveyor.engine.index.folder_comparison import FolderComparison, compare
from surveyor.engine.index.pipeline import (
    BULK_FILES,
    EXCLUDED,
    RECHECK_SECONDS,
    Pipeline,
    file_item,
)
from surveyor.engine.index.room_estimate import room_needed
from surveyor.engine.index.runs import IndexRun
from surveyor.engine.index.watch_control import WatchControl
from surveyor.engine.process.background import BackgroundTasks
from surveyor.engine.process.live_settings import LiveSettings
from surveyor.engine.process.store_executor import StoreExecutor
from surveyor.engine.projects.checkouts import Checkout
from surveyor.engine.projects.freshness import IndexFreshness
from surveyor.engine.projects.registration import Registration
from surveyor.engine.projects.registry import ProjectRegistry
from surveyor.errors import DiskFullError, SurveyorError
from surveyor.git.project import describe
from surveyor.parsing.file_types import turn_of
from surveyor.parsing.ignore import Ignore
from surveyor.parsing.left_out import why_nothing
from surveyor.parsing.walk import Found, SkippedPath, WalkedFile, walk
from surveyor.paths import is_folder, is_there
from surveyor.process_memory import give_back_free_memory
from surveyor.protocol.enumerations import RunMode
from surveyor.store.state import State, documents, files, queue
from surveyor.store.state import projects as rows
from surveyor.store.state.files import FileChange
from surveyor.worker.pool import WorkerPool

Notify = Callable[[str, object], Awaitable[None]]
"""Tells every editor and agent: a topic and its params."""

log = logging.getLogger(__name__)

EARLY_FILES = 400
"""Files of a new project that are queued before it is watched and looked through as a whole: work
for the workers for some three seconds, and answers meanwhile."""
QUEUED_AT_ONCE = 5000
"""Files queued in one transaction: others write between two of them. A scan that ends before the
last is made again."""
TRIMMED_FILES = 20_000
"""From so many files of a folder on, what their comparison took is given back to the system."""
EARLY_LOOKED = 4000
"""Files among which they are looked for, code first: 0.1 s."""
SEVERAL_FILES = 40
"""More of them are read sooner by two workers, though the second takes half a second to start."""
FEW_FILES = 10
"""Up to so many files may all turn out to be of a kind that is not indexed."""
TURNS = 2
"""Folders, indexed before, that are looked through at once: more take the interpreter from answers.
"""
TURN_S = 5.0
"""So long a folder waits for its turn; then the others stand still, and it goes on beside them."""
RETRY_S = (30.0, 60.0, 120.0, 300.0, 600.0)
"""Pauses before a folder is looked through again that could not be seen, or not all of it."""
SCAN_FAILED, UNSEEN = "scan_failed", "unreadable"
"""Reasons of `uncertain` that another scan may do away with."""


class Scanner:
    """Scans of checkouts, one at a time for each."""

    def __init__(
        self,
        state: State,
        projects: ProjectRegistry,
        registration: Registration,
        freshness: IndexFreshness,
        branches: Branches,
        watching: WatchControl,
        pipeline: Pipeline,
        pool: WorkerPool,
        store_executor: StoreExecutor,
        live_settings: LiveSettings,
        tasks: BackgroundTasks,
        notify: Notify,
        on_purged: Callable[[str, str], None],
    ) -> None:
        """`on_purged` is called with a checkout and its root when its index has been dropped."""
        self._state = state
        self._projects = projects
        self._registration = registration
        self._freshness = freshness
        self._branches = branches
        self._watching = watching
        self._pipeline = pipeline
        self._pool = pool
        self._store_executor = store_executor
        self._live_settings = live_settings
        self._tasks = tasks
        self._notify = notify
        self._on_purged = on_purged
        self._scans: dict[str, asyncio.Lock] = {}
        self._turns = asyncio.Semaphore(TURNS)
        self._retries: dict[str, tuple[float, int]] = {}
        """By checkout that could not be seen: when to try again, and how often it was tried."""

    async def scan(self, checkout: Checkout, *, clean: bool = False) -> IndexRun:
        """Compare the folder with the catalog and queue what differs; returns the run.

        `clean` queues every file, to be made anew. Each takes the place of what is there of it
        when it is ready: the old index answers meanwhile, and a run that is given up changes
        nothing.
        """
        pipeline = self._pipeline
        lock = self._scans.setdefault(checkout.checkout_id, asyncio.Lock())
        running = pipeline.runs.get(checkout.checkout_id)
        if running is not None and running.abandoned:
            running = None
        if lock.locked() and running is not None and not clean:
            return running
        if running is not None and running.phase != "done" and not clean:
            run = running  # looked at once more, and told as one
        else:
            first = checkout.last_scan is None
            mode: RunMode = "clean" if clean else "full" if first else "incremental"
            run = IndexRun(checkout.root, mode)
        pipeline.runs[checkout.checkout_id] = run
        self._freshness.unconfirm(checkout.checkout_id)
        self._tasks.spawn(self._scan(checkout, run, lock, clean))
        return run

    @asynccontextmanager
    async def _turn(self, mode: RunMode) -> AsyncIterator[None]:
        """Few folders that were indexed before are looked through at once: an engine that has just
        started has all of them to look through, and answers meanwhile."""
        taken = False
        if mode == "incremental":
            with contextlib.suppress(TimeoutError):  # behind a drive that does not answer
                async with asyncio.timeout(TURN_S):
                    taken = await self._turns.acquire()
        try:
            yield
        finally:
            if taken:
                self._turns.release()

    async def _scan(
        self, checkout: Checkout, run: IndexRun, lock: asyncio.Lock, clean: bool
    ) -> None:
        again: Checkout | None = None
        async with lock, self._turn(run.mode):
            run.phase = "scanning"
            if run.mode != "incremental":  # a worker starts while the folder is looked through
                self._tasks.spawn(self._pool.warm())
            await run.notify()
            # Whoever asked for it: attached editors show every run.
            await self._notify("progress", {"root": checkout.root, "run": run.number})
            try:
                while not await self._look(checkout, run, clean):
                    while self._pipeline.disk_room.stopped_reason:
                        await asyncio.sleep(RECHECK_SECONDS)
            except Exception as error:
                now = await self._now(checkout)
                if now is not None and now.checkout_id != checkout.checkout_id:
                    log.info("%s has other ids by now: it is looked through again", now.root)
                    again = now
                else:
                    self._failed(checkout, run, error)
            finally:
                # Under other ids by now, it is another scan's to say how far the run is.
                if self._pipeline.runs.get(checkout.checkout_id) is run:
                    run.phase = "indexing"
                self._pipeline.wake()
                await self._pipeline.refresh_behind([checkout.checkout_id])
                self._projects.forget()
        if again is not None:
            await self.scan(again)

    async def _look(self, checkout: Checkout, run: IndexRun, clean: bool) -> bool:
        """Look a folder through; False when the disk had no room for what was found."""
        try:
            if not await self._projects.looks.answers(checkout.root):
                run.error(f"{checkout.root} does not answer")
                self._doubt(checkout, SCAN_FAILED, f"{checkout.root} does not answer")
                return True
            root = checkout.root
            if not await self._projects.looks.ask(root, partial(is_folder, root)):
                await self._projects.mark_missing(checkout)
                run.error(f"{checkout.root} cannot be reached")
                return True
            await self._projects.found_again(checkout)
            await self._branches.follow(checkout)
            if clean:
                await self._forget_failures(checkout)
            begun = await self._begin(checkout, run) if run.mode == "full" else {}
            # Watched first: what changes during the comparison is seen by one or the other.
            await self._watching.watch(checkout)
            unseen = await self._compare(checkout, run, begun)
        except DiskFullError as error:
            log.warning("%s is looked through when there is room: %s", checkout.root, error)
            return False
        if unseen:
            self._tell_unseen(checkout, run, unseen)
        else:
            self._retries.pop(checkout.checkout_id, None)
            self._freshness.confirm(checkout.checkout_id)
        return True

    def _failed(self, checkout: Checkout, run: IndexRun, error: Exception) -> None:
        """A scan came to nothing: the index is what it was, and nobody is told otherwise."""
        if isinstance(error, SurveyorError):
            log.warning("%s could not be looked through: %s", checkout.root, error.message)
            said = error.message
        else:
            log.error("scanning %s failed", checkout.root, exc_info=error)
            said = f"{type(error).__name__}: {error}"
        run.failure = said
        run.error(said)
        self._doubt(checkout, SCAN_FAILED, f"The last scan failed ({said}); this is what was known")

    def _tell_unseen(self, checkout: Checkout, run: IndexRun, unseen: list[SkippedPath]) -> None:
        first = unseen[0]
        more = f" and {len(unseen) - 1} more" if len(unseen) > 1 else ""
        said = f"{first.path} ({first.detail}){more} could not be read"
        run.error(f"{said}: what was indexed there is kept")
        self._doubt(checkout, UNSEEN, f"{said}; what was indexed there is its last known state")

    def unread(self, checkout_id: str, files: Mapping[str, str]) -> None:
        """Files turned out to be unreadable after a scan had found them."""
        path, detail = next(iter(files.items()))
        self._doubt_id(
            checkout_id,
            UNSEEN,
            f"{path} could not be read ({detail}); what was indexed of it is its last known state",
        )

    def _doubt(self, checkout: Checkout, reason: str, message: str) -> None:
        self._doubt_id(checkout.checkout_id, reason, message)

    def _doubt_id(self, checkout_id: str, reason: str, message: str) -> None:
        _, tries = self._retries.get(checkout_id, (0.0, 0))
        pause = RETRY_S[min(tries, len(RETRY_S) - 1)]
        self._retries[checkout_id] = (time.monotonic() + pause, tries + 1)
        said = f"{message}. It is tried again in {pause:.0f} s."
        self._freshness.doubt(checkout_id, reason, said)

    async def retry(self) -> None:
        """Look again through folders that could not be seen, when it is time."""
        for checkout in await self._projects.all():
            due, tries = self._retries.get(checkout.checkout_id, (0.0, 0))
            if tries and checkout.watched and time.monotonic() >= due:
                self._retries[checkout.checkout_id] = (time.monotonic() + RETRY_S[-1], tries)
                await self.scan(checkout)

    async def look_again(self, checkout: Checkout) -> None:
        """Look again through a folder that answers after it did not, if it could not be seen."""
        if checkout.checkout_id in self._retries and checkout.watched:
            await self.scan(checkout)

    async def follow_settings(self, checkout: Checkout) -> None:
        """Scan a folder again when other files of it are wanted than before."""
        if self._watching.has_other_rules(checkout):
            await self.scan(checkout)

    async def _now(self, checkout: Checkout) -> Checkout | None:
        """The folder as it is registered now: a gained remote changes its ids."""
        self._projects.forget()
        known = await self._projects.all()
        return next((each for each in known if each.root == checkout.root), None)

    async def _begin(self, checkout: Checkout, run: IndexRun) -> dict[str, WalkedFile]:
        """Queue the first files of an index that is empty, and say how they were found."""

        def first_files() -> dict[str, WalkedFile]:
            chosen = self._live_settings.walk(checkout.root)
            with closing(walk(Path(checkout.root), chosen)) as found:
                walked = (entry for entry in found if isinstance(entry, WalkedFile))
                first = sorted(islice(walked, EARLY_LOOKED), key=lambda file: turn_of(file.path))
                return {entry.path: entry for entry in first[:EARLY_FILES]}

        begun = await asyncio.to_thread(first_files)
        if len(begun) > SEVERAL_FILES:
            self._tasks.spawn(self._pool.warm(2))
        run.want(begun)
        await self._pipeline.enqueue([item_of(checkout, path, "ingest") for path in begun])
        return begun

    async def _compare(
        self, checkout: Checkout, run: IndexRun, begun: dict[str, WalkedFile]
    ) -> list[SkippedPath]:
        """Queue what differs; returns what could not be seen, where something was known."""
        found, why_nothing_is = await asyncio.to_thread(self._walk, checkout.root)
        self._freshness.found_nothing(checkout.checkout_id, why_nothing_is)
        if run.mode != "incremental" and len(found) > BULK_FILES:
            self._tasks.spawn(self._pool.warm(2))
        known = await files.known_files(self._state, checkout.checkout_id)
        anew, version = run.mode == "clean", self._pipeline.committer.version
        differs = await asyncio.to_thread(compare, found, known, begun, version, anew=anew)
        compared: list[object] = [found, known]  # of a million files they are 300 MB
        is_large = len(found) > TRIMMED_FILES
        del found, known
        if is_large:
            await asyncio.to_thread(_let_go, compared)
        del compared
        if run.abandoned:
            run.scanned((), differs.unchanged, differs.left_out)
            return []
        dropped = (each.path for each in differs.dropped)
        wanted = chain(differs.changed, differs.gone, dropped)
        # A million names take a second: beside the event loop.
        await asyncio.to_thread(run.scanned, wanted, differs.unchanged, differs.left_out)
        run.work_wanted = run.work_of(differs.bytes_to_read)
        run.room_needed = room_needed(differs.new_files, differs.new_bytes)
        if shortage := self._pipeline.shortage_of(run):
            log.warning("%s: %s", checkout.root, shortage)
            await run.notify()  # said before it begins
        items = self._items(checkout, differs, anew=anew)
        while part := await asyncio.to_thread(lambda: list(islice(items, QUEUED_AT_ONCE))):
            if run.abandoned:
                return []
            await self._pipeline.enqueue(part)
        async with self._state.transaction() as tx:
            before = await files.set_files(
                tx,
                checkout.checkout_id,
                [
                    FileChange(each.path, "skipped", reason=each.reason, detail=each.detail)
                    for each in differs.skipped
                ],
            )
            await documents.drop_unused(tx, [old for old in before if old is not None])
            await rows.set_scanned(tx, checkout.checkout_id, scanned=True)
        await self.register_submodules(checkout)
        return list({each.path: each for each in differs.missed.values()}.values())

    def _walk(self, root: str) -> tuple[list[Found], str]:
        """What is in a folder, and where next to nothing is to be indexed: the rules that are why.

        Blocks: for a thread.
        """
        rules = Ignore(Path(root), self._live_settings.walk(root))
        found = list(walk(Path(root), ignore=rules))
        wanted = (entry for entry in found if isinstance(entry, WalkedFile))
        few = sum(1 for _ in islice(wanted, FEW_FILES)) < FEW_FILES
        return found, why_nothing(Path(root), rules) if few else ""

    async def register_submodules(self, checkout: Checkout) -> None:
        """Submodules are projects of their own, linked to this one and indexed with it."""
        info = await asyncio.to_thread(describe, Path(checkout.root))
        known = {c.root for c in await self._projects.all()}
        for submodule in info.submodules:
            if str(submodule.root) not in known:
                child = await self._registration.register(str(submodule.root), explicit=True)
                await self.scan(child)

    def _items(
        self, checkout: Checkout, differs: FolderComparison, *, anew: bool
    ) -> Iterator[queue.NewQueueItem]:
        """What is to be done, first what is to be indexed: one by one, as they are large. Blocks:
        for a thread."""
        for path in differs.changed:
            yield item_of(checkout, path, "ingest", again=anew)
        gone = differs.gone
        excluded = self._excluded(checkout, gone) if gone else set()
        for path in gone:
            yield item_of(checkout, path, "delete", excluded=path in excluded)
        for one in differs.dropped:
            yield item_of(checkout, one.path, "delete", excluded=one.detail)

    def _excluded(self, checkout: Checkout, paths: Iterable[str]) -> set[str]:
        """Those of some files that are there, but that the rules leave out by now."""
        root = Path(checkout.root)
        rules = Ignore(root, self._live_settings.walk(checkout.root))
        return {path for path in rules.matches(paths) if is_there(root / path)}

    async def abandon(self, checkout: Checkout) -> bool:
        """Give up a reindexing that is under way; whether there was one.

        What waits to be made anew stays as it is, and what is being made is as good as before. The
        folder is looked through once more: among what waited were files that have changed.
        """
        run = self._pipeline.runs.get(checkout.checkout_id)
        if run is None or run.mode != "clean" or run.phase == "done":
            return False
        run.abandoned = True
        async with self._state.transaction() as tx:
            await queue.delete_waiting_with(tx, checkout.checkout_id, AGAIN)
        await self._pipeline.refresh_behind([checkout.checkout_id])
        await self.scan(checkout)
        return True

    async def _forget_failures(self, checkout: Checkout) -> None:
        """What failed is tried again with all the rest."""
        async with self._state.transaction() as tx:
            await queue.delete_files(tx, checkout.checkout_id, "failed")

    async def _clear(self, checkout: Checkout) -> None:
        async with self._state.transaction() as tx:
            await queue.delete_files(tx, checkout.checkout_id)
            await files.delete_vectors_of(tx, checkout.checkout_id)
            await files.forget_files(tx, checkout.checkout_id)
        await self._pipeline.committer.sweep_dead_points(checkout.project_id)

    async def purge(self, checkout: Checkout) -> None:
        """Drop the index of a checkout that stays registered."""
        async with self._pipeline.committer.committing:
            await self._clear(checkout)
            async with self._state.transaction() as tx:
                await rows.set_scanned(tx, checkout.checkout_id, scanned=False)
                used = await documents.uses_project(tx, checkout.project_id)
            if not used:
                await self._store_executor.drop_project(checkout.project_id)
        self._on_purged(checkout.checkout_id, checkout.root)
        self._pipeline.runs.pop(checkout.checkout_id, None)
        await self._pipeline.refresh_behind([checkout.checkout_id])
        await self._freshness.count_stale()
        self._projects.forget()


def _let_go(compared: list[object]) -> None:
    """Give back what a comparison took. Blocks: for a thread."""
    compared.clear()
    give_back_free_memory()


def item_of(
    checkout: Checkout, path: str, op: str, *, excluded: bool | str = False, again: bool = False
) -> queue.NewQueueItem:
    """A queue item for one file of a checkout; `excluded`: that it is left out, or by what."""
    item = file_item(checkout.checkout_id, checkout.project_id, checkout.root, path, op)
    marks: dict[str, Any] = {EXCLUDED: excluded} if excluded else {AGAIN: True} if again else {}
    return replace(item, payload={**item.payload, **marks}) if marks else item
