"""Groups of processes that end with us, however we end.

POSIX: one small `sh` for all groups, in a session of its own, sees the end of its input and ends
the groups that it was told of. Windows: a job object for each; the system ends what is in it when
our handle of it goes, which it does with us (`job_objects`).
"""

from __future__ import annotations

import contextlib
import subprocess
import sys
from typing import Protocol

from surveyor.platform.processes import apart

__all__ = ["GroupGuard", "ShellGuard", "guard_of_platform"]

SCRIPT = """
groups=
while read -r what group; do
  case $what in
    add) groups="$groups $group" ;;
    end) kept=; for g in $groups; do [ "$g" = "$group" ] || kept="$kept $g"; done; groups=$kept ;;
  esac
done
for g in $groups; do kill -s TERM -- "-$g" 2>/dev/null; done
[ -z "$groups" ] || sleep 1
for g in $groups; do kill -s KILL -- "-$g" 2>/dev/null; done
"""


class GroupGuard(Protocol):
    """Ends process groups when this process is gone without having done so."""

    def add(self, group: int) -> None:
        """Watch over a process group."""
        ...

    def remove(self, group: int) -> None:
        """Forget a group that has ended."""
        ...

    def close(self) -> None:
        """End the guard."""
        ...


class ShellGuard:
    """A shell that outlives us by a second."""

    def __init__(self) -> None:
        self._child: subprocess.Popen[bytes] | None = None
        self._groups: set[int] = set()

    def add(self, group: int) -> None:
        """Watch over a process group."""
        self._groups.add(group)
        self._tell(f"add {group}")

    def remove(self, group: int) -> None:
        """Forget a group that has ended; the guard leaves with the last one."""
        self._groups.discard(group)
        self._tell(f"end {group}")
        if not self._groups:
            self.close()

    def close(self) -> None:
        """End the guard without its doing anything."""
        child, self._child = self._child, None
        if child is not None and child.stdin is not None:
            with contextlib.suppress(OSError):
                child.stdin.close()
            child.wait()

    def _tell(self, line: str) -> None:
        if self._child is None or self._child.poll() is not None:
            if not self._groups:
                return
            self._child = subprocess.Popen(
                ["/bin/sh", "-c", SCRIPT, "surveyor-guard"],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                **apart(),
            )
            line = "\n".join(f"add {group}" for group in sorted(self._groups))
        assert self._child.stdin is not None
        with contextlib.suppress(OSError):
            self._child.stdin.write(f"{line}\n".encode())
            self._child.stdin.flush()


def guard_of_platform() -> GroupGuard:
    """That of this system."""
    if sys.platform != "win32":
        return ShellGuard()
    # It loads ctypes, which no window of another system shall pay for.
    from surveyor.platform.job_objects import JobGuard, kernel_library

    return JobGuard(kernel_library())
