"""Where one process of the user listens for the others: a private Unix socket, or loopback.

Python has no Unix sockets on Windows. There the port of a loopback socket stands in the file where
the socket would be, and a secret, made anew by each process that listens, in a file beside it: who
may read the user's files may connect. A Unix socket needs no secret: its folder and its mode do.
"""

from __future__ import annotations

import contextlib
import os
import socket
import struct
import sys
from collections.abc import Iterator
from pathlib import Path

__all__ = [
    "connect",
    "is_from_same_user",
    "is_unix",
    "is_unix_socket",
    "listen",
    "make_token",
    "private_files",
    "read_token",
]

TOKEN = "token"
LOOPBACK = "127.0.0.1"
BACKLOG = 128


def is_unix() -> bool:
    """Whether they are Unix sockets, to which only the user can connect: no secret is needed."""
    return sys.platform != "win32"


def make_token(folder: Path) -> str | None:
    """Write a new secret for the endpoints of a folder; None where none is needed."""
    if is_unix():
        return None
    import secrets  # only here: a megabyte of libraries in every agent's relay

    token = secrets.token_hex(32)
    _write_private(folder / TOKEN, token)
    return token


def read_token(folder: Path) -> str | None:
    """The secret that a caller must know; None where there is none."""
    try:
        return (folder / TOKEN).read_text()
    except OSError:
        return None


def remove_token(folder: Path) -> None:
    """Forget the secret of a folder."""
    (folder / TOKEN).unlink(missing_ok=True)


def listen(path: Path) -> socket.socket:
    """Listen at a path; what is left there of a process that is gone is replaced.

    The caller holds a lock that says so. Raises `OSError`.
    """
    path.unlink(missing_ok=True)
    if sys.platform == "win32":
        listening = socket.socket(socket.AF_INET)
        # Else another user's process may bind the same port, and be connected to in our place.
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_EXCLUSIVEADDRUSE, 1)
        listening.bind((LOOPBACK, 0))
        listening.listen(BACKLOG)
        _write_private(path, str(listening.getsockname()[1]))
    else:
        listening = socket.socket(socket.AF_UNIX)
        with private_files():
            listening.bind(str(path))
        path.chmod(0o600)
        listening.listen(BACKLOG)
    listening.setblocking(False)
    return listening


def connect(path: Path) -> socket.socket:
    """A connection to whoever listens at a path. Raises `OSError`."""
    connection, address = _endpoint(path)
    try:
        connection.connect(address)
    except OSError:
        connection.close()
        raise
    return connection


def _endpoint(path: Path) -> tuple[socket.socket, str | tuple[str, int]]:
    if sys.platform != "win32":
        return socket.socket(socket.AF_UNIX), str(path)
    try:
        port = int(path.read_text())
    except ValueError as error:
        raise ConnectionRefusedError(f"no port stands in {path}") from error
    return socket.socket(socket.AF_INET), (LOOPBACK, port)


def is_unix_socket(listening: socket.socket) -> bool:
    """Whether a socket that somebody handed over is a Unix socket."""
    return sys.platform != "win32" and listening.family == socket.AF_UNIX


def is_from_same_user(connection: socket.socket) -> bool:
    """Whether the other side of a connection is a process of this user (or of root), where the
    system tells: Linux does. Elsewhere the folder of the socket is closed to others."""
    if sys.platform != "linux":
        return True
    size = struct.calcsize("3i")
    credentials = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, size)
    _, uid, _ = struct.unpack("3i", credentials)
    return bool(uid in (os.getuid(), 0))


@contextlib.contextmanager
def private_files() -> Iterator[None]:
    """New files and sockets are for the user alone meanwhile (of the whole process)."""
    before = os.umask(0o177)
    try:
        yield
    finally:
        os.umask(before)


def _write_private(path: Path, text: str) -> None:
    """Replace a file in one step: who reads it finds all of it."""
    made = path.with_name(f"{path.name}.new")
    made.unlink(missing_ok=True)
    handle = os.open(made, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "w") as out:
        out.write(text)
    made.replace(path)
