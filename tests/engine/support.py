"""Parts of the engine without an engine: a real state, and stand-ins for store and workers."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import cast

import numpy as np

from surveyor.embedding.embedded import Embedded
from surveyor.engine.index.branches import Branches
from surveyor.engine.index.commit import Committer, PointModel
from surveyor.engine.index.disk_room import DiskRoom
from surveyor.engine.index.pipeline import Pipeline
from surveyor.engine.index.runs import IndexRun
from surveyor.engine.index.scanner import Scanner
from surveyor.engine.index.shard_repair import ShardRepair
from surveyor.engine.index.unsaved_buffers import EditorBuffers
from surveyor.engine.index.vector_rebuild import VectorRebuilder
from surveyor.engine.index.watch import Watcher
from surveyor.engine.index.watch_control import WatchControl
from surveyor.engine.process.background import BackgroundTasks
from surveyor.engine.process.lifetime import Lifetime
from surveyor.engine.process.live_settings import LiveSettings
from surveyor.engine.process.store_executor import OpenedStore, StoreExecutor
from surveyor.engine.projects.freshness import IndexFreshness
from surveyor.engine.projects.identity import IdentityChange
from surveyor.engine.projects.registration import Registration
from surveyor.engine.projects.registry import ProjectRegistry
from surveyor.engine.projects.relocation import Relocation
from surveyor.parsing.hashing import digest
from surveyor.parsing.ignore import Ignore
from surveyor.parsing.types import Chunk, ParsedFile, Symbol
from surveyor.store.state import State
from surveyor.store.vectors.contract import Point, Space, VectorStore
from surveyor.worker.messages import ChunksJob, FileJob, Job, Outcome
from surveyor.worker.pool import NoWorkerError, WorkerPool

MODEL, VERSION, DIMENSION = "model", "version", 4
BYTES_PER_POINT = 7


class FakeStore:
    """Points by space, in memory."""

    payload_fields = None

    def __init__(self) -> None:
        self.points: dict[Space, dict[str, Point]] = {}

    def upsert(self, space: Space, points: Sequence[Point]) -> None:
        """Insert or replace points."""
        self.points.setdefault(space, {}).update({point.id: point for point in points})

    def delete(self, space: Space, ids: Sequence[str]) -> None:
        """Remove points."""
        for each in ids:
            self.points.get(space, {}).pop(each, None)

    def retrieve(self, space: Space, ids: Sequence[str]) -> list[Point]:
        """Points by id."""
        there = self.points.get(space, {})
        return [there[each] for each in ids if each in there]

    def ids(self, space: Space) -> Iterator[str]:
        """Ids of all points."""
        return iter(list(self.points.get(space, {})))

    def count(self, space: Space) -> int:
        """Number of points."""
        return len(self.points.get(space, {}))

    def rename(self, space: Space, tenant: str) -> Space:
        """Move all points to another tenant."""
        new = Space(space.collection, tenant, space.model, space.dimension)
        self.points[new] = self.points.pop(space)
        return new

    def drop(self, space: Space) -> None:
        """Remove the space."""
        self.points.pop(space, None)

    def spaces(self) -> list[Space]:
        """Spaces that exist."""
        return list(self.points)

    def why_absent(self, space: Space) -> str:
        """Nothing is known of it."""
        return ""

    def disk_bytes(self, space: Space) -> int:
        """Some for each point."""
        return BYTES_PER_POINT * self.count(space)

    def flush(self, space: Space) -> None:
        """Nothing to do."""

    def check(self) -> None:
        """Nothing to do."""

    def needs_optimizing(self, space: Space) -> bool:
        """Never."""
        return False

    def is_crowded(self, space: Space) -> bool:
        """Never."""
        return False

    def close(self) -> None:
        """Nothing to do."""


class FakePool:
    """Makes one chunk and one symbol of each file, in this process."""

    def __init__(self) -> None:
        self.fails = False
        self.start_problem = ""
        """Why no worker starts, if so."""
        self.setups: list[object] = []
        self.pids: list[int] = []

    async def run(self, jobs: Sequence[Job]) -> list[Outcome]:
        """What becomes of jobs."""
        if self.start_problem:
            raise NoWorkerError(self.start_problem)
        return [self._outcome(job) for job in jobs]

    def _outcome(self, job: Job) -> Outcome:
        if self.fails:
            return Outcome("failed", reason="error", detail="out of memory")
        if isinstance(job, ChunksJob):
            vectors = [_embedded(chunk.text) for chunk in job.chunks]
            return Outcome("embedded", vectors=vectors, model=MODEL)
        assert isinstance(job, FileJob)
        file = Path(job.root, job.path)
        if job.data is None and not file.exists():
            return Outcome("missing")
        data = file.read_bytes() if job.data is None else job.data
        text, name = data.decode(), Path(job.path).stem
        lines = max(1, text.count("\n"))
        parsed = ParsedFile(
            "python",
            "code",
            (Chunk("function", 1, lines, (name,), name, "function", text=text),),
            (Symbol(name, "function", "", 1, lines, 1, 4, 4 + len(name)),),
        )
        stat = file.stat() if job.data is None else None
        return Outcome(
            "parsed",
            size=stat.st_size if stat else len(data),
            mtime_ns=stat.st_mtime_ns if stat else 0,
            content_hash=digest(data),
            parsed=parsed,
            vectors=[_embedded(text)],
            model=MODEL,
            version=VERSION,
        )

    async def warm(self, count: int = 1) -> None:
        """There is nothing to start."""

    def change(self, setup: object) -> None:
        """Remember what workers are told."""
        self.setups.append(setup)


def _embedded(text: str) -> Embedded:
    dense = np.ones(DIMENSION, np.float16).tobytes()
    return Embedded(
        digest(text.encode()),
        dense,
        np.array([1], np.uint32).tobytes(),
        np.array([1.0], np.float32).tobytes(),
        body=dense,
    )


class FakeWatcher:
    """Remembers which folders it was to follow."""

    def __init__(self) -> None:
        self.roots: list[Path] = []

    def add(self, root: Path, ignore: Ignore) -> None:
        """Follow a folder."""
        self.roots.append(root)

    def remove(self, root: Path) -> None:
        """Follow it no more."""
        self.roots.remove(root)


class Parts:
    """The parts that follow folders and keep their index, put together around stand-ins."""

    def __init__(self, state: State, folder: Path) -> None:
        self.state = state
        self.store, self.pool, self.watcher = FakeStore(), FakePool(), FakeWatcher()
        self.told: list[tuple[str, object]] = []
        self.renamed: list[tuple[str, str, str]] = []
        self.purged: list[str] = []
        self.stopped: list[str] = []
        self.lifetime = Lifetime(lambda: self.stopped.append("stop"))
        self.tasks, self.live_settings = BackgroundTasks(), LiveSettings()
        vectors, pool = cast(VectorStore, self.store), cast(WorkerPool, self.pool)
        self.vectors, self.workers = vectors, pool
        wakes = asyncio.Event()
        self.disk_room = DiskRoom(folder, min_free=0, on_refused=wakes.set)
        self.store_executor = StoreExecutor(
            OpenedStore(vectors),
            folder,
            on_return=lambda: None,
            on_damage=lambda _: None,
            on_full=self.disk_room.refused,
        )
        self.projects = ProjectRegistry(state, wakes.set)
        runs: dict[str, IndexRun] = {}
        self.committer = Committer(
            state=state,
            vectors=vectors,
            on_store=self.store_executor.run,
            pool=pool,
            disk_room=self.disk_room,
            model=PointModel(MODEL, DIMENSION),
            version=VERSION,
            old_spaces=lambda project_id: self.vector_rebuilder.old_spaces(project_id),
            runs=runs,
        )
        self.pipeline = Pipeline(
            state=state,
            pool=pool,
            disk_room=self.disk_room,
            committer=self.committer,
            runs=runs,
            worker_id="1",
            wakes=wakes,
        )
        self.vector_rebuilder = VectorRebuilder(
            state, vectors, self.store_executor.run, self.committer, pool
        )
        self.shard_repair = ShardRepair(
            vectors, self.store_executor.run, self.vector_rebuilder, _nothing, self.tasks
        )
        self.editor_buffers = EditorBuffers(pool, self.projects)
        self.watching = WatchControl(cast(Watcher, self.watcher), self.live_settings)
        self.freshness = IndexFreshness(
            state,
            self.projects,
            self.pipeline,
            self.store_executor,
            self.vector_rebuilder,
            self.shard_repair,
            self.live_settings,
            self.lifetime,
            lambda _: False,
            lambda _: "",
        )
        self.identity = IdentityChange(
            state,
            self.projects,
            self.freshness,
            self.pipeline,
            self.editor_buffers,
            self.store_executor,
            self.vector_rebuilder,
            lambda *change: self.renamed.append(change),
        )
        self.registration = Registration(
            state, self.projects, self.identity, self.pipeline, self.watching, self.store_executor
        )
        self.branches = Branches(state, self.projects, self.committer)
        self.scanner = Scanner(
            state,
            self.projects,
            self.registration,
            self.freshness,
            self.branches,
            self.watching,
            self.pipeline,
            pool,
            self.store_executor,
            self.live_settings,
            self.tasks,
            self.tell,
            lambda checkout_id, _: self.purged.append(checkout_id),
        )
        self.relocation = Relocation(
            state, self.projects, self.registration, self.watching, self.scanner
        )

    async def tell(self, topic: str, params: object) -> None:
        """Note what editors and agents are told."""
        self.told.append((topic, params))

    def start(self) -> None:
        """Index what is queued from now on."""
        self.lifetime.opened()
        self.lifetime.begin()
        self.tasks.spawn(self.pipeline.consume())


async def _nothing() -> None:
    pass


@asynccontextmanager
async def parts_in(folder: Path) -> AsyncIterator[Parts]:
    """Parts over a state of their own; closed in the end."""
    folder.mkdir(parents=True, exist_ok=True)
    state = await State.open(folder / "state.db")
    made = Parts(state, folder)
    try:
        yield made
    finally:
        await made.tasks.cancel()
        await made.store_executor.close()
        await state.close()
