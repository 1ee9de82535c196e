"""What the relay answers when no engine can run: the truth, and what to do about it."""

from __future__ import annotations

from typing import Any

from surveyor import __version__
from surveyor.protocol.tools import MCP_VERSIONS, META, listed_tools
from surveyor.protocol.wire import clipped

PROTOCOL = "2025-06-18"
MODERN_PROTOCOL = "2026-07-28"
METHOD_NOT_FOUND = -32601

Message = dict[str, Any]


def answer(message: Message, problem: str, hint: str) -> Message | None:
    """The answer to a message; None for what needs none.

    All tools are listed; a call of one says what is wrong and what to do, and tries again.
    """
    method, number = message.get("method"), message.get("id")
    if method is None or number is None:
        return None
    ended = problem.rstrip(".")
    text = f"Surveyor is degraded: {clipped(ended)}. {hint} Then call again.".replace("  ", " ")
    params = message.get("params")
    if method == "initialize":
        asked = params.get("protocolVersion") if isinstance(params, dict) else None
        return _result(
            number,
            {
                "protocolVersion": asked if asked in MCP_VERSIONS else PROTOCOL,
                "capabilities": {"tools": {"listChanged": True}},
                "serverInfo": {"name": "surveyor", "version": __version__},
                "instructions": text,
            },
        )
    if method == "server/discover":
        return _result(
            number,
            {
                "supportedVersions": [MODERN_PROTOCOL],
                "capabilities": {"tools": {"listChanged": True}},
                "instructions": text,
            },
        )
    if method == "ping":
        return _result(number, {})
    if method == "tools/list":
        return _result(number, {"tools": listed_tools()})
    if method == "tools/call":
        return _result(
            number,
            {
                "_meta": {META: {"status": "degraded", "reason": "engine_unavailable"}},
                "content": [{"type": "text", "text": text}],
                "isError": True,
            },
        )
    error = {"code": METHOD_NOT_FOUND, "message": text}
    return {"jsonrpc": "2.0", "id": number, "error": error}


def _result(number: object, result: Message) -> Message:
    return {"jsonrpc": "2.0", "id": number, "result": result}
