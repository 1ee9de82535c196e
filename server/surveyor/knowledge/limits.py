"""How much knowledge may be kept: what to let go of first, and when to stop writing.

Pure decisions; the engine measures and carries them out. Rules are never let go of, nor is
anything that could not be made again from what is on disk.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from surveyor.errors import DiskFullError

DEFAULT_MAX_SIZE_BYTES = 2 * 1024**3
DEFAULT_RETENTION_S = 90 * 86400.0
DEFAULT_MIN_FREE_DISK_BYTES = 100 * 1024**2

Reason = Literal["retention", "size"]


@dataclass(frozen=True, slots=True)
class Limits:
    """`[storage]`: sizes in bytes, the retention of notes and sessions in seconds."""

    max_size: int = DEFAULT_MAX_SIZE_BYTES
    retention: float = DEFAULT_RETENTION_S
    min_free_disk: int = DEFAULT_MIN_FREE_DISK_BYTES


@dataclass(frozen=True, slots=True)
class Kept:
    """Something stored that could be let go of.

    `dated` is when it was written, in seconds since 1970; `ages` says whether retention applies
    (dated notes and sessions); `remakeable` whether its source is still on disk.
    """

    id: str
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


def evictions(kept: Iterable[Kept], used: int, limits: Limits, now: float) -> list[Eviction]:
    """What must go: first what is past retention, then the oldest until `used` bytes fit."""
    candidates = sorted((one for one in kept if one.remakeable), key=lambda one: one.dated)
    chosen: list[Eviction] = []
    remaining: list[Kept] = []
    for one in candidates:
        if one.ages and now - one.dated > limits.retention:
            chosen.append(Eviction(one.id, one.size, "retention"))
            used -= one.size
        else:
            remaining.append(one)
    for one in remaining:
        if used <= limits.max_size:
            break
        chosen.append(Eviction(one.id, one.size, "size"))
        used -= one.size
    return chosen


def free_disk(folder: Path) -> int | None:
    """Bytes free where a folder is, or None where the system does not say."""
    try:
        return shutil.disk_usage(folder).free
    except OSError:
        return None


def check_free_disk(folder: Path, limits: Limits) -> str | None:
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
