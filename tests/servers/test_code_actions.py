"""Code actions of a scripted server: which are offered, and what one of them changes."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from surveyor.servers.code_actions import ActionError, ActionsAnswer, CodeActions
from surveyor.servers.manager import UpstreamConfig, UpstreamManager
from surveyor.servers.published_diagnostics import PublishedDiagnostics
from tests.servers.support import ALL, FAST, make_fake

TEXT = "import os\n\n\nprint(os)\n"
LINE = ((3, 0), (3, 9))


def span(line: int, first: int, last: int) -> dict[str, Any]:
    return {
        "start": {"line": line, "character": first},
        "end": {"line": line, "character": last},
    }


def edit(new: str) -> dict[str, Any]:
    return {"changes": {"$URI": [{"range": span(3, 0, 5), "newText": new}]}}


HERE = {"range": span(3, 6, 8), "message": "unused", "severity": 2, "data": 7}
ELSEWHERE = {"range": span(0, 0, 6), "message": "elsewhere", "severity": 2}
ACTIONS: list[dict[str, Any]] = [
    {"title": "Whole", "kind": "quickfix", "edit": edit("whole")},
    {"title": "Lazy", "kind": "refactor.extract", "data": 1},
    {"title": "Run it", "command": "fake.run", "arguments": [3]},
    {"title": "In the editor", "command": "editor.rename"},
    {"title": "Not now", "kind": "refactor", "disabled": {"reason": "no selection"}},
    {"title": "Twice", "edit": edit("one")},
    {"title": "Twice", "edit": edit("two")},
    {"title": "Same", "edit": edit("same")},
    {"title": "Same", "edit": edit("same")},
]
SCRIPT: dict[str, Any] = {
    "capabilities": {
        **ALL,
        "codeActionProvider": {"resolveProvider": True},
        "executeCommandProvider": {"commands": ["fake.run"]},
        "diagnosticProvider": {"interFileDependencies": False, "workspaceDiagnostics": False},
    },
    "answers": {
        "textDocument/diagnostic": [{"result": {"kind": "full", "items": [HERE, ELSEWHERE]}}],
        "textDocument/codeAction": [{"result": ACTIONS}],
        "codeAction/resolve": [{"result": {"title": "Lazy", "edit": edit("lazy")}}],
        "workspace/executeCommand": [
            {
                "before": [
                    {"id": 90, "method": "workspace/applyEdit", "params": {"edit": edit("run")}}
                ],
                "result": None,
            }
        ],
    },
}


@pytest.fixture
async def asking(tmp_path: Path) -> AsyncIterator[tuple[CodeActions, Any, Path]]:
    root = tmp_path
    fake = make_fake(root / "fake", SCRIPT)
    table = {
        "server": "fake",
        "command": list(fake.spec.command),
        "readiness": {"kind": "immediate"},
    }
    config = UpstreamConfig(upstream={"python": table}, trusted=lambda _: True, limits=FAST)
    host = PublishedDiagnostics()
    manager = UpstreamManager(config, host=host)
    (root / "a.py").write_text(TEXT)
    yield CodeActions(manager, host, defaultdict(asyncio.Lock)), fake, root
    await manager.close()


async def test_an_actions_edit_is_what_the_server_sends_however_it_sends_it(
    asking: tuple[CodeActions, Any, Path],
) -> None:
    actions, fake, root = asking

    async def ask(title: str) -> ActionsAnswer:
        return await actions.ask(root, {root / "a.py": TEXT}, LINE, title)

    listed = await ask("")
    assert [each.title for each in listed.offered] == [each["title"] for each in ACTIONS]
    assert not listed.edits
    for title, new in (
        ("whole", "whole"),
        ("  Lazy ", "lazy"),
        ("Run it", "run"),
        ("Same", "same"),
    ):
        (made,) = (await ask(title)).edits
        assert [each["newText"] for edits in made["changes"].values() for each in edits] == [new]
    told = fake.answered(90)
    assert told is not None and told["result"] == {"applied": True}
    asked = fake.received("textDocument/codeAction")[0]["params"]
    assert asked["context"]["diagnostics"] == [HERE], "those of the line, as they came"
    for title, said in (("Nowhere", "no action of that title"), ("Not now", "no selection")):
        answer = await ask(title)
        assert said in answer.lacks
        assert answer.offered
        assert not answer.edits
    for title, said in (("Twice", "2 actions"), ("In the editor", r"editor\.rename")):
        with pytest.raises(ActionError, match=said):
            await ask(title)
