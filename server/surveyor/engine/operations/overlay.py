"""Unsaved buffers from editors."""

from __future__ import annotations

from pathlib import Path

from surveyor.engine.core import Engine
from surveyor.engine.operations import Call, operation
from surveyor.engine.overlays import relative_to
from surveyor.models import Done, OverlayRequest


@operation(OverlayRequest)
async def overlay(engine: Engine, request: OverlayRequest, call: Call) -> Done:
    """Show or hide a buffer for as long as the session lasts."""
    checkout = await engine.resolve(cwd=str(Path(request.path).parent))
    path = relative_to(checkout, request.path)
    if path is None:
        return Done(message="outside every project")
    owner = call.session.id if call.session is not None else ""
    if request.text is None:
        engine.overlays.hide(owner, checkout, path)
        # It is open, or was: what is typed next is to be searchable without a worker's start.
        engine.spawn(engine.pool.expect(request.path))
        return Done(message="hidden")
    await engine.overlays.show(owner, checkout, path, request.version, request.text)
    return Done(message="shown")
