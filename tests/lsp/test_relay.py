"""What is proxied: byte for byte, by mode and method, and what happens when a server cannot."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from surveyor.lsp.relay import SILENT_S
from surveyor.upstream.documents import Documents
from surveyor.upstream.errors import ResponseError
from surveyor.upstream.host import Headless
from surveyor.upstream.manager import Config, Manager
from surveyor.upstream.registry import builtin
from surveyor.upstream.server import Upstream
from surveyor.upstream.uris import to_uri
from tests.lsp.conftest import Start, limits, write
from tests.lsp.rawclient import place
from tests.upstream.real import search_path
from tests.upstream.support import ALL, Fake, eventually, until
from tests.upstream.test_real import CPP, TYPESCRIPT

MakeFake = Callable[..., Fake]
EVERYTHING = {
    **ALL,
    "declarationProvider": True,
    "typeDefinitionProvider": True,
    "implementationProvider": True,
    "documentHighlightProvider": True,
    "documentSymbolProvider": True,
    "callHierarchyProvider": True,
    "typeHierarchyProvider": True,
}
BY_DOCUMENT = [
    "textDocument/definition",
    "textDocument/declaration",
    "textDocument/typeDefinition",
    "textDocument/implementation",
    "textDocument/references",
    "textDocument/documentHighlight",
    "textDocument/documentSymbol",
    "textDocument/prepareCallHierarchy",
    "textDocument/prepareTypeHierarchy",
    "textDocument/hover",
]
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
    assert await editor.at("textDocument/hover", uri, 0, 1) is None
    await until(lambda: len(made.received("textDocument/didOpen")) == 2)
    assert made.received("textDocument/didOpen")[1]["params"]["textDocument"]["text"] == (
        "typed 😀 text"
    )
    await editor.wait_told(
        "surveyor/status", lambda s: any(u["restarts"] and u["ready"] for u in s["upstreams"])
    )
    await editor.eventually("textDocument/definition", place(uri, 0, 1), lambda a: a == [])


async def test_a_silent_upstream_holds_the_editor_up_for_a_second_at_most(
    window: Start, project: Path, fake: MakeFake
) -> None:
    made = fake(
        {
            "answers": {
                "textDocument/hover": [{"never": True}],
                "textDocument/references": [{"never": True}],
            }
        },
        # With ten minutes as the server's own limits only the second for silence can end them.
        timeouts=limits(
            **{"textDocument/hover": 600, "textDocument/references": 600, "silent": SILENT_S}
        ),
    )
    path = project / "a.fake"
    path.write_text("word")
    editor = await window(project)
    uri = editor.open(path, "fake")
    await editor.wait_upstream("fake")
    assert await editor.at("textDocument/references", uri, 0, 1, context={}) is None
    assert await editor.at("textDocument/hover", uri, 0, 1) is None
    await until(lambda: len(made.received("$/cancelRequest")) == 2)
    await editor.request("shutdown")


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


async def test_a_slow_start_delays_no_initialize_and_answers_come_when_it_is_up(
    window: Start, project: Path, fake: MakeFake
) -> None:
    sign = project / "go"
    answers: dict[str, Any] = {"textDocument/definition": [{"result": []}]}
    fake({"initialize_when": str(sign), "answers": answers}, timeouts=limits(silent=SILENT_S))
    path = project / "a.fake"
    path.write_text("word")
    editor = await window(project)
    uri = editor.open(path, "fake")
    assert await editor.at("textDocument/definition", uri, 0, 1) is None
    sign.touch()
    await editor.wait_upstream("fake")
    await editor.eventually("textDocument/definition", place(uri, 0, 1), lambda a: a == [])


DYNAMIC = {
    "textDocument": {
        name: {"dynamicRegistration": True}
        for name in (
            "definition",
            "references",
            "documentSymbol",
            "implementation",
            "declaration",
            "typeDefinition",
            "documentHighlight",
            "callHierarchy",
            "typeHierarchy",
            "completion",
        )
    },
    "workspace": {"didChangeWatchedFiles": {"dynamicRegistration": True}},
}


def registered(editor: Any) -> dict[str, list[str]]:
    """Languages by method, as they are registered with the editor now."""
    found: dict[str, dict[str, list[str]]] = {}
    for method, params in editor.asked:
        if method == "client/registerCapability":
            for item in params["registrations"]:
                selector = (item.get("registerOptions") or {}).get("documentSelector") or []
                found.setdefault(item["method"], {})[item["id"]] = [s["language"] for s in selector]
        elif method == "client/unregisterCapability":
            for item in params["unregisterations"]:
                found.get(item["method"], {}).pop(item["id"], None)
    return {
        method: sorted(name for names in by_id.values() for name in names)
        for method, by_id in found.items()
    }


async def test_in_companion_mode_nothing_is_advertised_or_answered_that_another_server_serves(
    window: Start, project: Path, fake: MakeFake
) -> None:
    made = fake({"capabilities": EVERYTHING})
    path = project / "a.fake"
    path.write_text("word")
    editor = await window(initialize=False)
    result = await editor.initialize(
        project, capabilities=DYNAMIC, options={"mode": "companion", "engine": False}
    )
    providers = set(result["capabilities"])
    assert "workspaceSymbolProvider" in providers and "hoverProvider" in providers
    assert not providers & {
        "definitionProvider",
        "referencesProvider",
        "documentSymbolProvider",
        "implementationProvider",
        "callHierarchyProvider",
    }
    uri = editor.open(path, "fake")
    assert await editor.at("textDocument/hover", uri, 0, 1) is None
    assert await editor.at("textDocument/definition", uri, 0, 1) is None
    assert "textDocument/definition" not in registered(editor)
    assert made.log() == []


async def test_modes_by_language_and_by_method_are_told_by_registrations(
    window: Start, project: Path, fake: MakeFake
) -> None:
    fake({"capabilities": EVERYTHING})
    modes = {
        "python": {"mode": "companion", "reason": "Pylance is there"},
        "cpp": {"mode": "companion", "methods": {"textDocument/references": "proxy"}},
        "*": "proxy",
    }
    editor = await window(initialize=False)
    result = await editor.initialize(
        project, capabilities=DYNAMIC, options={"mode": modes, "engine": False}
    )
    assert "definitionProvider" not in result["capabilities"]
    await until(
        lambda: (
            "go" in registered(editor).get("textDocument/definition", [])
            and "cpp" in registered(editor).get("textDocument/references", [])
        )
    )
    now = registered(editor)
    assert "python" not in now["textDocument/definition"]
    assert "cpp" not in now["textDocument/definition"]
    status = await editor.request("surveyor/status")
    python = next(u for u in status["upstreams"] if u["language"] == "python")
    assert (python["mode"], python["reason"]) == ("companion", "Pylance is there")


async def test_what_only_some_servers_offer_is_registered_when_one_shows_it_and_modes_change_live(
    window: Start, project: Path, fake: MakeFake
) -> None:
    fake({"capabilities": {**EVERYTHING, "completionProvider": {"triggerCharacters": ["."]}}})
    path = project / "a.fake"
    path.write_text("word")
    editor = await window(
        project, capabilities=DYNAMIC, options={"proxy": {"methods": ["textDocument/completion"]}}
    )
    editor.open(path, "fake")
    await until(
        lambda: (
            {"textDocument/implementation", "textDocument/completion"} <= registered(editor).keys()
        )
    )
    now = registered(editor)
    assert now["textDocument/implementation"] == ["fake"]
    assert now["textDocument/completion"] == ["fake"]
    options = [
        item["registerOptions"]
        for method, params in editor.asked
        if method == "client/registerCapability"
        for item in params["registrations"]
        if item["method"] == "textDocument/completion"
    ]
    assert options[0]["triggerCharacters"] == ["."]
    editor.session.notify(
        "workspace/didChangeConfiguration", {"settings": {"surveyor": {"mode": "companion"}}}
    )
    await until(lambda: not registered(editor)["textDocument/implementation"])
    assert await editor.at("textDocument/definition", to_uri(path), 0, 1) is None


async def test_diagnostics_are_dropped_unless_they_are_listed(
    window: Start, project: Path, fake: MakeFake
) -> None:
    diagnostics = {"uri": "$URI", "diagnostics": [{"message": "!", "range": {}}], "x": 1}
    answers = {"textDocument/hover": [{"result": {"contents": "x"}}]}
    opened = [{"method": "textDocument/publishDiagnostics", "params": diagnostics}]
    fake({"opened": opened, "answers": answers})
    path = project / "a.fake"
    path.write_text("word")
    editor = await window(project)
    uri = editor.open(path, "fake")
    # What was sent before this answer has been dropped by now.
    await editor.eventually("textDocument/hover", place(uri, 0, 1))
    assert all(name != "textDocument/publishDiagnostics" for name, _ in editor.told)
    other = await window(
        project, options={"proxy": {"methods": ["textDocument/publishDiagnostics"]}}
    )
    other.open(path, "fake")
    assert await other.wait_told("textDocument/publishDiagnostics") == diagnostics


async def test_completion_is_relayed_raw_when_it_is_listed(
    window: Start, project: Path, fake: MakeFake
) -> None:
    result = {"isIncomplete": False, "items": [{"label": "x", "data": {"a": 1}}]}
    answers = {
        "textDocument/completion": [{"result": result}],
        "completionItem/resolve": [{"result": {"label": "x", "detail": "d"}}],
    }
    provider = {"resolveProvider": True}
    fake({"capabilities": {**ALL, "completionProvider": provider}, "answers": answers})
    path = project / "a.fake"
    path.write_text("word")
    editor = await window(project, options={"proxy": {"methods": ["textDocument/completion"]}})
    uri = editor.open(path, "fake")
    await editor.wait_upstream("fake")
    completion = "textDocument/completion"
    assert await editor.eventually(completion, place(uri, 0, 1)) == result
    resolved = await editor.request("completionItem/resolve", result["items"][0])  # type: ignore[index]
    assert resolved["detail"] == "d"


async def test_requests_of_the_upstream_reach_the_editor_and_its_progress_has_our_token(
    window: Start, project: Path, fake: MakeFake
) -> None:
    value = {"kind": "begin", "title": "Loading"}
    progress = {"method": "$/progress", "params": {"token": 7, "value": value}}
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
            "answers": {"textDocument/hover": [{"result": None, "before": [progress]}]},
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


REAL = [
    ("python", "ty", {}, "shop/price.py", "python", 3, 5),
    ("python", "basedpyright", {}, "shop/price.py", "python", 3, 5),
    ("typescript", "typescript-language-server", TYPESCRIPT, "price.ts", "typescript", 0, 18),
    ("cpp", "clangd", CPP, "price.cpp", "cpp", 1, 5),
]


@pytest.mark.parametrize(("language", "server", "files", "name", "ident", "line", "column"), REAL)
async def test_real_servers_answer_through_the_proxy_what_they_answer_directly(
    window: Start,
    project: Path,
    language: str,
    server: str,
    files: dict[str, str],
    name: str,
    ident: str,
    line: int,
    column: int,
) -> None:
    write(project, {k: v.replace("$ROOT", str(project)) for k, v in files.items()})
    path = project / name
    editor = await window(project, options={"upstream": {language: {"server": server}}})
    uri = editor.open(path, ident)
    await editor.wait_upstream(language)
    direct = Manager(Config(upstream={language: {"server": server}}, user_path=search_path()))
    try:
        upstream = await direct.get(language, project)
        direct.open_headless(upstream, path)
        assert await upstream.wait_ready(60)
        compared = 0
        for method in BY_DOCUMENT:
            if not upstream.supports(method):
                continue
            params = {**place(uri, line, column), "context": {"includeDeclaration": True}}
            theirs = normal((await upstream.request(method, params, timeout=60)).value())
            await editor.eventually(method, params, lambda ours: normal(ours) == theirs)  # noqa: B023
            compared += 1
        assert compared >= 5
    finally:
        await direct.close()


def normal(value: Any) -> Any:
    """References in a fixed order: servers do not promise one."""
    if isinstance(value, list):
        return sorted((normal(item) for item in value), key=lambda item: json.dumps(item))
    return value


async def test_a_thousand_answers_of_a_real_server_equal_the_direct_ones_as_raw_json(
    window: Start, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = [
        f"def function_{n}(a: int, b: str = '😀') -> int:\n    return a + {n}\n" for n in range(250)
    ]
    path = write(project, {"many.py": "\n".join(lines)}) / "many.py"
    editor = await window(project, options={"hover": False})
    uri = editor.open(path, "python")
    await editor.wait_upstream("python")
    monkeypatch.setenv("PATH", search_path())
    spec = builtin().servers["ty"]
    documents = Documents()
    direct = Upstream(
        spec, spec.command, project, host=Headless(), documents=documents, language="python"
    )
    direct.start()
    try:
        direct.attach(documents.open(uri, "python", 1, path.read_text(), "test"))
        assert await direct.wait_ready(60)
        methods = [
            "textDocument/hover",
            "textDocument/definition",
            "textDocument/documentHighlight",
            "textDocument/typeDefinition",
        ]
        for number in range(250):
            for method in methods:
                params = place(uri, number * 3, 6)
                theirs = bytes((await direct.request(method, params, timeout=60)).raw)
                await eventually(
                    lambda: editor.raw(method, params),  # noqa: B023
                    lambda ours: ours == theirs,  # noqa: B023
                )
    finally:
        await direct.stop()
