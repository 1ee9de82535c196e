"""The editor's open buffers: kept, passed to upstreams in order, shown to the engine when unsaved.

An unsaved text goes to the engine (an overlay) a short while after the last keystroke and is taken
away when it is saved or dropped. It is never written anywhere.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import msgspec

from surveyor.files.safe_read import read_bytes
from surveyor.lsp.protocol import InvalidParamsError
from surveyor.servers import messages
from surveyor.servers.documents import EDITOR, OpenDocument, OpenDocuments
from surveyor.servers.manager import UpstreamManager
from surveyor.servers.uris import to_path

OVERLAY_PAUSE_S = 0.05
"""Quiet time after a keystroke before the engine sees the text (300 ms are promised, of which the
engine and a question need the rest). However short, one text is shown at a time."""

REOPENED = -1
"""The version that counts as shown for a buffer that was closed and is another one now."""

SAVED_GRACE_S = 0.7
"""How long a saved text still stands in for the index, which reads the file meanwhile."""

MAX_OVERLAY_CHARS = 2_000_000
"""Larger buffers are not shown to the engine: it would not index such a file either."""

log = logging.getLogger(__name__)

SetOverlay = Callable[[Path, int, str | None], Awaitable[None]]


class Buffers:
    """Handles `textDocument/didOpen`, `didChange`, `didSave` and `didClose`."""

    def __init__(
        self,
        documents: OpenDocuments,
        manager: Callable[[], UpstreamManager],
        *,
        opened: Callable[[OpenDocument], None],
        overlay: SetOverlay,
        is_ours: Callable[[Path], bool],
    ) -> None:
        self._documents = documents
        self._manager = manager
        self._opened = opened
        self._overlay = overlay
        self._is_ours = is_ours
        self._timers: dict[str, asyncio.TimerHandle] = {}
        self._shown: dict[str, int] = {}
        """Versions that the engine holds, by URI."""
        self._sending: set[Path] = set()
        self._next: dict[Path, tuple[int, str | None]] = {}
        """What is to be shown once the engine has taken what it is shown now: the latest only, so
        that keys faster than a large file is parsed do not queue up."""
        self._refused: set[str] = set()
        """What the engine did not take, as of a folder that it does not know yet."""
        self._tasks: set[asyncio.Task[None]] = set()
        self._listeners: dict[str, list[Callable[[str], None]]] = {}

    def listen(self, uri: str, heard: Callable[[str], None]) -> None:
        """Hear of each text that a buffer has from now on."""
        self._listeners.setdefault(uri, []).append(heard)

    def unlisten(self, uri: str, heard: Callable[[str], None]) -> None:
        """Hear of it no more."""
        left = [each for each in self._listeners.pop(uri, []) if each != heard]
        if left:
            self._listeners[uri] = left

    def did_open(self, params: msgspec.Raw) -> None:
        """A buffer was opened."""
        item = self._item(params)
        uri, language_id = item["uri"], str(item.get("languageId", ""))
        version, text = int(item.get("version") or 0), str(item.get("text", ""))
        known = self._documents.get(uri)
        is_news = known is not None and known.text != text
        if known is not None and (
            is_news or (known.uri, known.language_id) != (uri, language_id)
        ):  # opened twice, or by a question of the engine before: servers open it anew
            self._put_away(known)
        document = self._documents.open(uri, language_id, version, text, EDITOR)
        for heard in self._listeners.get(uri, ()) if is_news else ():
            heard(text)
        disk = text_on_disk(document)
        document.dirty = disk is not None and disk != document.text
        document.saved = disk if document.dirty else None
        if document.uri in self._shown:
            self._shown[document.uri] = REOPENED
        self._opened(document)
        path = to_path(document.uri)
        if document.dirty:
            self._later(document.uri, OVERLAY_PAUSE_S)
        elif path is not None and document.uri not in self._shown and self._is_ours(path):
            # Nothing to show yet: the engine gets ready for the first key.
            self._send(document.uri, path, document.version, None)

    def did_change(self, params: msgspec.Raw) -> None:
        """A buffer was edited: applied here, passed on as it came, or whole if it had no place."""
        value = messages.decode(params)
        item = self._item(params)
        document = self._documents.get(item["uri"])
        if document is None:
            log.warning("a change to %s, which is not open", item["uri"])
            return
        document.version = int(item.get("version") or document.version + 1)
        if not document.dirty:
            document.saved = document.text
        if not document.apply(value.get("contentChanges") or []):
            whole = {"textDocument": item, "contentChanges": [{"text": document.text}]}
            params = msgspec.Raw(msgspec.json.encode(whole))
        document.dirty = True
        for heard in self._listeners.get(document.uri, ()):
            heard(document.text)
        for upstream in self._manager().all():
            upstream.change(document, params)
        if document.uri not in self._timers:
            # The first key of many: what the engine has to start for it, it starts meanwhile.
            self._show(document.uri)
        self._later(document.uri, OVERLAY_PAUSE_S)

    def did_save(self, params: msgspec.Raw) -> None:
        """A buffer was written to disk."""
        document = self._documents.get(self._item(params)["uri"])
        if document is None:
            return
        document.dirty, document.saved = False, None
        for upstream in self._manager().all():
            upstream.save(document)
        self._later(document.uri, SAVED_GRACE_S)

    def did_close(self, params: msgspec.Raw) -> None:
        """A buffer was closed; unsaved text is dropped with it."""
        uri = self._item(params)["uri"]
        document = self._documents.get(uri)
        if document is None or document.uri != uri:  # opened again meanwhile, spelled otherwise
            return
        document.dirty = False
        self._later(uri, 0.0)
        self._put_away(document)

    def _put_away(self, document: OpenDocument) -> None:
        """Close a document for everybody: a question of the engine opens it anew, from the disk."""
        self._documents.forget(document)
        for upstream in self._manager().all():
            upstream.detach(document.uri)

    def show_all(self) -> None:
        """Show every unsaved buffer again (the engine is new, or was away)."""
        self._shown.clear()
        for document in self._documents:
            if document.dirty:
                self._later(document.uri, 0.0)

    def show_refused(self) -> None:
        """Show again what the engine did not take: it has come to know a folder."""
        refused, self._refused = self._refused, set()
        for uri in refused:
            if uri not in self._timers:
                self._later(uri, 0.0)

    async def shown(self) -> None:
        """Until the engine has every unsaved text as it is now: for who cannot wait for a pause."""
        for uri in list(self._timers):
            document = self._documents.get(uri)
            if document is not None and document.dirty:
                self._timers[uri].cancel()
                self._show(uri)
        await asyncio.gather(*self._tasks)

    def folders_changed(self) -> None:
        """Show the unsaved buffers of folders that are open now, and no others."""
        for document in self._documents:
            if document.uri not in self._timers:
                self._later(document.uri, 0.0)

    def _item(self, params: msgspec.Raw) -> dict[str, Any]:
        value = messages.decode(params)
        item = value.get("textDocument") if isinstance(value, dict) else None
        if not isinstance(item, dict) or not isinstance(item.get("uri"), str):
            raise InvalidParamsError("textDocument.uri is missing")
        return item

    def _later(self, uri: str, seconds: float) -> None:
        timer = self._timers.pop(uri, None)
        if timer is not None:
            timer.cancel()
        loop = asyncio.get_running_loop()
        self._timers[uri] = loop.call_later(seconds, self._show, uri)

    def _show(self, uri: str) -> None:
        self._timers.pop(uri, None)
        path = to_path(uri)
        if path is None:
            return
        document = self._documents.get(uri)
        if (
            document is not None
            and document.dirty
            and len(document.text) <= MAX_OVERLAY_CHARS
            and self._is_ours(path)
        ):
            if self._shown.get(uri) != document.version:
                self._shown[uri] = document.version
                self._send(uri, path, document.version, document.text)
        elif self._shown.pop(uri, None) is not None:
            self._send(uri, path, 0, None)

    def _send(self, uri: str, path: Path, version: int, text: str | None) -> None:
        self._next[path] = version, text
        if path in self._sending:
            return
        self._sending.add(path)

        async def send() -> None:
            try:
                while (latest := self._next.pop(path, None)) is not None:
                    try:
                        await self._overlay(path, *latest)
                    except Exception as error:
                        log.debug("the engine was not shown %s: %s", path, error)
                        self._shown.pop(uri, None)
                        self._refused.add(uri)
            finally:
                self._sending.discard(path)

        task = asyncio.ensure_future(send())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


def text_on_disk(document: OpenDocument) -> str | None:
    """The text of a buffer's file, which a restored session may differ from.

    `None` where that is no question: no file, or one that is too large to be compared.
    """
    path = to_path(document.uri)
    if path is None or len(document.text) > MAX_OVERLAY_CHARS:
        return None
    try:
        if path.stat().st_size > 4 * MAX_OVERLAY_CHARS:
            return None
        data = read_bytes(path, 4 * MAX_OVERLAY_CHARS)
        return data.decode("utf-8-sig", errors="replace")
    except OSError:
        return ""
