"""The engine's lock: held by exactly one process for as long as it lives, however it ends.

Engines take it, and whoever starts, ends or repairs one looks at it.
"""

from __future__ import annotations

import contextlib
import os
import time
from pathlib import Path
from typing import NamedTuple

from surveyor.errors import NO_ROOM_ERRNOS, EngineUnavailableError
from surveyor.platform import locks

RELEASE_POLL_S = 0.02
START_LOCK = "start.lock"
"""In the runtime folder: held by the one client that is starting an engine."""


LEAST_PAUSE_S = 0.02
MOST_PAUSE_S = 0.15
PAUSE_SHARE = 0.05
"""Of what has been waited already: on a busy machine the engine needs the processor that looking
for it takes, and eight clients that looked every 20 ms took a twentieth of it."""


def pause_after(waited_s: float) -> float:
    """Seconds until a client that waits for an engine to start looks again whether it is there."""
    return min(max(LEAST_PAUSE_S, PAUSE_SHARE * waited_s), MOST_PAUSE_S)


class FileLock:
    """An advisory lock on a file; the system releases it when the process is gone."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._handle: int | None = None

    def acquire(self) -> bool:
        """Take the lock; false when another process has it. Raises `OSError`."""
        while True:
            try:
                handle = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600)
            except FileNotFoundError:  # its last owner removed the folder as well
                self._path.parent.mkdir(mode=0o700, exist_ok=True)
                continue
            if not locks.try_lock(handle):
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
        """Give the lock back and remove the file."""
        if self._handle is None:
            return
        handle, self._handle = self._handle, None
        if locks.closed_before_removal():
            os.close(handle)
            with contextlib.suppress(OSError):  # another process may have it open by now
                self._path.unlink()
            return
        if _is_still(self._path, handle):
            self._path.unlink(missing_ok=True)
        os.close(handle)

    def is_lost(self) -> bool:
        """Whether the lock's file is not at its place any more."""
        return self._handle is not None and not _is_still(self._path, self._handle)


class EngineLock(FileLock):
    """A lock on a file and on the data folder itself, which holds however the file or the folder
    is renamed or removed."""

    def __init__(self, path: Path, data: Path) -> None:
        super().__init__(path)
        self._data = data
        self._folder: int | None = None

    def acquire(self) -> bool:
        """Take both locks; false when another process has one. Raises `OSError`."""
        if not super().acquire():
            return False
        if not self._hold_folder():
            self.release()
            return False
        return True

    def release(self) -> None:
        """Give the locks back and remove the file."""
        super().release()
        if self._folder is not None:
            os.close(self._folder)
            self._folder = None

    def _hold_folder(self) -> bool:
        if not locks.can_lock_folders():
            return True
        self._folder = os.open(self._data, os.O_RDONLY)
        try:
            return locks.try_lock(self._folder)
        except OSError:
            return False

    def is_moved(self) -> bool:
        """Whether the data folder is not at its place any more, or another one is."""
        return self._folder is not None and not _is_still(self._data, self._folder)


def _is_still(path: Path, handle: int) -> bool:
    try:
        return os.path.samestat(path.stat(), os.fstat(handle))
    except OSError:  # a file system that is gone says all kinds of things
        return False


class LockHolder(NamedTuple):
    """The process that has the lock."""

    pid: int
    command: str
    since: float
    """When it was started, in seconds since 1970; 0 where that is unknown."""

    @property
    def is_engine(self) -> bool:
        """Whether it serves, or tries to (a repair has the lock as well)."""
        words = self.command.split()
        return "engine" in words and "run" in words

    @property
    def sentence(self) -> str:
        """Who it is, for a person."""
        since = f", since {time.strftime('%Y-%m-%d %H:%M:%S', time.localtime(self.since))}"
        return f"process {self.pid} (`{self.command}`{since if self.since else ''})"


def holder_of(path: Path) -> LockHolder | None:
    """Who has the lock; None when nobody has, or it has not said yet who it is."""
    if not is_held(path):
        return None
    import psutil

    try:
        pid = int(path.read_text())
        process = psutil.Process(pid)
        command = " ".join(process.cmdline()) or process.name()
        return LockHolder(pid, command, process.create_time())
    except (OSError, ValueError, psutil.Error):
        return None


def is_held(path: Path) -> bool:
    """Whether a living process holds the lock."""
    try:
        handle = os.open(path, os.O_RDWR)
    except OSError:
        return False
    try:
        return not locks.try_lock(handle)
    finally:
        os.close(handle)


def is_released(path: Path, until: float) -> bool:
    """Wait until nobody holds the lock; `until` is on the monotonic clock. Whether it came to that.

    A lock is asked for now and then: that it is free is no event that can be waited for in time.
    """
    while is_held(path):
        if time.monotonic() >= until:
            return False
        time.sleep(RELEASE_POLL_S)
    return True


def data_unusable(data: Path, error: OSError) -> EngineUnavailableError:
    """What to say when the data folder cannot be written."""
    hint = "Give your user write access to it, or set SURVEYOR_DATA_DIR to another folder."
    if error.errno in NO_ROOM_ERRNOS:
        hint = "Free some space and run the command again: nothing is lost."
    return EngineUnavailableError(
        f"the data folder {data} cannot be written: {error.strerror}", hint
    )
