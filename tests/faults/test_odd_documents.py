"""What clients say wrongly of documents, and places: answered about the text that they have."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from surveyor.servers.errors import INVALID_PARAMS, ResponseError
from surveyor.servers.uris import to_uri
from tests.lsp.conftest import (  # noqa: F401  (fixtures)
    EVERYTHING,
    MakeFake,
    Start,
    data,
    fake,
    project,
    window,
)
from tests.lsp.rawclient import RawEditor, place
from tests.servers.support import until

TEXT = "def Cart() -> int:\n    return 1\n"
FULL = {"mode": "full", "trusted": True, "upstream": {"python": {"server": "ty"}}}
FILES = 1000


@pytest.fixture
async def editor(window: Start, project: Path) -> RawEditor:  # noqa: F811
    (project / "sp ace(1)é.py").write_text(TEXT)
    return await window(project, options=FULL)


def tell(editor: RawEditor, what: str, uri: str, **more: Any) -> None:
    document = {"uri": uri, **more.pop("document", {})}
    editor.session.notify(f"textDocument/{what}", {"textDocument": document, **more})


def change(editor: RawEditor, uri: str, version: int, *changes: dict[str, Any]) -> None:
    tell(editor, "didChange", uri, document={"version": version}, contentChanges=list(changes))


def span(*places: int) -> dict[str, Any]:
    line, character, last, end = places
    start = {"line": line, "character": character}
    return {"start": start, "end": {"line": last, "character": end}}


async def names(editor: RawEditor, uri: str) -> list[str]:
    about = {"textDocument": {"uri": uri}}
    found = await editor.request("textDocument/documentSymbol", about)
    return [each["name"] for each in found]


async def test_edits_with_odd_versions_and_places_are_the_same_text_in_the_server(
    editor: RawEditor,
    project: Path,  # noqa: F811
) -> None:
    uri = editor.open(project / "shop" / "new.py", "python", TEXT, version=7)
    change(editor, uri, 3, {"text": TEXT + "old = Cart()\n"})  # a version that goes back
    assert await names(editor, uri) == ["Cart", "old"]
    change(editor, uri, 3, {"range": span(999, 0, 1000, 5), "text": "late = 1\n"})  # beyond the end
    assert await names(editor, uri) == ["Cart", "old", "late"]
    change(editor, uri, 9, {"range": span(0, 8, 0, 4), "text": "Bag"})  # its end before its start
    assert await names(editor, uri) == ["Bag", "old", "late"]
    other = to_uri(project / "shop" / "retry.py")
    change(editor, other, 2, {"text": "nothing = 1\n"})  # of what is not open
    tell(editor, "didSave", other)
    tell(editor, "didClose", other)
    assert await names(editor, other) == ["call_again"]


async def test_places_that_are_none_cost_one_answer(editor: RawEditor, project: Path) -> None:  # noqa: F811
    uri = editor.open(project / "shop" / "price.py", "python")
    methods = ("hover", "definition", "references", "completion", "rename", "prepareRename")
    for where in ((10**6, 0), (3, 10**6), (-1, -1), (2**31, 0), (2**53, 1), (1.5, 0), (None, "a")):
        at: dict[str, Any] = {**place(uri, 0, 0), "newName": "x"}
        at["position"] = dict(zip(("line", "character"), where, strict=True))
        at["context"] = {"includeDeclaration": True}
        for method in methods:
            try:
                await editor.request(f"textDocument/{method}", at)
            except ResponseError as error:
                assert error.number in (INVALID_PARAMS, -32600, -32603, -32803), (method, where)
    assert "total" in json.dumps(await editor.at("textDocument/hover", uri, 3, 5))


async def test_a_file_is_the_open_one_however_it_is_spelled(
    editor: RawEditor,
    project: Path,  # noqa: F811
) -> None:
    path = project / "sp ace(1)é.py"
    uri = editor.open(path, "python", TEXT + "unsaved = Cart()\n")
    folder = to_uri(project)
    for spelled in (
        f"{folder}/sp%20ace%281%29%C3%A9.py",
        f"{folder}/sp ace(1)é.py",
        f"{folder}/%73p%20ace(1)%c3%a9.py",
        folder.replace("file://", "FILE://") + "/sp%20ace(1)%C3%A9.py",
        folder.replace("file://", "file://localhost") + "/sp%20ace(1)%C3%A9.py",
        f"{folder}/./sp%20ace(1)%C3%A9.py",
    ):
        assert await names(editor, spelled) == ["Cart", "unsaved"], spelled
    assert await names(editor, uri) == ["Cart", "unsaved"]
    for method in ("hover", "definition", "completion", "documentSymbol"):
        for none in ("", "a.py"):
            with pytest.raises(ResponseError, match=r"uri is missing|no URI") as refused:
                await editor.request(f"textDocument/{method}", place(none, 0, 0))
            assert refused.value.number == INVALID_PARAMS
    for nobodys in ("file:///C:/a.py", "file:///c%3A/a.py", f"{folder}/%00.py", f"{folder}/%E9.py"):
        assert await editor.at("textDocument/hover", nobodys, 0, 0) is None
    assert await names(editor, uri) == ["Cart", "unsaved"]


async def test_a_thousand_documents_at_once_are_open_and_closed(
    editor: RawEditor,
    project: Path,  # noqa: F811
) -> None:
    folder = to_uri(project)
    opened = [f"{folder}/many{number}.py" for number in range(FILES)]
    for number, uri in enumerate(opened):
        text = f"def many{number}(): ...\n"
        item = {"languageId": "python", "version": 1, "text": text}
        tell(editor, "didOpen", uri, document=item)
    for number in (FILES - 1, 0, FILES // 2):
        assert await names(editor, opened[number]) == [f"many{number}"]
    for uri in opened:
        tell(editor, "didClose", uri)
    status = await editor.request("surveyor/status", {})
    assert [each["state"] for each in status["upstreams"]] == ["ready"]
    for number in (0, FILES - 1):
        about = {"textDocument": {"uri": opened[number]}}
        assert not await editor.request("textDocument/documentSymbol", about), "there is no file"


async def test_two_requests_of_one_id_and_a_close_meanwhile_are_answered(
    window: Start,  # noqa: F811
    project: Path,  # noqa: F811
    fake: MakeFake,  # noqa: F811
) -> None:
    made = fake(
        {
            "capabilities": {**EVERYTHING, "completionProvider": {}},
            "answers": {
                "textDocument/completion": [{"result": [], "when": str(project / "go")}],
                "textDocument/hover": [{"result": {"contents": "it"}}],
            },
        }
    )
    editor = await window(project, options={"mode": {"fake": "full"}})
    uri = editor.open(project / "a.fake", "fake", "word")
    await editor.wait_upstream("fake")
    number, first = editor.session.send(
        "textDocument/completion", json.dumps(place(uri, 0, 1)).encode()
    )
    await until(lambda: made.received("textDocument/completion"))
    numbers: tuple[Any, ...] = (10**9, "nobody's", None, [], {})
    for odd in numbers:
        editor.session.notify("$/cancelRequest", {"id": odd})
    tell(editor, "didClose", uri)
    heard = len(editor.told)
    again = {"jsonrpc": "2.0", "id": number, "method": "surveyor/status", "params": {}}
    body = json.dumps(again).encode()
    editor.process.writer.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
    status = json.loads(bytes(await asyncio.wait_for(first, 60)))
    assert status["upstreams"][0]["name"], "the second is answered at once, under its id"
    (project / "go").write_text("")
    assert await editor.request("surveyor/status", {}), "and the first's answer harms nobody"
    assert heard <= len(editor.told)
