"""What the relay answers when no engine can run: the truth, and what to do about it."""

from __future__ import annotations

from typing import Any

from surveyor import __version__

PROTOCOL = "2025-06-18"
MODERN_PROTOCOL = "2026-07-28"
METHOD_NOT_FOUND = -32601

Message = dict[str, Any]

TOOL = {
    "name": "index",
    "description": "Surveyor cannot run now. Call this to try again and to learn why.",
    "inputSchema": {"type": "object", "properties": {"action": {"type": "string"}}},
}


def answer(message: Message, problem: str, hint: str) -> Message | None:
    """The answer to a message; None for what needs none. The tools come back with the engine."""
    method, number = message.get("method"), message.get("id")
    if method is None or number is None:
        return None
    text = f"Surveyor is degraded: {problem}. {hint}".strip()
    params = message.get("params")
    if method == "initialize":
        asked = params.get("protocolVersion") if isinstance(params, dict) else None
        return _result(
            number,
            {
                "protocolVersion": asked if isinstance(asked, str) else PROTOCOL,
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
        return _result(number, {"tools": [TOOL]})
    if method == "tools/call":
        structured = {"status": "degraded", "reason": "engine_unavailable", "message": text}
        return _result(
            number,
            {
                "content": [{"type": "text", "text": text}],
                "structuredContent": structured,
                "isError": True,
            },
        )
    error = {"code": METHOD_NOT_FOUND, "message": text}
    return {"jsonrpc": "2.0", "id": number, "error": error}


def _result(number: object, result: Message) -> Message:
    return {"jsonrpc": "2.0", "id": number, "result": result}
