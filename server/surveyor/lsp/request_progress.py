"""Progress of requests that take long, told to the editor by the token that it sent along."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

__all__ = ["RequestProgress"]

Tell = Callable[[str, Any], None]


class RequestProgress:
    """One window's: the engine repeats a token of ours, which stands for one of the editor's."""

    def __init__(self, tell: Tell) -> None:
        self._tell = tell
        self._tokens: dict[str, int | str] = {}
        """The editor's progress tokens by ours."""

    @contextmanager
    def shown(self, wanted: int | str | None, title: str) -> Iterator[str]:
        """A token for the engine; while this lasts, what it says is told by the editor's.

        An editor that sent none (`wanted`) is told nothing.
        """
        token = secrets.token_hex(4)
        if wanted is not None:
            self._tokens[token] = wanted
            self._send(token, "begin", title=title, cancellable=True)
        try:
            yield token
        finally:
            self._send(token, "end")
            self._tokens.pop(token, None)

    def report(self, token: str, message: str, done: int, total: int) -> None:
        """How far the work of a token is."""
        share = min(100 * done // total, 100) if total else 0
        self._send(token, "report", message=message, percentage=share)

    def _send(self, token: str, kind: str, **said: Any) -> None:
        if token in self._tokens:
            value = {"kind": kind, **said}
            self._tell("$/progress", {"token": self._tokens[token], "value": value})
