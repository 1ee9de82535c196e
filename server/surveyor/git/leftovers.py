"""Clears away what a Surveyor that was killed left: folders made for git, and git itself."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
import time
from functools import cache
from pathlib import Path

import psutil

PREFIX = "surveyor-git-"
OLD_S = 600.0
"""A younger folder may be another machine's, where they share one for temporary files."""


def folder_name() -> str:
    """How the name of a folder of this process begins."""
    return f"{PREFIX}{os.getpid()}-"


@cache
def clear() -> None:
    """Kill git processes whose Surveyor is gone, and remove their folders; once in a process."""
    left = [folder for folder in _folders() if not _is_owned(folder)]
    if not left:
        return
    named = {os.fspath(folder) for folder in left}
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error, OSError):
            home = process.environ().get("HOME", "")
            if home in named:
                process.kill()
                shutil.rmtree(home, ignore_errors=True)
    for folder in left:
        with contextlib.suppress(OSError):
            if time.time() - folder.stat().st_mtime > OLD_S:
                shutil.rmtree(folder, ignore_errors=True)


def _folders() -> list[Path]:
    with contextlib.suppress(OSError):
        mine = os.getuid() if hasattr(os, "getuid") else None
        return [
            folder
            for folder in Path(tempfile.gettempdir()).glob(f"{PREFIX}*-*")
            if mine is None or folder.lstat().st_uid == mine
        ]
    return []


def _is_owned(folder: Path) -> bool:
    number = folder.name.removeprefix(PREFIX).partition("-")[0]
    return not number.isdigit() or psutil.pid_exists(int(number))
