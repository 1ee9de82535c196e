"""A session that asks without end costs itself its answers, and nobody else."""

from __future__ import annotations

import json
import socket

from surveyor.engine.process.sessions import MAX_WAITING
from surveyor.protocol.base import PROTOCOL_MAX
from tests.product import Product

ASKED = 3 * MAX_WAITING


def test_a_flood_of_requests_is_answered_or_refused(surveyor: Product) -> None:
    surveyor.run("engine", "start")
    described = json.loads(next(surveyor.data.rglob("engine.json")).read_text())
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(120)
        connection.connect(described["session"])
        stream = connection.makefile("rwb")
        hello = {"client": "test", "version": "", "pid": 0, "protocol": [1, PROTOCOL_MAX]}
        stream.write(_line(0, "hello", hello))
        stream.flush()
        assert "result" in json.loads(stream.readline())
        stream.write(b"".join(_line(n, "status", {}) for n in range(1, ASKED + 1)))
        stream.flush()
        assert surveyor.run("engine", "status").returncode == 0
        answers = [json.loads(stream.readline()) for _ in range(ASKED)]
    assert {each["id"] for each in answers} == set(range(1, ASKED + 1))
    refused = [each["error"] for each in answers if "error" in each]
    assert all(each["data"]["code"] == "busy" for each in refused)
    assert len(answers) - len(refused) >= MAX_WAITING / 2


def _line(number: int, method: str, params: dict[str, object]) -> bytes:
    message = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
    return json.dumps(message).encode() + b"\n"
