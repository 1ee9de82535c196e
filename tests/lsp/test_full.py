"""`mode = "full"`: everything that a server offers, advertised as it offers it."""

from __future__ import annotations

import asyncio
import json
import os
import signal
from pathlib import Path
from typing import Any

import pytest

from surveyor import paths
from surveyor.engine_lock import holder_of
from surveyor.servers.errors import (
    CONTENT_MODIFIED,
    METHOD_NOT_FOUND,
    REQUEST_FAILED,
    ResponseError,
)
from surveyor.servers.host.client import LOCK
from surveyor.servers.methods import FEATURES, LISTED, METHODS, Relay
from tests.lsp.conftest import EVERYTHING, MakeFake, Start, write
from tests.lsp.rawclient import RawEditor, place
from tests.lsp.test_modes import registered
from tests.servers.support import Fake, until

FILTERS = {"filters": [{"pattern": {"glob": "**/*.fake"}}]}
OFFERS: dict[str, Any] = {
    **EVERYTHING,
    "textDocumentSync": {
        "openClose": True,
        "change": 2,
        "willSave": True,
        "willSaveWaitUntil": True,
        "save": True,
    },
    "completionProvider": {"triggerCharacters": [".", "@"], "resolveProvider": True},
    "signatureHelpProvider": {"triggerCharacters": ["("]},
    "renameProvider": {"prepareProvider": True},
    "codeActionProvider": {"codeActionKinds": ["quickfix"], "resolveProvider": True},
    "codeLensProvider": {"resolveProvider": True},
    "documentFormattingProvider": True,
    "documentRangeFormattingProvider": {"rangesSupport": True},
    "documentOnTypeFormattingProvider": {"firstTriggerCharacter": "}"},
    "inlayHintProvider": {"resolveProvider": True},
    "semanticTokensProvider": {
        "legend": {"tokenTypes": ["odd"], "tokenModifiers": []},
        "full": {"delta": True},
        "range": True,
    },
    "foldingRangeProvider": True,
    "selectionRangeProvider": {},
    "documentLinkProvider": {"resolveProvider": True},
    "colorProvider": True,
    "linkedEditingRangeProvider": True,
    "inlineValueProvider": True,
    "inlineCompletionProvider": True,
    "monikerProvider": True,
    "diagnosticProvider": {"identifier": "fake", "workspaceDiagnostics": True},
    "executeCommandProvider": {"commands": ["fake.do"]},
    "workspace": {
        "fileOperations": {
            f"{when}{what}": FILTERS
            for when in ("will", "did")
            for what in ("Create", "Rename", "Delete")
        }
    },
}
RELAYED = [
    name
    for name in METHODS
    if name not in ("workspace/executeCommand",)
    and any(
        request.name == name and feature.relay is Relay.LISTED
        for feature in FEATURES.values()
        for request in feature.requests
    )
]
RESOLVES = {name for name in RELAYED if name.endswith("/resolve")}
ODD = [{"odd": {"kind": 999, "f": 1.50, "none": None, "text": "é😀\u2028"}, "x-vendor": []}]


@pytest.fixture
async def full(window: Start, project: Path, fake: MakeFake) -> tuple[RawEditor, Fake, str, Any]:
    """A window that can register nothing, on a server that offers everything."""
    answers: dict[str, Any] = {name: [{"result": ODD}] for name in (*METHODS, "fake/expand")}
    push = {"uri": "$URI", "diagnostics": [{"message": "!", "range": {}}], "x": 1}
    made = fake(
        {
            "capabilities": OFFERS,
            "answers": answers,
            "opened": [
                {"method": "surveyor/told", "params": {}},  # no server's to send
                {"method": "experimental/serverStatus", "params": {}},  # not wanted by the editor
                {"method": "fake/status", "params": {"busy": 1}},
                {"method": "textDocument/publishDiagnostics", "params": push},
            ],
        }
    )
    path = project / "a.fake"
    path.write_text("word")
    editor = await window(initialize=False)
    result = await editor.initialize(project, options={"mode": {"fake": "full"}, "engine": False})
    uri = editor.open(path, "fake")
    await editor.wait_upstream("fake")
    return editor, made, uri, result["capabilities"]


async def test_everything_that_the_server_offers_is_advertised_and_relayed_byte_for_byte(
    full: tuple[RawEditor, Fake, str, Any],
) -> None:
    editor, made, uri, providers = full
    for feature in LISTED.values():
        wanted: Any = OFFERS
        said = providers
        for key in feature.provider.split(".") if feature.provider else ():
            wanted, said = wanted[key], said[key]
        if feature.method == "workspace/executeCommand":
            assert "fake.do" in said["commands"] and "surveyor.search" in said["commands"]
        elif feature.provider:
            assert said == (wanted or True), feature.method
    span = {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 1}}
    for method in sorted(RELAYED, key=lambda name: name in RESOLVES):
        files = {"files": [{"uri": uri, "oldUri": uri, "newUri": uri + "2"}]}
        params = {"data": 7} if method in RESOLVES else {**place(uri, 0, 1), "range": span, **files}
        sent = {**params, "x-extension": {"kept": [1, None]}}
        assert await editor.raw(method, sent) == json.dumps(ODD).encode(), method
        assert made.received(method)[0]["params"] == sent, method
    done = {"command": "fake.do", "arguments": [1], "x": 2}
    assert await editor.request("workspace/executeCommand", done) == ODD
    assert made.received("workspace/executeCommand")[0]["params"] == done
    told = {"textDocument": {"uri": uri}, "reason": 1}
    editor.session.notify("textDocument/willSave", told)
    moved = {
        "files": [{"oldUri": uri, "newUri": uri + "2"}, {"oldUri": "file:///x", "newUri": "y"}]
    }
    editor.session.notify("workspace/didRenameFiles", moved)
    await until(lambda: made.received("workspace/didRenameFiles"))
    assert made.received("textDocument/willSave")[0]["params"] == told
    # Of what it did not ask for it hears nothing.
    assert made.received("workspace/didRenameFiles")[0]["params"]["files"] == moved["files"][:1]
    assert (await editor.wait_told("textDocument/publishDiagnostics"))["x"] == 1


async def test_a_servers_own_requests_reach_it_in_full_mode_alone(
    full: tuple[RawEditor, Fake, str, Any], window: Start, project: Path
) -> None:
    editor, made, uri, _ = full
    for params in (
        {"textDocument": {"uri": uri}, "x": 1},
        {"uri": uri},  # as clangd's switchSourceHeader names its document
        {},  # as a server is told to read its workspace again
    ):
        assert await editor.raw("fake/expand", params) == json.dumps(ODD).encode()
        assert made.received("fake/expand")[-1]["params"] == params
    with pytest.raises(ResponseError, match="no fake/other") as refused:
        await editor.request("fake/other", {"uri": uri})
    assert refused.value.number == METHOD_NOT_FOUND, "in the server's own words"
    for method, params in (
        ("other/expand", {"uri": (project / "a.txt").as_uri()}),  # no language of a server
        ("surveyor/expand", {"uri": uri}),
        ("$/expand", {"uri": uri}),
    ):
        with pytest.raises(ResponseError, match="Surveyor does not serve"):
            await editor.request(method, params)
        assert len(made.received("fake/expand")) == 3

    about = {"uri": (project / "Fake.toml").as_uri()}  # a server's name says that it is meant
    assert await editor.raw("fake/expand", about) == json.dumps(ODD).encode()

    for method in ("fake/check", "other/check", "textDocument/hover", "shutdown", "$/other"):
        editor.session.notify(method, {"textDocument": {"uri": uri}})
    editor.session.notify("fake/all", {})
    await until(lambda: made.received("fake/all"))
    assert made.received("fake/check")[0]["params"] == {"textDocument": {"uri": uri}}
    assert made.received("other/check")
    for method in ("textDocument/hover", "shutdown", "$/other"):  # requests without an id
        assert not [each for each in made.received(method) if "id" not in each]

    assert await editor.wait_told("fake/status") == {"busy": 1}
    assert not {"surveyor/told", "experimental/serverStatus"} & {name for name, _ in editor.told}

    other = await window(initialize=False)
    await other.initialize(project, options={"engine": False})
    other.open(project / "a.fake", "fake")
    await other.wait_upstream("fake")
    with pytest.raises(ResponseError, match="Surveyor does not serve fake/expand"):
        await other.request("fake/expand", {"uri": uri})


OWN = {"experimental": {"runnables": {"kinds": ["cargo"]}}, "astProvider": True}


async def test_what_a_server_has_beside_lsp_is_told_to_who_asks_for_it_and_asked_for(
    window: Start, project: Path, fake: MakeFake
) -> None:
    """The first window starts the server for it, the second knows; both take registrations, of
    which there are none for such keys."""
    made = fake({"capabilities": {**EVERYTHING, **OWN}})
    dynamic: dict[str, Any] = {
        "textDocument": {
            feature.client.partition(".")[2]: {"dynamicRegistration": True}
            for feature in FEATURES.values()
            if feature.client.startswith("textDocument.")
        }
    }
    speaks = {
        "experimental": {"commands": ["fake.run"]},
        "textDocument": {**dynamic["textDocument"], "inactiveRegions": {"inactiveRegions": True}},
        "fakeSpecial": [1],
        "offsetEncoding": ["utf-8"],
    }
    for _ in range(2):
        editor = await window(initialize=False)
        result = await editor.initialize(
            project, capabilities=speaks, options={"mode": {"fake": "full"}, "engine": False}
        )
        providers = result["capabilities"]
        assert {name: providers.get(name) for name in OWN} == OWN
        assert "declarationProvider" not in providers, "that is registered"
    said = made.received("initialize")[0]["params"]["capabilities"]
    assert said["experimental"]["commands"] == ["fake.run"]
    assert said["textDocument"]["inactiveRegions"] == {"inactiveRegions": True}
    assert said["fakeSpecial"] == [1]
    assert "offsetEncoding" not in said, "positions are UTF-16"

    for mode, asks in (("full", dynamic), ("proxy", speaks)):  # who does not ask is not held up
        editor = await window(initialize=False)
        result = await editor.initialize(
            project, capabilities=asks, options={"mode": {"fake": mode}, "engine": False}
        )
        assert not OWN.keys() & result["capabilities"].keys()


async def test_a_text_that_only_the_server_has_is_asked_of_it(
    window: Start, project: Path, fake: MakeFake
) -> None:
    it = {"contents": "it"}
    made = fake(
        {
            "capabilities": EVERYTHING,
            "answers": {"textDocument/hover": [{"result": it}], "fake/text": [{"result": "text"}]},
        },
        schemes='["library"]',
    )
    path = project / "a.fake"
    path.write_text("word")
    editor = await window(project, options={"mode": {"fake": "full"}})
    editor.open(path, "fake")
    await editor.wait_upstream("fake")
    uri = "library://contents/base.jar/lang/Text.class?a=%3Cb"
    assert await editor.request("fake/text", {"uri": uri}) == "text"
    item = {"uri": uri, "languageId": "fake", "version": 1, "text": "text"}
    editor.session.notify("textDocument/didOpen", {"textDocument": item})
    assert await editor.at("textDocument/hover", uri, 0, 1) == it
    assert made.received("textDocument/didOpen")[-1]["params"]["textDocument"]["uri"] == uri
    assert await editor.at("textDocument/hover", "other://x/Text.class", 0, 1) is None
    assert len(made.received("textDocument/hover")) == 1


async def test_work_that_the_editor_cancels_is_cancelled_in_the_server(
    window: Start, project: Path, fake: MakeFake
) -> None:
    begin = {"token": "build", "value": {"kind": "begin", "title": "building"}}
    made = fake(
        {
            "capabilities": {**EVERYTHING, "completionProvider": {}},
            "answers": {"textDocument/completion": [{"never": True}]},
        }
    )
    editor = await window(initialize=False)
    await editor.initialize(
        project,
        capabilities={"window": {"workDoneProgress": True}},
        options={"mode": {"fake": "full"}, "engine": False},
    )
    uri = editor.open(project / "a.fake", "fake", "word")
    await editor.wait_upstream("fake")
    create = "window/workDoneProgress/create"
    send = {"id": 7, "method": create, "params": {"token": "build"}}
    before = len(editor.asked)
    editor.session.notify("test/send", [send])
    await until(lambda: create in [name for name, _ in editor.asked[before:]])
    editor.session.notify("test/send", [{"method": "$/progress", "params": begin}])
    shown = await editor.wait_told(
        "$/progress", lambda params: params["value"].get("title") == "building"
    )
    cancel = "window/workDoneProgress/cancel"
    editor.session.notify(cancel, {"token": shown["token"]})
    await until(lambda: made.received(cancel))
    assert made.received(cancel)[0]["params"] == {"token": "build"}
    # What the editor calls a request's work, the server may know by another name.
    params = {**place(uri, 0, 1), "workDoneToken": 7}
    asking = asyncio.ensure_future(editor.request("textDocument/completion", params))
    await until(lambda: made.received("textDocument/completion"))
    tokens: tuple[Any, ...] = (7, "nobody's", [], None)
    for token in tokens:
        editor.session.notify(cancel, {"token": token})
    asked = made.received("textDocument/completion")[0]["params"]["workDoneToken"]
    await until(lambda: len(made.received(cancel)) == 2)
    assert made.received(cancel)[1]["params"] == {"token": asked}
    asking.cancel()
    await asyncio.gather(asking, return_exceptions=True)


async def test_what_a_server_does_not_offer_is_neither_advertised_nor_served(
    window: Start, project: Path, fake: MakeFake
) -> None:
    made = fake({"capabilities": EVERYTHING})
    path = project / "a.fake"
    path.write_text("word")
    editor = await window(initialize=False)
    result = await editor.initialize(project, options={"mode": {"fake": "full"}, "engine": False})
    uri = editor.open(path, "fake")
    await editor.wait_upstream("fake")
    providers = result["capabilities"]
    assert not {f.provider for f in LISTED.values()} & providers.keys() - {
        "codeLensProvider",
        "executeCommandProvider",
    }
    for method in ("textDocument/completion", "textDocument/formatting", "workspace/diagnostic"):
        with pytest.raises(ResponseError) as caught:
            await editor.request(method, place(uri, 0, 1))
        assert caught.value.number == METHOD_NOT_FOUND
        assert not made.received(method)


async def test_an_editor_that_takes_registrations_is_answered_at_once_and_told_later(
    window: Start, project: Path, fake: MakeFake
) -> None:
    """What a server registers, and takes back, while it runs is passed on, too."""
    tokens = {"method": "textDocument/semanticTokens", "id": "t"}
    options = {"legend": {"tokenTypes": ["a"], "tokenModifiers": []}, "full": True}
    register = {
        "registrations": [{**tokens, "registerOptions": {**options, "documentSelector": None}}]
    }
    fake(
        {
            "capabilities": {**EVERYTHING, "completionProvider": {"triggerCharacters": ["."]}},
            "initialize_when": str(project / "go"),
            "initialized": [{"id": 1, "method": "client/registerCapability", "params": register}],
            "answers": {
                "textDocument/hover": [
                    {
                        "result": None,
                        "before": [
                            {
                                "id": 2,
                                "method": "client/unregisterCapability",
                                "params": {"unregisterations": [tokens]},
                            },
                            {"id": 3, "method": "workspace/semanticTokens/refresh"},
                        ],
                    }
                ],
                "textDocument/completion": [{"result": [{"label": "late"}]}],
            },
        }
    )
    path = project / "a.fake"
    path.write_text("word")
    names = ("completion", "semanticTokens", "formatting", "publishDiagnostics")
    capabilities = {
        "textDocument": {name: {"dynamicRegistration": True} for name in names},
        "workspace": {"semanticTokens": {"refreshSupport": True}},
    }
    editor = await window(project, capabilities=capabilities, options={"mode": "full"})
    editor.answers["workspace/semanticTokens/refresh"] = None
    uri = editor.open(path, "fake")
    # Nobody else could answer it: it waits for the server, however long that takes to start.
    early = asyncio.ensure_future(editor.at("textDocument/completion", uri, 0, 1))
    await editor.wait_told(
        "surveyor/status", lambda s: any(u["state"] == "starting" for u in s["upstreams"])
    )
    (project / "go").touch()
    assert await early == [{"label": "late"}]
    await until(lambda: registered(editor).get("textDocument/semanticTokens"))
    assert registered(editor)["textDocument/completion"] == ["fake"]
    (given,) = [
        item["registerOptions"]
        for method, params in editor.asked
        if method == "client/registerCapability"
        for item in params["registrations"]
        if item["method"] == "textDocument/semanticTokens"
    ]
    assert given == {**options, "documentSelector": [{"language": "fake"}]}
    await editor.at("textDocument/hover", uri, 0, 1)
    await until(lambda: not registered(editor)["textDocument/semanticTokens"])
    await until(lambda: "workspace/semanticTokens/refresh" in dict(editor.asked))


async def test_what_a_server_offered_the_last_time_is_known_before_it_starts(
    window: Start, project: Path, fake: MakeFake
) -> None:
    sign = project / "go"
    sign.touch()
    made = fake({"capabilities": OFFERS, "initialize_when": str(sign)})
    (project / "a.fake").write_text("word")
    options = {"mode": {"fake": "full"}, "engine": False}
    results = []
    for _ in range(2):
        editor = await window(initialize=False)
        results.append(await editor.initialize(project, options=options))
        await editor.shutdown()
        sign.unlink(missing_ok=True)
    assert results[0] == results[1]
    assert results[1]["capabilities"]["semanticTokensProvider"]["legend"]["tokenTypes"] == ["odd"]
    assert len(made.received("initialize")) == 1


async def test_items_of_two_servers_are_resolved_by_the_one_that_gave_them(
    window: Start, project: Path, tmp_path: Path, fake: MakeFake
) -> None:
    item = {"label": "x", "data": {"theirs": 1}}
    made = fake(
        {
            "capabilities": OFFERS,
            "answers": {
                "textDocument/completion": [{"result": {"items": [item, {"label": "y"}]}}],
                "completionItem/resolve": [{"result": {**item, "detail": "d"}}],
            },
        }
    )
    other = write(tmp_path / "other", {"b.fake": "word"})
    (project / "a.fake").write_text("word")
    editor = await window(project, other, options={"mode": {"fake": "full"}})
    lists = []
    for path in (project / "a.fake", other / "b.fake"):
        uri = editor.open(path, "fake")
        lists.append((await editor.at("textDocument/completion", uri, 0, 1))["items"])
    assert lists[0] == [item, {"label": "y"}]
    pids = {u["root"]: u["pid"] for u in (await editor.request("surveyor/status"))["upstreams"]}

    def resolved_by() -> list[tuple[int, Any]]:
        return [
            (entry["by"], entry["received"]["params"])
            for entry in made.log()
            if entry.get("received", {}).get("method") == "completionItem/resolve"
        ]

    for items, root in ((lists[1], other), (lists[0], project), (lists[1], other)):
        for given, plain in zip(items, (item, {"label": "y"}), strict=True):
            before = len(resolved_by())
            assert (await editor.request("completionItem/resolve", given))["detail"] == "d"
            assert resolved_by()[before:] == [(pids[str(root)], plain)]


async def test_a_method_or_mode_that_nobody_knows_is_told_of(
    window: Start, project: Path, fake: MakeFake
) -> None:
    fake({})
    editor = await window(
        project,
        options={
            "mode": {"fake": "proxi"},
            "proxy": {"methods": ["textDocument/compleation", "textDocument/rename"]},
        },
    )
    for word in ("proxi", "textDocument/compleation"):
        await editor.wait_told("window/showMessage", lambda said, w=word: w in said["message"])
    warnings = (await editor.request("surveyor/status"))["warnings"]
    assert len(warnings) == 2 and "compleation" in warnings[0]
    assert "rename" not in str(warnings)


async def test_what_no_server_asked_for_reaches_none(
    full: tuple[RawEditor, Fake, str, Any],
) -> None:
    editor, made, _, _ = full
    nothing = {"files": [{"uri": "file:///elsewhere.txt"}]}
    assert await editor.request("workspace/willDeleteFiles", nothing) is None
    assert not made.received("workspace/willDeleteFiles")
    with pytest.raises(ResponseError, match="no command"):
        await editor.request("workspace/executeCommand", {"command": "nobody.has"})


async def test_a_server_that_hangs_in_a_method_is_told_that_the_editor_gave_up(
    window: Start, project: Path, fake: MakeFake
) -> None:
    """In every method at once; what it does answer is answered meanwhile."""
    answers: dict[str, Any] = {name: [{"never": True}] for name in RELAYED}
    answers["textDocument/completion"] = [{"result": [{"label": "x"}]}, {"never": True}]
    answers["textDocument/definition"] = [{"result": []}]
    made = fake({"capabilities": OFFERS, "answers": answers})
    path = project / "a.fake"
    path.write_text("word")
    editor = await window(project, options={"mode": {"fake": "full"}})
    uri = editor.open(path, "fake")
    hanging = sorted(set(RELAYED) - RESOLVES)
    assert await editor.at("textDocument/completion", uri, 0, 1) == [{"label": "x"}]
    files = {"files": [{"uri": uri, "oldUri": uri, "newUri": uri + "2"}]}
    params = {**place(uri, 0, 1), **files}
    waiting = [asyncio.ensure_future(editor.request(method, params)) for method in hanging]
    await until(lambda: all(made.received(method) for method in hanging))
    assert await editor.at("textDocument/definition", uri, 0, 1) == []
    for task in waiting:
        task.cancel()
    await until(lambda: len(made.received("$/cancelRequest")) == len(hanging))
    assert await editor.at("textDocument/definition", uri, 0, 1) == []


async def test_ten_megabytes_unknown_questions_and_one_registration_twice(
    window: Start, project: Path, fake: MakeFake
) -> None:
    item = {"method": "textDocument/formatting", "id": "f", "registerOptions": {}}
    register = {"method": "client/registerCapability", "params": {"registrations": [item]}}
    questions = [{"id": 1, **register}, {"id": 2, **register}, {"id": 3, "method": "vendor/what"}]
    large = {"repeat": "x" * 1000, "times": 10_000}
    made = fake(
        {
            "capabilities": OFFERS,
            "initialized": questions,
            "answers": {"textDocument/semanticTokens/full": [{"result": large}]},
        }
    )
    path = project / "a.fake"
    path.write_text("word")
    capabilities = {
        "textDocument": {
            name: {"dynamicRegistration": True} for name in ("formatting", "completion")
        }
    }
    editor = await window(project, capabilities=capabilities, options={"mode": {"fake": "full"}})
    uri = editor.open(path, "fake")
    raw = await editor.raw("textDocument/semanticTokens/full", {"textDocument": {"uri": uri}})
    assert len(raw) > 10_000_000
    await until(lambda: made.answered(3))
    assert [made.answered(number) for number in (1, 2)] == [
        {"jsonrpc": "2.0", "id": number, "result": None} for number in (1, 2)
    ]
    assert (made.answered(3) or {})["error"]["code"] == METHOD_NOT_FOUND
    await until(lambda: registered(editor).get("textDocument/formatting") == ["fake"])


async def test_a_server_that_ends_at_initialize_is_no_server(
    window: Start, project: Path, fake: MakeFake
) -> None:
    made = fake({"capabilities": OFFERS, "exit_first": 99})
    path = project / "a.fake"
    path.write_text("word")
    editor = await window(project, options={"mode": {"fake": "full"}})
    uri = editor.open(path, "fake")
    with pytest.raises(ResponseError) as caught:
        await editor.at("textDocument/completion", uri, 0, 1)
    assert caught.value.number == METHOD_NOT_FOUND
    assert made.received("initialize")


async def test_what_a_host_that_is_killed_was_asked_is_asked_of_the_next(
    window: Start, project: Path, data: Path, fake: MakeFake
) -> None:
    sign = project / "go"
    made = fake(
        {
            "capabilities": OFFERS,
            "answers": {
                "textDocument/completion": [{"result": ODD, "when": str(sign)}],
                "workspace/executeCommand": [{"result": ODD, "when": str(sign)}],
            },
        }
    )
    (project / "a.fake").write_text("word")
    editor = await window(project, options={"mode": {"fake": "full"}})
    uri = editor.open(project / "a.fake", "fake")
    await editor.wait_upstream("fake")
    asked = asyncio.ensure_future(editor.at("textDocument/completion", uri, 0, 1))
    command = asyncio.ensure_future(
        editor.request("workspace/executeCommand", {"command": "fake.do"})
    )
    await until(lambda: made.received("workspace/executeCommand"))
    await until(lambda: made.received("textDocument/completion"))
    holder = holder_of(paths.runtime_dir(data) / LOCK)
    assert holder is not None
    os.kill(holder.pid, signal.SIGKILL)
    with pytest.raises(ResponseError) as failed:  # what it has done by then nobody knows
        await command
    assert failed.value.number == REQUEST_FAILED
    sign.touch()
    assert await asked == ODD
    assert len(made.received("textDocument/completion")) == 2
    assert len(made.received("workspace/executeCommand")) == 1
    # A position is of the text that it was asked about.
    sign.unlink()
    asked = asyncio.ensure_future(editor.at("textDocument/completion", uri, 0, 1))
    await until(lambda: len(made.received("textDocument/completion")) == 3)
    holder = holder_of(paths.runtime_dir(data) / LOCK)
    assert holder is not None
    os.kill(holder.pid, signal.SIGKILL)
    change = {"textDocument": {"uri": uri, "version": 2}, "contentChanges": [{"text": "\nword"}]}
    editor.session.notify("textDocument/didChange", change)
    with pytest.raises(ResponseError) as modified:
        await asked
    assert modified.value.number == CONTENT_MODIFIED
