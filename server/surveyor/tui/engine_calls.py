"""What the UI needs of a client of the engine."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeVar

from surveyor.errors import SurveyorError
from surveyor.protocol.base import Request

A = TypeVar("A")

ANSWER_S = 60.0
"""How long an answer is waited for; a newer question ends the waiting before."""


class EngineCalls(Protocol):
    """A session with the engine; `client.asynchronous.AsyncClient` is one."""

    last_error: SurveyorError | None

    @property
    def connected(self) -> bool:
        """Whether an engine is there now."""

    def open(self) -> None:
        """Start looking for the engine."""

    async def close(self) -> None:
        """End the session."""

    async def call(self, request: Request[A], *, timeout_s: float | None = None) -> A:
        """Ask and wait; being cancelled cancels the work in the engine."""

    def on_connection(self, handler: Callable[[bool], None]) -> None:
        """Hear of every time the engine is found or lost."""
