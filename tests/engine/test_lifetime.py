"""How long an engine is in use, and that it stops once."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from surveyor.engine.app import Engine
from surveyor.engine.operations import Caller, Operation
from surveyor.engine.process.lifetime import Lifetime
from surveyor.protocol.engine import StatusRequest


async def test_an_engine_is_in_use_for_as_long_as_it_answers() -> None:
    lifetime = Lifetime()
    with lifetime.answering():
        with lifetime.answering():
            pass
        assert lifetime.untouched_s == 0.0
    assert lifetime.untouched_s > 0.0


async def test_what_a_session_looks_at_by_itself_is_no_use_of_the_engine() -> None:
    seen: list[float] = []

    async def handle(request: StatusRequest, call: Caller) -> None:
        seen.append(lifetime.untouched_s)

    lifetime = Lifetime()
    lifetime._last_touch -= 100.0
    engine: Any = SimpleNamespace(
        lifetime=lifetime,
        operations={"status": Operation(StatusRequest, handle)},
        settings=SimpleNamespace(engine=SimpleNamespace(request_timeout=5.0)),
    )
    await Engine.answer(engine, "status", b"{}", Caller(is_look=True))
    assert seen[0] > 99.0 and lifetime.untouched_s > 99.0
    await Engine.answer(engine, "status", b"{}", Caller())
    assert seen[1] == 0.0 and lifetime.untouched_s < 99.0


async def test_a_lifetime_stops_once() -> None:
    stopped: list[str] = []
    lifetime = Lifetime(lambda: stopped.append("now"))
    lifetime.stop("asked to")
    lifetime.stop("again")
    assert stopped == ["now"]
    assert lifetime.stopping.is_set()
