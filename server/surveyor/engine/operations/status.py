"""What the engine says of itself."""

from __future__ import annotations

import contextlib
from typing import Any

import msgspec

from surveyor.engine.app import Engine
from surveyor.engine.operations import Call, operation
from surveyor.errors import SurveyorError
from surveyor.protocol.engine import StatusRequest, StatusResponse

EDITOR_TIMEOUT_S = 1.0
"""How long an editor may take to say which language servers it runs."""


@operation(StatusRequest)
async def status(engine: Engine, request: StatusRequest, _: Call) -> StatusResponse:
    """The engine and its projects."""
    answer = await engine.status.of_engine(request.path, request.skipped)
    if request.path is None:
        answer.upstreams = await running_upstreams(engine)
    return answer


async def running_upstreams(engine: Engine) -> list[dict[str, Any]]:
    """Language servers that run now: the engine's own, and those of attached editors."""
    found = [{**item, "for": "agents"} for item in engine.graph.exact.status()]
    for session in engine.sessions:
        if "editor/status" not in session.hello.serves:
            continue
        with contextlib.suppress(SurveyorError, msgspec.MsgspecError, ConnectionError):
            raw = await session.request("editor/status", {}, EDITOR_TIMEOUT_S)
            for item in msgspec.json.decode(raw, type=list[dict[str, Any]]):
                found.append({**item, "for": f"editor {session.hello.pid}"})
    return found
