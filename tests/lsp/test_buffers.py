"""What the engine is shown of open buffers, and when."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import msgspec
import pytest

from surveyor.lsp.buffers import Buffers, SetOverlay
from surveyor.servers.documents import OpenDocuments
from surveyor.servers.uris import to_uri


class NoServers:
    """Interface: no language server runs."""

    def all(self) -> list[Any]:
        """None."""
        return []


class OneServer:
    """Interface: a language server that keeps what it is told of changes."""

    def __init__(self) -> None:
        self.changes: list[Any] = []
        self.closed: list[str] = []

    def all(self) -> list[Any]:
        """Itself."""
        return [self]

    def change(self, _: Any, params: msgspec.Raw) -> None:
        """Keep a change."""
        self.changes.append(msgspec.json.decode(params)["contentChanges"])

    def detach(self, uri: str) -> None:
        """Keep what was closed."""
        self.closed.append(uri)


def raw(value: Any) -> msgspec.Raw:
    """Parameters as they come over the wire."""
    return msgspec.Raw(msgspec.json.encode(value))


def buffers_shown_to(
    overlay: SetOverlay,
    servers: OneServer | None = None,
    documents: OpenDocuments | None = None,
) -> Buffers:
    """Of an editor without language servers, or with one."""
    return Buffers(
        OpenDocuments() if documents is None else documents,
        lambda: servers or NoServers(),  # type: ignore[arg-type,return-value]
        opened=lambda document: None,
        overlay=overlay,
        is_ours=lambda path: True,
    )


async def test_keys_faster_than_the_engine_show_it_the_latest_text_alone(tmp_path: Path) -> None:
    path = tmp_path / "song.py"
    path.write_text("")
    shown: list[tuple[int, str | None]] = []
    asked, done = asyncio.Event(), asyncio.Event()

    async def overlay(_: Path, version: int, text: str | None) -> None:
        shown.append((version, text))
        asked.set()
        await done.wait()
        if version == 2:
            raise OSError("an engine that ends does not end the showing")

    buffers = buffers_shown_to(overlay)

    async def next_shown() -> None:
        await asked.wait()
        asked.clear()

    uri = to_uri(path)
    item = {"uri": uri, "languageId": "python", "version": 1, "text": ""}
    done.set()
    buffers.did_open(raw({"textDocument": item}))
    await next_shown()
    done.clear()
    for version in range(2, 40):
        change = {"text": f"verse = {version}"}
        key = {"textDocument": {"uri": uri, "version": version}, "contentChanges": [change]}
        buffers.did_change(raw(key))
    await next_shown()
    assert shown == [(1, None), (2, "verse = 2")], "the first key is shown at once"
    buffers.show_all()  # as after a pause
    await asyncio.sleep(0.01)
    done.set()
    await next_shown()
    assert shown[2:] == [(39, "verse = 39")]


async def test_what_the_engine_did_not_take_is_shown_once_it_knows_the_folder(
    tmp_path: Path,
) -> None:
    shown: asyncio.Queue[tuple[int, str | None]] = asyncio.Queue()
    knows = False

    async def overlay(_: Path, version: int, text: str | None) -> None:
        shown.put_nowait((version, text))
        if not knows:
            raise OSError("no such project")

    buffers = buffers_shown_to(overlay)
    uri = to_uri(tmp_path / "new.py")
    item = {"uri": uri, "languageId": "python", "version": 1, "text": "verse = 1"}
    buffers.did_open(raw({"textDocument": item}))
    assert await shown.get() == (1, "verse = 1")
    knows = True
    while not shown.qsize():  # what came of it is heard in the next turn of the loop
        buffers.show_refused()
        await asyncio.sleep(0)
    assert await shown.get() == (1, "verse = 1")
    buffers.show_refused()
    await asyncio.sleep(0.01)
    assert shown.empty(), "it has been taken"


@pytest.mark.parametrize(
    ("start", "end", "expected"),
    [
        ((1, 1), (0, 3), "a😀+b\n"),  # its end is before its beginning
        ((7, 0), (9, 9), "a😀\nab\n+"),
        ((0, 3), (0, 99), "a😀+\nab\n"),
        ((0, 2), (0, 3), "a+\nab\n"),  # within a character
        ((-1, 0), (0, 1), "+😀\nab\n"),
    ],
)
async def test_a_change_at_no_place_of_the_text_reaches_servers_as_the_whole_text(
    tmp_path: Path, start: tuple[int, int], end: tuple[int, int], expected: str
) -> None:
    server = OneServer()

    async def overlay(_path: Path, _version: int, _text: str | None) -> None: ...

    buffers = buffers_shown_to(overlay, server)
    uri = to_uri(tmp_path / "a.py")
    item = {"uri": uri, "languageId": "python", "version": 1, "text": "a😀\nab\n"}
    buffers.did_open(raw({"textDocument": item}))
    sides = {
        side: {"line": at[0], "character": at[1]} for side, at in (("start", start), ("end", end))
    }
    change = {"range": sides, "text": "+"}
    buffers.did_change(
        raw({"textDocument": {"uri": uri, "version": 2}, "contentChanges": [change]})
    )
    assert server.changes == [[{"text": expected}]]
    key = {"range": {"start": {"line": 0, "character": 1}, "end": {"line": 0, "character": 1}}}
    edit = {"textDocument": {"uri": uri, "version": 3}, "contentChanges": [{**key, "text": "x"}]}
    buffers.did_change(raw(edit))
    assert server.changes[1:] == [[{**key, "text": "x"}]], "any other goes on as it came"


async def unseen(_path: Path, _version: int, _text: str | None) -> None:
    """An engine that takes everything."""


async def test_what_servers_have_open_gets_the_text_with_which_the_editor_opens_it(
    tmp_path: Path,
) -> None:
    """Opened twice, or opened before by a question of the engine: servers had the first text."""
    server, documents = OneServer(), OpenDocuments()
    buffers = buffers_shown_to(unseen, server, documents)
    uri = to_uri(tmp_path / "a.py")
    documents.open(uri, "python", 1, "disk", "headless")
    item = {"uri": uri, "languageId": "python", "version": 1, "text": "disk"}
    buffers.did_open(raw({"textDocument": item}))
    assert not server.closed
    buffers.did_open(raw({"textDocument": {**item, "version": 2, "text": "unsaved"}}))
    assert server.closed == [uri], "it is opened anew, as the editor says"
    document = documents.get(uri)
    assert document is not None and (document.text, document.version) == ("unsaved", 2)
    buffers.did_open(raw({"textDocument": {**item, "languageId": "toml", "text": "unsaved"}}))
    assert server.closed == [uri, uri], "it is another server's now"


async def test_a_buffer_that_is_closed_is_closed_for_questions_too(tmp_path: Path) -> None:
    """They have its unsaved text, which is gone with it."""
    server, documents = OneServer(), OpenDocuments()
    buffers = buffers_shown_to(unseen, server, documents)
    uri = to_uri(tmp_path / "a.py")
    item = {"uri": uri, "languageId": "python", "version": 1, "text": "unsaved"}
    buffers.did_open(raw({"textDocument": item}))
    documents.open(uri, "python", 1, "disk", "headless")
    buffers.did_close(raw({"textDocument": {"uri": uri}}))
    assert server.closed == [uri]
    assert documents.get(uri) is None


async def test_a_file_is_one_buffer_however_its_uri_is_spelled(tmp_path: Path) -> None:
    server, documents = OneServer(), OpenDocuments()
    buffers = buffers_shown_to(unseen, server, documents)
    path = tmp_path / "(x) [é].py"
    usual = to_uri(path)
    theirs = usual.replace("(", "%28").replace(")", "%29")
    documents.open(usual, "python", 1, "disk", "headless")
    item = {"uri": theirs, "languageId": "python", "version": 1, "text": "unsaved"}
    buffers.did_open(raw({"textDocument": item}))
    assert server.closed == [usual], "servers know it by the editor's spelling alone"
    document = documents.get(usual)
    assert document is not None and document.text == "unsaved"
    assert documents.get(theirs) is document and documents.uri_of(path) == theirs
    buffers.did_close(raw({"textDocument": {"uri": theirs}}))
    assert documents.get(usual) is None and documents.uri_of(path) == usual
