"""A language server that accepts `initialize` and never answers it: a second in all, once."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path
from statistics import median
from typing import Any

import pytest

from surveyor.lsp.relay import INDEXED, SILENT_S
from tests.lsp.conftest import EVERYTHING, MakeFake, Start, limits, write
from tests.lsp.rawclient import RawEditor, place
from tests.servers.support import until

WITH_INDEX = ["textDocument/hover", *sorted(m for m in INDEXED if m.startswith("textDocument/"))]
"""What the index can answer: for anything else the editor waits until it cancels."""

IN_ALL_S = 10 * SILENT_S
"""What a busy machine may make of one second; waiting each time would be twice this and more."""


async def seconds_of(editor: RawEditor, method: str, uri: str) -> float:
    begun = time.monotonic()
    await editor.request(method, {**place(uri, 0, 1), "context": {}})
    return time.monotonic() - begun


async def test_a_hanging_initialize_costs_all_answers_together_a_second(
    window: Start, project: Path, fake: MakeFake
) -> None:
    made = fake(
        {"initialize_never": True, "capabilities": EVERYTHING},
        timeouts=limits(silent=SILENT_S, initialize=600),
    )
    path = project / "a.fake"
    path.write_text("word")
    editor = await window(project)
    uri = editor.open(path, "fake")
    await until(lambda: made.received("initialize"))
    spent = [await seconds_of(editor, method, uri) for method in WITH_INDEX * 3]
    assert sum(spent) < IN_ALL_S, spent
    assert not made.received("exit")  # it is still waited for, but by no answer
    assert median(spent) < SILENT_S / 2, spent


async def test_questions_asked_at_once_wait_together_and_the_next_not_at_all(
    window: Start, project: Path, fake: MakeFake
) -> None:
    fake(
        {"initialize_never": True, "capabilities": EVERYTHING},
        timeouts=limits(silent=SILENT_S, initialize=600),
    )
    write(project, {"a.fake": "word", "b.fake": "word"})
    editor = await window(project)
    uris = [editor.open(project / name, "fake") for name in ("a.fake", "b.fake")]
    begun = time.monotonic()
    await asyncio.gather(
        *(seconds_of(editor, method, uri) for method in WITH_INDEX for uri in uris)
    )
    assert time.monotonic() - begun < IN_ALL_S
    spent = [await seconds_of(editor, "textDocument/definition", uris[1]) for _ in range(5)]
    assert median(spent) < SILENT_S / 2


async def test_a_server_that_starts_late_is_asked_once_it_is_there(
    window: Start, project: Path, fake: MakeFake
) -> None:
    sign = project / "go"
    answers: dict[str, Any] = {"textDocument/definition": [{"result": []}]}
    fake(
        {"initialize_when": str(sign), "answers": answers},
        timeouts=limits(silent=SILENT_S, initialize=600),
    )
    path = project / "a.fake"
    path.write_text("word")
    editor = await window(project)
    uri = editor.open(path, "fake")
    for _ in range(3):
        assert await editor.at("textDocument/definition", uri, 0, 1) is None
    sign.touch()
    await editor.wait_upstream("fake")
    await editor.eventually("textDocument/definition", place(uri, 0, 1), lambda a: a == [])


@pytest.mark.parametrize("silent", ["textDocument/hover", "textDocument/references"])
async def test_a_server_that_hangs_later_costs_a_second_once_too(
    window: Start, project: Path, fake: MakeFake, silent: str
) -> None:
    fake(
        {"capabilities": EVERYTHING, "answers": {silent: [{"never": True}]}},
        timeouts=limits(silent=SILENT_S, **{silent: 600}),
    )
    path = project / "a.fake"
    path.write_text("word")
    editor = await window(project)
    uri = editor.open(path, "fake")
    await editor.wait_upstream("fake")
    spent = [await seconds_of(editor, silent, uri) for _ in range(20)]
    assert sum(spent) < IN_ALL_S, spent
    assert median(spent) < SILENT_S / 2, spent
