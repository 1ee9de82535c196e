"""Replacing a user's file in one step: whoever reads it sees the old text or the new one."""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import stat
from pathlib import Path

from surveyor.errors import NO_ROOM_ERRNOS
from surveyor.paths import make_private
from surveyor.platform import open_files, users

PRIVATE = 0o600
COMMON = 0o666


BOM = "\ufeff"


class ChangedMeanwhileError(OSError):
    """Somebody else has written the file since it was read."""


def replace_text(file: Path, text: str, mode: int = COMMON, *, expected: str | None = None) -> None:
    """Write a file with the permissions that it has, or `mode` less the umask where it is new.

    A link is followed, not replaced: many keep their settings elsewhere. Owner, times aside, and
    extended attributes stay, and line ends are as in `text`. With `expected`, only what still
    holds that text is replaced.

    Raises `OSError`, and leaves the file as it was and nothing behind then: also for a file that
    its owner has made read-only, for what is no regular file, and (`ChangedMeanwhileError`) where
    it does not hold what was expected.
    """
    target = followed(file)
    before = regular(target)
    if mode == PRIVATE:
        make_private(target.parent)
    target.parent.mkdir(parents=True, exist_ok=True)
    temporary = target.with_name(f".surveyor-{os.urandom(4).hex()}")
    wanted = None if expected is None else expected.encode("utf-8")
    replace_bytes(target, text.encode("utf-8"), before, temporary, mode, expected=wanted)


def replace_bytes(
    target: Path,
    data: bytes,
    before: os.stat_result | None,
    temporary: Path,
    mode: int = COMMON,
    *,
    expected: bytes | None = None,
    within: int | None = None,
) -> None:
    """As `replace_text`, of a path without links, by way of a file beside it that is given.

    `before` is its status (`regular`); None where it is new. `within` is a descriptor of the folder
    of both: what its path leads to later does not count then.
    """
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
    handle = open_files.open_plain(temporary, flags, mode, within)
    try:
        with os.fdopen(handle, "wb") as out:
            out.write(data)
            out.flush()
            os.fsync(out.fileno())  # else a power cut may leave an empty file in its place
        if before is not None:
            _liken(temporary, target, before)
        if expected is not None:
            current = open_files.open_plain(target, os.O_RDONLY, within=within)
            with os.fdopen(current, "rb") as opened:
                if opened.read() != expected:
                    raise ChangedMeanwhileError(errno.EBUSY, "it has been changed meanwhile")
        open_files.replace(temporary, target, within)
    except BaseException as error:
        if isinstance(error, OSError) and error.errno in NO_ROOM_ERRNOS:
            error.filename = str(target)  # a write knows no name, and the other is ours
        with contextlib.suppress(FileNotFoundError):
            open_files.remove(temporary, within)
        raise


def write_output(file: Path, text: str) -> None:
    """Write what a user asked for to where it is wanted: a file, else a pipe or a terminal.

    Raises `OSError`; a file that was there is as it was then.
    """
    if file.exists() and not file.is_file():
        file.write_text(text, encoding="utf-8")
    else:
        replace_text(file, text)


def read_text(file: Path) -> str | None:
    """A file's text with its line ends as they are; None where there is none.

    Raises `OSError`, also for what is no regular file, and `UnicodeDecodeError`.
    """
    target = followed(file)
    try:
        if not stat.S_ISREG(target.stat().st_mode):
            raise OSError(errno.EINVAL, "it is no regular file", str(target))
        return target.read_bytes().decode("utf-8")
    except FileNotFoundError:
        return None


def followed(file: Path) -> Path:
    """What a path stands for, links followed. Raises `OSError` for links in a circle."""
    try:
        return file.resolve()
    except RuntimeError as error:  # Python 3.12 and earlier
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(file)) from error


def regular(target: Path) -> os.stat_result | None:
    """The status of a file that may be replaced; None where there is none yet."""
    try:
        status = target.stat()
    except FileNotFoundError:
        return None
    if not stat.S_ISREG(status.st_mode):
        raise OSError(errno.EINVAL, "it is no regular file", str(target))
    if not status.st_mode & 0o222 or not os.access(target, os.W_OK):
        raise PermissionError(errno.EACCES, "it is read-only", str(target))
    return status


def _liken(temporary: Path, target: Path, before: os.stat_result) -> None:
    """Give a file the permissions, owner and extended attributes of the one that it replaces."""
    users.chown(temporary, before)
    with contextlib.suppress(OSError):
        shutil.copystat(target, temporary)
    temporary.chmod(stat.S_IMODE(before.st_mode))
    os.utime(temporary)
