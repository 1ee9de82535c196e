"""A lock on an open file, which the system releases when the process is gone."""

from __future__ import annotations

import os
import sys

__all__ = ["can_lock_folders", "closed_before_removal", "try_lock"]

LOCKED_BYTE = 1 << 30
"""Of a file, on Windows. A locked byte cannot be read there: it lies behind what the file says."""


def try_lock(handle: int) -> bool:
    """Take the lock of an open file; false where another process has it."""
    try:
        if sys.platform == "win32":
            import msvcrt  # Windows alone has it

            os.lseek(handle, LOCKED_BYTE, os.SEEK_SET)
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
            os.lseek(handle, 0, os.SEEK_SET)
        else:
            import fcntl  # Windows has none

            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def can_lock_folders() -> bool:
    """Whether a folder can be opened and locked. On Windows none can, nor can one be removed while
    a file in it is open."""
    return sys.platform != "win32"


def closed_before_removal() -> bool:
    """Whether a file must be closed before it can be removed, which gives its lock back first."""
    return sys.platform == "win32"
