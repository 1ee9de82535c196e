"""Limits that Linux's control groups put on this process, of both versions.

A container or a systemd unit may have half a core and 512 MB on a machine that has 64 of each. The
limits of all groups above count as well. Every function takes the folder that stands for `/`.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

__all__ = ["core_quota", "memory_limit", "memory_used"]

MOUNT = "sys/fs/cgroup"
UNLIMITED_BYTES = 1 << 60
"""Version 1 writes the largest multiple of a page in 63 bits where there is no limit."""
CACHE_KEYS = ("inactive_file", "total_inactive_file")
"""Lines of `memory.stat`: files' content that is given up as soon as memory is needed."""


def core_quota(root: Path = Path("/")) -> float | None:
    """Cores' worth of time that this process may use; None without a limit."""
    found = []
    for folder in _folders(root, "cpu"):
        quota, period = _two_numbers(folder / "cpu.max")
        if quota is None:
            quota, period = (
                _number(folder / "cpu.cfs_quota_us"),
                _number(folder / "cpu.cfs_period_us"),
            )
        if quota is not None and period and quota > 0:
            found.append(quota / period)
    return min(found, default=None)


def memory_limit(root: Path = Path("/")) -> int | None:
    """Bytes that this process and its neighbours in the group may have; None without a limit."""
    found = [limit for _, limit in _limits(root)]
    return min(found, default=None)


def memory_used(root: Path = Path("/")) -> int | None:
    """Bytes taken in the group with the smallest limit, without files' content that can go."""
    folder = min(_limits(root), key=lambda one: one[1], default=(None, 0))[0]
    if folder is None:
        return None
    used = _number(folder / "memory.current")
    if used is None:
        used = _number(folder / "memory.usage_in_bytes")
    return None if used is None else max(used - _given_up(folder / "memory.stat"), 0)


def _limits(root: Path) -> list[tuple[Path, int]]:
    found = []
    for folder in _folders(root, "memory"):
        limit = _number(folder / "memory.max")
        if limit is None:
            limit = _number(folder / "memory.limit_in_bytes")
        if limit is not None and limit < UNLIMITED_BYTES:
            found.append((folder, limit))
    return found


def _folders(root: Path, controller: str) -> Iterator[Path]:
    """Folders of this process's group and of those above it, the innermost first.

    A container often sees its group's path on the host, but its own group at the mount's top; what
    is not there has no files, and no limit.
    """
    for line in _lines(root / "proc/self/cgroup") or ["0::/"]:
        _, _, rest = line.partition(":")
        controllers, _, path = rest.partition(":")
        names = controllers.split(",")
        if controllers and controller not in names:
            continue
        tops = [MOUNT] if not controllers else [f"{MOUNT}/{controllers}", f"{MOUNT}/{controller}"]
        for top in dict.fromkeys(tops):
            inside = Path(path.strip("/"))
            for each in (inside, *inside.parents):
                if ".." not in each.parts:  # a group outside of what this namespace sees
                    yield root / top / each


def _lines(file: Path) -> list[str]:
    try:
        return file.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return []


def _number(file: Path) -> int | None:
    lines = _lines(file)
    try:
        return int(lines[0]) if lines else None
    except ValueError:  # `max`
        return None


def _two_numbers(file: Path) -> tuple[int | None, int | None]:
    parts = (_lines(file) or [""])[0].split()
    try:
        quota, period = (int(part) for part in parts)
    except ValueError:  # `max 100000`, or no such file
        return None, None
    return quota, period


def _given_up(file: Path) -> int:
    found = dict(line.split(maxsplit=1) for line in _lines(file) if " " in line)
    values = [int(found[key]) for key in CACHE_KEYS if found.get(key, "").isdigit()]
    return max(values, default=0)
