"""The engine: the one process that opens the store, and what runs inside it."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import gc
import logging
import math
import os
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from surveyor import config
from surveyor.engine.exact_servers import AttachedServers
from surveyor.engine.graph_work import GraphWork
from surveyor.engine.index.change_handler import Following
from surveyor.engine.index.model_in_use import ModelInUse
from surveyor.engine.index.pipeline import Model, Pipeline
from surveyor.engine.index.post_index import Settling
from surveyor.engine.index.scanner import Scanner
from surveyor.engine.index.shard_repair import Mending
from surveyor.engine.index.symbol_index import SymbolIndex
from surveyor.engine.index.text_jobs import TextJobs
from surveyor.engine.index.unsaved_buffers import Overlays
from surveyor.engine.index.vector_rebuild import Remaker
from surveyor.engine.index.watch import Watcher
from surveyor.engine.operations import Call, Operations
from surveyor.engine.process import request_validation
from surveyor.engine.process.activity import Activity
from surveyor.engine.process.deadlines import LONG, deadline, task_named
from surveyor.engine.process.live_settings import Preferences
from surveyor.engine.process.maintenance import Housekeeping
from surveyor.engine.process.sessions import Relay, Sessions
from surveyor.engine.process.store_executor import PROBE_S, StoreAccess, open_vectors
from surveyor.engine.projects import boundary
from surveyor.engine.projects.checkouts import Checkout
from surveyor.engine.projects.registry import Projects
from surveyor.engine.projects.relocation import moved_to
from surveyor.errors import DiskFullError, NotFoundError, SurveyorError, UsageError
from surveyor.git.runner import stop_all as stop_all_git
from surveyor.graph.service import GraphService
from surveyor.knowledge.service import Knowledge
from surveyor.parsing.ignore import WalkSettings
from surveyor.protocol.base import Freshness
from surveyor.search.pipeline import Searcher
from surveyor.secrets import allowed
from surveyor.store.state import State
from surveyor.store.vectors.contract import Space, StoreDamagedError, StoreUnreachableError
from surveyor.worker.main import Setup
from surveyor.worker.pool import WorkerPool, worker_count

log = logging.getLogger(__name__)

T = TypeVar("T")

PAUSED = "paused"
"""Key in `settings`, there while indexing is paused."""


class Engine:
    """Everything that is open, and the answers it gives."""

    def __init__(self, data_dir: Path, refusal: SurveyorError | None = None) -> None:
        self.data_dir = data_dir
        self.refusal = refusal
        """What whoever wants something stored is told, where nothing can be."""
        self.pid = os.getpid()
        self.started_at = time.monotonic()
        self.starting = True
        self.sessions = Sessions()
        self.relays: dict[str, Relay] = {}
        self.projects = Projects(self)
        self.scanner = Scanner(self)
        self.following = Following(self)
        self.activity = Activity(self)
        self.token: str | None = None
        self.housekeepers: list[Callable[[], Awaitable[None]]] = []
        """Called now and then; at most a minute passes between two calls."""
        self.folder_problem: Callable[[], SurveyorError | None] = lambda: None
        """What to say where the data folder is not there any more."""
        self.graph: GraphService
        self.knowledge: Knowledge
        self.operations: Operations = Operations([])
        """None until the engine is open."""
        self.stopping = asyncio.Event()
        self.on_stop: Callable[[], None] = lambda: None
        """Sees to it that the process ends, however long closing takes."""
        self._begun = asyncio.Event()
        """Every followed folder is being compared with the index."""
        self.closers: list[Callable[[], Coroutine[Any, Any, None]]] = []
        self._last_touch = time.monotonic()
        self._tasks: set[asyncio.Task[Any]] = set()
        self.preferences = Preferences()
        self.model = ModelInUse(self)
        self._watched: dict[str, WalkSettings] = {}

    # --- life -----------------------------------------------------------------------------

    async def open(self) -> None:
        """Open state and store, start the loops; the embedded shards open when first used."""
        self.preferences.reload()
        self.state = await State.open(self.data_dir / "state.db")
        self.state.refusal = self.refusal
        await self.model.choose()
        self.vectors, threads = open_vectors(self.data_dir, self.settings)
        self.access = StoreAccess(self.vectors, threads, self._store_is_back, self.data_dir)
        self.mending = Mending(self)
        self.access.on_damage = self.mending.found
        self.version = self._index_version()
        allowed.use(await asyncio.to_thread(allowed.salted, self.data_dir))
        self.pool = WorkerPool(
            self.worker_setup(),
            worker_count(self.settings.engine.workers),
            self.settings.indexing.file_timeout,
            self.settings.engine.worker_idle,
            keep_one=lambda: self.activity.any,
            kept_s=self.settings.engine.worker_kept,
        )
        self.pipeline = Pipeline(
            state=self.state,
            vectors=self.vectors,
            on_store=self.on_store,
            store_answers=self.access.answers,
            pool=self.pool,
            model=Model(self.model.info.fingerprint, self.model.info.dimension),
            version=self.version,
            data_dir=self.data_dir,
            worker_id=f"{self.pid}",
            min_free_disk=self.settings.storage.least_free,
            read_only=self.refusal is not None,
            size_limit=lambda root: self.preferences.walk(root).max_file_size,
        )
        self.pipeline.on_ended = Settling(self).ended
        self.pipeline.on_unseen = self.scanner.unread
        self.pipeline.on_room = lambda missed: self.spawn(self._catch_up(missed))
        self.state.on_full = self.access.on_full = self.pipeline.refused
        self.pipeline.paused = bool(
            await self.state.value("SELECT 1 FROM settings WHERE key = ?", (PAUSED,))
        )
        self.remaker = Remaker(self)
        self.pipeline.old_spaces = self.remaker.old_spaces
        self.overlays = Overlays(self)
        self.symbol_index = SymbolIndex(self.state, self.overlays)
        self.searcher = Searcher(
            self.state, self.vectors, self.on_store, self.overlays.of, self.spawn
        )
        self.pipeline.commit_hooks.append(self.projects.on_commit)
        self.pipeline.commit_hooks.append(self.symbol_index.committed)
        self.watcher = Watcher(self.following.on_changes, self._expect)
        # Imported now: it knows this module.
        from surveyor.engine.operations.build import build_operations

        jobs = TextJobs(self.pool)
        self.knowledge = Knowledge.assemble(
            state=self.state,
            vectors=self.vectors,
            on_store=self.on_store,
            embed=jobs.embed,
            read=jobs.read,
            model=lambda: (self.pipeline.model.fingerprint, self.pipeline.model.dimension),
            embedder=self.model.of,
            settings=lambda: self.settings,
            are_settings_whole=lambda: self.preferences.are_whole,
            wake_queue=self.pipeline.wake,
            data_dir=Path(self.data_dir),
        )
        self.graph = GraphService(
            self.state,
            self,
            AttachedServers(self.sessions.editor_for),
            self.overlays,
            run_job=GraphWork(self.pool).run,
            files_behind=self.pipeline.files_behind,
            traces=self.settings.graph.import_traces,
        )
        self.operations = await build_operations(self)
        self.spawn(self._begin())

    async def _begin(self) -> None:
        """What may take a while: the engine answers meanwhile, and says that it is starting."""
        try:
            self.spawn(Housekeeping(self).keep())
            self.spawn(self.preferences.follow(self._apply_settings))
            await self.projects.count_stale()
            self.spawn(self._consume())
            await self.model.embedder()
            with contextlib.suppress(StoreUnreachableError, DiskFullError):
                await self.remaker.count()
        finally:
            self.starting = False
            # What is there by now stays: a full collection over it stops every answer for as long
            # as a query takes.
            gc.freeze()
            gc.enable()
        with contextlib.suppress(DiskFullError):
            await self.model.note()
        self.spawn(self.remaker.reconcile_all())
        for checkout in await self.projects.all():
            if checkout.watched and checkout.checkout_id not in self.pipeline.runs:
                await self.scanner.scan(checkout)
        self._begun.set()

    @property
    def begun(self) -> bool:
        """Whether every followed folder is being compared with the index, or has been."""
        return self._begun.is_set()

    async def _consume(self) -> None:
        while True:
            try:
                await self.pipeline.consume()
            except asyncio.CancelledError:
                raise
            except Exception as error:
                known = isinstance(error, StoreUnreachableError | StoreDamagedError | DiskFullError)
                if not known:
                    log.exception("the queue's consumer failed; it starts again")
                await asyncio.sleep(PROBE_S if known else 1)

    async def close(self) -> None:
        """Stop the loops, then close what is open; nothing that was promised is lost."""
        stop_all_git()  # nobody waits for an answer any more
        for close in self.closers:
            with contextlib.suppress(Exception):
                await close()
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        stop_all_git()
        await self.pool.close()
        await asyncio.to_thread(self.watcher.close)
        await self.access.close()
        await self.state.close()

    def stop(self, why: str) -> None:
        """Ask the process to end."""
        if not self.stopping.is_set():
            log.info("stopping: %s", why)
            self.on_stop()
        self.stopping.set()

    def spawn(self, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        """Run something beside everything else for as long as the engine lives."""
        task = asyncio.create_task(work, context=boundary.nobody())
        self._tasks.add(task)
        task.add_done_callback(self._ended)
        return task

    def _ended(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and task.exception() is not None:
            log.error("a background task failed", exc_info=task.exception())

    def touch(self) -> None:
        """Somebody used the engine."""
        self._last_touch = time.monotonic()

    @property
    def untouched_s(self) -> float:
        """Seconds since somebody used the engine."""
        return time.monotonic() - self._last_touch

    def authorised(self, token: str | None) -> bool:
        """Whether a caller may be served; a private socket needs no token."""
        import hmac

        return self.token is None or hmac.compare_digest(self.token, token or "")

    async def answer(self, name: str, params: bytes, call: Call) -> Any:
        """Serve one operation. An agent gets what is its own: see `boundary`.

        Raises `KeyError` for an unknown one, `msgspec.MsgspecError`, `UnicodeError` or
        `RecursionError` for params that are none, and `SurveyorError`s.
        """
        self.touch()
        found = self.operations[name]
        request = msgspec.json.decode(params if params != b"null" else b"{}", type=found.request)
        request_validation.check(request)
        reach = call.reach or boundary.reach_of(call.session)
        if reach is not None:
            boundary.check_operation(name)
        limit_s = None if name in LONG else self.settings.engine.request_timeout
        try:
            with task_named(name), boundary.answering(reach):
                async with deadline(name, limit_s):
                    return await found.handler(request, call)
        except OSError as error:
            if error.errno != errno.ENAMETOOLONG:
                raise
            raise UsageError("a name is longer than any file's", "Give a shorter one.") from error

    def require_writable(self) -> None:
        """Raise where nothing can be stored."""
        if self.refusal is not None:
            raise self.refusal

    # --- the store ------------------------------------------------------------------------

    async def pause(self, paused: bool) -> None:
        """Take nothing from the queue until told otherwise, by this engine or the next."""
        async with self.state.transaction() as tx:
            await tx.execute("DELETE FROM settings WHERE key = ?", (PAUSED,))
            if paused:
                await tx.execute("INSERT INTO settings (key, value) VALUES (?, '1')", (PAUSED,))
        self.pipeline.paused = paused
        self.pipeline.wake()

    async def on_store(self, work: Callable[..., T], *arguments: Any) -> T:
        """Run a blocking call of the store on its thread."""
        return await self.access.run(work, *arguments)

    def _expect(self, path: str) -> None:
        """A watched file has changed; the batch that says so follows in a moment."""
        if not (self.pipeline.paused or self.stopping.is_set()):
            self.spawn(self.pool.expect(path))

    async def _catch_up(self, missed: bool) -> None:
        """The disk has room again: see what changed while nothing could be noted."""
        self.access.reserve.keep()
        if not missed:
            return
        for checkout in await self.projects.all():
            if checkout.watched:
                await self.scanner.scan(checkout)
        await self.graph.updater.resume()

    def _store_is_back(self) -> None:
        self.pipeline.wake()
        self.spawn(self.remaker.reconcile_all())

    @asynccontextmanager
    async def writing(self) -> AsyncIterator[None]:
        """Keep the pipeline from committing meanwhile."""
        async with self.pipeline.committing:
            yield

    def _index_version(self) -> str:
        from surveyor.parsing.languages import index_version

        search, indexing = self.settings.search, self.settings.indexing
        scan = self.settings.graph.import_scan_limit
        return f"{index_version()}/{indexing.chunk_chars}/{search.k1:g}/{search.b:g}/{scan}"

    def worker_setup(self) -> Setup:
        """What workers are told when they start."""
        settings = self.settings
        return Setup(
            state_path=str(self.state.path),
            model=self.model.info.name,
            threads=settings.model.threads,
            chunk_chars=settings.indexing.chunk_chars,
            max_file_size=settings.indexing.max_file_size,
            version=self.version,
            k1=settings.search.k1,
            b=settings.search.b,
            import_scan_limit=settings.graph.import_scan_limit,
            memory_limit=settings.engine.worker_memory,
            allowed_secrets=allowed.current().digest,
        )

    def reembedding(self, project_id: str) -> float | None:
        """Share of a project's points made so far, while they are made again or wait for it."""
        progress = self.remaker.progress(project_id)
        if progress is not None:
            return progress.share
        waits = self.remaker.old_spaces(project_id) and project_id not in self.remaker.failed
        return 0.0 if waits or self.remaker.is_short(project_id) else None

    # --- projects -------------------------------------------------------------------------

    async def freshness(self, checkout: Checkout) -> Freshness:
        """How far answers from a checkout can be trusted."""
        return await self.projects.freshness(checkout)

    async def wait_fresh(self, checkouts: Sequence[Checkout], timeout_s: float) -> None:
        """Until checkouts are scanned and nothing is queued for them, or time is up."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(timeout_s):
                await self._begun.wait()
                for checkout in checkouts:
                    await self.pipeline.wait_fresh(checkout.checkout_id, timeout_s)

    async def resolve(self, cwd: str | None = None, project: str | None = None) -> Checkout:
        """The checkout that a caller means: a folder that was moved is what it was."""
        try:
            return await self.projects.resolve(cwd, project)
        except NotFoundError:
            folder = cwd if project is None else project if "/" in project else None
            moved = await moved_to(self, folder) if folder is not None else None
            if moved is None:
                raise
            await self.watch(moved)
            await self.scanner.scan(moved)  # it may have changed meanwhile
            return await self.projects.resolve(cwd, project)

    async def notify(self, topic: str, params: object) -> None:
        """Tell every editor and agent."""
        await self.sessions.notify(topic, params)

    # --- watching -------------------------------------------------------------------------

    async def watch(self, checkout: Checkout) -> None:
        """Follow changes, if that is wanted, by the rules of now."""
        if not (checkout.watched and self.settings.watching.enabled):
            return
        wanted = self.preferences.walk(checkout.root)
        if self._watched.get(checkout.root) != wanted:
            from surveyor.parsing.ignore import Ignore

            self._watched[checkout.root] = wanted
            root = Path(checkout.root)
            await asyncio.to_thread(self.watcher.add, root, Ignore(root, wanted))

    async def unwatch(self, checkout: Checkout) -> None:
        """Follow changes no more."""
        if checkout.root in self._watched:
            del self._watched[checkout.root]
            await asyncio.to_thread(self.watcher.remove, Path(checkout.root))

    # --- settings -------------------------------------------------------------------------

    @property
    def settings(self) -> config.Settings:
        """The user's settings, as they are now."""
        return self.preferences.settings

    async def _apply_settings(self) -> None:
        """What can change while running does; the rest is read where it is used."""
        self.pipeline.min_free_disk = self.settings.storage.least_free
        self.pipeline.wake()
        try:
            await self.model.use(self.settings.model.name)
        except SurveyorError as error:
            log.warning("the model stays as it was: %s %s", error.message, error.hint)
            self.model.warning = f"model.name: {error.message}; the earlier model answers"
        version = self._index_version()
        if version != self.version:
            self.version = self.pipeline.version = version
            await self.projects.count_stale()
            self.spawn(self._rebuild())
        self.pool.change(self.worker_setup())
        for checkout in await self.projects.all():
            await self.follow_preferences(checkout)
        await self.notify("configuration_changed", {})

    async def _rebuild(self) -> None:
        """Index by settings that have changed; a scan that had begun compared with the old ones."""
        for checkout in await self.projects.all():
            if checkout.watched:
                await self.pipeline.wait_fresh(checkout.checkout_id, math.inf)
                await self.scanner.scan(checkout)

    async def follow_preferences(self, checkout: Checkout) -> None:
        """Scan a folder again when other files of it are wanted than before."""
        if self._watched.get(checkout.root) not in (None, self.preferences.walk(checkout.root)):
            await self.scanner.scan(checkout)

    @property
    def warnings(self) -> tuple[str, ...]:
        """What is wrong in the user's settings."""
        return (*self.preferences.warnings, *filter(None, [self.model.warning]))

    def spaces_of(self, project_id: str) -> list[Space]:
        """Where a project's points are: the model's own space first."""
        return [self.pipeline.space(project_id), *self.remaker.old_spaces(project_id)]
