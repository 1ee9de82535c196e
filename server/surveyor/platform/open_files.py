"""Opening and replacing files where others may be at work: without following links, in one step.

Where the system opens files by a folder's descriptor, what its path leads to later does not count.
"""

from __future__ import annotations

import errno
import os
import shutil
import stat
import sys
import time
from pathlib import Path

from surveyor.platform.file_names import extended, is_part

__all__ = [
    "BINARY",
    "link_or_copy",
    "open_folder",
    "open_plain",
    "open_relative",
    "read_flags",
    "replace",
    "sync_folder",
]

BINARY: int = getattr(os, "O_BINARY", 0)
"""Without it Windows changes the ends of lines of what is written and read."""
REPLACE_TRIES_S = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5)
"""Pauses before a file is tried again that another process has open. Windows replaces none such;
scanners of viruses and indexers have new files open for a moment."""
IN_USE = frozenset({5, 32, 33})
"""Windows: access denied, sharing violation, lock violation."""


def has_folder_descriptors() -> bool:
    """Whether files can be opened by the descriptor of their folder."""
    return sys.platform != "win32" and os.open in os.supports_dir_fd


def read_flags() -> int:
    """For opening what may be a pipe or a terminal: it waits for nobody, and is owned by nobody."""
    flags = os.O_RDONLY | BINARY
    for name in ("O_NONBLOCK", "O_NOCTTY", "O_CLOEXEC"):
        flags |= getattr(os, name, 0)
    return flags


def open_relative(root: str | Path, parts: tuple[str, ...]) -> int:
    """A descriptor, for reading, of what is below a root; no link on the way is followed.

    Raises `OSError`: `ELOOP` where a link is on the way, `EINVAL` for what is no name here.
    """
    if not parts or not all(is_part(part) for part in parts):
        raise OSError(errno.EINVAL, "it is no name of a file")
    if sys.platform == "win32" or not has_folder_descriptors():
        return _open_at_once(Path(root), parts)
    flags = os.O_RDONLY | os.O_CLOEXEC
    folder = os.open(root, flags | os.O_DIRECTORY)
    try:
        for part in parts[:-1]:
            inner = os.open(part, flags | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=folder)
            os.close(folder)
            folder = inner
        return os.open(parts[-1], flags | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=folder)
    finally:
        os.close(folder)


def _open_at_once(root: Path, parts: tuple[str, ...]) -> int:
    full = root.joinpath(*parts)
    if full.resolve() != root.resolve().joinpath(*parts):
        raise OSError(errno.ELOOP, "it is reached through a link")
    if full.is_dir():  # Windows opens none, and says "permission denied"
        raise IsADirectoryError(errno.EISDIR, "it is a folder")
    return os.open(extended(str(full)), os.O_RDONLY | BINARY)


def open_folder(folder: Path) -> int | None:
    """A descriptor of a folder, for `within`; None where the system opens nothing by such.

    It need not be listed for its files to be written. Raises `OSError`.
    """
    if sys.platform == "win32" or not has_folder_descriptors():
        return None
    return os.open(folder, getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY)


def open_plain(file: Path, flags: int, mode: int = 0o666, within: int | None = None) -> int:
    """A descriptor of a file that is no link, by its folder's where there is one; waits for nobody.

    Raises `OSError`.
    """
    for name in ("O_NOFOLLOW", "O_NONBLOCK", "O_CLOEXEC"):
        flags |= getattr(os, name, 0)
    return os.open(_name(file, within), flags | BINARY, mode, dir_fd=within)


def replace(source: Path, target: Path, within: int | None = None) -> None:
    """Put a file in the place of another in one step. Raises `OSError`."""
    for pause in (*REPLACE_TRIES_S, None):
        try:
            os.replace(
                _name(source, within), _name(target, within), src_dir_fd=within, dst_dir_fd=within
            )
            return
        except PermissionError as error:
            if pause is None or getattr(error, "winerror", None) not in IN_USE:
                raise
        time.sleep(pause)


def remove(file: Path, within: int | None = None) -> None:
    """Remove a file. Raises `OSError`."""
    os.unlink(_name(file, within), dir_fd=within)


def _name(file: Path, within: int | None) -> str:
    return extended(str(file)) if within is None else file.name


def sync_folder(folder: Path) -> None:
    """Have the names in a folder written to the disk. Windows does so by itself.

    Raises `OSError`.
    """
    if sys.platform == "win32":
        return
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def link_or_copy(target: Path, link: Path) -> None:
    """Make a file or folder reachable at another place.

    A link needs a privilege on Windows: a junction leads to a folder there, and a file is copied.
    """
    if sys.platform != "win32":
        link.symlink_to(target)
    elif stat.S_ISDIR(target.stat().st_mode):
        import _winapi

        _winapi.CreateJunction(str(target), str(link))
    else:
        shutil.copyfile(target, link)
