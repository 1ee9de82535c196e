"""An opened repository runs nothing, and nothing is fetched for it."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.faults.planted import Canary, partial_clone, planted
from tests.gitrepo import git, repository, write
from tests.product import Product

NAMED = {
    "GIT_EXTERNAL_DIFF", "GIT_SSH", "GIT_SSH_COMMAND", "GIT_ASKPASS", "SSH_ASKPASS", "GIT_PAGER",
    "PAGER", "GIT_EDITOR", "EDITOR", "VISUAL", "GIT_PROXY_COMMAND", "GIT_SEQUENCE_EDITOR",
}  # fmt: skip
"""Variables that name a program for git."""


@pytest.fixture
def canary(tmp_path: Path) -> Canary:
    return Canary(tmp_path / "canary")


@pytest.fixture
def called() -> Iterator[tuple[int, list[str]]]:
    """A port, and who connected to it."""
    connections: list[str] = []
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def accept() -> None:
            while True:
                try:
                    connection, address = listening.accept()
                except OSError:
                    return
                connections.append(str(address))
                connection.close()

        threading.Thread(target=accept, daemon=True).start()
        yield listening.getsockname()[1], connections
        listening.shutdown(socket.SHUT_RDWR)


def use(surveyor: Product, root: Path) -> None:
    """Open, index, search, diff, blame, and index again."""
    surveyor.index(root)
    surveyor.settle(root)
    where = ("--project", str(root))
    surveyor.run("history", "index", "--all", *where, check=False)
    surveyor.search("planted", root)
    surveyor.run("history", "search", "second", *where, check=False)
    for name in ("a.py", "b.py"):
        surveyor.run("history", "file", name, *where, check=False)
        surveyor.run("history", "symbol", f"{name}:1-2", "--diff", *where, check=False)
    for diff in ((), ("HEAD~1",), ("HEAD~2..HEAD",), ("HEAD~2..HEAD~1",)):
        surveyor.run("impact", *diff, "--diff", *where, check=False)
    surveyor.run("impact", "--staged", *where, check=False)
    surveyor.run("map", *where, check=False)
    write(root, {"later.py": "def later_planted():\n    return 7\n"})
    surveyor.run("reindex", str(root), check=False)
    surveyor.run("status", str(root), check=False)


def initialise(surveyor: Product, root: Path) -> None:
    """What an editor says first."""

    def message(identity: int | None, method: str, params: object) -> bytes:
        content = {"jsonrpc": "2.0", "method": method, "params": params}
        body = json.dumps(content | ({} if identity is None else {"id": identity})).encode()
        return b"Content-Length: %d\r\n\r\n" % len(body) + body

    document = {"uri": (root / "a.py").as_uri(), "position": {"line": 0, "character": 6}}
    opened = {
        "uri": document["uri"], "languageId": "python", "version": 1,
        "text": (root / "a.py").read_text(),
    }  # fmt: skip
    said = [
        message(1, "initialize", {"rootUri": root.as_uri(), "capabilities": {}, "processId": None}),
        message(None, "initialized", {}),
        message(None, "textDocument/didOpen", {"textDocument": opened}),
        message(2, "textDocument/hover",
                {"textDocument": {"uri": document["uri"]}, "position": document["position"]}),
    ]  # fmt: skip
    process = subprocess.Popen(
        [sys.executable, "-m", "surveyor", "lsp"], env=surveyor.environment,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    assert process.stdin is not None and process.stdout is not None
    process.stdin.write(b"".join(said))
    process.stdin.flush()
    answered = b""
    while b'"id":2' not in answered.replace(b" ", b""):
        block = os.read(process.stdout.fileno(), 1 << 16)
        if not block:
            break
        answered += block
    process.stdin.write(message(3, "shutdown", None) + message(None, "exit", None))
    process.stdin.close()
    process.wait(60)
    process.stdout.close()


@pytest.mark.parametrize("trusted", [False, True])
def test_nothing_that_a_repository_names_is_run(
    surveyor: Product, tmp_path: Path, canary: Canary, trusted: bool
) -> None:
    root = planted(tmp_path / "work", canary)
    surveyor.extra |= {name: str(canary.path) for name in NAMED}
    surveyor.extra["CANARY"] = "environment"
    if trusted:
        surveyor.run("trust", str(root))
    use(surveyor, root)
    initialise(surveyor, root)
    assert canary.ran() == []


def test_nothing_of_the_users_own_configuration_is_run_for_a_repository(
    surveyor: Product, tmp_path: Path, canary: Canary
) -> None:
    """The user's filters are the user's; which files they are run for, the repository says."""
    root = planted(tmp_path / "work", canary)
    mine = (root / ".git" / "config").read_text()
    (surveyor.home / ".gitconfig").write_text(mine)
    git(root, "config", "--remove-section", "core")
    use(surveyor, root)
    assert canary.ran() == []


def test_nothing_is_fetched_for_a_partial_clone_and_that_is_said(
    surveyor: Product, tmp_path: Path, canary: Canary, called: tuple[int, list[str]]
) -> None:
    root = partial_clone(tmp_path / "work", canary)
    port, connections = called
    for scheme in ("http", "git"):
        git(root, "config", f"remote.{scheme}.url", f"{scheme}://127.0.0.1:{port}/x.git")
        git(root, "config", f"remote.{scheme}.promisor", "true")
    before = _objects(root)
    use(surveyor, root)
    assert canary.ran() == []
    where = ("--project", str(root))
    found = surveyor.json("history", "symbol", "a.py:1-2", *where)
    assert [each["subject"] for each in found["results"]] == ["change 5"]
    assert "partial clone" in found["notice"]
    assert len(surveyor.json("history", "file", "a.py", *where)["results"]) == 5
    listed = surveyor.json("history", "search", "", *where)
    assert len(listed["results"]) == 5
    assert listed["commits_indexed"] == 5
    # What is there is diffed, what is not is named.
    impact = surveyor.json("impact", "HEAD~2", "--diff", *where)
    assert "a.py" in impact["notice"] and "partial clone" in impact["notice"]
    assert not impact["complete"], "what it could not look at may have users"
    assert "second_planted" in json.dumps(impact["subjects"]) or "b.py" in json.dumps(impact)
    assert connections == []
    assert canary.ran() == []
    assert _objects(root) == before


def test_a_clone_without_trees_still_has_its_messages(
    surveyor: Product, tmp_path: Path, canary: Canary
) -> None:
    origin = partial_clone(tmp_path / "work", canary).parent / "origin"
    root = tmp_path / "treeless"
    git(tmp_path, "clone", "-q", "--filter=tree:0", f"file://{origin}", str(root))
    git(root, "config", "remote.origin.uploadpack", canary.command("uploadpack"))
    before = _objects(root)
    use(surveyor, root)
    found = surveyor.json("history", "search", "", "--project", str(root))
    assert {each["subject"] for each in found["results"]} == {
        "first", "change 2", "change 3", "change 4", "change 5",
    }  # fmt: skip
    assert canary.ran() == []
    assert _objects(root) == before


def _objects(root: Path) -> set[str]:
    folder = root / ".git" / "objects"
    return {each.relative_to(folder).as_posix() for each in folder.rglob("*") if each.is_file()}


@pytest.mark.parametrize("how", ["gitdir", "link", "worktree", "parts"])
def test_another_repository_is_not_shown_through_this_one(
    surveyor: Product, tmp_path: Path, how: str
) -> None:
    private = repository(tmp_path / "private", {"secret.py": "def secret_planted(): ...\n"})
    git(private, "commit", "-q", "--allow-empty", "-m", "a private matter")
    opened = tmp_path / "opened"
    write(opened, {"a.py": "def mine(): ...\n"})
    if how == "gitdir":
        (opened / ".git").write_text(f"gitdir: {private / '.git'}\n")
    elif how == "link":
        (opened / ".git").symlink_to(private / ".git")
    elif how == "parts":
        repository(opened)
        for part in ("refs/heads", "objects"):
            shutil.rmtree(opened / ".git" / part)
            (opened / ".git" / part).symlink_to(private / ".git" / part)
    else:
        repository(opened)
        (opened / ".git" / "commondir").write_text(f"{private / '.git'}\n")
        git(opened, "config", "core.worktree", str(private))
    surveyor.index(opened)
    surveyor.run("history", "index", "--project", str(opened), check=False)
    shown = surveyor.run("history", "search", "", "--project", str(opened), check=False)
    assert "private matter" not in shown.stdout
    assert "secret.py" not in surveyor.paths("secret planted", opened)
