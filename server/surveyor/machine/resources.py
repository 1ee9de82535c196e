"""Cores and memory that this process may use, whatever the machine has."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path

from surveyor.machine import control_groups

__all__ = ["Cores", "MemoryRoom", "cores", "memory", "worker_count", "worker_limit"]

MEMINFO = "proc/meminfo"
WORKER_SHARE = 0.5
"""Of all memory, for one worker: the engine with its index has most of the rest."""


@dataclass(frozen=True, slots=True)
class Cores:
    """Processor time: what the machine has, and what is left of it for this process."""

    machine: int
    allowed: int
    """Cores that this process may run on (its affinity)."""
    quota: float | None
    """Cores' worth of time that a control group allows; None without a limit."""

    @property
    def usable(self) -> float:
        """Cores' worth of time that this process can have."""
        return min(float(self.allowed), self.quota or float(self.allowed))


@dataclass(frozen=True, slots=True)
class MemoryRoom:
    """Bytes of memory; None where the system does not say."""

    machine: int | None
    available: int | None
    """What can be had now without taking it from others, within the limit."""
    limit: int | None
    """What a control group allows; None without a limit below the machine's."""

    @property
    def total(self) -> int | None:
        """What this process and its neighbours can have at most."""
        return self.limit if self.limit is not None else self.machine


def cores(root: Path = Path("/")) -> Cores:
    """Cores of the machine and of this process. `root`: what stands for `/`."""
    machine = os.cpu_count() or 1
    if hasattr(os, "sched_getaffinity"):
        allowed = len(os.sched_getaffinity(0))
    else:
        allowed = machine
    return Cores(machine, allowed, control_groups.core_quota(root))


def worker_count(configured: int, found: Cores | None = None) -> int:
    """Index workers: as configured, or by cores; two are enough to keep one engine busy."""
    return configured or max(1, min(2, int((found or cores()).usable)))


def worker_limit(configured: int, room: MemoryRoom | None = None) -> int:
    """Bytes that a file may need in a worker: as configured, or what a small machine, or a control
    group, has for it beside the engine."""
    total = (room or memory()).total
    return configured if total is None else min(configured, int(total * WORKER_SHARE))


def memory(root: Path = Path("/")) -> MemoryRoom:
    """Memory of the machine and of this process's group. `root`: what stands for `/`."""
    known = _meminfo(root / MEMINFO)
    machine, available = known.get("MemTotal"), known.get("MemAvailable")
    if machine is None:
        machine, available = _told_by_system()
    limit = control_groups.memory_limit(root)
    if limit is not None and (machine is None or limit < machine):
        used = control_groups.memory_used(root)
        left = None if used is None else max(limit - used, 0)
        both = [each for each in (available, left) if each is not None]
        return MemoryRoom(machine, min(both, default=None), limit)
    return MemoryRoom(machine, available, None)


def _meminfo(file: Path) -> dict[str, int]:
    """Bytes by name; empty where the file is hidden or not there."""
    try:
        lines = file.read_text(encoding="ascii", errors="replace").splitlines()
    except OSError:
        return {}
    found = {}
    for line in lines:
        name, _, rest = line.partition(":")
        parts = rest.split()
        if len(parts) == 2 and parts[0].isdigit() and parts[1] == "kB":
            found[name] = int(parts[0]) * 1024
    return found


def _told_by_system() -> tuple[int | None, int | None]:
    """Total and available bytes, where there is no `/proc`."""
    if sys.platform == "linux":  # psutil would read the file that is missing
        try:
            page = os.sysconf("SC_PAGE_SIZE")
            return os.sysconf("SC_PHYS_PAGES") * page, os.sysconf("SC_AVPHYS_PAGES") * page
        except (OSError, ValueError):
            return None, None
    import psutil  # only where the system has no such files

    try:
        told = psutil.virtual_memory()
    except (OSError, psutil.Error):
        return None, None
    return int(told.total), int(told.available)
