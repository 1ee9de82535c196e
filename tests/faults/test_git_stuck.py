"""What a repository holds instead of files, and a git that never answers, hold nothing up."""

from __future__ import annotations

import os
import shutil
import threading
import time
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from surveyor.config import load
from surveyor.git import runner, watchdog
from surveyor.git.project import describe
from surveyor.parsing.walk import WalkedFile, walk
from tests.gitrepo import git, repository, write
from tests.product import Product, until

MARK = "82731"
"""Seconds that a fake git sleeps: by them its processes are found."""

PLACES = [
    ".git/HEAD", ".git/config", ".git/index", ".git/packed-refs", ".git/info/exclude",
    ".git/info/attributes", ".git/info/grafts", ".git/objects/info/alternates", ".git/shallow",
    ".git/refs/heads/main", ".git/commondir", ".git/config.worktree", ".git/refs/heads/other",
    ".git", ".gitignore", "deep/.gitignore", ".gitattributes", "deep/.gitattributes", ".gitmodules",
    ".mailmap", ".surveyorignore", "deep/.surveyorignore", "surveyor.toml", "pyproject.toml",
    "tracked.py", "deep/tracked.py", "package.json", "tsconfig.json", "go.mod", "untracked.py",
]  # fmt: skip
"""What git or Surveyor reads of a repository."""


def plant(root: Path, place: str, what: str) -> None:
    """Put something there that is no file."""
    path = root / place
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.is_dir():
        shutil.rmtree(path)
    path.unlink(missing_ok=True)
    if what == "fifo":
        os.mkfifo(path)
    elif what == "link":
        os.mkfifo(root / "pipe")
        path.symlink_to(root / "pipe")
    else:
        path.symlink_to("/dev/zero")


def sample(folder: Path) -> Path:
    return repository(
        folder,
        {"good.py": "def good_one(): ...\n", "tracked.py": "", "deep/tracked.py": "",
         "deep/good.py": "def deep_one(): ...\n"},
    )  # fmt: skip


@pytest.mark.parametrize("what", ["fifo", "link", "zero"])
@pytest.mark.parametrize("place", PLACES)
def test_no_place_holds_a_scan(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str, what: str
) -> None:
    monkeypatch.setattr(watchdog, "STANDING_STILL_S", 1.5)
    root = sample(tmp_path / "r")
    plant(root, place, what)
    found: set[str] = set()

    def look() -> None:
        describe(root)
        load(root)
        found.update(each.path for each in walk(root) if isinstance(each, WalkedFile))

    thread = threading.Thread(target=look, daemon=True)
    thread.start()
    thread.join(40)
    runner._stuck.clear()
    assert not thread.is_alive()
    assert {"good.py", "deep/good.py"} <= found


def test_a_repository_full_of_pipes_is_indexed(surveyor: Product, tmp_path: Path) -> None:
    root = sample(tmp_path / "r")
    for place in PLACES:
        if not place.startswith(".git/") and place != ".git":
            plant(root, place, "fifo")
    surveyor.index(root)
    assert "good.py" in surveyor.paths("good_one", root)
    where = ("--project", str(root))
    started = time.monotonic()
    for command in (
        ("history", "search", "x"),
        ("impact", "--diff"),
        ("history", "file", "good.py"),
    ):
        surveyor.run(*command, *where, check=False)
    surveyor.run("reindex", str(root))
    assert time.monotonic() - started < 90
    started = time.monotonic()
    surveyor.run("engine", "stop")
    assert time.monotonic() - started < 15


def sleeping() -> list[psutil.Process]:
    found = []
    for process in psutil.process_iter():
        with suppress(psutil.Error):
            if MARK in process.cmdline() and process.status() != psutil.STATUS_ZOMBIE:
                found.append(process)
    return found


def test_a_git_that_hangs_holds_nothing_and_leaves_nothing(
    surveyor: Product, tmp_path: Path
) -> None:
    root = sample(tmp_path / "r")
    programs = tmp_path / "bin"
    programs.mkdir()
    fake = programs / "git"
    fake.write_text(f"#!/bin/sh\nsleep {MARK} &\n(setsid sleep {MARK} &)\nexec sleep {MARK}\n")
    fake.chmod(0o755)
    surveyor.extra["PATH"] = f"{programs}{os.pathsep}{os.environ['PATH']}"
    surveyor.index(root)
    assert "good.py" in surveyor.paths("good_one", root)
    where = ("--project", str(root))
    said = surveyor.run("history", "file", "good.py", *where, check=False)
    assert "stood still" in said.stderr
    surveyor.run("impact", "--diff", *where, check=False)
    # Another project is answered while one waits.
    waiting = surveyor.start("index", str(sample(tmp_path / "second")))
    until(sleeping)
    started = time.monotonic()
    assert surveyor.paths("good_one", root)
    surveyor.run("engine", "stop")
    assert time.monotonic() - started < 20
    waiting.communicate(timeout=60)
    until(lambda: not sleeping(), 20)


def test_commits_leave_history_with_their_branch(surveyor: Product, tmp_path: Path) -> None:
    root = repository(tmp_path / "r", {"a.py": "def kept(): ...\n"})
    git(root, "commit", "-q", "--allow-empty", "-m", "second on main")
    git(root, "switch", "-q", "-c", "side")
    for number in range(3):
        write(root, {"b.py": f"def side_{number}(): ...\n"})
        git(root, "add", "-A")
        git(root, "commit", "-q", "-m", f"sidework {number}")
    where = ("--project", str(root))
    surveyor.index(root)
    surveyor.run("history", "index", *where)

    def listed() -> tuple[set[str], int, int]:
        answer = surveyor.json("history", "search", "", "--limit", "50", *where)
        subjects = {each["subject"] for each in answer["results"]}
        assert answer["commits_indexed"] <= answer["commits_total"]
        return subjects, answer["commits_indexed"], answer["commits_total"]

    main = {"first", "second on main"}
    assert listed() == (main | {f"sidework {n}" for n in range(3)}, 5, 5)
    git(root, "switch", "-q", "main")
    assert listed()[1:] == (5, 5)
    # Another branch still has the first of them.
    git(root, "branch", "other", "side~2")
    git(root, "branch", "-q", "-D", "side")
    assert listed() == (main | {"sidework 0"}, 3, 3)
    found = surveyor.json("search", "sidework 2", "--project", str(root), "--in", "history")
    assert "sidework 2" not in str(found)
    git(root, "branch", "-q", "-D", "other")
    assert listed() == (main, 2, 2)
    # History that is rewritten: the old commit goes, the new one comes.
    git(root, "commit", "-q", "--amend", "--allow-empty", "-m", "second again")
    assert listed() == ({"first", "second again"}, 2, 2)
    git(root, "reflog", "expire", "--expire=now", "--all")
    git(root, "gc", "-q", "--prune=now")
    git(root, "commit", "-q", "--allow-empty", "-m", "third")
    assert listed() == ({"first", "second again", "third"}, 3, 3)
