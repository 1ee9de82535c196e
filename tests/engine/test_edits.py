"""Edits without an engine: texts and their bytes, steps, the journal, what a session has seen."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surveyor.engine.edits import journal
from surveyor.engine.edits.editing import CurrentText
from surveyor.engine.edits.file_text import FileText, changed_spans
from surveyor.engine.edits.journal import EditJournal, JournalledFile
from surveyor.engine.edits.masked_secrets import check_masks
from surveyor.engine.edits.renaming import (
    NamePlace,
    is_like_code,
    places_of_edit,
    why_left,
    without_mark,
)
from surveyor.engine.edits.steps import apply_step
from surveyor.engine.edits.targets import EditTarget, EditTargets
from surveyor.engine.edits.workspace_edits import with_edits
from surveyor.engine.operations.code_actions import _span
from surveyor.engine.operations.edits import _check_version
from surveyor.engine.projects import boundary
from surveyor.engine.seen_files import SeenFiles, ShownLines
from surveyor.errors import NotFoundError, SurveyorError, UsageError
from surveyor.files.writing import replace_bytes
from surveyor.lsp.agent_edits import text_edits
from surveyor.parsing.ignore import WalkSettings
from surveyor.parsing.types import Symbol
from surveyor.platform import open_files
from surveyor.protocol.edits import CodeActionRequest, EditStep
from surveyor.servers.documents import OpenDocument
from tests.gitrepo import git, write

SOURCE = """import os


def first(a):
    return a


class Shop:
    # what it earns
    def total(self, items):
        return len(items)

    def name(self):
        return "shop"
"""
SYMBOLS = [
    Symbol("first", "function", "", 4, 5, 4, 4, 9),
    Symbol("Shop", "class", "", 8, 14, 8, 6, 10),
    Symbol("total", "method", "Shop", 10, 11, 10, 8, 13),
    Symbol("name", "method", "Shop", 13, 14, 13, 8, 12),
]


async def definitions(path: str, data: bytes) -> list[Symbol]:
    return SYMBOLS


async def done(text: str, **step: object) -> str:
    made = EditStep(path="a.py", **step)  # type: ignore[arg-type]
    return (await apply_step(FileText(text), "a.py", made, definitions)).text


@pytest.mark.parametrize(
    "data",
    [
        b"a\r\nb\r\n",
        b"\xef\xbb\xbfa\r\nb",
        "grün\n".encode("latin-1"),
        b"\xff\xfe" + "grün\r\nb\r\n".encode("utf-16-le"),
        b"a\nb\r\nc",
        b"",
    ],
)
def test_a_file_is_written_as_it_was_read(data: bytes) -> None:
    file = FileText.of(data)
    assert file.encoded() == data
    for start, end in file.find("b"):
        assert file.text[start:end] == "b"


async def test_what_is_put_in_takes_the_files_line_ends_and_encoding() -> None:
    for data in (b"x = 1\r\ny = 2\r\n", b"\xef\xbb\xbfx = 1\r\ny = 2"):
        file = FileText.of(data)
        step = EditStep(path="a.py", old="x = 1\ny", new="x = 3\nz = 4\ny")
        made = await apply_step(file, "a.py", step, definitions)
        assert made.encoded() == data.replace(b"x = 1", b"x = 3\r\nz = 4")
    latin = FileText.of("# grün\n".encode("latin-1"))
    step = EditStep(path="a.py", old="grün", new="blaß")
    assert (await apply_step(latin, "a.py", step, definitions)).encoded() == "# blaß\n".encode(
        "latin-1"
    )
    with pytest.raises(UsageError, match="latin-1"):
        latin.with_text("# 青\n").encoded()
    with pytest.raises(UsageError, match="no text"):
        FileText.of(b"\x7fELF\0\0")


async def test_a_text_is_replaced_as_often_as_was_said() -> None:
    assert await done("a b a\n", old="b", new="c") == "a c a\n"
    assert await done("a b a\n", old="a", new="c", count=2) == "c b c\n"
    with pytest.raises(UsageError, match="2 times, not 1"):
        await done("a b a\n", old="a", new="c")
    with pytest.raises(UsageError, match=r"900,000 times, not 1 \(lines 1, 2, .* …\)"):
        await done("a b a and so on and on\n" * 300_000, old=" a", new="c")
    with pytest.raises(NotFoundError, match="does not have that text"):
        await done("a b a\n", old="x", new="c")
    inside = await done(SOURCE, name="Shop.name", old="return", new="yield")
    assert inside == SOURCE.replace('return "shop"', 'yield "shop"')


async def test_a_text_with_a_mask_is_told_from_one_that_moved() -> None:
    with pytest.raises(NotFoundError) as error:
        await done('key = "abc"\n', old='key = "********"', new="")
    assert "secret" in str(error.value.hint)


async def test_a_definition_is_replaced_at_its_own_indentation() -> None:
    new = "def total(self, items, tax):\n    return len(items) + tax\n"
    made = await done(SOURCE, name="Shop.total", new=new)
    assert "    # what it earns\n    def total(self, items, tax):\n" in made
    assert "        return len(items) + tax\n\n    def name(self):\n" in made
    whole = await done(SOURCE.rstrip("\n"), name="Shop.name", new="def name(self):\n    pass")
    assert whole.endswith("    def name(self):\n        pass")
    with pytest.raises(NotFoundError, match="defines no missing"):
        await done(SOURCE, name="missing", new="x")


async def test_a_file_whose_definitions_are_not_read_is_said_to_be_so() -> None:
    async def none(path: str, data: bytes) -> list[Symbol]:
        return []

    step = EditStep(path="big.py", name="first", new="x")
    with pytest.raises(NotFoundError, match="no definitions of big"):
        await apply_step(FileText(SOURCE), "big.py", step, none)


async def test_text_is_put_beside_a_definition_with_its_comment_and_the_gap_around() -> None:
    made = await done(SOURCE, name="total", action="before", new="def tax(self):\n    return 1")
    assert "class Shop:\n    def tax(self):\n        return 1\n\n    # what it earns\n" in made
    made = await done(SOURCE, name="first", action="after", new="def second():\n    return 2\n")
    assert "    return a\n\n\ndef second():\n    return 2\n\n\nclass Shop:" in made
    made = await done(SOURCE.rstrip("\n"), name="name", action="after", new="def end(self): ...")
    assert made.endswith('        return "shop"\n\n    def end(self): ...')


def change(start: tuple[int, int], end: tuple[int, int], new: str) -> dict[str, Any]:
    places = {"start": start, "end": end}
    spans = {name: {"line": line, "character": column} for name, (line, column) in places.items()}
    return {"range": spans, "newText": new}


def test_a_servers_edits_are_made_in_their_order_with_the_files_line_ends() -> None:
    file = FileText.of("x = '𝔘'\r\ny = 2\r\n".encode())
    edits = [
        change((1, 0), (1, 1), "z"),
        change((0, 0), (0, 0), "import a\n"),
        change((0, 0), (0, 0), "import b\n"),
        change((0, 8), (0, 8), "  # 1"),
    ]
    made = with_edits(file, edits).text
    assert made == "import a\r\nimport b\r\nx = '𝔘'  # 1\r\nz = 2\r\n"
    with pytest.raises(SurveyorError, match="overlap"):
        with_edits(file, [change((0, 0), (0, 3), ""), change((0, 2), (0, 4), "")])


def test_a_code_action_is_asked_for_where_the_caller_says() -> None:
    file = FileText("if a:\r\n    𝔘 = call(b)\r\n    b = 1\r\n")

    def asked(**fields: Any) -> Any:
        return _span(file, CodeActionRequest(**fields), None)

    assert asked(line=2) == ((1, 4), (1, 16))
    assert asked(line=2, column=9) == ((1, 9), (1, 9))
    assert asked(old="call(b)\n    b") == ((1, 9), (2, 5))
    assert asked() == ((0, 0), (3, 0))
    assert _span(file, CodeActionRequest(name="a"), (0, 3)) == ((0, 3), (0, 3))
    for wrong in ({"line": 9}, {"old": "b"}, {"old": "nowhere"}):
        with pytest.raises(UsageError):
            asked(**wrong)


LINES = st.lists(st.sampled_from(["a", "b", "c\r", "", "ü𝔘"]), max_size=8)


@given(LINES, LINES, st.booleans())
def test_the_edits_of_a_buffer_make_the_text_that_is_wanted(
    old: list[str], new: list[str], ended: bool
) -> None:
    before, after = "\n".join(old) + "\n" * ended, "\n".join(new)
    document = OpenDocument("file:///a", "python", 1, before)
    edits = text_edits(document, after)
    document.apply([{"range": e["range"], "text": e["newText"]} for e in reversed(edits)])
    assert document.text == after
    made = list(old)
    for a, b, c, d in reversed(changed_spans(old, new)):
        made[a:b] = new[c:d]
    assert made == new


def test_files_keep_mode_and_links_and_a_link_stays_one(tmp_path: Path) -> None:
    one, other, link = (tmp_path / name for name in ("one", "other", "link"))
    one.write_bytes(b"a")
    one.chmod(0o754)
    os.link(one, other)
    link.symlink_to("plain")
    (tmp_path / "plain").write_bytes(b"b")
    made = EditJournal(tmp_path / "journal")
    changes = [
        JournalledFile(one, b"a", b"longer"),
        JournalledFile((tmp_path / "link").resolve(), b"b", b"c"),
    ]
    made.commit(made.write(changes))
    assert (one.read_bytes(), other.read_bytes()) == (b"longer", b"longer")
    assert one.stat().st_ino == other.stat().st_ino
    assert one.stat().st_mode & 0o777 == 0o754
    assert link.is_symlink() and link.read_bytes() == b"c"
    assert not list((tmp_path / "journal").iterdir())
    with pytest.raises(OSError, match="changed meanwhile"):
        made.write([JournalledFile(one, b"longer", b"x"), JournalledFile(other, b"not this", b"x")])
    assert one.read_bytes() == b"longer"


def test_a_full_disk_is_named_and_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    one.write_bytes(b"a")
    two.write_bytes(b"b")
    made = EditJournal(tmp_path / "journal")
    real = journal._put

    def full(file: Path, *given: object) -> None:
        if file == two:
            raise OSError(errno.ENOSPC, "No space left on device")
        real(file, *given)  # type: ignore[arg-type]

    monkeypatch.setattr(journal, "_put", full)
    with pytest.raises(OSError, match="No space left") as said:
        made.write([JournalledFile(one, b"a", b"x"), JournalledFile(two, b"b", b"y")])
    assert said.value.filename == str(two)
    assert (one.read_bytes(), two.read_bytes()) == (b"a", b"b")


KILLED = """
import os, signal, sys
from pathlib import Path
from surveyor.engine.edits import journal
folder, at = Path(sys.argv[1]), int(sys.argv[2])
put, count = journal._put, 0
def killed(*given):
    global count
    if count == at:
        os.kill(os.getpid(), signal.SIGKILL)
    count += 1
    put(*given)
journal._put = killed
changes = [journal.JournalledFile(folder / name, b"old", b"new") for name in ("a", "b", "c")]
made = journal.EditJournal(folder / "journal")
left = made.write(changes)
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.parametrize("at", [0, 1, 2, 3])
def test_an_edit_that_was_killed_between_its_files_is_undone(tmp_path: Path, at: int) -> None:
    for name in ("a", "b", "c"):
        (tmp_path / name).write_bytes(b"old")
    os.link(tmp_path / "b", tmp_path / "b2")
    killed = subprocess.run([sys.executable, "-c", KILLED, str(tmp_path), str(at)], check=False)
    assert killed.returncode == -signal.SIGKILL
    written = [name for name in ("a", "b", "c") if (tmp_path / name).read_bytes() == b"new"]
    assert len(written) == at
    if at == 3:
        (tmp_path / "c").write_bytes(b"the user's")
    assert EditJournal(tmp_path / "journal").recover() == 1
    kept = [(tmp_path / name).read_bytes() for name in ("a", "b", "c")]
    assert kept == [b"old", b"old", b"the user's" if at == 3 else b"old"]
    assert sorted(each.name for each in tmp_path.iterdir()) == ["a", "b", "b2", "c", "journal"]
    assert EditJournal(tmp_path / "journal").recover() == 0


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the child is a copy of this process")
def test_whenever_the_power_is_cut_an_edit_is_made_wholly_or_not_at_all(tmp_path: Path) -> None:
    outcomes, step = set[tuple[bytes, ...]](), 0
    while True:
        step += 1
        folder = tmp_path / str(step)
        folder.mkdir()
        files = [folder / name for name in ("one", "two", "linked")]
        for file in files:
            file.write_bytes(b"old")
        os.link(files[2], folder / "other")  # this one is written into
        child = os.fork()
        if not child:
            _edit_and_end(folder, files, step)
        _, status = os.waitpid(child, 0)
        EditJournal(folder / "data").recover()
        found = tuple(file.read_bytes() for file in files)
        assert found in {(b"old",) * 3, (b"new",) * 3}, step
        assert {each.name for each in folder.iterdir()} <= {"one", "two", "linked", "other", "data"}
        assert not list((folder / "data").glob("*"))
        outcomes.add(found)
        if os.WEXITSTATUS(status) == 0:
            break
    assert len(outcomes) == 2
    assert step > 15


def _edit_and_end(folder: Path, files: list[Path], step: int) -> None:
    """End like by a power cut before the given access to the file system, else with 0."""
    left = step

    def hear(event: str, _: tuple[Any, ...]) -> None:
        nonlocal left
        if event in ("open", "os.rename", "os.remove", "os.mkdir", "os.rmdir"):
            left -= 1
            if not left:
                os._exit(1)

    sys.addaudithook(hear)
    held = EditJournal(folder / "data")
    held.commit(held.write([JournalledFile(file, b"old", b"new") for file in files]))
    os._exit(0)


def test_a_file_written_into_and_cut_short_is_put_back() -> None:
    before, after = b"the old text", b"a new text that is longer"
    for cut in range(len(after) + 1):
        half = after[:cut] + before[cut:]
        assert journal._is_half_written(half, before, after)
    assert not journal._is_half_written(b"the user's own", before, after)


def test_a_path_that_leads_elsewhere_by_now_is_neither_written_nor_put_back(
    tmp_path: Path,
) -> None:
    home, project = tmp_path / "home", tmp_path / "project"
    for folder in (home, project / "a"):
        folder.mkdir(parents=True)
        (folder / "x").write_bytes(b"old")
    made = EditJournal(tmp_path / "journal")
    change = JournalledFile(project / "a" / "x", b"old", b"new")
    made.write([change])
    (project / "a").rename(project / "b")
    (project / "a").symlink_to(home)
    (home / "x").write_bytes(b"new")
    assert EditJournal(tmp_path / "journal").recover() == 1
    assert (home / "x").read_bytes() == b"new"
    assert not list((tmp_path / "journal").iterdir())
    with pytest.raises(OSError, match="link"):
        made.write([JournalledFile(change.file, b"new", b"other")])
    assert (home / "x").read_bytes() == b"new"


def test_a_folder_that_becomes_a_link_while_it_is_written_leads_nowhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home, project = tmp_path / "home", tmp_path / "project"
    for folder in (home, project / "a"):
        folder.mkdir(parents=True)
        (folder / "x").write_bytes(b"old")

    def later(*given: Any, **named: Any) -> None:
        if not (project / "b").exists():
            (project / "a").rename(project / "b")
            (project / "a").symlink_to(home)
        replace_bytes(*given, **named)

    monkeypatch.setattr("surveyor.engine.edits.journal.replace_bytes", later)
    with pytest.raises(FileNotFoundError):
        EditJournal(tmp_path / "j").write([JournalledFile(project / "a/x", b"old", b"new")])
    assert [(each.name, each.read_bytes()) for each in home.iterdir()] == [("x", b"old")]
    assert [(each.name, each.read_bytes()) for each in (project / "b").iterdir()] == [("x", b"old")]


def test_a_pipe_in_the_place_of_a_file_holds_nobody_up(tmp_path: Path) -> None:
    file = tmp_path / "x"
    file.write_bytes(b"old")
    EditJournal(tmp_path / "journal").write([JournalledFile(file, b"old", b"new")])
    file.unlink()
    os.mkfifo(file)
    assert EditJournal(tmp_path / "journal").recover() == 1
    assert not list((tmp_path / "journal").iterdir())


def test_what_is_written_stays_though_its_folder_cannot_be_synced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "x"
    file.write_bytes(b"old")
    made = EditJournal(tmp_path / "journal")
    left = made.write([JournalledFile(file, b"old", b"new")])

    def refused(folder: Path) -> None:
        raise PermissionError(folder)

    monkeypatch.setattr(open_files, "sync_folder", refused)
    made.commit(left)
    assert EditJournal(tmp_path / "journal").recover() == 0
    assert file.read_bytes() == b"new"


def test_asterisks_do_not_take_a_secrets_place() -> None:
    secret = "sk-proj-9aF3kLm2Qx7Zt8Rv4Wb6Yn1Pc5"
    text = f'api_key = "{secret}"\nother = 1\n'
    for stars in (4, len(secret), len(secret) + 1):
        with pytest.raises(UsageError, match="asterisks"):
            check_masks("a.py", text, text.replace(secret, "*" * stars))
    check_masks("a.py", text, text.replace("other", "more"))
    check_masks("a.py", text, text.replace(secret, ""))
    check_masks("a.py", text, f"{text}# {'*' * 20}\n")


SETTINGS_OF_TOOLS = (
    ".claude/settings.json",
    "web/.Claude/settings.local.json",
    ".claude/hooks/after.sh",
    ".mcp.json",
    ".codex/config.toml",
    ".cursor/mcp.json",
    ".opencode/plugin/own.ts",
    "opencode.json",
    ".vscode/tasks.json",
    ".claude/\u017fettings.json",
    "web/.nvim.lua",
    "web/app.code-workspace",
    ".kiro/settings/mcp.json",
)
NO_SETTINGS = (".claude/commands/fix.md", "clients/agent/.mcp.json", ".cursor/rules/style.mdc")


def test_what_is_not_to_be_edited_is_refused(tmp_path: Path) -> None:
    root, outside = tmp_path / "repo", tmp_path / "outside.txt"
    root.mkdir()
    outside.write_text("x")
    git(root, "init", "-q")
    write(
        root,
        {
            ".gitignore": "built/\n",
            "built/a.py": "x",
            ".env": "KEY=1",
            "a_pb2.py": "x = 1\n",
            "made.py": "# Code generated by tool. DO NOT EDIT.\n",
            "plain.py": "x = 1\n",
            "fixed.py": "x = 1\n",
            "lib/sub/.git": "gitdir: elsewhere\n",
            "lib/sub/a.py": "x = 1\n",
            **dict.fromkeys(SETTINGS_OF_TOOLS, "{}\n"),
            **dict.fromkeys(NO_SETTINGS, "x\n"),
        },
    )
    (root / "out.txt").symlink_to(outside)
    (root / "in.py").symlink_to("plain.py")
    (root / "fixed.py").chmod(0o444)
    targets = EditTargets(str(root), WalkSettings())
    for path in (
        "built/a.py",
        ".env",
        "out.txt",
        "../outside.txt",
        ".git/config",
        "fixed.py",
        ".GIT/config",
        ".git./x",
        "git~1/x",
        ".git::$I/x",
    ):
        with pytest.raises(UsageError):
            targets.target(path, generated=True)
    for path in SETTINGS_OF_TOOLS:
        with pytest.raises(UsageError, match="what agents or editors may do"):
            targets.target(path, generated=True)
    for path in NO_SETTINGS:
        assert targets.target(path, generated=False).path == path
    with pytest.raises(UsageError, match="belongs to lib/sub, a repository of its own") as refused:
        targets.target("lib/sub/a.py", generated=False)
    assert refused.value.hint_quotes
    for path in ("a_pb2.py", "made.py"):
        with pytest.raises(UsageError, match="not edited"):
            targets.target(path, generated=False)
        assert targets.target(path, generated=True).path == path
    assert targets.target("in.py", generated=False).path == "plain.py"
    with pytest.raises(NotFoundError):
        targets.target("gone.py", generated=False)


@pytest.mark.parametrize("version", ["main:.env", "--batch-all", "HEAD~1", "abcdef", ":0:.env"])
async def test_no_version_names_another_file(version: str) -> None:
    current = CurrentText(EditTarget("a.py", Path("a.py"), b"x"), FileText("x"), None)
    checkout: Any = None  # git is not asked
    with pytest.raises(UsageError, match="no version"):
        await _check_version(checkout, current, version)


def test_an_agent_changes_and_runs_what_it_has_open_only() -> None:
    with boundary.answering(boundary.Reach(lambda: ["/home/a/shop/web"])):
        for root in ("/home/a/shop/web", "/home/a/shop", "/home/a/shop/web/lib"):
            boundary.check_open(root, "shop", "edited")
        for root in ("/home/a/other", "/home/a/shop/webs"):
            with pytest.raises(boundary.OutsideError, match="not tested"):
                boundary.check_open(root, "other", "tested")
    boundary.check_open("/home/a/other", "other", "edited")


def test_a_session_hears_of_what_others_change_of_what_it_read_and_of_nothing_else() -> None:
    key = ("/root", "a.py")
    text = [f"line {number}" for number in range(1, 21)]
    seen = SeenFiles()
    seen.saw(key, text, 5, 8, 1)
    moved = ["new", *text]
    assert seen.name(key, moved) is None
    assert seen.name(key, [*moved[:5], "before", *moved[5:]]) is None
    assert seen.name(key, moved) is None
    elsewhere = [*moved[:-1], "other"]
    assert seen.name(key, elsewhere) is None
    changed = [*elsewhere[:6], "theirs", *elsewhere[7:]]
    found = seen.name(key, changed)
    assert found is not None
    assert (found.path, found.first, found.last) == ("a.py", 7, 7)
    assert found.diff[1:] == ["-line 6", "+theirs"]
    assert seen.name(key, changed) is None, "said once"
    own = [*changed[:6], "mine", *changed[7:]]
    seen.wrote(key, own, [(7, 7)])
    assert seen.name(key, own) is None
    assert seen.name(key, [*own[:6], *own[7:]]) is not None, "a line that went away"


def test_a_change_that_was_named_is_shown_when_an_edit_meets_it() -> None:
    key = ("/root", "a.py")
    text = [f"line {number}" for number in range(1, 21)]
    seen = SeenFiles()
    seen.saw(key, text, 1, 20, 1)
    theirs = [*text[:4], "theirs", *text[5:14], *text[15:]]  # lines 5 and 15
    named = seen.name(key, theirs)
    assert named is not None and (named.first, named.last) == (5, 14)
    assert seen.name(key, theirs) is None, "named once"
    seen.saw(key, theirs, 3, 7, 2)  # the first of both is read now
    shown = seen.show(key, theirs)
    assert shown is not None
    assert shown.diff == ["@@ -15,1 +15,0 @@", "-line 15"]
    assert seen.show(key, theirs) is None, "shown once"
    assert seen.name(key, theirs) is None


def test_what_a_session_wrote_with_its_own_tool_leaves_what_others_did_to_be_shown() -> None:
    key = ("/root", "a.py")
    text = [f"line {number}" for number in range(1, 21)]
    seen = SeenFiles()
    seen.saw(key, text, 1, 20, 1)
    both = [*text[:4], "mine", *text[5:9], "theirs", *text[10:]]
    named = seen.name(key, both, [(5, 5)])
    assert named is not None and named.first == 10
    seen.wrote_beside(key, both, [(5, 5)])
    assert seen.name(key, both) is None
    shown = seen.show(key, both)
    assert shown is not None
    assert shown.diff == ["@@ -10,1 +10,1 @@", "-line 10", "+theirs"]


def test_a_long_difference_says_that_it_is_cut() -> None:
    key = ("/root", "a.py")
    text = [f"line {number}" for number in range(100)]
    seen = SeenFiles()
    seen.saw(key, text, 1, 100, 1)
    shown = seen.show(key, [f"other {number}" for number in range(100)])
    assert shown is not None
    assert len(shown.diff) == 61
    assert shown.diff[-1] == "… 141 lines more: read it again"


@given(
    st.lists(st.sampled_from("abc"), max_size=12),
    st.lists(st.sampled_from("abc"), max_size=12),
    st.lists(st.tuples(st.integers(1, 12), st.integers(0, 4)), max_size=2),
)
def test_what_was_read_last_is_what_was_read_with_what_was_read_of_it_again(
    before: list[str], now: list[str], ranges: list[tuple[int, int]]
) -> None:
    """Whatever is read again: what differs still is a part of what differed."""
    again = [(first, first + more) for first, more in ranges if first + more <= len(now)]
    known = ShownLines(before, [(1, max(1, len(before)))])
    known.take(now, again)
    assert Counter(known.lines) - Counter(before) <= Counter(now)
    for first, last in again:
        if (first, last) == (1, len(now)):
            assert known.lines == now
    known.take(now, [(1, max(1, len(now)))])
    assert known.lines == now


def test_the_oldest_readings_are_forgotten() -> None:
    seen = SeenFiles()
    for number in range(400):
        seen.saw(("/shop", f"{number}.py"), ["x" * 100_000], 1, 1, None)
    assert 0 < len(seen.files()) <= 84
    assert seen.files()[-1] == ("/shop", "399.py")


def test_places_of_a_server_stay_in_the_project() -> None:
    span = {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 1}}
    edits = [{"range": span, "newText": "b"}]
    places, more = places_of_edit({"changes": {"file:///shop/a.py": edits}}, Path("/shop"))
    assert [(each.path, each.new) for each in places] == [("a.py", "b")] and not more
    with pytest.raises(UsageError, match="outside"):
        places_of_edit({"changes": {"file:///usr/lib/a.py": edits}}, Path("/shop"))


def test_what_a_place_looks_like_is_said() -> None:
    assert why_left("# load it", 2, other_language=False) == "comment"
    assert why_left('x = "load"', 5, other_language=False) == "string"
    assert why_left("load()", 0, other_language=True) == "other language"
    assert is_like_code("a.load is", 2, "load")
    assert is_like_code("calls load()", 6, "load")
    assert not is_like_code("the load is", 4, "load")
    assert is_like_code("the load_all is", 4, "load_all")


def test_a_byte_order_mark_that_a_server_counts_moves_no_place() -> None:
    places = [
        NamePlace("marked.py", 0, 8, 0, 11, "settle"),
        NamePlace("marked.py", 1, 8, 1, 11, "settle"),
        NamePlace("plain.py", 0, 8, 0, 11, "settle"),
    ]
    lines = {"marked.py": "import pay"}
    assert without_mark(places, lines, "pay") == [
        NamePlace("marked.py", 0, 7, 0, 10, "settle"),
        NamePlace("marked.py", 1, 8, 1, 11, "settle"),
        NamePlace("plain.py", 0, 8, 0, 11, "settle"),
    ]
    right = [NamePlace("marked.py", 0, 7, 0, 10, "settle")]
    assert without_mark(right, lines, "pay") == right
    assert without_mark(right, {"marked.py": "import  pap pay"}, "pay") == right
