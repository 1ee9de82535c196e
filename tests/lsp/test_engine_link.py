"""An engine that starts is waited for by what needs it, within bounds, and no longer."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from surveyor.errors import EngineUnavailableError
from surveyor.lsp import engine_link
from surveyor.lsp.engine_link import EngineLink
from surveyor.lsp.surveyor_requests import SurveyorRequests
from surveyor.protocol.engine import StatusRequest

REQUEST = StatusRequest()
ANSWER: Any = object()


class Client:
    """Stands in for the session with the engine; `found` and `lost` are what becomes of it."""

    def __init__(self, hello: Any) -> None:
        self.connected = False
        self.last_error = None
        self.tell: Callable[[bool], None] = lambda connected: None
        self.asked = 0

    def on(self, name: str, handler: Any) -> None: ...

    def open(self) -> None: ...

    def on_connection(self, handler: Callable[[bool], None]) -> None:
        self.tell = handler

    def found(self) -> None:
        self.connected = True
        self.tell(True)

    def lost(self) -> None:
        self.connected = False
        self.tell(False)

    async def call(self, request: Any, *, timeout_s: float | None) -> Any:
        self.asked += 1
        if self.asked == 1:
            self.lost()
            raise EngineUnavailableError("the engine went away")
        return ANSWER

    async def close(self) -> None: ...


@pytest.fixture
async def link(monkeypatch: pytest.MonkeyPatch) -> tuple[EngineLink, Client]:
    made: list[Client] = []

    def client(hello: Any) -> Client:
        made.append(Client(hello))
        return made[0]

    monkeypatch.setattr(engine_link, "AsyncClient", client)
    link = EngineLink(on_state=lambda up, why: None, on_notification={}, on_request={})
    link.start([])
    return link, made[0]


async def waiting(asked: asyncio.Future[Any]) -> bool:
    """Whether a call still waits when everything that can run has run."""
    for _ in range(10):
        await asyncio.sleep(0)
    return not asked.done()


async def test_a_call_waits_for_an_engine_that_starts_and_for_the_next(
    link: tuple[EngineLink, Client],
) -> None:
    index, client = link
    client.asked = 1
    for _ in range(2):
        asked = asyncio.ensure_future(index.call(REQUEST, limit_s=None))
        assert await waiting(asked)
        client.found()
        assert await asked is ANSWER
        client.lost()
    await index.close()


async def test_one_that_does_not_come_is_waited_for_within_bounds(
    link: tuple[EngineLink, Client], monkeypatch: pytest.MonkeyPatch
) -> None:
    index, client = link
    monkeypatch.setattr(engine_link, "PATIENCE_S", 0.0)
    client.found()
    client.lost()
    with pytest.raises(EngineUnavailableError):
        await index.call(REQUEST, limit_s=None)
    asked = asyncio.ensure_future(index.call(REQUEST, limit_s=None))
    assert not await waiting(asked), "once it has been waited for in vain, nothing waits"
    with pytest.raises(EngineUnavailableError):
        await asked
    await index.close()


@pytest.mark.parametrize(("name", "again"), [("rules", True), ("reindex", False)])
async def test_what_only_reads_is_asked_again_of_the_next_engine(
    link: tuple[EngineLink, Client], name: str, again: bool
) -> None:
    index, client = link
    requests = SurveyorRequests.__new__(SurveyorRequests)
    requests._index = index
    requests._projects = SimpleNamespace(settled=index.settled)  # type: ignore[assignment]

    async def serve(_: Any) -> Any:
        return await index.call(REQUEST, limit_s=None)

    requests._table = {name: (dict, serve)}
    client.found()
    asked = asyncio.ensure_future(requests.run(name, b"{}"))
    if again:
        assert await waiting(asked) and client.asked == 1
        client.found()
        assert await asked is ANSWER
    else:
        assert not await waiting(asked)
        assert "went away" in str(asked.exception())
    await index.close()
