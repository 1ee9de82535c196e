"""What agents send that is no message, or odd: an answer under its id, over stdio and over HTTP."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.agent_answers import results_of
from tests.gitrepo import repository
from tests.mcp.conftest import World, environment, make_world
from tests.mcp.test_relay import INITIALIZE, Raw, relay

from surveyor.engine.agents.arguments import check
from surveyor.engine.agents.results import describe
from surveyor.engine.agents.tools import TOOLS
from surveyor.paths import runtime_dir
from surveyor.protocol.tools import listed_tools, schema_of
from surveyor.protocol.wire import id_of, mended

DEEP = "[" * 100_000 + "]" * 100_000
CALL = '{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":"search","arguments":%s}}'

ODD: dict[str, bytes] = {
    "half a character": (CALL % ("71", '{"query":"a \\ud800 b"}')).encode(),
    "the other half": (CALL % ("71", '{"query":"\\udc00"}')).encode(),
    "a NUL": (CALL % ("71", '{"query":"a\\u0000b"}')).encode(),
    "a NUL in a project": (CALL % ("71", '{"query":"a","project":"/\\u0000"}')).encode(),
    "no UTF-8": (CALL % ("71", '{"query":"\xff"}')).encode("latin-1"),
    "deep arguments": (CALL % ("71", '{"query":' + DEEP + "}")).encode(),
    "deep without an end": (CALL[:-2] % ("71", "[" * 100_000)).encode(),
    "beyond numbers": (CALL % ("71", '{"query":"a","limit":1e999}')).encode(),
    "thousands of digits": (CALL % ("71", '{"query":"a","limit":%s}' % ("9" * 5000))).encode(),
    "not a number": (CALL % ("71", '{"query":"a","score_threshold":NaN}')).encode(),
    "params that are a list": b'{"jsonrpc":"2.0","id":71,"method":"tools/call","params":[1]}',
    "a number for a name": b'{"jsonrpc":"2.0","id":71,"method":"tools/call","params":{"name":5}}',
    "no method": b'{"jsonrpc":"2.0","id":71}',
    "a method that is a number": b'{"jsonrpc":"2.0","id":71,"method":5}',
    "cut": (CALL % ("71", '{"query":"a"'))[:-3].encode(),
    "a raw NUL": (CALL % ("71", '{"query":"a\0b"}')).encode(),
    "an unknown method": b'{"jsonrpc":"2.0","id":71,"method":"\\ud800"}',
    "the id behind": b'{"method":"x/y","params":{"id":5,"a":[{"id":6}]},"id":71,"jsonrpc":"2.0"}',
}

LONG = "n" * 1_000_000
ECHO = [
    ("tools/call", {"name": LONG}),
    ("tools/call", {"name": "search", "arguments": {LONG: 1}}),
    ("tools/call", {"name": "search", "arguments": {"query": "x", "mode": LONG}}),
    ("tools/call", {"name": "search", "arguments": {"query": "x", "project": LONG}}),
    ("tools/call", {"name": "search", "arguments": {"query": "x", "limit": LONG}}),
    ("tools/call", {"name": "search", "arguments": {"query": "x", "in": [LONG]}}),
    ("tools/call", {"name": "symbol", "arguments": {"name": LONG}}),
    ("tools/call", {"name": "retrieve", "arguments": {"path": LONG}}),
    ("tools/call", {"name": "retrieve", "arguments": {"id": LONG}}),
    ("tools/call", {"name": "history", "arguments": {"path": "../" + LONG}}),
    ("tools/call", {"name": "index", "arguments": {"action": LONG}}),
    ("prompts/get", {"name": LONG}),
    ("prompts/get", {"name": "definition", "arguments": {LONG: "x"}}),
    ("resources/read", {"uri": LONG}),
    ("resources/read", {"uri": f"surveyor://file/{LONG}"}),
    ("logging/setLevel", {"level": LONG}),
    (LONG, {}),
]


@contextlib.asynccontextmanager
async def agent_of(world: World) -> AsyncIterator[Raw]:
    async with relay(world) as agent:
        await agent.shake_hands()
        yield agent


async def test_odd_messages_are_answered_under_their_ids(world: World) -> None:
    async with agent_of(world) as agent:
        for name, line in ODD.items():
            await agent.send(line)
            while (heard := await agent.read()).get("id") != 71:
                assert "method" in heard, (name, heard)
            assert ("result" in heard) != ("error" in heard), name
            assert len(json.dumps(heard)) < 20_000, name
            assert "Traceback" not in json.dumps(heard), name
            assert '"internal"' not in json.dumps(heard), (name, heard)
        assert not (await agent.search("cookies"))["result"]["isError"]


async def test_a_huge_line_is_refused_under_its_id_and_the_session_goes_on(world: World) -> None:
    async with agent_of(world) as agent:
        for size in (33 << 20, 70 << 20):
            line = (CALL % ("71", '{"query":"%s"}')).encode().replace(b"%s", b"x" * size)
            await agent.send(line)
            heard = await agent.read()
            assert heard["id"] == 71 and heard["error"]["code"] == -32600
            assert "too long" in heard["error"]["message"]
        assert not (await agent.search("cookies"))["result"]["isError"]


async def test_nothing_huge_is_repeated(world: World) -> None:
    async with agent_of(world) as agent:
        for method, params in ECHO:
            heard = await agent.ask(method, params)
            assert len(json.dumps(heard)) < 20_000, (method[:40], json.dumps(heard)[:300])


async def test_every_request_of_one_moment_is_answered(world: World) -> None:
    async with agent_of(world) as agent:
        numbers = list(range(1000, 1040))
        for number in numbers:
            await agent.send((CALL % (number, '{"query":"x"}')).encode())
            await agent.send(b'{"jsonrpc":"2.0","id":%d,"method":"\xff"}' % -number)
        missing = {*numbers, *(-number for number in numbers)}
        while missing:
            missing.discard((await agent.read()).get("id"))


WRONG: list[Any] = [
    *(None, True, -1, 0, 2**70, 1.5, -1e300, "", " ", "\0", "a\0b", "../../etc/passwd", "~nobody"),
    *("a" * 100_000, [], [None], [[]], {}, {"a": {"b": []}}, ["\0"], "-", "--help", "*", "("),
]
RIGHT: dict[str, dict[str, Any]] = {
    "search": {"query": "cookies"},
    "retrieve": {"path": "auth.py"},
    "symbol": {"name": "sign_cookie"},
    "impact": {"name": "sign_cookie"},
    "history": {"query": "keys"},
    "memory": {"action": "list"},
    "store": {"action": "list"},
    "map": {},
    "index": {"action": "status"},
}


@pytest.mark.parametrize("name", sorted(TOOLS))
async def test_every_argument_of_every_tool_may_be_anything(world: World, name: str) -> None:
    async with agent_of(world) as agent:
        for argument in TOOLS[name].described.arguments:
            for value in WRONG:
                arguments = {**RIGHT.get(name, {}), argument.name: value}
                heard = await agent.ask("tools/call", {"name": name, "arguments": arguments})
                said = json.dumps(heard)
                assert '"code": "internal"' not in said, (arguments, said[:1000])
                assert "Traceback" not in said
                if "error" in heard or heard["result"].get("isError"):
                    assert len(said) < 20_000


anything = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=20)
    | st.sampled_from(["\0", "\ud800", "../..", "a" * 9999, "-1", "1e999", ""]),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=6,
)


@given(st.data())
def test_arguments_are_understood_or_refused_whatever_they_are(data: st.DataObject) -> None:
    from surveyor.errors import UsageError

    tool = data.draw(st.sampled_from(sorted(TOOLS.values(), key=lambda each: each.described.name)))
    names = [each.name for each in tool.described.arguments]
    given_ = data.draw(st.dictionaries(st.sampled_from([*names, "else"]), anything, max_size=5))
    try:
        values = check(tool.described.arguments, given_)
    except UsageError as error:
        assert len(error.sentence) < 1500
    else:
        assert set(values) == set(names)


@given(st.binary(max_size=60), st.integers(-(10**9), 10**9) | st.text(max_size=20))
def test_an_id_is_found_whatever_stands_behind_it(rest: bytes, number: int | str) -> None:
    try:
        encoded = json.dumps(number).encode()
        str(number).encode()
    except UnicodeEncodeError:
        return
    assert id_of(b'{"jsonrpc":"2.0","id":' + encoded + b',"params":' + rest) == number


@given(st.text(alphabet=st.sampled_from('a\\"\ud800\udc00\U0001f600\0'), max_size=30))
def test_mended_text_is_json_of_the_same_length_in_utf16(text: str) -> None:
    whole = mended(json.dumps(text).encode())
    result = json.loads(whole)
    result.encode()  # nothing is left of half a pair
    units = len(text.encode("utf-16-le", "surrogatepass"))
    assert len(result.encode("utf-16-le")) == units


# --- progress, cancelling, an engine that cannot run -----------------------------------------


async def test_progress_always_increases(world: World, tmp_path: Path) -> None:
    roots = [
        repository(tmp_path / name, {f"m{n}.py": f"x_{n} = {n}\n" for n in range(30)})
        for name in ("one", "two")
    ]
    for root in roots:
        world.surveyor("index", str(root))
    async with agent_of(world) as agent:
        told: dict[str, list[float]] = {}
        for token in ("first", "second"):
            call = {
                "name": "index",
                "arguments": {"action": "reindex", "wait": True, "project": "all"},
                "_meta": {"progressToken": token},
            }
            message = {"jsonrpc": "2.0", "id": token, "method": "tools/call", "params": call}
            await agent.send(message)
            while (heard := await agent.read()).get("id") != token:
                if heard.get("method") == "notifications/progress":
                    said = heard["params"]
                    told.setdefault(said["progressToken"], []).append(said["progress"])
                    assert said.get("total") is None or said["progress"] <= said["total"]
            assert not heard["result"].get("isError"), heard
        assert told.keys() == {"first", "second"}
        for values in told.values():
            assert all(a < b for a, b in pairwise(values)), values
    for root in roots:
        world.surveyor("project", "remove", str(root), check=False)


async def test_a_cancelled_reindex_leaves_the_index_as_it_was(tmp_path: Path) -> None:
    world = make_world(tmp_path)
    files = {f"pkg/m{n}.py": f"def helper_number_{n}():\n    return {n}\n" for n in range(300)}
    for name, text in files.items():
        path = world.root / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    try:
        world.surveyor("index", ".")

        def project() -> dict[str, Any]:
            found = json.loads(world.surveyor("status", ".", "--json"))["projects"][0]
            return {name: found[name] for name in ("files", "chunks", "symbols")}

        before = project()
        async with agent_of(world) as agent:
            arguments = {"action": "reindex", "wait": True}
            call = {"name": "index", "arguments": arguments, "_meta": {"progressToken": "p"}}
            message = {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": call}
            await agent.send(message)
            while (await agent.read()).get("method") != "notifications/progress":
                pass
            counts = [project()]  # while it is under way, too
            cancel = {"method": "notifications/cancelled", "params": {"requestId": 7}}
            await agent.send({"jsonrpc": "2.0", **cancel})
            counts.append(project())
            for number in (0, 150, 299):
                found = (await agent.search(f"helper_number_{number}"))["result"]
                results = results_of(found)
                assert results and results[0]["path"] == f"pkg/m{number}.py"
            counts.append(project())
        assert counts == [before] * 3
        for _ in range(600):
            now = json.loads(world.surveyor("status", ".", "--json"))["projects"][0]
            if now["status"] == "healthy":
                break
            await asyncio.sleep(0.1)
        assert now["status"] == "healthy"
        assert project() == before
    finally:
        world.surveyor("engine", "stop", check=False)


async def test_without_an_engine_all_tools_are_listed_and_each_says_what_to_do(
    tmp_path: Path,
) -> None:
    world = World(tmp_path, environment(tmp_path))
    (tmp_path / "data").write_text("a file where the data folder should be")
    async with relay(world) as agent:
        await agent.ask("initialize", {**INITIALIZE, "protocolVersion": LONG})
        listed = (await agent.ask("tools/list"))["result"]["tools"]
        assert [each["name"] for each in listed] == list(TOOLS)
        for tool in TOOLS.values():
            called = await agent.ask("tools/call", {"name": tool.described.name, "arguments": {}})
            said = called["result"]
            assert said["isError"] and "degraded" in said["content"][0]["text"]
            assert "call again" in said["content"][0]["text"]
            assert len(json.dumps(said)) < 3000


def test_the_list_without_the_sdk_is_the_same() -> None:
    for mine, tool in zip(listed_tools(), TOOLS.values(), strict=True):
        theirs = json.loads(
            describe(tool.described).model_dump_json(by_alias=True, exclude_none=True)
        )
        assert mine == theirs
        assert mine["inputSchema"] == schema_of(tool.described.arguments)


# --- over HTTP -------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def http_world(tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("http")
    made = make_world(folder, SURVEYOR_MCP__HTTP="true", SURVEYOR_MCP__PORT="0")
    made.surveyor("index", ".")
    yield made
    made.surveyor("engine", "stop", check=False)


def address(world: World) -> tuple[str, dict[str, str]]:
    run = runtime_dir(Path(world.environment["SURVEYOR_DATA_DIR"]))
    token = (run / "mcp-token").read_text()
    headers = {
        "Authorization": f"Bearer {token}",
        "Accept": "application/json, text/event-stream",
        "Content-Type": "application/json",
    }
    return f"{(run / 'mcp-address').read_text()}?project={world.root}", headers


def test_the_address_is_there_as_soon_as_the_engine_serves(tmp_path: Path) -> None:
    import httpx2

    world = make_world(tmp_path, SURVEYOR_MCP__HTTP="true", SURVEYOR_MCP__PORT="0")
    try:
        world.surveyor("index", ".")
        world.surveyor("engine", "stop")
        for _ in range(2):  # a second engine on the same folder, too, after a stale address
            world.surveyor("engine", "start")
            url, headers = address(world)
            body = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": INITIALIZE}
            answer = httpx2.post(url, json=body, headers=headers, timeout=60)
            assert answer.status_code == 200
            world.surveyor("engine", "stop")
            (runtime_dir(tmp_path / "data") / "mcp-address").write_text("http://127.0.0.1:1/mcp")
    finally:
        world.surveyor("engine", "stop", check=False)


async def test_over_http_odd_messages_are_4xx_under_their_ids(http_world: World) -> None:
    import httpx2

    url, headers = address(http_world)
    async with httpx2.AsyncClient(headers=headers, timeout=60) as web:
        body = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": INITIALIZE}
        begun = await web.post(url, json=body)
        own = {"Mcp-Session-Id": begun.headers["mcp-session-id"]}
        for name, line in ODD.items():
            answer = await web.post(url, content=line, headers=own)
            assert answer.status_code < 500, name
            said = answer.text
            assert '"id":71' in said.replace(" ", ""), (name, said[:300])
            assert len(said) < 20_000, name
        for named in ("%00", "x" * 9000, "..", "a%ff"):
            there = url.partition("?")[0] + f"?project={named}"
            answer = await web.post(there, json=body)
            assert 400 <= answer.status_code < 500 and len(answer.text) < 2000
        huge = await web.post(url, content=b"x" * (33 << 20), headers=own)
        assert huge.status_code == 413
        assert (await web.put(url, headers=own)).status_code == 405
        ended = await web.delete(url, headers=own)
        assert ended.status_code == 200
        ping = {"jsonrpc": "2.0", "id": 2, "method": "ping"}
        assert (await web.post(url, json=ping, headers=own)).status_code == 404


def events_of(text: str) -> list[dict[str, str]]:
    blocks = text.replace("\r\n", "\n").split("\n\n")
    parsed = [
        dict(line.split(": ", 1) for line in each.split("\n") if ": " in line) for each in blocks
    ]
    return [each for each in parsed if each]


async def test_a_broken_stream_is_read_on_from_its_last_event(http_world: World) -> None:
    import httpx2

    url, headers = address(http_world)
    version = {"MCP-Protocol-Version": "2025-11-25"}
    async with httpx2.AsyncClient(headers=headers, timeout=60) as web:
        opening = {**INITIALIZE, "protocolVersion": "2025-11-25"}
        body = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": opening}
        sessions = []
        for _ in range(2):
            begun = await web.post(url, json=body)
            sessions.append({"Mcp-Session-Id": begun.headers["mcp-session-id"], **version})
            assert all("id" in each for each in events_of(begun.text))
        own, other = sessions
        call = {"name": "index", "arguments": {"action": "reindex", "wait": True}}
        call |= {"_meta": {"progressToken": 5}}
        asked = {"jsonrpc": "2.0", "id": 5, "method": "tools/call", "params": call}
        # The other session's stream has the same name: what it is sent is not ours.
        theirs = {**asked, "params": {"name": "search", "arguments": {"query": "theirs"}}}
        async with web.stream("POST", url, json=asked, headers=own) as stream:
            first = await anext(stream.aiter_text())
        (primed, *_) = events_of(first)
        assert primed["id"] and int(primed["retry"]) > 0
        await web.post(url, json=theirs, headers=other)
        resume = {**own, "Last-Event-ID": primed["id"]}
        heard = ""
        async with web.stream("GET", url, headers=resume) as stream:
            assert stream.status_code == 200
            async for part in stream.aiter_text():
                heard += part
                if '"result"' in heard:
                    break
        events = events_of(heard)
        messages = [json.loads(each["data"]) for each in events if each.get("data")]
        assert messages[-1]["id"] == 5 and "result" in messages[-1]
        told = [
            m["params"]["progress"] for m in messages if m.get("method", "").endswith("progress")
        ]
        assert told == sorted(set(told))
        # Whole by now: it is sent again to its end, and the stream is closed.
        again = await web.get(url, headers=resume)
        assert json.loads(events_of(again.text)[-1]["data"])["id"] == 5
        names = [each["id"] for each in events_of(again.text)]
        assert len(names) == len(set(names))
        unknown = await web.get(url, headers={**own, "Last-Event-ID": "never"})
        assert unknown.status_code == 200 and not events_of(unknown.text)


async def test_events_are_bounded_and_the_newest_stay() -> None:
    import mcp_types as types

    from surveyor.engine.agents.event_store import MAX_EVENTS, MAX_EVENTS_BYTES, SessionEvents

    events = SessionEvents()
    names = [
        await events.store_event("s", types.JSONRPCNotification(jsonrpc="2.0", method=f"m{n}"))
        for n in range(MAX_EVENTS + 50)
    ]
    heard: list[Any] = []

    async def take(event: Any) -> None:
        heard.append(event.event_id)

    assert await events.replay_events_after(names[0], take) is None and not heard
    assert await events.replay_events_after(names[-3], take) == "s"
    assert heard == names[-2:]
    big = types.JSONRPCNotification(jsonrpc="2.0", method="x" * MAX_EVENTS_BYTES)
    last = await events.store_event("t", big)
    assert await events.replay_events_after(names[-1], take) is None
    assert await events.replay_events_after(last, take) == "t"
