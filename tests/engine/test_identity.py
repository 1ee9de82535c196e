"""A project's ids change (it gains a remote, it moves) while people and editors use it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from surveyor.client.blocking import Client, open_session
from surveyor.engine.projects.registry import _unknown
from surveyor.protocol.engine import StatusRequest
from surveyor.protocol.projects import ProjectsRequest, ProjectStatus
from surveyor.protocol.search import SearchRequest, SymbolsRequest
from surveyor.protocol.sessions import Hello, OverlayRequest
from tests.product import DEADLINE_S, SHOP, Product, git, until, write_tree

MANY = {f"src/part_{n}.py": f"def handle_part_{n}():\n    return {n}\n" for n in range(120)}


@pytest.fixture
def shop(surveyor: Product, tmp_path: Path) -> Path:
    """A repository without a remote, indexed."""
    folder = write_tree(tmp_path / "shop", SHOP | MANY)
    git(folder, "init", "-b", "main")
    surveyor.index(folder)
    return folder


@pytest.fixture
def editor(surveyor: Product, shop: Path) -> Iterator[Client]:
    """A session as an editor holds it."""
    connection = open_session(surveyor.data)
    assert connection is not None
    client = Client(connection)
    client.greet(Hello(client="lsp", version="1", pid=os.getpid(), roots=[str(shop)]))
    yield client
    client.close()


def project_of(editor: Client, folder: Path) -> ProjectStatus:
    (project,) = editor.call(StatusRequest(path=str(folder))).projects
    return project


def test_every_answer_is_true_or_says_that_it_may_not_be(editor: Client, shop: Path) -> None:
    """Whatever is asked while ids change is answered; nothing healthy is empty."""
    files = project_of(editor, shop).files
    for name in ("one", "two", "three"):
        before = project_of(editor, shop).project_id
        remotes = git(shop, "remote").split()
        git(shop, "remote", "set-url" if remotes else "add", "origin", f"git@example.org:t/{name}")

        def settled(before: str = before) -> bool:
            project = project_of(editor, shop)
            asked: list[Any] = [
                editor.call(SearchRequest(query="total price of a cart", cwd=str(shop))),
                editor.call(SymbolsRequest(query="total_price", cwd=str(shop))),
            ]
            for answer in asked:
                assert answer.results or answer.status != "healthy", answer
            assert project.files == files or project.status != "healthy", project
            assert editor.call(ProjectsRequest()).projects
            return project.project_id != before and project.status == "healthy"

        until(settled)
    found = editor.call(
        SearchRequest(query="sum of all lines with tax", mode="semantic", cwd=str(shop))
    )
    assert found.results, "the points have followed"


def test_what_waits_in_the_queue_is_indexed_under_the_new_id(
    surveyor: Product, editor: Client, shop: Path
) -> None:
    before = project_of(editor, shop)
    surveyor.run("engine", "pause")
    write_tree(shop, {f"new/late_{n}.py": f"def late_{n}():\n    return {n}\n" for n in range(40)})
    waiting = surveyor.start("index", str(shop), "--json")
    until(lambda: project_of(editor, shop).files_behind == 40)
    git(shop, "remote", "add", "origin", "git@example.org:team/shop.git")
    until(lambda: project_of(editor, shop).project_id != before.project_id)
    surveyor.run("engine", "resume")
    said, problems = waiting.communicate(timeout=DEADLINE_S)
    assert waiting.returncode == 0, problems
    assert '"files_indexed":40' in said.replace(" ", "")
    until(lambda: project_of(editor, shop).status == "healthy")
    assert project_of(editor, shop).files == before.files + 40


def test_an_unsaved_buffer_stays_open(editor: Client, shop: Path) -> None:
    before = project_of(editor, shop).project_id
    text = "def quokka_smile():\n    return 1\n"
    editor.call(OverlayRequest(path=str(shop / "shop/cart.py"), version=3, text=text))
    ask = SymbolsRequest(query="quokka_smile", cwd=str(shop))
    assert editor.call(ask).results
    git(shop, "remote", "add", "origin", "git@example.org:team/shop.git")
    until(lambda: project_of(editor, shop).project_id != before)
    assert [found.unsaved_version for found in editor.call(ask).results] == [3]


def test_an_editor_that_closes_leaves_no_project_active(
    surveyor: Product, editor: Client, shop: Path
) -> None:
    before = project_of(editor, shop)
    assert before.active
    git(shop, "remote", "add", "origin", "git@example.org:team/shop.git")
    until(lambda: project_of(editor, shop).project_id != before.project_id)
    assert project_of(editor, shop).active
    editor.close()
    until(lambda: not surveyor.json("status", str(shop))["projects"][0]["active"])


def test_a_folder_that_is_away_keeps_its_index_whatever_waited(
    surveyor: Product, editor: Client, shop: Path, tmp_path: Path
) -> None:
    before = project_of(editor, shop)
    surveyor.run("engine", "pause")
    for name in list(MANY)[:5]:
        (shop / name).write_text("def after_the_return():\n    return 0\n")
    until(lambda: project_of(editor, shop).files_behind == 5)
    shop.rename(tmp_path / "away")
    until(lambda: project_of(editor, shop).reason == "missing_root")
    surveyor.run("engine", "resume")
    until(lambda: project_of(editor, shop).files_behind == 0)
    assert project_of(editor, shop).files == before.files
    (tmp_path / "away").rename(shop)
    ask = SymbolsRequest(query="after_the_return", cwd=str(shop))
    until(lambda: len(editor.call(ask).results) == 5)
    until(lambda: project_of(editor, shop).status == "healthy")
    assert project_of(editor, shop).files == before.files


def test_folders_that_a_hint_names_stay_within_its_line() -> None:
    known = [SimpleNamespace(root=root) for root in ("/code/a b\nc", "/code/\x1b[2Jd")]
    hint = _unknown("there is no project", known).hint  # type: ignore[arg-type]
    assert hint.endswith("Known: /code/a b\\nc, /code/\\x1b[2Jd")
