"""Keeps what is stored within its limits, and says how much there is of what."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from surveyor.knowledge.eviction import BYTES_PER_POINT, Evictor
from surveyor.knowledge.limits import GATHERED, WARN_SHARE, Eviction, StorageLimits, evictions
from surveyor.knowledge.settings_guard import LimitGuard, WaitingLimit
from surveyor.paths import disk_bytes
from surveyor.protocol.knowledge import KnowledgeUsage, ProjectUsage
from surveyor.store.state import State, checkout_roots
from surveyor.store.state import usage as amounts
from surveyor.store.state.usage import StoredAmount
from surveyor.units import counted, format_size

LATELY_S = 5.0
"""How old the size on disk may be that people are told."""


@dataclass(slots=True)
class Retention:
    """Measures what was gathered, and evicts it beyond the limits."""

    state: State
    evicting: Evictor
    guard: LimitGuard
    limits: Callable[[], StorageLimits]
    are_whole: Callable[[], bool]
    """Whether every setting of the user could be read."""
    data_dir: Path
    _lately: tuple[float, int] | None = None

    async def enforce_limits(self) -> int:
        """Let go of what is past retention, then of the oldest where a kind is too much.

        Limits that became smaller wait a day; while a setting cannot be read nothing goes.
        """
        wanted = self.limits()
        if not self.are_whole():
            return 0
        now = time.time()
        kept = await self.evicting.kept()
        in_force = wanted.with_settings(await self.guard.in_force(wanted.by_setting()))
        chosen = evictions(kept, in_force, now)
        for one in chosen:
            await self.evicting.evict(one)
        return len(chosen)

    async def restore(self) -> int:
        """Have what was let go of read again, as far as it fits; how much that is."""
        if not self.are_whole():
            return 0
        wanted = self.limits()
        in_force = await self.guard.in_force(wanted.by_setting())
        least = {name: min(value, in_force[name]) for name, value in wanted.by_setting().items()}
        return await self.evicting.restore(wanted.with_settings(least))

    async def pending(self) -> list[str]:
        """Changed settings that wait before they delete something, and what that is."""
        waiting = await self.guard.waiting()
        if not waiting:
            return []
        limits, now = self.limits(), time.time()
        values = {one.name: one.in_force for one in waiting}
        in_force = limits.with_settings({**limits.by_setting(), **_known(limits, values)})
        kept = await self.evicting.kept()
        already = {one.id for one in evictions(kept, in_force, now)}
        told = []
        for one in waiting:
            changed = {**in_force.by_setting(), **_known(limits, {one.name: one.wanted})}
            goes = [
                each
                for each in evictions(kept, limits.with_settings(changed), now)
                if each.id not in already
            ]
            told.append(_pending(one, goes))
        return told

    def _near_limits(self, kinds: Mapping[str, Mapping[str, int]]) -> list[str]:
        """Warnings of kinds that come near their limits, long before something goes."""
        limits, told = self.limits(), []
        for kind, found in kinds.items():
            most = limits.of(kind)
            if found["bytes"] < WARN_SHARE * most or not found["bytes"]:
                continue
            size = f"{kind}: {format_size(found['bytes'])} of {format_size(most)}"
            if kind in GATHERED:
                told.append(
                    f"{size} (storage.max_{kind}): beyond it the oldest go; raise the limit, or"
                    " see `surveyor library evicted`"
                )
            else:
                told.append(
                    f"{size} (storage.max_size): they stay all the same; only your own command"
                    " removes them"
                )
        return told

    async def used(self) -> int:
        """Bytes of state (without what SQLite holds free) and of points."""
        rows = await amounts.database_bytes(self.state)
        # Beside the loop: 50 ms of processor time for a few projects' thousands of files.
        return rows + await asyncio.to_thread(disk_bytes, self.data_dir / "vectors")

    async def _used_lately(self) -> int:
        """As `used`, at most `LATELY_S` ago: windows ask for the status several times a second."""
        now = time.monotonic()
        if self._lately is None or now - self._lately[0] > LATELY_S:
            self._lately = (now, await self.used())
        return self._lately[1]

    async def usage(self) -> KnowledgeUsage:
        """What is kept, by kind and by project."""
        kinds: dict[str, dict[str, int]] = {}
        _add(kinds, "rules", await amounts.rules(self.state))
        for kind, amount in await amounts.documents_by_kind(self.state):
            named = {"folder": "libraries", "documents": "libraries", "package": "packages"}
            _add(kinds, named.get(kind, kind), amount)
        _add(kinds, "history", await amounts.commits(self.state))
        limits = self.limits()
        evicted = Counter(one.kind for one in await self.evicting.evicted())
        warnings = self._near_limits(kinds)
        if not self.are_whole():
            warnings.append(
                "while a setting cannot be read, nothing is let go of, whatever its age or size"
            )
        return KnowledgeUsage(
            total_bytes=await self._used_lately(),
            kinds=kinds,
            projects=await self._by_project(),
            limits={
                "max_size": limits.max_size,
                **{f"max_{kind}": limits.of(kind) for kind in GATHERED},
                "retention": limits.retention,
                "min_free_disk": limits.min_free_disk,
            },
            warnings=warnings,
            pending=await self.pending(),
            evicted=dict(evicted),
        )

    async def _by_project(self) -> list[ProjectUsage]:
        names = await checkout_roots.project_names(self.state)
        found: dict[str, ProjectUsage] = {}
        for one in await amounts.by_project(self.state, BYTES_PER_POINT):
            key = one.project_id
            name = names.get(key, key or "every project")
            usage = found.setdefault(key, ProjectUsage(project_id=key, name=name, kinds={}))
            usage.kinds[one.kind] = {"entries": one.entries, "bytes": one.bytes}
        return sorted(found.values(), key=lambda one: (not one.project_id, one.name))


def _add(kinds: dict[str, dict[str, int]], kind: str, amount: StoredAmount) -> None:
    total = kinds.setdefault(kind, {"entries": 0, "bytes": 0})
    total["entries"] += amount.entries
    total["bytes"] += amount.text_bytes + amount.points * BYTES_PER_POINT


def _known(limits: StorageLimits, values: Mapping[str, float]) -> dict[str, float]:
    """Those of some values that `StorageLimits` has."""
    return {name: value for name, value in values.items() if name in limits.by_setting()}


def _pending(one: WaitingLimit, goes: Sequence[Eviction]) -> str:
    """A limit that waits, in a line for people."""
    as_text = format_size if ".max_" in one.name else _days
    due = datetime.fromtimestamp(one.due).astimezone().strftime("%Y-%m-%d %H:%M")
    kinds = Counter(each.id.partition(":")[0] for each in goes)
    several = {"history": "projects' older commits"}
    one_of = {"history": "project's older commits"}
    what = ", ".join(
        counted(count, one_of.get(kind, kind), several.get(kind, ""))
        for kind, count in kinds.items()
    )
    size = format_size(sum(each.size for each in goes))
    return (
        f"{one.name} goes from {as_text(int(one.in_force))} to {as_text(int(one.wanted))} on {due}"
        f" and then deletes {f'{what} ({size})' if goes else 'what is beyond it'}; set it back to"
        " keep everything"
    )


def _days(seconds: int) -> str:
    return f"{seconds / 86400:g} days"
