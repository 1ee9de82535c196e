"""Requests that no client of ours would send, over HTTP: 4xx with a message, at once."""

from __future__ import annotations

import json
import os
import random
import socket
import string
import time
from collections.abc import Iterator
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path
from typing import Any

import pytest

from tests.product import Product

LIMIT_S = 60.0
SLOW_S = 20.0
"""No request takes so long, on any machine; ten would be a hang."""
LONG = "a" * 100_000
ANSWER_CHARS = 6000
"""An error repeats nothing huge."""

UNSAFE = {"stop", "doctor", "knowledge_refresh", "library_deps"}
"""Left out where requests are drawn: they end the engine, or leave the machine."""


class Web:
    """The engine's HTTP, over its private socket."""

    def __init__(self, path: Path) -> None:
        self.path = str(path)
        self.connection = HTTPConnection("engine", timeout=LIMIT_S)

    def send(
        self, method: str, url: str, body: bytes = b"", headers: dict[str, str] | None = None
    ) -> tuple[int, bytes]:
        for _ in range(2):
            if self.connection.sock is None:
                self.connection.sock = socket.socket(socket.AF_UNIX)
                self.connection.sock.settimeout(LIMIT_S)
                self.connection.sock.connect(self.path)
            try:
                self.connection.request(method, url, body, headers or {})
                answer = self.connection.getresponse()
                return answer.status, answer.read()
            except (BrokenPipeError, ConnectionResetError):
                self.connection.close()
        raise AssertionError(f"{method} {url[:80]}: the connection ends")

    def post(self, name: str, value: Any) -> tuple[int, bytes]:
        body = value if isinstance(value, bytes) else json.dumps(value).encode()
        return self.send("POST", f"/v1/{name}", body)

    def raw(self, data: bytes) -> int:
        """The status that a request of bytes gets."""
        with socket.socket(socket.AF_UNIX) as one:
            one.settimeout(LIMIT_S)
            one.connect(self.path)
            one.sendall(data)
            answer = HTTPResponse(one)
            answer.begin()
            return answer.status


@pytest.fixture(scope="module")
def web(indexed: tuple[Product, Path]) -> Iterator[Web]:
    product, _ = indexed
    folder = next(
        Path(process["http"]) for process in [json.loads(engine_file(product).read_text())]
    )
    made = Web(folder)
    yield made
    made.connection.close()


def engine_file(product: Product) -> Path:
    found = [*product.data.rglob("engine.json")]
    assert found
    return found[0]


def error_of(status: int, body: bytes) -> dict[str, Any]:
    assert 400 <= status < 500, (status, body[:500])
    assert len(body) < ANSWER_CHARS
    error: dict[str, Any] = json.loads(body)["error"]
    assert error["message"]
    return error


@pytest.fixture(scope="module")
def shop(indexed: tuple[Product, Path]) -> str:
    return str(indexed[1])


REFUSED: list[tuple[str, Any]] = [
    ("history_file", {"path": "../../../etc/passwd", "cwd": "@"}),
    ("history_file", {"path": "..", "cwd": "@"}),
    ("history_file", {"path": "shop/../../x.py", "cwd": "@"}),
    ("history_file", {"path": LONG, "cwd": "@"}),
    ("history_file", {"path": "a\0b", "cwd": "@"}),
    ("history_file", {"path": "", "cwd": "@"}),
    ("history_symbol", {"path": "../x.py", "start_line": 1, "end_line": 2, "cwd": "@"}),
    ("retrieve", {"path": "../../etc/passwd", "cwd": "@"}),
    ("passage", {"path": "../x", "cwd": "@"}),
    ("outline", {"path": "../x.py", "cwd": "@"}),
    ("overlay", {"path": "a\0.py", "version": 1, "text": "x"}),
    ("overlay", {"path": "../a.py", "version": 1, "text": "x"}),
    ("index", {"path": ""}),
    ("index", {"path": " "}),
    ("index", {"path": "/tmp/\0"}),
    ("index", {"path": "/" + LONG}),
    ("index", {"path": "/" + "a/" * 50_000}),
    ("search", {"query": "x", "cwd": "/\0"}),
    ("search", {"query": "a\0b", "cwd": "@"}),
    ("search", {"query": "x" * 1_000_000, "cwd": "@"}),
    ("search", {"query": "x", "project": LONG}),
    ("search", {"query": "x", "project": "p\0q"}),
    ("search", {"query": "x", "project": "/" + "😀" * 100}),
    ("library_ingest", {"name": "n", "content": "c", "project": "😀" * 500}),
    ("index_progress", {"root": "~nobody-of-this-name/x"}),
    ("search", {"query": "x", "cwd": "@", "limit": -1}),
    ("search", {"query": "x", "cwd": "@", "limit": 2**40}),
    ("search", {"query": "x", "cwd": "@", "limit": 2**80}),
    ("search", {"query": "x", "cwd": "@", "token_budget": -(2**70)}),
    ("search", {"query": "x", "cwd": "@", "wait_until_fresh_ms": 2**60}),
    ("search", {"query": "x", "cwd": "@", "paths": ["a"] * 100_000}),
    ("search", {"query": "x", "cwd": "@", "languages": [LONG]}),
    ("search", {"query": "x", "cwd": "@", "branch": LONG}),
    ("search", {"query": ["x"]}),
    ("search", {"query": None}),
    ("search", []),
    ("search", "x"),
    ("search", b""),
    ("search", b"{"),
    ("search", b"\xff\xfe{}"),
    ("search", b'{"query":"\xff"}'),
    ("search", b'{"query":"\\ud800"}'),
    ("search", b'{"query":"\\udc00 x"}'),
    ("search", b'{"query":"x","limit":NaN}'),
    ("search", b'{"query":"x","score_threshold":1e999}'),
    ("search", b'{"query":"x","limit":1e999}'),
    ("search", b'{"query":"x","limit":' + b"9" * 5000 + b"}"),
    ("search", b'{"query":"x","paths":' + b"[" * 100_000 + b"]" * 100_000 + b"}"),
    ("chunks", {"cwd": "@", "offset": 2**63}),
    ("chunks", {"cwd": "@", "offset": -5}),
    ("definition", {"name": "x", "line": -3, "path": "shop/cart.py", "cwd": "@"}),
    ("definition", {"name": "x", "line": 2**64, "path": "shop/cart.py", "cwd": "@"}),
    ("library_ingest", {"name": "n", "content": "c", "metadata": {"a": 2**70}}),
    ("memory_write", {"action": "add", "label": "a\0b", "content": "c"}),
    ("memory_write", {"action": "add", "label": LONG, "content": "c"}),
    ("write_wait", {"queue_ids": ["x"] * 100_000}),
    ("roots", {"roots": ["/" + LONG]}),
    ("x" * 5000, {}),
    ("no%00such", {}),
]


@pytest.mark.parametrize("number", range(len(REFUSED)))
def test_what_no_operation_can_serve_is_refused_with_a_message(
    web: Web, shop: str, number: int
) -> None:
    name, value = REFUSED[number]
    if isinstance(value, dict):
        value = {key: shop if item == "@" else item for key, item in value.items()}
    error_of(*web.post(name, value))


def test_what_is_no_request_is_refused(web: Web) -> None:
    assert web.send("GET", "/v1/search")[0] == 405
    assert web.send("DELETE", "/v1/search")[0] == 405
    assert web.send("POST", "/v1/")[0] == 404
    assert web.send("POST", "/v1/../etc/passwd")[0] == 404
    assert web.raw(b"nonsense\r\n\r\n") == 400
    assert web.raw(b"POST /v1/search HTTP/1.1\r\nHost: e\r\nContent-Length: many\r\n\r\n") == 400
    assert web.raw(b"POST /v1/search HTTP/1.1\r\nHost: e\r\nContent-Length: -1\r\n\r\n") == 400
    assert 400 <= web.raw(b"GET /" + b"a" * 200_000 + b" HTTP/1.1\r\nHost: e\r\n\r\n") < 500
    huge = b"POST /v1/search HTTP/1.1\r\nHost: e\r\nContent-Length: 99999999999999\r\n\r\n{"
    assert web.raw(huge) == 413
    chunks = b"POST /v1/projects HTTP/1.1\r\nHost: e\r\nTransfer-Encoding: chunked\r\n\r\n"
    assert web.raw(chunks + b"2\r\n{}\r\n0\r\n\r\n") == 200
    assert web.raw(chunks + b"zz\r\n{}\r\n") == 400


def test_a_body_without_an_end_is_read_up_to_the_limit_only(web: Web) -> None:
    """Chunked, so that nothing is announced."""
    part = b"10000\r\n" + b"a" * 65_536 + b"\r\n"
    with socket.socket(socket.AF_UNIX) as one:
        one.settimeout(LIMIT_S)
        one.connect(web.path)
        one.sendall(b"POST /v1/search HTTP/1.1\r\nHost: e\r\nTransfer-Encoding: chunked\r\n\r\n")
        sent = 0
        try:
            while sent < 200 << 20:
                one.sendall(part)
                sent += len(part)
                one.setblocking(False)
                try:
                    if one.recv(12, socket.MSG_PEEK):
                        break
                except BlockingIOError:
                    pass
                finally:
                    one.settimeout(LIMIT_S)
        except (BrokenPipeError, ConnectionResetError):
            pass
        answer = HTTPResponse(one)
        answer.begin()
        assert answer.status == 413
        assert sent < 100 << 20


# --- requests drawn from the interface's own description -----------------------------------


class Drawn:
    """Requests for the operations, half of them right, from their description."""

    def __init__(self, interface: dict[str, Any], seed: int, cwd: str) -> None:
        self.chance = random.Random(seed)
        self.schemas = interface["components"]["schemas"]
        self.bodies = {
            path.rpartition("/")[2]: each["post"]["requestBody"]["content"]["application/json"][
                "schema"
            ]
            for path, each in interface["paths"].items()
            if "post" in each and "chat" not in path
        }
        self.names = sorted(self.bodies.keys() - UNSAFE)
        self.cwd = cwd

    def request(self) -> tuple[str, bytes]:
        name = self.chance.choice(self.names)
        value = self.value(self.bodies[name], name="")
        if isinstance(value, dict):
            if self.chance.random() < 0.7:
                value["cwd"] = self.cwd
            for waits in ("wait_ms", "wait_until_fresh_ms", "wait"):
                value.pop(waits, None)
            if name in ("index", "library_add", "remove_project", "control", "roots"):
                value = {key: self.odd() for key in value}
        body = json.dumps(value).encode()
        if self.chance.random() < 0.1:
            at = self.chance.randrange(len(body))
            junk = self.chance.choice([b"\0", b"\xff", b"\\ud800", b"[", b'"', b"1e999"])
            body = body[:at] + junk + body[at + 1 :]
        return name, body

    def value(self, schema: dict[str, Any], name: str, depth: int = 0) -> Any:
        if name and self.chance.random() < 0.25:
            return self.odd()
        if "$ref" in schema:
            return self.value(self.schemas[schema["$ref"].rpartition("/")[2]], name, depth)
        if "anyOf" in schema:
            return self.value(self.chance.choice(schema["anyOf"]), name, depth)
        if "enum" in schema:
            return self.chance.choice(schema["enum"])
        match schema.get("type"):
            case "object":
                return {
                    key: self.value(inner, key, depth + 1)
                    for key, inner in schema.get("properties", {}).items()
                    if key in schema.get("required", ()) or self.chance.random() < 0.4
                }
            case "array":
                inner = schema.get("items") or {"type": "string"}
                return [self.value(inner, name, depth + 1) for _ in range(self.chance.randrange(4))]
            case "integer":
                return self.chance.choice([0, 1, 3, 50, -1, 2**31, 2**63, -(2**63) - 1])
            case "number":
                return self.chance.choice([0.0, 0.5, -1.0, 1e300, 1e-300])
            case "boolean":
                return self.chance.random() < 0.5
            case "null":
                return None
        return self.text()

    def text(self) -> str:
        known = ["Cart", "add_item", "shop/cart.py", "total price", "main", "HEAD", "*.py", "all"]
        if self.chance.random() < 0.6:
            return self.chance.choice(known)
        letters = string.printable + "ü名\u202e\0\ud800\udfff😀"
        return "".join(self.chance.choices(letters, k=self.chance.randrange(30)))

    def odd(self) -> Any:
        return self.chance.choice(ODD)


ODD: list[Any] = [
    *(None, True, -1, 0, 2**63, -(2**64), 10**400, 1.5, 1e308, float("nan"), float("inf")),
    *("", " ", ".", "..", "../..", "/", "~", "~nobody", "\0", "a\0b", "\ud800", LONG, "a/" * 5000),
    *("../" * 300 + "etc/passwd", "/etc/../etc/shadow", "file:///etc/passwd", "%00", "*" * 50),
    *("--output=/tmp/x", "-", "HEAD~1..", "@{upstream}", "'; DROP TABLE files; --", "(" * 2000),
    *('"' * 999, "NEAR(", "a AND", "\n" * 100, "😀" * 500),
    *([], {}, [[]], [None], {"a": {}}, ["x"] * 20_000),
]


@pytest.mark.parametrize(
    "count", [1500, pytest.param(100_000, marks=pytest.mark.slow)], ids=["some", "many"]
)
@pytest.mark.timeout(14_400)
def test_no_request_that_is_drawn_from_the_interface_fails_the_engine(
    web: Web, shop: str, count: int
) -> None:
    interface = json.loads(web.send("GET", "/openapi.json")[1])
    drawn = Drawn(interface, int(os.environ.get("SURVEYOR_SEED", "15")), shop)
    told: dict[int, int] = {}
    for number in range(count):
        name, body = drawn.request()
        begun = time.monotonic()
        status, answer = web.post(name, body)
        told[status] = told.get(status, 0) + 1
        assert status < 500, (number, name, body[:1000], answer[:1000])
        assert time.monotonic() - begun < SLOW_S, (number, name, body[:1000])
        if status >= 400:
            assert len(answer) < ANSWER_CHARS, (number, name, answer[:200])
            assert "Traceback" not in answer.decode()
    assert told.get(200, 0) > count / 20, told
    assert web.send("GET", "/health")[0] == 200
