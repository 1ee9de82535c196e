"""Where agents reach MCP over HTTP: bound and written down before the engine says that it serves.

Who connects in the first second waits in the socket's queue, until the SDK has been imported.
"""

from __future__ import annotations

import contextlib
import logging
import secrets
import socket
from dataclasses import dataclass
from pathlib import Path

from surveyor import paths
from surveyor.config.settings import McpSection

log = logging.getLogger(__name__)

TOKEN_FILE = "mcp-token"
TOKEN_BYTES = 32
ADDRESS_FILE = "mcp-address"
PATH = "/mcp"


@dataclass(frozen=True, slots=True)
class PublishedSocket:
    """A socket that listens, and the file with its address."""

    listening: socket.socket
    file: Path

    def withdraw(self) -> None:
        """Listen no more, and take the address back."""
        self.listening.close()
        self.file.unlink(missing_ok=True)


def announce(settings: McpSection, data_dir: Path) -> PublishedSocket | None:
    """Listen as `[mcp]` says, and write the address down; `None` when off, or the port is taken.

    A port that is taken is logged, not fatal.
    """
    folder = paths.runtime_dir(data_dir)
    file = folder / ADDRESS_FILE
    file.unlink(missing_ok=True)  # of an engine that was killed
    if not settings.http:
        return None
    try:
        listening = socket.create_server((settings.host, settings.port))
    except OSError as error:
        log.error("MCP over HTTP: %s:%d: %s", settings.host, settings.port, error)
        return None
    host, port = listening.getsockname()[:2]
    token_of(folder)
    writing = folder / f".{ADDRESS_FILE}"
    writing.write_text(f"http://{host}:{port}{PATH}")
    writing.replace(file)  # who waits for the file finds it whole
    log.info("MCP over HTTP on %s:%d", host, port)
    return PublishedSocket(listening, file)


def token_of(folder: Path) -> str:
    """The token, made once; only the user can read it."""
    file = folder / TOKEN_FILE
    with contextlib.suppress(OSError):
        return file.read_text().strip()
    token = secrets.token_hex(TOKEN_BYTES)
    file.touch(mode=0o600)
    file.write_text(token)
    return token
