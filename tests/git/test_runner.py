"""The one place where git is started: what it is given, and how it ends."""

from __future__ import annotations

import asyncio
import os
import subprocess
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from surveyor.git import leftovers, runner, watchdog
from surveyor.git.errors import GitError
from surveyor.git.leftovers import PREFIX
from surveyor.git.locate import find
from tests.gitrepo import git, repository, write

Script = Callable[[str], None]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return repository(tmp_path / "r", {"a.py": "a = 1\n", "d/b.py": "b = 1\n"})


@pytest.fixture
def script(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Script:
    """Has a shell script answer in place of git."""
    program = tmp_path / "fake-git"

    def answer(text: str) -> None:
        program.write_text(f"#!/bin/sh\n{text}\n")
        program.chmod(0o755)
        monkeypatch.setattr(runner, "git_program", lambda: str(program))

    monkeypatch.setattr(watchdog, "STANDING_STILL_S", 2.0)
    return answer


def alive(mark: str) -> list[psutil.Process]:
    """Processes that have a word in their command line."""
    found = []
    for process in psutil.process_iter():
        with suppress(psutil.Error):
            if mark in process.cmdline() and process.status() != psutil.STATUS_ZOMBIE:
                found.append(process)
    return found


def vanished(mark: str) -> bool:
    deadline = time.monotonic() + 10
    while alive(mark) and time.monotonic() < deadline:
        time.sleep(0.02)
    return not alive(mark)


def test_answers_are_those_of_the_repository(root: Path) -> None:
    assert runner.ask(root, "rev-parse", "HEAD").decode().strip() == git(root, "rev-parse", "HEAD")
    assert list(runner.names(root, "ls-files", "-z")) == ["a.py", "d/b.py"]
    assert list(runner.names(root / "d", "ls-files", "-z")) == ["b.py"]
    assert list(runner.lines(root, "log", "--format=%s")) == [b"first"]


def test_a_linked_worktree_has_its_own_head(root: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    git(root, "worktree", "add", "-q", "-b", "side", str(other))
    git(other, "commit", "-q", "--allow-empty", "-m", "only here")
    assert list(runner.lines(other, "log", "--format=%s")) == [b"only here", b"first"]
    assert list(runner.lines(root, "log", "--format=%s")) == [b"first"]
    assert runner.ask(other, "symbolic-ref", "--short", "HEAD") == b"side\n"


def test_a_submodule_is_read(root: Path, tmp_path: Path) -> None:
    inner = repository(tmp_path / "inner", {"i.py": ""})
    git(root, "submodule", "add", "-q", str(inner), "sub")
    assert list(runner.names(root / "sub", "ls-files", "-z")) == ["i.py"]


def test_objects_of_another_kind_and_a_split_index_are_read(tmp_path: Path) -> None:
    root = tmp_path / "r"
    root.mkdir()
    git(root, "init", "-q", "--object-format=sha256")
    write(root, {"a.py": "", "b.py": ""})
    git(root, "add", "a.py")
    git(root, "update-index", "--split-index")
    git(root, "add", "b.py")
    git(root, "commit", "-q", "-m", "first")
    assert list(runner.names(root, "ls-files", "-z")) == ["a.py", "b.py"]
    assert len(runner.ask(root, "rev-parse", "HEAD").strip()) == 64


def test_objects_that_a_clone_borrows_are_found(root: Path, tmp_path: Path) -> None:
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "-q", "--shared", str(root), str(clone))
    (clone / ".git" / "objects" / "info" / "alternates").write_text(
        os.path.relpath(root / ".git" / "objects", clone / ".git" / "objects") + "\n"
    )
    assert list(runner.lines(clone, "log", "--format=%s")) == [b"first"]


def test_what_says_how_files_are_read_is_carried_over(root: Path) -> None:
    git(root, "config", "core.autocrlf", "true")
    (root / "a.py").write_bytes(b"a = 1\r\n")
    assert runner.ask(root, "diff", "HEAD", "--", "a.py") == b""
    git(root, "config", "core.excludesFile", str(root / "mine"))
    write(root, {"mine": "*.tmp\nmine\n", "x.tmp": ""})
    assert list(runner.names(root, "ls-files", "-zo", "--exclude-standard")) == []


def test_the_upstream_of_a_branch_is_known(root: Path, tmp_path: Path) -> None:
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "-q", str(root), str(clone))
    head = git(root, "rev-parse", "main")
    assert runner.ask(clone, "rev-parse", "main@{upstream}").decode().strip() == head


def test_files_of_others_are_read_without_being_trusted(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Git's own test says that somebody else owns the folder."""
    monkeypatch.setitem(runner._FIXED, "GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")
    assert list(runner.names(root, "ls-files", "-z")) == ["a.py", "d/b.py"]
    assert not any("safe.directory" in key for key in runner._SETTINGS)


def test_git_gets_only_what_it_needs(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("GIT_DIR", "GIT_SSH_COMMAND", "PAGER", "EDITOR", "SSH_ASKPASS", "LESS"):
        monkeypatch.setenv(name, "/nowhere")
    monkeypatch.setenv("PATH", f".:bin::{os.environ['PATH']}")
    made = runner.environment({"GIT_DIR": "x"})
    assert made["GIT_DIR"] == "x"
    assert not {"GIT_SSH_COMMAND", "PAGER", "EDITOR", "SSH_ASKPASS", "LESS"} & set(made)
    assert all(Path(folder).is_absolute() for folder in made["PATH"].split(os.pathsep))


def test_a_program_of_the_folder_is_not_taken_for_git(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "git"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", f".{os.pathsep}{os.environ['PATH']}")
    runner.git_program.cache_clear()
    assert runner.git_program() != str(program)
    assert Path(runner.git_program() or "").is_absolute()


def test_a_deadline_ends_it_and_its_children(root: Path, script: Script) -> None:
    script("sleep 71001 & (setsid sleep 71001 &) ; while :; do :; done")
    started = time.monotonic()
    with pytest.raises(GitError, match="longer than 1 s"):
        runner.ask(root, "log", timeout=1.0)
    assert time.monotonic() - started < 10
    assert vanished("71001")


def test_one_that_stands_still_is_ended_and_not_asked_again(root: Path, script: Script) -> None:
    script("exec sleep 71002")
    started = time.monotonic()
    with pytest.raises(GitError, match="stood still"):
        runner.ask(root, "log", timeout=60.0)
    with pytest.raises(GitError, match="stood still"):
        runner.ask(root, "log", timeout=60.0)
    assert time.monotonic() - started < 15
    assert vanished("71002")
    runner._stuck.clear()


def test_what_is_left_behind_by_one_that_ended_is_killed(root: Path, script: Script) -> None:
    script("sleep 71003 >/dev/null 2>&1 & echo done")
    assert runner.ask(root, "log") == b"done\n"
    assert vanished("71003")


def test_an_answer_without_end_is_cut(root: Path, script: Script) -> None:
    script("exec yes")
    with pytest.raises(GitError, match="more than 100,000 bytes"):
        runner.ask(root, "log", max_bytes=100_000)
    script("exec tr '\\0' x </dev/zero")
    with pytest.raises(GitError, match="without end"):
        list(runner.entries(root, "log"))


def test_complaints_without_end_do_not_hold_it(root: Path, script: Script) -> None:
    script("head -c 50000000 /dev/zero | tr '\\0' x >&2; exit 3")
    with pytest.raises(GitError) as raised:
        runner.ask(root, "log")
    assert len(raised.value.message) < 2 * runner.MAX_SAID_BYTES


def test_who_stops_reading_ends_it(root: Path, script: Script) -> None:
    script("echo first; exec sleep 71004")
    answer = runner.lines(root, "log")
    assert next(answer) == b"first"
    answer.close()
    assert vanished("71004")


def test_a_cancelled_question_ends_it(root: Path, script: Script) -> None:
    script("while :; do sleep 71005 & wait; done")

    async def cancelled() -> None:
        task = asyncio.create_task(runner.ask_async(root, "log"))
        while not alive("71005"):
            await asyncio.sleep(0.02)
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task

    asyncio.run(cancelled())
    assert vanished("71005")


def test_all_are_stopped_at_the_end(root: Path, script: Script) -> None:
    script("exec sleep 71006")
    raised: list[str] = []

    def ask() -> None:
        try:
            runner.ask(root, "log", timeout=60.0)
        except GitError as error:
            raised.append(error.message)

    thread = threading.Thread(target=ask)
    thread.start()
    while not alive("71006"):
        time.sleep(0.02)
    runner.stop_all()
    thread.join(10)
    assert raised and "ending" in raised[0]
    assert vanished("71006")


def test_nothing_is_left_in_the_temporary_folder(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    runner.ask(root, "rev-parse", "HEAD")
    with pytest.raises(GitError):
        runner.ask(root, "log", "nothing-of-that-name")
    assert not list(tmp_path.glob(f"{PREFIX}*"))


def test_what_a_killed_one_left_is_cleared(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    killed = subprocess.Popen(["true"])
    killed.wait()
    old = tmp_path / f"{PREFIX}{killed.pid}-old"
    new = tmp_path / f"{PREFIX}{killed.pid}-new"
    mine = tmp_path / f"{PREFIX}{os.getpid()}-mine"
    for folder in (old, new, mine):
        folder.mkdir()
    os.utime(old, (0, 0))
    os.utime(mine, (0, 0))
    orphan = subprocess.Popen(["sleep", "71007"], env={**os.environ, "HOME": str(new)})
    leftovers.clear.cache_clear()
    runner.ask(root, "rev-parse", "HEAD")
    assert orphan.wait(10) != 0
    assert [folder.exists() for folder in (old, new, mine)] == [False, False, True]


def test_what_a_process_leaves_that_ends_is_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also what has left its session, whose parent is gone and which starts others."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    ending = subprocess.Popen(["sleep", "60"])
    mine = tmp_path / f"{PREFIX}{ending.pid}-mine"
    others = tmp_path / f"{PREFIX}{os.getpid()}-other"
    for folder in (mine, others):
        folder.mkdir()
        subprocess.run(
            ["sh", "-c", f"(setsid sh -c 'sleep 7100{8 + (folder is others)}; true' &)"],
            env={**os.environ, "HOME": str(folder)},
            check=True,
        )
    try:
        while not (alive("71008") and alive("71009")):
            time.sleep(0.02)
        leftovers.end_of({ending.pid})
        assert vanished("71008")
        assert alive("71009")
        assert [folder.exists() for folder in (mine, others)] == [False, True]
    finally:
        leftovers.end_of({os.getpid()})
        ending.kill()
        ending.wait()
    assert vanished("71009")


def test_a_folder_in_no_repository_says_so(tmp_path: Path) -> None:
    (tmp_path / "plain").mkdir()
    with pytest.raises(GitError, match="no git repository"):
        runner.ask(tmp_path / "plain", "log")


@pytest.mark.parametrize("moved", ["worktree", "separate", "submodule"])
def test_a_git_folder_that_lies_elsewhere_is_this_ones_own(
    root: Path, tmp_path: Path, moved: str
) -> None:
    if moved == "worktree":
        git(root, "worktree", "add", "-q", "-b", "side", str(tmp_path / "a"))
        (tmp_path / "a").rename(tmp_path / "b")
        folder = tmp_path / "b"
    elif moved == "separate":
        folder = tmp_path / "b"
        git(tmp_path, "clone", "-q", "--separate-git-dir", str(tmp_path / "g"), str(root), "b")
    else:
        git(root, "submodule", "add", "-q", str(repository(tmp_path / "inner")), "sub")
        folder = root / "sub"
    found = find(folder)
    assert found is not None
    assert found.root == folder
