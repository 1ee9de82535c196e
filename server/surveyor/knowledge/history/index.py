"""Commits in the index: read incrementally, embedded, found by meaning and by filters."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar

from surveyor.errors import UsageError
from surveyor.files.globs import PatternError, shell
from surveyor.knowledge.anchors import Place
from surveyor.knowledge.history import gitlog, reach
from surveyor.knowledge.history.entries import commit_entry, point_of, row_entry, summary_lines
from surveyor.knowledge.history.gitlog import Commit
from surveyor.knowledge.history.lines import summarise_hunks
from surveyor.knowledge.history.reach import Left
from surveyor.knowledge.history.when import iso
from surveyor.knowledge.points import CANDIDATES, Entry, Found, Mode, Points
from surveyor.knowledge.writes import Writes
from surveyor.protocol.history import CommitFile, CommitItem
from surveyor.store.state import State
from surveyor.store.state.queue import Item, Leased
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
class Asked:
    """Filters: part of an author, times in seconds since 1970, a path or glob."""

    author: str | None = None
    since: float | None = None
    until: float | None = None
    path: str | None = None


@dataclass(slots=True)
class History:
    """The commits of every project."""

    state: State
    points: Points
    writes: Writes
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

    async def is_current(self, place: Place, head: str | None) -> bool:
        """Whether everything up to a commit has been read, and nothing that is gone is known."""
        if head is None:
            return True
        if head not in (await self._progress(place.project_id))[0]:
            return False
        now = await asyncio.to_thread(reach.signature, Path(place.root))
        return self._seen.get(place.root) == now

    async def request(self, place: Place, wait_ms: int, *, everything: bool = False) -> bool:
        """Queue reading what is new (or all there is); whether it was done in time."""
        payload = {"root": place.root, "all": everything}
        item = Item(
            "history", "scan", place.project_id, "libraries", payload, priority=HISTORY_PRIORITY
        )
        written = await self.writes.submit([item], wait_ms)
        return written.status == "done"

    async def handle(self, item: Leased) -> None:
        """Carry out a queued reading; what was read before is not read again."""
        row = await self.state.one(
            "SELECT project_id, root FROM checkouts WHERE root = ?", (item.payload["root"],)
        )
        if row is None or not await asyncio.to_thread(Path(row["root"]).is_dir):
            return
        lock = self._reading.setdefault(row["project_id"], asyncio.Lock())
        async with lock:
            await self._read(row["project_id"], Path(row["root"]), bool(item.payload["all"]))

    async def _read(self, project_id: str, root: Path, everything: bool) -> None:
        references = await asyncio.to_thread(reach.signature, root)
        head = await asyncio.to_thread(gitlog.head, root)
        if head is None:
            return
        tips, complete = await self._progress(project_id)
        left = await self._forget_gone(project_id, root, tips)
        alive = list(dict.fromkeys([*(tip for tip in tips if tip not in left.gone), *left.edge]))
        known_tips = await asyncio.to_thread(reach.present, root, alive)
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
        total = await asyncio.to_thread(reach.count, root, [head, *known_tips])
        known = await self.state.value(
            "SELECT count(*) FROM commits WHERE project_id = ?", (project_id,)
        )
        complete = complete or everything or limit is None or known >= total
        if known_tips and not everything:
            complete = (await self._progress(project_id))[1]
        here = list(dict.fromkeys([head, *known_tips]))
        # The head stays, also where another reaches it: by it is seen that all is read.
        new_tips = [head, *(await asyncio.to_thread(reach.independent, root, here))]
        new_tips += [tip for tip in alive if tip not in known_tips]  # another clone's
        new_tips = list(dict.fromkeys(new_tips))[:MAX_TIPS]
        async with self.state.transaction() as tx:
            await tx.execute(
                """INSERT INTO history_progress (project_id, tips, complete, total)
                   VALUES (?, ?, ?, ?) ON CONFLICT (project_id) DO UPDATE SET
                     tips = excluded.tips, complete = excluded.complete, total = excluded.total""",
                (project_id, json.dumps(new_tips), complete, total),
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
        rows = await self.state.read(
            f"SELECT commit_id FROM commits WHERE project_id = ? AND commit_id IN"
            f" ({','.join('?' * len(ids))})",
            (project_id, *ids),
        )
        known = {str(row[0]) for row in rows}
        return [one for one in batch if one.id not in known]

    async def _store(self, project_id: str, new: Sequence[Commit], points: list[Point]) -> None:
        """Points, then rows."""
        if not new:
            return
        await self.points.upsert(self.space(project_id), points)
        async with self.state.transaction() as tx:
            last = (await tx.read("SELECT coalesce(max(commit_rowid), 0) FROM commits"))[0][0]
            numbered = list(enumerate(new, last + 1))
            await tx.many(
                """INSERT INTO commits (commit_rowid, project_id, commit_id, point_id, author,
                     email, committed, subject, body) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)""",
                [
                    (
                        rowid,
                        project_id,
                        one.id,
                        point_of(one.id),
                        one.author,
                        one.email,
                        one.committed,
                        one.subject,
                        one.body,
                    )
                    for rowid, one in numbered
                ],
            )
            await tx.many(
                "INSERT OR IGNORE INTO commit_files (commit_rowid, path, status, old_path)"
                " VALUES (?, ?, ?, ?)",
                [
                    (rowid, file.path, file.status, file.old_path)
                    for rowid, one in numbered
                    for file in one.files
                ],
            )

    async def _forget_gone(self, project_id: str, root: Path, tips: Sequence[str]) -> Left:
        """Drop commits that no branch has any more: it was deleted, or history rewritten."""
        if not tips:
            return Left()
        rows = await self.state.read(
            "SELECT root FROM checkouts WHERE project_id = ? AND root <> ?", (project_id, str(root))
        )
        others = [Path(row["root"]) for row in rows]
        clones = await asyncio.to_thread(reach.clones, [root, *others])
        left = await asyncio.to_thread(reach.left, clones, tips, None)
        if left.is_unclear or len(tips) >= MAX_TIPS:
            ids = await self.state.read(
                "SELECT commit_id FROM commits WHERE project_id = ?", (project_id,)
            )
            known = frozenset(str(row[0]) for row in ids)
            left = await asyncio.to_thread(reach.left, clones, tips, known)
        for part in batched(sorted(left.gone), BATCH_COMMITS):
            marks = ",".join("?" * len(part))
            async with self.state.transaction() as tx:
                gone = await tx.read(
                    f"DELETE FROM commits WHERE project_id = ? AND commit_id IN ({marks})"
                    " RETURNING point_id",
                    (project_id, *part),
                )
            await self.points.delete(self.space(project_id), [str(row[0]) for row in gone])
        return left

    async def _summarise(self, project_id: str, root: Path, count: int) -> None:
        """Add what the hunks of the newest commits touched, to rows and points."""
        reader = summarise_hunks(root, limit=count)
        while batch := await asyncio.to_thread(_take, reader, BATCH_COMMITS):
            texts = {commit: summary_lines(found) for commit, found in batch if found}
            async with self.state.transaction() as tx:
                await tx.many(
                    "UPDATE commits SET summary = ? WHERE project_id = ? AND commit_id = ?"
                    " AND summary IS NULL",
                    [(json.dumps(lines), project_id, one) for one, lines in texts.items()],
                )
            entries = await self.entries(project_id, list(texts))
            await self.points.put(self.space(project_id), list(entries.values()))

    async def _progress(self, project_id: str) -> tuple[list[str], bool]:
        row = await self.state.one(
            "SELECT tips, complete FROM history_progress WHERE project_id = ?", (project_id,)
        )
        return (json.loads(row["tips"]), bool(row["complete"])) if row else ([], False)

    async def counts(self, project_id: str) -> tuple[int, int | None, bool]:
        """Commits read, commits there are (as of the last reading), and whether all are read."""
        row = await self.state.one(
            "SELECT total, complete FROM history_progress WHERE project_id = ?", (project_id,)
        )
        known = int(
            await self.state.value(
                "SELECT count(*) FROM commits WHERE project_id = ?", (project_id,)
            )
        )
        # While newer ones are read, more are known than there were at the last reading.
        total = max(int(row["total"]), known) if row else None
        return known, total, bool(row and row["complete"])

    async def oldest(self, project_id: str) -> float | None:
        """When the oldest commit read was made."""
        found = await self.state.value(
            "SELECT min(committed) FROM commits WHERE project_id = ?", (project_id,)
        )
        return None if found is None else float(found)

    async def entries(
        self, project_id: str, commits: Sequence[str] | None = None
    ) -> dict[str, Entry]:
        """What a project's points should be."""
        where, parameters = "", [project_id]
        if commits is not None:
            where = f" AND c.commit_id IN ({','.join('?' * len(commits))})"
            parameters += commits
        rows = await self.state.read(
            f"SELECT c.* FROM commits c WHERE c.project_id = ?{where}", parameters
        )
        files: dict[int, list[str]] = {}
        for row in await self.state.read(
            f"""SELECT f.commit_rowid, f.path FROM commit_files f JOIN commits c
                USING (commit_rowid) WHERE c.project_id = ?{where}""",
            parameters,
        ):
            files.setdefault(row[0], []).append(str(row[1]))
        return {
            str(row["point_id"]): row_entry(row, files.get(row["commit_rowid"], [])) for row in rows
        }

    # --- searching ------------------------------------------------------------------------

    async def find(
        self, project_id: str, query: str, asked: Asked, *, limit: int, mode: Mode = "hybrid"
    ) -> list[tuple[CommitItem, Found | None]]:
        """Commits that a query is about, best first; the newest when it is empty."""
        conditions, parameters = await self._conditions(project_id, asked)
        if not query.strip():
            rows = await self._rows(conditions, parameters, limit)
            return [(item, None) for item in await self._items(rows)]
        where = await self._filter(conditions, parameters, asked)
        depth = CANDIDATES
        while True:
            found = await self.points.find(
                [self.space(project_id)], query, mode=mode, limit=depth, where=where
            )
            marks = ",".join("?" * len(found))
            rows = await self._rows(
                f"{conditions} AND c.point_id IN ({marks})",
                [*parameters, *(one.id for one in found)],
                depth,
            )
            if len(rows) >= limit or len(found) < depth or depth >= DEEPEST:
                break
            depth *= DEEPER
        by_point = {str(row["point_id"]): row for row in rows}
        best = [one for one in found if one.id in by_point][:limit]
        items = await self._items([by_point[one.id] for one in best])
        for item, one in zip(items, best, strict=True):
            item.score, item.confidence = round(one.score, 6), one.confidence
        return list(zip(items, best, strict=True))

    async def _conditions(self, project_id: str, asked: Asked) -> tuple[str, list[Any]]:
        conditions, parameters = ["c.project_id = ?"], [project_id]
        values: list[Any] = parameters
        if asked.author:
            conditions.append("(instr(lower(c.author), ?) OR instr(lower(c.email), ?))")
            values += [asked.author.lower()] * 2
        if asked.since is not None:
            conditions.append("c.committed >= ?")
            values.append(asked.since)
        if asked.until is not None:
            conditions.append("c.committed <= ?")
            values.append(asked.until)
        if asked.path:
            matches = []
            for name in await self._names_of(project_id, asked.path):
                if any(sign in name for sign in "*?["):
                    among = "(SELECT value FROM json_each(?))"
                    matches.append(f"(f.path IN {among} OR f.old_path IN {among})")
                    values += [await self._matching(project_id, name)] * 2
                else:
                    matches.append("(f.path = ? OR f.old_path = ? OR instr(f.path, ?) = 1)")
                    values += [name, name, name.rstrip("/") + "/"]
            conditions.append(
                "EXISTS (SELECT 1 FROM commit_files f WHERE f.commit_rowid = c.commit_rowid"
                f" AND ({' OR '.join(matches)}))"
            )
        return " AND ".join(conditions), values

    async def _matching(self, project_id: str, glob: str) -> str:
        """The paths in a project's commits that a glob matches, as a JSON list.

        SQLite's own GLOB tries every way to match one. Raises `UsageError` for what is none.
        """
        try:
            wanted = shell(glob)
        except PatternError as error:
            raise UsageError(f"a path pattern cannot be read: {error}", "Use `*`, `?`.") from None
        rows = await self.state.read(
            """SELECT f.path FROM commit_files f JOIN commits c USING (commit_rowid)
               WHERE c.project_id = ?1 UNION
               SELECT f.old_path FROM commit_files f JOIN commits c USING (commit_rowid)
               WHERE c.project_id = ?1 AND f.old_path IS NOT NULL""",
            (project_id,),
        )
        names = [str(row[0]) for row in rows]
        found = await asyncio.to_thread(
            lambda: [name for name in names if name == glob or wanted.fullmatch(name)]
        )
        return json.dumps(found)

    async def _names_of(self, project_id: str, path: str) -> list[str]:
        """A path and the names that the same file had before."""
        names = [path.removeprefix("./").rstrip("/") or "*"]
        for name in names:
            rows = await self.state.read(
                """SELECT DISTINCT f.old_path FROM commit_files f JOIN commits c
                   USING (commit_rowid) WHERE f.path = ? AND f.status = 'R' AND c.project_id = ?""",
                (name, project_id),
            )
            names += [str(row[0]) for row in rows if row[0] and row[0] not in names]
        return names[:FORMER_NAMES]

    async def _filter(
        self, conditions: str, parameters: Sequence[Any], asked: Asked
    ) -> Filter | None:
        """The commits that count, unless they are too many to name."""
        if asked == Asked():
            return None
        rows = await self.state.read(
            f"SELECT c.point_id FROM commits c WHERE {conditions} LIMIT ?",
            (*parameters, IDS_IN_FILTER + 1),
        )
        if len(rows) > IDS_IN_FILTER:
            return None
        return Filter(ids=tuple(str(row[0]) for row in rows))

    async def _rows(
        self, conditions: str, parameters: Sequence[Any], limit: int
    ) -> list[sqlite3.Row]:
        return await self.state.read(
            f"SELECT c.* FROM commits c WHERE {conditions} ORDER BY c.committed DESC LIMIT ?",
            (*parameters, limit),
        )

    async def _items(self, rows: Sequence[sqlite3.Row]) -> list[CommitItem]:
        ids = [row["commit_rowid"] for row in rows]
        files: dict[int, list[CommitFile]] = {}
        for row in await self.state.read(
            "SELECT * FROM commit_files WHERE commit_rowid IN"
            f" ({','.join('?' * len(ids))}) ORDER BY path",
            ids,
        ):
            files.setdefault(row["commit_rowid"], []).append(
                CommitFile(path=row["path"], status=row["status"], old_path=row["old_path"] or None)
            )
        return [
            CommitItem(
                commit=row["commit_id"],
                author=row["author"],
                email=row["email"],
                date=iso(row["committed"]),
                subject=row["subject"],
                body=row["body"],
                files=files.get(row["commit_rowid"], []),
                summary=json.loads(row["summary"] or "[]"),
            )
            for row in rows
        ]


def _take(reader: Iterator[T], count: int) -> list[T]:
    return list(islice(reader, count))


def batched(values: Sequence[T], size: int) -> Iterator[Sequence[T]]:
    """The values in parts of a size."""
    for start in range(0, len(values), size):
        yield values[start : start + size]
