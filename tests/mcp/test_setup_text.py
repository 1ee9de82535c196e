"""What `setup` does to a configuration's text: our entry comes, changes and goes, the rest stays.

Without the notes that `setup` keeps, which would restore any file: the edits themselves are exact.
"""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.mcp.test_setup import home, setup
from tests.mcp.test_setup_keeps import jsonc_file, write_bytes

from surveyor.mcp import json_file, toml_file
from surveyor.mcp.entry_merge import RemoteEntryError, merged

__all__ = ["home"]

PATH = ["mcpServers", "surveyor"]
ENV = {"A": "1"}
ENTRY = {"command": "/x/surveyor", "args": ["mcp"], "env": ENV}

# --- JSON with comments -------------------------------------------------------------------------


@given(jsonc_file())
def test_what_is_put_beside_others_goes_to_the_byte(text: str) -> None:
    try:
        before = json_file.load(text)
    except ValueError:
        return
    put = json_file.put(text, PATH, ENTRY)
    assert json_file.put(put, PATH, ENTRY) == put
    holder = before.get(PATH[0], before)
    if holder:  # an object with nothing in it may have had any space
        assert json_file.remove(put, PATH) == text


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("indent", ["\t", "    ", " "])
@pytest.mark.parametrize("comma", ["", ","])
def test_a_comment_behind_the_last_entry_stays_there(end: str, indent: str, comma: str) -> None:
    lines = ["{", '-"mcpServers": {', '--"x": {}, // first', f'--"y": {{}}{comma} // last',
             "--// none // yet", "-}", "}"]  # fmt: skip
    text = end.join(lines).replace("-", indent)
    put = json_file.put(text, PATH, {"command": "x"})
    added = [f'{indent * 2}"surveyor": {{', f'{indent * 3}"command": "x"', indent * 2 + "}" + comma]
    expected = text.replace(f'"y": {{}}{comma}', '"y": {},').split(end)
    assert put.split(end) == [*expected[:5], *added, *expected[5:]]
    assert json_file.remove(put, PATH) == text


def test_a_file_that_is_one_line_stays_one() -> None:
    text = '{"mcpServers":{"x":1},"y":[]}\n'
    put = json_file.put(text, PATH, {"args": ["mcp"]})
    assert put == '{"mcpServers":{"x":1,"surveyor": {"args": ["mcp"]}},"y":[]}\n'
    assert json_file.remove(put, PATH) == text


def test_a_comment_before_our_entry_takes_nothing_in_when_it_goes() -> None:
    text = '{"mcpServers": {"x": 1, // why\n "surveyor": {}}}'
    assert json_file.load(json_file.remove(text, PATH)) == {"mcpServers": {"x": 1}}


@given(jsonc_file(), st.integers(0, 3), st.sampled_from(["A", "B"]))
def test_an_entry_keeps_the_users_own(text: str, index: int, name: str) -> None:
    try:
        mine = json_file.load(text)
    except ValueError:
        return
    entry = text.removeprefix("\ufeff").strip()
    inner = f'{{"k": [1], "mcpServers": {{"a": 1, "surveyor": {entry}\n}} // end\n}}'
    after = json_file.put(inner, PATH, ENTRY)
    kept = json_file.load(after)["mcpServers"]["surveyor"]
    env = mine["env"] if isinstance(mine.get("env"), dict) else {}
    assert kept == {**mine, **ENTRY, "env": {**env, **ENV}}
    for mark in ("/* } ] */", "// a, b", "// é"):
        assert after.count(mark) == inner.count(mark)
    assert json_file.put(after, PATH, ENTRY) == after
    assert after.startswith('{"k": [1], "mcpServers": {"a": 1, "surveyor": ')
    assert after.endswith("\n} // end\n}")


# --- TOML ---------------------------------------------------------------------------------------

TABLE = ["mcp_servers", "surveyor"]
OTHERS = [
    "# mine\n", "\n", 'model = "x" # why\n', "[other]\n# inside\nx = [\n  1, # [a]\n]\n# behind\n",
    '[text]\na = """\n[mcp_servers.surveyor]\n""""\nb = \'\'\'#\'\'\'\n', "[[list]]\nx = 1\n",
    "[mcp_servers.else]\ncommand = 'y'\n", "[mcp_servers.else.env]\nA = '='\n\n",
    "[mcp_servers.'sur veyor']\ncommand = 'z'\n", "[last]\nx.y = {a = 1}\n",
]  # fmt: skip
OURS = [
    "[mcp_servers.surveyor]\ncommand = 'old' # mine\nargs = [\n 'mcp',\n]\nenabled = false\n",
    "[mcp_servers.surveyor]\nstartup_timeout_sec = 9\n[mcp_servers.surveyor.env]\nA = '0'\nB='2'\n",
    "[mcp_servers]\nsurveyor = { enabled = false, env = { B = '2' } } # why\n",
    "[mcp_servers]\n  surveyor.command = 'old'\n  surveyor.enabled = false\n",
    "[mcp_servers . 'surveyor']\nenv.B = '2'\n",
    "[mcp_servers.surveyor.tools.search]\napproval_mode = 'auto'\n",
]


@st.composite
def toml_text(draw: st.DrawFn) -> tuple[str, str, bool]:
    """Text above and below our table; whether lines end as in Windows."""
    parts = draw(st.lists(st.sampled_from(OTHERS), unique=True, max_size=5))
    parts.sort(key=lambda part: part.startswith("["))
    cut = draw(st.integers(sum(not part.startswith("[") for part in parts), len(parts)))
    above, below = "".join(parts[:cut]), "".join(parts[cut:])
    return above, below, draw(st.booleans())


def lines_ended(text: str, is_windows: bool) -> str:
    return text.replace("\n", "\r\n") if is_windows else text


@given(toml_text(), st.sampled_from(["", "\ufeff"]))
def test_a_table_that_is_added_goes_to_the_byte(drawn: tuple[str, str, bool], mark: str) -> None:
    text = mark + lines_ended(drawn[0] + drawn[1], drawn[2])
    put = toml_file.put(text, TABLE, ENTRY)
    assert put.startswith(text)
    assert toml_file.load(put)["mcp_servers"]["surveyor"] == ENTRY
    assert toml_file.put(put, TABLE, ENTRY) == put
    assert toml_file.remove(put, TABLE) == text
    later = put + lines_ended("\n# of the next\n[next]\nx = 1\n", drawn[2])
    assert toml_file.remove(later, TABLE) == later.replace(put, text)


@given(toml_text(), st.sampled_from(OURS))
def test_a_table_keeps_the_users_own_in_every_form(drawn: tuple[str, str, bool], ours: str) -> None:
    above, below, is_windows = drawn
    above, ours, below = (lines_ended(each, is_windows) for each in (above, ours, below))
    text = above + ours + below
    try:
        before = tomllib.loads(text)
    except tomllib.TOMLDecodeError:  # what was drawn stands in its way
        return
    after = toml_file.put(text, TABLE, ENTRY)
    mine = before["mcp_servers"]["surveyor"]
    found = tomllib.loads(after)
    env = {**mine.get("env", {}), **ENV}
    assert found["mcp_servers"].pop("surveyor") == {**mine, **ENTRY, "env": env}
    before["mcp_servers"].pop("surveyor")
    assert found == before
    assert toml_file.put(after, TABLE, ENTRY) == after
    assert after.startswith(above)
    assert below in after and after.count("# mine") == text.count("# mine")
    without = toml_file.remove(text, TABLE)
    assert tomllib.loads(without).get("mcp_servers", {}) == before["mcp_servers"]
    assert below in without


@pytest.mark.parametrize(
    "text",
    [
        "mcp_servers = { other = { command = 'x' } } # why\n",
        "mcp_servers.other.command = 'x'\nmodel = 'y'\n",
        "mcp_servers = {}",
    ],
)
def test_tables_within_a_line_and_dotted_ones_are_added_to(text: str) -> None:
    put = toml_file.put(text, TABLE, ENTRY)
    assert tomllib.loads(put)["mcp_servers"]["surveyor"] == ENTRY
    assert toml_file.put(put, TABLE, ENTRY) == put
    assert toml_file.remove(put, TABLE) == text


# --- our entry and the user's own ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("existing", "ours", "after"),
    [
        ({"args": ["mcp", "--project", "/a"]}, {"args": ["mcp"]}, ["mcp", "--project", "/a"]),
        ({"args": ["-m", "surveyor", "mcp", "-q"]}, {"args": ["mcp"]}, ["mcp", "-q"]),
        ({"args": ["serve"]}, {"args": ["mcp", "--project", "."]}, ["mcp", "--project", "."]),
        ({"args": "mcp"}, {"args": ["mcp"]}, ["mcp"]),
        ({"enabled": False}, {"enabled": True}, False),
        ({"env": {"B": "2"}}, {"env": {"A": "1"}}, {"B": "2", "A": "1"}),
        ({"command": ["old", "mcp", "-q"]}, {"command": ["new", "mcp"]}, ["new", "mcp", "-q"]),
        ({"command": {"path": "old"}}, {"command": "new"}, "new"),
        (None, {"command": "new"}, "new"),
    ],
)
def test_what_starts_surveyor_is_ours_and_the_rest_is_the_users(
    existing: Any, ours: dict[str, Any], after: Any
) -> None:
    assert next(iter(merged(existing, ours).values())) == after


def test_an_entry_with_an_address_is_left_as_it_is(home: Path) -> None:
    with pytest.raises(RemoteEntryError):
        merged({"url": "http://localhost"}, ENTRY)
    data = write_bytes(home / ".claude.json", '{"mcpServers": {"surveyor": {"url": "http://x"}}}')
    assert "left as it is" in setup(home, "claude-code", code=2)
    assert (home / ".claude.json").read_bytes() == data


# --- the command ------------------------------------------------------------------------------


def test_a_space_in_an_empty_object_comes_back_though_others_wrote_meanwhile(home: Path) -> None:
    file = home / ".claude.json"
    write_bytes(file, '{\n  "mcpServers": { \n  },\n  "theme": "dark"\n}')
    setup(home, "claude-code")
    write_bytes(file, file.read_bytes().decode().replace("dark", "light"))
    setup(home, "claude-code", "--remove")
    assert file.read_bytes() == b'{\n  "mcpServers": { \n  },\n  "theme": "light"\n}'


def test_our_hook_keeps_its_time_limit(home: Path) -> None:
    file = home / ".claude" / "settings.json"
    hook = {"type": "command", "command": "/old/surveyor memory inject", "timeout": 5}
    groups = [{"matcher": "startup", "hooks": [{"command": "date"}, hook]}]
    write_bytes(file, json.dumps({"hooks": {"SessionStart": groups}}))
    setup(home, "claude-code", "--hooks")
    (group,) = json.loads(file.read_text())["hooks"]["SessionStart"]
    assert (group["matcher"], group["hooks"][1]["timeout"]) == ("startup", 5)
    assert not group["hooks"][1]["command"].startswith("/old")
    setup(home, "claude-code", "--remove")
    (group,) = json.loads(file.read_text())["hooks"]["SessionStart"]
    assert group == {"matcher": "startup", "hooks": [{"command": "date"}]}


def test_opencode_is_set_up_in_the_file_that_is_there(home: Path) -> None:
    file = home / ".config" / "opencode" / "opencode.jsonc"
    text = '{\n\t"mcp": {\n\t\t"surveyor": { "enabled": false, "timeout": 9 } // off\n\t}\n}\n'
    write_bytes(file, text)
    setup(home, "opencode")
    entry = json_file.load(file.read_text())["mcp"]["surveyor"]
    assert (entry["enabled"], entry["timeout"], entry["command"][-1]) == (False, 9, "mcp")
    assert "// off" in file.read_text() and len(list(file.parent.iterdir())) == 1
    assert "nothing to change" in setup(home, "opencode")
