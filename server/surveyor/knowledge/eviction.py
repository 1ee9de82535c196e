"""Letting go of what was gathered, remembering what that was, and bringing it back."""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from surveyor.knowledge.anchors import Place
from surveyor.knowledge.dates import now
from surveyor.knowledge.history.index import History
from surveyor.knowledge.library_queue import LIBRARY_PRIORITY
from surveyor.knowledge.library_store import SESSIONS, LibraryStore
from surveyor.knowledge.limits import Eviction, Kept, Limits
from surveyor.knowledge.writes import Writes
from surveyor.protocol.knowledge import EvictedItem
from surveyor.store.state import State
from surveyor.store.state.queue import Item

log = logging.getLogger(__name__)

BYTES_PER_POINT = 1800
"""What a piece costs beside its text: dense and sparse vector, payload, index (measured)."""
HISTORY_PREFIX = "evicted_history:"
"""Of the keys in `settings`, one for each project."""


@dataclass(slots=True)
class Evicting:
    """What is gathered, as things that come and go as a whole."""

    state: State
    writes: Writes
    library_store: LibraryStore
    history: History

    # --- what there is ----------------------------------------------------------------------

    async def kept(self) -> list[Kept]:
        """Everything that could be let go of."""
        return [*await self._sessions(), *await self._packages(), *await self._histories()]

    async def _sessions(self) -> list[Kept]:
        rows = await self.state.read(
            """SELECT d.document_id, d.dated, d.file_path, count(p.piece_id) AS pieces,
                 coalesce(sum(length(p.text)), 0) AS bytes
               FROM library_documents d LEFT JOIN library_pieces p USING (document_id)
               WHERE d.library = ? AND d.evicted_at IS NULL GROUP BY d.document_id""",
            (SESSIONS,),
        )
        return [
            Kept(
                f"session:{row['document_id']}",
                "sessions",
                row["bytes"] + row["pieces"] * BYTES_PER_POINT,
                row["dated"],
                ages=True,
                remakeable=bool(row["file_path"] and Path(row["file_path"]).exists()),
            )
            for row in rows
        ]

    async def _packages(self) -> list[Kept]:
        """Each package as a whole; those that no project uses any more are the oldest."""
        rows = await self.state.read(
            """SELECT l.name, l.source, count(p.piece_id) AS pieces,
                 coalesce(sum(length(p.text)), 0) AS bytes,
                 coalesce(unixepoch(l.synced_at), 0) * EXISTS (
                   SELECT 1 FROM project_packages u WHERE u.library = l.name) AS dated
               FROM libraries l JOIN library_documents d ON d.library = l.name
               JOIN library_pieces p USING (document_id)
               WHERE l.kind = 'package' GROUP BY l.name"""
        )
        return [
            Kept(
                f"package:{row['name']}",
                "packages",
                row["bytes"] + row["pieces"] * BYTES_PER_POINT,
                row["dated"],
                ages=False,
                remakeable=bool(row["source"] and Path(row["source"]).exists()),
            )
            for row in rows
        ]

    async def _histories(self) -> list[Kept]:
        """The older half of each project's commits, where the project is on disk."""
        rows = await self.state.read(
            """SELECT c.project_id, count(*) AS commits, max(c.committed) AS newest,
                 sum(length(c.subject) + length(c.body)) AS bytes,
                 (SELECT root FROM checkouts k WHERE k.project_id = c.project_id) AS root
               FROM commits c GROUP BY c.project_id"""
        )
        found = []
        for row in rows:
            size = row["bytes"] + row["commits"] * BYTES_PER_POINT
            on_disk = bool(row["root"] and Path(row["root"]).is_dir())
            newer = Kept(f"newer:{row['project_id']}", "history", size - size // 2, 0, False, False)
            older = Kept(
                f"history:{row['project_id']}", "history", size // 2, row["newest"], False, on_disk
            )
            found += [newer, older]
        return found

    # --- letting go -------------------------------------------------------------------------

    async def evict(self, one: Eviction) -> None:
        """Let go of one thing, and remember it."""
        log.info("evicted %s (%s, %d bytes)", one.id, one.reason, one.size)
        kind, _, key = one.id.partition(":")
        if kind == "history":
            await self._evict_history(key, one)
            return
        where, value = ("document_id = ?", int(key)) if kind == "session" else ("library = ?", key)
        await self._evict_documents(where, value, one)

    async def _evict_documents(self, where: str, value: object, one: Eviction) -> None:
        """Drop the pieces; the rows stay, so that they are listed and not read again unchanged."""
        documents = f"SELECT document_id FROM library_documents WHERE {where}"
        points = await self.state.read(
            f"SELECT point_id FROM library_pieces WHERE document_id IN ({documents})", (value,)
        )
        row = await self.state.one(
            f"""SELECT d.library, l.kind FROM library_documents d
                JOIN libraries l ON l.name = d.library WHERE d.document_id IN ({documents})""",
            (value,),
        )
        if row is None:
            return
        noted = json.dumps({"reason": one.reason, "bytes": one.size})
        async with self.state.transaction() as tx:
            await tx.execute(
                f"DELETE FROM library_pieces WHERE document_id IN ({documents})", (value,)
            )
            await tx.execute(
                "UPDATE library_documents SET evicted_at = ?,"
                f" metadata = json_set(metadata, '$.evicted', json(?)) WHERE {where}",
                (now(), noted, value),
            )
        space = self.library_store.space(row["library"], row["kind"])
        await self.library_store.points.delete(space, [str(each[0]) for each in points])

    async def _evict_history(self, project_id: str, one: Eviction) -> None:
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
        earlier = await self._evicted_history(project_id)
        noted = {
            "commits": len(points) + int(earlier.get("commits", 0)),
            "bytes": one.size + int(earlier.get("bytes", 0)),
            "at": now(),
        }
        async with self.state.transaction() as tx:
            await tx.execute(
                "DELETE FROM commits WHERE project_id = ? AND committed <= ?", (project_id, middle)
            )
            await tx.execute(
                "UPDATE history_progress SET complete = 0 WHERE project_id = ?", (project_id,)
            )
            await tx.execute(
                "INSERT OR REPLACE INTO settings (key, value) VALUES (?, ?)",
                (HISTORY_PREFIX + project_id, json.dumps(noted)),
            )
        space = self.history.space(project_id)
        await self.history.points.delete(space, [str(each[0]) for each in points])

    async def _evicted_history(self, project_id: str) -> dict[str, Any]:
        value = await self.state.value(
            "SELECT value FROM settings WHERE key = ?", (HISTORY_PREFIX + project_id,)
        )
        return dict(json.loads(value)) if value else {}

    # --- what has gone ----------------------------------------------------------------------

    async def evicted(self) -> list[EvictedItem]:
        """What was let go of and has not come back, newest first."""
        found = []
        for row in await self.state.read(
            """SELECT d.library, coalesce(l.kind, 'documents') AS kind, l.source,
                 min(d.name) AS name, min(d.file_path) AS file_path, max(d.evicted_at) AS at,
                 max(d.dated) AS dated, json_extract(d.metadata, '$.evicted.reason') AS reason,
                 max(json_extract(d.metadata, '$.evicted.bytes')) AS bytes
               FROM library_documents d LEFT JOIN libraries l ON l.name = d.library
               WHERE d.evicted_at IS NOT NULL AND d.deleted_at IS NULL
               GROUP BY CASE WHEN l.kind = 'package' THEN d.library ELSE d.document_id END"""
        ):
            package = row["kind"] == "package"
            path = row["source"] if package else row["file_path"]
            found.append(
                EvictedItem(
                    kind={"package": "packages"}.get(row["kind"], row["kind"]),
                    name=row["library"] if package else row["name"],
                    path=path,
                    bytes=row["bytes"] or 0,
                    reason=row["reason"] or "size",
                    at=row["at"],
                    dated=row["dated"],
                    returns=bool(path and Path(path).exists()),
                )
            )
        for row in await self.state.read(
            """SELECT s.key, s.value, p.name, h.complete, c.root FROM settings s
               LEFT JOIN projects p ON p.project_id = substr(s.key, ?2)
               LEFT JOIN history_progress h ON h.project_id = p.project_id
               LEFT JOIN checkouts c ON c.project_id = p.project_id
               WHERE substr(s.key, 1, ?2 - 1) = ?1 GROUP BY s.key""",
            (HISTORY_PREFIX, len(HISTORY_PREFIX) + 1),
        ):
            if row["root"] is None or row["complete"]:
                continue  # removed by the user, or read again since by a search that went so far
            noted = json.loads(row["value"])
            found.append(
                EvictedItem(
                    kind="history",
                    name=f"{noted['commits']} older commits of {row['name']}",
                    path=row["root"],
                    bytes=noted["bytes"],
                    reason="size",
                    at=noted["at"],
                    project_id=str(row["key"]).removeprefix(HISTORY_PREFIX),
                    returns=Path(row["root"]).is_dir(),
                )
            )
        return sorted(found, key=lambda one: (one.at, one.dated), reverse=True)

    async def restore(self, limits: Limits) -> int:
        """Have what has gone read again, the newest first, as far as it fits; how much that is."""
        used = dict.fromkeys(limits.by_setting(), 0)
        for one in await self.kept():
            used[f"storage.max_{one.kind}"] += one.size
        chosen: list[EvictedItem] = []
        for item in await self.evicted():
            setting = f"storage.max_{item.kind}"
            is_old = item.kind == "sessions" and time.time() - item.dated > limits.retention
            if not item.returns or is_old:
                continue
            if setting in used:
                if used[setting] + item.bytes > limits.of(item.kind):
                    continue
                used[setting] += item.bytes
            chosen.append(item)
        await self._read_again(chosen)
        return len(chosen)

    async def _read_again(self, chosen: Sequence[EvictedItem]) -> None:
        packages = [one for one in chosen if one.kind == "packages"]
        if packages:
            await self.writes.submit([_package_item(one) for one in packages], 0)
        others = [one.name for one in chosen if one.kind not in ("packages", "history")]
        if others:  # they are looked at next, and differ from what is on disk now
            async with self.state.transaction() as tx:
                await tx.many(
                    "UPDATE library_documents SET mtime_ns = 0, size = -1"
                    " WHERE name = ? AND evicted_at IS NOT NULL",
                    [(name,) for name in others],
                )
        for one in chosen:
            if one.kind == "history" and one.project_id and one.path:
                await self.history.request(Place("", one.project_id, one.path), 0, everything=True)


def _package_item(one: EvictedItem) -> Item:
    ecosystem, _, rest = one.name.partition(".")
    name, _, version = rest.rpartition("@")
    package = {
        "ecosystem": ecosystem,
        "name": name,
        "version": version,
        "root": one.path,
        "library": one.name,
    }
    return Item(
        "library", "ingest", one.name, "libraries", {"package": package},
        priority=LIBRARY_PRIORITY - 1,
    )  # fmt: skip
