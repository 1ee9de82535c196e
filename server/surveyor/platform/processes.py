"""Starting processes apart from ours, and ending them with all that they have started.

POSIX has sessions and groups. On Windows a process is started in a process group without a window
of its own, and ended as the tree that its children make; `process_guard` has what holds them when
we are gone.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict

if TYPE_CHECKING:
    import psutil

__all__ = [
    "BUS_ERROR",
    "age_s",
    "apart",
    "be_ended_first",
    "be_nice",
    "end_group",
    "end_tree",
    "exists",
    "family_of",
    "is_held_open",
    "is_refused_memory",
    "parents_of",
    "processor_ns",
    "terminate_group",
    "waits_for_disk",
    "was_ended_from_outside",
]

CREATE_NEW_PROCESS_GROUP = 0x00000200
CREATE_NO_WINDOW = 0x08000000
"""Flags of Windows' `CreateProcess`. Without the second, each program of the console would open a
window; the first keeps Ctrl+C of somebody's console from it."""
BUS_ERROR: int = getattr(signal, "SIGBUS", 0)
"""The signal of a process whose mapped file could not be written: the disk is full."""
PS_S = 0.5
ENDED_FIRST = 800
"""Thousandths of all memory, added to what a process has when the system looks for one to end."""
TERMINATED_ON_WINDOWS = (1, int(signal.SIGTERM))
"""Exit codes that `TerminateProcess` is called with: by subprocess and task managers, by psutil."""


class Apart(TypedDict, total=False):
    """Arguments of `Popen` and of asyncio's `create_subprocess_exec`."""

    start_new_session: bool
    creationflags: int


def apart() -> Apart:
    """How to start a process that has a group of its own and stays when our terminal goes."""
    if sys.platform == "win32":
        return {"creationflags": CREATE_NEW_PROCESS_GROUP | CREATE_NO_WINDOW}
    return {"start_new_session": True}


def terminate_group(group: int) -> None:
    """Ask every process of a group to end; none left is fine. Windows cannot ask: it ends them."""
    if sys.platform == "win32":
        end_tree(group)
    else:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(group, signal.SIGTERM)


def end_group(group: int) -> None:
    """End every process of a group at once; none left is fine."""
    if sys.platform == "win32":
        end_tree(group)
    else:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(group, signal.SIGKILL)


def end_led_group(process: psutil.Process) -> None:
    """End a process, and the group that it leads where it leads one."""
    import psutil

    with contextlib.suppress(psutil.Error, ProcessLookupError, PermissionError):
        if sys.platform != "win32" and os.getpgid(process.pid) == process.pid:
            os.killpg(process.pid, signal.SIGKILL)
        process.kill()


def end_tree(pid: int) -> None:
    """End a process and its children one by one."""
    import psutil

    for member in reversed(family_of(pid)):
        with contextlib.suppress(psutil.Error):
            member.kill()


def family_of(pid: int) -> list[psutil.Process]:
    """A process and all below it; none when it has ended."""
    import psutil  # takes a moment, and most commands need none

    try:
        process = psutil.Process(pid)
        return [process, *process.children(recursive=True)]
    except psutil.Error:
        return []


def wait_unreaped(process: subprocess.Popen[bytes]) -> None:
    """Wait for a child's end and, where that can be, leave it there: while it is, no other process
    has its number."""
    if sys.platform != "win32" and hasattr(os, "waitid"):  # macOS: from Python 3.13
        with contextlib.suppress(ChildProcessError):
            os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
    else:
        process.wait()


def exists(pid: int) -> bool:
    """Whether a process with this number exists."""
    if sys.platform == "win32":
        import psutil

        return bool(psutil.pid_exists(pid))
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True
    return True


def parents_of(pid: int, most: int) -> list[int]:
    """The processes above one, the nearest first, `most` of them."""
    above = _parent_table()
    found: list[int] = []
    while len(found) < most and (parent := above.get(pid) or _parent(pid)) > 1:
        found.append(parent)
        pid = parent
    return found


def _parent(pid: int) -> int:
    if sys.platform == "linux":
        with contextlib.suppress(OSError, ValueError, IndexError):
            stat = Path(f"/proc/{pid}/stat").read_text()
            return int(stat.rpartition(")")[2].split()[1])
        return 0
    if sys.platform == "win32":
        import psutil

        with contextlib.suppress(psutil.Error):
            return psutil.Process(pid).ppid()
    return 0


def _parent_table() -> dict[int, int]:
    """Parents by process, where they are asked for all at once (macOS); empty elsewhere."""
    if sys.platform != "darwin":
        return {}
    with contextlib.suppress(OSError, ValueError, subprocess.SubprocessError):
        said = subprocess.run(
            ["/bin/ps", "-axo", "pid=,ppid="], capture_output=True, text=True, timeout=PS_S
        ).stdout
        return {
            int(pid): int(parent) for pid, parent in (line.split() for line in said.splitlines())
        }
    return {}


def age_s() -> float:
    """Seconds since this process was started; 0 where the system does not say so cheaply."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError, ValueError, IndexError):
            stat = Path("/proc/self/stat").read_text()
            ticks = int(stat.rpartition(")")[2].split()[19])
            up_s = float(Path("/proc/uptime").read_text().split()[0])
            return max(0.0, up_s - ticks / os.sysconf("SC_CLK_TCK"))
    return 0.0


def processor_ns(pid: int) -> int:
    """Nanoseconds of the processor that a process has used, where they are counted so (Linux)."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError, ValueError, IndexError):
            return int(Path(f"/proc/{pid}/schedstat").read_text().split()[0])
    return 0


THREADS_HAVE_NICENESS = sys.platform == "linux"
"""Whether `be_nice` is about the thread that calls it, and those that it starts, alone."""


def be_nice(steps: int) -> None:
    """Leave the processor to others first."""
    if sys.platform != "win32":
        os.nice(steps)
        return
    import psutil

    with contextlib.suppress(psutil.Error):
        psutil.Process().nice(psutil.BELOW_NORMAL_PRIORITY_CLASS)


def be_ended_first() -> None:
    """Have the system end this process before the one that has started it, where memory is short
    (Linux): what it does can be done again."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError, ValueError):
            own = Path("/proc/self/oom_score_adj")
            own.write_text(str(max(int(own.read_text()), ENDED_FIRST)))


def waits_for_disk(pid: int) -> bool:
    """Whether a process waits for a file system, and for nothing else; known on Linux only."""
    if sys.platform != "linux":
        return False
    try:
        status = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
    return status.rpartition(")")[2].split()[:1] == ["D"]


def waited_for_processor(pid: int) -> float:
    """Seconds that a process has been ready to run while others had the processor, all its threads
    together; 0 where the system does not say (it does on Linux)."""
    waited = 0
    try:
        for thread in Path(f"/proc/{pid}/task").iterdir():
            waited += int((thread / "schedstat").read_text().split()[1])
    except (OSError, IndexError, ValueError):
        return 0.0
    return waited / 1e9


def is_held_open(path: str) -> bool:
    """Whether a process that we may look at has a file open; known on Linux only. Blocks."""
    if sys.platform != "linux":
        return False
    for process in Path("/proc").iterdir():
        if not process.name.isdigit():
            continue
        with contextlib.suppress(OSError):  # another user's, or it has just ended
            for each in (process / "fd").iterdir():
                with contextlib.suppress(OSError):
                    if os.readlink(each) == path:  # noqa: PTH115 - of many
                        return True
    return False


def was_ended_from_outside(code: int) -> bool:
    """Whether somebody ended a process, as told by its exit code."""
    if sys.platform == "win32":
        return code in TERMINATED_ON_WINDOWS
    return -code in (signal.SIGTERM, signal.SIGINT, signal.SIGKILL, signal.SIGHUP)


def is_refused_memory(code: int) -> bool:
    """Whether an exit code is that of a program in C which was refused memory, and did not expect
    it."""
    return -code in (signal.SIGSEGV, signal.SIGABRT)
