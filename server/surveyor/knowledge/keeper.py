"""Keeps what is stored within its limits, and says how much there is of what."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from surveyor.knowledge.dates import now
from surveyor.knowledge.library_store import NOTES, SESSIONS
from surveyor.knowledge.limits import Kept, Limits, evictions
from surveyor.knowledge.models import KnowledgeUsage, ProjectUsage
from surveyor.paths import disk_bytes

if TYPE_CHECKING:
    from surveyor.knowledge.history.index import History
    from surveyor.knowledge.library_store import LibraryStore
    from surveyor.store.state import State

log = logging.getLogger(__name__)

BYTES_PER_POINT = 1800
"""What a piece costs beside its text: dense and sparse vector, payload, index (measured)."""
PROJECT_KINDS = {
    "code": """SELECT d.project_id, count(*), count(*) * {point} FROM chunks c
        JOIN documents d USING (doc_id) GROUP BY 1""",
    "rules": "SELECT project_id, count(*), sum(length(content)) + count(*) * {point} FROM rules"
    " GROUP BY 1",
    "libraries": """SELECT d.project_id, count(DISTINCT d.document_id),
        coalesce(sum(length(p.text) + {point}), 0) FROM library_documents d
        LEFT JOIN libraries l ON l.name = d.library LEFT JOIN library_pieces p USING (document_id)
        WHERE d.deleted_at IS NULL AND d.evicted_at IS NULL
          AND coalesce(l.kind, '') NOT IN ('package', 'notes', 'sessions') GROUP BY 1""",
    "packages": """SELECT u.project_id, count(DISTINCT u.library),
        coalesce(sum(length(p.text) + {point}), 0) FROM project_packages u
        LEFT JOIN library_documents d ON d.library = u.library
        LEFT JOIN library_pieces p USING (document_id) GROUP BY 1""",
    "notes": """SELECT d.project_id, count(DISTINCT d.document_id),
        coalesce(sum(length(p.text) + {point}), 0) FROM library_documents d
        LEFT JOIN library_pieces p USING (document_id) WHERE d.library = 'notes'
          AND d.deleted_at IS NULL AND d.evicted_at IS NULL GROUP BY 1""",
    "sessions": """SELECT d.project_id, count(DISTINCT d.document_id),
        coalesce(sum(length(p.text) + {point}), 0) FROM library_documents d
        LEFT JOIN library_pieces p USING (document_id) WHERE d.library = 'sessions'
          AND d.deleted_at IS NULL AND d.evicted_at IS NULL GROUP BY 1""",
    "history": """SELECT project_id, count(*),
        sum(length(subject) + length(body) + {point}) FROM commits GROUP BY 1""",
}
"""Project, entries and bytes of each kind. Packages are shared: each project that uses one counts
it."""
LATELY_S = 5.0
"""How old the size on disk may be that people are told."""
EVERGREEN = "memory"
"""The stem of notes that do not age: MEMORY.md is kept up to date, not written once."""


@dataclass(slots=True)
class Keeper:
    """Measures and lets go."""

    state: State
    library_store: LibraryStore
    history: History
    limits: Callable[[], Limits]
    data_dir: Path
    warnings: list[str] = field(default_factory=list)
    _lately: tuple[float, int] | None = None

    async def keep(self) -> int:
        """Let go of what is past retention, then of the oldest until the size fits."""
        limits = self.limits()
        documents = await self._documents()
        commits = await self._commits()
        used = await self.used()
        chosen = evictions([*documents.values(), *commits.values()], used, limits, time.time())
        self.warnings = []
        freed = sum(one.size for one in chosen if one.reason == "size")
        if used - freed > limits.max_size:
            self.warnings.append(
                f"{used >> 20} MB are stored, more than storage.max_size"
                f" ({limits.max_size >> 20} MB); what is left is the index of code, rules and"
                " documents that cannot be made again"
            )
        for one in chosen:
            kind, _, key = one.id.partition(":")
            log.info("evicted %s (%s, %d bytes)", one.id, one.reason, one.size)
            if kind == "document":
                await self._evict_document(int(key))
            else:
                await self._evict_history(key)
        return len(chosen)

    async def used(self) -> int:
        """Bytes of state (without what SQLite holds free) and of points."""
        pages = await self.state.one(
            "SELECT (SELECT page_count FROM pragma_page_count()) AS pages,"
            " (SELECT freelist_count FROM pragma_freelist_count()) AS free,"
            " (SELECT page_size FROM pragma_page_size()) AS size"
        )
        assert pages is not None
        rows = (pages["pages"] - pages["free"]) * pages["size"]
        # Beside the loop: 50 ms of processor time for a few projects' thousands of files.
        return int(rows) + await asyncio.to_thread(disk_bytes, self.data_dir / "vectors")

    async def _used_lately(self) -> int:
        """As `used`, at most `LATELY_S` ago: windows ask for the status several times a second."""
        now = time.monotonic()
        if self._lately is None or now - self._lately[0] > LATELY_S:
            self._lately = (now, await self.used())
        return self._lately[1]

    async def _documents(self) -> dict[str, Kept]:
        rows = await self.state.read(
            """SELECT d.document_id, d.library, d.name, d.dated, d.file_path, d.content,
                 coalesce(l.kind, 'documents') AS kind, count(p.piece_id) AS pieces,
                 coalesce(sum(length(p.text)), 0) AS bytes
               FROM library_documents d LEFT JOIN libraries l ON l.name = d.library
               LEFT JOIN library_pieces p USING (document_id)
               WHERE d.evicted_at IS NULL GROUP BY d.document_id"""
        )
        found = {}
        for row in rows:
            ages = row["kind"] in (NOTES, SESSIONS) and not _is_evergreen(row["name"])
            # A file that is gone cannot be read again, unless its time was limited anyway.
            remakeable = row["content"] is None and (
                ages or bool(row["file_path"] and Path(row["file_path"]).exists())
            )
            if row["kind"] == NOTES and _is_evergreen(row["name"]):
                remakeable = False
            key = f"document:{row['document_id']}"
            size = row["bytes"] + row["pieces"] * BYTES_PER_POINT
            found[key] = Kept(key, size, row["dated"], ages, remakeable)
        return found

    async def _commits(self) -> dict[str, Kept]:
        """The history of each project that is still on disk, as one thing to let go of."""
        rows = await self.state.read(
            """SELECT c.project_id, count(*) AS commits, max(c.committed) AS newest,
                 sum(length(c.subject) + length(c.body)) AS bytes,
                 (SELECT root FROM checkouts k WHERE k.project_id = c.project_id) AS root
               FROM commits c GROUP BY c.project_id"""
        )
        found = {}
        for row in rows:
            key = f"history:{row['project_id']}"
            size = row["bytes"] + row["commits"] * BYTES_PER_POINT
            remakeable = bool(row["root"] and Path(row["root"]).is_dir())
            found[key] = Kept(key, size, row["newest"], ages=False, remakeable=remakeable)
        return found

    async def _evict_document(self, document_id: int) -> None:
        """Drop a document's pieces; its row stays, so that it is not read again unchanged."""
        row = await self.state.one(
            "SELECT d.library, coalesce(l.kind, 'documents') AS kind FROM library_documents d"
            " LEFT JOIN libraries l ON l.name = d.library WHERE d.document_id = ?",
            (document_id,),
        )
        if row is None:
            return
        points = await self.state.read(
            "SELECT point_id FROM library_pieces WHERE document_id = ?", (document_id,)
        )
        async with self.state.transaction() as tx:
            await tx.execute("DELETE FROM library_pieces WHERE document_id = ?", (document_id,))
            await tx.execute(
                "UPDATE library_documents SET evicted_at = ? WHERE document_id = ?",
                (now(), document_id),
            )
        space = self.library_store.space(row["library"], row["kind"])
        await self.library_store.points.delete(space, [str(one[0]) for one in points])

    async def _evict_history(self, project_id: str) -> None:
        """Drop the older half of a project's commits; they can be read from git again."""
        middle = await self.state.value(
            """SELECT committed FROM commits WHERE project_id = ? ORDER BY committed DESC
               LIMIT 1 OFFSET (SELECT count(*) / 2 FROM commits WHERE project_id = ?)""",
            (project_id, project_id),
        )
        points = await self.state.read(
            "SELECT point_id FROM commits WHERE project_id = ? AND committed <= ?",
            (project_id, middle),
        )
        async with self.state.transaction() as tx:
            await tx.execute(
                "DELETE FROM commits WHERE project_id = ? AND committed <= ?", (project_id, middle)
            )
            await tx.execute(
                "UPDATE history_progress SET complete = 0 WHERE project_id = ?", (project_id,)
            )
        space = self.history.space(project_id)
        await self.history.points.delete(space, [str(one[0]) for one in points])

    async def usage(self) -> KnowledgeUsage:
        """What is kept, by kind and by project."""
        kinds: dict[str, dict[str, int]] = {}
        rules = await self.state.one(
            "SELECT count(*) AS n, coalesce(sum(length(content)), 0) AS bytes FROM rules"
        )
        assert rules is not None
        kinds["rules"] = {
            "entries": rules["n"],
            "bytes": rules["bytes"] + rules["n"] * BYTES_PER_POINT,
        }
        for row in await self.state.read(
            """SELECT coalesce(l.kind, 'documents') AS kind, count(DISTINCT d.document_id) AS n,
                 count(p.piece_id) AS pieces, coalesce(sum(length(p.text)), 0) AS bytes
               FROM library_documents d LEFT JOIN libraries l ON l.name = d.library
               LEFT JOIN library_pieces p USING (document_id) WHERE d.deleted_at IS NULL
               GROUP BY 1 ORDER BY 1"""
        ):
            name = {"folder": "libraries", "documents": "libraries", "package": "packages"}.get(
                row["kind"], row["kind"]
            )
            total = kinds.setdefault(name, {"entries": 0, "bytes": 0})
            total["entries"] += row["n"]
            total["bytes"] += row["bytes"] + row["pieces"] * BYTES_PER_POINT
        commits = await self.state.one(
            "SELECT count(*) AS n, coalesce(sum(length(subject) + length(body)), 0) AS bytes"
            " FROM commits"
        )
        assert commits is not None
        kinds["history"] = {
            "entries": commits["n"],
            "bytes": commits["bytes"] + commits["n"] * BYTES_PER_POINT,
        }
        limits = self.limits()
        return KnowledgeUsage(
            total_bytes=await self._used_lately(),
            kinds=kinds,
            projects=await self._by_project(),
            limits={
                "max_size": limits.max_size,
                "retention": limits.retention,
                "min_free_disk": limits.min_free_disk,
            },
            warnings=list(self.warnings),
        )

    async def _by_project(self) -> list[ProjectUsage]:
        names = {
            str(row[0]): str(row[1])
            for row in await self.state.read("SELECT project_id, name FROM projects")
        }
        found: dict[str, ProjectUsage] = {}
        for kind, sql in PROJECT_KINDS.items():
            for row in await self.state.read(sql.format(point=BYTES_PER_POINT)):
                key = str(row[0] or "")
                name = names.get(key, key or "every project")
                usage = found.setdefault(key, ProjectUsage(project_id=key, name=name, kinds={}))
                usage.kinds[kind] = {"entries": int(row[1]), "bytes": int(row[2])}
        return sorted(found.values(), key=lambda one: (not one.project_id, one.name))


def _is_evergreen(name: str) -> bool:
    return name.rpartition(".")[2].lower() == EVERGREEN
