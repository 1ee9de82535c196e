"""The composition root: builds every part of the engine and hands each what it needs.

Nothing else knows them all. Where two parts call each other, one of them is given a function here
that looks the other up when it is called.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import gc
import logging
from collections.abc import Awaitable, Callable, Coroutine
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from surveyor import config
from surveyor.engine.code_words import CodeWords
from surveyor.engine.edits.journal import EditJournal
from surveyor.engine.exact_servers import AttachedServers
from surveyor.engine.graph_work import GraphWork
from surveyor.engine.index.branches import Branches
from surveyor.engine.index.change_handler import ChangeHandler
from surveyor.engine.index.commit import Committer, PointModel
from surveyor.engine.index.disk_room import DiskRoom
from surveyor.engine.index.model_in_use import ModelChange, ModelInUse
from surveyor.engine.index.pipeline import Pipeline
from surveyor.engine.index.post_index import PostIndexWork
from surveyor.engine.index.recent_edits import RecentEdits
from surveyor.engine.index.remasking import Remasking
from surveyor.engine.index.runs import IndexRun
from surveyor.engine.index.scanner import Scanner
from surveyor.engine.index.shard_repair import ShardRepair
from surveyor.engine.index.symbol_index import SymbolIndex
from surveyor.engine.index.text_jobs import TextJobs
from surveyor.engine.index.unsaved_buffers import EditorBuffers
from surveyor.engine.index.vector_rebuild import VectorRebuilder
from surveyor.engine.index.watch import Watcher
from surveyor.engine.index.watch_control import WatchControl
from surveyor.engine.operations import Caller, Operations
from surveyor.engine.operations.build import build_operations
from surveyor.engine.operations.commit_priors import CommitPriors
from surveyor.engine.process import request_validation
from surveyor.engine.process.activity import Activity
from surveyor.engine.process.background import BackgroundTasks
from surveyor.engine.process.deadlines import LONG, deadline, task_named
from surveyor.engine.process.lifetime import Lifetime
from surveyor.engine.process.live_settings import LiveSettings
from surveyor.engine.process.maintenance import Maintenance
from surveyor.engine.process.sessions import Relay, Sessions
from surveyor.engine.process.settings_change import SettingsChange, version_of
from surveyor.engine.process.status import StatusReport
from surveyor.engine.process.store_executor import PROBE_S, StoreExecutor, open_vectors
from surveyor.engine.projects import boundary
from surveyor.engine.projects.folder_looks import EVERY_S
from surveyor.engine.projects.freshness import IndexFreshness
from surveyor.engine.projects.identity import IdentityChange
from surveyor.engine.projects.registration import Registration
from surveyor.engine.projects.registry import ProjectRegistry
from surveyor.engine.projects.relocation import Relocation
from surveyor.errors import DiskFullError, SurveyorError, UsageError
from surveyor.git.runner import stop_all as stop_all_git
from surveyor.graph.exact.enricher import Enricher
from surveyor.graph.queries.removed import removed_by
from surveyor.graph.service import GraphService
from surveyor.knowledge.service import Knowledge
from surveyor.machine.resources import memory, worker_count, worker_limit
from surveyor.parsing.languages import is_file_name
from surveyor.search.pipeline import Searcher
from surveyor.search.text_search import TextSearcher
from surveyor.secrets import allowed
from surveyor.store.state import State, settings
from surveyor.store.vectors.contract import StoreError, StoreUnreachableError
from surveyor.worker.messages import WorkerSetup
from surveyor.worker.pool import WorkerPool

log = logging.getLogger(__name__)

T = TypeVar("T")


NAMING_FIELDS = ("cwd", "project", "root", "path")
"""Fields of a request that may name a checkout."""
WITHOUT_FOLDER = frozenset({"status", "stop", "roots", "index_progress"})
"""What is answered where the folder that is meant does not answer."""


class _Folders:
    """The registered folders, as the graph asks for them."""

    def __init__(self, relocation: Relocation, freshness: IndexFreshness) -> None:
        self.resolve = relocation.resolve
        self.wait_fresh = freshness.wait
        self.freshness = freshness.of


class Engine:
    """The composition root: builds the engine's parts, starts them and closes them."""

    def __init__(
        self,
        data_dir: Path,
        refusal: SurveyorError | None = None,
        on_stop: Callable[[], None] = lambda: None,
    ) -> None:
        """`refusal` is what whoever wants something stored is told, where nothing can be; `on_stop`
        sees to it that the process ends, however long closing takes."""
        self.data_dir = data_dir
        self.refusal = refusal
        self.lifetime = Lifetime(on_stop)
        self.edit_journal = EditJournal(data_dir / "edits")
        self.tasks = BackgroundTasks()
        self.sessions = Sessions()
        self.exact_servers = AttachedServers(self.sessions.editor_for)
        self.live_settings = LiveSettings()
        # What `build_operations` fills.
        self.relays: dict[str, Relay] = {}
        self.housekeepers: list[Callable[[], Awaitable[None]]] = []
        """Called now and then; at most a minute passes between two calls."""
        self.closers: list[Callable[[], Coroutine[Any, Any, None]]] = []
        self.operations: Operations

    # --- life -----------------------------------------------------------------------------

    async def open(self) -> None:
        """Open state and store, start the loops; the embedded shards open when first used."""
        await asyncio.to_thread(self.edit_journal.recover)  # before anything reads the files
        self.live_settings.reload()
        wakes = asyncio.Event()
        disk_room = DiskRoom(
            self.data_dir,
            min_free=self.settings.storage.least_free,
            read_only=self.refusal is not None,
            on_refused=wakes.set,
        )
        self.state = await State.open(
            self.data_dir / "state.db", refusal=self.refusal, on_full=disk_room.refused
        )
        self.model = ModelInUse(self.live_settings, self.state)
        await self.model.choose()
        allowed.use(await asyncio.to_thread(allowed.salted, self.data_dir))
        paused = await settings.value_of(self.state, settings.PAUSED) is not None
        self._build(disk_room, wakes, paused=paused)
        work = GraphWork(self.pool)
        self.text_searcher = TextSearcher(self.state, self.editor_buffers.texts)
        self.graph = GraphService(
            self.state,
            _Folders(self.relocation, self.index_freshness),
            self.exact_servers,
            self.editor_buffers,
            run_job=work.run,
            files_behind=self.pipeline.files_behind,
            reader_of=self.pool.reader_of,
            find_word=CodeWords(self.text_searcher, self.committer.space).places,
            traces=self.settings.graph.import_traces,
        )
        enricher = Enricher(
            self.state,
            self.graph.servers,
            checkouts=self.projects.all,
            files_behind=self.pipeline.files_behind,
            graph_behind=self.graph.updater.pending,
            share=self._enriching_share,
        )
        self.operations = build_operations(
            self,
            enricher,
            partial(removed_by, work.parsed),
            work.calls_in,
            work.symbols_in,
        )
        self.tasks.spawn(self._begin())

    def _build(self, disk_room: DiskRoom, wakes: asyncio.Event, *, paused: bool) -> None:
        """Build the parts, each on those before it."""
        state, live_settings, tasks = self.state, self.live_settings, self.tasks
        # The store, and what writes to it.
        store = open_vectors(self.data_dir, self.settings)
        self.vectors = store.vectors
        self.store_executor = StoreExecutor(
            store,
            self.data_dir,
            on_return=self._store_is_back,
            on_damage=lambda why: self.shard_repair.found(why),
            on_full=disk_room.refused,
        )
        version = version_of(self.settings)
        self.pool = WorkerPool(
            self._setup_for(version),
            worker_count(self.settings.engine.workers),
            self.settings.indexing.file_timeout,
            self.settings.engine.worker_idle,
            keep_one=lambda: self.activity.any,
            kept_s=self.settings.engine.worker_kept,
            memory_left=lambda: memory().available,
        )
        self.projects = ProjectRegistry(state, wakes.set)
        live_settings.is_stalled = self.projects.looks.is_stalled
        runs: dict[str, IndexRun] = {}
        self.committer = Committer(
            state=state,
            vectors=self.vectors,
            on_store=self.store_executor.run,
            pool=self.pool,
            disk_room=disk_room,
            model=PointModel(
                self.model.info.fingerprint,
                self.model.info.dimension,
                self.model.info.is_remembered,
            ),
            version=version,
            old_spaces=lambda project_id: self.vector_rebuilder.old_spaces(project_id),
            runs=runs,
            on_unseen=lambda checkout_id, why: self.scanner.unread(checkout_id, why),
        )
        self.pipeline = Pipeline(
            state=state,
            pool=self.pool,
            disk_room=disk_room,
            committer=self.committer,
            runs=runs,
            store_answers=self.store_executor.answers,
            ask=self.projects.looks.ask,
            worker_id=f"{self.lifetime.pid}",
            wakes=wakes,
            paused=paused,
            size_limit=lambda root: live_settings.walk(root).max_file_size,
            on_ended=self._run_ended,
            on_room=lambda missed: tasks.spawn(self._catch_up(missed)),
        )
        self.vector_rebuilder = VectorRebuilder(
            state, self.vectors, self.store_executor.run, self.committer, self.pool
        )
        self.model_change = ModelChange(
            self.model,
            live_settings,
            state,
            self.committer,
            self.vector_rebuilder,
            self.pool,
            self.worker_setup,
            tasks,
        )
        jobs = TextJobs(self.pool)
        self.knowledge = Knowledge.assemble(
            state=state,
            vectors=self.vectors,
            on_store=self.store_executor.run,
            ask_store=self.store_executor.ask,
            embed=jobs.embed,
            read=jobs.read,
            model=lambda: (self.committer.model.fingerprint, self.committer.model.dimension),
            embedder=self.model.of,
            settings=lambda: self.settings,
            are_settings_whole=lambda: live_settings.are_whole,
            wake_queue=self.pipeline.wake,
            data_dir=self.data_dir,
        )
        self.shard_repair = ShardRepair(
            self.vectors,
            self.store_executor.run,
            self.vector_rebuilder,
            self.knowledge.reconcile,
            tasks,
        )
        # Queries.
        self.editor_buffers = EditorBuffers(self.pool, self.projects)
        self.symbol_index = SymbolIndex(state, self.editor_buffers)
        self.searcher = Searcher(
            state,
            self.vectors,
            self.store_executor.ask,
            is_file_name,
            self.editor_buffers.of,
            tasks.spawn,
            self.vector_rebuilder,
        )
        self.post_index = PostIndexWork(
            state,
            self.vectors,
            self.store_executor.run,
            self.pipeline,
            self.projects,
            self.searcher,
            tasks,
        )
        # Folders.
        self.watcher = Watcher(
            lambda changes: self.change_handler.on_changes(changes), self._expect
        )
        self.watching = WatchControl(self.watcher, live_settings)
        self.index_freshness = IndexFreshness(
            state,
            self.projects,
            self.pipeline,
            self.store_executor,
            self.vector_rebuilder,
            self.shard_repair,
            live_settings,
            self.lifetime,
            lambda checkout_id: self.graph.updater.pending(checkout_id),
            lambda checkout_id: self.graph.updater.problem(checkout_id),
            self.refusal,
        )
        identity = IdentityChange(
            state,
            self.projects,
            self.index_freshness,
            self.pipeline,
            self.editor_buffers,
            self.store_executor,
            self.vector_rebuilder,
            lambda old, new, root: self.graph.rename(old, new, root),
        )
        self.registration = Registration(
            state, self.projects, identity, self.pipeline, self.watching, self.store_executor
        )
        branches = Branches(state, self.projects, self.committer)
        self.scanner = Scanner(
            state,
            self.projects,
            self.registration,
            self.index_freshness,
            branches,
            self.watching,
            self.pipeline,
            self.pool,
            self.store_executor,
            live_settings,
            tasks,
            self.sessions.notify,
            lambda checkout_id, root: self.graph.updater.touch(checkout_id, root),
        )
        self.relocation = Relocation(
            state, self.projects, self.registration, self.watching, self.scanner
        )
        self.recent_edits = RecentEdits()
        self.change_handler = ChangeHandler(
            state,
            self.projects,
            self.registration,
            self.index_freshness,
            branches,
            self.scanner,
            self.pipeline,
            live_settings,
            self.knowledge.guard,
            self.lifetime,
            self.recent_edits,
        )
        # The engine itself.
        self.activity = Activity(
            self.lifetime,
            self.projects,
            self.editor_buffers,
            self.searcher,
            self.symbol_index,
            tasks,
        )
        self.settings_change = SettingsChange(
            live_settings,
            self.projects,
            self.index_freshness,
            self.pipeline,
            self.scanner,
            self.model,
            self.model_change,
            self.pool,
            self.worker_setup,
            tasks,
            self.sessions.notify,
        )
        self.remasking = Remasking(state, self.committer, self.knowledge, self.lifetime)
        self.maintenance = Maintenance(
            state,
            self.vectors,
            self.store_executor.run,
            self.pipeline,
            self.projects,
            self.change_handler,
            self.scanner,
            self.vector_rebuilder,
            self.sessions,
            live_settings,
            tasks,
            self.lifetime,
            self.housekeepers,
        )
        self.commit_priors = CommitPriors(
            state,
            self.searcher,
            self.committer.space,
            self.model.of,
            live_settings.ranking,
            self.pipeline.is_busy,
            tasks.spawn,
        )
        self.status = StatusReport(
            self.data_dir,
            state,
            self.vectors,
            self.projects,
            self.relocation.resolve,
            self.index_freshness,
            self.pipeline,
            self.pool,
            self.model,
            self.vector_rebuilder,
            self.knowledge,
            self.sessions,
            live_settings,
            self.lifetime,
            self.post_index.compacting,
            self.commit_priors.said,
            lambda checkout_id: self.graph.files_given_up(checkout_id),
        )
        self.committer.commit_hooks.append(self.index_freshness.on_commit)
        self.committer.commit_hooks.append(self.symbol_index.committed)

    async def _begin(self) -> None:
        """What may take a while: the engine answers meanwhile, and says that it is starting."""
        try:
            self.tasks.spawn(self.maintenance.run())
            self.tasks.spawn(self._look_at_folders())
            self.tasks.spawn(self.live_settings.follow(self.settings_change.apply))
            await self.index_freshness.count_stale()
            self.tasks.spawn(self._consume())
            await self.model.embedder()
            await self.vector_rebuilder.expect()
        finally:
            self.lifetime.opened()
            # What is there by now stays: a full collection over it stops every answer for as long
            # as a query takes.
            gc.freeze()
            gc.enable()
        with contextlib.suppress(DiskFullError):
            await self.model.note()
        self.tasks.spawn(self._compare_points())
        for checkout in await self.projects.all():
            if checkout.watched and checkout.checkout_id not in self.pipeline.runs:
                await self.scanner.scan(checkout)
        self.lifetime.begin()

    async def _look_at_folders(self) -> None:
        """Know of each folder whether it answers; one that does again is looked through."""
        before: set[str] = set()
        while True:
            known = await self.projects.all()
            stalled = await self.projects.looks.stalled([each.root for each in known])
            stalled |= self.pool.held_roots
            for checkout in known:
                if checkout.root in before - stalled:
                    await self.scanner.look_again(checkout)
            before = stalled
            await asyncio.sleep(EVERY_S)

    async def _compare_points(self) -> None:
        with contextlib.suppress(StoreUnreachableError, DiskFullError):
            await self.vector_rebuilder.count()
        await self.vector_rebuilder.reconcile_all()

    async def _consume(self) -> None:
        while True:
            try:
                await self.pipeline.consume()
            except asyncio.CancelledError:
                raise
            except Exception as error:
                known = isinstance(error, StoreError | DiskFullError)  # said with every answer
                if not known:
                    log.exception("the queue's consumer failed; it starts again")
                await asyncio.sleep(PROBE_S if known else 1)

    async def close(self) -> None:
        """Stop the loops, then close what is open; nothing that was promised is lost."""
        stop_all_git()  # nobody waits for an answer any more
        for close in self.closers:
            with contextlib.suppress(Exception):
                await close()
        await self.tasks.cancel()
        stop_all_git()
        await self.pool.close()
        await asyncio.to_thread(self.watcher.close)
        await self.store_executor.close()
        await self.state.close()

    async def answer(self, name: str, params: bytes, call: Caller) -> Any:
        """Serve one operation. An agent gets what is its own: see `boundary`.

        Raises `KeyError` for an unknown one, `msgspec.MsgspecError`, `UnicodeError` or
        `RecursionError` for params that are none, and `SurveyorError`s.
        """
        use = contextlib.nullcontext() if call.is_look else self.lifetime.answering()
        if not call.is_look:
            self.lifetime.touch()
        found = self.operations[name]
        request = msgspec.json.decode(params if params != b"null" else b"{}", type=found.request)
        request_validation.check(request)
        hello = None if call.session is None else call.session.hello
        reach = call.reach or boundary.reach_of(hello)
        if reach is not None:
            boundary.check_operation(name)
        if name not in WITHOUT_FOLDER:
            named = (getattr(request, field, None) for field in NAMING_FIELDS)
            await self.projects.require_answering(*named)
        limit_s = None if name in LONG else self.settings.engine.request_timeout
        try:
            with task_named(name), boundary.answering(reach), use:
                async with deadline(name, limit_s):
                    return await found.handler(request, call)
        except OSError as error:
            if error.errno != errno.ENAMETOOLONG:
                raise
            raise UsageError("a name is longer than any file's", "Give a shorter one.") from error

    # --- what happens between parts ---------------------------------------------------------

    def _enriching_share(self) -> float:
        """How much of the time servers may be kept busy in the background."""
        settings = self.settings.graph
        return settings.enrich_share if settings.enrich else 0.0

    def _expect(self, path: str) -> None:
        """A watched file has changed; the batch that says so follows in a moment."""
        if not (self.pipeline.paused or self.lifetime.stopping.is_set()):
            self.tasks.spawn(self.pool.expect(path))

    def _run_ended(self, checkout_id: str, run: IndexRun) -> None:
        self.post_index.ended(checkout_id, run)
        self.tasks.spawn(self.graph.declarations.learn(checkout_id, run.root))

    async def _catch_up(self, missed: bool) -> None:
        """The disk has room again: see what changed while nothing could be noted."""
        self.store_executor.reserve.fill()
        if not missed:
            return
        for checkout in await self.projects.all():
            if checkout.watched:
                await self.scanner.scan(checkout)
        await self.graph.updater.resume()

    def _store_is_back(self) -> None:
        self.pipeline.wake()
        self.tasks.spawn(self.vector_rebuilder.reconcile_all())

    def worker_setup(self) -> WorkerSetup:
        """What workers are told when they start."""
        return self._setup_for(self.committer.version)

    def _setup_for(self, version: str) -> WorkerSetup:
        settings = self.settings
        return WorkerSetup(
            state_path=str(self.state.path),
            model=self.model.info.name,
            threads=settings.model.threads,
            chunk_chars=settings.indexing.chunk_chars,
            max_file_size=settings.indexing.max_file_size,
            version=version,
            k1=settings.search.k1,
            b=settings.search.b,
            import_scan_limit=settings.graph.import_scan_limit,
            memory_limit=worker_limit(settings.engine.worker_memory),
            allowed_secrets=allowed.current().digest,
        )

    # --- what is asked of the engine itself ---------------------------------------------------

    @property
    def settings(self) -> config.Settings:
        """The user's settings, as they are now."""
        return self.live_settings.settings

    def require_writable(self) -> None:
        """Raise where nothing can be stored."""
        if self.refusal is not None:
            raise self.refusal
