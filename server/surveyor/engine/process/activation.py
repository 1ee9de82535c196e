"""Sockets that systemd listens on in the engine's place, and hands over: sd_listen_fds(3)."""

from __future__ import annotations

import os
import socket

from surveyor.platform.endpoints import is_unix_socket

FIRST_DESCRIPTOR = 3


def take_over() -> dict[str, socket.socket]:
    """The listening Unix sockets that this process was given, by path; none for any other start.

    The variables that say so are removed: processes that we start were given nothing.
    """
    pid, count = os.environ.pop("LISTEN_PID", ""), os.environ.pop("LISTEN_FDS", "")
    os.environ.pop("LISTEN_FDNAMES", None)
    if pid != str(os.getpid()) or not count.isdecimal():
        return {}
    given = {}
    for descriptor in range(FIRST_DESCRIPTOR, FIRST_DESCRIPTOR + int(count)):
        os.set_inheritable(descriptor, False)
        listening = socket.socket(fileno=descriptor)
        if is_unix_socket(listening):
            listening.setblocking(False)
            given[str(listening.getsockname())] = listening
    return given
