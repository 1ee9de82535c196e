"""The write path: durable queue items become points and rows, batch by batch.

take a lease -> worker (read, hash, parse, embed) -> upsert points -> one transaction (files,
documents, outdated points, queue items) -> delete outdated points. Any step can be killed and
repeated. Points are in the store's write-ahead log before the transaction; the log is flushed
when it has grown or nothing is left to do, because a flush costs as much as a thousand points
(docs/decisions/0002-flush.md).
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import shutil
import time
from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from surveyor.errors import SurveyorError
from surveyor.indexing import catalog
from surveyor.indexing.catalog import NewDocument
from surveyor.indexing.pool import WorkerPool
from surveyor.indexing.runs import Run
from surveyor.indexing.types import Chunk, ParsedFile
from surveyor.indexing.worker import Embedded, FileJob, Outcome
from surveyor.store.state import State, Transaction, queue
from surveyor.store.state.queue import Item, Leased
from surveyor.store.vectors import Point, Space, Sparse, VectorStore

log = logging.getLogger(__name__)

BATCH_FILES = 24
"""Files committed together: large enough to share a flush, small enough to show early."""
BATCHES_IN_FLIGHT = 3
UPSERT_POINTS = 64
"""Points per call into the store, which holds the interpreter lock meanwhile."""
FLUSH_POINTS = 4096
"""Points and deletions after which a space is flushed: some 10 MB of write-ahead log."""
FLUSH_IDLE_SECONDS = 1.0
"""Quiet time after which what is left is flushed."""
RECHECK_SECONDS = 0.5
"""How often waiting items are looked at again while retries are pending."""
GIT_LOCK_SECONDS = 10.0
"""How long a checkout's files wait for git to finish with the index."""
DISK_RESERVE_BYTES = 100 << 20
"""Writing stops before less than this is free (`storage.min_free_disk` overrides)."""

OnStore = Callable[..., Awaitable[Any]]


@dataclass(frozen=True, slots=True)
class Committed:
    """What a batch changed in one checkout."""

    checkout_id: str
    project_id: str
    root: str
    changed: tuple[str, ...]
    removed: tuple[str, ...]
    added_documents: tuple[int, ...]
    dropped_documents: tuple[int, ...]


class DocumentHook(Protocol):
    """Called inside the transaction for each parsed document, to store what else it holds."""

    def __call__(
        self, tx: Transaction, project_id: str, doc_id: int, path: str, parsed: ParsedFile
    ) -> Awaitable[None]:
        """Write what the room keeps of a document."""


CommitHook = Callable[[Committed], Awaitable[None]]
ItemHandler = Callable[[Leased], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Model:
    """The embedding model that points are made with."""

    fingerprint: str
    dimension: int


@dataclass(slots=True)
class _Checkout:
    checkout_id: str
    project_id: str
    root: str
    name: str
    git_dir: Path | None


@dataclass(slots=True)
class Pipeline:
    """Consumes the queue for as long as the engine lives."""

    state: State
    vectors: VectorStore
    on_store: OnStore
    pool: WorkerPool
    model: Model
    version: str
    data_dir: Path
    worker_id: str
    min_free_disk: int = DISK_RESERVE_BYTES
    old_spaces: Callable[[str], Sequence[Space]] = field(default=lambda _: ())
    """Spaces of earlier models that still answer for a project."""
    document_hooks: list[DocumentHook] = field(default_factory=list)
    commit_hooks: list[CommitHook] = field(default_factory=list)
    handlers: dict[str, ItemHandler] = field(default_factory=dict)
    runs: dict[str, Run] = field(default_factory=dict)
    stopped_reason: str | None = None
    """Why nothing is written at the moment (`disk full`), if so."""
    timings: dict[str, float] = field(default_factory=lambda: defaultdict(float))
    paused: bool = False
    _wake: asyncio.Event = field(default_factory=asyncio.Event)
    _slots: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(BATCHES_IN_FLIGHT))
    committing: asyncio.Lock = field(default_factory=asyncio.Lock)
    _checkouts: dict[str, _Checkout] = field(default_factory=dict)
    _behind: dict[str, int] = field(default_factory=dict)
    _fresh: asyncio.Condition = field(default_factory=asyncio.Condition)
    _unflushed: dict[Space, int] = field(default_factory=dict)
    _turn: int = 0

    # --- what others ask ------------------------------------------------------------------

    def wake(self) -> None:
        """There may be new items."""
        self._wake.set()

    def forget_checkout(self, checkout_id: str) -> None:
        """Its row changed: read it again."""
        self._checkouts.pop(checkout_id, None)

    async def enqueue_paths(self, checkout_id: str, paths: Iterable[str]) -> int:
        """Queue files of a checkout to be looked at again; returns how many."""
        checkout = await self._checkout(checkout_id)
        items = [_file_item(checkout, path, "ingest") for path in paths]
        await self.enqueue(items)
        return len(items)

    async def enqueue(self, items: Sequence[Item]) -> None:
        """Queue items durably and start on them."""
        if not items:
            return
        async with self.state.transaction() as tx:
            await queue.enqueue(tx, items)
        await self.refresh_behind({item.checkout_id for item in items if item.checkout_id})
        self.wake()

    def files_behind(self, checkout_id: str) -> int:
        """Files of a checkout that are queued or in progress."""
        return self._behind.get(checkout_id, 0)

    async def wait_fresh(self, checkout_id: str, timeout_s: float) -> None:
        """Until nothing is queued for the checkout, or time is up."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(timeout_s), self._fresh:
                await self._fresh.wait_for(lambda: not self._behind.get(checkout_id))

    async def refresh_behind(self, checkout_ids: Iterable[str]) -> None:
        """Count what is left for checkouts, and end their runs when it is nothing."""
        for checkout_id in checkout_ids:
            left = await self.state.value(
                "SELECT count(*) FROM unified_queue WHERE checkout_id = ?"
                " AND status IN ('pending', 'in_progress')",
                (checkout_id,),
            )
            self._behind[checkout_id] = int(left)
            run = self.runs.get(checkout_id)
            if run is not None and run.phase == "indexing" and left == 0:
                run.phase, run.ended = "done", time.monotonic()
            if run is not None:
                await run.notify()
        async with self._fresh:
            self._fresh.notify_all()

    # --- the loop -------------------------------------------------------------------------

    async def consume(self) -> None:
        """Take and process batches until cancelled."""
        async with self.state.transaction() as tx:
            await queue.recover(tx)
        rows = await self.state.read(
            "SELECT DISTINCT checkout_id FROM unified_queue WHERE checkout_id IS NOT NULL"
        )
        await self.refresh_behind([str(row[0]) for row in rows])
        await self.sweep_dead_points()
        async with asyncio.TaskGroup() as group:
            while True:
                await self._slots.acquire()
                leased = await self._take()
                group.create_task(self._process(leased))

    async def _take(self) -> list[Leased]:
        """The next batch, once there is one."""
        while True:
            self._wake.clear()
            if not self.paused and self._has_space():
                leased = await queue.lease(self.state, self.worker_id, BATCH_FILES, self._turn)
                self._turn += 1
                if leased:
                    return leased
            left = await self.state.value(
                "SELECT count(*) FROM unified_queue WHERE status = 'pending'"
            )
            pause = RECHECK_SECONDS if left else FLUSH_IDLE_SECONDS if self._unflushed else None
            try:
                await asyncio.wait_for(self._wake.wait(), pause)
            except TimeoutError:
                if not left:
                    await self.flush()

    async def _wrote(self, space: Space, count: int) -> None:
        self._unflushed[space] = self._unflushed.get(space, 0) + count
        if self._unflushed[space] >= FLUSH_POINTS:
            del self._unflushed[space]
            await self.on_store(self.vectors.flush, space)

    async def flush(self) -> None:
        """Make everything that was written durable against a power cut, too."""
        while self._unflushed:
            space, _ = self._unflushed.popitem()
            await self.on_store(self.vectors.flush, space)

    def _has_space(self) -> bool:
        try:
            free = shutil.disk_usage(self.data_dir).free
        except OSError as error:
            log.warning("free space of %s is unknown: %s", self.data_dir, error)
            return True
        if free < self.min_free_disk:
            self.stopped_reason = "disk_full"
            return False
        self.stopped_reason = None
        return True

    async def _process(self, leased: list[Leased]) -> None:
        try:
            files = [item for item in leased if item.item_type == "file"]
            others = [item for item in leased if item.item_type != "file"]
            if files:
                await self._process_files(files)
            for item in others:
                await self._process_other(item)
        except asyncio.CancelledError:
            raise
        except Exception as error:
            log.exception("a batch failed")
            await self._fail([(item, f"{type(error).__name__}: {error}") for item in leased])
        finally:
            self._slots.release()
            self.wake()  # for what failed and waits for its retry, or was asked for again
            touched = {item.checkout_id for item in leased if item.checkout_id}
            await self.refresh_behind(touched)

    async def _process_other(self, item: Leased) -> None:
        handler = self.handlers.get(item.item_type)
        try:
            if handler is None:
                raise SurveyorError(f"nothing here handles items of type {item.item_type!r}")
            await handler(item)
        except Exception as error:
            log.warning("%s %s failed: %s", item.item_type, item.queue_id, error)
            await self._fail([(item, f"{type(error).__name__}: {error}")])
        else:
            async with self.state.transaction() as tx:
                await queue.finish(tx, [item.queue_id])

    async def _process_files(self, items: list[Leased]) -> None:
        by_checkout: dict[str, list[Leased]] = defaultdict(list)
        for item in items:
            by_checkout[item.checkout_id or ""].append(item)
        for checkout_id, group in by_checkout.items():
            checkout = await self._find_checkout(checkout_id)
            if checkout is None:
                async with self.state.transaction() as tx:
                    await queue.finish(tx, [item.queue_id for item in group])
                continue
            await self._wait_for_git(checkout)
            jobs = [
                FileJob(checkout.root, item.payload["relative_path"], checkout.project_id)
                for item in group
            ]
            outcomes = await self.pool.run(jobs)
            async with self.committing:
                await self._commit(checkout, group, outcomes)

    async def _wait_for_git(self, checkout: _Checkout) -> None:
        """While git rewrites the working tree, reading it would mix two branches."""
        if checkout.git_dir is None:
            return
        lock = checkout.git_dir / "index.lock"
        deadline = time.monotonic() + GIT_LOCK_SECONDS
        while lock.exists() and time.monotonic() < deadline:
            await asyncio.sleep(0.02)

    # --- committing -----------------------------------------------------------------------

    async def _commit(
        self, checkout: _Checkout, items: list[Leased], outcomes: list[Outcome]
    ) -> None:
        outcomes = await self._reparse_vanished(checkout, items, outcomes)
        new = [
            NewDocument(
                checkout.project_id,
                item.payload["relative_path"],
                outcome,
                catalog.point_ids(
                    checkout.project_id, item.payload["relative_path"], outcome.vectors
                ),
            )
            for item, outcome in zip(items, outcomes, strict=True)
            if outcome.status == "parsed"
        ]
        started = time.perf_counter()
        await self._upsert(checkout, new)
        self.timings["upsert"] += time.perf_counter() - started
        started = time.perf_counter()
        committed = await self._write_rows(checkout, items, outcomes, new)
        self.timings["rows"] += time.perf_counter() - started
        await self.sweep_dead_points(checkout.project_id)
        for outcome in outcomes:
            for stage in ("read", "parse", "sparse", "dense"):
                self.timings[stage] += getattr(outcome.timing, stage)
        for hook in self.commit_hooks:
            try:
                await hook(committed)
            except Exception:
                log.exception("a room failed to follow a commit")

    async def _reparse_vanished(
        self, checkout: _Checkout, items: list[Leased], outcomes: list[Outcome]
    ) -> list[Outcome]:
        """A document that the worker saw may have been dropped since: parse it after all.

        So is one whose vectors another model made, which was replaced meanwhile.
        """
        result = list(outcomes)
        for index, (item, outcome) in enumerate(zip(items, outcomes, strict=True)):
            path = item.payload["relative_path"]
            if outcome.vectors and outcome.model != self.model.fingerprint:
                job = FileJob(checkout.root, path, checkout.project_id, parse_known=True)
                (result[index],) = await self.pool.run([job])
            if outcome.status != "known":
                continue
            present = await self.state.value(
                "SELECT 1 FROM documents WHERE project_id = ? AND path = ? AND content_hash = ?",
                (checkout.project_id, path, outcome.content_hash),
            )
            if not present:
                job = FileJob(checkout.root, path, checkout.project_id, parse_known=True)
                (result[index],) = await self.pool.run([job])
        return result

    async def _upsert(self, checkout: _Checkout, new: list[NewDocument]) -> None:
        ids = [point_id for document in new for point_id in document.point_ids]
        if not ids:
            return
        present: set[str] = set()
        for part in catalog.batches(ids):
            rows = await self.state.read(
                f"SELECT point_id FROM chunks WHERE point_id IN ({catalog.marks(part)})", part
            )
            present.update(str(row[0]) for row in rows)
        points = [
            point
            for document in new
            for point in self._points(checkout, document)
            if point.id not in present
        ]
        space = self.space(checkout.project_id)
        for start in range(0, len(points), UPSERT_POINTS):
            await self.on_store(self.vectors.upsert, space, points[start : start + UPSERT_POINTS])
        if points:
            await self._wrote(space, len(points))

    def space(self, project_id: str) -> Space:
        """Where a project's points live."""
        return Space("projects", project_id, self.model.fingerprint, self.model.dimension)

    def _points(self, checkout: _Checkout, document: NewDocument) -> Iterable[Point]:
        parsed = document.parsed
        for point_id, chunk, vector in zip(
            document.point_ids, parsed.chunks, document.outcome.vectors, strict=True
        ):
            yield Point(
                id=point_id,
                dense=dense_of(vector),
                sparse=sparse_of(vector),
                payload=payload_of(
                    checkout.project_id,
                    checkout.name,
                    document.path,
                    parsed.file_type,
                    parsed.language,
                    chunk,
                ),
            )

    async def _write_rows(
        self,
        checkout: _Checkout,
        items: list[Leased],
        outcomes: list[Outcome],
        new: list[NewDocument],
    ) -> Committed:
        run = self.runs.get(checkout.checkout_id)
        documents = iter(new)
        done: list[str] = []
        failures: list[tuple[Leased, str]] = []
        changed: list[str] = []
        removed: list[str] = []
        added: list[int] = []
        outdated: list[int] = []
        async with self.state.transaction() as tx:
            for item, outcome in zip(items, outcomes, strict=True):
                path = str(item.payload["relative_path"])
                old: int | None = None
                if outcome.status == "failed":
                    failures.append((item, f"{path}: {outcome.detail or outcome.reason}"))
                    continue
                if outcome.status == "missing":
                    old = await catalog.remove_file(tx, checkout.checkout_id, path)
                    removed.append(path)
                elif outcome.status == "skipped":
                    old = await catalog.set_file(tx, checkout.checkout_id, path, outcome, None)
                elif outcome.status == "known":
                    doc_id = await catalog.find_document(
                        tx, checkout.project_id, path, outcome.content_hash
                    )
                    old = await catalog.set_file(tx, checkout.checkout_id, path, outcome, doc_id)
                    if old is not None:
                        changed.append(path)
                        if doc_id is not None:
                            added.append(doc_id)
                else:
                    document = next(documents)
                    doc_id = await catalog.insert_document(
                        tx, document, self.model.fingerprint, self.version
                    )
                    for hook in self.document_hooks:
                        await hook(tx, checkout.project_id, doc_id, path, document.parsed)
                    old = await catalog.set_file(tx, checkout.checkout_id, path, outcome, doc_id)
                    changed.append(path)
                    added.append(doc_id)
                if old is not None:
                    outdated.append(old)
                done.append(item.queue_id)
                _count(run, outcome, path)
            dropped = await catalog.drop_unused(tx, outdated)
            given_up = await queue.fail(tx, failures)
            for item in given_up:
                path = str(item.payload["relative_path"])
                why = next(text for failed, text in failures if failed is item)
                bad = Outcome("failed", reason="failed", detail=why)
                await catalog.set_file(tx, checkout.checkout_id, path, bad, None)
                if run is not None:
                    run.failed += 1
                    run.done += 1
                    run.error(why)
            await queue.finish(tx, done)
            await tx.execute(
                "UPDATE checkouts SET revision = revision + 1 WHERE checkout_id = ?",
                (checkout.checkout_id,),
            )
        return Committed(
            checkout_id=checkout.checkout_id,
            project_id=checkout.project_id,
            root=checkout.root,
            changed=tuple(changed),
            removed=tuple(removed),
            added_documents=tuple(added),
            dropped_documents=tuple(dropped),
        )

    async def sweep_dead_points(self, project_id: str | None = None) -> None:
        """Delete outdated points from the store; what a kill left over goes at the next start."""
        where, parameters = ("WHERE project_id = ?", (project_id,)) if project_id else ("", ())
        rows = await self.state.read(f"SELECT * FROM dead_points {where}", parameters)
        by_project: dict[str, list[str]] = defaultdict(list)
        for row in rows:
            by_project[str(row["project_id"])].append(str(row["point_id"]))
        for owner, ids in by_project.items():
            for space in (self.space(owner), *self.old_spaces(owner)):
                await self.on_store(self.vectors.delete, space, ids)
                await self._wrote(space, len(ids))
            async with self.state.transaction() as tx:
                await tx.many(
                    "DELETE FROM dead_points WHERE project_id = ? AND point_id = ?",
                    [(owner, point_id) for point_id in ids],
                )

    async def _fail(self, failures: list[tuple[Leased, str]]) -> None:
        async with self.state.transaction() as tx:
            await queue.fail(tx, failures)

    async def _checkout(self, checkout_id: str) -> _Checkout:
        found = await self._find_checkout(checkout_id)
        if found is None:
            raise SurveyorError(f"no such checkout: {checkout_id}")
        return found

    async def _find_checkout(self, checkout_id: str) -> _Checkout | None:
        if checkout_id in self._checkouts:
            return self._checkouts[checkout_id]
        row = await self.state.one(
            "SELECT c.checkout_id, c.project_id, c.root, p.name FROM checkouts c"
            " JOIN projects p USING (project_id) WHERE c.checkout_id = ?",
            (checkout_id,),
        )
        if row is None:
            return None
        from surveyor.project import describe

        info = await asyncio.to_thread(describe, Path(row["root"]))
        checkout = _Checkout(
            row["checkout_id"], row["project_id"], row["root"], row["name"], info.git_dir
        )
        self._checkouts[checkout_id] = checkout
        return checkout


def payload_of(
    project_id: str, name: str, path: str, file_type: str, language: str | None, chunk: Chunk
) -> dict[str, Any]:
    """A point's payload: seed 000's fields, without those that say where the chunk is now."""
    return {
        "project_id": project_id,
        "project_name": name,
        "file_path": path,
        "file_type": file_type,
        "language": language or "",
        "chunk_type": chunk.kind,
        "symbol_name": chunk.symbol_name,
        "symbol_kind": chunk.symbol_kind,
        "parent_symbol": chunk.parent_symbol,
        "symbols": list(chunk.symbols),
        "is_fragment": chunk.is_fragment,
    }


def dense_of(vector: Embedded) -> np.ndarray:
    """The dense vector as float32."""
    return np.frombuffer(vector.dense, dtype=np.float16).astype(np.float32)


def sparse_of(vector: Embedded) -> Sparse:
    """The sparse vector."""
    return Sparse(
        tuple(np.frombuffer(vector.indices, dtype=np.uint32).tolist()),
        tuple(np.frombuffer(vector.values, dtype=np.float32).tolist()),
    )


def file_item(checkout_id: str, project_id: str, root: str, path: str, op: str) -> Item:
    """A queue item for one file (seed 000, "file")."""
    return Item(
        item_type="file",
        op=op,
        tenant_id=project_id,
        collection="projects",
        checkout_id=checkout_id,
        payload={"file_path": os.path.join(root, path), "relative_path": path},  # noqa: PTH118
    )


def _file_item(checkout: _Checkout, path: str, op: str) -> Item:
    return file_item(checkout.checkout_id, checkout.project_id, checkout.root, path, op)


def _count(run: Run | None, outcome: Outcome, path: str) -> None:
    if run is None:
        return
    run.done += 1
    if outcome.status == "parsed":
        assert outcome.parsed is not None
        run.indexed += 1
        run.chunks += len(outcome.parsed.chunks)
        run.embedded += len({v.text_hash for v in outcome.vectors if v.body is not None})
        for problem in outcome.parsed.problems:
            run.error(f"{path}: {problem}")
    elif outcome.status == "known":
        run.indexed += 1
    elif outcome.status == "missing":
        run.removed += 1
    else:
        run.skipped += 1
