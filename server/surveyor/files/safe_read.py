"""Reading files that a repository controls: never waits, never reads without end.

A name may be anything: a FIFO that nobody writes to (opening it for reading waits for ever), a link
to `/dev/zero`, a file of a hundred gigabytes. What is opened here is a regular file, and so much of
it is read as its purpose needs.
"""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

from surveyor.platform import open_files

SMALL_FILE_BYTES = 1 << 20
"""Enough for a `HEAD`, an ignore file, a project's settings."""
LARGE_FILE_BYTES = 64 << 20
"""Enough for the packed refs of any repository, and for any file that is indexed."""

_FLAGS = open_files.read_flags()
_READ_BYTES = 1 << 20


def is_regular(path: str | Path) -> bool:
    """Whether a path is, or leads to, a regular file."""
    try:
        return stat.S_ISREG(os.stat(path).st_mode)  # noqa: PTH116 - asked of every folder
    except (OSError, ValueError):
        return False


def is_strange(path: str | Path) -> bool:
    """Whether something is at a path that is neither a regular file nor a folder."""
    try:
        mode = os.stat(path).st_mode  # noqa: PTH116
    except (OSError, ValueError):
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


def read_bytes(path: str | Path, max_bytes: int = SMALL_FILE_BYTES) -> bytes:
    """The content of a regular file, links followed.

    Raises `OSError` where there is none, and for what is no regular file (`EINVAL`) or holds more
    than `max_bytes` (`EFBIG`).
    """
    name = os.fspath(path)
    try:
        # Asked before it is opened: opening a device can do something.
        _check(os.stat(name), name, max_bytes)  # noqa: PTH116
        handle = os.open(name, _FLAGS)
    except ValueError as error:  # a NUL in a name
        raise OSError(errno.EINVAL, str(error), name) from error
    try:
        _check(os.fstat(handle), name, max_bytes)
        data = _read(handle, max_bytes + 1)
    finally:
        os.close(handle)
    if len(data) > max_bytes:
        raise _too_large(name, max_bytes)
    return data


def read_up_to(path: str | Path, limit: int) -> tuple[bytes, os.stat_result]:
    """At most one byte more than `limit`, which shows that a file is too large, and its status.

    Raises `OSError` for what is no regular file.
    """
    name = os.fspath(path)
    _check(os.stat(name), name, None)  # noqa: PTH116
    handle = os.open(name, _FLAGS)
    try:
        status = os.fstat(handle)
        _check(status, name, None)
        return _read(handle, limit + 1), status
    finally:
        os.close(handle)


def read_text(
    path: str | Path,
    max_bytes: int = SMALL_FILE_BYTES,
    *,
    encoding: str = "utf-8",
    errors: str = "strict",
) -> str:
    """The text of a regular file, with line ends as `\\n`.

    Raises `OSError` as `read_bytes` does, and `UnicodeDecodeError`.
    """
    text = read_bytes(path, max_bytes).decode(encoding, errors)
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def _read(handle: int, most: int) -> bytes:
    parts: list[bytes] = []
    left = most
    while left and (part := os.read(handle, min(_READ_BYTES, left))):
        parts.append(part)
        left -= len(part)
    return b"".join(parts)


def _check(status: os.stat_result, name: str, max_bytes: int | None) -> None:
    if not stat.S_ISREG(status.st_mode):
        code = errno.EISDIR if stat.S_ISDIR(status.st_mode) else errno.EINVAL
        raise OSError(code, "it is not a regular file", name)
    if max_bytes is not None and status.st_size > max_bytes:
        raise _too_large(name, max_bytes)


def _too_large(name: str, max_bytes: int) -> OSError:
    return OSError(errno.EFBIG, f"it is larger than {max_bytes:,} bytes", name)
