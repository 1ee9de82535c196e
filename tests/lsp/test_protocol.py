"""The wire: framing, states, cancellation, clients that die. Byte by byte against the process."""

from __future__ import annotations

import asyncio
import json
import os
import random
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from surveyor.servers.errors import ResponseError, UpstreamDeadError
from surveyor.servers.uris import to_uri
from tests.lsp.conftest import Start, limits
from tests.lsp.rawclient import CHECKOUT, RawEditor, environment, place
from tests.servers.support import Fake, alive, until

MakeFake = Callable[..., Fake]


async def failing(editor: RawEditor, method: str, params: Any = None) -> int:
    with pytest.raises(ResponseError) as caught:
        await editor.request(method, params)
    return caught.value.number


async def test_a_request_before_initialize_and_after_shutdown_is_refused(
    window: Start, project: Path
) -> None:
    editor = await window(initialize=False)
    assert await failing(editor, "textDocument/hover", {}) == -32002
    await editor.initialize(project, options={"engine": False})
    assert await failing(editor, "initialize", {"capabilities": {}}) == -32600
    await editor.request("shutdown")
    assert await failing(editor, "textDocument/hover", {}) == -32600
    editor.session.notify("exit")
    assert await asyncio.wait_for(editor.process.process.wait(), 60) == 0


async def test_exit_without_shutdown_ends_with_one(window: Start, project: Path) -> None:
    editor = await window(project)
    editor.session.notify("exit")
    assert await asyncio.wait_for(editor.process.process.wait(), 60) == 1


async def test_unknown_methods_and_bad_params_get_their_codes(window: Start, project: Path) -> None:
    editor = await window(project)
    assert await failing(editor, "textDocument/unheardOf", {}) == -32601
    assert await failing(editor, "textDocument/hover", {"textDocument": 5}) == -32602
    assert await failing(editor, "textDocument/definition", [1]) == -32602
    assert await failing(editor, "workspace/symbol", {"wrong": 1}) == -32602
    assert await failing(editor, "workspace/executeCommand", {"command": "nope"}) == -32602
    assert await failing(editor, "surveyor/search", {"limit": "many"}) == -32602
    odd = {"command": "surveyor.search", "arguments": {"query": "x"}}
    assert await failing(editor, "workspace/executeCommand", odd) == -32602
    editor.session.notify("$/unheardOf", {"a": 1})
    editor.session.notify("textDocument/didOpen", {"textDocument": None})
    editor.session.notify("textDocument/didChange", {"nothing": 1})
    assert (await editor.request("surveyor/status"))["engine"]["state"] in ("down", "starting")


async def test_malformed_bytes_are_answered_and_the_session_goes_on(tmp_path: Path) -> None:
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "surveyor",
        "lsp",
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        env=environment(tmp_path / "d"),
        cwd=CHECKOUT,
    )
    assert process.stdin is not None and process.stdout is not None

    async def answer() -> Any:
        header = await asyncio.wait_for(process.stdout.readuntil(b"\r\n\r\n"), 60)  # type: ignore[union-attr]
        length = int(header.split(b":")[1].split(b"\r\n")[0])
        return json.loads(await process.stdout.readexactly(length))  # type: ignore[union-attr]

    def framed(body: bytes) -> bytes:
        return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)

    process.stdin.write(framed(b"{not json"))
    assert (await answer())["error"]["code"] == -32700
    process.stdin.write(framed(b"[1, 2]"))
    assert (await answer())["error"]["code"] == -32600
    params = json.dumps(
        {
            "jsonrpc": "2.0",
            "id": "x",
            "method": "initialize",
            "params": {"capabilities": {}, "initializationOptions": {"engine": False}},
        }
    ).encode()
    process.stdin.write(b"content-length: %d\nX-Other: 1\n\n%b" % (len(params), params))
    assert "capabilities" in (await answer())["result"]
    process.stdin.write(framed(b"\xff\xfe"))
    assert (await answer())["error"]["code"] == -32700
    nothing = b'{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{}}'
    process.stdin.write(framed(nothing))
    process.stdin.write(framed(b'{"jsonrpc":"2.0","id":7,"method":"shutdown"}'))
    assert (await answer()) == {"jsonrpc": "2.0", "id": 7, "result": None}
    process.stdin.close()
    assert await asyncio.wait_for(process.wait(), 60) == 1
    said = (tmp_path / "d/logs/lsp.log").read_text()
    assert "didOpen: bad params: " in said and "Traceback" not in said


async def test_odd_client_capabilities_do_not_refuse_the_session(
    window: Start, project: Path
) -> None:
    editor = await window(initialize=False)
    odd = {
        "textDocument": {"documentSymbol": {"symbolKind": {"valueSet": [1, 99, "x"]}}},
        "general": {"positionEncodings": ["utf-8", "utf-32"]},
        "unheardOf": {"a": [None]},
    }
    result = await editor.initialize(project, capabilities=odd, options={"engine": False})
    assert result["capabilities"]["positionEncoding"] == "utf-16"


async def test_folders_that_are_none_are_passed_over(window: Start, project: Path) -> None:
    editor = await window(initialize=False)
    folders = [5, None, {"uri": 7}, {"uri": to_uri(project), "name": 1}]
    options = {"engine": False}
    params = {"capabilities": {}, "workspaceFolders": folders, "initializationOptions": options}
    await editor.request("initialize", params)
    editor.session.notify("initialized", {})
    uri = editor.open(project / "shop" / "bill.py", "python")
    found = await editor.at("textDocument/definition", uri, 2, 7)
    assert found[0]["uri"] == to_uri(project / "shop" / "price.py")


async def test_a_thousand_random_cancellations_leave_nothing_behind(
    window: Start, project: Path, fake: MakeFake
) -> None:
    hover = [{"result": {"contents": "x"}, "delay_s": 0.05}]
    made = fake({"answers": {"textDocument/hover": hover}})
    path = project / "a.fake"
    path.write_text("word")
    editor = await window(project, options={"hover": False})
    uri = editor.open(path, "fake")
    await editor.wait_upstream("fake")
    chance = random.Random(4)
    tasks = []
    for _ in range(1000):
        task = asyncio.ensure_future(editor.request("textDocument/hover", place(uri, 0, 1)))
        tasks.append(task)
        if chance.random() < 0.9:
            asyncio.get_running_loop().call_later(chance.random() * 0.05, task.cancel)
        if chance.random() < 0.05:
            await asyncio.sleep(0.005)
    results = await asyncio.gather(*tasks, return_exceptions=True)
    answered = [r for r in results if not isinstance(r, BaseException)]
    assert answered and all(r == {"contents": "x"} for r in answered)
    assert all(isinstance(r, asyncio.CancelledError) for r in results if r not in answered)
    assert editor.session.pending == 0
    # Everything that was cancelled late enough to have been sent was cancelled upstream too.
    assert await editor.at("textDocument/hover", uri, 0, 1) == {"contents": "x"}
    await until(lambda: made.received("$/cancelRequest"))


async def test_a_cancelled_request_is_answered_with_its_code_and_cancelled_upstream(
    window: Start, project: Path, fake: MakeFake
) -> None:
    made = fake(
        {"answers": {"textDocument/hover": [{"never": True}]}},
        timeouts=limits(**{"textDocument/hover": 600, "silent": 600}),
    )
    path = project / "a.fake"
    path.write_text("word")
    editor = await window(project, options={"hover": False})
    uri = editor.open(path, "fake")
    await editor.wait_upstream("fake")
    number = 5000
    body = {
        "jsonrpc": "2.0",
        "id": number,
        "method": "textDocument/hover",
        "params": place(uri, 0, 1),
    }
    future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
    editor.session._pending[number] = future
    editor.session._send(json.dumps(body).encode())
    await until(lambda: made.received("textDocument/hover"))
    editor.session.notify("$/cancelRequest", {"id": number})
    with pytest.raises(ResponseError) as caught:
        await asyncio.wait_for(future, 60)
    assert caught.value.number == -32800
    await until(lambda: made.received("$/cancelRequest"))


@pytest.mark.parametrize("how", ["kill", "stdin"])
async def test_a_client_that_dies_leaves_no_process(
    window: Start, project: Path, fake: MakeFake, how: str
) -> None:
    made = fake({"child": True, "ignore_exit": True})
    path = project / "a.fake"
    path.write_text("word")
    editor = await window(project)
    editor.open(path, "fake")
    await until(lambda: len(made.pids()) == 2)
    if how == "kill":
        os.kill(editor.process.pid, signal.SIGKILL)
    else:
        editor.process.writer.close()
    await until(lambda: not alive(editor.process.pid))
    await until(lambda: not any(alive(pid) for pid in made.pids()))


async def test_stdout_carries_the_protocol_only_and_nothing_goes_to_stderr(
    window: Start, project: Path
) -> None:
    editor = await window(project)
    uri = editor.open(project / "shop/price.py", "python")
    await editor.wait_upstream("python")
    await editor.eventually("textDocument/hover", place(uri, 3, 5))
    assert await editor.shutdown() == 0
    assert editor.process.stderr_tail() == ""


async def test_tcp_serves_one_client_for_debugging(tmp_path: Path, project: Path) -> None:
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "surveyor",
        "lsp",
        "--tcp",
        "127.0.0.1:0",
        stderr=asyncio.subprocess.PIPE,
        env=environment(tmp_path / "d"),
        cwd=CHECKOUT,
    )
    assert process.stderr is not None
    line = (await asyncio.wait_for(process.stderr.readline(), 60)).decode()
    reader, writer = await asyncio.open_connection("127.0.0.1", int(line.rpartition(":")[2]))
    body = json.dumps(
        {
            "jsonrpc": "2.0",
            "id": 1,
            "method": "initialize",
            "params": {
                "rootUri": to_uri(project),
                "capabilities": {},
                "initializationOptions": {"engine": False},
            },
        }
    ).encode()
    writer.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
    assert b"Content-Length" in await asyncio.wait_for(reader.readline(), 60)
    writer.close()
    assert await asyncio.wait_for(process.wait(), 60) == 1


async def test_the_process_ends_when_the_editor_named_in_initialize_is_gone(
    window: Start, project: Path
) -> None:
    parent = await asyncio.create_subprocess_exec(
        sys.executable, "-c", "input()", stdin=asyncio.subprocess.PIPE
    )
    editor = await window(initialize=False)
    await editor.request(
        "initialize",
        {
            "processId": parent.pid,
            "capabilities": {},
            "rootUri": to_uri(project),
            "initializationOptions": {"engine": False},
        },
    )
    editor.session.notify("initialized", {})
    await editor.request("surveyor/status")
    assert parent.stdin is not None
    parent.stdin.close()
    await parent.wait()
    await until(lambda: not alive(editor.process.pid))
    with pytest.raises(UpstreamDeadError):
        await editor.request("surveyor/status")


async def test_without_an_engine_what_needs_one_is_refused_at_once(
    window: Start, project: Path
) -> None:
    editor = await window(project, engine=False)
    assert await failing(editor, "surveyor/search", {"query": "x"}) == -32803


async def test_a_client_that_did_not_ask_is_sent_nothing_of_our_own(
    window: Start, project: Path
) -> None:
    editor = await window(project, options={"statusNotifications": False})
    uri = editor.open(project / "shop/price.py", "python")
    await editor.eventually(
        "surveyor/status", {}, lambda status: any(u["ready"] for u in status["upstreams"])
    )
    await editor.eventually("textDocument/hover", place(uri, 3, 5))
    assert not [method for method, _ in editor.told if method.startswith("surveyor/")]
