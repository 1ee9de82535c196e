"""`$/progress` of our own: one quiet item for indexing, one for each upstream getting ready."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
from typing import TYPE_CHECKING

from surveyor.servers.errors import ResponseError

if TYPE_CHECKING:
    from surveyor.lsp.host import EditorHost
    from surveyor.lsp.protocol import Protocol

APPEAR_AFTER_S = 0.5
"""What is over sooner is not shown."""

_numbers = itertools.count(1)


class WorkDoneProgress:
    """One progress item; every call may be made in any state."""

    def __init__(self, protocol: Protocol, host: EditorHost, title: str) -> None:
        self._protocol = protocol
        self._title = title
        self._token = f"surveyor/{next(_numbers)}"
        self._shown = False
        self._over = False
        self._last = ("", -1)
        self._enabled = host.can("window.workDoneProgress")
        self._opening = asyncio.ensure_future(self._open()) if self._enabled else None
        self._message = ""

    async def _open(self) -> None:
        await asyncio.sleep(APPEAR_AFTER_S)
        with contextlib.suppress(ResponseError):
            await self._protocol.ask("window/workDoneProgress/create", {"token": self._token})
            if self._over:
                return
            self._shown = True
            self._send(
                {
                    "kind": "begin",
                    "title": self._title,
                    "message": self._message,
                    "cancellable": False,
                }
            )

    def report(self, message: str, done: int = 0, total: int = 0) -> None:
        """Say where it is; `percentage` only when a total is known."""
        self._message = message
        percentage = int(100 * done / total) if total else -1
        if not self._shown or self._over or (message, percentage) == self._last:
            return
        self._last = (message, percentage)
        value: dict[str, object] = {"kind": "report", "message": message}
        if percentage >= 0:
            value["percentage"] = min(percentage, 100)
        self._send(value)

    def end(self, message: str = "") -> None:
        """It is over."""
        if self._over:
            return
        self._over = True
        if self._shown:
            self._send({"kind": "end", "message": message})
        elif self._opening is not None:
            self._opening.cancel()

    def _send(self, value: dict[str, object]) -> None:
        self._protocol.tell("$/progress", {"token": self._token, "value": value})
