"""How much memory a process has, and may have: one file of a few hundred KB can cost gigabytes."""

from __future__ import annotations

import os
import sys
import threading
from contextlib import suppress
from functools import cache
from pathlib import Path

M_ARENA_MAX = -8
"""glibc's number of the option for how many arenas there may be."""
STACK_BYTES = 1 << 20
"""Of a thread, where address space is short."""


def resident_bytes(pid: int) -> int:
    """Physical memory of a process; 0 when it is gone."""
    try:
        with open(f"/proc/{pid}/statm", "rb") as file:  # noqa: PTH123 - asked many times a second
            return int(file.read().split()[1]) * _page_bytes()
    except (OSError, IndexError, ValueError):
        pass
    if sys.platform == "linux":
        return 0
    import psutil

    try:
        return int(psutil.Process(pid).memory_info().rss)
    except psutil.Error:
        return 0


def machine_bytes() -> int:
    """Physical memory of the machine; 0 where the system does not say."""
    if sys.platform != "win32":
        try:
            return os.sysconf("SC_PHYS_PAGES") * _page_bytes()
        except (ValueError, OSError):
            return 0
    import psutil  # not where a server is started on other systems

    return int(psutil.virtual_memory().total)


def resident_and_anonymous_bytes(pid: int) -> tuple[int, int]:
    """Physical memory of a process, and what of it is no file's; zeros when it is gone.

    Where the system does not tell them apart, all counts as anonymous.
    """
    try:
        # Not smaps_rollup: it visits every page, and status is asked again and again.
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
        sizes = dict(line.split(":", 1) for line in lines if line.endswith(" kB"))
        return _size(sizes["VmRSS"]), _size(sizes["RssAnon"])
    except (OSError, KeyError):
        pass
    resident = resident_bytes(pid)
    return resident, resident


def _size(text: str) -> int:
    """`  120 kB` as a number."""
    return int(text.split()[0]) * 1024


def own_bytes() -> int:
    """Physical memory of this process."""
    return resident_bytes(os.getpid())


@cache
def _page_bytes() -> int:
    if sys.platform == "win32":
        return 0
    return os.sysconf("SC_PAGE_SIZE")


def limit_own(more: int) -> None:
    """Let the system refuse this process more than `more` bytes beyond what it has now.

    Nothing where the system has no such limit (macOS, Windows): there the engine watches alone.
    """
    if sys.platform != "linux":
        return
    import resource

    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    wanted = _data_bytes() + more
    if hard != resource.RLIM_INFINITY:
        wanted = min(wanted, hard)
    resource.setrlimit(resource.RLIMIT_DATA, (wanted, hard))


def address_space_limit() -> int | None:
    """Bytes of address space that this process may have; None without a limit."""
    if sys.platform != "linux":
        return None
    import resource

    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    return None if limit == resource.RLIM_INFINITY else limit


def reserve_less() -> None:
    """Have threads from now on, and the allocator (glibc's), reserve less of the address space:
    for a process that may have little of it. Both take some megabytes of the 64 and 8 for each
    thread."""
    import ctypes  # loads a library, for what few processes do

    threading.stack_size(STACK_BYTES)
    with suppress(AttributeError):  # another C library
        ctypes.CDLL(None).mallopt(M_ARENA_MAX, 2)


def _data_bytes() -> int:
    """Private memory that this process may write, reserved or in use."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmData:"):
            return int(line.split()[1]) * 1024
    return 0


def import_asyncio_without_tls() -> None:
    """Import asyncio without `ssl`, which it takes where there is one: 1.5 MB of each process.

    For processes that speak with their own machine alone: their loops make no TLS connections.
    Whoever imports `ssl` afterwards has it. Does nothing once either has been imported.
    """
    if "asyncio" in sys.modules or "ssl" in sys.modules:
        return
    sys.modules["ssl"] = None  # type: ignore[assignment]  # as in a Python that was built without
    try:
        import asyncio  # noqa: F401
    finally:
        del sys.modules["ssl"]


def give_back_free_memory() -> None:
    """Hand the system what this process has freed and would keep for itself (glibc alone)."""
    if sys.platform == "linux":
        import ctypes  # loads a library, for what few processes do

        with suppress(AttributeError):  # another C library
            ctypes.CDLL(None).malloc_trim(0)
