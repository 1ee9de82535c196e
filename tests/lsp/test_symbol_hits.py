"""Symbols of the index and of servers: each is told once, and answers come in order."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from itertools import permutations
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import msgspec
import pytest

from surveyor.errors import EngineUnavailableError
from surveyor.lsp import symbols
from surveyor.lsp.engine_link import PATIENCE_S
from surveyor.lsp.kinds import number
from surveyor.lsp.settings import EditorSettings
from surveyor.lsp.symbols import CLOSE, SymbolHit, WorkspaceSymbols, deduplicate
from surveyor.protocol.search import SymbolItem
from surveyor.servers.upstream import ServerAnswer

CLASS, METHOD, CONSTRUCTOR = number("class"), number("method"), number("constructor")


def hit(line: int, end: int | None = None, **more: Any) -> SymbolHit:
    """One of a name in a file: the index's, or a server's where it has an end."""
    made: dict[str, Any] = {
        "group": CLOSE,
        "order": 0.0,
        "name": "changed",
        "kind": METHOD,
        "container": "",
        "uri": "file:///a.py",
        "line": line,
        "column": 4,
        "end_line": line if end is None else end,
        "end_column": 20,
        "upstream": end is not None,
    }
    return SymbolHit(**made | more)


def joined(*hits: SymbolHit) -> list[tuple[str, str]]:
    """Containers and details of what is left, the same whichever source is ranked first."""
    answers = []
    for order in permutations(map(float, range(len(hits)))):
        ranked = [replace(each, order=at) for each, at in zip(hits, order, strict=True)]
        answers.append(
            sorted((one.container, one.detail) for one in deduplicate(ranked, "changed"))
        )
    assert answers == answers[:1] * len(answers)
    return answers[0]


def test_a_server_that_begins_at_a_decorator_means_the_same() -> None:
    ours = hit(61, container="Cart", detail="def changed(self)")
    assert joined(ours, hit(53, 66)) == [("Cart", "def changed(self)")]


def test_who_knows_the_container_says_it() -> None:
    assert joined(hit(52, container="Cart"), hit(52, 52)) == [("Cart", "")]
    assert joined(hit(52, detail="def x()"), hit(51, 60, container="Cart")) == [("Cart", "def x()")]


@pytest.mark.parametrize("kind", [CONSTRUCTOR, METHOD])
def test_what_stands_in_a_type_of_its_name_is_not_the_type(kind: int) -> None:
    assert len(joined(hit(10, 40, kind=CLASS), hit(12, kind=kind))) == 2


def test_a_function_within_one_of_its_name_is_another() -> None:
    outer = hit(10), hit(9, 30)
    assert len(joined(*outer, hit(15), hit(15, 18))) == 2


def test_other_files_and_names_are_others() -> None:
    assert len(joined(hit(10), hit(8, 12, uri="file:///b.py"))) == 2
    assert len(joined(hit(10), hit(8, 12, name="other"))) == 2


class Servers:
    """The index, which has no name, and one server, which answers when it is let."""

    def __init__(self) -> None:
        self.asked: dict[str, asyncio.Event] = {}
        self.language = "python"

    up, starts = True, False

    async def call(self, request: Any, limit_s: float) -> Any:
        return SimpleNamespace(names=[], meant=[])

    def all(self) -> list[Any]:
        return [self]

    def sought(self) -> list[Any]:
        return []

    async def wait_running(self, *waits_s: float) -> None:
        pass

    async def request(self, method: str, params: Any, timeout: float) -> Any:
        query = params["query"]
        await self.asked.setdefault(query, asyncio.Event()).wait()
        where = {"uri": "file:///a.py", "range": {"start": {"line": 1, "character": 0}}}
        found = [{"name": f"{query}_it", "kind": 12, "location": where}]
        return SimpleNamespace(value=lambda: found)


async def configured() -> None:
    """The editor has said its settings."""


def made(servers: Any) -> WorkspaceSymbols:
    folders = [Path("/nowhere")]
    return WorkspaceSymbols(servers, lambda: folders, lambda: servers, EditorSettings, configured)


async def answers_of(servers: Servers, *queries: str) -> list[tuple[str, list[str]]]:
    """Names that were found, in the order of the answers; the last of the questions is let."""
    symbols, order = made(servers), []

    async def ask(query: str) -> None:
        found = await symbols.find(query)
        order.append((query, [symbol["name"] for symbol in found]))

    async with asyncio.TaskGroup() as group:
        for query in queries:
            group.create_task(ask(query))
        while len(servers.asked) < len(queries):
            await asyncio.sleep(0)
        servers.asked[queries[-1]].set()
    return order


async def test_an_earlier_question_is_answered_before_a_later_one() -> None:
    """Kate shows the answer that comes last, though it be that to the first letters."""
    found = await answers_of(Servers(), "c", "ch", "che", "check")
    assert found == [("c", []), ("ch", []), ("che", []), ("check", ["check_it"])]


async def test_questions_asked_at_once_are_all_answered_in_full() -> None:
    servers = Servers()
    servers.asked = {query: asyncio.Event() for query in ("cart", "order")}
    servers.asked["cart"].set()
    found = await answers_of(servers, "cart", "order")
    assert found == [("cart", ["cart_it"]), ("order", ["order_it"])]


async def test_who_takes_a_question_back_holds_up_nobody() -> None:
    servers = Servers()
    symbols = made(servers)
    taken_back = asyncio.ensure_future(symbols.find("c"))
    while not servers.asked:
        await asyncio.sleep(0)
    taken_back.cancel()
    servers.asked["ch"] = asyncio.Event()
    servers.asked["ch"].set()
    assert [symbol["name"] for symbol in await symbols.find("ch")] == ["ch_it"]


class Late(Servers):
    """An engine that takes longer to start than a list is waited for; no server knows anything."""

    up, starts = False, True

    async def call(self, request: Any, limit_s: float) -> Any:
        if limit_s < PATIENCE_S:
            raise EngineUnavailableError("it starts")
        found = SymbolItem(
            name="Cart", kind="class", container="", path="cart.py", start_line=3, end_line=9,
            line=3, column=1, end_column=5, language="python", signature=None, score=1.0,
            project="shop", root="/nowhere",
        )  # fmt: skip
        return SimpleNamespace(names=[found], meant=[])

    def all(self) -> list[Any]:
        return []


async def test_an_engine_that_opens_an_earlier_index_is_waited_for_where_nobody_else_knows() -> (
    None
):
    assert [each["name"] for each in await made(Late()).find("cart")] == ["Cart"]


class OneSymbolServer:
    """Interface: a language server that knows one symbol, and answers when it may."""

    language = "python"

    def __init__(self, name: str, may_answer: asyncio.Event) -> None:
        self._name, self._may_answer = name, may_answer

    async def wait_running(self, timeout: float, restart_s: float) -> None:
        """It runs."""

    async def request(self, method: str, params: Any, *, timeout: float) -> ServerAnswer:
        """Its symbol."""
        await self._may_answer.wait()
        span = {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 1}}
        location = {"uri": f"file:///{self._name}", "range": span}
        found = [{"name": self._name, "kind": 12, "location": location}]
        return ServerAnswer(msgspec.Raw(msgspec.json.encode(found)), True)


async def test_one_server_that_has_answered_does_not_silence_the_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Several folders have a server each: where there is no index they are all there is."""
    first, second = asyncio.Event(), asyncio.Event()
    servers = [OneSymbolServer("call_one", first), OneSymbolServer("call_two", second)]
    first.set()

    class Manager:
        """Interface: the two."""

        def all(self) -> list[OneSymbolServer]:
            """Both."""
            return servers

        def sought(self) -> list[Any]:
            """None is being looked for."""
            return []

    class NoIndex:
        """Interface: no engine."""

        starts = False

    async def configured() -> None:
        """At once."""

    monkeypatch.setattr(symbols, "UPSTREAM_WAIT_S", 0.0)
    monkeypatch.setattr(symbols, "OTHERS_S", 60.0)
    found = WorkspaceSymbols(
        cast(Any, NoIndex()), lambda: [], cast(Any, Manager), EditorSettings, configured
    )
    asking = asyncio.ensure_future(found.find("call"))
    for _ in range(20):
        await asyncio.sleep(0)
    assert not asking.done()
    second.set()
    assert {symbol["name"] for symbol in await asking} == {"call_one", "call_two"}
