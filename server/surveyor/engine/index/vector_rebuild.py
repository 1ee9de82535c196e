"""Making points again from what SQLite holds: after damage, and for another model.

One mechanism for both: compare the points that a project should have with those of its space,
delete the superfluous, embed the missing from the stored texts. While another model's points are
being made, the old space still answers; it is dropped when the new one is complete.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, replace

from msgspec import structs

from surveyor.embedding.embedded import dense_of, sparse_of
from surveyor.engine.index.commit import Committer, PointModel
from surveyor.engine.index.points import payload_of
from surveyor.engine.index.vector_diff import Difference, VectorDiff
from surveyor.engine.process.store_executor import OnStore
from surveyor.parsing.types import Chunk
from surveyor.store.state import State, documents, projects
from surveyor.store.vectors.contract import (
    Point,
    Space,
    StoreError,
    StoreUnreachableError,
    VectorStore,
)
from surveyor.worker.messages import ChunksJob
from surveyor.worker.pool import WorkerPool

log = logging.getLogger(__name__)

DOCUMENTS_AT_ONCE = 16
PAUSE_S = 0.005
"""Between batches, so that fresh edits and queries come first."""
COUNT_PAUSE_S = 0.1
"""Between two spaces that are opened to be counted: each takes the interpreter for 50 ms and more,
and those who wait for an engine that has just started come first."""


@dataclass(slots=True)
class RebuildProgress:
    """Progress of one project's points."""

    project_id: str
    total: int
    done: int = 0

    @property
    def share(self) -> float:
        """From 0 to 1."""
        return self.done / self.total if self.total else 1.0


@dataclass(frozen=True, slots=True)
class FailedPoints:
    """Points of one project that could not be made."""

    points: int
    why: str


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
        self._short: set[str] = set()
        """Projects with fewer points than they should have, not yet looked at since."""
        self._uncounted: dict[str, int] = {}
        """Chunks of projects whose points this engine has not counted yet."""
        self.failed: dict[str, FailedPoints] = {}
        """Projects some of whose points could not be made. The next start tries again, and so
        does `doctor --repair`."""

    async def expect(self) -> None:
        """Note what is to be counted: until it was, nobody knows whether points are missing."""
        self._uncounted = await documents.chunks_by_project(self._state)

    async def count(self) -> None:
        """Find projects that have lost points, before all are compared one by one.

        Raises `StoreUnreachableError`.
        """
        for project_id, chunks in list(self._uncounted.items()):
            space = self._committer.space(project_id)
            try:
                present = await self._on_store(self._vectors.count, space)
            except StoreUnreachableError:
                raise
            except StoreError:  # damaged: said when it is asked
                present = chunks
            # Documents may share points; telling them apart takes twenty times as long.
            if present < chunks and present < await documents.count_points(self._state, project_id):
                self._short.add(project_id)
            self._uncounted.pop(project_id, None)
            await asyncio.sleep(COUNT_PAUSE_S)

    def is_uncounted(self, project_id: str) -> bool:
        """Whether nobody knows yet that a project's points are all there."""
        return project_id in self._uncounted

    def is_short(self, project_id: str) -> bool:
        """Whether points are known to be missing, though nobody makes them yet."""
        return project_id in self._short

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
        self._short.discard(project_id)
        self._uncounted.pop(project_id, None)
        points_by_document: dict[int, set[str]] = defaultdict(set)
        for point_id, doc_id in missing.items():
            points_by_document[doc_id].add(point_id)
        if points_by_document:
            log.info("%s: %d points have to be made", project_id, len(missing))
            project_id = await self._make(project_id, space, points_by_document)
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
        self, project_id: str, space: Space, points_by_document: dict[int, set[str]]
    ) -> str:
        """Make points of these documents; returns the project's id, which may have changed."""
        remake = RebuildProgress(project_id, total=sum(map(len, points_by_document.values())))
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
            points = sum(len(points_by_document[doc_id]) for doc_id in failed)
            self.failed[remake.project_id] = FailedPoints(points, next(iter(failed.values())))
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
            remake.done += sum(
                len(points_by_document[doc_id]) for doc_id in batch if doc_id not in bad
            )
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
        outcomes = await self._pool.run(jobs)
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
