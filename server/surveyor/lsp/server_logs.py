"""`surveyor/serverLog`, `surveyor/restartServer`: a language server's log, and starting it anew."""

from __future__ import annotations

import time
from collections import defaultdict, deque
from collections.abc import Callable
from pathlib import Path

from surveyor.errors import NotFoundError
from surveyor.protocol import editor
from surveyor.servers.manager import UpstreamManager
from surveyor.servers.upstream import Upstream

__all__ = ["ServerLogs"]

LINES = 500
"""Of each server, the latest."""
LINE_CHARS = 2000
SEVERITIES = {1: "error", 2: "warning", 3: "info", 4: "log", 5: "debug"}
"""LSP's `MessageType`."""


class ServerLogs:
    """Keeps what the window's language servers said and went through."""

    def __init__(self, manager: Callable[[], UpstreamManager]) -> None:
        self._manager = manager
        self._lines: dict[tuple[str, Path], deque[str]] = defaultdict(lambda: deque(maxlen=LINES))

    def said(self, upstream: Upstream, severity: int, text: str) -> None:
        """A server has logged or shown something."""
        self._note(upstream, SEVERITIES.get(severity, "log"), text)

    def changed(self, upstream: Upstream) -> None:
        """A server is in another state."""
        reason = f": {upstream.reason}" if upstream.reason else ""
        text = f"{upstream.name} is {upstream.state.value}{reason}"
        lines = self._lines[upstream.language, upstream.root]
        if not lines or not lines[-1].endswith(f"[state] {text}"):
            self._note(upstream, "state", text)

    def _note(self, upstream: Upstream, kind: str, text: str) -> None:
        now = time.strftime("%H:%M:%S")
        shown = text.rstrip()[:LINE_CHARS]
        self._lines[upstream.language, upstream.root].append(f"{now} [{kind}] {shown}")

    async def log(self, params: editor.ServerParams) -> editor.ServerLog:
        """What there is to know of a server: its command, the end of its stderr, what it said."""
        upstream = self._asked(params)
        about = [
            f"{upstream.name} for {upstream.language} on {upstream.root}",
            f"command: {' '.join(upstream.command)}",
            f"state: {upstream.state.value}{f' ({upstream.reason})' if upstream.reason else ''}",
            f"process: {upstream.pid or 'none'}, restarts: {upstream.restarts}",
        ]
        lines = self._lines[upstream.language, upstream.root]
        stderr = (await upstream.stderr()).rstrip()
        written = ["", "--- stderr", stderr] if stderr else []
        shown = [*about, *written, "", "--- messages and states", *lines]
        return editor.ServerLog(name=upstream.name, text="\n".join(shown) + "\n")

    async def restart(self, params: editor.ServerParams) -> editor.Controlled:
        """End a server's process, which other windows may use too, and start another."""
        upstream = self._asked(params)
        self._note(upstream, "state", "restart asked for")
        await self._manager().restart(upstream)
        return editor.Controlled(message=f"{upstream.name} is starting again.")

    def _asked(self, params: editor.ServerParams) -> Upstream:
        upstream = self._manager().running_for(params.language, Path(params.root))
        if upstream is None:
            raise NotFoundError(
                f"No language server for {params.language} was started on {params.root}.",
                "Open one of its files first.",
            )
        return upstream
