"""`editor/openTexts` and `editor/applyEdit`: what agents change is changed in the buffer where a
file is open, by `workspace/applyEdit`, so that the editor can undo it and no keystroke is lost.

An edit is for one version of each buffer. Editors check that too, but not all of them say so: it
counts as made when the editor has told of a text with the edit in it.
"""

from __future__ import annotations

import asyncio
import difflib
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec

from surveyor.lsp.buffers import Buffers
from surveyor.lsp.host import EditorHost
from surveyor.lsp.protocol import Protocol
from surveyor.protocol.edits import (
    EditorApplied,
    EditorChange,
    EditorEdit,
    EditorTexts,
    OpenText,
    OpenTextsParams,
)
from surveyor.servers import messages
from surveyor.servers.documents import EDITOR, OpenDocument, OpenDocuments
from surveyor.servers.errors import UpstreamError
from surveyor.servers.positions import line_starts, utf16_length
from surveyor.servers.uris import to_path

__all__ = ["AgentEdits", "text_edits"]

TOLD_LIMIT_S = 3.0
"""How long an editor may take to tell of a change that it says it has made."""
MAX_COMPARED_LINES = 4000


class AgentEdits:
    """Changes this window's buffers for the engine."""

    def __init__(
        self,
        protocol: Protocol,
        host: EditorHost,
        documents: OpenDocuments,
        buffers: Callable[[], Buffers],
    ) -> None:
        self._protocol = protocol
        self._host = host
        self._documents = documents
        self._buffers = buffers

    def handlers(self) -> dict[str, Callable[[Any], Awaitable[Any]]]:
        """Handlers by method."""
        return {"editor/openTexts": self._open_texts, "editor/applyEdit": self._apply_edit}

    async def _open_texts(self, params: Any) -> EditorTexts:
        wanted = msgspec.convert(params, type=OpenTextsParams)
        found = self._open(wanted.paths)
        return EditorTexts(
            [OpenText(path, each.version, each.text, each.dirty) for path, each in found.items()]
        )

    def _open(self, paths: Sequence[str]) -> dict[str, OpenDocument]:
        """The buffers of files, also of those that are open by a link."""
        wanted = set(paths)
        found: dict[str, OpenDocument] = {}
        for document in self._documents:
            path = to_path(document.uri)
            if path is None or EDITOR not in document.owners:
                continue
            real = str(path) if str(path) in wanted else str(_real(path))
            if real in wanted and (real not in found or document.dirty):
                found[real] = document
        return found

    async def _apply_edit(self, params: Any) -> EditorApplied:
        edit = msgspec.convert(params, type=EditorEdit)
        if not self._host.can("workspace.applyEdit"):
            return EditorApplied(False, reason="it does not take edits (workspace/applyEdit)")
        opened = self._open([each.path for each in edit.documents])
        if any(
            each.path not in opened or opened[each.path].version != each.version
            for each in edit.documents
        ):
            return EditorApplied(False, changed=True)
        wanted = [(opened[each.path], each) for each in edit.documents]
        hearing = [_Hearing(self._buffers(), document, each.text) for document, each in wanted]
        try:
            answer = await self._ask(edit.label, wanted)
            if not answer.get("applied"):
                moved = any(document.version != each.version for document, each in wanted)
                reason = str(answer.get("failureReason") or "it refused")
                return EditorApplied(False, changed=moved, reason=reason)
            for each in hearing:
                if not await each.arrived():
                    return EditorApplied(False, changed=True, reason="its text did not change")
        finally:
            for each in hearing:
                each.close()
        await self._buffers().shown()
        versions = {each.path: document.version for document, each in wanted}
        return EditorApplied(True, versions=versions)

    async def _ask(
        self, label: str, wanted: Sequence[tuple[OpenDocument, EditorChange]]
    ) -> dict[str, Any]:
        changes = [
            {
                "textDocument": {"uri": document.uri, "version": each.version},
                "edits": text_edits(document, each.text),
            }
            for document, each in wanted
        ]
        edit: dict[str, Any] = {"documentChanges": changes}
        if not self._host.can("workspace.workspaceEdit.documentChanges"):
            edit = {"changes": {one["textDocument"]["uri"]: one["edits"] for one in changes}}  # type: ignore[index]
        try:
            raw = await self._protocol.ask("workspace/applyEdit", {"label": label, "edit": edit})
        except UpstreamError as error:
            return {"failureReason": str(error)}
        answer = messages.decode(raw)
        return answer if isinstance(answer, dict) else {}


class _Hearing:
    """Waits until the editor has told of a text with a change in it."""

    def __init__(self, buffers: Buffers, document: OpenDocument, wanted: str) -> None:
        self._buffers = buffers
        self._document = document
        self._wanted = wanted
        self._before = document.text
        self._arrived = asyncio.Event()
        buffers.listen(document.uri, self._changed)

    def _changed(self, text: str) -> None:
        if text == self._wanted or self._is_in(text):
            self._arrived.set()

    def _is_in(self, text: str) -> bool:
        """Whether the change is there beside others: keys that were told of together with it."""
        old, new = set(self._before.split("\n")), set(self._wanted.split("\n"))
        now = set(text.split("\n"))
        return new - old <= now and not (old - new) & now and old != new

    async def arrived(self) -> bool:
        """Whether the change is there, once the editor has had time to tell of it."""
        if self._document.text == self._wanted:
            return True
        try:
            await asyncio.wait_for(self._arrived.wait(), TOLD_LIMIT_S)
        except TimeoutError:
            return False
        return True

    def close(self) -> None:
        """Listen no more."""
        self._buffers.unlisten(self._document.uri, self._changed)


def text_edits(document: OpenDocument, text: str) -> list[dict[str, Any]]:
    """Edits that make of a buffer's text another: whole lines, in the order of the text."""
    old, new = _kept_lines(document.text), _kept_lines(text)
    same = 0
    while same < min(len(old), len(new)) and old[same] == new[same]:
        same += 1
    tail = 0
    while tail < min(len(old), len(new)) - same and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    last_old, last_new = len(old) - tail, len(new) - tail
    spans = [(same, last_old, same, last_new)]
    if max(last_old, last_new) - same <= MAX_COMPARED_LINES:
        between = difflib.SequenceMatcher(
            None, old[same:last_old], new[same:last_new], autojunk=False
        )
        spans = [
            (a + same, b + same, c + same, d + same)
            for tag, a, b, c, d in between.get_opcodes()
            if tag != "equal"
        ]
    return [
        {
            "range": {"start": _position(old, a), "end": _position(old, b)},
            "newText": "".join(new[c:d]),
        }
        for a, b, c, d in spans
        if (a, c) != (b, d)
    ]


def _kept_lines(text: str) -> list[str]:
    """Lines with their ends, as LSP counts them."""
    starts = line_starts(text)
    lines = [text[start:end] for start, end in zip(starts, [*starts[1:], len(text)], strict=True)]
    return lines if lines[-1] else lines[:-1]


def _position(lines: Sequence[str], index: int) -> dict[str, int]:
    """Where a line begins; past the last one, where the text ends."""
    if index < len(lines) or not lines or lines[-1].endswith(("\n", "\r")):
        return {"line": index, "character": 0}
    return {"line": len(lines) - 1, "character": utf16_length(lines[-1])}


def _real(path: Path) -> Path:
    try:
        return path.resolve()
    except (OSError, RuntimeError):
        return path
