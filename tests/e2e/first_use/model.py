"""A model that does one thing, for agents that need one: it searches for what it is asked, and says
what it was given.

It answers Anthropic's Messages API on a port of this machine, so that a real Claude Code starts the
real MCP server and calls its tools, without an account and without the network.
"""

from __future__ import annotations

import contextlib
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

TOOL = "mcp__surveyor__search"
WAIT = "WaitForMcpServers"
"""Claude Code's own tool for servers that are still being connected."""
WAITS = 10


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """The block that the model says next: text, or a call of a tool."""
    called = [block["name"] for block in _blocks(request, "assistant", "tool_use")]
    results = _blocks(request, "user", "tool_result")
    if TOOL in called:
        return {"type": "text", "text": "Surveyor found:\n\n" + _text(results[-1]["content"])}
    offered = {tool["name"] for tool in request.get("tools", [])}
    number = f"toolu_{len(called)}"
    if TOOL in offered:
        question = _blocks(request, "user", "text")[-1]["text"]
        return {"type": "tool_use", "id": number, "name": TOOL, "input": {"query": question}}
    if WAIT in offered and called.count(WAIT) < WAITS:
        return {"type": "tool_use", "id": number, "name": WAIT, "input": {}}
    return {"type": "text", "text": f"There is no tool {TOOL}."}


def _blocks(request: dict[str, Any], role: str, kind: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    for message in request["messages"]:
        if message["role"] == role:
            content = message["content"]
            found += [{"type": "text", "text": content}] if isinstance(content, str) else content
    return [block for block in found if block["type"] == kind]


def _text(content: str | list[dict[str, Any]]) -> str:
    if isinstance(content, str):
        return content
    return "\n".join(block.get("text", "") for block in content)


def events(block: dict[str, Any], model: str) -> Iterator[dict[str, Any]]:
    """A block as the events of a stream."""
    usage = {"input_tokens": 1, "output_tokens": 1}
    message = {"id": "msg_1", "type": "message", "role": "assistant", "model": model, "content": []}
    yield {"type": "message_start", "message": {**message, "stop_reason": None, "usage": usage}}
    if block["type"] == "text":
        empty, delta = {**block, "text": ""}, {"type": "text_delta", "text": block["text"]}
    else:
        said = json.dumps(block["input"])
        empty, delta = {**block, "input": {}}, {"type": "input_json_delta", "partial_json": said}
    yield {"type": "content_block_start", "index": 0, "content_block": empty}
    yield {"type": "content_block_delta", "index": 0, "delta": delta}
    yield {"type": "content_block_stop", "index": 0}
    reason = "end_turn" if block["type"] == "text" else "tool_use"
    yield {"type": "message_delta", "delta": {"stop_reason": reason}, "usage": usage}
    yield {"type": "message_stop"}


class _Handler(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers.get("content-length", 0))) or b"{}")
        if not self.path.startswith("/v1/messages") or "messages" not in request:
            self._send("application/json", b"{}")
        elif "count_tokens" in self.path:
            self._send("application/json", b'{"input_tokens": 1}')
        else:
            stream = events(answer(request), request["model"])
            lines = [f"event: {each['type']}\ndata: {json.dumps(each)}\n\n" for each in stream]
            self._send("text/event-stream", "".join(lines).encode())

    def do_GET(self) -> None:
        self._send("application/json", b"{}")

    def do_HEAD(self) -> None:
        self._send("application/json", b"")

    def _send(self, kind: str, body: bytes) -> None:
        self.send_response(200)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """What it is asked is not said on the screen."""


@contextlib.contextmanager
def served() -> Iterator[str]:
    """The address at which the model answers."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
