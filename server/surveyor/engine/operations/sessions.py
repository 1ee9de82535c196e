"""What a session says of itself while it lasts."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from surveyor.engine.operations import Caller, operation
from surveyor.engine.process.sessions import Session
from surveyor.errors import UsageError
from surveyor.protocol.base import Done
from surveyor.protocol.sessions import RootsRequest


class SessionOperations:
    """Requests by which a session tells its open folders."""

    def __init__(
        self,
        changed: Callable[[Session, list[str]], Awaitable[None]],
    ) -> None:
        self._changed = changed

    @operation(RootsRequest)
    async def roots(self, request: RootsRequest, call: Caller) -> Done:
        """Folders were opened or closed. Raises `UsageError` for a caller without a session."""
        if call.session is None:
            raise UsageError("only a session has folders open", "Say hello on the session socket.")
        await self._changed(call.session, request.roots)
        return Done(message="changed")
