"""What a shared server needs of its clients."""

from __future__ import annotations

import asyncio
from typing import Any, Protocol

import msgspec

from surveyor.servers.host.attach import Attach
from surveyor.servers.host.client_shape import ClientShape


class SharedClient(Protocol):
    """Interface of a client of a shared server (`channel.Channel`)."""

    wish: Attach
    shape: ClientShape
    asked: dict[Any, tuple[Any, int, str]]
    """Requests under way, by the client's numbers: whose, the server's number, the method."""
    last_asked: float

    @property
    def commands(self) -> bool:
        """Whether a command of its user runs now."""
        ...

    def tell(self, method: str, params: Any) -> None:
        """A notification."""
        ...

    def answer(self, number: Any, result: bytes) -> None:
        """The result of a request."""
        ...

    def refuse(self, number: Any, error: bytes) -> None:
        """A server's error, as it is."""
        ...

    def fail(self, number: Any, code: int, message: str) -> None:
        """An error of ours."""
        ...

    def send(self, method: str, params: bytes) -> tuple[int, asyncio.Future[msgspec.Raw]]:
        """Ask it something."""
        ...

    async def request(self, method: str, params: Any = None, *, timeout: float) -> msgspec.Raw:
        """Ask it something and wait for the answer."""
        ...

    def server_ended(self, last: dict[str, Any]) -> None:
        """The server's process is gone."""
        ...

    async def rehome(self, server: Any) -> None:
        """Go over to another server for good."""
        ...

    def review(self) -> None:
        """Texts have changed."""
        ...

    def status(self) -> dict[str, Any]:
        """Who it is, for people."""
        ...
