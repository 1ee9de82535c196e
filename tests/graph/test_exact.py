"""`exact` is said only of what a server that was ready has said, and only while it is true."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import pytest

from surveyor.engine.exact_servers import AttachedServers
from surveyor.graph.exact.answers import fingerprint, keep_answer, known_answer
from surveyor.graph.exact.servers import ExactQuestion
from surveyor.graph.queries.lookup import Node, StoredGraph
from surveyor.servers.manager import UpstreamConfig, UpstreamManager
from tests.graph.support import CHECKOUT, Checkout
from tests.servers.support import FAST, Fake, make_fake, until

CODE = {"a.py": "def target():\n    pass\n", "b.py": "from a import target\ntarget()\n"}


@pytest.fixture
async def checkout(tmp_path: Path) -> AsyncIterator[Checkout]:
    made = await Checkout.open(tmp_path)
    await made.write(CODE)
    yield made
    await made.close()


class Batch(NamedTuple):
    """What a commit changed."""

    checkout_id: str
    root: str
    changed: tuple[str, ...]
    removed: tuple[str, ...]


def location(root: Path, path: str, line: int, start: int, end: int) -> dict[str, Any]:
    return {
        "uri": (root / path).as_uri(),
        "range": {
            "start": {"line": line, "character": start},
            "end": {"line": line, "character": end},
        },
    }


def manager(tmp_path: Path, script: dict[str, Any], **readiness: Any) -> UpstreamManager:
    return manager_of(make_fake(tmp_path / "fake", script), **readiness)


def manager_of(fake: Fake, **readiness: Any) -> UpstreamManager:
    table = {
        "server": "fake",
        "command": list(fake.spec.command),
        "readiness": {"kind": "immediate", **readiness},
    }
    return UpstreamManager(
        UpstreamConfig(upstream={"python": table}, trusted=lambda _: True, limits=FAST)
    )


def servers_of(made: UpstreamManager) -> AttachedServers:
    return AttachedServers(lambda root, method: None, lambda: made)


async def node_of(stored: StoredGraph, name: str) -> Node:
    (node,) = await stored.named(name)
    return node


async def test_a_ready_servers_answer_is_kept_until_a_file_that_names_it_changes(
    checkout: Checkout, tmp_path: Path
) -> None:
    places = [location(checkout.root, "b.py", 1, 0, 6)]
    answers = servers_of(
        manager(tmp_path, {"answers": {"textDocument/references": [{"result": places}]}})
    )
    stored = StoredGraph(checkout.state, CHECKOUT)
    node = await node_of(stored, "target")
    before = await fingerprint(stored, node)
    asked = ExactQuestion("references", str(checkout.root), "a.py", 1, 4)
    answered = await answers.ask(asked, None, wait_s=20)
    assert answered is not None and answered.complete
    assert answered.places == [("b.py", 2, 0, 6)]
    assert await keep_answer(stored, node, "references", answered, before)
    known = await known_answer(stored, node, "references")
    assert known is not None and known[1] and known[0].places == answered.places

    await checkout.write({"c.py": "print('nothing of it')\n"})
    known = await known_answer(stored, node, "references")
    assert known is not None and known[1]

    await checkout.write({"b.py": CODE["b.py"] + "\ntarget()\n"})
    known = await known_answer(stored, node, "references")
    assert known is not None and not known[1]
    await answers.close()


async def test_a_server_that_is_not_ready_gives_nothing_exact_and_nothing_is_kept(
    checkout: Checkout, tmp_path: Path
) -> None:
    script = {
        "answers": {"textDocument/references": [{"result": []}]},
        "opened": [
            {
                "method": "$/progress",
                "params": {"token": "work", "value": {"kind": "begin", "title": "indexing"}},
            }
        ],
    }
    answers = servers_of(manager(tmp_path, script, kind="progress", pattern="indexing"))
    stored = StoredGraph(checkout.state, CHECKOUT)
    node = await node_of(stored, "target")
    before = await fingerprint(stored, node)
    asked = ExactQuestion("references", str(checkout.root), "a.py", 1, 4)
    answered = await answers.ask(asked, None, wait_s=1.0)
    assert answered is not None and not answered.complete
    assert not await keep_answer(stored, node, "references", answered, before)
    assert await known_answer(stored, node, "references") is None
    await answers.close()


async def test_a_server_that_does_not_know_the_definition_itself_has_found_nothing_exact(
    checkout: Checkout, tmp_path: Path
) -> None:
    declared = [location(checkout.root, "a.py", 0, 4, 10)]
    asked = ExactQuestion("references", str(checkout.root), "a.py", 1, 4)
    for places, complete in (([], False), (declared, True)):
        answered = [{"result": []}, {"result": places}]
        script = {"answers": {"textDocument/references": answered}}
        answers = servers_of(manager(tmp_path / str(complete), script))
        found = await answers.ask(asked, None, wait_s=20)
        assert found is not None and found.places == [] and found.complete is complete
        await answers.close()


async def test_what_changed_while_it_was_asked_is_not_kept(
    checkout: Checkout, tmp_path: Path
) -> None:
    answers = servers_of(
        manager(tmp_path, {"answers": {"textDocument/references": [{"result": []}]}})
    )
    stored = StoredGraph(checkout.state, CHECKOUT)
    node = await node_of(stored, "target")
    before = await fingerprint(stored, node)
    asked = ExactQuestion("references", str(checkout.root), "a.py", 1, 4)
    answered = await answers.ask(asked, None, wait_s=20)
    await checkout.write({"b.py": CODE["b.py"] + "target()\n"})
    assert answered is not None
    assert not await keep_answer(stored, node, "references", answered, before)
    await answers.close()


async def test_no_server_is_started_when_nobody_waits(checkout: Checkout, tmp_path: Path) -> None:
    answers = servers_of(manager(tmp_path, {}))
    asked = ExactQuestion("references", str(checkout.root), "a.py", 1, 4)
    assert await answers.ask(asked, None, wait_s=0) is None
    assert answers.status() == []
    await answers.close()


class Editor:
    """An attached editor's session."""

    def __init__(self, answer: dict[str, Any]) -> None:
        self.answer, self.asked = answer, list[tuple[str, Any]]()

    async def request(self, method: str, params: object, timeout_s: float) -> msgspec.Raw:
        self.asked.append((method, params))
        return msgspec.Raw(msgspec.json.encode(self.answer))


@pytest.mark.parametrize("complete", [True, False])
async def test_an_editors_answer_is_as_complete_as_it_says(
    checkout: Checkout, tmp_path: Path, complete: bool
) -> None:
    editor = Editor(
        {
            "result": [location(checkout.root, "b.py", 1, 0, 6)],
            "complete": complete,
            "server": "warm",
            "language": "python",
            "unsavedVersion": 3,
        }
    )
    answers = servers_of(manager(tmp_path, {}))
    stored = StoredGraph(checkout.state, CHECKOUT)
    node = await node_of(stored, "target")
    asked = ExactQuestion("references", str(checkout.root), "a.py", 1, 4)
    answered = await answers.ask(asked, editor, wait_s=0)
    assert answered is not None and answered.complete is complete
    assert answered.unsaved_version == 3 and answered.server == "warm"
    assert editor.asked[0][0] == "editor/references"
    # What is unsaved never reaches the store.
    before = await fingerprint(stored, node)
    assert not await keep_answer(stored, node, "references", answered, before)
    await answers.close()


async def test_servers_of_the_engine_hear_of_what_changes_on_disk(
    checkout: Checkout, tmp_path: Path
) -> None:
    watch = {
        "id": "w",
        "method": "workspace/didChangeWatchedFiles",
        "registerOptions": {"watchers": [{"globPattern": "**/*.py"}]},
    }
    request = {
        "id": 9,
        "method": "client/registerCapability",
        "params": {"registrations": [watch]},
    }
    answers: dict[str, Any] = {"textDocument/references": [{"result": []}]}
    fake = make_fake(tmp_path / "fake", {"answers": answers, "initialized": [request]})
    made = manager_of(fake)
    exact = servers_of(made)
    service = checkout.service(exact)

    async def commit(changed: tuple[str, ...], removed: tuple[str, ...] = ()) -> None:
        await service.on_commit(Batch(CHECKOUT, str(checkout.root), changed, removed))

    await commit(("b.py",))  # no server runs: nothing is started for it
    assert not made.all()
    await exact.ask(ExactQuestion("references", str(checkout.root), "a.py", 1, 4), None, wait_s=60)
    await exact.ask(ExactQuestion("references", str(checkout.root), "b.py", 1, 14), None, wait_s=60)
    (upstream,) = made.all()
    await until(lambda: upstream.registrations)
    (checkout.root / "b.py").write_text("import a\n")
    (checkout.root / "a.py").unlink()
    await commit(("b.py", "new.py"), ("a.py",))
    await until(lambda: fake.received("workspace/didChangeWatchedFiles"))
    told = fake.received("workspace/didChangeWatchedFiles")[0]["params"]["changes"]
    kinds = {change["uri"].rpartition("/")[2]: change["type"] for change in told}
    assert kinds == {"b.py": 2, "new.py": 1, "a.py": 3}
    # What was opened for a question alone is what is on disk, or not open any more.
    shown = fake.received("textDocument/didChange")[0]["params"]
    assert shown["contentChanges"] == [{"text": "import a\n"}]
    closed = fake.received("textDocument/didClose")[0]["params"]["textDocument"]["uri"]
    assert closed.endswith("/a.py")
    await service.close()
