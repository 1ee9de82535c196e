"""Sessions: who is calling, and what an editor has open."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from surveyor.protocol.base import PROTOCOL_MAX, PROTOCOL_MIN, Done, Model, Request


class OverlayRequest(Request[Done], kw_only=True):
    """Show an unsaved buffer to searches; `text` of `None` takes it away. Never stored."""

    operation: ClassVar[str] = "overlay"
    answer: ClassVar[type[Any]] = Done

    path: str
    """Absolute."""
    version: int = 0
    text: str | None = None


class RootsRequest(Request[Done], kw_only=True):
    """The folders that this session has open are now these, in place of those in its `Hello`."""

    operation: ClassVar[str] = "roots"
    answer: ClassVar[type[Any]] = Done

    roots: list[str]
    """Absolute."""


class Hello(Model, kw_only=True):
    """First message on a session: who is calling and which protocols it speaks."""

    client: Literal["lsp", "mcp", "cli", "test"]
    version: str
    pid: int
    parent: int = 0
    """The process that started the client: the agent itself, of a relay."""
    protocol: tuple[int, int] = (PROTOCOL_MIN, PROTOCOL_MAX)
    roots: list[str] = []
    roots_implied: bool = False
    """Nobody named the roots: it is the folder in which the client was started."""
    token: str | None = None
    relay: Literal["mcp"] | None = None
    """`mcp`: after the welcome the stream carries the MCP protocol itself, one message a line."""
    serves: list[str] = []
    """Requests that the engine may send to this client (an editor's navigation questions)."""


class Welcome(Model, kw_only=True):
    """The engine's answer to `Hello`."""

    version: str
    pid: int
    protocol: int
    session: str
