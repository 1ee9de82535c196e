"""An engine that answers from a table, and what it answers in the tests of screens."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import msgspec

from surveyor.errors import SurveyorError
from surveyor.protocol.activity import ActivityRequest, ActivityResponse
from surveyor.protocol.base import Request
from surveyor.protocol.engine import StatusRequest, StatusResponse
from surveyor.protocol.graph import ImpactRequest, ImpactResponse
from surveyor.protocol.projects import IndexProgress, IndexProgressRequest
from surveyor.protocol.search import (
    RetrieveRequest,
    RetrieveResponse,
    SearchRequest,
    SearchResponse,
    SymbolsRequest,
    SymbolsResponse,
)

ROOT = "/home/ann/code/shop"
HOSTILE = "docs/\x1b[2J\u202e[@click=app.quit]x\n日本語.py"
"""A name that clears the screen, turns the line around, is markup, and is wide."""

CODE = "\n".join(
    [
        "import math",
        "",
        "",
        "class Cart:",
        '    """The customer\'s cart."""',
        "",
        "    def total_price(self, vat: float) -> float:",
        '        """日本語: the price of all items, \x1b[31mrounded."""',
        "        return math.floor(sum(self.items) * (1 + vat))  # [@click=app.quit]here[/]",
        "",
        *[f"    LINE_{number} = {number}" for number in range(60)],
    ]
)


class FakeEngine:
    """Answers by the type of a question; an exception in place of an answer is raised."""

    def __init__(self, **answers: Any) -> None:
        self.answers = {
            SearchRequest: SEARCH,
            SymbolsRequest: SYMBOLS,
            RetrieveRequest: TEXT,
            ImpactRequest: IMPACT,
            ActivityRequest: ACTIVITY,
            StatusRequest: STATUS,
            IndexProgressRequest: PROGRESS,
        } | answers
        self.asked: list[Request[Any]] = []
        self.cancelled: list[Request[Any]] = []
        self.connected = True
        self.last_error: SurveyorError | None = None
        self.handler: Callable[[bool], None] = lambda connected: None
        self.delay_s = 0.0

    def open(self) -> None:
        pass

    async def close(self) -> None:
        pass

    def on_connection(self, handler: Callable[[bool], None]) -> None:
        self.handler = handler

    async def call(self, request: Request[Any], *, timeout_s: float | None = None) -> Any:
        self.asked.append(request)
        try:
            await asyncio.sleep(self.delay_s)
        except asyncio.CancelledError:
            self.cancelled.append(request)
            raise
        answer = self.answers[type(request)]
        answer = answer(request) if callable(answer) else answer
        if isinstance(answer, Exception):
            raise answer
        return answer


def built(kind: Any, **fields: Any) -> Any:
    return msgspec.convert(fields, kind)


def result(
    path: str, line: int, symbol: str, confidence: float = 0.5, **more: Any
) -> dict[str, Any]:
    return {
        "path": path, "start_line": line, "end_line": line + 2, "line": line,
        "language": "python", "kind": "method", "symbol": symbol, "container": "Cart",
        "score": confidence, "confidence": confidence, "scores": {}, "snippet": "x = 1",
        "project": "shop", "branch": "main", "root": ROOT,
    } | more  # fmt: skip


def symbol(name: str, line: int) -> dict[str, Any]:
    return {
        "name": name, "kind": "function", "container": "Cart", "path": "shop/cart.py",
        "start_line": line, "end_line": line + 2, "line": line, "column": 8, "end_column": 20,
        "language": "python", "signature": None, "score": 1.0, "project": "shop", "root": ROOT,
    }  # fmt: skip


def impact_item(path: str, name: str, depth: int, *via: str, **more: Any) -> dict[str, Any]:
    return {
        "path": path, "line": 12, "name": name, "kind": "function", "start_line": 10,
        "end_line": 14, "depth": depth, "source": f"{path}::{name}", "target": "",
        "edge": "call", "via": list(via),
    } | more  # fmt: skip


SEARCH = built(
    SearchResponse,
    took_ms=12.3,
    results=[
        result("shop/cart.py", 7, "total_price", 0.93),
        result(HOSTILE, 3, "\x1b]0;owned\x07税込", 0.42),
        result(
            "a/very/long/path/that/does/not/fit/into/half/of/a/narrow/line/pricing.py", 1, "vat"
        ),
        *[result(f"shop/page_{number}.py", number, f"render_{number}") for number in range(1, 60)],
    ],
)
SYMBOLS = built(
    SymbolsResponse, took_ms=4, results=[symbol("total_price", 7), symbol("total_items", 21)]
)
TEXT = built(
    RetrieveResponse,
    path="shop/cart.py", root=ROOT, start_line=1, end_line=70, total_lines=70, text=CODE,
    language="python",
)  # fmt: skip
INBOUND = [
    impact_item("shop/checkout.py", "Checkout.pay", 1),
    impact_item("shop/api.py", "post_order", 2, "shop/checkout.py::Checkout.pay"),
    impact_item(
        "shop/app.py", "main", 3, "shop/checkout.py::Checkout.pay", "shop/api.py::post_order"
    ),
    impact_item("tests/test_cart.py", "", 1, is_test=True),
    impact_item(HOSTILE, "\x1b[31m[bold]red", 1),
]  # fmt: skip
IMPACT = built(
    ImpactResponse,
    results=INBOUND,
    inbound=INBOUND,
    outbound=[impact_item("shop/money.py", "floor", 1)],
    tests=["tests/test_cart.py"],
    subjects=[
        {"path": "shop/cart.py", "line": 7, "column": 8, "end_column": 19, "kind": "definition",
         "symbol": "Cart.total_price"}
    ],
    unresolved=[
        {"path": "shop/app.py", "line": 3, "module": "plugins", "kind": "call",
         "reason": "computed at run time"}
    ],
    precision="syntax",
    complete=True,
    root=ROOT,
)  # fmt: skip
SESSION = {
    "session": "5f3a9c01d2", "client": "claude-code", "root": ROOT, "first": 1_700_000_000.0,
    "last": 1_700_000_090.0, "calls": 2, "edits": 1, "open": True,
}  # fmt: skip
CALL = {
    "id": 1, "session": "5f3a9c01d2", "client": "claude-code", "root": ROOT,
    "at": 1_700_000_010.0, "tool": "search", "asked": "price \x1b[2J of a cart",
    "outcome": "3 results", "failed": False,
    "places": [
        {"root": ROOT, "path": "shop/cart.py", "first": 7, "last": 9, "kind": "read"},
        {"root": ROOT, "path": HOSTILE, "first": 1, "last": 1, "kind": "edited"},
    ],
}  # fmt: skip
ACTIVITY = built(ActivityResponse, sessions=[SESSION], calls=[CALL], kept=True)
PROJECT = {
    "root": ROOT, "name": "shop", "project_id": "p", "checkout_id": "c", "branch": "main",
    "files": 120, "chunks": 900, "symbols": 1500, "skipped": 3, "failed": 0,
    "languages": {"python": 110, "markdown": 10}, "watched": True, "active": True,
    "disk_bytes": 4_200_000, "revision": 7,
}  # fmt: skip
SERVER = {
    "name": "basedpyright", "language": "python", "state": "running", "ready": True,
    "memoryBytes": 300_000_000, "restarts": 0, "for": "agents", "root": ROOT,
    "stderr": "warming \x1b[31mup",
}  # fmt: skip
STATUS = built(
    StatusResponse,
    engine_version="1.2.3", pid=4242, uptime_s=61.0, data_dir="/home/ann/.local/share/surveyor",
    store="embedded", model="surveyor/code-static-256", projects=[PROJECT],
    queue={"pending": 0, "in_progress": 0, "failed": 0}, sessions=2, memory_bytes=1,
    anonymous_bytes=90_000_000, worker_bytes=0, disk_free_bytes=50_000_000_000,
    upstreams=[SERVER],
)  # fmt: skip
PROGRESS = built(
    IndexProgress, root=ROOT, run=1, phase="indexing", files_total=120, files_done=37,
    chunks_done=300, embeddings_generated=300, elapsed_s=2.0,
)  # fmt: skip
