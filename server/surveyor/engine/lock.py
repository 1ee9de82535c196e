"""The engine's lock: held by exactly one process for as long as it lives, however it ends."""

from __future__ import annotations

import contextlib
import os
import sys
from pathlib import Path


class EngineLock:
    """An advisory lock on a file; the system releases it when the process is gone."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._handle: int | None = None

    def acquire(self) -> bool:
        """Take the lock; false when another process has it."""
        while True:
            try:
                handle = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600)
            except FileNotFoundError:  # its last owner removed the folder as well
                self._path.parent.mkdir(mode=0o700, exist_ok=True)
                continue
            if not _try_lock(handle):
                os.close(handle)
                return False
            if _is_still(self._path, handle):
                break
            os.close(handle)  # its last owner removed the file before we had the lock
        self._handle = handle
        with contextlib.suppress(OSError):  # for people who look; a full disk must not matter
            os.ftruncate(handle, 0)
            os.write(handle, str(os.getpid()).encode())
        return True

    def release(self) -> None:
        """Give the lock back and remove its file."""
        if self._handle is not None:
            self._path.unlink(missing_ok=True)
            os.close(self._handle)
            self._handle = None


def _is_still(path: Path, handle: int) -> bool:
    try:
        return os.path.samestat(path.stat(), os.fstat(handle))
    except FileNotFoundError:
        return False


def is_held(path: Path) -> bool:
    """Whether a living process holds the lock."""
    try:
        handle = os.open(path, os.O_RDWR)
    except OSError:
        return False
    try:
        return not _try_lock(handle)
    finally:
        os.close(handle)


if sys.platform == "win32":  # untested until CI has it
    import msvcrt

    def _try_lock(handle: int) -> bool:
        try:
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

else:
    import fcntl

    def _try_lock(handle: int) -> bool:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False
        return True
