"""What the graph asks of language servers, whoever runs them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, Protocol

import msgspec

__all__ = ["DiskChange", "EditorChannel", "ExactQuestion", "ExactReply", "ExactServers", "Place"]

ACTIVE_WAIT_S = 2.0
"""How long a question about an active project waits for a server that is getting ready."""
ALWAYS_WAIT_S = 90.0
"""How long a caller who insists on an exact answer waits for readiness."""

Place = tuple[str, int, int, int]
"""(path relative to the root, 1-based line, column, end column), UTF-16."""
DiskChange = Literal["created", "changed", "deleted"]


@dataclass(frozen=True, slots=True)
class ExactQuestion:
    """A question about a place in a checkout."""

    question: str
    """references, definition or implementation."""
    root: str
    path: str
    line: int
    """1-based."""
    column: int
    """0-based UTF-16."""


@dataclass(frozen=True, slots=True)
class ExactReply:
    """What a server said."""

    places: list[Place]
    complete: bool
    """The server was ready: the answer is exact."""
    server: str
    unsaved_version: int | None = None


class EditorChannel(Protocol):
    """A way to ask an attached editor (`engine.process.sessions.Session`)."""

    async def request(self, method: str, params: object, timeout_s: float) -> msgspec.Raw:
        """Ask; raises `SurveyorError` on failure."""
        ...


class ExactServers(Protocol):
    """Language servers: those of attached editors, and the engine's own."""

    def editor_for(self, root: str, question: str) -> EditorChannel | None:
        """An attached editor that answers such a question about files of a root."""
        ...

    async def ask(
        self, asked: ExactQuestion, editor: EditorChannel | None, *, wait_s: float
    ) -> ExactReply | None:
        """Ask the editor's server, else the engine's own; None when there is none that answers.

        With `wait_s` 0 only a server that runs already is asked.
        """
        ...

    def runs_for(self, root: str, path: str) -> bool:
        """Whether the engine has a server of its own running for a file."""
        ...

    def held_back(self, root: str, path: str) -> str:
        """Why none was started for a file, where the user has to trust its folder first."""
        ...

    def works_on(self, root: str) -> bool:
        """Whether the engine has any server of its own on a root."""
        ...

    def files_changed(self, root: str, changes: Mapping[str, DiskChange]) -> None:
        """Files of a root changed on disk: the engine's own servers hear of it."""
        ...

    async def stop_root(self, root: str) -> None:
        """A project became inactive: its servers end."""
        ...

    def status(self) -> list[dict[str, Any]]:
        """State of the engine's own servers."""
        ...

    async def close(self) -> None:
        """Stop the engine's own servers."""
        ...
