"""Unsaved buffers from editors."""

from __future__ import annotations

import asyncio
from pathlib import Path

from surveyor.engine.app import Engine
from surveyor.engine.operations import Call, operation
from surveyor.engine.projects.registry import Checkout
from surveyor.errors import UsageError
from surveyor.files.inside import below
from surveyor.parsing.ignore import Ignore
from surveyor.protocol.base import Done
from surveyor.protocol.sessions import OverlayRequest


@operation(OverlayRequest)
async def overlay(engine: Engine, request: OverlayRequest, call: Call) -> Done:
    """Show or hide a buffer for as long as the session lasts."""
    checkout = await engine.resolve(cwd=str(Path(request.path).parent))
    try:
        path = below(Path(checkout.root), request.path)
    except UsageError:
        return Done(message="outside every project")
    owner = call.session.id if call.session is not None else ""
    if request.text is None:
        engine.overlays.hide(owner, checkout, path)
        # It is open, or was: what is typed next is to be searchable without a worker's start.
        engine.spawn(engine.pool.expect(request.path))
        return Done(message="hidden")
    if await _is_left_out(engine, checkout, path):
        return Done(message="left out of the index")
    await engine.overlays.show(owner, checkout, path, request.version, request.text)
    return Done(message="shown")


async def _is_left_out(engine: Engine, checkout: Checkout, path: str) -> bool:
    """Whether the rules leave out a file that is open: its text is for the editor alone."""
    if engine.overlays.text(checkout.checkout_id, path) is not None:
        return False  # asked when it was opened
    row = await engine.state.one(
        "SELECT status, reason FROM files WHERE checkout_id = ? AND path = ?",
        (checkout.checkout_id, path),
    )
    if row is not None:
        return bool(row["status"] == "skipped" and row["reason"] == "secret")
    root = Path(checkout.root)
    rules = engine.preferences.walk(checkout.root)
    return await asyncio.to_thread(lambda: Ignore(root, rules).ignores_file(path))
