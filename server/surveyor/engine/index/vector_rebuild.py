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
from typing import TYPE_CHECKING
from zlib import crc32

from surveyor.embedding.embedded import dense_of, sparse_of
from surveyor.engine.index import catalog
from surveyor.engine.index.pipeline import Model, payload_of
from surveyor.engine.index.vector_diff import Difference, differing, expected_of, present_of
from surveyor.parsing.types import Chunk
from surveyor.store.chunk_record import record_fields
from surveyor.store.vectors.contract import Point, Space, StoreError, StoreUnreachableError
from surveyor.worker.messages import ChunksJob

if TYPE_CHECKING:
    from surveyor.engine.app import Engine

log = logging.getLogger(__name__)

DOCUMENTS_AT_ONCE = 16
PAUSE_S = 0.005
"""Between batches, so that fresh edits and queries come first."""


@dataclass(slots=True)
class Remake:
    """Progress of one project's points."""

    project_id: str
    total: int
    done: int = 0

    @property
    def share(self) -> float:
        """From 0 to 1."""
        return self.done / self.total if self.total else 1.0


@dataclass(frozen=True, slots=True)
class Failed:
    """Points of one project that could not be made."""

    points: int
    why: str


class Remaker:
    """Keeps every project's points complete for the model in use."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._running: dict[str, Remake] = {}
        self._old: dict[str, list[Space]] = {}
        self._short: set[str] = set()
        """Projects with fewer points than they should have, not yet looked at since."""
        self.failed: dict[str, Failed] = {}
        """Projects some of whose points could not be made. The next start tries again, and so
        does `doctor --repair`."""

    async def count(self) -> None:
        """Find projects that have lost points, before all are compared one by one.

        Raises `StoreUnreachableError`.
        """
        engine = self._engine
        rows = await engine.state.read(
            """SELECT d.project_id, count(*) FROM documents d
               JOIN chunks c USING (doc_id) GROUP BY d.project_id"""
        )
        for project_id, chunks in [(str(row[0]), int(row[1])) for row in rows]:
            space = engine.pipeline.space(project_id)
            try:
                present = await engine.on_store(engine.vectors.count, space)
            except StoreUnreachableError:
                raise
            except StoreError:  # damaged: said when it is asked
                continue
            # Documents may share points; telling them apart takes twenty times as long.
            if present < chunks and present < await self._points_of(project_id):
                self._short.add(project_id)

    async def _points_of(self, project_id: str) -> int:
        found = await self._engine.state.value(
            """SELECT count(DISTINCT c.point_id) FROM documents d JOIN chunks c USING (doc_id)
               WHERE d.project_id = ?""",
            (project_id,),
        )
        return int(found)

    def is_short(self, project_id: str) -> bool:
        """Whether points are known to be missing, though nobody makes them yet."""
        return project_id in self._short

    def progress(self, project_id: str) -> Remake | None:
        """What is being made for a project, if anything."""
        return self._running.get(project_id)

    def old_spaces(self, project_id: str) -> list[Space]:
        """Spaces of earlier models that still answer."""
        return self._old.get(project_id, [])

    def keep_answering(self, projects: Iterable[str], model: Model) -> None:
        """Another model is about to be used: what was made so far answers until its points are."""
        for project_id in projects:
            spaces = [*self.old_spaces(project_id), self._engine.pipeline.space(project_id)]
            self._old[project_id] = [s for s in spaces if s.model != model.fingerprint]

    def rename_project(self, old: str, new: str) -> None:
        """A project's id changed, and its spaces with it."""
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
        async with self._engine.writing():  # no project comes, goes or changes its id meanwhile
            rows = await self._engine.state.read("SELECT project_id FROM projects")
            spaces = await self._engine.on_store(self._engine.vectors.spaces)
            known = {str(row[0]) for row in rows}
            for space in spaces:
                if space.collection == "projects" and space.tenant not in known:
                    await self._engine.on_store(self._engine.vectors.drop, space)
            for project_id in sorted(known):
                current = self._engine.pipeline.space(project_id)
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
        engine = self._engine
        found = await self._differing(project_id)
        async with engine.writing():
            expected = await expected_of(engine, project_id, [*found.missing, *found.superfluous])
            present = await present_of(engine, project_id, [*found.missing, *found.superfluous])
        return len(expected.keys() - present), len(present - expected.keys())

    async def _differing(self, project_id: str) -> Difference:
        async with self._engine.writing():
            await self._engine.pipeline.sweep_dead_points(project_id)
        return await differing(self._engine, project_id)

    async def _exists(self, project_id: str) -> bool:
        """Whether a project has neither gone nor changed its id since it was listed."""
        return bool(
            await self._engine.state.value(
                "SELECT 1 FROM projects WHERE project_id = ?", (project_id,)
            )
        )

    async def reconcile(self, project_id: str) -> tuple[int, int]:
        """Make a project's points complete; returns how many were missing and superfluous."""
        engine = self._engine
        space = engine.pipeline.space(project_id)
        found = await self._differing(project_id)
        async with engine.writing():
            if not await self._exists(project_id):
                return 0, 0
            expected = await expected_of(engine, project_id, found.superfluous)
            superfluous = sorted(found.superfluous - expected.keys())
            if superfluous:
                await engine.on_store(engine.vectors.delete, space, superfluous)
        missing = found.missing
        self._short.discard(project_id)
        documents: dict[int, set[str]] = defaultdict(set)
        for point_id, doc_id in missing.items():
            documents[doc_id].add(point_id)
        if documents:
            log.info("%s: %d points have to be made", project_id, len(missing))
            project_id = await self._make(project_id, space, documents)
        else:
            self.failed.pop(project_id, None)
        if project_id in self.failed or engine.pipeline.model.fingerprint != space.model:
            # What was made before answers for what is missing. Where yet another model was chosen
            # meanwhile, its own look at all projects is under way.
            return len(missing), len(superfluous)
        for old in self._old.pop(project_id, []):
            log.info("dropping points of an earlier model of %s", project_id)
            await engine.on_store(engine.vectors.drop, old)
        return len(missing), len(superfluous)

    async def _make(self, project_id: str, space: Space, documents: dict[int, set[str]]) -> str:
        """Make points of these documents; returns the project's id, which may have changed."""
        remake = Remake(project_id, total=sum(map(len, documents.values())))
        self._running[project_id] = remake
        try:
            failed = await self._make_all(space, documents, remake)
            if failed:  # a worker that was lost costs one file: once more, by themselves
                again = {doc_id: documents[doc_id] for doc_id in failed}
                failed = await self._make_all(space, again, remake)
            here = replace(space, tenant=remake.project_id)
            await self._engine.on_store(self._engine.vectors.flush, here)
        finally:
            self._running.pop(remake.project_id, None)
        self.failed.pop(remake.project_id, None)
        if failed:
            points = sum(len(documents[doc_id]) for doc_id in failed)
            self.failed[remake.project_id] = Failed(points, next(iter(failed.values())))
        return remake.project_id

    async def _make_all(
        self, space: Space, documents: dict[int, set[str]], remake: Remake
    ) -> dict[int, str]:
        """Make points by document; returns those that could not be, with the reason."""
        failed: dict[int, str] = {}
        ids = sorted(documents)
        for start in range(0, len(ids), DOCUMENTS_AT_ONCE):
            batch = ids[start : start + DOCUMENTS_AT_ONCE]
            if self._engine.pipeline.model.fingerprint != space.model:
                break
            bad = await self._make_batch(space, batch, documents, remake)
            remake.done += sum(len(documents[doc_id]) for doc_id in batch if doc_id not in bad)
            failed |= bad
            await asyncio.sleep(PAUSE_S)
        return failed

    async def _make_batch(
        self, space: Space, batch: list[int], documents: dict[int, set[str]], remake: Remake
    ) -> dict[int, str]:
        engine = self._engine
        failed: dict[int, str] = {}
        rows = await engine.state.read(
            f"""SELECT d.doc_id, d.path, d.language, d.file_type, p.name, p.project_id,
                  c.*, t.text
                FROM documents d JOIN projects p USING (project_id) JOIN chunks c USING (doc_id)
                JOIN texts t USING (text_hash)
                WHERE d.doc_id IN ({catalog.marks(batch)}) ORDER BY d.doc_id, c.ordinal""",
            batch,
        )
        wanted = [row for row in rows if row["point_id"] in documents[row["doc_id"]]]
        by_path: dict[str, list[int]] = defaultdict(list)
        for index, row in enumerate(wanted):
            by_path[str(row["path"])].append(index)
        chunks = [Chunk(text=row["text"], **record_fields(row)) for row in wanted]
        jobs = [
            ChunksJob(path, [chunks[index] for index in indexes])
            for path, indexes in by_path.items()
        ]
        outcomes = await engine.pool.run(jobs)
        points: list[Point] = []
        remembered: list[tuple[str, bytes, bytes]] = []
        for indexes, outcome in zip(by_path.values(), outcomes, strict=True):
            if outcome.status != "embedded":
                log.warning("points could not be made: %s", outcome.detail)
                failed |= {int(wanted[index]["doc_id"]): outcome.detail for index in indexes}
                continue
            if outcome.model != space.model:  # another one was chosen just now
                continue
            for index, vector in zip(indexes, outcome.vectors, strict=True):
                row = wanted[index]
                if vector.body is not None:
                    remembered.append((space.model, vector.text_hash, vector.body))
                points.append(
                    Point(
                        id=row["point_id"],
                        dense=dense_of(vector),
                        sparse=sparse_of(vector),
                        payload=payload_of(
                            row["project_id"],
                            row["name"],
                            row["path"],
                            row["file_type"],
                            row["language"],
                            chunks[index],
                            engine.vectors.payload_fields,
                        ),
                    )
                )
        async with engine.writing():
            alive = await engine.state.read(
                f"SELECT point_id FROM chunks WHERE doc_id IN ({catalog.marks(batch)})", batch
            )
            still = {str(row[0]) for row in alive}
            points = [point for point in points if point.id in still]
            if points:
                here = replace(space, tenant=remake.project_id)  # its id may have changed
                await engine.on_store(engine.vectors.upsert, here, points)
        async with engine.state.transaction() as tx:
            await tx.many(
                "INSERT OR IGNORE INTO vectors (model, text_hash, dense, checksum)"
                " VALUES (?, ?, ?, ?)",
                [(*each, crc32(each[2])) for each in remembered],
            )
        return failed
