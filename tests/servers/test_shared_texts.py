"""One server for clients whose texts differ: whose text it has, in whose lines it answers."""

from __future__ import annotations

import asyncio
import os
import random
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from surveyor.servers.documents import EDITOR, OpenDocument
from surveyor.servers.errors import OtherTextError, ResponseError
from surveyor.servers.host.main import Host
from surveyor.servers.readiness import ReadinessStrategy
from surveyor.servers.uris import to_uri
from tests.servers.support import (
    ALL,
    PATIENCE_S,
    alive,
    make_fake,
    until,
)
from tests.servers.windows import HOVER, Open, Window, lines_of, places


async def test_a_window_with_another_text_gets_places_in_its_own_lines(
    tmp_path: Path, window: Open
) -> None:
    path = tmp_path / "f" / "a.fake"
    path.parent.mkdir()
    path.write_text("a\nb\nc\n")
    uri = to_uri(path)
    answers = {"textDocument/references": [{"result": places(uri, 0, 1, 2, 3, 4)}]}
    fake = make_fake(tmp_path / "f", {"answers": answers})
    editing, reading, beside = window(fake), window(fake), window(fake)
    mine, theirs = editing.open(path), reading.open(path)
    other = fake.folder / "b.fake"
    other.write_text("x\n")
    apart = beside.open(other)
    await editing.at("textDocument/references", mine, 0)
    editing.type(mine, "new\na\nb2\nc\n")
    assert lines_of(await editing.at("textDocument/references", mine, 1)) == [0, 1, 2, 3, 4]
    # Line 0 is new, line 2 another one: neither is in the texts of the two who do not edit.
    assert lines_of(await reading.at("textDocument/references", theirs, 0)) == [0, 2, 3]
    assert lines_of(await beside.at("textDocument/references", apart, 0)) == [0, 2, 3]
    asked = fake.received("textDocument/references")[2]["params"]["position"]["line"]
    assert asked == 1
    with pytest.raises(OtherTextError):
        await reading.at("textDocument/references", theirs, 1)
    assert [m["params"]["contentChanges"] for m in fake.received("textDocument/didChange")] == [
        [{"text": "new\na\nb2\nc\n"}]
    ]
    path.write_text("new\na\nb2\nc\n")
    editing.upstream.save(mine)
    reading.type(theirs, "new\na\nb2\nc\n")
    assert lines_of(await reading.at("textDocument/references", theirs, 2)) == [0, 1, 2, 3, 4]


async def test_a_file_is_one_document_however_clients_spell_its_uri(
    tmp_path: Path, window: Open
) -> None:
    path = tmp_path / "f" / "(x) [y].fake"
    path.parent.mkdir()
    path.write_text("a\n")
    usual = to_uri(path)
    theirs = usual.replace("(", "%28").replace(")", "%29")
    shown = {"uri": usual, "diagnostics": [{"message": "bad"}]}
    fake = make_fake(
        tmp_path / "f",
        {
            "answers": {"textDocument/references": [{"result": places(usual, 0, 1)}]},
            "opened": [{"method": "textDocument/publishDiagnostics", "params": shown}],
        },
    )
    first, second = window(fake), window(fake)
    one = first.open(path)
    await first.at("textDocument/references", one, 0)
    two = second.open_as(theirs, "a\n")
    await second.at("textDocument/references", two, 0)
    second.type(two, "new\na\n")
    found = await second.at("textDocument/references", two, 1)
    assert [place["uri"] for place in found] == [theirs, theirs]
    found = await first.at("textDocument/references", one, 0)
    assert [place["uri"] for place in found] == [usual] and lines_of(found) == [0]
    for message in ("didOpen", "didChange"):
        sent = fake.received(f"textDocument/{message}")
        assert [each["params"]["textDocument"]["uri"] for each in sent] == [usual]
    await until(lambda: second.told("textDocument/publishDiagnostics"))
    assert second.told("textDocument/publishDiagnostics")[0]["uri"] == theirs
    assert first.told("textDocument/publishDiagnostics")[0]["uri"] == usual
    first.documents.close(usual, EDITOR)
    first.upstream.detach(usual)
    assert len(await second.at("textDocument/references", two, 1)) == 2
    assert not fake.received("textDocument/didClose"), "the other window has it open"
    second.documents.close(theirs, EDITOR)
    second.upstream.detach(theirs)
    await until(lambda: fake.received("textDocument/didClose"))


async def test_an_answer_under_way_while_somebody_begins_to_edit_is_not_empty(
    tmp_path: Path, window: Open
) -> None:
    path = tmp_path / "f" / "a.fake"
    path.parent.mkdir()
    path.write_text("a\nb\n")
    references = [{"result": places(to_uri(path), 0, 1, 2), "delay_s": 1}]
    fake = make_fake(tmp_path / "f", {"answers": {"textDocument/references": references}})
    alone = window(fake)
    mine = alone.open(path)
    await alone.upstream.wait_running(PATIENCE_S)
    asking = asyncio.ensure_future(alone.at("textDocument/references", mine, 0))
    await until(lambda: fake.received("textDocument/references"))
    coming = window(fake)
    theirs = coming.open(path)
    await coming.upstream.wait_running(PATIENCE_S)
    coming.type(theirs, "new\na\nb\n")
    # The first answer may be about either text: it is asked for again.
    assert lines_of(await asking) == [0, 1]
    asked = [m["params"]["position"]["line"] for m in fake.received("textDocument/references")]
    assert asked == [0, 1]


async def test_who_edits_after_a_save_elsewhere_has_the_text_that_counts(
    tmp_path: Path, window: Open
) -> None:
    fake = make_fake(tmp_path / "f", {"answers": {"textDocument/hover": [{"result": HOVER}]}})
    path = fake.folder / "a.fake"
    path.write_text("a\n")
    first, second = window(fake), window(fake)
    one, two = first.open(path), second.open(path)
    await first.at("textDocument/hover", one, 0)
    await second.at("textDocument/hover", two, 0)
    first.type(one, "a\nb\n")
    await first.at("textDocument/hover", one, 1)
    path.write_text("a\nb\n")
    first.upstream.save(one)
    await first.at("textDocument/hover", one, 1)
    second.type(two, "a\nb\n")  # reads the file again
    second.type(two, "a\nb\nc\n")
    assert await second.at("textDocument/hover", two, 2) == HOVER
    texts = [m["params"]["contentChanges"] for m in fake.received("textDocument/didChange")]
    assert texts == [[{"text": "a\nb\n"}], [{"text": "a\nb\nc\n"}]]
    versions = [
        m["params"]["textDocument"]["version"] for m in fake.received("textDocument/didChange")
    ]
    assert versions == sorted(set(versions))
    assert len(fake.pids()) == 1


@pytest.mark.parametrize("parenthesis", ["(", "%28"])
async def test_two_unsaved_texts_have_two_servers_for_as_long_as_they_differ(
    tmp_path: Path, window: Open, host: Host, parenthesis: str
) -> None:
    path = tmp_path / "f" / "a(b.fake"
    said = {"method": "fake/regions", "params": {"uri": to_uri(path), "regions": []}}
    fake = make_fake(
        path.parent, {"answers": {"textDocument/hover": [{"result": HOVER}]}, "opened": [said]}
    )
    path.write_text("a\n")
    first, second = window(fake), window(fake)
    one, two = first.open(path), second.open_as(to_uri(path).replace("(", parenthesis), "a\n")
    await first.at("textDocument/hover", one, 0)
    await second.at("textDocument/hover", two, 0)
    first.type(one, "mine\n")
    await first.at("textDocument/hover", one, 0)
    second.type(two, "theirs\n")
    assert await second.at("textDocument/hover", two, 0) == HOVER
    opened = [m["params"]["textDocument"]["text"] for m in fake.received("textDocument/didOpen")]
    assert opened == ["a\n", "theirs\n"]
    assert len(fake.pids()) == 2 and all(alive(pid) for pid in fake.pids())
    assert [row["private"] for row in host.status()["servers"]] == [False, True]
    second.type(two, "theirs still\n")
    assert await second.at("textDocument/hover", two, 0) == HOVER
    last = fake.received("textDocument/didChange")[-1]["params"]
    assert last["contentChanges"] == [{"text": "theirs still\n"}]
    second.type(two, "mine\n")
    await until(lambda: not alive(fake.pids()[1]))
    assert await second.at("textDocument/hover", two, 0) == HOVER
    assert [row["private"] for row in host.status()["servers"]] == [False]
    assert alive(fake.pids()[0])
    # By either server when it has it open, and by the common one again.
    await until(lambda: len(second.told("fake/regions")) == 3)


async def test_a_server_may_spell_a_file_otherwise_than_whoever_opened_it(
    tmp_path: Path, window: Open
) -> None:
    path = tmp_path / "f" / "a(b.fake"
    place = {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 1}}
    found = [{"range": place, "message": "odd"}]
    opened = [
        {"method": "fake/regions", "params": {"uri": to_uri(path), "regions": []}},
        {
            "method": "textDocument/publishDiagnostics",
            "params": {"uri": to_uri(path), "diagnostics": found},
        },
    ]
    fake = make_fake(
        path.parent, {"answers": {"textDocument/hover": [{"result": HOVER}]}, "opened": opened}
    )
    path.write_text("a\n")
    theirs = to_uri(path).replace("(", "%28")
    first, second = window(fake), window(fake)
    one = first.open_as(theirs, "a\n")
    await first.at("textDocument/hover", one, 0)
    two = second.open_as(theirs, "a\n")
    await second.at("textDocument/hover", two, 0)
    for each in (first, second):
        await until(partial(each.told, "fake/regions"))
        assert [said["uri"] for said in each.told("fake/regions")] == [theirs]
        said = each.told("textDocument/publishDiagnostics")[-1]
        assert said["uri"] == theirs and said["diagnostics"] == found


async def test_a_server_of_its_own_is_ready_when_it_has_read_the_workspace_itself(
    tmp_path: Path, window: Open, host: Host
) -> None:
    """That the common one was ready says nothing of it: answers are marked as incomplete."""
    path = tmp_path / "f" / "a.fake"
    path.parent.mkdir()
    path.write_text("a\n")
    begin = {"method": "$/progress", "params": {"token": "t", "value": {"kind": "begin"}}}
    script: dict[str, Any] = {"answers": {"textDocument/hover": [{"result": HOVER}]}}
    strategy = ReadinessStrategy(kind="progress", grace_s=0.0)
    fake = make_fake(tmp_path / "f", script, readiness=strategy)
    first, second = window(fake), window(fake)
    one, two = first.open(path), second.open(path)
    for each, document in ((first, one), (second, two)):
        await each.at("textDocument/hover", document, 0)
        assert await each.upstream.wait_ready(PATIENCE_S)
    first.type(one, "mine\n")
    await first.at("textDocument/hover", one, 0)
    make_fake(tmp_path / "f", {**script, "initialized": [begin]})  # what starts now reads on
    second.type(two, "theirs\n")
    assert await second.at("textDocument/hover", two, 0) == HOVER
    await until(lambda: not second.upstream.ready)
    assert first.upstream.ready
    assert [row["ready"] for row in host.status()["servers"]] == [True, False]
    second.type(two, "mine\n")
    await until(lambda: second.upstream.ready)


async def test_an_edit_of_a_line_that_another_window_has_not_is_refused(
    tmp_path: Path, window: Open
) -> None:
    path = tmp_path / "f" / "a.fake"
    path.parent.mkdir()
    path.write_text("a\nb\n")
    edits = [{"range": place["range"], "newText": "z"} for place in places("", 0, 1)]
    rename = {"changes": {to_uri(path): edits}}
    fake = make_fake(
        tmp_path / "f",
        {
            "capabilities": {**ALL, "renameProvider": True},
            "answers": {"textDocument/rename": [{"result": rename}]},
        },
    )
    editing, reading = window(fake), window(fake)
    mine, theirs = editing.open(path), reading.open(path)
    await editing.at("textDocument/rename", mine, 0)
    await reading.at("textDocument/rename", theirs, 0)
    editing.type(mine, "new\na\nb\n")
    await editing.at("textDocument/rename", mine, 1)
    with pytest.raises(ResponseError) as raised:  # line 0 is none of the reader's
        await reading.at("textDocument/rename", theirs, 0)
    assert raised.value.number == -32801


TRUTH = """\
import json, sys
texts = {}
def send(message):
    body = json.dumps({"jsonrpc": "2.0", **message}).encode()
    sys.stdout.buffer.write(b"Content-Length: %d\\r\\n\\r\\n" % len(body) + body)
    sys.stdout.buffer.flush()
while True:
    length = 0
    while (line := sys.stdin.buffer.readline()) not in (b"\\r\\n", b""):
        length = int(line.split(b":")[1]) if line.lower().startswith(b"content-length") else length
    if not line:
        break
    message = json.loads(sys.stdin.buffer.read(length))
    method, params = message.get("method"), message.get("params") or {}
    if method == "initialize":
        provides = {"textDocumentSync": 2, "hoverProvider": True, "referencesProvider": True}
        send({"id": message["id"], "result": {"capabilities": provides}})
    elif method == "textDocument/didOpen":
        texts[params["textDocument"]["uri"]] = params["textDocument"]["text"].split("\\n")
    elif method == "textDocument/didClose":
        del texts[params["textDocument"]["uri"]]
    elif method == "textDocument/didChange":
        for change in params["contentChanges"]:
            uri = params["textDocument"]["uri"]
            if "range" not in change:
                texts[uri] = change["text"].split("\\n")
                continue
            a, b = change["range"]["start"], change["range"]["end"]
            lines = texts[uri]
            whole = lines[a["line"]][: a["character"]] + change["text"]
            whole += lines[b["line"]][b["character"] :]
            lines[a["line"] : b["line"] + 1] = whole.split("\\n")
    elif method == "textDocument/hover":
        line = texts[params["textDocument"]["uri"]][params["position"]["line"]]
        send({"id": message["id"], "result": {"contents": line}})
    elif method == "textDocument/references":
        line = texts[params["textDocument"]["uri"]][params["position"]["line"]]
        found = [
            {"uri": uri, "range": {"start": {"line": n, "character": 0},
                                   "end": {"line": n, "character": len(text)}}}
            for uri, lines in texts.items() for n, text in enumerate(lines) if text == line
        ]
        send({"id": message["id"], "result": found})
    elif "id" in message:
        send({"id": message["id"], "result": None})
"""
"""A server whose answers are the lines of its texts: hover says the line, references are the lines
that are the same."""


EDITS = int(os.environ.get("SURVEYOR_INTERLEAVED_EDITS", "150"))
"""How many edits the random test makes; 10,000 on demand."""


CROSSING = 0.02
"""How often a window edits what the other one edits."""


async def test_no_answer_comes_from_a_text_that_the_asker_has_not(
    tmp_path: Path, window: Open
) -> None:
    """Two windows edit four documents, two each and sometimes the other's; what either asks is
    about its own lines."""
    seed = int(os.environ.get("SURVEYOR_SEED", "1"))
    chance = random.Random(seed)
    fake = make_fake(tmp_path / "f", {})
    server = fake.folder / "truth.py"
    server.write_text(TRUTH)
    fake = replace(fake, spec=replace(fake.spec, command=(sys.executable, str(server))))
    files = [fake.folder / f"{name}.fake" for name in "abcd"]
    for file in files:
        file.write_text("".join(f"{file.name} {n}\n" for n in range(12)))
    windows = [window(fake), window(fake)]
    opened = [[each.open(file) for file in files] for each in windows]
    for each in windows:
        await each.upstream.wait_running(PATIENCE_S)
    answered = left_out = 0
    for turn in range(EDITS):
        side = chance.randrange(2)
        crossing = chance.random() < CROSSING
        document = opened[side][chance.randrange(2) + 2 * (side ^ crossing)]
        edit(chance, windows[side], document, f"line of {turn}")
        if chance.random() < 0.4:
            save(windows, opened, document)
        side = chance.randrange(2)
        document = opened[side][chance.randrange(4)]
        line = chance.randrange(len(document.starts))
        asked = document.line(line)
        try:
            method = f"textDocument/{chance.choice(['hover', 'references'])}"
            asking = asyncio.ensure_future(windows[side].at(method, document, line))
            if chance.random() < 0.5:  # before the answer comes
                await asyncio.sleep(chance.choice([0, 0.001]))
                theirs = opened[1 - side][chance.randrange(2) + 2 * (1 - side)]
                edit(chance, windows[1 - side], theirs, f"meanwhile {turn}")
            found = await asking
            if method.endswith("hover"):
                assert found == {"contents": asked}, (seed, turn)
            else:
                for place in found:
                    own = next(d for d in opened[side] if d.uri == place["uri"])
                    assert own.line(place["range"]["start"]["line"]) == asked, (seed, turn)
                assert found, (seed, turn)
            answered += 1
        except (OtherTextError, ResponseError):
            left_out += 1
    assert answered > EDITS / 2 and left_out > 0, (answered, left_out)


def edit(chance: random.Random, window: Window, document: OpenDocument, text: str) -> None:
    """Insert, replace or delete a line, by an increment."""
    line = chance.randrange(len(document.starts) - 1)
    kind = chance.randrange(3)
    end = {"line": line if kind == 0 else line + 1, "character": 0}
    change = {
        "range": {"start": {"line": line, "character": 0}, "end": end},
        "text": "" if kind == 2 and len(document.starts) > 6 else f"{text}\n",
    }
    document.version += 1
    document.apply([change])
    window.upstream.change(
        document,
        {
            "textDocument": {"uri": document.uri, "version": document.version},
            "contentChanges": [change],
        },
    )


def save(windows: list[Window], opened: list[list[OpenDocument]], saved: OpenDocument) -> None:
    """Write a document to disk; the other window reads it again, as editors do."""
    from surveyor.servers.uris import to_path

    path = to_path(saved.uri)
    assert path is not None
    path.write_text(saved.text)
    for window, documents in zip(windows, opened, strict=True):
        for document in documents:
            if document is saved:
                window.upstream.save(document)
            elif document.uri == saved.uri:
                window.type(document, saved.text)


MODIFIED = {"error": {"code": -32801, "message": "content modified"}, "delay_s": 0.3}


async def test_a_question_given_up_for_what_another_window_did_is_asked_again(
    tmp_path: Path, window: Open
) -> None:
    path, other = tmp_path / "f" / "a.fake", tmp_path / "f" / "b.fake"
    fake = make_fake(
        tmp_path / "f",
        {"answers": {"textDocument/hover": [MODIFIED, {"result": HOVER}, MODIFIED]}},
    )
    for each in (path, other):
        each.write_text("a\n")
    first, second = window(fake), window(fake)
    document = first.open(path)
    await until(lambda: first.upstream.ready and second.upstream.ready)
    asking = asyncio.ensure_future(first.at("textDocument/hover", document, 0))
    await until(lambda: fake.received("textDocument/hover"))
    second.open(other)
    assert await asking == HOVER
    params = {"textDocument": {"uri": document.uri}, "position": {"line": 0, "character": 0}}
    asking = asyncio.ensure_future(
        first.upstream.request("textDocument/hover", params, timeout=PATIENCE_S, retries=0)
    )
    await until(lambda: len(fake.received("textDocument/hover")) == 3)
    second.open(path)
    first.type(document, "b\n")  # who types asks again: nobody does so in its place
    with pytest.raises(ResponseError) as caught:
        await asking
    assert caught.value.number == -32801
    assert len(fake.received("textDocument/hover")) == 3
