"""What is no message, from an editor and from a language server: answered, said, never a hang."""

from __future__ import annotations

import asyncio
import contextlib
import json
import random
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from surveyor.servers.errors import ResponseError, UpstreamTimeoutError
from tests.lsp.conftest import (  # noqa: F401  (fixtures)
    EVERYTHING,
    MakeFake,
    Start,
    data,
    fake,
    limits,
    project,
    window,
)
from tests.lsp.rawclient import CHECKOUT, environment, place

LIMIT_S = 60.0
MARK = 99
OPENING = {"capabilities": {}, "initializationOptions": {"engine": False}}


def framed(body: bytes) -> bytes:
    return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)


def request(number: Any, method: str, params: Any) -> bytes:
    message = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
    return framed(json.dumps(message).encode())


def about(uri: str) -> dict[str, Any]:
    return place(uri, 0, 0)


PING = request(MARK, "surveyor/status", {})


class Wire:
    """`surveyor lsp`, byte by byte."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process
        self.messages: list[dict[str, Any]] = []

    def send(self, sent: bytes) -> None:
        """Write without waiting: a server that ends does not read it all."""
        assert self.process.stdin is not None
        self.process.stdin.write(sent)

    def close(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()

    async def read(self) -> dict[str, Any] | None:
        assert self.process.stdout is not None
        try:
            header = await self.process.stdout.readuntil(b"\r\n\r\n")
            body = await self.process.stdout.readexactly(int(header.split()[1]))
        except asyncio.IncompleteReadError as error:
            assert not error.partial
            return None
        message: dict[str, Any] = json.loads(body)
        self.messages.append(message)
        return message

    async def answers(self, *numbers: Any) -> dict[Any, dict[str, Any]]:
        """The answers to requests, in whatever order they come."""
        found: dict[Any, dict[str, Any]] = {}
        async with asyncio.timeout(LIMIT_S):
            while not set(numbers) <= found.keys():
                message = await self.read()
                assert message is not None, f"it ended; {self.messages}"
                if "method" not in message:
                    found[message["id"]] = message
        return found

    async def rest(self) -> int:
        """Read to the end; returns the exit status."""
        async with asyncio.timeout(LIMIT_S):
            while await self.read() is not None:
                pass
            return await self.process.wait()


@pytest.fixture
async def wire(tmp_path: Path) -> AsyncIterator[Wire]:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "surveyor", "lsp"),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env=environment(tmp_path / "d"),
        cwd=CHECKOUT,
        limit=1 << 24,
    )
    made = Wire(process)
    yield made
    if process.returncode is None:
        process.kill()
    _, said = await process.communicate()
    assert b"Traceback" not in said


async def opened(wire: Wire) -> None:
    wire.send(request(1, "initialize", OPENING))
    await wire.answers(1)
    wire.send(framed(b'{"jsonrpc":"2.0","method":"initialized","params":{}}'))


LOST = {
    "a word for a length": b"Content-Length: abc\r\n\r\n{}",
    "no length": b"Content-Length:\r\n\r\n{}",
    "a negative length": b"Content-Length: -5\r\n\r\n{}",
    "a fraction": b"Content-Length: 2.0\r\n\r\n{}",
    "hexadecimal": b"Content-Length: 0x2\r\n\r\n{}",
    "a length beyond belief": b"Content-Length: 99999999999\r\n\r\n{}",
    "a length of five thousand digits": b"Content-Length: " + b"9" * 5000 + b"\r\n\r\n{}",
    "two lengths": b"Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}",
    "another header only": b"Content-Type: application/json\r\n\r\n{}" + PING,
    "garbage before a header": b"garbage" + PING,
    "a line of garbage": b"listening on port 4000\r\n" + PING,
    "a message on a line": b'{"jsonrpc":"2.0","id":1,"method":"shutdown"}\n',
    "HTTP": b"POST / HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "a header line without an end": b"X-Header: " + b"a" * 300_000,
    "headers without an end": b"X-Header: a\r\n" * 50_000,
    "binary": bytes(range(256)) * 20 + b"\n",
}


@pytest.mark.parametrize("greeted", [True, False], ids=["in a session", "at once"])
@pytest.mark.parametrize("case", LOST)
async def test_lost_framing_ends_the_session_with_an_error_and_a_message(
    wire: Wire, case: str, greeted: bool
) -> None:
    if greeted:
        await opened(wire)
    wire.send(LOST[case])
    assert await wire.rest() == 1
    errors = [message["error"] for message in wire.messages if "error" in message]
    assert [error["code"] for error in errors] == [-32700]
    shown = [m["params"] for m in wire.messages if m.get("method") == "window/showMessage"]
    assert len(shown) == 1 and shown[0]["type"] == 1 and "Restart" in shown[0]["message"]
    assert len(json.dumps(wire.messages[-2:])) < 2000


@pytest.mark.parametrize("half", [b"Content-Length: 50\r\n\r\n{}", b"Content-Le"])
async def test_half_a_message_at_the_end_is_said(wire: Wire, half: bytes) -> None:
    await opened(wire)
    wire.send(half)
    wire.close()
    assert await wire.rest() == 1
    assert wire.messages[-1]["method"] == "window/showMessage"


DEEP = b"[" * 200_000 + b"]" * 200_000
LONG = "a" * 100_000

REFUSED: dict[str, tuple[bytes, Any, int]] = {
    "nothing": (framed(b""), None, -32700),
    "no JSON": (framed(b"{not json"), None, -32700),
    "no UTF-8": (framed(b"\xff\xfe{}"), None, -32700),
    "no UTF-8 inside": (
        framed(b'{"jsonrpc":"2.0","id":5,"method":"\xff"}'),
        5,
        -32700,
    ),
    "another charset": (
        b"Content-Length: 2\r\nContent-Type: application/json; charset=utf-16\r\n\r\n{}",
        None,
        -32700,
    ),
    "a batch": (framed(b'[{"jsonrpc":"2.0","id":1,"method":"x"}]'), None, -32600),
    "a text": (framed(b'"x"'), None, -32600),
    "null": (framed(b"null"), None, -32600),
    "a number": (framed(b"5"), None, -32600),
    "an id that is a list": (framed(b'{"jsonrpc":"2.0","id":[1],"method":"x"}'), None, -32600),
    "an id that is true": (framed(b'{"jsonrpc":"2.0","id":true,"method":"x"}'), None, -32600),
    "an id beyond numbers": (framed(b'{"jsonrpc":"2.0","id":1e999,"method":"x"}'), None, -32600),
    "a method that is a number": (framed(b'{"jsonrpc":"2.0","id":5,"method":7}'), 5, -32600),
    "neither request nor answer": (framed(b'{"jsonrpc":"2.0","id":5}'), 5, -32600),
    "deep nesting": (
        framed(b'{"jsonrpc":"2.0","id":5,"method":"textDocument/hover","params":%b}' % DEEP),
        5,
        -32700,
    ),
    "deep nesting without an end": (
        framed(b'{"jsonrpc":"2.0","id":5,"params":' + b'{"a":' * 100_000),
        5,
        -32700,
    ),
    "an unknown method": (request("q", "a" * 1_000_000, {}), "q", -32601),
    "a method that is half a character": (
        framed(b'{"jsonrpc":"2.0","id":5,"method":"\\ud800"}'),
        5,
        -32601,
    ),
    "a notification as a request": (request(5, "textDocument/didOpen", {}), 5, -32600),
    "exit as a request": (request(5, "exit", None), 5, -32600),
    "a second initialize": (request(5, "initialize", OPENING), 5, -32600),
    "params that are a list": (request(5, "textDocument/hover", [1]), 5, -32602),
    "params that are a text": (request(5, "textDocument/definition", "x"), 5, -32602),
    "a wrong position": (
        request(5, "textDocument/hover", {"textDocument": {"uri": "x"}, "position": "top"}),
        5,
        -32602,
    ),
    "a position beyond numbers": (
        framed(
            b'{"jsonrpc":"2.0","id":5,"method":"textDocument/hover","params":'
            b'{"textDocument":{"uri":"x"},"position":{"line":1e999,"character":0}}}'
        ),
        5,
        -32602,
    ),
    "params with no UTF-8": (
        framed(
            b'{"jsonrpc":"2.0","id":5,"method":"textDocument/hover",'
            b'"params":{"textDocument":{"uri":"\xff"}}}'
        ),
        5,
        -32602,
    ),
    "a lens of nothing": (request(5, "textDocument/codeLens", {"x": 1}), 5, -32602),
    "a command of nothing": (request(5, "workspace/executeCommand", {"command": 5}), 5, -32602),
    "a huge command": (
        request(5, "workspace/executeCommand", {"command": "c" * 1_000_000}),
        5,
        -32602,
    ),
}


@pytest.mark.parametrize("case", REFUSED)
async def test_a_wrong_message_is_answered_under_its_id_and_the_session_goes_on(
    wire: Wire, case: str
) -> None:
    sent, number, code = REFUSED[case]
    await opened(wire)
    wire.send(sent + PING)
    found = await wire.answers(number, MARK)
    assert found[number]["error"]["code"] == code
    assert "result" in found[MARK]
    assert len(json.dumps(found[number])) < 2000
    assert "Traceback" not in json.dumps(found[number])


HARMLESS = {
    "half a character": request(5, "textDocument/definition", about("file:///a\ud800.py")),
    "a NUL": request(5, "textDocument/definition", about("file:///a\0b.py")),
    "a NUL that is encoded": request(5, "textDocument/hover", about("file:///a%00b.py")),
    "a path of 100,000 characters": request(
        5, "textDocument/references", {**about(f"file:///{LONG}.py"), "context": {}}
    ),
    "a deep path": request(5, "textDocument/documentSymbol", about("file:///" + "a/" * 50_000)),
    "a broken address": request(5, "textDocument/definition", about("file://[::1/x.py")),
    "a negative line": request(5, "textDocument/hover", place("file:///a.py", -5, -(2**40))),
    "one id twice": request(5, "textDocument/hover", about("file:///a.py")) * 2,
    "a query with a NUL": request(5, "workspace/symbol", {"query": "a\0b\ud800" * 100}),
}


@pytest.mark.parametrize("case", HARMLESS)
async def test_odd_values_are_answered_as_what_they_are(wire: Wire, case: str) -> None:
    await opened(wire)
    wire.send(HARMLESS[case] + PING)
    found = await wire.answers(5, MARK)
    assert found[5].get("error", {"code": -32602})["code"] == -32602
    assert len(json.dumps(found[5])) < 2000


UNHEARD: list[dict[str, Any]] = [
    {"method": "shutdown"},
    {"method": "initialize", "params": {}},
    {"method": "textDocument/hover", "params": {}},
    {"method": "$/cancelRequest", "params": [1]},
    {"method": "$/cancelRequest", "params": {"id": {}}},
    {"method": "$/cancelRequest", "params": {"id": "never"}},
    {"method": "$/cancelRequest"},
    {"method": "textDocument/didOpen", "params": {"textDocument": {"uri": 5}}},
    {"method": "textDocument/didChange", "params": [[[]]]},
    {"method": "textDocument/didChange", "params": {"textDocument": {"uri": "file:///x"}}},
    {"method": "workspace/didChangeWatchedFiles", "params": {"changes": 5}},
    {"method": "workspace/didChangeWorkspaceFolders", "params": {"event": 5}},
    {"method": "workspace/didChangeConfiguration", "params": 5},
    {"method": "$/setTrace", "params": {"value": 7}},
    {"method": "window/workDoneProgress/cancel", "params": {"token": []}},
    {"id": 77, "result": {}},
    {"id": "surveyor:1", "error": 5},
    {"id": None, "result": None},
]


async def test_what_needs_no_answer_gets_none_and_changes_nothing(wire: Wire) -> None:
    await opened(wire)
    for message in UNHEARD:
        wire.send(framed(json.dumps({"jsonrpc": "2.0", **message}).encode()))
    wire.send(PING)
    found = await wire.answers(MARK)
    assert list(found) == [MARK] and "result" in found[MARK]
    wire.send(request(7, "shutdown", None))
    assert (await wire.answers(7))[7]["result"] is None


@pytest.mark.parametrize(
    "count", [150, pytest.param(20_000, marks=pytest.mark.slow)], ids=["some", "many"]
)
async def test_requests_with_changed_bytes_are_answered_or_end_the_session(
    wire: Wire, count: int
) -> None:
    """Each body is some valid request with bytes changed; its frame stays right."""
    drawn = random.Random(15)
    seeds = [
        json.dumps({"jsonrpc": "2.0", "id": 5, "method": method, "params": params}).encode()
        for method, params in (
            ("textDocument/hover", about("file:///a.py")),
            ("textDocument/definition", about("file:///a.py")),
            ("workspace/symbol", {"query": "name"}),
            ("textDocument/codeLens", {"textDocument": {"uri": "file:///a.py"}}),
            ("workspace/executeCommand", {"command": "surveyor.status", "arguments": [{}]}),
            ("surveyor/search", {"query": "x", "limit": 5}),
        )
    ]
    odd = [b"\0", b"\xff", b"\\ud800", b"1e999", b'"', b"{", b"[[", b"\\", b"-", b",", b"null"]
    await opened(wire)
    for turn in range(count):
        body = bytearray(drawn.choice(seeds))
        for _ in range(drawn.randint(1, 4)):
            at = drawn.randrange(len(body))
            body[at : at + drawn.randint(0, 3)] = drawn.choice(odd)
        wire.send(framed(bytes(body)))
        if turn % 50 == 49:
            wire.send(PING)
            assert "result" in (await wire.answers(MARK))[MARK]
    assert all("Traceback" not in json.dumps(each) for each in wire.messages)


# --- the other side: a language server ----------------------------------------------------

BROKEN = {
    "a word for a length": "Content-Length: many\r\n\r\n{}",
    "a length beyond belief": "Content-Length: 99999999999\r\n\r\n{}",
    "two lengths": "Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}",
    "no end of noise": "printed to the wrong place\n" * 20_000,
}


ENOUGH_S = 0.5
"""How long the editor waits for an answer before it takes the question back."""


@pytest.mark.parametrize("case", BROKEN)
async def test_a_server_whose_framing_is_lost_is_started_again_and_it_is_said(
    window: Start,  # noqa: F811
    project: Path,  # noqa: F811
    fake: MakeFake,  # noqa: F811
    case: str,
) -> None:
    answers: dict[str, Any] = {
        "textDocument/definition": [{"raw": BROKEN[case]}],
        "textDocument/references": [{"result": []}],
    }
    made = fake({"capabilities": EVERYTHING, "answers": answers})
    path = project / "a.fake"
    path.write_text("word")
    editor = await window(project)
    uri = editor.open(path, "fake")
    await editor.wait_upstream("fake")
    with pytest.raises(ResponseError, match="ended"):
        await editor.at("textDocument/definition", uri, 0, 1)
    said = await editor.wait_told("window/logMessage", lambda p: "no LSP" in p["message"])
    assert "fake" in said["message"] and len(said["message"]) < 500
    await editor.wait_told(
        "surveyor/status", lambda s: any(u["restarts"] and u["ready"] for u in s["upstreams"])
    )
    answer = await editor.eventually(
        "textDocument/references", {**place(uri, 0, 1), "context": {}}, lambda a: a == []
    )
    assert answer == []
    assert len([entry for entry in made.log() if "life" in entry]) == 2


def message(text: str) -> str:
    return f"Content-Length: {len(text.encode('latin-1'))}\r\n\r\n{text}"


ODD = {
    "no JSON": message("{nothing"),
    "deep nesting": message('{"id":2,"result":' + "[" * 100_000 + "]" * 100_000 + "}"),
    "no UTF-8": message('{"method":"\xff"}'),
    "half a character": message('{"method":"window/logMessage","params":{"message":"\\ud800"}}'),
    "a batch": message('[{"method":"x"}]'),
    "an answer to nothing": message('{"id":"x","result":5}'),
    "an odd answer": message('{"id":[1],"result":5}'),
    "a wrong cancel": message('{"method":"$/cancelRequest","params":[1]}'),
    "wrong registrations": message(
        '{"id":1,"method":"client/registerCapability","params":{"registrations":[5,{"id":1,'
        '"method":"workspace/didChangeWatchedFiles","registerOptions":{"watchers":5}}]}}'
    ),
    "a wrong question": message('{"id":1,"method":"workspace/configuration","params":{"items":5}}'),
    "wrong progress": message('{"method":"$/progress","params":[]}'),
    "printed before a header": "loading" + message('{"method":"window/logMessage","params":5}'),
}


async def test_odd_messages_of_a_server_harm_nobody(
    window: Start,  # noqa: F811
    project: Path,  # noqa: F811
    fake: MakeFake,  # noqa: F811
) -> None:
    fake(
        {
            "capabilities": EVERYTHING,
            "answers": {
                "textDocument/definition": [{"raw": each} for each in ODD.values()],
                "textDocument/references": [{"result": []}],
            },
        },
        timeouts=limits(silent=0.3, **{"textDocument/definition": 0.5}),
    )
    path = project / "a.fake"
    path.write_text("word")
    editor = await window(project)
    uri = editor.open(path, "fake")
    await editor.wait_upstream("fake")
    for _ in ODD:
        # Most of them answer nothing, and the editor has had enough of waiting.
        with contextlib.suppress(UpstreamTimeoutError):
            answer = await editor.request(
                "textDocument/definition", place(uri, 0, 1), limit=ENOUGH_S
            )
            assert answer in (None, [])
        await editor.eventually(
            "textDocument/references", {**place(uri, 0, 1), "context": {}}, lambda a: a == []
        )
    changes = {"changes": [{"uri": uri, "type": 2}]}
    editor.session.notify("workspace/didChangeWatchedFiles", changes)
    status = await editor.request("surveyor/status")
    assert [each["restarts"] for each in status["upstreams"]] == [0]
