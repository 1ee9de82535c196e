"""The relay: engines come and go, agents vanish, anything may be sent."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import random
import signal
import string
import subprocess
import sys
import warnings
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS
from tests.agent_answers import beside_text, data_of, folders_of, results_of, text_of, uses_of
from tests.gitrepo import repository
from tests.mcp.conftest import World, environment, make_world

from mcp import Client, MCPDeprecationWarning
from surveyor.mcp.degraded import answer
from surveyor.paths import runtime_dir
from surveyor.protocol.tools import MCP_VERSIONS

ATTEMPTS = 600
"""With a tenth of a second between them: a minute at least."""
ASKED_AGAIN_S = 2.0
"""A session is over after half a minute without a word: asking starts a process each time."""

INITIALIZE = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "test", "version": "1"},
}

NAMES = (
    *("query", "path", "action", "name", "limit", "id", "metadata"),
    *("in", "project", "line", "target", "label", "content"),
)
TOOLS = (
    *("search", "retrieve", "symbol", "impact", "history"),
    *("memory", "store", "map", "index", "nothing"),
)
HEAVY = (
    *("mcp", "anyio", "pydantic", "msgspec", "typer", "rich"),
    *("numpy", "starlette", "asyncio", "subprocess"),
)


class Raw:
    """The relay's stdio, line by line."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process
        self.told: list[str] = []
        self._next = 100

    async def send(self, message: object) -> None:
        assert self.process.stdin is not None
        line = message if isinstance(message, bytes) else json.dumps(message).encode()
        self.process.stdin.write(line + b"\n")
        await self.process.stdin.drain()

    async def read(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        line = await asyncio.wait_for(self.process.stdout.readline(), 60)
        assert line, "the relay ended"
        message: dict[str, Any] = json.loads(line)
        return message

    async def ask(self, method: str, params: object = None) -> dict[str, Any]:
        self._next += 1
        number = self._next
        message = {"jsonrpc": "2.0", "id": number, "method": method}
        await self.send(message if params is None else {**message, "params": params})
        while (heard := await self.read()).get("id") != number:
            self.told.append(str(heard.get("method", f"answer to {heard.get('id')}")))
        return heard

    async def shake_hands(self) -> None:
        assert "result" in await self.ask("initialize", INITIALIZE)
        await self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    async def search(self, query: str) -> dict[str, Any]:
        return await self.ask("tools/call", {"name": "search", "arguments": {"query": query}})


@contextlib.asynccontextmanager
async def relay(world: World, working: Path | None = None) -> AsyncIterator[Raw]:
    """A relay for the world's project; or for none that is named, started in a folder."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "surveyor",
        "mcp",
        *([] if working else ["--project", str(world.root)]),
        cwd=working or world.root,
        env=world.environment,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        limit=1 << 26,
    )
    try:
        yield Raw(process)
    finally:
        assert process.stdin is not None
        process.stdin.close()
        try:
            assert await asyncio.wait_for(process.wait(), 90) is not None
        except TimeoutError:
            process.kill()
            raise


def engine_pid(world: World) -> int:
    run = runtime_dir(Path(world.environment["SURVEYOR_DATA_DIR"])) / "engine.json"
    return int(json.loads(run.read_text())["pid"])


def is_active(world: World) -> bool:
    return bool(json.loads(world.surveyor("status", ".", "--json"))["projects"][0]["active"])


async def test_an_engine_that_is_killed_is_replaced_under_the_same_session(world: World) -> None:
    async with relay(world) as agent:
        await agent.shake_hands()
        assert not (await agent.search("cookies"))["result"]["isError"]
        first = engine_pid(world)
        os.kill(first, signal.SIGKILL)
        for _ in range(ATTEMPTS):
            heard = await agent.search("sign_cookie")
            if "result" in heard and results_of(heard["result"]):
                break
            await asyncio.sleep(0.1)
        assert results_of(heard["result"])[0]["path"] == "auth.py"
        assert engine_pid(world) != first


async def test_an_agent_that_is_killed_takes_nothing_along(world: World) -> None:
    async with relay(world) as agent:
        await agent.shake_hands()
        await agent.search("cookies")
        agent.process.kill()
        await agent.process.wait()

    while await asyncio.to_thread(is_active, world):
        await asyncio.sleep(ASKED_AGAIN_S)


async def test_without_an_engine_the_answers_say_so(tmp_path: Path) -> None:
    world = World(tmp_path, environment(tmp_path))
    (tmp_path / "data").write_text("a file where the data folder should be")
    async with relay(world) as agent:
        hello = await agent.ask("initialize", INITIALIZE)
        assert "degraded" in hello["result"]["instructions"]
        listed = await agent.ask("tools/list")
        assert listed["result"]["tools"]
        called = await agent.search("x")
        assert called["result"]["isError"]
        told = data_of(called["result"])
        assert told["status"] == "degraded"
        assert told["reason"]
        assert "degraded" in text_of(called["result"])
        (tmp_path / "data").unlink()
        (tmp_path / "some.py").write_text("def found_again():\n    pass\n")
        for _ in range(ATTEMPTS):
            heard = await agent.search("found_again")
            if data_of(heard["result"])["status"] != "degraded":
                break
            await asyncio.sleep(0.1)
        assert data_of(heard["result"])["status"] in ("healthy", "indexing", "error")
        assert len((await agent.ask("tools/list"))["result"]["tools"]) > 1
        assert "notifications/tools/list_changed" in agent.told
    world.surveyor("engine", "stop", check=False)


def test_a_degraded_answer_is_given_to_requests_only() -> None:
    assert answer({"method": "notifications/initialized"}, "p", "h") is None
    assert answer({"id": 1, "result": {}}, "p", "h") is None
    assert answer({"id": 1, "method": "no/such"}, "p", "h")["error"]["code"] == -32601  # type: ignore[index]


async def test_whatever_is_sent_is_answered_as_json_rpc(world: World) -> None:
    chance = random.Random(7)

    def anything(depth: int = 0) -> Any:
        kind = chance.randrange(8 if depth < 3 else 5)
        if kind == 0:
            return chance.choice([None, True, False])
        if kind == 1:
            return chance.choice([0, -1, 10**30, 1.5, float("1e300")])
        if kind < 5:
            return "".join(
                chance.choices(string.printable + "ü名\u202e\x00", k=chance.randrange(12))
            )
        if kind == 5:
            return [anything(depth + 1) for _ in range(chance.randrange(4))]
        return {str(anything(4)): anything(depth + 1) for _ in range(chance.randrange(4))}

    async with relay(world) as agent:
        await agent.shake_hands()
        for number in range(150):
            tool = chance.choice(TOOLS)
            arguments: Any = {chance.choice(NAMES): anything() for _ in range(3)}
            if arguments.get("action") in ("clear", "remove", "index", "reindex"):
                continue
            if number % 10 == 0:
                arguments = anything()
            heard = await agent.ask("tools/call", {"name": tool, "arguments": arguments})
            assert ("result" in heard) != ("error" in heard)
            assert "Traceback" not in json.dumps(heard)
            if "result" in heard and heard["result"].get("isError"):
                assert beside_text(heard["result"])["code"] != "internal", heard
        for line in (b"{", b"[]", b"17", b'{"jsonrpc":"2.0"}', b'"x"', b"\xff\xfe", b'{"id":1}'):
            await agent.send(line)
        assert "error" in await agent.ask("no/such/method")
        assert not (await agent.search("cookies"))["result"]["isError"]


async def test_a_call_that_is_cancelled_ends_and_is_not_answered(world: World) -> None:
    world.surveyor("engine", "pause")
    async with relay(world) as agent:
        await agent.shake_hands()
        (world.root / "waiting.py").write_text("def lie_in_wait():\n    pass\n")
        while data_of((await agent.search("x"))["result"])["status"] == "healthy":
            await asyncio.sleep(0.05)
        waiting = {"query": "lie_in_wait", "wait_until_fresh_ms": 60_000}
        call = {"name": "search", "arguments": waiting}
        await agent.send({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": call})
        assert not (await agent.search("cookies"))["result"]["isError"]
        cancel = {"method": "notifications/cancelled", "params": {"requestId": 7}}
        await agent.send({"jsonrpc": "2.0", **cancel})
        await agent.search("cookies")
        await asyncio.to_thread(world.surveyor, "engine", "resume")
        while True:  # what the cancelled call waited for has come, and nothing is said of it
            found = results_of((await agent.ask("tools/call", call))["result"])
            if found and found[0]["path"] == "waiting.py":
                break
        assert "answer to 7" not in agent.told
        assert not (await agent.search("cookies"))["result"]["isError"]
    (world.root / "waiting.py").unlink()


@pytest.mark.parametrize("version", [MCP_VERSIONS[0], MCP_VERSIONS[-1], "1999-12-31"])
async def test_an_engine_that_has_just_started_greets_as_any_other(
    world: World, version: str
) -> None:
    opening = {**INITIALIZE, "protocolVersion": version}
    world.surveyor("index", ".")  # what earlier tests wrote is counted: the greetings tell how much
    world.surveyor("engine", "stop")
    async with relay(world) as agent:
        first = await agent.ask("initialize", opening)
        await agent.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        assert (await agent.ask("tools/list"))["result"]["tools"]  # the SDK is there now
        assert not [each for each in agent.told if each.startswith("answer to")]
        async with relay(world) as another:
            assert first["result"] == (await another.ask("initialize", opening))["result"]


async def test_an_opening_that_is_wrong_is_refused_by_a_new_engine_too(world: World) -> None:
    world.surveyor("engine", "stop")
    async with relay(world) as agent:
        assert "error" in await agent.ask("initialize", {"protocolVersion": 7})
        await agent.shake_hands()
        assert not (await agent.search("cookies"))["result"]["isError"]


def test_the_versions_are_those_of_the_sdk() -> None:
    assert tuple(HANDSHAKE_PROTOCOL_VERSIONS) == MCP_VERSIONS


async def test_a_folder_of_an_application_is_no_project_because_it_was_started_there(
    world: World,
) -> None:
    home = Path(world.environment["HOME"])
    (home / ".config" / "chat").mkdir(parents=True)
    for nowhere in (home, home / ".config" / "chat"):
        async with relay(world, nowhere) as agent:
            hello = (await agent.ask("initialize", INITIALIZE))["result"]
            assert "No project is open" in hello["instructions"]
            assert "Known: project" in hello["instructions"]
            refused = (await agent.search("cookies"))["result"]
            assert refused["isError"]
            assert "Name one with `project`: project" in refused["content"][0]["text"]
            call = {"name": "search", "arguments": {"query": "sign_cookie", "project": "project"}}
            found = results_of((await agent.ask("tools/call", call))["result"])
            assert found[0]["path"] == "auth.py"
    work = home / "work"
    work.mkdir()
    (work / "some.py").write_text("def found_at_work():\n    pass\n")
    async with relay(world, work) as agent:
        await agent.shake_hands()
        assert not (await agent.search("found_at_work"))["result"]["isError"]
    world.surveyor("projects", "remove", str(work), "--yes", check=False)


async def test_what_is_done_is_logged_for_who_asks_for_it(world: World) -> None:
    async with relay(world) as agent:
        await agent.shake_hands()
        await agent.search("cookies")
        assert "notifications/message" not in agent.told
        await agent.ask("logging/setLevel", {"level": "debug"})
        await agent.search("cookies")
        assert "notifications/message" in agent.told


def test_the_relay_imports_nothing_heavy() -> None:
    code = (
        "import sys; import surveyor.mcp.relay;"
        f"print([name for name in {HEAVY!r} if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=environment(Path("/nowhere")),
        capture_output=True,
        text=True,
    )
    assert done.stdout.strip() == "[]", done.stderr


async def test_roots_of_the_client_are_taken(world: World, tmp_path: Path) -> None:
    """A client that starts us nowhere in particular says which folders are open."""
    import mcp_types as types

    async def roots(context: Any) -> types.ListRootsResult:
        return types.ListRootsResult(
            roots=[types.Root.model_validate({"uri": world.root.as_uri()})]
        )

    nowhere = Path("/")
    async with world.client(nowhere, list_roots_callback=roots) as client:
        for _ in range(ATTEMPTS):
            result = await client.call_tool("search", {"query": "sign_cookie"})
            if not result.is_error:
                break
            assert "no project" in text_of(result)
            await asyncio.sleep(0.05)
        assert results_of(result)[0]["path"] == "auth.py"


async def test_several_folders_are_searched_as_one(world: World, tmp_path: Path) -> None:
    import mcp_types as types

    other = repository(tmp_path / "second", {"moon.py": "def count_craters():\n    return 3\n"})

    async def roots(context: Any) -> types.ListRootsResult:
        uris = [world.root.as_uri(), other.as_uri()]
        return types.ListRootsResult(
            roots=[types.Root.model_validate({"uri": uri}) for uri in uris]
        )

    heard: asyncio.Queue[str] = asyncio.Queue()

    async def listen(message: Any) -> None:
        if isinstance(message, types.ResourceUpdatedNotification):
            heard.put_nowait(str(message.params.uri))

    listening: dict[str, Any] = {"list_roots_callback": roots, "message_handler": listen}
    async with world.client(world.root, **listening) as client:
        for _ in range(ATTEMPTS):
            moon = await client.call_tool("search", {"query": "count_craters"})
            results = results_of(moon)
            if results and results[0]["path"] == "moon.py":
                break
            await asyncio.sleep(0.1)
        assert results_of(moon)[0]["project"] == "second"
        auth = await client.call_tool("search", {"query": "sign_cookie"})
        assert results_of(auth)[0]["path"] == "auth.py"
        for tool, arguments in (
            ("symbol", {"name": "count_craters"}),
            ("retrieve", {"path": "moon.py"}),
            ("retrieve", {"symbol": "count_craters"}),
            ("impact", {"target": "count_craters"}),
        ):
            answer = await client.call_tool(tool, arguments)
            assert not answer.is_error, text_of(answer)
            assert folders_of(answer) == [str(other)], tool
        status = await client.call_tool("index", {})
        assert folders_of(status) == [str(world.root), str(other)]
        read = await client.read_resource("surveyor://file/moon.py")
        assert "count_craters" in read.contents[0].text  # type: ignore[union-attr]
        for template, typed, expected in (
            ("surveyor://file/{+path}", "moo", "moon.py"),
            ("surveyor://file/{+path}", "aut", "auth.py"),
            ("surveyor://symbol/{name}", "count_c", "count_craters"),
        ):
            variable = template.partition("{")[2].strip("+}")
            got = await client.complete(
                types.ResourceTemplateReference(uri=template), {"name": variable, "value": typed}
            )
            assert expected in got.completion.values
        rule = {"label": "wear-boots", "content": "Wear boots.", "scope": "project"}
        await client.call_tool("memory", {"action": "add", **rule, "project": str(other)})
        while "Wear boots." not in text_of(await client.call_tool("memory", {"action": "list"})):
            await asyncio.sleep(0.1)
        rules = await client.read_resource("surveyor://rules")
        assert "Wear boots." in rules.contents[0].text  # type: ignore[union-attr]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", MCPDeprecationWarning)
            await client.subscribe_resource("surveyor://file/moon.py")
        for number in range(30):  # the first change may be what later ones are measured by
            (other / "moon.py").write_text(f"def count_craters():\n    return {number}\n")
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(5):
                    while await heard.get() != "surveyor://file/moon.py":
                        pass
                break
        else:
            pytest.fail("no change of the second folder was heard of")
        unsaid = await client.call_tool("index", {"action": "clear", "confirm": True})
        assert unsaid.is_error
        assert str(other) in text_of(unsaid)
        await client.call_tool("index", {"action": "clear", "confirm": True, "project": str(other)})


async def test_over_http_who_subscribes_hears_of_changes(tmp_path: Path) -> None:
    import httpx2
    import mcp_types as types
    from mcp.client.streamable_http import streamable_http_client

    world = make_world(tmp_path, SURVEYOR_MCP__HTTP="true", SURVEYOR_MCP__PORT="0")
    world.surveyor("index", ".")
    run = runtime_dir(tmp_path / "data")
    heard: asyncio.Queue[str] = asyncio.Queue()

    async def listen(message: Any) -> None:
        if isinstance(message, types.ResourceUpdatedNotification):
            heard.put_nowait(str(message.params.uri))

    uri = "surveyor://file/http/retry.py"
    try:
        while not (run / "mcp-address").exists():
            await asyncio.sleep(0.05)
        url = f"{(run / 'mcp-address').read_text()}?project={world.root}"
        token = {"Authorization": f"Bearer {(run / 'mcp-token').read_text()}"}
        async with (
            httpx2.AsyncClient(headers=token, timeout=60) as web,
            Client(
                streamable_http_client(url, http_client=web),
                mode="legacy",
                message_handler=listen,
            ) as client,
        ):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", MCPDeprecationWarning)
                await client.subscribe_resource(uri)
            file = world.root / "http" / "retry.py"
            for number in range(30):  # the first change may be what later ones are measured by
                file.write_text(f"def retry_{number}(call):\n    return call()\n")
                with contextlib.suppress(TimeoutError):
                    assert await asyncio.wait_for(heard.get(), 5) == uri
                    break
            else:
                pytest.fail("no change was heard of")
    finally:
        world.surveyor("engine", "stop", check=False)


async def _chat_completions(web: Any, address: str, evil: dict[str, str]) -> None:
    """They are served beside MCP, with its guards, and no operation of the engine is."""
    listed = (await web.get(f"{address}/v1/models")).json()
    assert [each["id"] for each in listed["data"]] == ["surveyor", "project"]
    one = (await web.get(f"{address}/v1/models/project")).json()
    assert one["id"] == "project", "as a client of OpenAI's asks for one of them"
    said = {"model": "project", "messages": [{"role": "user", "content": "session cookies?"}]}
    url = f"{address}/v1/chat/completions"
    answer = (await web.post(url, json=said, timeout=60)).json()
    assert "auth.py" in answer["choices"][0]["message"]["content"]
    streamed = (await web.post(url, json={**said, "stream": True}, timeout=60)).text
    assert "auth.py" in streamed and streamed.endswith("data: [DONE]\n\n")
    assert (await web.post(url, json=said, headers=evil)).status_code == 403
    assert (await web.post(url, json=said, headers={"Host": "evil.example"})).status_code == 421
    for method, path, status in (
        ("POST", "/v1/embeddings", 404),  # in the form that such clients read, not in MCP's
        ("GET", "/v1/nothing", 404),
        ("GET", "/v1/chat/completions", 405),
    ):
        refused = await web.request(method, address + path, json={"input": "x"})
        assert (refused.status_code, refused.json()["error"]["type"]) == (
            status,
            "invalid_request_error",
        )
    untyped = await web.post(url, content=b"{}")
    assert (untyped.status_code, "Content-Type" in untyped.json()["error"]["message"]) == (
        400,
        True,
    )
    for path in ("/v1/search", "/v1/status", "/metrics", "/openapi.json"):
        assert (await web.post(address + path, json={"query": "x"})).status_code >= 400
        assert (await web.get(address + path)).status_code >= 400


async def test_over_http_with_the_token_only(tmp_path: Path) -> None:
    import httpx2
    from mcp.client.streamable_http import streamable_http_client

    world = make_world(tmp_path, SURVEYOR_MCP__HTTP="true", SURVEYOR_MCP__PORT="0")
    world.surveyor("index", ".")
    run = runtime_dir(tmp_path / "data")
    try:
        while not (run / "mcp-address").exists():
            await asyncio.sleep(0.05)
        address = (run / "mcp-address").read_text()
        token = (run / "mcp-token").read_text()
        assert (run / "mcp-token").stat().st_mode & 0o777 == 0o600
        allowed = {"Authorization": f"Bearer {token}"}
        async with httpx2.AsyncClient(headers=allowed) as web:
            url = f"{address}?project={world.root}"
            async with Client(streamable_http_client(url, http_client=web)) as client:
                assert "Project project: 4 files indexed" in (client.instructions or "")
                result = await client.call_tool("search", {"query": "session cookies"})
                assert results_of(result)[0]["path"] == "auth.py"
                assert await asyncio.to_thread(is_active, world)
            while await asyncio.to_thread(is_active, world):
                await asyncio.sleep(ASKED_AGAIN_S)
            url = f"{address}?project=project"
            modern = Client(streamable_http_client(url, http_client=web), mode="auto")
            async with modern as client:
                result = await client.call_tool("symbol", {"name": "sign_cookie"})
                assert uses_of(result)[0]["path"] == "auth.py"
                assert await asyncio.to_thread(is_active, world)
            unknown = await web.post(f"{address}?project=nobody", json={})
            assert unknown.status_code == 404
            assert "no project is called" in unknown.json()["error"]
            body = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
            assert (await web.post(address, json=body, headers={"Host": "evil.example"})).is_error
            evil = {"Origin": "http://evil.example"}
            assert (await web.post(address, json=body, headers=evil)).status_code == 403
            await _chat_completions(web, address.removesuffix("/mcp"), evil)
        async with httpx2.AsyncClient() as web:
            assert (await web.post(address, json={})).status_code == 401
            wrong = {"Authorization": "Bearer " + "0" * 64}
            assert (await web.post(address, json={}, headers=wrong)).status_code == 401
            models = f"{address.removesuffix('/mcp')}/v1/models"
            assert (await web.get(models)).status_code == 401
    finally:
        world.surveyor("engine", "stop", check=False)
    assert not (run / "mcp-address").exists()


@pytest.mark.parametrize("arguments", [["--nope"], ["a", "b"]])
def test_wrong_arguments_say_how(world: World, arguments: list[str]) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "surveyor", "mcp", *arguments],
        env=world.environment,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 2
    assert "usage" in done.stderr
