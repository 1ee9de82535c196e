"""What is registered with the editor by mode and method, and what is left to other servers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from surveyor.servers.uris import to_uri
from tests.lsp.conftest import EVERYTHING, MakeFake, Start
from tests.lsp.rawclient import place
from tests.servers.support import ALL, until

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
