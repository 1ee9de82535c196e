"""What the engine says of itself."""

from __future__ import annotations

from surveyor.engine.core import Engine
from surveyor.engine.operations import Call, operation
from surveyor.engine.status import engine_status
from surveyor.models import StatusRequest, StatusResponse


@operation(StatusRequest)
async def status(engine: Engine, request: StatusRequest, _: Call) -> StatusResponse:
    """The engine and its projects."""
    return await engine_status(engine, request.path, request.skipped)
