"""All of knowledge, put together for an engine: rules, libraries, notes, history, limits."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from surveyor.knowledge.anchors import Place
from surveyor.knowledge.history.changes import Changes
from surveyor.knowledge.history.index import History
from surveyor.knowledge.libraries import Libraries
from surveyor.knowledge.limits import Limits
from surveyor.knowledge.memory import GLOBAL, Memory
from surveyor.knowledge.points import Points
from surveyor.knowledge.shelves import Shelves
from surveyor.knowledge.writes import Writes

if TYPE_CHECKING:
    from surveyor.engine.core import Engine
    from surveyor.indexing.pipeline import Committed
    from surveyor.store.state import State

log = logging.getLogger(__name__)


@dataclass(slots=True)
class Knowledge:
    """What the operations use."""

    state: State
    points: Points
    writes: Writes
    memory: Memory
    libraries: Libraries
    shelves: Shelves
    history: History
    changes: Changes

    @classmethod
    def of(cls, engine: Engine) -> Knowledge:
        """Built on what an engine has open."""
        points = Points(
            state=engine.state,
            vectors=engine.vectors,
            on_store=engine.on_store,
            pool=engine.pool,
            model=lambda: (engine.pipeline.model.fingerprint, engine.pipeline.model.dimension),
            embedder=engine.embedder,
        )

        def limits() -> Limits:
            storage = engine.settings.storage
            return Limits(storage.max_size, storage.retention, storage.min_free_disk)

        writes = Writes(engine.state, Path(engine.data_dir), limits, engine.pipeline.wake)
        libraries = Libraries(engine.state, points, writes)
        return cls(
            state=engine.state,
            points=points,
            writes=writes,
            memory=Memory(engine.state, points, writes),
            libraries=libraries,
            shelves=Shelves(engine.state, libraries),
            history=History(
                engine.state,
                points,
                writes,
                initial=lambda: engine.settings.history.initial,
                summaries=lambda: engine.settings.history.summaries,
            ),
            changes=Changes(),
        )

    async def committed(self, batch: Committed) -> None:
        """The index changed: anchored rules follow their code."""
        place = Place(batch.checkout_id, batch.project_id, batch.root)
        await self.memory.code_changed(place, frozenset((*batch.changed, *batch.removed)))

    async def reconcile(self) -> int:
        """Make the points equal to the rows: after a crash, a new model or a changed id."""
        made = 0
        tenants = await self.state.read("SELECT DISTINCT project_id FROM rules")
        for row in tenants:
            space = self.points.space("memory", row[0] or GLOBAL)
            made += await self.points.reconcile(space, await self.memory.entries(row[0]))
        by_tenant: dict[str, list[str]] = {}
        for row in await self.state.read("SELECT name, kind FROM libraries"):
            space = self.libraries.space(row["name"], row["kind"])
            by_tenant.setdefault(space.tenant, []).append(str(row["name"]))
        for tenant, names in by_tenant.items():
            space = self.points.space("libraries", tenant)
            made += await self.points.reconcile(space, await self.libraries.entries(names))
        await self._drop_orphans({row[0] or GLOBAL for row in tenants}, set(by_tenant))
        if made:
            log.info("%d knowledge points were made again", made)
        return made

    async def _drop_orphans(self, rules: set[str], libraries: set[str]) -> None:
        """Remove spaces that nothing belongs to any more, and those of earlier models."""
        model = self.points.model()[0]
        for space in await self.points.spaces():
            kept = {"memory": rules, "libraries": libraries}.get(space.collection)
            if kept is None or space.tenant.startswith("history."):
                continue
            if space.tenant not in kept or space.model != model:
                await self.points.on_store(self.points.vectors.drop, space)

    async def same_counts(self, expected: Sequence[tuple[str, str, int]]) -> bool:
        """Whether spaces (collection, tenant, rows) hold as many points as there are rows."""
        spaces = await self.points.spaces()
        for collection, tenant, rows in expected:
            space = self.points.space("memory" if collection == "memory" else "libraries", tenant)
            if not rows and space not in spaces:
                continue
            if space not in spaces:
                return False
            if await self.points.on_store(self.points.vectors.count, space) != rows:
                return False
        return True
