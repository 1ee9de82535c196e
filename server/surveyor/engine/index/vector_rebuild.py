"""Making points again from what SQLite holds: after damage, and for another model.

One mechanism for both: compare the points that a project should have with those of its space,
delete the superfluous, embed the missing from the stored texts. While another model's points are
being made, the old space still answers; it is dropped when the new one is complete.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import math
import time
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from msgspec import structs

from surveyor.embedding.embedded import dense_of, sparse_of
from surveyor.engine.index.commit import Committer, PointModel
from surveyor.engine.index.points import payload_of
from surveyor.engine.index.vector_diff import Difference, VectorDiff
from surveyor.engine.process.store_executor import OnStore
from surveyor.parsing.types import Chunk
from surveyor.search.lacking import LackingPoints
from surveyor.store.state import State, documents, projects
from surveyor.store.vectors.contract import (
    Point,
    Space,
    StoreDamagedError,
    StoreError,
    StoreUnreachableError,
    VectorStore,
)
from surveyor.worker.messages import ChunksJob, Outcome
from surveyor.worker.pool import NoWorkerError, WorkerPool

log = logging.getLogger(__name__)

DOCUMENTS_AT_ONCE = 16
PAUSE_S = 0.005
"""Between batches, so that fresh edits and queries come first."""
RETRY_S = 10.0
"""A space that could not be opened is let alone for so long by those who search."""
UNKNOWN = "they are made again in the background"
COUNT_PAUSE_S = 0.1
"""Between two spaces that are opened to be counted: each takes the interpreter for 50 ms and more,
and those who wait for an engine that has just started come first."""


@dataclass(slots=True)
class RebuildProgress:
    """Progress of one project's points."""

    project_id: str
    total: int
    expected: int
    """Points that the project is to have, those that were there before included."""
    left: dict[int, set[str]] = field(default_factory=dict)
    """Points that are not made yet, by document."""

    @property
    def missing(self) -> int:
        """How many are not made yet."""
        return sum(map(len, self.left.values()))

    @property
    def share(self) -> float:
        """From 0 to 1."""
        return 1 - self.missing / self.total if self.total else 1.0


@dataclass(frozen=True, slots=True)
class FailedPoints:
    """Points of one project that could not be made."""

    by_document: Mapping[int, int]
    """How many, by document."""
    why: str
    expected: int
    """Points that the project should have."""

    @property
    def points(self) -> int:
        """How many there are."""
        return sum(self.by_document.values())


@dataclass(frozen=True, slots=True)
class _Count:
    """Points of a project as they were counted: how many there are and should be."""

    present: int
    expected: int
    why: str
    """Why there are fewer."""
    until: float = math.inf
    """By the monotonic clock: until when that is taken for so."""


class VectorRebuilder:
    """Keeps every project's points complete for the model in use."""

    def __init__(
        self,
        state: State,
        vectors: VectorStore,
        on_store: OnStore,
        committer: Committer,
        pool: WorkerPool,
    ) -> None:
        self._state = state
        self._vectors = vectors
        self._on_store = on_store
        self._committer = committer
        self._pool = pool
        self._diff = VectorDiff(state, vectors, on_store)
        self._running: dict[str, RebuildProgress] = {}
        self._old: dict[str, list[Space]] = {}
        self._whole: set[str] = set()
        """Projects whose points are known to be all there."""
        self._short: dict[str, _Count] = {}
        """Projects with fewer points than they should have, not yet looked at since."""
        self._why: dict[str, str] = {}
        """Why points are made again, by project, until they are."""
        self._uncounted: dict[str, int] = {}
        """Chunks of projects whose points this engine has not counted yet."""
        self.failed: dict[str, FailedPoints] = {}
        """Projects some of whose points could not be made. The next start tries again, and so
        does `doctor --repair`."""

    async def expect(self) -> None:
        """Note what is to be counted: until it was, nobody knows whether points are missing."""
        self.doubt()
        self._uncounted = await documents.chunks_by_project(self._state)

    async def count(self) -> None:
        """Find projects that have lost points, before all are compared one by one.

        Raises `StoreUnreachableError`.
        """
        for project_id in list(self._uncounted):
            await self._count(project_id)
            await asyncio.sleep(COUNT_PAUSE_S)

    async def _count(self, project_id: str) -> None:
        """Find out whether a project has all its points. Raises `StoreUnreachableError`."""
        space = self._committer.space(project_id)
        chunks = await documents.chunk_count(self._state, project_id)
        why, until = "", math.inf
        try:
            present = await self._on_store(self._vectors.count, space)
            if present < chunks:
                why = await self._on_store(self._vectors.why_absent, space)
        except StoreUnreachableError:
            raise
        except StoreDamagedError:  # said when it is asked
            self._uncounted.pop(project_id, None)
            return
        except StoreError as error:
            present, why, until = 0, error.sentence, time.monotonic() + RETRY_S
        # Documents may share points; telling them apart takes twenty times as long.
        expected = chunks
        if present < chunks:
            expected = await documents.count_points(self._state, project_id)
        if present < expected:
            self._short[project_id] = _Count(present, expected, why, until)
        else:
            self._whole.add(project_id)
            self._short.pop(project_id, None)
        self._uncounted.pop(project_id, None)

    def doubt(self) -> None:
        """Something may have been lost: who asks next counts."""
        self._whole.clear()

    def is_whole(self, project_id: str) -> bool:
        """Whether all points of a project are known to be there."""
        return project_id in self._whole

    async def lacking(self, project_id: str) -> LackingPoints | None:
        """What is not there of a project's points, counted where nobody has; None where all is,
        or another model's points answer, or the store does not say."""
        if self.is_whole(project_id) or self.old_spaces(project_id):
            return None
        short = self._short.get(project_id)
        known = project_id in self._running or project_id in self.failed
        if not known and (short is None or short.until < time.monotonic()):
            try:
                await self._count(project_id)
            except StoreUnreachableError:  # said by the one who asks it
                return None
        return self.known_lacking(project_id)

    def known_lacking(self, project_id: str) -> LackingPoints | None:
        """The same, of what is known without asking the store."""
        if (remake := self.progress(project_id)) is not None:
            here = frozenset(remake.left)
            return LackingPoints(remake.missing, remake.expected, self._reason(project_id), here)
        if (failed := self.failed.get(project_id)) is not None:
            why = f"they could not be embedded ({failed.why})"
            return LackingPoints(failed.points, failed.expected, why, frozenset(failed.by_document))
        if (short := self._short.get(project_id)) is not None:
            missing = short.expected - short.present
            return LackingPoints(missing, short.expected, self._reason(project_id))
        return None

    def _reason(self, project_id: str) -> str:
        short = self._short.get(project_id)
        why = self._why.get(project_id) or (short.why if short is not None else "")
        if short is not None and short.until < math.inf:
            return why.rstrip(".")
        return f"{why}, and {UNKNOWN}" if why else UNKNOWN

    def is_uncounted(self, project_id: str) -> bool:
        """Whether nobody knows yet that a project's points are all there."""
        return project_id in self._uncounted

    def is_short(self, project_id: str) -> bool:
        """Whether points are known to be missing, though nobody makes them yet."""
        short = self._short.get(project_id)
        return short is not None and short.until == math.inf

    def progress(self, project_id: str) -> RebuildProgress | None:
        """What is being made for a project, if anything."""
        return self._running.get(project_id)

    def reembedding(self, project_id: str) -> float | None:
        """Share of a project's points made so far, while they are made again or wait for it."""
        progress = self.progress(project_id)
        if progress is not None:
            return progress.share
        waits = self.old_spaces(project_id) and project_id not in self.failed
        return 0.0 if waits or self.is_short(project_id) else None

    def old_spaces(self, project_id: str) -> list[Space]:
        """Spaces of earlier models that still answer."""
        return self._old.get(project_id, [])

    def keep_answering(self, projects: Iterable[str], model: PointModel) -> None:
        """Another model is about to be used: what was made so far answers until its points are."""
        for project_id in projects:
            spaces = [*self.old_spaces(project_id), self._committer.space(project_id)]
            self._old[project_id] = [s for s in spaces if s.model != model.fingerprint]

    def rename_project(self, old: str, new: str) -> None:
        """A project's id changed, and its spaces with it."""
        self._whole.discard(old)
        for known in (self._short, self._why):
            known.pop(old, None)
        if old in self._uncounted:
            self._uncounted[new] = self._uncounted.pop(old)
        if old in self._old:
            self._old[new] = [replace(space, tenant=new) for space in self._old.pop(old)]
        if old in self.failed:
            self.failed[new] = self.failed.pop(old)
        if old in self._running:
            self._running[new] = self._running.pop(old)
            self._running[new].project_id = new

    async def reconcile_all(self) -> None:
        """Look at every project, one after another; once more when a store that left is back."""
        with contextlib.suppress(StoreUnreachableError):
            await self._reconcile_all()

    async def _reconcile_all(self) -> None:
        self.doubt()
        async with self._committer.committing:  # no project comes, goes or changes its id meanwhile
            known = set(await projects.project_ids(self._state))
            spaces = await self._on_store(self._vectors.spaces)
            for space in spaces:
                if space.collection == "projects" and space.tenant not in known:
                    await self._on_store(self._vectors.drop, space)
            for project_id in sorted(known):
                current = self._committer.space(project_id)
                old = [
                    s
                    for s in spaces
                    if s.collection == "projects" and s.tenant == project_id and s != current
                ]
                self._old.pop(project_id, None)
                if old:
                    self._old[project_id] = old
        for project_id in sorted(known):
            try:
                await self.reconcile(project_id)
            except StoreUnreachableError:
                raise
            except StoreError as error:  # one damaged shard leaves the others theirs
                log.warning("%s: %s", project_id, error.message)

    async def compare(self, project_id: str) -> tuple[int, int]:
        """How many of a project's points are missing and superfluous."""
        found = await self._differing(project_id)
        some = [*found.missing, *found.superfluous]
        async with self._committer.committing:
            expected = await self._diff.expected_of(project_id, some)
            present = await self._diff.present_of(self._committer.space(project_id), some)
        return len(expected.keys() - present), len(present - expected.keys())

    async def _differing(self, project_id: str) -> Difference:
        async with self._committer.committing:
            await self._committer.sweep_dead_points(project_id)
        return await self._diff.differing(self._committer.space(project_id))

    async def reconcile(self, project_id: str) -> tuple[int, int]:
        """Make a project's points complete; returns how many were missing and superfluous."""
        space = self._committer.space(project_id)
        found = await self._differing(project_id)
        async with self._committer.committing:
            if not await projects.has_project(self._state, project_id):
                return 0, 0
            expected = await self._diff.expected_of(project_id, found.superfluous)
            superfluous = sorted(found.superfluous - expected.keys())
            if superfluous:
                await self._on_store(self._vectors.delete, space, superfluous)
        missing = found.missing
        if missing:
            self._why[project_id] = await self._on_store(self._vectors.why_absent, space)
        else:
            self._whole.add(project_id)
            self._why.pop(project_id, None)
        self._short.pop(project_id, None)
        self._uncounted.pop(project_id, None)
        points_by_document: dict[int, set[str]] = defaultdict(set)
        for point_id, doc_id in missing.items():
            points_by_document[doc_id].add(point_id)
        if points_by_document:
            log.info("%s: %d points have to be made", project_id, len(missing))
            project_id = await self._make(project_id, space, points_by_document, found.expected)
        else:
            self.failed.pop(project_id, None)
        if project_id in self.failed or self._committer.model.fingerprint != space.model:
            # What was made before answers for what is missing. Where yet another model was chosen
            # meanwhile, its own look at all projects is under way.
            return len(missing), len(superfluous)
        for old in self._old.pop(project_id, []):
            log.info("dropping points of an earlier model of %s", project_id)
            await self._on_store(self._vectors.drop, old)
        return len(missing), len(superfluous)

    async def _make(
        self,
        project_id: str,
        space: Space,
        points_by_document: dict[int, set[str]],
        expected: int,
    ) -> str:
        """Make points of these documents; returns the project's id, which may have changed."""
        remake = RebuildProgress(
            project_id,
            total=sum(map(len, points_by_document.values())),
            expected=expected,
            left=dict(points_by_document),
        )
        self._running[project_id] = remake
        try:
            failed = await self._make_all(space, points_by_document, remake)
            if failed:  # a worker that was lost costs one file: once more, by themselves
                again = {doc_id: points_by_document[doc_id] for doc_id in failed}
                failed = await self._make_all(space, again, remake)
            here = replace(space, tenant=remake.project_id)
            await self._on_store(self._vectors.flush, here)
        finally:
            self._running.pop(remake.project_id, None)
        self.failed.pop(remake.project_id, None)
        if failed:
            lost = {doc_id: len(points_by_document[doc_id]) for doc_id in failed}
            why = next(iter(failed.values()))
            self.failed[remake.project_id] = FailedPoints(lost, why, expected)
        else:
            self._why.pop(remake.project_id, None)
        return remake.project_id

    async def _make_all(
        self, space: Space, points_by_document: dict[int, set[str]], remake: RebuildProgress
    ) -> dict[int, str]:
        """Make points by document; returns those that could not be, with the reason."""
        failed: dict[int, str] = {}
        ids = sorted(points_by_document)
        for start in range(0, len(ids), DOCUMENTS_AT_ONCE):
            batch = ids[start : start + DOCUMENTS_AT_ONCE]
            if self._committer.model.fingerprint != space.model:
                break
            bad = await self._make_batch(space, batch, points_by_document, remake)
            for doc_id in batch:
                if doc_id not in bad:
                    remake.left.pop(doc_id, None)
            failed |= bad
            await asyncio.sleep(PAUSE_S)
        return failed

    async def _make_batch(
        self,
        space: Space,
        batch: list[int],
        points_by_document: dict[int, set[str]],
        remake: RebuildProgress,
    ) -> dict[int, str]:
        failed: dict[int, str] = {}
        rows = await documents.stored_chunks(self._state, batch)
        wanted = [row for row in rows if row.point_id in points_by_document[row.doc_id]]
        by_path: dict[str, list[int]] = defaultdict(list)
        for index, row in enumerate(wanted):
            by_path[row.path].append(index)
        chunks = [Chunk(text=row.text, **structs.asdict(row.record)) for row in wanted]
        jobs = [
            ChunksJob(path, [chunks[index] for index in indexes])
            for path, indexes in by_path.items()
        ]
        try:
            outcomes = await self._pool.run(jobs)
        except NoWorkerError as error:
            outcomes = [Outcome("failed", detail=error.message)] * len(jobs)
        points: list[Point] = []
        remembered: list[documents.Vector] = []
        for indexes, outcome in zip(by_path.values(), outcomes, strict=True):
            if outcome.status != "embedded":
                log.warning("points could not be made: %s", outcome.detail)
                failed |= {wanted[index].doc_id: outcome.detail for index in indexes}
                continue
            if outcome.model != space.model:  # another one was chosen just now
                continue
            for index, vector in zip(indexes, outcome.vectors, strict=True):
                row = wanted[index]
                if vector.body is not None:
                    remembered.append((space.model, vector.text_hash, vector.body))
                points.append(
                    Point(
                        id=row.point_id,
                        dense=dense_of(vector),
                        sparse=sparse_of(vector),
                        payload=payload_of(
                            row.project_id,
                            row.project_name,
                            row.path,
                            row.file_type,
                            row.language,
                            chunks[index],
                            self._vectors.payload_fields,
                        ),
                    )
                )
        async with self._committer.committing:
            alive = await documents.points_of_documents(self._state, batch)
            still = {point_id for point_id, _ in alive}
            points = [point for point in points if point.id in still]
            if points:
                here = replace(space, tenant=remake.project_id)  # its id may have changed
                await self._on_store(self._vectors.upsert, here, points)
        async with self._state.transaction() as tx:
            await documents.add_vectors(tx, remembered)
        return failed
