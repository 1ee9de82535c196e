"""A server that has not read a part of the project is asked of the places that it does not name."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from pathlib import Path

import pytest

from surveyor.graph.exact import doubts
from surveyor.graph.exact.merge import merge_exact
from surveyor.graph.exact.servers import EditorChannel, ExactQuestion, ExactReply, Place
from surveyor.protocol.graph import GraphResponse
from tests.graph.service_support import Servers, references, uses
from tests.graph.support import Checkout

FILES = {
    "a.py": "class Box:\n    def opened(self):\n        pass\n",
    "other.py": "class Jar:\n    def opened(self):\n        pass\n",
    "b.py": "from a import Box\n\nBox().opened()\n",
    "c.py": "def f(given):\n    given.opened()\n",
}
NAMED: Place = ("b.py", 3, 6, 12)


class Loaded(Servers):
    """Names one use, and says of places what it was told to."""

    def __init__(self, meant: Mapping[str, Place] | None, *, runs: bool = True) -> None:
        super().__init__(ExactReply([NAMED], complete=True, server="ty"), runs=runs)
        self.meant = meant or {}

    async def ask(
        self, asked: ExactQuestion, editor: EditorChannel | None, *, wait_s: float
    ) -> ExactReply | None:
        if asked.question != "definition":
            return await super().ask(asked, editor, wait_s=wait_s)
        self.asked.append((asked, wait_s))
        found = [self.meant[asked.path]] if asked.path in self.meant else []
        return ExactReply(found, complete=True, server="ty")


@pytest.fixture
async def checkout(tmp_path: Path) -> AsyncIterator[Checkout]:
    made = await Checkout.open(tmp_path)
    await made.write(FILES)
    yield made
    await made.close()


async def answer(checkout: Checkout, servers: Servers) -> GraphResponse:
    service = checkout.service(servers)
    context = await service.query_context(str(checkout.root), None)
    meant = await context.meant(references("Box.opened"))
    found = await uses(context, meant)
    response = await service.respond(context, meant, found, 100)
    replied = servers.answer
    assert replied is not None
    await merge_exact(context, response, replied)
    return await service.say_unfollowed(context, meant, found, response)


async def test_what_the_server_knows_to_be_something_else_leaves_it_exact(
    checkout: Checkout,
) -> None:
    servers = Loaded({"c.py": ("other.py", 2, 8, 14)})
    said = await answer(checkout, servers)

    assert (said.precision, said.complete, said.notice) == ("exact", True, None)
    assert [(q.path, q.line, q.column) for q, _ in servers.asked] == [("c.py", 2, 10)]


async def test_a_place_that_the_server_leads_to_it_from_is_missing(checkout: Checkout) -> None:
    said = await answer(checkout, Loaded({"c.py": ("a.py", 2, 8, 14)}))

    assert (said.precision, said.complete) == ("partial", False)
    assert "ty does not name c.py:2, though it says that it is meant there" in (said.notice or "")


async def test_a_place_of_which_the_server_knows_nothing_is_told(checkout: Checkout) -> None:
    said = await answer(checkout, Loaded(None))

    assert (said.precision, said.complete) == ("partial", False)
    assert "not followed (c.py:2), nor known to ty" in (said.notice or "")


async def test_places_that_are_not_followed_are_told_where_no_server_can_be_asked(
    checkout: Checkout,
) -> None:
    await checkout.write(
        {"near.py": "def near():\n    pass\n", "d.py": "import near\n\nnear.opened()\n"}
    )
    said = await answer(checkout, Loaded(None, runs=False))

    assert (said.precision, said.complete) == ("partial", False)
    assert "not followed (d.py:3)" in (said.notice or "")


class Slow(Loaded):
    """Reads a project for ever, before it says what stands in a file."""

    async def ask(
        self, asked: ExactQuestion, editor: EditorChannel | None, *, wait_s: float
    ) -> ExactReply | None:
        if asked.question == "definition":
            await asyncio.Event().wait()
        return await super().ask(asked, editor, wait_s=wait_s)


async def test_a_place_of_which_the_server_says_nothing_in_time_is_told(
    checkout: Checkout, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(doubts, "ASKING_S", 0.05)
    said = await answer(checkout, Slow(None))

    assert (said.precision, said.complete) == ("partial", False)
    assert "ty has not said in time what is meant at c.py:2" in (said.notice or "")


OVERRIDING = {
    "a.go": "package m\ntype Opens interface{ Open() }\ntype Box struct{}\n"
    "func (b *Box) Open() {}\nfunc use(it Opens, b *Box) {\n\tit.Open()\n\tb.Open()\n}\n",
    "go.mod": "module m\n",
}


async def test_a_servers_place_that_is_of_an_interface_is_said_and_left_out(
    tmp_path: Path,
) -> None:
    checkout = await Checkout.open(tmp_path)
    await checkout.write(OVERRIDING)
    replied = ExactReply([("a.go", 6, 4, 8), ("a.go", 7, 3, 7)], complete=True, server="gopls")
    service = checkout.service(Loaded({}))
    context = await service.query_context(str(checkout.root), None)
    meant = await context.meant(references("Box.Open"))
    found = await uses(context, meant)
    response = await service.respond(context, meant, found, 100)
    await merge_exact(context, response, replied, nodes=meant.nodes)
    await checkout.close()

    assert [item.line for item in response.results] == [7]
    assert (response.precision, response.complete) == ("exact", False)
    assert response.notice == "1 use is of a.go::Opens.Open, as which it may run: a.go:6"
