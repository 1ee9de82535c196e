"""Committing outcomes: points into the store, then rows in one transaction, then the dead go.

Any step can be killed and repeated. Points are in the store's write-ahead log before the
transaction; the log is flushed when it has grown or nothing is left to do, because a flush costs as
much as a thousand points (docs/decisions/0002-flush.md).
"""

from __future__ import annotations

import asyncio
import logging
import os
import time
from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from surveyor.embedding.embedded import dense_of, sparse_of
from surveyor.engine.index import catalog
from surveyor.engine.index.catalog import NewDocument, file_change
from surveyor.engine.index.disk_room import DiskRoom
from surveyor.engine.index.points import payload_of
from surveyor.engine.index.runs import IndexRun
from surveyor.engine.process.store_executor import OnStore
from surveyor.errors import DiskFullError
from surveyor.parsing.types import ParsedFile
from surveyor.secrets.masking import PARTS_MASKED
from surveyor.store.state import State, Transaction, documents, files, projects, queue
from surveyor.store.state.queue import LeasedItem
from surveyor.store.vectors.contract import Point, Space, VectorStore
from surveyor.worker.messages import BROKEN, KILLED, FileJob, Outcome
from surveyor.worker.pool import WorkerPool

AGAIN = "again"
"""In a file's payload: it is made anew although it has not changed. What is there of it answers
until then."""

log = logging.getLogger(__name__)

UPSERT_POINTS = 64
"""Points per call into the store, which holds the interpreter lock meanwhile."""
INNOCENT_KILLS = 2
"""So many workers may be killed at one file before it is set aside: the system kills what has most
memory, and that may be somebody else's need."""
FLUSH_POINTS = 12_288
"""Points and deletions after which a space is flushed: some 30 MB of write-ahead log."""


@dataclass(frozen=True, slots=True)
class CommittedBatch:
    """The paths and documents that one committed batch has changed in a checkout."""

    checkout_id: str
    project_id: str
    root: str
    changed: tuple[str, ...]
    removed: tuple[str, ...]
    added_documents: tuple[int, ...]
    dropped_documents: tuple[int, ...]


class DocumentHook(Protocol):
    """Called inside the transaction with a batch's documents, to store what else they hold."""

    def __call__(
        self, tx: Transaction, project_id: str, documents: Sequence[tuple[int, str, ParsedFile]]
    ) -> Awaitable[None]:
        """Write what the room keeps of documents: (id, path, what the file contributes)."""


CommitHook = Callable[[CommittedBatch], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class PointModel:
    """The embedding model that points are made with."""

    fingerprint: str
    dimension: int
    is_remembered: bool = True
    """Whether its vectors are kept by their texts."""


@dataclass(slots=True)
class CheckoutFolder:
    """A checkout as committing sees it."""

    checkout_id: str
    project_id: str
    root: str
    name: str
    git_dir: Path | None


@dataclass(slots=True, kw_only=True)
class Committer:
    """Writes what the workers made of files."""

    state: State
    vectors: VectorStore
    on_store: OnStore
    pool: WorkerPool
    disk_room: DiskRoom
    model: PointModel
    version: str
    """Of the index: what it was made with."""
    old_spaces: Callable[[str], Sequence[Space]] = field(default=lambda _: ())
    """Spaces of earlier models that still answer for a project."""
    document_hooks: list[DocumentHook] = field(default_factory=list)
    commit_hooks: list[CommitHook] = field(default_factory=list)
    runs: Mapping[str, IndexRun] = field(default_factory=dict)
    """By checkout: where it is counted what became of files."""
    timings: dict[str, float] = field(default_factory=lambda: defaultdict(float))
    committing: asyncio.Lock = field(default_factory=asyncio.Lock)
    on_unseen: Callable[[str, Mapping[str, str]], object] = field(default=lambda *_: None)
    """Called with a checkout and its files (and why) of which nothing could be learned."""
    _unflushed: dict[Space, int] = field(default_factory=dict)

    @property
    def has_unflushed(self) -> bool:
        """Whether something was written that a power cut could take."""
        return bool(self._unflushed)

    def use(self, *, model: PointModel | None = None, version: str | None = None) -> None:
        """Make points with another model, or by another version, from now on."""
        self.model = model or self.model
        self.version = version or self.version

    async def commit(
        self, checkout: CheckoutFolder, items: list[LeasedItem], outcomes: list[Outcome]
    ) -> None:
        """Write a batch of one checkout; to be called with `committing` held."""
        outcomes = await self._reparse_vanished(checkout, items, outcomes)
        new = [
            NewDocument(
                checkout.project_id,
                item.payload["relative_path"],
                outcome,
                catalog.point_ids(
                    checkout.project_id, item.payload["relative_path"], outcome.vectors
                ),
                anew=bool(item.payload.get(AGAIN)),
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
        self, checkout: CheckoutFolder, items: list[LeasedItem], outcomes: list[Outcome]
    ) -> list[Outcome]:
        """A document that the worker saw, or a point, may have been dropped since: parse it after
        all.

        So is one that was read by settings, or whose vectors a model made, that were replaced
        meanwhile.
        """
        result = list(outcomes)
        for index, (item, outcome) in enumerate(zip(items, outcomes, strict=True)):
            path = item.payload["relative_path"]
            if (outcome.vectors and outcome.model != self.model.fingerprint) or (
                outcome.version and outcome.version != self.version
            ):
                job = FileJob(checkout.root, path, checkout.project_id, parse_known=True)
                (result[index],) = await self.pool.run([job])
            if any(vector.is_kept for vector in result[index].vectors):
                ids = catalog.point_ids(checkout.project_id, path, result[index].vectors)
                there = await documents.points_of_version(self.state, self.version, ids)
                if any(
                    vector.is_kept and point_id not in there
                    for vector, point_id in zip(result[index].vectors, ids, strict=True)
                ):
                    job = FileJob(checkout.root, path, checkout.project_id, parse_known=True)
                    (result[index],) = await self.pool.run([job])
            if outcome.status != "known":
                continue
            if not await documents.has_document(
                self.state, checkout.project_id, path, outcome.content_hash
            ):
                job = FileJob(checkout.root, path, checkout.project_id, parse_known=True)
                (result[index],) = await self.pool.run([job])
        return result

    async def _upsert(self, checkout: CheckoutFolder, new: list[NewDocument]) -> None:
        if not new:
            return
        # A point's id has project, path and text in it: only a known path can have it already.
        paths = await documents.known_paths(
            self.state, checkout.project_id, [document.path for document in new]
        )
        ids = [
            point_id
            for document in new
            if document.path in paths and not document.anew
            for point_id in document.point_ids
        ]
        # A point of another version is written again: its weights or payload may differ.
        present = await documents.points_of_version(self.state, self.version, ids)
        points = [point for document in new for point in self._points(checkout, document, present)]
        space = self.space(checkout.project_id)
        for start in range(0, len(points), UPSERT_POINTS):
            if not self.disk_room.has_room():
                raise DiskFullError("the disk is nearly full")
            await self.on_store(self.vectors.upsert, space, points[start : start + UPSERT_POINTS])
        if points:
            await self._wrote(space, len(points))

    def space(self, project_id: str) -> Space:
        """Where a project's points live."""
        return Space("projects", project_id, self.model.fingerprint, self.model.dimension)

    def _points(
        self, checkout: CheckoutFolder, document: NewDocument, present: set[str]
    ) -> Iterable[Point]:
        parsed = document.parsed
        for point_id, chunk, vector in zip(
            document.point_ids, parsed.chunks, document.outcome.vectors, strict=True
        ):
            if point_id in present:
                continue
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
                    self.vectors.payload_fields,
                ),
            )

    async def _write_rows(
        self,
        checkout: CheckoutFolder,
        items: list[LeasedItem],
        outcomes: list[Outcome],
        new: list[NewDocument],
    ) -> CommittedBatch:
        run = self.runs.get(checkout.checkout_id)
        done: list[str] = []
        failures: list[tuple[LeasedItem, str]] = []
        changed: list[str] = []
        removed: list[str] = []
        added: list[int] = []
        outdated: list[int] = []
        unseen: dict[str, str] = {}
        async with self.state.transaction() as tx:
            ids = await catalog.insert_documents(tx, new, self.model.fingerprint, self.version)
            stored = [
                (doc_id, each.path, each.parsed) for doc_id, each in zip(ids, new, strict=True)
            ]
            for hook in self.document_hooks:
                await hook(tx, checkout.project_id, stored)
            inserted = iter(ids)
            known = await documents.find_documents(
                tx,
                checkout.project_id,
                [
                    (str(item.payload["relative_path"]), outcome.content_hash)
                    for item, outcome in zip(items, outcomes, strict=True)
                    if outcome.status == "known"
                ],
            )
            chunks = await documents.count_chunks(tx, list(known.values()))
            changes: list[tuple[str, Outcome, int | None]] = []
            for item, outcome in zip(items, outcomes, strict=True):
                path = str(item.payload["relative_path"])
                if _is_set_aside(item, outcome):
                    outcome = _aside(checkout, path, outcome)
                    if run is not None:
                        run.error(f"{path}: {outcome.detail}; set aside until it changes")
                elif outcome.status == "failed":
                    failures.append((item, f"{path}: {outcome.detail or outcome.reason}"))
                    continue
                if outcome.status == "unseen":  # it may be there as it was: its row stays
                    unseen[path] = outcome.detail
                    done.append(item.queue_id)
                    if run is not None:
                        run.became(path, "skipped")
                    continue
                doc_id: int | None = None
                if outcome.status == "parsed":
                    doc_id = next(inserted)
                elif outcome.status == "known":
                    doc_id = known.get((path, outcome.content_hash))
                changes.append((path, outcome, doc_id))
                done.append(item.queue_id)
                _count(run, outcome, path, chunks.get(doc_id or 0, 0))
            before = await files.set_files(
                tx, checkout.checkout_id, [file_change(*change) for change in changes]
            )
            for (path, outcome, doc_id), old in zip(changes, before, strict=True):
                if outcome.status == "missing":
                    removed.append(path)
                elif outcome.status == "parsed" or (outcome.status == "known" and old is not None):
                    changed.append(path)
                    if doc_id is not None:
                        added.append(doc_id)
                if old is not None:
                    outdated.append(old)
            dropped = await documents.drop_unused(tx, outdated)
            await self._give_up(tx, failures)
            await files.note_unseen(tx, checkout.checkout_id, unseen)
            await queue.finish(tx, done)
            await projects.raise_revision(tx, checkout.checkout_id)
        if unseen:
            self.on_unseen(checkout.checkout_id, unseen)
        return CommittedBatch(
            checkout_id=checkout.checkout_id,
            project_id=checkout.project_id,
            root=checkout.root,
            changed=tuple(changed),
            removed=tuple(removed),
            added_documents=tuple(added),
            dropped_documents=tuple(dropped),
        )

    async def fail(self, failures: Sequence[tuple[LeasedItem, str]]) -> None:
        """Note errors of items. Files that have been tried often enough count as failed."""
        async with self.state.transaction() as tx:
            await self._give_up(tx, failures)

    async def _give_up(self, tx: Transaction, failures: Sequence[tuple[LeasedItem, str]]) -> None:
        for item in await queue.fail(tx, failures):
            if item.item_type != "file" or item.checkout_id is None:
                continue
            path = str(item.payload["relative_path"])
            why = next(text for failed, text in failures if failed is item)
            bad = Outcome("failed", reason="failed", detail=why)
            await files.set_files(tx, item.checkout_id, [file_change(path, bad, None)])
            run = self.runs.get(item.checkout_id)
            if run is not None:
                run.became(path, "failed")
                run.error(why)

    async def sweep_dead_points(self, project_id: str | None = None) -> None:
        """Delete outdated points from the store; what a kill left over goes at the next start."""
        by_project = await documents.dead_points(self.state, project_id)
        for owner, ids in by_project.items():
            for space in (self.space(owner), *self.old_spaces(owner)):
                await self.on_store(self.vectors.delete, space, ids)
                await self._wrote(space, len(ids))
            async with self.state.transaction() as tx:
                await documents.forget_dead(tx, owner, ids)

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


def _is_set_aside(item: LeasedItem, outcome: Outcome) -> bool:
    """Whether a file has cost a worker by itself, or several when others may have ended them."""
    if outcome.status != "failed":
        return False
    killed = outcome.reason == KILLED and item.retry_count >= INNOCENT_KILLS
    return outcome.reason == BROKEN or killed


def _aside(checkout: CheckoutFolder, path: str, outcome: Outcome) -> Outcome:
    """The outcome of a file that is not looked at again until its size or time changes."""
    try:
        status = os.stat(f"{checkout.root}/{path}")  # noqa: PTH116 - one of a batch
    except OSError:
        return Outcome("missing")
    return Outcome(
        "skipped",
        size=status.st_size,
        mtime_ns=status.st_mtime_ns,
        reason=BROKEN,
        detail=outcome.detail,
    )


def _count(run: IndexRun | None, outcome: Outcome, path: str, known_chunks: int) -> None:
    if run is None:
        return
    if outcome.parsed is not None:
        embedded = len({v.text_hash for v in outcome.vectors if v.is_new})
        run.became(path, "indexed", len(outcome.parsed.chunks), embedded, outcome.size)
        for problem in outcome.parsed.problems:
            if problem != PARTS_MASKED:
                run.error(f"{path}: {problem}")
    elif outcome.status == "known":
        run.became(path, "indexed", known_chunks, size=outcome.size)
    else:
        missing = outcome.status == "missing"
        run.became(path, "removed" if missing else "skipped", size=outcome.size)
