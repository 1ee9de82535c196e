"""Pipes: waiting for one without an end, and giving it room."""

from __future__ import annotations

import contextlib
import os
import stat
import sys
import time

__all__ = ["can_poll", "is_readable", "stop_blocking", "widen"]

PEEK_S = 0.01
"""How often a pipe is looked at where it cannot be waited for."""


def can_poll(descriptor: int) -> bool:
    """Whether the loop can own a descriptor: a pipe or a socket that nobody else reads or writes.

    A terminal is shared with the shell, which must not find it in non-blocking mode.
    """
    if sys.platform == "win32":
        return False
    mode = os.fstat(descriptor).st_mode
    return stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode)


def stop_blocking(descriptor: int) -> None:
    """Let reading and writing return at once; only for what the loop can own (`can_poll`)."""
    if sys.platform != "win32":
        os.set_blocking(descriptor, False)


def is_readable(descriptor: int, seconds: float) -> bool:
    """Wait for bytes, or for the end, of a stream; false when neither has come within `seconds`."""
    if sys.platform == "win32":
        until = time.monotonic() + seconds
        while not _has_bytes(descriptor):
            if time.monotonic() >= until:
                return False
            time.sleep(PEEK_S)
        return True
    import select  # of sockets alone on Windows

    return bool(select.select([descriptor], [], [], seconds)[0])


def _has_bytes(descriptor: int) -> bool:
    """Whether reading returns at once. What is no pipe (a file, a console) is only to be read."""
    if sys.platform == "win32":
        import _winapi
        import msvcrt

        try:
            return bool(_winapi.PeekNamedPipe(msvcrt.get_osfhandle(descriptor), 0)[0])
        except OSError:
            return True
    return True


def widen(pipe: int, room: int) -> None:
    """Let a pipe hold `room` bytes, where the system lets it be said (Linux)."""
    if sys.platform == "linux":
        import fcntl  # Windows has none

        with contextlib.suppress(OSError):  # no pipe, or more than the user may have
            fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, room)
