"""`setup` and `setup --remove` leave a user's file as it was, to the byte, whatever it is."""

from __future__ import annotations

import json
import os
import stat
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.mcp.test_setup import home, setup

from surveyor.errors import UsageError
from surveyor.files import writing
from surveyor.mcp import clients, json_file

__all__ = ["home"]

SPACE = st.text("  \n\t", max_size=3)
NOTE = st.sampled_from(["", "", " // a, b: {\n", "/* } ] */", ' // "x"\n', "\n  // é\n"])
WORD = st.text('ab"\\é/*', max_size=4)
PLAIN = st.one_of(st.none(), st.booleans(), st.integers(-9, 9), WORD).map(json.dumps)


@st.composite
def jsonc_object(draw: st.DrawFn, depth: int = 2, names: tuple[str, ...] = ()) -> str:
    """An object with comments, odd spaces, and at times a comma after its last member."""
    keys = [*draw(st.lists(WORD, max_size=3)), *names]
    members = []
    for key in dict.fromkeys(keys):
        inner = [PLAIN] if depth == 0 else [PLAIN, jsonc_object(depth - 1), jsonc_list(depth - 1)]
        value = draw(jsonc_object(0) if key in names else st.one_of(inner))
        members.append(
            draw(NOTE) + draw(SPACE) + json.dumps(key) + draw(SPACE) + ":" + draw(NOTE) + value
            + draw(NOTE)
        )  # fmt: skip
    last = draw(st.sampled_from(["", ","])) if members else ""
    return "{" + ",".join(members) + last + draw(NOTE) + draw(SPACE) + "}"


@st.composite
def jsonc_list(draw: st.DrawFn, depth: int) -> str:
    inner = PLAIN if depth == 0 else st.one_of(PLAIN, jsonc_object(depth - 1))
    return "[" + ",".join(draw(NOTE) + one for one in draw(st.lists(inner, max_size=3))) + "]"


@st.composite
def jsonc_file(draw: st.DrawFn) -> str:
    holders = draw(st.sampled_from([(), ("mcpServers",), ("hooks",)]))
    text = draw(st.sampled_from(["", "// mine\n", "\n"])) + draw(jsonc_object(2, holders))
    text += draw(st.sampled_from(["", "\n", " // end", "\n\n"]))
    if draw(st.booleans()):
        text = text.replace("\n", "\r\n")
    return draw(st.sampled_from(["", writing.BOM])) + text


@st.composite
def toml_file(draw: st.DrawFn) -> str:
    some = [
        "# mine\n", "model = 'x' # why\n", "\n", '[a]\nb = """\n[mcp_servers.surveyor]\n"""\n',
        "[mcp_servers.other]\ncommand = 'y'\n", "[[list]]\nx = 1\n", "[mcp_servers]\n",
        "['quoted name']\n# inside\n", "[mcp_servers.surveyor]\ncommand = 'old' # ours\n",
    ]  # fmt: skip
    parts = draw(st.lists(st.sampled_from(some), unique=True, max_size=6))
    parts.sort(key=lambda part: part.startswith("["))  # what stands before the first table
    text = "".join(parts)
    if draw(st.booleans()):
        text = text.replace("\n", "\r\n")
    return text.rstrip("\r\n") if draw(st.booleans()) else text


def write_bytes(file: Path, text: str) -> bytes:
    file.parent.mkdir(parents=True, exist_ok=True)
    data = text.encode()
    file.write_bytes(data)
    return data


SHARED = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=150)


def both_ways(client: str, root: Path) -> tuple[clients.FileEdit, clients.FileEdit]:
    """Attach and detach, with what each did."""
    chosen = clients.client_of(client)
    attached = clients.attach(chosen, "project", root)
    attached.apply()
    detached = clients.detach(chosen, "project", root)
    detached.apply()
    return attached, detached


@given(text=jsonc_file())
@SHARED
def test_any_json_with_comments_is_the_same_afterwards(home: Path, text: str) -> None:
    root = home.parent / "project"
    data = write_bytes(root / ".mcp.json", text)
    try:
        before = json_file.load(text)
    except ValueError:  # a name twice, and the like: refused, and left as it is
        with pytest.raises(UsageError):
            both_ways("claude-code", root)
        assert (root / ".mcp.json").read_bytes() == data
        return
    attached, _ = both_ways("claude-code", root)
    assert attached.after is not None
    between = json_file.load(attached.after)
    assert between["mcpServers"].pop("surveyor")["command"]
    if not between["mcpServers"] and "mcpServers" not in before:
        del between["mcpServers"]
    assert between == before
    for comment in ("// mine", "// end", "/* } ] */", "// a, b"):
        assert attached.after.count(comment) == text.count(comment)
    assert (root / ".mcp.json").read_bytes() == data
    _hook_both_ways(root, text)


def _hook_both_ways(root: Path, text: str) -> None:
    data = write_bytes(root / ".claude" / "settings.json", text)
    try:
        clients.hook_change("project", root, remove=False).apply()
    except UsageError:  # `hooks` is something else
        assert (root / ".claude" / "settings.json").read_bytes() == data
        return
    clients.hook_change("project", root, remove=True).apply()
    assert (root / ".claude" / "settings.json").read_bytes() == data


@given(text=jsonc_file())
@SHARED
def test_without_a_note_of_what_setup_did_only_our_entry_goes(home: Path, text: str) -> None:
    try:
        before = json_file.load(text)
    except ValueError:
        return
    put = json_file.put(text, ["mcpServers", "surveyor"], {"command": "x"})
    removed = json_file.remove(put, ["mcpServers", "surveyor"])
    after = json_file.load(removed)
    if before.get("mcpServers") == {}:
        after.setdefault("mcpServers", {})
    if "mcpServers" not in before and after.get("mcpServers") == {}:
        del after["mcpServers"]
    assert after == before
    assert [c for c in removed if c in "é#"] == [c for c in text if c in "é#"]
    assert removed.count("// mine") == text.count("// mine")


@given(text=toml_file())
@SHARED
def test_any_toml_is_the_same_afterwards(home: Path, text: str) -> None:
    root = home.parent / "project"
    data = write_bytes(root / ".codex" / "config.toml", text)
    try:
        before = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return
    attached, _ = both_ways("codex", root)
    assert attached.after is not None
    between = tomllib.loads(attached.after)
    assert between["mcp_servers"].pop("surveyor")["args"] == ["mcp"]
    (before.get("mcp_servers") or {}).pop("surveyor", None)
    for found in (before, between):
        if not found.get("mcp_servers", True):
            del found["mcp_servers"]
    assert between == before
    if "[mcp_servers.surveyor]\r\ncommand = 'old'" not in text and (
        "[mcp_servers.surveyor]\ncommand = 'old'" not in text
    ):
        assert (root / ".codex" / "config.toml").read_bytes() == data


# --- files that setup has not made --------------------------------------------------------------

EMPTIES = ['{"mcpServers": {}}', "{}", "{ }\n", "", "\n", '{\r\n  "mcpServers": {}\r\n}']


@pytest.mark.parametrize("text", EMPTIES)
def test_a_users_file_with_nothing_in_it_stays(home: Path, text: str) -> None:
    file = home / ".claude.json"
    data = write_bytes(file, text)
    setup(home, "claude-code")
    setup(home, "claude-code", "--remove")
    assert file.read_bytes() == data


@pytest.mark.parametrize("text", EMPTIES)
def test_a_file_whose_setup_nobody_remembers_is_never_deleted(home: Path, text: str) -> None:
    file = home / ".claude.json"
    write_bytes(file, text)
    setup(home, "claude-code")
    for note in (home.parent / "share").rglob("*.json"):
        note.unlink()
    setup(home, "claude-code", "--remove")
    assert "surveyor" not in file.read_text()
    assert json_file.load(file.read_text() or "{}") in ({}, {"mcpServers": {}})


def test_a_link_stays_a_link_and_what_it_points_to_stays(home: Path) -> None:
    kept = home.parent / "dotfiles" / "claude.json"
    data = write_bytes(kept, '{"mcpServers": {}}\n')
    kept.chmod(0o604)
    (home / ".claude.json").symlink_to(kept)
    setup(home, "claude-code")
    assert "surveyor" in kept.read_text() and (home / ".claude.json").is_symlink()
    setup(home, "claude-code", "--remove")
    assert (home / ".claude.json").is_symlink()
    assert (kept.read_bytes(), stat.S_IMODE(kept.stat().st_mode)) == (data, 0o604)


def test_what_setup_made_goes_with_its_folders_and_nothing_else(home: Path) -> None:
    setup(home, "cursor")
    assert (home / ".cursor" / "mcp.json").exists()
    setup(home, "cursor", "--remove")
    assert not (home / ".cursor").exists()

    setup(home, "cursor")
    write_bytes(home / ".cursor" / "rules.md", "mine")
    text = (home / ".cursor" / "mcp.json").read_text()
    write_bytes(home / ".cursor" / "mcp.json", text.replace('"surveyor"', '"x": {}, "surveyor"'))
    setup(home, "cursor", "--remove")
    assert json.loads((home / ".cursor" / "mcp.json").read_text()) == {"mcpServers": {"x": {}}}
    assert (home / ".cursor" / "rules.md").read_text() == "mine"


def test_what_was_changed_since_keeps_its_changes(home: Path) -> None:
    file = home / ".claude.json"
    write_bytes(file, '{"theme": "dark", "mcpServers": {}}')
    setup(home, "claude-code")
    value = json.loads(file.read_text())
    file.write_text(json.dumps({**value, "history": [1, 2]}))
    setup(home, "claude-code")  # again, over the changed one
    setup(home, "claude-code", "--remove")
    left = json.loads(file.read_text())
    left.pop("mcpServers", None)
    assert left == {"theme": "dark", "history": [1, 2]}


@pytest.mark.parametrize(
    ("text", "removed"),
    [
        ("{ not json", 2),
        ("[" * 100_000, 2),
        ('{"a": 1} trailing', 2),
        ("\x00", 2),
        ('{"mcpServers": [1]}', 0),
        ('{"mcpServers": null}', 0),
        ("[]", 0),
        ("null", 0),
        ('"text"', 0),
    ],
)
def test_what_cannot_be_parsed_is_left_as_it_is(home: Path, text: str, removed: int) -> None:
    """Nor what is no object, which has no entry of ours to be taken out."""
    file = home / ".claude.json"
    data = write_bytes(file, text)
    assert "left as it is" in setup(home, "claude-code", code=2)
    assert file.read_bytes() == data
    setup(home, "claude-code", "--remove", code=removed)
    assert file.read_bytes() == data


def test_a_fault_in_a_file_is_named_as_editors_show_places(home: Path) -> None:
    file = home / ".claude.json"
    write_bytes(file, '// mine\r\n{\r\n  "a": }\r\n')
    assert "no value at line 3, column 8" in setup(home, "claude-code", code=2)
    file.write_bytes('{"a": "\xe4"}'.encode("latin-1"))
    assert "is not in UTF-8 (byte 8)" in setup(home, "claude-code", code=2)


@pytest.mark.parametrize("text", ["mcp_servers = []\n", 'mcp_servers = "none"\n'])
def test_what_is_no_table_is_left_as_it_is_and_named(home: Path, text: str) -> None:
    file = home / ".codex" / "config.toml"
    data = write_bytes(file, text)
    assert "mcp_servers is not a table" in setup(home, "codex", code=2)
    setup(home, "codex", "--remove")
    assert file.read_bytes() == data


def test_what_is_no_text_and_no_file_is_left_as_it_is(home: Path) -> None:
    file = home / ".claude.json"
    file.write_bytes("{}".encode("utf-16"))
    assert "left as it is" in setup(home, "claude-code", code=2)
    file.unlink()
    os.mkfifo(file)  # reading it would wait for ever
    assert "no regular file" in setup(home, "claude-code", code=2)
    file.unlink()
    file.symlink_to("/dev/null")
    assert "no regular file" in setup(home, "claude-code", code=2)
    assert stat.S_ISCHR(Path("/dev/null").stat().st_mode)
    file.unlink()
    file.symlink_to(file)
    assert "surveyor:" in setup(home, "claude-code", code=2)


# --- writing ------------------------------------------------------------------------------------


def full(*_: Any, **__: Any) -> None:
    raise OSError(28, "No space left on device")


@pytest.mark.parametrize("broken", ["fsync", "utime", "replace"])
def test_a_disk_that_is_full_keeps_the_old_file(
    home: Path, monkeypatch: pytest.MonkeyPatch, broken: str
) -> None:
    file = home / ".claude.json"
    data = write_bytes(file, '{"theme": "dark"}')
    monkeypatch.setattr(os, broken, full)
    assert "cannot be written" in setup(home, "claude-code", code=2)
    assert file.read_bytes() == data
    assert [one.name for one in home.iterdir()] == [".claude.json"]


def test_a_change_by_somebody_else_is_not_overwritten(home: Path) -> None:
    file = home / ".claude.json"
    write_bytes(file, '{"theme": "dark"}')
    change = clients.attach(clients.client_of("claude-code"), "user", home)
    data = write_bytes(file, '{"theme": "light"}')
    with pytest.raises(UsageError, match="changed by somebody else"):
        change.apply()
    assert file.read_bytes() == data


def test_a_change_in_the_last_moment_is_not_overwritten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "settings.json"
    file.write_text("before")
    sync: Callable[[int], None] = os.fsync

    def meanwhile(handle: int) -> None:
        sync(handle)
        file.write_text("theirs")

    monkeypatch.setattr(os, "fsync", meanwhile)
    with pytest.raises(writing.ChangedMeanwhileError):
        writing.replace_text(file, "ours", expected="before")
    assert file.read_text() == "theirs"


def test_a_file_that_its_owner_made_read_only_is_left_alone(home: Path) -> None:
    file = home / ".claude.json"
    data = write_bytes(file, "{}")
    file.chmod(0o444)
    said = setup(home, "claude-code", code=2)
    assert "read-only" in said and f"{file}: written" not in said
    assert file.read_bytes() == data


def test_an_entry_that_stands_twice_goes_twice(home: Path) -> None:
    file = home / ".claude.json"
    write_bytes(
        file, '{"mcpServers": {"surveyor": {"command": "a"}, "surveyor": {"command": "b"}}}'
    )
    setup(home, "claude-code")
    assert json.loads(file.read_text())["mcpServers"]["surveyor"]["command"] not in "ab"
    setup(home, "claude-code", "--remove")
    assert json.loads(file.read_text()).get("mcpServers", {}) == {}


@pytest.mark.skipif(os.name == "nt" or os.geteuid() != 0, reason="only root can give files away")
def test_the_owner_stays(tmp_path: Path) -> None:
    file = tmp_path / "settings.json"
    file.write_text("before")
    os.chown(file, 1234, 1234)
    writing.replace_text(file, "after")
    assert (file.stat().st_uid, file.stat().st_gid) == (1234, 1234)


def test_a_comment_in_the_list_of_hooks_and_a_hook_beside_ours_stay(home: Path) -> None:
    file = home / ".claude" / "settings.json"
    text = (
        '{"hooks": {"SessionStart": [ // mine\n  {"hooks": [{"command": "date"}]}, // late\n]}}\n'
    )
    write_bytes(file, text)
    setup(home, "claude-code", "--hooks")
    assert "// mine" in file.read_text() and "// late" in file.read_text()
    merged = json_file.load(file.read_text())["hooks"]["SessionStart"]
    merged[0]["hooks"] += merged.pop()["hooks"]
    file.write_text(json.dumps({"hooks": {"SessionStart": merged}}))
    setup(home, "claude-code", "--remove")
    kept = json.loads(file.read_text())
    assert kept == {"hooks": {"SessionStart": [{"hooks": [{"command": "date"}]}]}}
