"""`surveyor setup`: it writes what each client reads, keeps the rest, and undoes itself."""

from __future__ import annotations

import asyncio
import json
import os
import shlex
import tomllib
from pathlib import Path

import pytest
import typer
from hypothesis import given
from hypothesis import strategies as st
from tests.agent_answers import results_of, text_of
from tests.mcp.conftest import World, environment
from typer.testing import CliRunner

from mcp import Client, StdioServerParameters
from surveyor.cli.doctor import outdated_hooks
from surveyor.cli.setup import setup as command
from surveyor.mcp import json_file, plugin
from surveyor.mcp.clients import CLIENTS

COMMAND = typer.Typer()
COMMAND.command()(command)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "home").mkdir()
    (tmp_path / "project").mkdir()
    for name in [each for each in os.environ if each.startswith(("SURVEYOR_", "XDG_", "CODEX_"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "share"))
    monkeypatch.chdir(tmp_path / "project")
    return tmp_path / "home"


def setup(home: Path, *arguments: str, code: int = 0) -> str:
    """The command itself, in this process: it touches nothing but HOME and the current folder."""
    done = CliRunner().invoke(COMMAND, list(arguments))
    assert done.exit_code == code, done.output
    return done.output


def written(folder: Path) -> dict[str, str]:
    return {
        path.relative_to(folder).as_posix(): path.read_text()
        for path in folder.rglob("*")
        if path.is_file()
    }


ENTRY = {
    "claude-code": (".claude.json", ".mcp.json", "mcpServers"),
    "claude-desktop": (None, None, "mcpServers"),
    "cursor": (".cursor/mcp.json", ".cursor/mcp.json", "mcpServers"),
    "vscode": (None, ".vscode/mcp.json", "servers"),
    "zed": (".config/zed/settings.json", ".zed/settings.json", "context_servers"),
    "windsurf": (".codeium/windsurf/mcp_config.json", None, "mcpServers"),
    "gemini": (".gemini/settings.json", ".gemini/settings.json", "mcpServers"),
    "opencode": (".config/opencode/opencode.json", "opencode.json", "mcp"),
    "codex": (".codex/config.toml", ".codex/config.toml", "mcp_servers"),
}


@pytest.mark.parametrize("client", list(CLIENTS))
def test_a_client_is_attached_and_detached(client: str, home: Path) -> None:
    user_file, _, holder = ENTRY[client]
    setup(home, client)
    [(name, text)] = written(home).items()
    assert user_file is None or name == user_file
    entry = (tomllib.loads(text) if name.endswith(".toml") else json.loads(text))[holder]
    started = entry["surveyor"]["command"]
    words = started if isinstance(started, list) else [started, *entry["surveyor"]["args"]]
    assert Path(words[0]).is_absolute()
    assert "mcp" in words
    assert "nothing to change" in setup(home, client)
    setup(home, client, "--remove")
    assert written(home) == {}


@pytest.mark.parametrize("client", [name for name, files in ENTRY.items() if files[1]])
def test_one_project_only(client: str, home: Path) -> None:
    setup(home, client, "--project")
    assert list(written(home.parent / "project")) == [ENTRY[client][1]]
    assert written(home) == {}
    setup(home, client, "--project", "--remove")
    assert written(home.parent / "project") == {}


KEPT = {
    ".mcp.json": '{\n  "mcpServers": {\n    "other": {"command": "x"}\n  },\n  "z": [1, 2]\n}\n',
    ".zed/settings.json": '// mine\n{\n  "theme": "One", // dark\n  /* x */\n  "a": {"b": 1},\n}\n',
    "opencode.json": "{}\n",
    ".codex/config.toml": '# mine\nmodel = "x"\n\n[mcp_servers.other]\ncommand = "y"\n',
}


@pytest.mark.parametrize(
    ("client", "file"),
    [
        ("claude-code", ".mcp.json"),
        ("zed", ".zed/settings.json"),
        ("opencode", "opencode.json"),
        ("codex", ".codex/config.toml"),
    ],
)
def test_what_is_there_is_kept(client: str, file: str, home: Path) -> None:
    path = home.parent / "project" / file
    path.parent.mkdir(exist_ok=True)
    path.write_text(KEPT[file])
    path.chmod(0o640)
    setup(home, client, "--project")
    text = path.read_text()
    assert "surveyor" in text
    assert path.stat().st_mode & 0o777 == 0o640
    for line in KEPT[file].splitlines():
        assert line.rstrip("{}, ") in text
    setup(home, client, "--project", "--remove")
    assert path.read_text() == KEPT[file]


def test_a_dry_run_changes_nothing(home: Path) -> None:
    said = setup(home, "cursor", "--dry-run")
    assert '+    "surveyor": {' in said
    assert written(home) == {}


def test_what_is_not_understood_is_left_alone(home: Path) -> None:
    (home / ".claude.json").write_text("{ not json")
    assert "left as it is" in setup(home, "claude-code", code=2)
    assert (home / ".claude.json").read_text() == "{ not json"
    assert "Known: claude-code" in setup(home, "emacs", code=2)
    assert "Did you mean claude-code" in setup(home, "claudecode", code=2)
    assert "--user" in setup(home, "windsurf", "--project", code=2)


def test_the_hook_prints_the_rules_and_other_hooks_stay(home: Path) -> None:
    settings = home / ".claude" / "settings.json"
    settings.parent.mkdir()
    mine = {"hooks": {"SessionStart": [{"hooks": [{"type": "command", "command": "date"}]}]}}
    settings.write_text(json.dumps(mine))
    setup(home, "claude-code", "--hooks")
    setup(home, "claude-code", "--hooks")
    groups = json.loads(settings.read_text())["hooks"]["SessionStart"]
    commands = [hook["command"] for group in groups for hook in group["hooks"]]
    assert commands[0] == "date"
    assert len(commands) == 2
    assert commands[1].endswith("memory inject --hook")
    setup(home, "claude-code", "--remove")
    assert json.loads(settings.read_text()) == mine
    assert not (home / ".claude.json").exists()


def test_a_hook_of_an_earlier_version_is_told_and_written_anew(home: Path) -> None:
    settings = home / ".claude" / "settings.json"
    settings.parent.mkdir()
    old = {"type": "command", "command": "/opt/surveyor memory inject", "timeout": 3}
    settings.write_text(json.dumps({"hooks": {"SessionStart": [{"hooks": [old]}]}}))
    (told,) = outdated_hooks()
    assert str(settings) in told.message and "surveyor setup claude-code`" in told.hint
    setup(home, "claude-code")
    (hook,) = json.loads(settings.read_text())["hooks"]["SessionStart"][0]["hooks"]
    assert hook["command"].endswith("memory inject --hook") and hook["timeout"] == 3
    assert outdated_hooks() == []


async def test_what_is_written_starts_an_agent_from_anywhere(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a desktop application does: in the home folder, with nothing but the entry's variables."""
    monkeypatch.setenv("SURVEYOR_DATA_DIR", str(home.parent / "data"))
    started = environment(home.parent)
    try:
        for client, holder in (
            ("claude-desktop", "mcpServers"),
            ("windsurf", "mcpServers"),
            ("opencode", "mcp"),
            ("codex", "mcp_servers"),
        ):
            before = set(written(home))
            setup(home, client)
            (name,) = set(written(home)) - before
            text = (home / name).read_text()
            read = tomllib.loads(text) if name.endswith(".toml") else json.loads(text)
            entry = read[holder]["surveyor"]
            command = entry["command"]
            words = command if isinstance(command, list) else [command, *entry["args"]]
            given = entry.get("env") or entry["environment"]
            parameters = StdioServerParameters(
                command=words[0],
                args=words[1:],
                env={"PYTHONPATH": started["PYTHONPATH"], "HOME": str(home), **given},
                cwd=str(home),
            )
            async with Client(parameters, mode="legacy") as agent:
                assert "No project is open" in (agent.instructions or "")
                assert {tool.name for tool in (await agent.list_tools()).tools} >= {"search"}
                project = str(home.parent / "project")
                (home.parent / "project" / "a.py").write_text("def land_here():\n    pass\n")
                indexed = {"action": "index", "path": project, "wait": True}
                refused = await agent.call_tool("index", indexed)
                assert refused.is_error == (client == "claude-desktop")  # the first: nobody has
                if refused.is_error:
                    assert "surveyor index" in text_of(refused)
                    user = World(home.parent / "project", started)
                    await asyncio.to_thread(user.surveyor, "index", ".")
                found = await agent.call_tool(
                    "search", {"query": "land_here", "project": "project"}
                )
                assert results_of(found)[0]["path"] == "a.py"
    finally:
        World(home, started).surveyor("engine", "stop", check=False)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=4)
    ),
    max_leaves=12,
)


@given(
    document=st.dictionaries(st.text(max_size=6), VALUES, max_size=5),
    indent=st.sampled_from([None, 2, 4]),
)
def test_putting_and_removing_are_inverse(document: dict[str, object], indent: int | None) -> None:
    document = {key: value for key, value in document.items() if key != "holder"}
    text = json.dumps(document, indent=indent)
    put = json_file.put(text, ["holder", "ours"], {"command": "x", "args": ["a"]})
    assert json.loads(put) == {**document, "holder": {"ours": {"command": "x", "args": ["a"]}}}
    assert json.loads(json_file.put(put, ["holder", "ours"], 1))["holder"] == {"ours": 1}
    removed = json_file.remove(put, ["holder", "ours"])
    assert json.loads(removed) == document
    if document:
        assert removed == text


@given(st.text(max_size=60))
def test_no_text_is_a_crash(text: str) -> None:
    try:
        json_file.put(text, ["a", "b"], 1)
        json_file.remove(text, ["a", "b"])
    except ValueError:
        pass


@pytest.fixture
def claude(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A `claude` that notes what it is called with; a file beside it makes it fail."""
    folder = tmp_path / "bin"
    folder.mkdir()
    script = folder / "claude"
    script.write_text(
        f'#!/bin/sh\necho "$*" >> {folder}/calls\n'
        f"[ ! -e {folder}/fails ] || {{ echo no such plugin >&2; exit 1; }}\n"
    )
    script.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
    return folder


def test_a_plugin_takes_the_place_of_the_entry_and_goes_as_a_whole(
    home: Path, claude: Path, tmp_path: Path
) -> None:
    setup(home, "claude-code", "--hooks")
    setup(home, "claude-code", "--plugin", "--dry-run")
    assert not (claude / "calls").exists()
    setup(home, "claude-code", "--plugin")
    assert written(home) == {}, "one server, not two"
    made = tmp_path / "share" / "surveyor" / "agent-plugins"
    assert (claude / "calls").read_text().splitlines() == [
        f"plugin marketplace add {made}",
        "plugin install surveyor@surveyor",
    ]
    server = json.loads((made / "claude-code/.mcp.json").read_text())["mcpServers"]["surveyor"]
    assert Path(server["command"]).is_absolute() and server["args"][-1] == "mcp"
    hooks = json.loads((made / "claude-code/hooks/hooks.json").read_text())["hooks"]
    assert server["command"] in hooks["PostToolUse"][0]["hooks"][0]["command"]
    assert outdated_hooks() == []
    earlier = made / "claude-code/hooks/hooks.json"
    earlier.write_text(earlier.read_text().replace("memory inject --hook", "memory inject"))
    (told,) = outdated_hooks()
    assert "surveyor setup claude-code --plugin`" in told.hint
    setup(home, "claude-code", "--plugin", "--remove")
    assert not made.exists()


def test_a_claude_that_refuses_changes_nothing_else(home: Path, claude: Path) -> None:
    setup(home, "claude-code")
    before = written(home)
    (claude / "fails").touch()
    assert "no such plugin" in setup(home, "claude-code", "--plugin", code=1)
    assert written(home) == before
    assert "nothing of that kind" in setup(home, "zed", "--plugin", code=2)


@pytest.mark.parametrize("program", ["/it's/py", "/$(id)/py", "C:\\a b\\py.exe", "/a;b/py"])
def test_a_hook_starts_a_program_in_any_folder(program: str) -> None:
    text = json.dumps({"hooks": [{"command": "surveyor check --hook"}]})
    made = json.loads(plugin._for_program(text, [program, "-m", "surveyor"], {}))
    assert shlex.split(made["hooks"][0]["command"]) == [
        program,
        "-m",
        "surveyor",
        "check",
        "--hook",
    ]


def test_hooks_ask_where_the_user_keeps_data(
    home: Path, claude: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In an agent that a desktop has started: it has none of the shell's variables."""
    data, config = tmp_path / "my data", tmp_path / "it's.toml"
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SURVEYOR_DATA_DIR", data.name)  # from where it is set up, not run
    monkeypatch.setenv("SURVEYOR_CONFIG", str(config))
    given = {f"SURVEYOR_DATA_DIR={data}", f"SURVEYOR_CONFIG={config}"}
    setup(home, "claude-code", "--hooks")
    own = json.loads((home / ".claude/settings.json").read_text())["hooks"]
    setup(home, "claude-code", "--plugin")
    made = data / "agent-plugins" / "claude-code"
    plugged = json.loads((made / "hooks/hooks.json").read_text())["hooks"]
    commands = [
        hook["command"]
        for hooks in (own, plugged)
        for groups in hooks.values()
        for group in groups
        for hook in group["hooks"]
    ]
    assert len(commands) == 4
    for line in commands:
        assert set(shlex.split(line)[:2]) == given
    for name, holder in ((".mcp.json", "mcpServers"), (".lsp.json", None)):
        read = json.loads((made / name).read_text())
        entry = (read[holder] if holder else read)["surveyor"]
        assert {f"{key}={value}" for key, value in entry["env"].items()} == given
    # What an agent opens nobody has trusted: servers that run what a folder says wait for that.
    assert entry["initializationOptions"] == {"trusted": False}


@pytest.mark.parametrize("client", ["codex", "opencode"])
@pytest.mark.parametrize("before", ["# Mine\r\n\r\n- a\r\n", "no end", None])
def test_rules_stand_in_the_users_file_and_go_again(
    home: Path, client: str, before: str | None
) -> None:
    file = {"codex": home / ".codex/AGENTS.md", "opencode": home / ".config/opencode/AGENTS.md"}[
        client
    ]
    if before is not None:
        file.parent.mkdir(parents=True)
        file.write_bytes(before.encode())
    for _ in range(2):
        setup(home, client, "--plugin")
    text = file.read_bytes().decode()
    assert text.startswith(before or "<!-- surveyor: begin -->")
    assert text.count("Surveyor's `search`") == 1
    setup(home, client, "--remove")
    assert (file.read_bytes().decode() if file.exists() else None) == before
    setup(home, client, "--plugin")
    file.write_bytes(file.read_bytes() + b"# Added since\n")
    setup(home, client, "--remove")
    left = file.read_bytes().decode()
    assert "surveyor" not in left.lower()
    assert left.startswith(before or "") and left.endswith("# Added since\n")


def test_rules_of_a_project_serve_two_agents_until_the_last_is_gone(home: Path) -> None:
    rules = Path.cwd() / "AGENTS.md"
    for client in ("codex", "opencode"):
        setup(home, client, "--plugin", "--project")
    assert rules.read_text().count("begin") == 1
    setup(home, "codex", "--project", "--remove")
    assert "Surveyor" in rules.read_text()
    setup(home, "opencode", "--project", "--remove")
    assert not rules.exists()


def test_cursor_gets_a_file_of_rules_in_a_project_and_never_loses_its_users(home: Path) -> None:
    file = Path.cwd() / ".cursor" / "rules" / "surveyor.mdc"
    assert "--project" in setup(home, "cursor", "--plugin")
    assert not file.exists()
    setup(home, "cursor", "--plugin", "--project")
    assert "alwaysApply: true" in file.read_text()
    setup(home, "cursor", "--project", "--remove")
    assert not (Path.cwd() / ".cursor").exists()
    file.parent.mkdir(parents=True)
    file.write_text("mine")
    assert "not ours" in setup(home, "cursor", "--plugin", "--project", code=2)
    setup(home, "cursor", "--project", "--remove")
    assert file.read_text() == "mine"
