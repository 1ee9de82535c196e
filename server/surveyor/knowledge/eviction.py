"""Letting go of what was gathered, remembering what that was, and bringing it back."""

from __future__ import annotations

import logging
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from surveyor.knowledge.anchors import AnchorFolder
from surveyor.knowledge.dates import now
from surveyor.knowledge.history.index import History
from surveyor.knowledge.library_queue import LIBRARY_PRIORITY
from surveyor.knowledge.library_store import SESSIONS, LibraryStore
from surveyor.knowledge.limits import Evictable, Eviction, StorageLimits
from surveyor.knowledge.write_queue import WriteQueue
from surveyor.protocol.knowledge import EvictedItem
from surveyor.store.state import State, evicted_rows
from surveyor.store.state import history as commit_table
from surveyor.store.state import libraries as library_table
from surveyor.store.state.queue import NewQueueItem
from surveyor.units import counted

log = logging.getLogger(__name__)

BYTES_PER_POINT = 1800
"""What a piece costs beside its text: dense and sparse vector, payload, index (measured)."""


@dataclass(slots=True)
class Evictor:
    """What is gathered, as things that come and go as a whole."""

    state: State
    writes: WriteQueue
    library_store: LibraryStore
    history: History

    # --- what there is ----------------------------------------------------------------------

    async def kept(self) -> list[Evictable]:
        """Everything that could be let go of."""
        return [*await self._sessions(), *await self._packages(), *await self._histories()]

    async def _sessions(self) -> list[Evictable]:
        return [
            Evictable(
                f"session:{one.document_id}",
                "sessions",
                one.text_bytes + one.chunks * BYTES_PER_POINT,
                one.dated,
                ages=True,
                remakeable=bool(one.file_path and Path(one.file_path).exists()),
            )
            for one in await evicted_rows.session_sizes(self.state, SESSIONS)
        ]

    async def _packages(self) -> list[Evictable]:
        """Each package as a whole; those that no project uses any more are the oldest."""
        return [
            Evictable(
                f"package:{one.library}",
                "packages",
                one.text_bytes + one.chunks * BYTES_PER_POINT,
                one.dated,
                ages=False,
                remakeable=bool(one.source and Path(one.source).exists()),
            )
            for one in await evicted_rows.package_sizes(self.state)
        ]

    async def _histories(self) -> list[Evictable]:
        """The older half of each project's commits, where the project is on disk."""
        found = []
        for one in await evicted_rows.history_sizes(self.state):
            size = one.text_bytes + one.commits * BYTES_PER_POINT
            on_disk = bool(one.root and Path(one.root).is_dir())
            newer = Evictable(
                f"newer:{one.project_id}", "history", size - size // 2, 0, False, False
            )
            older = Evictable(
                f"history:{one.project_id}", "history", size // 2, one.newest, False, on_disk
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
        if kind == "session":
            await self._evict_documents("document_id", int(key), one)
        else:
            await self._evict_documents("library", key, one)

    async def _evict_documents(
        self, by: Literal["document_id", "library"], value: int | str, one: Eviction
    ) -> None:
        """Drop the pieces; the rows stay, so that they are listed and not read again unchanged."""
        found = await evicted_rows.find_documents(self.state, by, value)
        if found is None:
            return
        async with self.state.transaction() as tx:
            await evicted_rows.evict_documents(
                tx, by, value, now(), {"reason": one.reason, "bytes": one.size}
            )
        space = self.library_store.space(found.library, found.kind)
        await self.library_store.points.delete(space, found.point_ids)

    async def _evict_history(self, project_id: str, one: Eviction) -> None:
        """Drop the older half of a project's commits; they can be read from git again."""
        middle = await commit_table.middle_date(self.state, project_id)
        if middle is None:
            return
        points = await commit_table.points_until(self.state, project_id, middle)
        earlier = await evicted_rows.evicted_history_of(self.state, project_id)
        noted = {
            "commits": len(points) + int(earlier.get("commits", 0)),
            "bytes": one.size + int(earlier.get("bytes", 0)),
            "at": now(),
        }
        async with self.state.transaction() as tx:
            await commit_table.delete_until(tx, project_id, middle)
            await evicted_rows.note_evicted_history(tx, project_id, noted)
        space = self.history.space(project_id)
        await self.history.points.delete(space, points)

    # --- what has gone ----------------------------------------------------------------------

    async def evicted(self) -> list[EvictedItem]:
        """What was let go of and has not come back, newest first."""
        found = []
        for one in await evicted_rows.evicted_documents(self.state):
            package = one.kind == "package"
            path = one.source if package else one.file_path
            found.append(
                EvictedItem(
                    kind={"package": "packages"}.get(one.kind, one.kind),
                    name=one.library if package else one.name,
                    path=path,
                    bytes=one.bytes or 0,
                    reason=one.reason or "size",
                    at=one.at,
                    dated=one.dated,
                    returns=bool(path and Path(path).exists()),
                )
            )
        for history in await evicted_rows.evicted_histories(self.state):
            if history.root is None or history.is_complete:
                continue  # removed by the user, or read again since by a search that went so far
            noted = history.noted
            found.append(
                EvictedItem(
                    kind="history",
                    name=f"{counted(noted['commits'], 'older commit')} of {history.name}",
                    path=history.root,
                    bytes=noted["bytes"],
                    reason="size",
                    at=noted["at"],
                    project_id=history.project_id,
                    returns=Path(history.root).is_dir(),
                )
            )
        return sorted(found, key=lambda one: (one.at, one.dated), reverse=True)

    async def restore(self, limits: StorageLimits) -> int:
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
                await library_table.read_again(tx, others)
        for one in chosen:
            if one.kind == "history" and one.project_id and one.path:
                await self.history.request(
                    AnchorFolder("", one.project_id, one.path), 0, everything=True
                )


def _package_item(one: EvictedItem) -> NewQueueItem:
    ecosystem, _, rest = one.name.partition(".")
    name, _, version = rest.rpartition("@")
    package = {
        "ecosystem": ecosystem,
        "name": name,
        "version": version,
        "root": one.path,
        "library": one.name,
    }
    return NewQueueItem(
        "library", "ingest", one.name, "libraries", {"package": package},
        priority=LIBRARY_PRIORITY - 1,
    )  # fmt: skip
