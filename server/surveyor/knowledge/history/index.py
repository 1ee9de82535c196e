"""Commits in the index: read incrementally, embedded, found by meaning and by filters."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TypeVar

from surveyor.errors import UsageError
from surveyor.files.globs import PatternError, shell
from surveyor.knowledge.anchors import AnchorFolder
from surveyor.knowledge.history import gitlog, reachable_commits
from surveyor.knowledge.history.entries import commit_entry, point_of, row_entry, summary_lines
from surveyor.knowledge.history.gitlog import Commit
from surveyor.knowledge.history.lines import summarise_hunks
from surveyor.knowledge.history.reachable_commits import UnreachedCommits
from surveyor.knowledge.history.time_arguments import iso
from surveyor.knowledge.points import CANDIDATES, MOST_WORDED, PointEntry, PointHit, Points
from surveyor.knowledge.write_queue import WriteQueue
from surveyor.protocol.enumerations import Mode
from surveyor.protocol.history import CommitFile, CommitItem
from surveyor.store.state import State, checkout_roots
from surveyor.store.state import history as commit_table
from surveyor.store.state.history import (
    CommitConditions,
    CommitFileRow,
    CommitPaths,
    CommitRow,
    HistoryProgress,
    NewCommit,
)
from surveyor.store.state.queue import LeasedItem, NewQueueItem
from surveyor.store.vectors.contract import Filter, Point, Space

T = TypeVar("T")

BATCH_COMMITS = 1024
"""Stored together: the newest can be found while older ones are still read."""
HISTORY_PRIORITY = 1
"""The code comes first."""
FORMER_NAMES = 400
IDS_IN_FILTER = 10_000
"""Commits that the store is told to keep to; filters that leave more are applied afterwards."""
DEEPER = 4
DEEPEST = 3200
MAX_TIPS = 50


@dataclass(frozen=True, slots=True)
class CommitFilter:
    """Filters: part of an author, times in seconds since 1970, a path or glob."""

    author: str | None = None
    since: float | None = None
    until: float | None = None
    path: str | None = None


@dataclass(slots=True)
class History:
    """Indexes and searches the commits of every project."""

    state: State
    points: Points
    writes: WriteQueue
    initial: Callable[[], int]
    """How many of the newest commits are read at first."""
    summaries: Callable[[], int]
    """Of how many of the newest the hunks are summarised."""
    _reading: dict[str, asyncio.Lock] = field(default_factory=dict)
    _seen: dict[str, str] = field(default_factory=dict)
    """The references of each root when its history was read."""

    def space(self, project_id: str) -> Space:
        """Where a project's commits are."""
        return self.points.space("libraries", f"history.{project_id}")

    # --- reading --------------------------------------------------------------------------

    async def is_current(self, place: AnchorFolder, head: str | None) -> bool:
        """Whether everything up to a commit has been read, and nothing that is gone is known."""
        if head is None:
            return True
        if head not in (await self._progress(place.project_id))[0]:
            return False
        now = await asyncio.to_thread(reachable_commits.signature, Path(place.root))
        return self._seen.get(place.root) == now

    async def request(self, place: AnchorFolder, wait_ms: int, *, everything: bool = False) -> bool:
        """Queue reading what is new (or all there is); whether it was done in time."""
        payload = {"root": place.root, "all": everything}
        item = NewQueueItem(
            "history", "scan", place.project_id, "libraries", payload, priority=HISTORY_PRIORITY
        )
        written = await self.writes.submit([item], wait_ms)
        return written.status == "done"

    async def handle(self, item: LeasedItem) -> None:
        """Carry out a queued reading; what was read before is not read again."""
        found = await checkout_roots.checkout_at(self.state, item.payload["root"])
        if found is None or not await asyncio.to_thread(Path(found.root).is_dir):
            return
        lock = self._reading.setdefault(found.project_id, asyncio.Lock())
        async with lock:
            await self._read(found.project_id, Path(found.root), bool(item.payload["all"]))

    async def _read(self, project_id: str, root: Path, everything: bool) -> None:
        references = await asyncio.to_thread(reachable_commits.signature, root)
        head = await asyncio.to_thread(gitlog.head, root)
        if head is None:
            return
        tips, complete = await self._progress(project_id)
        left = await self._forget_gone(project_id, root, tips)
        alive = list(dict.fromkeys([*(tip for tip in tips if tip not in left.gone), *left.edge]))
        known_tips = await asyncio.to_thread(reachable_commits.present, root, alive)
        inside = await asyncio.to_thread(gitlog.is_inside, root)
        revisions = [head, *(f"^{tip}" for tip in known_tips if tip != head)]
        limit: int | None = None if everything or known_tips else self.initial()
        if everything:
            revisions = [head]
        elif head in known_tips and not left.gone:
            self._seen[str(root)] = references
            return
        stored = 0
        if everything or head not in known_tips:
            reader = gitlog.read_log(
                root, revisions, limit=limit, paths=(".",) if inside else (), relative=inside
            )
            stored = await self._store_all(project_id, reader)
        total = await asyncio.to_thread(reachable_commits.count, root, [head, *known_tips])
        known = await commit_table.count_commits(self.state, project_id)
        complete = complete or everything or limit is None or known >= total
        if known_tips and not everything:
            complete = (await self._progress(project_id))[1]
        here = list(dict.fromkeys([head, *known_tips]))
        # The head stays, also where another reaches it: by it is seen that all is read.
        new_tips = [head, *(await asyncio.to_thread(reachable_commits.independent, root, here))]
        new_tips += [tip for tip in alive if tip not in known_tips]  # another clone's
        new_tips = list(dict.fromkeys(new_tips))[:MAX_TIPS]
        async with self.state.transaction() as tx:
            await commit_table.set_progress(
                tx, project_id, HistoryProgress(new_tips, complete, total)
            )
        self._seen[str(root)] = references
        if count := min(self.summaries(), stored if known_tips else self.summaries()):
            await self._summarise(project_id, root, count)

    async def _store_all(self, project_id: str, reader: Iterator[Commit]) -> int:
        """Read and embed a batch while the one before is written; how many were new."""
        stored = 0
        writing: asyncio.Task[None] | None = None
        try:
            while batch := await asyncio.to_thread(_take, reader, BATCH_COMMITS):
                new = await self._unknown(project_id, batch)
                points = await self.points.embed([commit_entry(one) for one in new])
                if writing is not None:
                    await writing
                writing = asyncio.create_task(self._store(project_id, new, points))
                stored += len(new)
        finally:
            if writing is not None:
                await writing
        return stored

    async def _unknown(self, project_id: str, batch: Sequence[Commit]) -> list[Commit]:
        ids = [one.id for one in batch]
        known = await commit_table.known_commits(self.state, project_id, ids)
        return [one for one in batch if one.id not in known]

    async def _store(self, project_id: str, new: Sequence[Commit], points: list[Point]) -> None:
        """Points, then rows."""
        if not new:
            return
        await self.points.upsert(self.space(project_id), points)
        async with self.state.transaction() as tx:
            await commit_table.insert_commits(tx, project_id, [_new_commit(one) for one in new])

    async def _forget_gone(
        self, project_id: str, root: Path, tips: Sequence[str]
    ) -> UnreachedCommits:
        """Drop commits that no branch has any more: it was deleted, or history rewritten."""
        if not tips:
            return UnreachedCommits()
        roots = await checkout_roots.other_roots(self.state, project_id, str(root))
        others = [Path(one) for one in roots]
        clones = await asyncio.to_thread(reachable_commits.clones, [root, *others])
        left = await asyncio.to_thread(reachable_commits.left, clones, tips, None)
        if left.is_unclear or len(tips) >= MAX_TIPS:
            known = frozenset(await commit_table.known_commits(self.state, project_id))
            left = await asyncio.to_thread(reachable_commits.left, clones, tips, known)
        for part in batched(sorted(left.gone), BATCH_COMMITS):
            async with self.state.transaction() as tx:
                gone = await commit_table.delete_commits(tx, project_id, part)
            await self.points.delete(self.space(project_id), gone)
        return left

    async def _summarise(self, project_id: str, root: Path, count: int) -> None:
        """Add what the hunks of the newest commits touched, to rows and points."""
        reader = summarise_hunks(root, limit=count)
        while batch := await asyncio.to_thread(_take, reader, BATCH_COMMITS):
            texts = {commit: summary_lines(found) for commit, found in batch if found}
            async with self.state.transaction() as tx:
                await commit_table.set_summaries(tx, project_id, texts)
            entries = await self.entries(project_id, list(texts))
            await self.points.put(self.space(project_id), list(entries.values()))

    async def _progress(self, project_id: str) -> tuple[list[str], bool]:
        progress = await commit_table.progress_of(self.state, project_id)
        return (progress.tips, progress.is_complete) if progress else ([], False)

    async def counts(self, project_id: str) -> tuple[int, int | None, bool]:
        """Commits read, commits there are (as of the last reading), and whether all are read."""
        progress = await commit_table.progress_of(self.state, project_id)
        known = await commit_table.count_commits(self.state, project_id)
        # While newer ones are read, more are known than there were at the last reading.
        total = max(progress.total, known) if progress else None
        return known, total, bool(progress and progress.is_complete)

    async def oldest(self, project_id: str) -> float | None:
        """When the oldest commit read was made."""
        return await commit_table.oldest_date(self.state, project_id)

    async def entries(
        self, project_id: str, commits: Sequence[str] | None = None
    ) -> dict[str, PointEntry]:
        """What a project's points should be."""
        found = await commit_table.commits_of(self.state, project_id, commits)
        return {commit.point_id: row_entry(commit, files) for commit, files in found}

    # --- searching ------------------------------------------------------------------------

    async def find(
        self, project_id: str, query: str, asked: CommitFilter, *, limit: int, mode: Mode = "hybrid"
    ) -> tuple[list[tuple[CommitItem, PointHit | None]], str]:
        """Commits that a query is about, best first, the newest when it is empty; and what may be
        lacking, in a line."""
        wanted = await self._conditions(project_id, asked)
        if not query.strip():
            newest = await commit_table.find_commits(self.state, wanted, limit)
            return [(item, None) for item in await self._items(newest)], ""
        where = await self._filter(wanted, asked)
        depth = CANDIDATES
        while True:
            found, lacking = await self.points.find(
                {self.space(project_id): partial(self._stored, project_id, wanted)},
                query,
                mode=mode,
                limit=depth,
                where=where,
            )
            rows = await commit_table.find_commits(
                self.state, wanted, depth, [one.id for one in found]
            )
            if len(rows) >= limit or len(found) < depth or depth >= DEEPEST:
                break
            depth *= DEEPER
        by_point = {row.point_id: row for row in rows}
        best = [one for one in found if one.id in by_point][:limit]
        items = await self._items([by_point[one.id] for one in best])
        for item, one in zip(items, best, strict=True):
            item.score, item.confidence = round(one.score, 6), one.confidence
        return list(zip(items, best, strict=True)), lacking

    async def _stored(self, project_id: str, wanted: CommitConditions) -> dict[str, PointEntry]:
        """What the points of the newest commits that count should be."""
        newest = await commit_table.find_commits(self.state, wanted, MOST_WORDED)
        return await self.entries(project_id, [row.commit_id for row in newest])

    async def _conditions(self, project_id: str, asked: CommitFilter) -> CommitConditions:
        paths = None
        if asked.path:
            names = await self._names_of(project_id, asked.path)
            globs = [name for name in names if any(sign in name for sign in "*?[")]
            paths = CommitPaths(
                exact=tuple(name for name in names if name not in globs),
                among=tuple([await self._matching(project_id, name) for name in globs]),
            )
        return CommitConditions(
            project_id, author=asked.author, since=asked.since, until=asked.until, paths=paths
        )

    async def _matching(self, project_id: str, glob: str) -> tuple[str, ...]:
        """The paths in a project's commits that a glob matches.

        SQLite's own GLOB tries every way to match one. Raises `UsageError` for what is none.
        """
        try:
            wanted = shell(glob)
        except PatternError as error:
            raise UsageError(f"a path pattern cannot be read: {error}", "Use `*`, `?`.") from None
        names = await commit_table.all_paths(self.state, project_id)
        return await asyncio.to_thread(
            lambda: tuple(name for name in names if name == glob or wanted.fullmatch(name))
        )

    async def _names_of(self, project_id: str, path: str) -> list[str]:
        """A path and the names that the same file had before."""
        names = [path.removeprefix("./").rstrip("/") or "*"]
        for name in names:
            earlier = await commit_table.names_before(self.state, project_id, name)
            names += [one for one in earlier if one not in names]
        return names[:FORMER_NAMES]

    async def _filter(self, wanted: CommitConditions, asked: CommitFilter) -> Filter | None:
        """The commits that count, unless they are too many to name."""
        if asked == CommitFilter():
            return None
        points = await commit_table.find_points(self.state, wanted, IDS_IN_FILTER + 1)
        return Filter(ids=tuple(points)) if len(points) <= IDS_IN_FILTER else None

    async def _items(self, commits: Sequence[CommitRow]) -> list[CommitItem]:
        files = await commit_table.files_of(self.state, commits)
        return [
            CommitItem(
                commit=one.commit_id,
                author=one.author,
                email=one.email,
                date=iso(one.committed),
                subject=one.subject,
                body=one.body,
                files=[
                    CommitFile(path=file.path, status=file.status, old_path=file.old_path or None)
                    for file in files.get(one.rowid, [])
                ],
                summary=list(one.summary),
            )
            for one in commits
        ]


def _new_commit(one: Commit) -> NewCommit:
    """A commit as it is stored."""
    return NewCommit(
        commit_id=one.id,
        point_id=point_of(one.id),
        author=one.author,
        email=one.email,
        committed=one.committed,
        subject=one.subject,
        body=one.body,
        files=[CommitFileRow(file.path, file.status, file.old_path) for file in one.files],
    )


def _take(reader: Iterator[T], count: int) -> list[T]:
    return list(islice(reader, count))


def batched(values: Sequence[T], size: int) -> Iterator[Sequence[T]]:
    """The values in parts of a size."""
    for start in range(0, len(values), size):
        yield values[start : start + size]
