"""Which folders are a session's: what its client has open, else what it was started with."""

from __future__ import annotations

import asyncio
import json
import sys
import warnings
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import mcp_types as types
import pytest
from tests.agent_answers import folders_of, results_of, text_of
from tests.gitrepo import repository
from tests.mcp.conftest import World, make_world

from mcp import Client, MCPDeprecationWarning, StdioServerParameters
from surveyor.paths import runtime_dir

MOON = {"moon.py": "def count_craters():\n    return 3\n"}

Roots = Callable[[Any], Awaitable[types.ListRootsResult]]


def roots_of(uris: list[str]) -> Roots:
    """A client's answer, of what the list holds when it is asked."""

    async def answer(context: Any) -> types.ListRootsResult:
        return types.ListRootsResult(
            roots=[types.Root.model_validate({"uri": uri}) for uri in uris]
        )

    return answer


def started_in(world: World, folder: Path, **options: Any) -> Client:
    """A client whose agent is started in a folder, with no project named."""
    server = StdioServerParameters(
        command=sys.executable, args=["-m", "surveyor", "mcp"],
        env=world.environment, cwd=str(folder),
    )  # fmt: skip
    return Client(server, mode="legacy", **options)


async def known(world: World) -> list[str]:
    said = await asyncio.to_thread(world.surveyor, "projects", "list", "--json")
    return [each["root"] for each in json.loads(said)["projects"]]


async def forget(world: World, root: Path) -> None:
    await asyncio.to_thread(world.surveyor, "projects", "remove", str(root), "--yes", check=False)


async def test_a_client_that_says_its_roots_has_those_and_not_where_it_was_started(
    world: World, tmp_path: Path
) -> None:
    started = repository(tmp_path / "started", {"sun.py": "def burn_hydrogen():\n    pass\n"})
    opened = repository(tmp_path / "opened", MOON)
    async with started_in(
        world, started, list_roots_callback=roots_of([opened.as_uri()])
    ) as client:
        found = await client.call_tool("search", {"query": "count_craters"})
        assert not found.is_error, text_of(found)
        assert (
            await client.call_tool("index", {"action": "index", "wait": True})
        ).is_error is False
        assert folders_of(await client.call_tool("index", {})) == [str(opened)]
        refused = await client.call_tool("index", {"action": "index", "path": str(started)})
        assert refused.is_error
        assert f"surveyor index {started}" in text_of(refused)
        assert str(started) not in await known(world)
    await forget(world, opened)


async def test_without_roots_the_folder_it_was_started_in_is_the_sessions(
    world: World, tmp_path: Path
) -> None:
    for options in ({}, {"list_roots_callback": roots_of([])}):
        started = repository(tmp_path / f"started{len(options)}", MOON)
        async with started_in(world, started, **options) as client:
            done = await client.call_tool("index", {"action": "index", "wait": True})
            assert not done.is_error, text_of(done)
            assert str(started) in await known(world)
        await forget(world, started)


async def test_roots_that_are_closed_leave_the_session(world: World, tmp_path: Path) -> None:
    one = repository(tmp_path / "one", MOON)
    other = repository(tmp_path / "other", {"sun.py": "def burn_hydrogen():\n    pass\n"})
    uris = [one.as_uri(), other.as_uri()]
    async with started_in(world, one, list_roots_callback=roots_of(uris)) as client:
        await client.call_tool("index", {"action": "index", "wait": True})
        assert folders_of(await client.call_tool("index", {})) == [str(one), str(other)]
        for root in (one, other):
            await forget(world, root)
        uris[:] = [other.as_uri()]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", MCPDeprecationWarning)
            await client.send_roots_list_changed()
        async with asyncio.timeout(30):
            while True:
                if folders_of(await client.call_tool("index", {})) == [str(other)]:
                    break
                await asyncio.sleep(0.05)
        refused = await client.call_tool("index", {"action": "index", "path": str(one)})
        assert refused.is_error
        assert str(one) not in await known(world)
    await forget(world, other)


@pytest.mark.parametrize(
    "uri", ["file:///", "file:///etc", "file:///etc/../usr", "file:///proc/self/root/etc", "link"]
)
async def test_roots_of_the_system_are_refused_and_it_is_said(
    world: World, tmp_path: Path, uri: str
) -> None:
    if uri == "link":
        (tmp_path / "link").symlink_to("/etc")
        uri = (tmp_path / "link").as_uri()
    before = await known(world)
    async with started_in(world, world.root, list_roots_callback=roots_of([uri])) as client:
        answer = await client.call_tool("search", {"query": "root"})
        assert answer.is_error
        assert "no project" in text_of(answer)
        assert "system" in text_of(answer)
        refused = await client.call_tool("index", {"action": "index", "path": "/etc"})
        assert refused.is_error
    assert await known(world) == before


@pytest.mark.parametrize(
    ("said", "is_indexed"),
    [
        (types.ElicitResult(action="accept", content={"index": True}), True),
        (types.ElicitResult(action="accept", content={"index": False}), False),
        (types.ElicitResult(action="accept"), False),
        (types.ElicitResult(action="decline"), False),
        (types.ElicitResult(action="cancel"), False),
    ],
)
async def test_another_folder_is_indexed_when_the_user_says_yes(
    world: World, tmp_path: Path, said: types.ElicitResult, is_indexed: bool
) -> None:
    other = repository(tmp_path / "other", MOON)
    asked: list[str] = []

    async def user(context: Any, params: Any) -> types.ElicitResult:
        asked.append(params.message)
        return said

    async with world.client(elicitation_callback=user) as client:
        for never in ("/etc", "/", str(tmp_path / "nowhere"), world.environment["HOME"]):
            refused = await client.call_tool("index", {"action": "index", "path": never})
            assert refused.is_error
        assert asked == [], "what is never a project is not asked about"
        arguments = {"action": "index", "path": str(other), "wait": True}
        done = await client.call_tool("index", arguments)
        assert done.is_error is not is_indexed
        assert len(asked) == 1
        assert str(other) in asked[0]
        assert (str(other) in await known(world)) is is_indexed
    await forget(world, other)


async def test_a_project_that_the_user_has_indexed_is_reached_by_its_name(
    world: World, tmp_path: Path
) -> None:
    other = repository(tmp_path / "by-the-user", MOON)
    await asyncio.to_thread(world.surveyor, "index", str(other))
    async with world.client() as client:
        for named in ("by-the-user", str(other), "all"):
            found = await client.call_tool("search", {"query": "count_craters", "project": named})
            assert results_of(found)[0]["path"] == "moon.py"
    await forget(world, other)


async def test_over_http_each_session_has_its_own_folders_and_none_is_registered(
    tmp_path: Path,
) -> None:
    import httpx2
    from mcp.client.streamable_http import streamable_http_client

    world = make_world(tmp_path, SURVEYOR_MCP__HTTP="true", SURVEYOR_MCP__PORT="0")
    await asyncio.to_thread(world.surveyor, "index", ".")
    other = repository(tmp_path / "other", MOON)
    run = runtime_dir(tmp_path / "data")
    try:
        while not (run / "mcp-address").exists():
            await asyncio.sleep(0.05)
        url = f"{(run / 'mcp-address').read_text()}?project={world.root}"
        token = {"Authorization": f"Bearer {(run / 'mcp-token').read_text()}"}
        async with httpx2.AsyncClient(headers=token, timeout=60) as web:

            def client(**options: Any) -> Client:
                return Client(
                    streamable_http_client(url, http_client=web), mode="legacy", **options
                )

            index = {"action": "index", "path": str(other), "wait": True}
            async with client(list_roots_callback=roots_of([other.as_uri()])) as one:
                async with client() as two:
                    await one.call_tool("search", {"query": "sign_cookie"})
                    assert await known(world) == [str(world.root)], "opening registers nothing"
                    refused = await two.call_tool("index", index)
                    assert refused.is_error
                    assert await known(world) == [str(world.root)]
                done = await one.call_tool("index", index)
                assert not done.is_error, text_of(done)
                found = await one.call_tool("retrieve", {"path": "moon.py", "project": str(other)})
                assert "count_craters" in text_of(found)
    finally:
        world.surveyor("engine", "stop", check=False)
