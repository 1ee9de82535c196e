"""What the engine says of itself, and its end."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Iterable
from typing import Any

import msgspec

from surveyor.engine.operations import Caller, operation
from surveyor.engine.process.sessions import Session
from surveyor.engine.process.shutdown import children_of, named
from surveyor.errors import SurveyorError
from surveyor.protocol.base import Done
from surveyor.protocol.engine import StatusRequest, StatusResponse, StopRequest

EDITOR_TIMEOUT_S = 1.0
"""How long an editor may take to say which language servers it runs."""


class EngineOperations:
    """The engine's status, and stopping it."""

    def __init__(
        self,
        engine_status: Callable[[str | None, bool], Awaitable[StatusResponse]],
        own_servers: Callable[[], list[dict[str, Any]]],
        sessions: Iterable[Session],
        pid: int,
        stop: Callable[[str], None],
    ) -> None:
        self._engine_status = engine_status
        self._own_servers = own_servers
        self._sessions = sessions
        self._pid = pid
        self._stop = stop

    @operation(StatusRequest)
    async def status(self, request: StatusRequest, _: Caller) -> StatusResponse:
        """The engine and its projects."""
        answer = await self._engine_status(request.path, request.skipped)
        if request.path is None:
            answer.upstreams = await self._running_servers()
        return answer

    async def _running_servers(self) -> list[dict[str, Any]]:
        """Language servers that run now: the engine's own, and those of attached editors."""
        found = [{**item, "for": "agents"} for item in self._own_servers()]
        for session in self._sessions:
            if "editor/status" not in session.hello.serves:
                continue
            with contextlib.suppress(SurveyorError, msgspec.MsgspecError, ConnectionError):
                raw = await session.request("editor/status", {}, EDITOR_TIMEOUT_S)
                for item in msgspec.json.decode(raw, type=list[dict[str, Any]]):
                    found.append({**item, "for": f"editor {session.hello.pid}"})
        return found

    @operation(StopRequest)
    async def stop(self, _: StopRequest, __: Caller) -> Done:
        """End the engine once this answer is out."""
        asyncio.get_running_loop().call_later(0.05, self._stop, "asked to")
        ended = named(await asyncio.to_thread(children_of, self._pid))
        with_them = f", with {', '.join(ended)}" if ended else ""
        return Done(message=f"The engine ({self._pid}) is ending{with_them}.")
