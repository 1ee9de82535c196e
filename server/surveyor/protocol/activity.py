"""What agents asked, read and changed. Lines are 1-based."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from surveyor.protocol.base import Model, Request

__all__ = [
    "ActivityCall",
    "ActivityPlace",
    "ActivityRequest",
    "ActivityResponse",
    "ActivitySession",
]


class ActivityPlace(Model, kw_only=True):
    """Lines that a call read or changed, as they were numbered then."""

    root: str
    path: str
    first: int
    last: int
    kind: Literal["read", "edited"]


class ActivityCall(Model, kw_only=True):
    """One call of a tool."""

    id: int
    session: str
    client: str
    root: str
    at: float
    """Seconds since 1970."""
    tool: str
    asked: str
    outcome: str
    failed: bool
    places: list[ActivityPlace]


class ActivitySession(Model, kw_only=True):
    """An agent's session."""

    session: str
    client: str
    root: str
    first: float
    last: float
    calls: int
    edits: int
    open: bool
    """It is connected now."""


class ActivityResponse(Model, kw_only=True):
    """Sessions, the latest first, and calls, the latest last."""

    sessions: list[ActivitySession]
    calls: list[ActivityCall]
    kept: bool
    """False where the user has switched the log off (`storage.agent_log`)."""
    picture: str | None = None


class ActivityRequest(Request[ActivityResponse], kw_only=True):
    """What agents did."""

    operation: ClassVar[str] = "activity"
    answer: ClassVar[type[Any]] = ActivityResponse

    session: str = ""
    """The beginning of a session's name; empty for all."""
    cwd: str | None = None
    """Only sessions of the project of this folder."""
    limit: int = 200
    picture: Literal["dot", "mermaid"] | None = None
    """The path of the session through the code (of the last one, if none is named)."""
