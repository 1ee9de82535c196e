"""Exact answers in the background: what is asked, when, and what is asked again."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from surveyor.engine.exact_servers import AttachedServers
from surveyor.graph.exact.answers import known_answer
from surveyor.graph.exact.enricher import Enricher
from surveyor.graph.queries.lookup import StoredGraph
from surveyor.store.state.projects import Checkout as Registered
from tests.graph.support import CHECKOUT, Checkout
from tests.graph.test_exact import location, manager, servers_of

CODE = {
    "a.py": "def target():\n    pass\n\n\ndef lonely():\n    pass\n",
    "b.py": "from a import target\ntarget()\n",
    "tests/test_a.py": "from a import target\n\n\ndef test_it():\n    target()\n",
}
LONG_S = 60.0


def found(checkout: Checkout) -> dict[str, Any]:
    """A server that names one use, whatever it is asked."""
    use = location(checkout.root, "b.py", 1, 0, 6)
    return {"answers": {"textDocument/references": [{"result": [use]}]}}


class Background:
    """An enricher over one checkout, with the engine's parts that it looks at."""

    def __init__(self, checkout: Checkout, answers: AttachedServers) -> None:
        self.behind = 0
        self.checkout = checkout.row
        self.enricher = Enricher(
            checkout.state,
            answers,
            checkouts=self.checkouts,
            files_behind=lambda _: self.behind,
            graph_behind=checkout.graph.pending,
            share=lambda: 1.0,
        )
        self.stored = StoredGraph(checkout.state, CHECKOUT)

    async def checkouts(self) -> list[Registered]:
        return [self.checkout]

    async def work(self) -> None:
        await self.enricher.enrich(self.checkout, LONG_S)

    async def waiting(self) -> list[str]:
        return [node.qualname for node in await self.enricher.waiting(self.stored)]

    async def known(self) -> set[str]:
        rows = await self.stored.state.read(
            "SELECT n.qualname FROM graph_exact x JOIN graph_nodes n USING (node_id)"
        )
        return {row[0] for row in rows}


@pytest.fixture
async def checkout(tmp_path: Path) -> AsyncIterator[Checkout]:
    made = await Checkout.open(tmp_path)
    await made.write(CODE)
    yield made
    await made.close()


async def test_definitions_are_asked_about_once_and_work_goes_on_after_a_restart(
    checkout: Checkout, tmp_path: Path
) -> None:
    answers = servers_of(manager(tmp_path, found(checkout)))
    first = Background(checkout, answers)
    assert set(await first.waiting()) == {"target", "lonely"}  # tests are nobody's interest
    await first.work()
    assert await first.known() == {"target", "lonely"}
    again = Background(checkout, answers)
    assert await again.waiting() == []
    await answers.close()


async def test_the_start_of_a_server_does_not_use_up_a_slice(
    checkout: Checkout, tmp_path: Path
) -> None:
    answers = servers_of(manager(tmp_path, found(checkout)))
    background = Background(checkout, answers)
    await background.enricher.enrich(background.checkout, 0.0)
    assert await background.known() == {"target", "lonely"}
    await answers.close()


async def test_only_what_an_edit_may_have_changed_is_asked_again(
    checkout: Checkout, tmp_path: Path
) -> None:
    answers = servers_of(manager(tmp_path, found(checkout)))
    background = Background(checkout, answers)
    await background.work()
    await checkout.write({"b.py": CODE["b.py"] + "target()\n"})
    (target,) = await background.stored.named("target")
    kept = await known_answer(background.stored, target, "references")
    assert kept is not None and not kept[1]  # stale
    assert await background.waiting() == ["target"]
    await background.work()
    kept = await known_answer(background.stored, target, "references")
    assert kept is not None and kept[1]
    await answers.close()


async def test_a_server_that_is_not_ready_adds_nothing(checkout: Checkout, tmp_path: Path) -> None:
    never = {"kind": "log", "pattern": "never", "grace_s": 60, "deadline_s": 0.1}
    answers = servers_of(manager(tmp_path, found(checkout), **never))
    background = Background(checkout, answers)
    await background.work()
    assert await background.known() == set()
    await answers.close()


@pytest.mark.parametrize("reason", ["files behind", "paused", "inactive"])
async def test_nothing_is_asked_while_there_is_something_better_to_do(
    checkout: Checkout, tmp_path: Path, reason: str
) -> None:
    answers = servers_of(manager(tmp_path, found(checkout)))
    background = Background(checkout, answers)
    background.behind = int(reason == "files behind")
    background.checkout = replace(
        background.checkout, paused=reason == "paused", active=reason != "inactive"
    )
    await background.work()
    assert await background.known() == set() and answers.status() == []
    await answers.close()
