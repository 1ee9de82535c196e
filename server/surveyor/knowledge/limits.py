"""How much knowledge may be kept: what to let go of first, and when to stop writing.

Pure decisions; the engine measures and carries them out. Only what Surveyor gathered by itself is
ever let go of: packages, sessions and history. Rules, libraries, documents and notes are what the
user stored, and the index of code is what it is for: they count towards no limit.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from surveyor.errors import DiskFullError

DEFAULT_MAX_SIZE_BYTES = 2 * 1024**3
DEFAULT_RETENTION_S = 90 * 86400.0
DEFAULT_MIN_FREE_DISK_BYTES = 100 * 1024**2
WARN_SHARE = 0.8
"""Share of a limit from which it is warned about."""

GATHERED = ("packages", "sessions", "history")
"""The kinds that are let go of; each has a limit of its own."""
Reason = Literal["retention", "size"]


@dataclass(frozen=True, slots=True)
class StorageLimits:
    """`[storage]`: sizes in bytes, the retention of sessions in seconds."""

    max_size: int = DEFAULT_MAX_SIZE_BYTES
    """Of each kind that has no limit of its own in `sizes`."""
    retention: float = DEFAULT_RETENTION_S
    min_free_disk: int = DEFAULT_MIN_FREE_DISK_BYTES
    sizes: Mapping[str, int] = field(default_factory=dict)

    def of(self, kind: str) -> int:
        """Most bytes of one kind."""
        return self.sizes.get(kind, self.max_size)

    def by_setting(self) -> dict[str, float]:
        """The limits below which something goes, by the setting that each comes from."""
        found: dict[str, float] = {f"storage.max_{kind}": self.of(kind) for kind in GATHERED}
        return {**found, "storage.retention": self.retention}

    def with_settings(self, values: Mapping[str, float]) -> StorageLimits:
        """The same with other values of `by_setting`."""
        return StorageLimits(
            self.max_size,
            values["storage.retention"],
            self.min_free_disk,
            {kind: int(values[f"storage.max_{kind}"]) for kind in GATHERED},
        )


@dataclass(frozen=True, slots=True)
class Evictable:
    """Something gathered that could be let go of.

    `dated` is when it was written, in seconds since 1970; `ages` says whether retention applies
    (sessions); `remakeable` whether its source is still on disk: else only retention ends it.
    """

    id: str
    kind: str
    size: int
    dated: float
    ages: bool
    remakeable: bool


@dataclass(frozen=True, slots=True)
class Eviction:
    """What to let go of, and why."""

    id: str
    size: int
    reason: Reason


def evictions(kept: Iterable[Evictable], limits: StorageLimits, now: float) -> list[Eviction]:
    """What must go: first what is past retention, then the oldest of each kind that is too much."""
    used = dict.fromkeys(GATHERED, 0)
    chosen: list[Eviction] = []
    remaining: list[Evictable] = []
    for one in sorted(kept, key=lambda one: one.dated):
        if one.kind not in used:
            continue
        if one.ages and now - one.dated > limits.retention:
            chosen.append(Eviction(one.id, one.size, "retention"))
            continue
        used[one.kind] += one.size
        if one.remakeable:
            remaining.append(one)
    for one in remaining:
        if used[one.kind] > limits.of(one.kind):
            chosen.append(Eviction(one.id, one.size, "size"))
            used[one.kind] -= one.size
    return chosen


def free_disk(folder: Path) -> int | None:
    """Bytes free where a folder is, or None where the system does not say."""
    try:
        return shutil.disk_usage(folder).free
    except OSError:
        return None


def check_free_disk(folder: Path, limits: StorageLimits) -> str | None:
    """A warning when free space cannot be known; the write goes on.

    Raises `DiskFullError` when there is less than `limits.min_free_disk`.
    """
    free = free_disk(folder)
    if free is None:
        return f"free disk space of {folder} is not known; the check is off"
    if free < limits.min_free_disk:
        raise DiskFullError(
            f"only {free >> 20} MB of disk are free in {folder}; nothing is written below "
            f"{limits.min_free_disk >> 20} MB",
            "free some space, or lower storage.min_free_disk",
        )
    return None
