"""Unsaved buffers from editors."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

from surveyor.engine.index.unsaved_buffers import EditorBuffers
from surveyor.engine.operations import Caller, operation
from surveyor.engine.operations.engine_callables import ResolveCheckout, SpawnTask
from surveyor.engine.projects.checkouts import Checkout
from surveyor.errors import UsageError
from surveyor.files.contained_paths import below
from surveyor.parsing.ignore import Ignore, WalkSettings
from surveyor.protocol.base import Done
from surveyor.protocol.sessions import OverlayRequest
from surveyor.store.state import State
from surveyor.store.state.files import file_state


class OverlayOperations:
    """Unsaved buffers from editors."""

    def __init__(
        self,
        state: State,
        resolve: ResolveCheckout,
        editor_buffers: EditorBuffers,
        walk_settings: Callable[[str], WalkSettings],
        expect: Callable[[str], Coroutine[Any, Any, None]],
        spawn: SpawnTask,
        prepare: Callable[[Checkout], Coroutine[Any, Any, None]],
    ) -> None:
        self._state = state
        self._resolve = resolve
        self._editor_buffers = editor_buffers
        self._walk_settings = walk_settings
        self._expect = expect
        self._spawn = spawn
        self._prepare = prepare

    @operation(OverlayRequest)
    async def overlay(self, request: OverlayRequest, call: Caller) -> Done:
        """Show or hide a buffer for as long as the session lasts."""
        checkout = await self._resolve(cwd=str(Path(request.path).parent))
        try:
            path = below(Path(checkout.root), request.path)
        except UsageError:
            return Done(message="outside every project")
        owner = call.session.id if call.session is not None else ""
        if request.text is None:
            self._editor_buffers.hide(owner, checkout, path)
            # It is open, or was: what is typed next is to be searchable without a worker's start.
            self._spawn(self._expect(request.path))
            return Done(message="hidden")
        if await self._is_left_out(checkout, path):
            return Done(message="left out of the index")
        await self._editor_buffers.show(owner, checkout, path, request.version, request.text)
        self._spawn(self._prepare(checkout))
        return Done(message="shown")

    async def _is_left_out(self, checkout: Checkout, path: str) -> bool:
        """Whether the rules leave out a file that is open: its text is for the editor alone."""
        if self._editor_buffers.text(checkout.checkout_id, path) is not None:
            return False  # asked when it was opened
        known = await file_state(self._state, checkout.checkout_id, path)
        if known is not None:
            return known == ("skipped", "secret")
        root = Path(checkout.root)
        rules = self._walk_settings(checkout.root)
        return await asyncio.to_thread(lambda: Ignore(root, rules).ignores_file(path))
