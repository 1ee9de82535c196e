"""The description of the HTTP interface: whole, and true of a running engine."""

from __future__ import annotations

import http.client
import json
import shutil
import socket
import socketserver
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.product import Product

NOT_TRIED = {
    "stop": "ends the engine",
    "index": "any folder of the machine may be named",
    "library_add": "any folder of the machine may be named",
    "library_deps": "reads what is installed on the machine",
}
"""Operations that are not called with what a generator thinks of."""


def call(product: Product, path: str, body: object = None) -> Any:
    """What the engine answers to a GET, or to a POST of a body, whatever its status."""
    connection = http.client.HTTPConnection("engine")
    connection.sock = socket.socket(socket.AF_UNIX)
    connection.sock.connect(str(product.runtime / "engine.sock"))
    method = "GET" if body is None else "POST"
    connection.request(method, path, None if body is None else json.dumps(body))
    answer = json.loads(connection.getresponse().read())
    connection.close()
    return answer


@pytest.fixture(scope="module")
def described(indexed: tuple[Product, Path]) -> Any:
    return call(indexed[0], "/openapi.json")


def test_every_property_and_every_operation_says_what_it_is(described: Any) -> None:
    silent = [
        f"{name}.{field}"
        for name, schema in described["components"]["schemas"].items()
        for field, said in schema.get("properties", {}).items()
        if not said.get("description")
    ]
    silent += [
        path
        for path, methods in described["paths"].items()
        for operation in methods.values()
        if not operation["summary"]
    ]
    assert silent == []
    assert {"/health", "/metrics", "/v1/embed", "/v1/chat/completions"} <= set(described["paths"])


def test_every_operation_says_how_it_fails(described: Any) -> None:
    for path, methods in described["paths"].items():
        for operation in methods.values():
            if path.startswith("/v1/") and path != "/v1/models":
                assert {"401", "404"} < set(operation["responses"]), path


@pytest.mark.parametrize(
    ("path", "body", "said"),
    [
        ("/v1/search", None, "/v1/search takes POST, not GET"),
        ("/v1/chat/completions", None, "/v1/chat/completions takes POST, not GET"),
        ("/health", {}, "/health takes GET, HEAD, not POST"),
        ("/nowhere", None, "there is nothing at /nowhere"),
        ("/v1/no/such", {}, "there is nothing at /v1/no/such"),
    ],
)
def test_what_no_route_takes_is_refused_as_every_error_is(
    indexed: tuple[Product, Path], path: str, body: object, said: str
) -> None:
    answer = call(indexed[0], path, body)
    assert answer["error"]["message"] == said
    assert answer["error"]["hint"] == "See /openapi.json."


def test_limits_are_those_that_requests_are_checked_against(described: Any) -> None:
    fields = described["components"]["schemas"]["SearchRequest"]["properties"]
    assert (fields["limit"]["minimum"], fields["limit"]["maximum"]) == (0, 100_000)
    assert fields["languages"]["maxItems"] == 10_000


def test_texts_have_the_vectors_that_searches_use(indexed: tuple[Product, Path]) -> None:
    product, _ = indexed
    texts = ["def add_to_cart(item): ...", "put a thing into the basket", "zebra stripes"]
    answer = call(product, "/v1/embed", {"texts": texts, "side": "query"})
    assert answer["dimension"] == len(answer["vectors"][0]["dense"])
    first, second, third = (one["dense"] for one in answer["vectors"])
    near = sum(a * b for a, b in zip(first, second, strict=True))
    assert near > sum(a * b for a, b in zip(first, third, strict=True))
    assert all(one["sparse"]["indices"] for one in answer["vectors"])
    refused = call(product, "/v1/embed", {"texts": ["x"] * 257})
    assert refused["error"]["code"] == "bad_request"


class _ToSocket(socketserver.ThreadingTCPServer):
    """The engine's Unix socket on a port, for a tool that knows no such sockets."""

    daemon_threads = True

    def __init__(self, path: Path) -> None:
        self.path = str(path)
        super().__init__(("127.0.0.1", 0), _Pump)


class _Pump(socketserver.BaseRequestHandler):
    def handle(self) -> None:
        assert isinstance(self.server, _ToSocket)
        with socket.socket(socket.AF_UNIX) as engine:
            engine.connect(self.server.path)
            back = threading.Thread(target=_copy, args=(engine, self.request), daemon=True)
            back.start()
            _copy(self.request, engine)
            back.join()


def _copy(source: socket.socket, target: socket.socket) -> None:
    try:
        while data := source.recv(65536):
            target.sendall(data)
        target.shutdown(socket.SHUT_WR)
    except OSError:
        return


@pytest.fixture
def address(indexed: tuple[Product, Path]) -> Iterator[str]:
    with _ToSocket(indexed[0].runtime / "engine.sock") as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()


def test_no_request_that_fits_the_description_breaks_the_engine(
    described: Any, address: str, tmp_path: Path
) -> None:
    tool = shutil.which("schemathesis", path=str(Path(sys.executable).parent))
    if tool is None:
        pytest.skip("schemathesis is not there")
    document = tmp_path / "openapi.json"
    document.write_text(json.dumps(described))
    left_out = [part for name in NOT_TRIED for part in ("--exclude-path", f"/v1/{name}")]
    done = subprocess.run(
        [
            tool, "run", str(document), "--url", address,
            "--phases", "fuzzing", "--mode", "positive", "--max-examples", "3",
            "--generation-deterministic", "--continue-on-failure",
            "--no-color", "--checks", "not_a_server_error,status_code_conformance,"
            "content_type_conformance,response_schema_conformance", *left_out,
        ],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout
