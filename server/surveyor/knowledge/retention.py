"""Keeps what is stored within its limits, and says how much there is of what."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from surveyor.config.units import format_size
from surveyor.knowledge.eviction import BYTES_PER_POINT, Evicting
from surveyor.knowledge.limits import GATHERED, WARN_SHARE, Eviction, Limits, evictions
from surveyor.knowledge.settings_guard import Guard, Waiting
from surveyor.paths import disk_bytes
from surveyor.protocol.knowledge import KnowledgeUsage, ProjectUsage
from surveyor.store.state import State

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


@dataclass(slots=True)
class Keeper:
    """Measures and lets go."""

    state: State
    evicting: Evicting
    guard: Guard
    limits: Callable[[], Limits]
    are_whole: Callable[[], bool]
    """Whether every setting of the user could be read."""
    data_dir: Path
    _lately: tuple[float, int] | None = None

    async def keep(self) -> int:
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


def _known(limits: Limits, values: Mapping[str, float]) -> dict[str, float]:
    """Those of some values that `Limits` has."""
    return {name: value for name, value in values.items() if name in limits.by_setting()}


def _pending(one: Waiting, goes: Sequence[Eviction]) -> str:
    """A limit that waits, in a line for people."""
    as_text = format_size if ".max_" in one.name else _days
    due = datetime.fromtimestamp(one.due).astimezone().strftime("%Y-%m-%d %H:%M")
    kinds = Counter(each.id.partition(":")[0] for each in goes)
    named = {"session": "sessions", "package": "packages", "history": "projects' older commits"}
    what = ", ".join(f"{count} {named[kind]}" for kind, count in kinds.items())
    size = format_size(sum(each.size for each in goes))
    return (
        f"{one.name} goes from {as_text(int(one.in_force))} to {as_text(int(one.wanted))} on {due}"
        f" and then deletes {f'{what} ({size})' if goes else 'what is beyond it'}; set it back to"
        " keep everything"
    )


def _days(seconds: int) -> str:
    return f"{seconds / 86400:g} days"
