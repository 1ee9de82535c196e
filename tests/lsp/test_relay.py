"""What is proxied: byte for byte, by mode and method, and what happens when a server cannot."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from surveyor.lsp.relay import SILENT_S
from surveyor.servers.errors import ResponseError
from surveyor.servers.uris import to_uri
from tests.lsp.conftest import BY_DOCUMENT, EVERYTHING, MakeFake, Start, limits, write
from tests.lsp.rawclient import place
from tests.servers.support import ALL, eventually, until

BY_ITEM = [
    "callHierarchy/incomingCalls",
    "callHierarchy/outgoingCalls",
    "typeHierarchy/supertypes",
    "typeHierarchy/subtypes",
]


async def test_a_server_that_reads_files_only_is_harmless_for_an_untitled_buffer(
    window: Start, project: Path, fake: MakeFake
) -> None:
    refusal = {"error": {"code": -32602, "message": "only 'file' URIs"}}
    method = "textDocument/definition"
    made = fake({"capabilities": EVERYTHING, "answers": {method: [refusal]}})
    editor = await window(project)
    path = project / "a.fake"
    path.write_text("word")
    uri = editor.open(path, "fake")
    await editor.wait_upstream("fake")
    untitled = {"uri": "untitled:Untitled-1", "languageId": "fake", "version": 1, "text": "word"}
    editor.session.notify("textDocument/didOpen", {"textDocument": untitled})
    assert await editor.at(method, "untitled:Untitled-1", 0, 1) is None
    assert made.received(method)
    with pytest.raises(ResponseError, match="only 'file'"):  # of a file it is the answer
        await editor.at(method, uri, 0, 1)


async def test_a_buffer_of_no_file_in_a_window_of_no_folder_has_a_server(
    window: Start, fake: MakeFake, data: Path
) -> None:
    answers = {"textDocument/definition": [{"result": [{"uri": "untitled:a", "range": {}}]}]}
    made = fake({"capabilities": EVERYTHING, "answers": answers})
    editor = await window()
    untitled = {"uri": "untitled:a", "languageId": "fake", "version": 1, "text": "word"}
    editor.session.notify("textDocument/didOpen", {"textDocument": untitled})
    assert await editor.at("textDocument/definition", "untitled:a", 0, 1)
    assert made.received("textDocument/didOpen")[0]["params"]["textDocument"]["text"] == "word"
    root = made.received("initialize")[0]["params"]["rootUri"]
    assert root == to_uri(data / "untitled") and not list((data / "untitled").iterdir())


async def test_an_editor_that_says_nothing_of_a_feature_gets_its_plainest_answers(
    window: Start, project: Path, fake: MakeFake
) -> None:
    span = {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 4}}
    tree = [{"name": "f", "kind": 12, "range": span, "selectionRange": span, "children": []}]
    hover = {"contents": {"kind": "markdown", "value": "```python\ndef f\n```"}}
    answers = {
        "textDocument/documentSymbol": [{"result": tree}],
        "textDocument/hover": [{"result": hover}],
    }
    made = fake({"capabilities": EVERYTHING, "answers": answers})
    path = project / "a.fake"
    path.write_text("word")
    options = {"mode": {"fake": "full"}, "hover": False}
    editor = await window(project, capabilities={}, options=options)
    uri = editor.open(path, "fake")
    symbols = await editor.request("textDocument/documentSymbol", {"textDocument": {"uri": uri}})
    assert symbols == [{"name": "f", "kind": 12, "location": {"uri": uri, "range": span}}]
    assert (await editor.at("textDocument/hover", uri, 0, 1))["contents"]["kind"] == "plaintext"
    told = made.received("initialize")[0]["params"]["capabilities"]["textDocument"]
    assert "codeActionLiteralSupport" not in told.get("codeAction", {})


async def test_for_a_sentence_a_server_is_believed_only_names_that_say_it(
    window: Start, project: Path, fake: MakeFake
) -> None:
    """Some servers give every name that has one of the words."""
    path = project / "a.fake"
    path.write_text("word")
    span = {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 4}}
    given = [
        {"name": name, "kind": 12, "location": {"uri": to_uri(path), "range": span}}
        for name in ("is", "isLogged", "rotate_log_file", "RotateLog", "log")
    ]
    provider = {**ALL, "workspaceSymbolProvider": True}
    fake({"capabilities": provider, "answers": {"workspace/symbol": [{"result": given}]}})
    editor = await window(project)
    editor.open(path, "fake")
    await editor.wait_upstream("fake")

    async def names(query: str) -> set[str]:
        found = await editor.request("workspace/symbol", {"query": query})
        return {item["name"] for item in found or []}

    await eventually(lambda: names("log"), lambda said: len(said) == len(given))
    wanted = {"rotate_log_file", "RotateLog"}
    await eventually(lambda: names("rotate log"), lambda said: said == wanted)


@pytest.mark.parametrize("method", BY_DOCUMENT + BY_ITEM)
async def test_a_proxied_answer_is_the_upstreams_byte_for_byte(
    window: Start, project: Path, fake: MakeFake, method: str
) -> None:
    result = [{"odd": {"kind": 999, "f": 1.50, "none": None, "text": "é😀\u2028"}, "x-vendor": []}]
    made = fake({"capabilities": EVERYTHING, "answers": {method: [{"result": result}]}})
    path = project / "a.fake"
    path.write_text("word")
    editor = await window(project)
    uri = editor.open(path, "fake")
    await editor.wait_upstream("fake")
    params: dict[str, Any] = place(uri, 0, 1)
    if method in BY_ITEM:
        params = {"item": {"uri": uri, "name": "x", "data": {"vendor": [1, None]}}}
    raw = await editor.raw(method, {**params, "x-extension": {"kept": True}})
    # Python's json of the fake server separates with spaces: these are its very bytes.
    assert raw == json.dumps(result).encode()
    assert made.received(method)[0]["params"] == {**params, "x-extension": {"kept": True}}


async def test_an_upstreams_error_reaches_the_editor_with_its_data(
    window: Start, project: Path, fake: MakeFake
) -> None:

    error = {"code": -32803, "message": "cannot", "data": {"why": [1]}}
    fake({"answers": {"textDocument/definition": [{"error": error}]}})
    path = project / "a.fake"
    path.write_text("word")
    editor = await window(project)
    uri = editor.open(path, "fake")
    await editor.wait_upstream("fake")
    with pytest.raises(ResponseError) as caught:
        await editor.at("textDocument/definition", uri, 0, 1)
    assert msgspec.json.decode(bytes(caught.value.raw or b"")) == error


async def test_edits_are_passed_on_in_order_before_the_next_request(
    window: Start, project: Path, fake: MakeFake
) -> None:
    made = fake({"answers": {"textDocument/hover": [{"result": None}]}})
    path = project / "a.fake"
    path.write_text("")
    editor = await window(project, options={"hover": False})
    uri = editor.open(path, "fake")
    await editor.wait_upstream("fake")
    waiting = []
    for version in range(2, 30):
        change = {
            "range": {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 0}},
            "text": f"{version} ",
        }
        editor.session.notify(
            "textDocument/didChange",
            {"textDocument": {"uri": uri, "version": version}, "contentChanges": [change]},
        )
        task = asyncio.ensure_future(editor.at("textDocument/hover", uri, 0, version))
        waiting.append(task)
        await asyncio.sleep(0)
    await asyncio.gather(*waiting)
    order = [
        entry["received"].get("params", {}).get("textDocument", {}).get("version")
        or entry["received"]["params"]["position"]["character"]
        for entry in made.log()
        if entry.get("received", {}).get("method")
        in ("textDocument/didChange", "textDocument/hover")
    ]  # whole: the server notes a message before it answers the next
    assert order == [n for version in range(2, 30) for n in (version, version)]


async def test_a_restarted_upstream_gets_the_unsaved_text_and_the_editor_keeps_working(
    window: Start, project: Path, fake: MakeFake
) -> None:
    hover = [{"exit": 1}]
    made = fake(
        {"answers": {"textDocument/hover": hover, "textDocument/definition": [{"result": []}]}}
    )
    path = project / "a.fake"
    path.write_text("on disk")
    editor = await window(project)
    uri = editor.open(path, "fake")
    await editor.wait_upstream("fake")
    editor.session.notify(
        "textDocument/didChange",
        {"textDocument": {"uri": uri, "version": 2}, "contentChanges": [{"text": "typed 😀 text"}]},
    )
    with pytest.raises(ResponseError, match="ended"):
        await editor.at("textDocument/hover", uri, 0, 1)
    await until(lambda: len(made.received("textDocument/didOpen")) == 2)
    assert made.received("textDocument/didOpen")[1]["params"]["textDocument"]["text"] == (
        "typed 😀 text"
    )
    await editor.wait_told(
        "surveyor/status", lambda s: any(u["restarts"] and u["ready"] for u in s["upstreams"])
    )
    await editor.eventually("textDocument/definition", place(uri, 0, 1), lambda a: a == [])

    # Started anew by its user: another process, with the same text, and a log that says so.
    server = {"language": "fake", "root": str(project)}
    said = await editor.request("surveyor/restartServer", server)
    assert said == {"message": "fake-custom is starting again."}
    await until(lambda: len(made.received("textDocument/didOpen")) == 3)
    await editor.wait_upstream("fake")
    assert len(set(made.pids())) == 3
    log = (await editor.request("surveyor/serverLog", server))["text"]
    assert f"fake-custom for fake on {project}\n" in log and "[state] restart asked for" in log
    assert log.count("[state] fake-custom is ready") >= 2
    with pytest.raises(ResponseError, match="No language server for cobol"):
        await editor.request("surveyor/serverLog", {**server, "language": "cobol"})


async def test_a_server_that_computes_without_a_word_is_waited_for(
    window: Start, project: Path, fake: MakeFake
) -> None:
    computing = {"compute_s": 2.5 * SILENT_S, "result": [{"late": "but right"}]}
    fake(
        {"answers": {"textDocument/references": [computing]}},
        timeouts=limits(**{"textDocument/references": 600, "silent": SILENT_S}),
    )
    path = project / "a.fake"
    path.write_text("word")
    editor = await window(project)
    uri = editor.open(path, "fake")
    await editor.wait_upstream("fake")
    found = await editor.at("textDocument/references", uri, 0, 1, context={})
    assert found == [{"late": "but right"}]


async def test_requests_of_the_upstream_reach_the_editor_and_its_progress_has_our_token(
    window: Start, project: Path, fake: MakeFake
) -> None:
    value = {"kind": "begin", "title": "Loading"}
    progress = {"method": "$/progress", "params": {"token": 7, "value": value}}
    logged = {"method": "window/logMessage", "params": {"type": 2, "message": "odd\nsettings"}}
    fake(
        {
            "initialized": [
                {"id": 1, "method": "window/workDoneProgress/create", "params": {"token": 7}},
                {
                    "id": 2,
                    "method": "workspace/configuration",
                    "params": {"items": [{"section": "theirs"}, {"section": "none"}]},
                },
                {
                    "id": 3,
                    "method": "window/showMessageRequest",
                    "params": {"type": 3, "message": "?", "actions": [{"title": "Yes"}]},
                },
            ],
            "answers": {"textDocument/hover": [{"result": None, "before": [progress, logged]}]},
        }
    )
    path = project / "a.fake"
    path.write_text("word")
    editor = await window(initialize=False)
    editor.answers["workspace/configuration"] = lambda params: [
        {"on": True} if item.get("section") == "theirs" else None for item in params["items"]
    ]
    editor.answers["window/showMessageRequest"] = {"title": "Yes"}
    await editor.initialize(
        project,
        capabilities={"window": {"workDoneProgress": True}, "workspace": {"configuration": True}},
        options={"engine": False},
    )
    uri = editor.open(path, "fake")
    await editor.wait_upstream("fake")
    items = [{"section": "theirs"}, {"section": "none"}]
    await until(lambda: ("workspace/configuration", {"items": items}) in editor.asked)
    await until(lambda: "window/showMessageRequest" in dict(editor.asked))
    await editor.at("textDocument/hover", uri, 0, 1)
    shown = await editor.wait_told("$/progress", lambda p: p["value"].get("title") == "Loading")
    assert shown["token"] != 7 and str(shown["token"]).startswith("surveyor/")
    assert dict(editor.asked)["window/showMessageRequest"]["message"] == "?"
    server = {"language": "fake", "root": str(project)}
    log = (await editor.request("surveyor/serverLog", server))["text"]
    assert "[warning] odd\nsettings\n" in log


async def test_folders_come_and_go_while_it_runs(
    window: Start, project: Path, tmp_path: Path, fake: MakeFake
) -> None:
    made = fake({"answers": {"textDocument/hover": [{"result": None}]}})
    other = write(tmp_path / "other", {"b.fake": "word"})
    editor = await window(project)
    folder = {"uri": to_uri(other), "name": "other"}
    editor.session.notify(
        "workspace/didChangeWorkspaceFolders", {"event": {"added": [folder], "removed": []}}
    )
    editor.open(other / "b.fake", "fake")
    state = await editor.wait_upstream("fake")
    assert state["root"] == str(other)
    editor.session.notify(
        "workspace/didChangeWorkspaceFolders", {"event": {"added": [], "removed": [folder]}}
    )
    await until(lambda: made.received("exit"))
    status = await editor.request("surveyor/status")
    assert [p["root"] for p in status["projects"]] == [str(project)]


async def test_untitled_buffers_cells_and_files_outside_are_harmless(
    window: Start, project: Path, tmp_path: Path
) -> None:
    outside = write(tmp_path / "outside", {"lone.py": "def lone():\n    pass\n\n\nlone()\n"})
    editor = await window(project, capabilities={})
    for uri in ("untitled:Untitled-1", "vscode-notebook-cell:/x/a.ipynb#c1", "git:/a/b.py?x"):
        document = {"uri": uri, "languageId": "python", "version": 1, "text": "def f(): ...\nf()\n"}
        editor.session.notify("textDocument/didOpen", {"textDocument": document})
        await editor.at("textDocument/definition", uri, 1, 0)
        await editor.at("textDocument/hover", uri, 1, 0)
        editor.session.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
    editor.session.notify("notebookDocument/didOpen", {"notebookDocument": {"uri": "x"}})
    uri = editor.open(outside / "lone.py", "python")
    await editor.wait_upstream("python")
    found = await editor.eventually("textDocument/definition", place(uri, 4, 1))
    assert found[0]["range"]["start"]["line"] == 0


async def test_positions_stay_utf16_on_text_beyond_the_basic_plane(
    window: Start, project: Path
) -> None:
    text = 'smile = "😀😀"; naïve = 1; print(naïve, smile)\n'
    path = write(project, {"wide.py": text}) / "wide.py"
    editor = await window(project)
    uri = editor.open(path, "python")
    await editor.wait_upstream("python")
    column = len(text[: text.index("(") + 2].encode("utf-16-le")) // 2
    found = await editor.eventually("textDocument/definition", place(uri, 0, column))
    start = found[0]["range"]["start"]["character"]
    assert start == len(text[: text.index("naïve")].encode("utf-16-le")) // 2


@pytest.mark.parametrize("code", [-32801, -32800, -32802])
async def test_what_the_editor_has_to_ask_anew_reaches_it_at_once(
    window: Start, project: Path, fake: MakeFake, code: int
) -> None:
    """It knows that it is typing: a question that we ask again is one about a text that is gone."""
    refusal = [{"error": {"code": code, "message": "typing"}}]
    methods = ["textDocument/hover", "textDocument/definition", "textDocument/signatureHelp"]
    made = fake(
        {
            "capabilities": {**EVERYTHING, "signatureHelpProvider": {}},
            "answers": dict.fromkeys(methods, refusal),
        }
    )
    path = project / "a.fake"
    path.write_text("word")
    editor = await window(project, options={"proxy": {"methods": methods[2:]}})
    uri = editor.open(path, "fake")
    await editor.wait_upstream("fake")
    for method in methods:
        with pytest.raises(ResponseError) as caught:
            await editor.at(method, uri, 0, 1)
        assert caught.value.number == code
        assert len(made.received(method)) == 1


async def test_a_slow_answer_is_waited_for_where_there_is_no_other(
    window: Start, project: Path, fake: MakeFake
) -> None:
    late = [{"delay_s": 0.5, "result": [{"late": "but right"}]}]
    methods = ["textDocument/definition", "textDocument/hover", "textDocument/typeDefinition"]
    fake(
        {"capabilities": EVERYTHING, "answers": dict.fromkeys(methods, late)},
        timeouts=limits(**dict.fromkeys(methods, 0.05)),
    )
    path = project / "a.fake"
    path.write_text("word")
    editor = await window(project)
    uri = editor.open(path, "fake")
    await editor.wait_upstream("fake")
    for method in methods:
        assert await editor.at(method, uri, 0, 1) == [{"late": "but right"}]
