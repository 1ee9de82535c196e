"""The root is the wall: whatever path an agent names, by whatever way, it reads nothing outside."""

from __future__ import annotations

import asyncio
import itertools
import json
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from surveyor.paths import runtime_dir
from tests.agent_answers import beside_text
from tests.faults.payloads import (
    CANARY,
    SYSTEM_TEXT,
    Call,
    Prey,
    drawn,
    file_calls,
    file_payloads,
    folder_calls,
    folder_payloads,
    make_prey,
    uris,
)

IN_CI = 30
"""Payloads of each kind; the long form tries all, by every way."""
LONG_AT_LEAST = 500


@pytest.fixture(scope="module")
def prey(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Prey]:
    made = make_prey(
        tmp_path_factory.mktemp("prey"), SURVEYOR_MCP__HTTP="true", SURVEYOR_MCP__PORT="0"
    )
    surveyor(made, "index", ".")
    yield made
    surveyor(made, "engine", "stop", check=False)


def surveyor(prey: Prey, *arguments: str, check: bool = True) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "surveyor", *arguments],
        env=prey.environment,
        cwd=prey.root,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0 or not check, done.stdout + done.stderr
    return done.stdout


def registered(prey: Prey) -> list[str]:
    return [
        each["root"]
        for each in json.loads(surveyor(prey, "projects", "list", "--json"))["projects"]
    ]


def stored(prey: Prey) -> list[str]:
    """Files of the data folder that the canary has got into."""
    mark = CANARY.encode()
    return [
        str(file)
        for file in (prey.base / "data").rglob("*")
        if file.is_file() and not file.is_symlink() and mark in file.read_bytes()
    ]


class Agent:
    """An agent's stdio, one JSON-RPC message a line."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self._next = 0

    async def ask(self, method: str, params: dict[str, Any]) -> str:
        """The answer, as text."""
        self._next += 1
        message = {"jsonrpc": "2.0", "id": self._next, "method": method, "params": params}
        await self._send(message)
        while True:
            assert self._process.stdout is not None
            line = await asyncio.wait_for(self._process.stdout.readline(), 60)
            assert line, f"the relay ended at {method} {params}"
            if json.loads(line).get("id") == self._next:
                return line.decode()

    async def greet(self) -> None:
        client = {"name": "attacker", "version": "1"}
        opening = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client}
        assert '"result"' in await self.ask("initialize", opening)
        await self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    async def call(self, tool: str, arguments: dict[str, Any]) -> str:
        return await self.ask("tools/call", {"name": tool, "arguments": arguments})

    async def _send(self, message: dict[str, Any]) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(message).encode() + b"\n")
        await self._process.stdin.drain()


@asynccontextmanager
async def agent(prey: Prey, cwd: Path | None = None, *arguments: str) -> AsyncIterator[Agent]:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "surveyor", "mcp", *arguments),
        cwd=cwd or prey.root,
        env=prey.environment,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        limit=1 << 26,
    )
    try:
        made = Agent(process)
        await made.greet()
        yield made
    finally:
        assert process.stdin is not None
        process.stdin.close()
        await asyncio.wait_for(process.wait(), 60)


def leaks(answer: str) -> bool:
    return CANARY in answer or SYSTEM_TEXT in answer


async def attack(prey: Prey, calls: list[Call], addresses: list[str]) -> None:
    """Make all the calls; nothing is read, nothing registered, nothing kept."""
    before = await asyncio.to_thread(registered, prey)
    async with agent(prey) as hostile:
        for tool, arguments in calls:
            answer = await hostile.call(tool, arguments)
            assert not leaks(answer), f"{tool} {arguments}: {answer[:500]}"
            assert '"internal"' not in answer, f"{tool} {arguments}: {answer[:500]}"
        for address in addresses:
            answer = await hostile.ask("resources/read", {"uri": address})
            assert not leaks(answer), f"{address}: {answer[:500]}"
        still = await hostile.call("retrieve", {"path": "auth.py"})
        assert "sign_cookie" in still, "what is the session's own is read as before"
    assert await asyncio.to_thread(registered, prey) == before
    assert await asyncio.to_thread(stored, prey) == []


def every_call(prey: Prey) -> list[Call]:
    of_files = (file_calls(path) for path in file_payloads(prey))
    of_folders = (folder_calls(folder) for folder in folder_payloads(prey))
    return [*itertools.chain(*of_files), *itertools.chain(*of_folders)]


def is_harmless(call: Call) -> bool:
    """Not one that takes the index of the session's own project away."""
    return call[1].get("action") != "clear"


async def test_no_path_of_an_agent_reads_or_registers_what_is_outside(prey: Prey) -> None:
    files = [("retrieve", {"path": path}) for path in file_payloads(prey)]
    folders = [("index", {"action": "index", "path": each}) for each in folder_payloads(prey)]
    others = drawn(list(filter(is_harmless, every_call(prey))), IN_CI, 15)
    addresses = [uris(path)[0] for path in file_payloads(prey)]
    await attack(prey, [*files, *folders, *others], addresses)


@pytest.mark.slow
@pytest.mark.timeout(1800)
async def test_no_path_by_any_way(prey: Prey) -> None:
    calls = list(filter(is_harmless, every_call(prey)))
    addresses = [uri for path in file_payloads(prey) for uri in uris(path)]
    assert len(calls) + len(addresses) >= LONG_AT_LEAST
    await attack(prey, calls, addresses)


async def test_an_address_over_http_chooses_among_what_is_registered(prey: Prey) -> None:
    import httpx2

    run = runtime_dir(prey.base / "data")
    while not (run / "mcp-address").exists():
        await asyncio.sleep(0.05)
    address = (run / "mcp-address").read_text()
    token = {"Authorization": f"Bearer {(run / 'mcp-token').read_text()}"}
    accept = {"Accept": "application/json, text/event-stream"}
    client = {"name": "attacker", "version": "1"}
    opening = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client}
    body = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": opening}
    before = await asyncio.to_thread(registered, prey)
    async with httpx2.AsyncClient(headers=token | accept, timeout=60) as web:
        for folder in folder_payloads(prey):
            answer = await web.post(f"{address}?project={quote(folder)}", json=body)
            assert answer.status_code in (400, 404), f"{folder}: {answer.status_code}"
            assert not leaks(answer.text)
        found = await web.post(f"{address}?project={quote(str(prey.root))}", json=body)
        assert found.status_code == 200
    assert await asyncio.to_thread(registered, prey) == before


@pytest.mark.parametrize("where", ["/tmp", "/etc", "/", "base", "home", "outside", "keys"])
async def test_an_agent_that_is_merely_started_somewhere_registers_nothing_there(
    prey: Prey, where: str
) -> None:
    own = {"base": prey.base, "home": prey.base / "home", "outside": prey.outside}
    folder = {**own, "keys": prey.base / "home" / ".ssh"}.get(where, Path(where))
    before = await asyncio.to_thread(registered, prey)
    async with agent(prey, folder) as lost:
        for tool, arguments in (
            ("search", {"query": "stolen"}),
            ("retrieve", {"path": "canary.py"}),
            ("index", {"action": "index"}),
            ("index", {"action": "index", "path": "."}),
            ("index", {"action": "index", "path": str(folder)}),
        ):
            answer = await lost.call(tool, arguments)
            assert '"isError":true' in answer, answer
            assert not leaks(answer)
    assert await asyncio.to_thread(registered, prey) == before


@pytest.mark.parametrize("where", ["/etc", "/", "base"])
def test_not_even_the_user_indexes_the_system(prey: Prey, where: str) -> None:
    folder = str(prey.base) if where == "base" else where
    done = subprocess.run(
        [sys.executable, "-m", "surveyor", "index", folder, "--force"],
        env=prey.environment,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 2
    assert "Give a project's folder" in done.stderr
    assert folder not in registered(prey)


async def test_a_file_that_becomes_a_link_after_it_was_indexed_is_not_followed(prey: Prey) -> None:
    file, folder = prey.root / "swapped.py", prey.root / "swappedfolder"
    file.write_text("def before_it_was_swapped():\n    return 1\n")
    folder.mkdir()
    (folder / "canary.py").write_text("def in_a_folder():\n    return 1\n")
    surveyor(prey, "index", ".")
    async with agent(prey) as hostile:
        found = json.loads(await hostile.call("search", {"query": "before_it_was_swapped"}))
        key = beside_text(found["result"])["ids"][0]
        surveyor(prey, "engine", "pause")
        try:
            file.unlink()
            file.symlink_to(prey.outside / "canary.py")
            (folder / "canary.py").unlink()
            folder.rmdir()
            folder.symlink_to(prey.outside)
            for tool, arguments in (
                ("retrieve", {"id": key}),
                ("retrieve", {"path": "swapped.py"}),
                ("retrieve", {"path": "swappedfolder/canary.py"}),
                ("symbol", {"name": "before_it_was_swapped"}),
                ("retrieve", {"symbol": "in_a_folder"}),
            ):
                assert not leaks(await hostile.call(tool, arguments)), tool
        finally:
            surveyor(prey, "engine", "resume")
            file.unlink()
            folder.unlink()


# --- sessions that say themselves that they are agents ---------------------------------------


@asynccontextmanager
async def plain_session(prey: Prey, client: str) -> AsyncIterator[Callable[..., Any]]:
    """The engine's own protocol, without the relay."""
    socket = runtime_dir(prey.base / "data") / "session.sock"
    reader, writer = await asyncio.open_unix_connection(str(socket), limit=1 << 26)
    numbers = itertools.count(1)

    async def ask(method: str, **params: Any) -> dict[str, Any]:
        number = next(numbers)
        message = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
        writer.write(json.dumps(message).encode() + b"\n")
        while True:
            heard: dict[str, Any] = json.loads(await asyncio.wait_for(reader.readline(), 60))
            if heard.get("id") == number:
                return heard

    said = {"client": client, "version": "0", "pid": os.getpid(), "roots": [str(prey.root)]}
    assert "result" in await ask("hello", **said)
    yield ask
    writer.close()


async def test_the_engine_itself_holds_the_wall_for_who_says_to_be_an_agent(prey: Prey) -> None:
    before = await asyncio.to_thread(registered, prey)
    outside = str(prey.outside)
    document = {"name": "stolen.page", "wait_ms": 1000}
    calls: list[tuple[str, dict[str, Any]]] = [
        ("index", {"path": outside, "wait": True}),
        ("index", {"path": "/etc", "force": True}),
        ("library_ingest", {**document, "path": f"{outside}/canary.md"}),
        ("library_ingest", {**document, "path": str(prey.root / "link-out/canary.md")}),
        ("library_ingest", {**document, "path": str(prey.root / ".env")}),
        ("library_ingest", {"name": "a.b", "content": "x", "project": outside}),
        ("library_add", {"name": "stolen", "folder": outside}),
        ("library_deps", {"cwd": str(prey.root), "environments": [outside]}),
        ("overlay", {"path": str(prey.root / "x.py"), "version": 1, "text": "x = 1\n"}),
        ("control", {"action": "pause"}),
        ("memory_write", {"action": "add", "label": "x", "scope": "project", "content": "x",
                          "cwd": outside}),
        ("memory_inject", {"cwd": outside, "scope": "project"}),
        ("history_file", {"cwd": str(prey.root), "path": "../outside/canary.py"}),
        ("stop", {}),
    ]  # fmt: skip
    async with plain_session(prey, "mcp") as ask:
        for operation, parameters in calls:
            answer = await ask(operation, **parameters)
            assert "error" in answer or operation == "memory_inject", f"{operation}: {answer}"
            assert not leaks(json.dumps(answer))
    assert await asyncio.to_thread(registered, prey) == before
    assert await asyncio.to_thread(stored, prey) == []


async def test_the_users_own_faces_are_no_agents(prey: Prey, tmp_path: Path) -> None:
    page = prey.outside / "page.md"
    page.write_text("# Tides\n\nThe moon pulls the sea.\n")
    fresh = tmp_path / "fresh"
    fresh.mkdir()
    (fresh / "a.py").write_text("def fresh():\n    pass\n")
    async with plain_session(prey, "cli") as ask:
        kept = await ask("library_ingest", name="nature.sea", path=str(page), wait_ms=10_000)
        assert kept["result"]["status"] in ("done", "queued")
        assert (await ask("index", path=str(fresh), wait=True))["result"]["root"] == str(fresh)
        assert "result" in await ask("remove_project", project=str(fresh))
        for secret in (prey.root / ".env", prey.root / "link-env.py", prey.root / "id_rsa"):
            refused = await ask("library_ingest", name="a.b", path=str(secret), wait_ms=1000)
            assert "secrets" in refused["error"]["message"]
    assert await asyncio.to_thread(stored, prey) == []


async def test_a_buffer_of_what_the_index_leaves_out_is_for_its_editor_alone(prey: Prey) -> None:
    async with plain_session(prey, "lsp") as editor:
        for name in (".env", "ignored.py", "id_rsa", "../outside/canary.py", "link-out/canary.py"):
            text = f"def stolen_from_buffer():\n    return '{CANARY}'\n"
            path = str(prey.root / name)
            await editor("overlay", path=path, version=1, text=text)
        async with agent(prey) as hostile:
            for name in (".env", "ignored.py", "id_rsa"):
                assert not leaks(await hostile.call("retrieve", {"path": name}))
            assert not leaks(await hostile.call("search", {"query": "stolen_from_buffer"}))
            assert not leaks(await hostile.call("symbol", {"name": "stolen_from_buffer"}))


async def test_a_library_folder_leaves_out_links_that_lead_out_of_it(prey: Prey) -> None:
    shelf = prey.base / "shelf"
    shelf.mkdir()
    (shelf / "page.md").write_text("# Tides\n\nThe moon pulls the sea.\n")
    (shelf / "out.md").symlink_to(prey.outside / "canary.md")
    surveyor(prey, "library", "add", str(shelf), "--name", "shelf")
    assert await asyncio.to_thread(stored, prey) == []
