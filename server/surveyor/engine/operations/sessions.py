"""What a session says of itself while it lasts."""

from __future__ import annotations

from surveyor.engine.app import Engine
from surveyor.engine.operations import Call, operation
from surveyor.errors import UsageError
from surveyor.protocol.base import Done
from surveyor.protocol.sessions import RootsRequest


@operation(RootsRequest)
async def roots(engine: Engine, request: RootsRequest, call: Call) -> Done:
    """Folders were opened or closed. Raises `UsageError` for a caller without a session."""
    if call.session is None:
        raise UsageError("only a session has folders open", "Say hello on the session socket.")
    await engine.activity.changed(call.session, request.roots)
    return Done(message="changed")
