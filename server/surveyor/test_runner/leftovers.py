"""What runs of tests leave behind: processes in sessions of their own, folders of killed engines.

A process that a test starts is known by a variable that it has inherited, whatever session and
parent it has by now.
"""

from __future__ import annotations

import contextlib
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from surveyor.engine_lock import FileLock
from surveyor.platform import users

__all__ = ["MARK", "end_marked", "scratch_folder", "sweep"]

MARK = "SURVEYOR_TEST_RUN"
"""Variable with the folder of the run."""
PREFIX = "surveyor-tests-"
LOCK = "lock"
YOUNG_S = 60.0
"""A folder that was made so recently may not have its lock yet."""
ROUNDS = 5
"""Looks for processes: one may have started another meanwhile."""


@contextmanager
def scratch_folder() -> Iterator[Path]:
    """A folder for the files of a run; what an engine that was killed has left goes first."""
    sweep(Path(tempfile.gettempdir()))
    with tempfile.TemporaryDirectory(prefix=PREFIX, ignore_cleanup_errors=True) as name:
        lock = FileLock(Path(name) / LOCK)
        lock.acquire()
        try:
            yield Path(name)
        finally:
            lock.release()


def sweep(folder: Path) -> None:
    """End and remove what runs of engines that are gone have left in a folder."""
    for left in folder.glob(f"{PREFIX}*"):
        with contextlib.suppress(OSError):
            status = left.lstat()
            is_ours = not left.is_symlink() and left.is_dir() and users.is_mine(status)
            if not is_ours or time.time() - status.st_mtime < YOUNG_S:
                continue
            lock = FileLock(left / LOCK)
            if not lock.acquire():
                continue
            try:
                end_marked(left)
            finally:
                lock.release()
            shutil.rmtree(left, ignore_errors=True)


def end_marked(folder: Path) -> None:
    """End all processes that the run of a folder has started, directly or not."""
    import psutil  # takes a moment, and most engines run no tests

    for _ in range(ROUNDS):
        found = False
        for process in psutil.process_iter():
            with contextlib.suppress(psutil.Error, OSError):
                if process.environ().get(MARK) == str(folder):
                    process.kill()
                    found = True
        if not found:
            return
