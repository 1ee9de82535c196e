"""What hooks of coding agents tell and ask: processes that run beside a session."""

from __future__ import annotations

from typing import Any, ClassVar

import msgspec

from surveyor.protocol.base import Done, Model, Request

__all__ = ["AgentWroteRequest", "SearchHintRequest", "SearchHintResponse"]


class AgentWroteRequest(Request[Done], kw_only=True):
    """An agent has changed a file with a tool of its own: to its session that is no news."""

    operation: ClassVar[str] = "agent_wrote"
    answer: ClassVar[type[Any]] = Done

    path: str
    """Absolute."""
    texts: list[str] = msgspec.field(default_factory=list)
    """What was put in, an empty one where text was only taken out; none: all of the file."""
    parents: list[int] = msgspec.field(default_factory=list)
    """The processes above the hook, the nearest first: by them the agent's session is known."""


class SearchHintResponse(Model, kw_only=True):
    """What may be said to an agent that searches with a tool of its own."""

    text: str = ""
    """Empty: nothing."""


class SearchHintRequest(Request[SearchHintResponse], kw_only=True):
    """An agent looks for names in files: does the index answer that better?"""

    operation: ClassVar[str] = "search_hint"
    answer: ClassVar[type[Any]] = SearchHintResponse

    names: list[str]
    session: str = ""
    """Of the agent, as it calls it: a hint is given now and then only."""
    cwd: str | None = None
