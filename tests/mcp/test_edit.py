"""A coding agent's session: it edits, hears what that leaves behind, and what others change."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.agent_answers import text_of
from tests.gitrepo import git
from tests.lsp.rawclient import RawEditor
from tests.mcp.conftest import World, make_world

from mcp import Client
from surveyor.engine.agents.stale_line import MAX_TOKENS
from surveyor.search.snippets import estimate_tokens
from surveyor.servers.documents import OpenDocument
from surveyor.servers.uris import to_uri

WITH_EDITS = {"workspace": {"applyEdit": True, "workspaceEdit": {"documentChanges": True}}}
SIGNATURE = {
    "path": "auth.py",
    "old": "def compute_mac(value: str, key: bytes)",
    "new": "def compute_mac(value: str, key: bytes, salt: bytes)",
}


@pytest.fixture(scope="module")
def edited_world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    world = make_world(tmp_path_factory.mktemp("edited"))
    world.surveyor("index", ".")
    yield world
    world.surveyor("engine", "stop", check=False)


@pytest.fixture
def world(edited_world: World) -> Iterator[World]:
    yield edited_world
    git(edited_world.root, "reset", "-q", "--hard", "HEAD")


async def ask(client: Client, tool: str, /, **arguments: Any) -> str:
    return text_of(await client.call_tool(tool, arguments))


async def refused(client: Client, **arguments: Any) -> str:
    result = await client.call_tool("edit", arguments)
    assert result.is_error, text_of(result)
    return text_of(result)


async def test_a_session_edits_a_signature_hears_of_the_caller_renames_and_hears_again(
    world: World,
) -> None:
    async with world.client() as client:
        shown = await ask(client, "edit", **SIGNATURE, preview=True)
        assert "+def compute_mac(value: str, key: bytes, salt: bytes) -> str:" in shown
        assert "salt" not in (world.root / "auth.py").read_text()
        said = await ask(client, "edit", **SIGNATURE)
        assert "auth.py:9" in said
        assert "auth.py:6:20  does not pass salt: compute_mac(value, key, salt)" in said
        fixed = await ask(
            client,
            "edit",
            path="auth.py",
            old="compute_mac(value, key)",
            new='compute_mac(value, key, b"")',
        )
        assert "Nothing found wrong" in fixed, fixed
        renamed = await ask(client, "edit", action="rename", name="sign_cookie", new="seal_cookie")
        assert renamed.startswith("Edited 2 files (syntax).")
        assert "tests: tests/test_auth.py" in renamed
        assert "assert seal_cookie" in (world.root / "tests" / "test_auth.py").read_text()
        assert 'return seal_cookie(name, b"k")' in (world.root / "auth.py").read_text()
        both = await ask(
            client,
            "edit",
            edits=[
                {
                    "path": "auth.py",
                    "name": "Store.load",
                    "action": "after",
                    "new": "def end(self): ...",
                },
                {"path": "http/retry.py", "old": "times=3", "new": "times=4"},
            ],
        )
        assert both.startswith("Edited 2 files.")
        assert "    def end(self): ...\n" in (world.root / "auth.py").read_text()
        below = "class Big(Store):\n    def load(self, name: str) -> str:\n        return name"
        await ask(client, "edit", name="Store", action="after", new=below)
        shown = await ask(client, "edit", action="rename", name="Store.load", new="a", preview=True)
        assert "(of auth.py::Big.load, with which it belongs)" in shown


async def test_a_file_that_others_changed_is_refused_once_with_what_changed(
    world: World,
) -> None:
    async with world.client() as client:
        await ask(client, "retrieve", path="auth.py")
        file = world.root / "auth.py"
        file.write_text(file.read_text().replace("value[::-1]", "value[::-2]"))
        said = await refused(client, path="auth.py", old="value[::-2]", new="value")
        assert "auth.py was changed since you read it (disk)" in said
        assert "-    return value[::-1]" in said and "+    return value[::-2]" in said
        assert "value[::-2]" in file.read_text()
        assert "Edited 1 file" in await ask(
            client, "edit", path="auth.py", old="value[::-2]", new="value"
        )
        for wrong in (
            {"path": "../x", "old": "a", "new": "b"},
            {"path": "auth.py", "old": "a", "new": "b"},
            {"path": "gone.py", "old": "a", "new": "b"},
            {"path": "auth.py", "name": "none", "new": "b"},
            {"edits": [{"path": "auth.py", "old": "Sessions", "new": "b"}, {"path": "gone.py"}]},
        ):
            await refused(client, **wrong)
        said = await refused(client, path="old/Auth.py", old="a", new="b")
        assert "is not there" in said
        assert said.partition("Near:")[2].split("\n")[3] == "auth.py"
        assert "Sessions." in file.read_text()


async def test_a_change_that_was_only_named_is_shown_before_an_edit_of_it(world: World) -> None:
    async with world.client() as client:
        await ask(client, "retrieve", path="auth.py")
        file = world.root / "auth.py"
        file.write_text(file.read_text().replace("value[::-1]", "value[::-2]"))
        assert "Changed since you read it: auth.py" in await ask(client, "map")
        said = await refused(client, path="auth.py", old="value[::-2]", new="value")
        assert "auth.py was changed since you read it (disk)" in said
        assert "-    return value[::-1]" in said and "+    return value[::-2]" in said
        await ask(client, "edit", path="auth.py", old="value[::-2]", new="value")
        file.write_text(file.read_text().replace("return value", "return key"))
        assert "Changed since you read it: auth.py" in await ask(client, "map")
        await ask(client, "retrieve", path="auth.py")  # read again: nothing is left to be shown
        assert "Edited 1 file" in await ask(
            client, "edit", path="auth.py", old="return key", new="return value", count=2
        )


async def test_what_was_read_and_changed_is_said_once_and_never_what_one_wrote_oneself(
    world: World,
) -> None:
    async with world.client() as client:
        await ask(client, "retrieve", path="auth.py", start_line=9, end_line=10)
        file = world.root / "auth.py"
        file.write_text(f"# above\n{file.read_text()}")
        assert "Changed since" not in await ask(client, "map")
        file.write_text(file.read_text().replace("value[::-1]", "value[::-2]"))
        line = (await ask(client, "map")).splitlines()[-1]
        assert line == "Changed since you read it: auth.py:11 (disk)."
        assert estimate_tokens(line) <= MAX_TOKENS
        assert "Changed since" not in await ask(client, "map")
        await refused(client, path="auth.py", old="value[::-2]", new="value[::-3]")
        await ask(client, "edit", path="auth.py", old="value[::-2]", new="value[::-3]")
        assert "Changed since" not in await ask(client, "map")
        async with world.client() as other:
            await ask(other, "edit", path="auth.py", old="value[::-3]", new="value[::-4]")
        assert "auth.py:11 (another session)" in await ask(client, "map")
        # With a tool of its own, of which its hook tells; somebody else changes another line.
        text = file.read_text().replace("value[::-4]", "value[::-5]")
        file.write_text(text)
        await wrote_itself(world, file, "value[::-5]")
        assert "Changed since" not in await ask(client, "map")
        await ask(client, "retrieve", path="auth.py", start_line=1, end_line=12)
        text = text.replace("value[::-5]", "value[::-6]").replace("def sign_", "def make_")
        file.write_text(text)
        await wrote_itself(world, file, "value[::-6]")
        line = (await ask(client, "map")).splitlines()[-1]
        assert line == "Changed since you read it: auth.py:5 (disk)."


async def wrote_itself(world: World, file: Path, text: str) -> None:
    """The hook of an agent that was started by the same process as the session's relay."""
    given = {"file_path": str(file), "old_string": "", "new_string": text}
    await asyncio.to_thread(
        subprocess.run,
        [sys.executable, "-m", "surveyor", "check", "--hook"],
        input=json.dumps({"session_id": "s", "tool_name": "Edit", "tool_input": given}),
        text=True,
        env=world.environment,
        cwd=world.root,
        capture_output=True,
        timeout=60,
    )


async def test_what_a_session_did_is_there_for_the_user_and_not_for_agents(world: World) -> None:
    async with world.client() as client:
        key = "AKIA" + "ABCDEFGHIJKLMNOP"
        await ask(client, "search", query=f"cookies {key}", limit=1)
        await ask(client, "edit", path="auth.py", old="value[::-1]", new="secret words")
        await refused(client, path="gone.py", old="a", new="b")
    for _ in range(100):  # calls are logged beside their answers
        found = json.loads(world.surveyor("activity", "--json"))
        if found["calls"] and found["calls"][-1]["failed"]:
            break
        await asyncio.sleep(0.1)
    session = found["sessions"][0]
    assert (session["root"], session["edits"]) == (str(world.root), 1)
    calls = [each for each in found["calls"] if each["session"] == session["session"]]
    assert [(each["tool"], each["failed"]) for each in calls] == [
        ("search", False), ("edit", False), ("edit", True),
    ]  # fmt: skip
    assert calls[0]["asked"].startswith("cookies ****")
    edited = {"root": str(world.root), "path": "auth.py", "first": 10, "last": 10, "kind": "edited"}
    assert calls[1]["places"] == [edited]
    assert key not in str(found) and "secret words" not in str(found)
    picture = world.surveyor("activity", session["session"], "--mermaid")
    assert "auth.py<br/>" in picture and "edited: " in picture
    assert "edit auth.py" in world.surveyor("activity", session["session"])


class Window:
    """An editor that applies edits to the version that they are for, and tells of it."""

    def __init__(self, editor: RawEditor, file: Path) -> None:
        self._editor = editor
        self.document = OpenDocument(to_uri(file), "python", 1, file.read_text())
        self.late_key = ""
        editor.answers["workspace/applyEdit"] = self._apply
        editor.open(file, "python")

    def change(self, changes: list[dict[str, Any]]) -> None:
        self.document.apply(changes)
        self.document.version += 1
        named = {"uri": self.document.uri, "version": self.document.version}
        self._editor.session.notify(
            "textDocument/didChange", {"textDocument": named, "contentChanges": changes}
        )

    def type(self, text: str) -> None:
        start = {"line": 0, "character": 0}
        self.change([{"range": {"start": start, "end": start}, "text": text}])

    def _apply(self, params: dict[str, Any]) -> dict[str, Any]:
        (change,) = params["edit"]["documentChanges"]
        if self.late_key:
            key, self.late_key = self.late_key, ""
            self.type(key)
        if change["textDocument"]["version"] != self.document.version:
            return {"applied": False}
        edits = reversed(change["edits"])
        self.change([{"range": each["range"], "text": each["newText"]} for each in edits])
        return {"applied": True}


async def test_a_file_that_is_open_is_changed_in_its_buffer_and_no_key_is_lost(
    world: World,
) -> None:
    async with world.client() as client:
        data = Path(world.environment["SURVEYOR_DATA_DIR"])
        editor = await RawEditor.start(data, env=world.environment, cwd=world.root)
        try:
            await editor.initialize(world.root, capabilities=WITH_EDITS, options={"engine": True})
            await editor.eventually(
                "surveyor/status", None, lambda said: said["engine"]["state"] == "up"
            )
            window = Window(editor, world.root / "auth.py")
            window.type("# typed\n")
            window.late_key = "# later\n"
            edits = [
                {"path": "auth.py", "old": "value[::-1]", "new": "value"},
                {"path": "http/retry.py", "old": "times=3", "new": "times=4"},
            ]
            said = await ask(client, "edit", edits=edits)
            assert "Changed in the editor's buffer, not saved yet." in said
            assert window.document.text.startswith("# later\n# typed\n")
            assert "    return value\n" in window.document.text
            assert "value[::-1]" in (world.root / "auth.py").read_text()
            assert "times=4" in (world.root / "http" / "retry.py").read_text()
            editor.answers["workspace/applyEdit"] = {"applied": False, "failureReason": "no"}
            edits = [
                {"path": "http/retry.py", "old": "times=4", "new": "times=5"},
                {"path": "auth.py", "old": "class Store", "new": "class Shop"},
            ]
            assert "did not apply it: no" in await refused(client, edits=edits)
            assert "times=4" in (world.root / "http" / "retry.py").read_text()
        finally:
            await editor.close()
