"""Definitions for a window: by name, by meaning, each once, and of the folder that is open."""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from surveyor.client.blocking import Client, open_session
from surveyor.protocol.search import (
    SymbolsRequest,
    WorkspaceSymbolsRequest,
    WorkspaceSymbolsResponse,
)
from surveyor.protocol.sessions import Hello, OverlayRequest
from tests.product import product, until, write_tree

HANDLERS = 30
DAYS = range(60)
FILES = {
    "net/retry.py": (
        "import time\n\n\nclass Retrier:\n    def again(self, action, attempts=5):\n"
        '        """Call an action until it works, waiting longer after every failure."""\n'
        "        for attempt in range(attempts):\n            try:\n"
        "                return action()\n            except OSError:\n"
        "                time.sleep(2**attempt)\n        raise TimeoutError('gave up')\n"
    ),
    "net/total.py": "def total(items):\n    return sum(items)\n",
    "shop/total.py": "def total(prices):\n    return sum(prices)\n\n\ndef sub_total():\n    pass\n",
    "shop/handlers.py": "".join(
        f"class Handler{number}:\n    def handle(self):\n        return {number}\n\n\n"
        for number in range(HANDLERS)
    ),
}


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_tree(tmp_path_factory.mktemp("work") / "project", FILES)


@pytest.fixture(scope="module")
def window(tmp_path_factory: pytest.TempPathFactory, project: Path) -> Iterator[Client]:
    with product(tmp_path_factory.mktemp("home")) as surveyor:
        surveyor.index(project)
        connection = open_session(surveyor.data)
        assert connection is not None
        client = Client(connection)
        client.greet(Hello(client="lsp", version="1", pid=os.getpid(), roots=[str(project)]))
        yield client
        client.close()


def ask(window: Client, query: str, cwd: Path, **more: int | bool) -> WorkspaceSymbolsResponse:
    return window.call(WorkspaceSymbolsRequest(query=query, cwd=str(cwd), **more))  # type: ignore[arg-type]


def found_by_name(window: Client, query: str, cwd: Path, **more: int) -> list[tuple[str, str]]:
    return [(item.name, item.path) for item in ask(window, query, cwd, **more).names]


def test_names_come_first_meaning_after_them_and_nothing_twice(
    window: Client, project: Path
) -> None:
    answer = ask(window, "total", project)
    assert [(i.name, i.path) for i in answer.names] == [
        ("total", "net/total.py"),
        ("total", "shop/total.py"),
        ("sub_total", "shop/total.py"),
    ]
    places = [(item.path, item.name, item.line) for item in (*answer.names, *answer.meant)]
    assert len(places) == len(set(places))
    answer = ask(window, "call again with growing pauses until it works", project)
    assert not answer.names
    first = answer.meant[0]
    assert (first.name, first.container, first.line, first.column) == ("Retrier", "", 4, 6)
    for nobodys in ("zqwvblarg", "no_such_name", "noSuchName", "Nobody.again"):
        answer = ask(window, nobodys, project)
        assert (answer.names, answer.meant) == ([], [])


def test_a_full_list_of_names_leaves_no_room_for_meaning_unless_both_are_wanted(
    window: Client, project: Path
) -> None:
    full = ask(window, "handle", project, limit=10)
    assert [item.name for item in full.names] == ["handle"] * 10
    assert not full.meant
    assert [item.line for item in full.names] == [2 + 5 * n for n in range(10)]
    assert ask(window, "handle", project, limit=10, both=True).meant


def test_a_long_comment_is_no_definition_beside_what_it_is_about(
    window: Client, project: Path
) -> None:
    about = [
        f" * Ask the lighthouse keeper for the tide of day {day}, in vain." for day in range(60)
    ]
    body = "export const pollKeeper = (days: number): number => {\n  return days * 2\n}\n"
    path = project / "web/poll.ts"
    write_tree(project, {"web/poll.ts": "\n".join(["/**", *about, " */", body])})
    line = 1 + path.read_text().splitlines().index(body.splitlines()[0])

    def meant() -> WorkspaceSymbolsResponse | None:
        answer = ask(window, "ask the lighthouse keeper for tides", project, meant_limit=9)
        return answer if any(each.name == "pollKeeper" for each in answer.meant) else None

    answer = until(meant)
    assert [each.line for each in answer.meant if each.name == "pollKeeper"] == [line]
    answer = ask(window, "pollKeeper", project, meant_limit=9, both=True)
    assert [(each.name, each.line) for each in answer.names][:1] == [("pollKeeper", line)]
    assert "pollKeeper" not in [each.name for each in answer.meant]
    path.unlink()
    until(lambda: not ask(window, "pollKeeper", project).names)


def test_a_subfolder_has_its_own_definitions_only(window: Client, project: Path) -> None:
    assert found_by_name(window, "total", project / "net") == [("total", "net/total.py")]
    meant = ask(window, "add up prices", project / "shop").meant
    assert meant and {item.path for item in meant} <= {"shop/total.py", "shop/handlers.py"}


def _is_found(window: Client, name: str, project: Path, wanted: list[tuple[str, str]]) -> bool:
    return found_by_name(window, name, project, limit=1) == wanted


def test_names_follow_files_that_come_change_and_go(window: Client, project: Path) -> None:
    file = project / "net/animals.py"
    assert found_by_name(window, "quokka_smile", project) == []
    for name in ("quokka_smile", "quokka_grin"):
        file.write_text(f"def {name}():\n    return 1\n")
        wanted = [(name, "net/animals.py")]
        until(partial(_is_found, window, name, project, wanted))
    file.unlink()
    until(lambda: found_by_name(window, "quokka_grin", project) == [])


def test_unsaved_definitions_stand_in_for_the_files_own(window: Client, project: Path) -> None:
    text, path = (
        "class Till:\n    def ring(self):\n        pass\n",
        str(project / "shop/handlers.py"),
    )
    window.call(OverlayRequest(path=path, version=7, text=text))
    (ring,) = ask(window, "Till.ring", project).names
    assert (ring.path, ring.line, ring.unsaved_version) == ("shop/handlers.py", 2, 7)
    assert found_by_name(window, "Drawer.ring", project) == []
    assert found_by_name(window, "Handler7", project) == []
    window.call(OverlayRequest(path=path, version=7, text=None))
    assert found_by_name(window, "Handler7", project, limit=1) == [("Handler7", "shop/handlers.py")]


def test_a_qualified_name_and_kinds_narrow_what_is_found(window: Client, project: Path) -> None:
    assert [(i.container, i.line) for i in ask(window, "Handler7.handle", project).names] == [
        ("Handler7", 37)
    ]
    found = window.call(SymbolsRequest(query="handle", cwd=str(project), kinds=["class"])).results
    assert {item.kind for item in found} == {"class"} and len(found) == HANDLERS
    outline = window.call(SymbolsRequest(query="", cwd=str(project), path="shop/total.py")).results
    assert [item.name for item in outline] == ["total", "sub_total"]
