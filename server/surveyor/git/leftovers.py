"""Clears away what a Surveyor leaves that ends: folders made for git, git, and what git started.

A process that git has started may leave git's group and session, and its parent may be gone. It is
found by its environment, in which git's home is the folder made for the call.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
import threading
import time
from collections.abc import Callable, Collection
from functools import cache
from pathlib import Path

import psutil

from surveyor.platform.users import is_mine

PREFIX = "surveyor-git-"
OLD_S = 600.0
"""A younger folder may be another machine's, where they share one for temporary files."""
SWEEPS = 10
"""A process can start another between being listed and being killed; each sweep finds those."""
SWEEPS_S = 1.0
"""Reading a process's environment can hang, where that process hangs in the system."""


def folder_name() -> str:
    """How the name of a folder of this process begins."""
    return f"{PREFIX}{os.getpid()}-"


def end_of(owners: Collection[int]) -> None:
    """Kill what git has started for these processes, which start no more; takes `SWEEPS_S` at most.

    The folders that they had made are removed.
    """
    sweeping = threading.Thread(target=_sweep, args=(owners,), daemon=True)
    sweeping.start()
    sweeping.join(SWEEPS_S)


def _sweep(owners: Collection[int]) -> None:
    for _ in range(SWEEPS):
        if not _kill_homed(lambda home: _owner(Path(home)) in owners):
            break
    for folder in _folders():
        if _owner(folder) in owners:
            shutil.rmtree(folder, ignore_errors=True)


def _kill_homed(is_left: Callable[[str], bool]) -> set[str]:
    """Kill processes by the home that they were given; returns the homes of those found."""
    found = set()
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error, OSError):
            home = process.environ().get("HOME", "")
            if home and is_left(home):
                process.kill()
                found.add(home)
    return found


@cache
def clear() -> None:
    """Kill git processes whose Surveyor is gone, and remove their folders; once in a process."""
    left = [folder for folder in _folders() if not _is_owned(folder)]
    if not left:
        return
    named = {os.fspath(folder) for folder in left}
    for home in _kill_homed(named.__contains__):
        shutil.rmtree(home, ignore_errors=True)
    for folder in left:
        with contextlib.suppress(OSError):
            if time.time() - folder.stat().st_mtime > OLD_S:
                shutil.rmtree(folder, ignore_errors=True)


def _folders() -> list[Path]:
    with contextlib.suppress(OSError):
        return [
            folder
            for folder in Path(tempfile.gettempdir()).glob(f"{PREFIX}*-*")
            if is_mine(folder.lstat())
        ]
    return []


def _is_owned(folder: Path) -> bool:
    owner = _owner(folder)
    return owner is None or psutil.pid_exists(owner)


def _owner(folder: Path) -> int | None:
    """The process that a folder was made by; None for any other folder."""
    if not folder.name.startswith(PREFIX):
        return None
    number = folder.name.removeprefix(PREFIX).partition("-")[0]
    return int(number) if number.isdecimal() and number.isascii() else None
