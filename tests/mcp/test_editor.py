"""The editor's eyes: a real LSP client and a real MCP client on the same project."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import psutil
import pytest
from tests.agent_answers import data_of, results_of, text_of, unsaved_version_of, uses_of
from tests.lsp.rawclient import RawEditor
from tests.mcp.conftest import World, environment, make_world

KEY = "AKIA" + "ABCDEFGHIJKLMNOP"
UNSAVED = f'''from auth import sign_cookie

BEACON_KEY = "{KEY}"


def recall_lighthouse(name: str) -> str:
    """Shine for ships in the fog."""
    return sign_cookie(name, b"k")
'''


@pytest.fixture
async def shared(tmp_path: Path) -> AsyncIterator[tuple[World, RawEditor]]:
    path = f"{Path(sys.executable).parent}:{environment(tmp_path)['PATH']}"
    world = make_world(tmp_path, PATH=path)
    world.surveyor("index", ".")
    editor = await RawEditor.start(tmp_path / "data", env=world.environment, cwd=world.root)
    await editor.initialize(world.root, options={"engine": True})
    yield world, editor
    await editor.close()
    world.surveyor("engine", "stop", check=False)


def upstreams_of(world: World) -> list[str]:
    """Language servers that anything started for this world runs."""
    found = []
    for process in psutil.process_iter(["cmdline"]):
        command = process.info["cmdline"] or []
        names = {Path(word).name for word in command[:2]}
        if names & {"ty", "basedpyright-langserver", "pyright-langserver", "pylsp"}:
            try:
                ours = process.environ().get("SURVEYOR_DATA_DIR")
            except psutil.Error:
                continue
            if ours == world.environment["SURVEYOR_DATA_DIR"]:
                found.append(" ".join(command))
    return found


async def test_an_unsaved_function_is_found_and_navigated_before_it_is_saved(
    shared: tuple[World, RawEditor],
) -> None:
    world, editor = shared
    editor.open(world.root / "auth.py", "python")
    await editor.wait_upstream("python")
    (world.root / "beacon.py").write_text("x = 1\n")
    editor.open(world.root / "beacon.py", "python", UNSAVED, version=7)
    subfolder = world.root / "http"
    async with world.client(subfolder) as client:
        for _ in range(600):
            found = await client.call_tool(
                "search", {"query": "shine for ships in the fog", "project": str(world.root)}
            )
            results = results_of(found)
            if results and results[0]["path"] == "beacon.py":
                break
            await asyncio.sleep(0.1)
        assert results[0]["path"] == "beacon.py"
        assert results[0]["unsaved_version"] == 7
        assert "unsaved, version 7" in text_of(found)
        read = await client.call_tool("retrieve", {"path": "beacon.py"})
        assert "recall_lighthouse" in text_of(read)
        assert "BEACON_KEY" in text_of(read)
        assert KEY not in text_of(read)
        assert unsaved_version_of(read) == 7
        use = {"action": "definition", "path": "beacon.py", "line": 8, "column": 13}
        for _ in range(600):  # until the server has read the buffer that has just been opened
            there = await client.call_tool("symbol", use)
            assert not there.is_error, text_of(there)
            if data_of(there)["precision"] == "exact":
                break
            await asyncio.sleep(0.1)
        first = uses_of(there)[0]
        assert (first["path"], first["line"]) == ("auth.py", 4)
        assert data_of(there)["precision"] == "exact"
        named = await client.call_tool("symbol", {"name": "recall_lighthouse"})
        defined = uses_of(named)[0]
        assert (defined["path"], defined["line"]) == ("beacon.py", 6)
        assert unsaved_version_of(named) == 7
        wanted = {"action": "references", "path": "auth.py", "line": 4, "column": 6}
        for _ in range(600):
            users = uses_of(await client.call_tool("symbol", wanted))
            if "beacon.py" in {each["path"] for each in users}:
                break
            await asyncio.sleep(0.1)
        assert "beacon.py" in {each["path"] for each in users}
        said = await editor.request("surveyor/search", {"query": "session cookies"})
        heard = await client.call_tool(
            "search", {"query": "session cookies", "project": str(world.root)}
        )
        # In an order of their own: what an editor shows counts a little more for it.
        assert {(each["path"], each["startLine"], each["id"]) for each in said["results"]} == {
            (each["path"], each["start_line"], each["id"]) for each in results_of(heard)
        }
        assert len(upstreams_of(world)) == 1, upstreams_of(world)
    assert (world.root / "beacon.py").read_text() == "x = 1\n"
