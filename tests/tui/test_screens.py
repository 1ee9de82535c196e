"""Screens of the UI with an engine that answers from a table: what is shown, and what keys do."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, TypeAlias

import msgspec
import pytest
from textual.pilot import Pilot
from textual.widgets import Input

from surveyor.errors import EngineUnavailableError, NotFoundError, SurveyorError
from surveyor.protocol.engine import StatusRequest
from surveyor.protocol.graph import ImpactRequest
from surveyor.protocol.projects import IndexProgressRequest, IndexRequest, IndexResponse
from surveyor.protocol.search import RetrieveRequest, SearchRequest
from surveyor.tui import app as app_module
from surveyor.tui import finder, live_view, preview
from surveyor.tui.app import SurveyorApp
from tests.tui.fake_engine import CODE, PROJECT, ROOT, SEARCH, STATUS, FakeEngine, result
from tests.tui.screen import SCREENS, faint, lines

SIZES = {"80x24": (80, 24), "120x40": (120, 40)}
LEGIBLE = 4.5
"""Contrast of text that can be read, by WCAG's level AA."""
Screen: TypeAlias = Pilot[None]


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """No pauses, and the clock of Greenwich."""
    monkeypatch.setattr(finder, "DEBOUNCE_S", 0.0)
    monkeypatch.setattr(preview, "SETTLE_S", 0.0)
    for module, name in (
        (app_module, "IDLE_S"),
        (app_module, "BUSY_S"),
        (app_module, "LOST_S"),
        (live_view, "LIVE_S"),
    ):
        monkeypatch.setattr(module, name, 0.2)
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@asynccontextmanager
async def shown(
    engine: FakeEngine, size: str = "80x24", **options: Any
) -> AsyncIterator[tuple[SurveyorApp, Screen]]:
    app = SurveyorApp(engine, ROOT, **options)
    async with app.run_test(size=SIZES[size], notifications=True) as pilot:
        yield app, pilot


async def until(pilot: Screen, text: str) -> str:
    """The screen, once `text` is on it."""
    for _ in range(600):
        await asyncio.sleep(0.03)
        screen = "\n".join(lines(pilot.app))
        if text in screen:
            return screen
    raise AssertionError(f"this did not come:\n{text}\nbut this:\n{screen}")


async def look(pilot: Screen, size: str, view: str) -> None:
    """Wait for the stored screen (`UPDATE_SCREENS=1` stores it), and see that it can be read."""
    stored = SCREENS / f"{view}-{size}.txt"
    if os.environ.get("UPDATE_SCREENS"):
        await pilot.pause(1.0)
        stored.write_text("\n".join(lines(pilot.app)) + "\n", encoding="utf-8")
    await until(pilot, stored.read_text(encoding="utf-8").rstrip("\n"))
    assert faint(pilot.app, LEGIBLE) == {}


@pytest.mark.parametrize("size", SIZES)
async def test_every_view_looks_as_stored_and_can_be_read(size: str) -> None:
    engine = FakeEngine()
    async with shown(engine, size, question="vat") as (app, pilot):
        await until(pilot, "def total_price")
        await look(pilot, size, "search")
        await pilot.press("f2", "t")
        await until(pilot, "total_items")
        await look(pilot, size, "symbols")
        await pilot.press("ctrl+t")
        await until(pilot, "tests/test_cart.py")
        await look(pilot, size, "impact")
        await pilot.press("f4")
        await until(pilot, "3 results")
        await look(pilot, size, "agents")
        await pilot.press("f5")
        await until(pilot, "basedpyright")
        await look(pilot, size, "status")
        await pilot.press("ctrl+l")
        assert not app.current_theme.dark
        await look(pilot, size, "status")
        for key, text, view in (
            ("f1", "62 results", "search"), ("f2", "2 definitions", "symbols"),
            ("f3", "tests/test_cart.py", "impact"), ("f4", "3 results", "agents"),
        ):  # fmt: skip
            await pilot.press(key)
            await until(pilot, text)
            await look(pilot, size, view)


async def test_a_newer_question_cancels_the_one_before() -> None:
    engine = FakeEngine()
    engine.delay_s = 30
    async with shown(engine) as (_, pilot):
        engine.asked.clear()
        await pilot.press("a")
        await pilot.pause(0.05)
        await pilot.press("b")
        await pilot.pause(0.05)
        asked = [each.query for each in engine.asked if isinstance(each, SearchRequest)]
        cancelled = [each.query for each in engine.cancelled if isinstance(each, SearchRequest)]
        assert (asked, cancelled) == (["a", "ab"], ["a"])
        assert pilot.app.query_one(Input).value == "ab"


async def test_modes_follow_each_other_and_ask_again() -> None:
    engine = FakeEngine()
    async with shown(engine, question="x") as (_, pilot):
        await until(pilot, "62 results")
        await pilot.press(*["ctrl+o"] * 3)
        assert "literal" in await until(pilot, "literal")
        modes = [each.mode for each in engine.asked if isinstance(each, SearchRequest)]
        assert modes[-1] == "literal"


SAID: list[tuple[Any, str]] = [
    (NotFoundError("nothing here", "Index it."), "nothing here. Index it."),
    (SurveyorError("the pattern is \x1b[2Jbad"), r"the pattern is \x1b[2Jbad"),
    (msgspec.structs.replace(SEARCH, results=[]), "Nothing found"),
    (
        msgspec.structs.replace(SEARCH, results=[], notice="Nothing found in web."),
        "\n Nothing found in web  12 ms",
    ),
    (TimeoutError(), "no answer within"),
    (msgspec.structs.replace(SEARCH, status="indexing", message="9 wait"), "[indexing] 9 wait"),
]


async def test_what_there_is_to_say_is_said() -> None:
    engine = FakeEngine()
    async with shown(engine) as (_, pilot):
        for answer, said in SAID:
            engine.answers[SearchRequest] = answer
            await pilot.press("x")
            await until(pilot, said)
        engine.answers[RetrieveRequest] = NotFoundError(".env is not in the index (secret)")
        await pilot.press("down")
        await until(pilot, ".env is not in the index (secret)")


async def test_a_folder_that_is_not_indexed_is_indexed_by_a_key_and_asked_again() -> None:
    engine = FakeEngine()
    engine.answers[StatusRequest] = NotFoundError("in no indexed project")
    engine.answers[SearchRequest] = NotFoundError("in no indexed project")
    async with shown(engine, question="price") as (_, pilot):
        await until(pilot, "not indexed: Ctrl+Y")

        def register(request: IndexRequest) -> IndexResponse:
            assert (request.path, request.explicit) == (ROOT, False)
            busy = msgspec.convert(PROJECT | {"status": "indexing"}, type(STATUS.projects[0]))
            engine.answers[StatusRequest] = msgspec.structs.replace(STATUS, projects=[busy])
            return IndexResponse(root=ROOT, project="p", project_id="p", checkout_id="c", run=1)

        engine.answers[IndexRequest] = register
        await pilot.press("ctrl+y")
        await until(pilot, "indexing 37/120  shop")
        engine.answers[IndexProgressRequest] = NotFoundError("no run yet")
        await until(pilot, "waiting  shop")
        engine.answers[SearchRequest] = SEARCH
        engine.answers[StatusRequest] = STATUS
        await until(pilot, "62 results")
        assert "healthy  shop" in lines(pilot.app)[0]


async def test_an_engine_that_goes_away_is_said_and_what_comes_back_answers() -> None:
    engine = FakeEngine()
    engine.connected = False
    async with shown(engine, question="price") as (_, pilot):
        await until(pilot, "starting the engine")
        engine.last_error = EngineUnavailableError("the disk is full")
        await until(pilot, "the disk is full")
        engine.connected = True
        engine.handler(True)
        await until(pilot, "62 results")
        engine.connected = False
        engine.handler(False)
        await pilot.press("f5")
        await until(pilot, "the disk is full")


async def test_what_was_asked_of_no_engine_is_asked_again_in_a_folder_that_is_not_indexed() -> None:
    engine = FakeEngine()
    engine.answers[StatusRequest] = NotFoundError("in no indexed project")
    engine.answers[SearchRequest] = EngineUnavailableError("no engine is connected")
    engine.connected = False
    async with shown(engine, question="price") as (_, pilot):
        await until(pilot, "no engine is connected")
        engine.answers[SearchRequest] = NotFoundError("this folder is not indexed")
        engine.connected = True
        engine.handler(True)
        await until(pilot, "this folder is not indexed")


@pytest.fixture
def shop(tmp_path: Path) -> FakeEngine:
    """Results of a folder that is there."""
    (tmp_path / "cart.py").write_text(CODE)
    engine = FakeEngine()
    one = msgspec.convert(
        result("cart.py", 7, "total_price", root=str(tmp_path)), type(SEARCH.results[0])
    )
    gone = msgspec.convert(
        result("gone.py", 1, "gone", root=str(tmp_path)), type(SEARCH.results[0])
    )
    engine.answers[SearchRequest] = msgspec.structs.replace(SEARCH, results=[one, gone])
    return engine


async def test_why_no_editor_opens_is_said(shop: FakeEngine) -> None:
    environment: dict[str, str] = {}
    async with shown(shop, "120x40", question="x", environment=environment) as (_, pilot):
        await until(pilot, "def total_price")
        await pilot.press("enter")
        await until(pilot, "cart.py:7: no editor is set")
        for editor, said in (
            ("/no/such/editor", "there is no program"), ("vi '", "is no command"),
        ):  # fmt: skip
            environment["EDITOR"] = editor
            await pilot.press("enter")
            await until(pilot, said)
        environment["EDITOR"] = "true"
        await pilot.press("down", "enter")
        await until(pilot, "gone.py is not there")


async def test_a_click_highlights_and_a_double_click_opens(
    shop: FakeEngine, tmp_path: Path
) -> None:
    seen = tmp_path / "seen"
    editor = tmp_path / "code"
    editor.write_text(f'#!/bin/sh\necho "$@" > {seen}.new; mv {seen}.new {seen}\n')
    editor.chmod(0o755)
    async with shown(shop, question="x", environment={"VISUAL": str(editor)}) as (_, pilot):
        await until(pilot, "def total_price")
        await pilot.click("ResultList", offset=(4, 1))
        await until(pilot, "2 results")
        assert not seen.exists()
        await pilot.click("ResultList", offset=(4, 0), times=2)
        for _ in range(300):
            if seen.exists():
                break
            await pilot.pause(0.01)
        assert seen.read_text() == f"--goto {tmp_path}/cart.py:7\n"


async def test_tabs_are_clicked_and_impact_of_nothing_is_that_of_the_change() -> None:
    engine = FakeEngine()
    async with shown(engine) as (_, pilot):
        await pilot.click("#tab-ImpactView")
        await pilot.press("enter")
        await until(pilot, "Depends on it (4)")
        (asked,) = [each for each in engine.asked if isinstance(each, ImpactRequest)]
        assert (asked.name, asked.diff) == ("", "working")
        engine.answers[ImpactRequest] = NotFoundError("no such name")
        await pilot.press("escape", *"nothing", "enter")
        await until(pilot, "no such name")
