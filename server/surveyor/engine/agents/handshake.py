"""The handshake of an engine that has just started: answered while the SDK is still imported.

Importing the SDK takes about as long as the engine's own start, and `initialize` needs nothing of
it: what is said is the same for every agent, but for the instructions. The SDK's server hears the
request afterwards, as every other, and its answer is dropped. What it would say is said here a
second time; a test compares the two for every version of the protocol.
"""

from __future__ import annotations

from typing import Any

import msgspec

from surveyor import __version__
from surveyor.protocol.tools import MCP_VERSIONS

CAPABILITIES: dict[str, dict[str, bool]] = {
    "completions": {},
    "logging": {},
    "prompts": {"listChanged": False},
    "resources": {"listChanged": True, "subscribe": True},
    "tools": {"listChanged": False},
}


class ClientInfo(msgspec.Struct):
    """`clientInfo` of `initialize`: the agent's name and version."""

    name: str
    version: str


class InitializeParams(msgspec.Struct):
    """What the answer depends on, and what has to be there."""

    protocolVersion: str
    capabilities: dict[str, Any]
    clientInfo: ClientInfo


class InitializeRequest(msgspec.Struct):
    """An `initialize` request with everything that its answer depends on."""

    id: int | str
    params: InitializeParams


def opening_of(line: bytes) -> InitializeRequest | None:
    """The request, if the line is one that can only be answered in one way."""
    try:
        if msgspec.json.decode(line, type=dict[str, Any]).get("method") != "initialize":
            return None
        return msgspec.json.decode(line, type=InitializeRequest)
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return None


def answer(opening: InitializeRequest, instructions: str) -> bytes:
    """The answer to it, as a line."""
    asked = opening.params.protocolVersion
    result = {
        "capabilities": CAPABILITIES,
        "instructions": instructions,
        "protocolVersion": asked if asked in MCP_VERSIONS else MCP_VERSIONS[-1],
        "serverInfo": {"name": "surveyor", "title": "Surveyor", "version": __version__},
    }
    return msgspec.json.encode({"jsonrpc": "2.0", "id": opening.id, "result": result}) + b"\n"
