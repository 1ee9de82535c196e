"""What language servers find in some documents, asked for or waited for, without an editor.

A server that can be asked is asked
(`textDocument/diagnostic`); of others what they publish is waited for, until each document has
been spoken of and nothing more comes.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from surveyor.servers import messages
from surveyor.servers.documents import OpenDocument
from surveyor.servers.errors import UpstreamError
from surveyor.servers.lifecycle import LifecycleState
from surveyor.servers.lsp_client import AskingServer, HeadlessHost
from surveyor.servers.manager import UpstreamManager
from surveyor.servers.upstream import Upstream
from surveyor.servers.uris import to_path, to_uri

__all__ = [
    "LEFT_OPEN",
    "DocumentDiagnostics",
    "PublishedDiagnostics",
    "ServerDiagnostic",
    "ServerTurns",
    "ShownDocuments",
]

ERROR, WARNING = 1, 2
PULL = "textDocument/diagnostic"
PUBLISH = "textDocument/publishDiagnostics"
OWNER = "diagnostics"
LEFT_OPEN = 3
"""Documents that stay open."""
QUIET_S = 0.5
"""A server that has spoken of each document and says nothing more for so long has finished."""
SILENT_S = 0.6
"""One that has not spoken of each: what it says nothing of has not changed for it."""


@dataclass(frozen=True, slots=True)
class ServerDiagnostic:
    """An error or a warning."""

    path: Path
    line: int
    """1-based."""
    column: int
    """0-based UTF-16."""
    is_error: bool
    code: str
    message: str


@dataclass(frozen=True, slots=True)
class DocumentDiagnostics:
    """What a server found in documents; `silent` are those that it has not spoken of in time."""

    found: list[ServerDiagnostic]
    silent: frozenset[Path]


ServerTurns = defaultdict[tuple[str, Path], asyncio.Lock]
"""By language and root: what a server is shown for one question would disturb another's."""


class PublishedDiagnostics(HeadlessHost):
    """Nobody is attached; what servers publish of documents that are being asked about is kept,
    and so are the edits that a command of theirs wants to be made."""

    def __init__(self) -> None:
        self._taken: dict[AskingServer, list[Mapping[str, Any]]] = {}
        self._published: dict[Path, tuple[float, list[Any]] | None] = {}
        self._news = asyncio.Event()

    @contextmanager
    def listening(self, paths: Iterator[Path]) -> Iterator[None]:
        """Keep what is published of these files meanwhile."""
        mine = [path for path in paths if path not in self._published]
        self._published.update(dict.fromkeys(mine))
        try:
            yield
        finally:
            for path in mine:
                self._published.pop(path, None)

    @contextmanager
    def taking_edits(self, upstream: AskingServer) -> Iterator[list[Mapping[str, Any]]]:
        """Take what a server wants to be changed meanwhile, and tell it that it is done."""
        taken = self._taken[upstream] = []
        try:
            yield taken
        finally:
            del self._taken[upstream]

    async def forward(self, upstream: AskingServer, method: str, params: msgspec.Raw) -> Any:
        """Take an edit, where a command was run for it."""
        if method == "workspace/applyEdit" and upstream in self._taken:
            value = messages.decode(params)
            edit = value.get("edit") if isinstance(value, dict) else None
            if isinstance(edit, dict):
                self._taken[upstream].append(edit)
                return {"applied": True}
        return await super().forward(upstream, method, params)

    def notified(self, upstream: AskingServer, method: str, params: msgspec.Raw) -> None:
        """Keep diagnostics."""
        if method != PUBLISH:
            return
        value = messages.decode(params)
        path = to_path(str(value.get("uri", ""))) if isinstance(value, dict) else None
        if path in self._published:
            found = value.get("diagnostics")
            listed = found if isinstance(found, list) else []
            self._published[path] = (time.monotonic(), listed)
            self._news.set()

    def published(self, path: Path, since: float) -> list[Any] | None:
        """What was last published of a file since a time (`time.monotonic()`); None for nothing."""
        heard = self._published.get(path)
        return heard[1] if heard is not None and heard[0] >= since else None

    def last(self, since: float) -> float:
        """When something was last published, not before `since`."""
        return max([since, *(heard[0] for heard in self._published.values() if heard is not None)])

    async def news(self, timeout_s: float) -> None:
        """Wait until something is published, and not for longer."""
        self._news.clear()
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._news.wait(), timeout_s)


class ShownDocuments:
    """Documents that one server is shown for a question. To be closed."""

    def __init__(
        self, manager: UpstreamManager, host: PublishedDiagnostics, upstream: Upstream
    ) -> None:
        self._manager = manager
        self._host = host
        self._upstream = upstream
        self._shown: dict[Path, OpenDocument] = {}

    def show(self, texts: Mapping[Path, str]) -> None:
        """Show documents with these texts, those that are shown already with their new ones."""
        documents, registry = self._manager.documents, self._manager.registry
        for path, text in texts.items():
            uri = to_uri(path)
            is_known = self._upstream.knows(uri) and path not in self._shown
            document = documents.open(uri, registry.language_id(path.as_posix()), 1, text, OWNER)
            self._shown[path] = document
            # One that was open before is changed in any case: so the server speaks of it again.
            if is_known or document.text != text:
                document.version += 1
                document.replace(text)
                told = {"uri": uri, "version": document.version}
                change = {"textDocument": told, "contentChanges": [{"text": text}]}
                self._upstream.change(document, change)
            self._upstream.attach(document)

    async def is_ready(self, timeout_s: float) -> bool:
        """Whether the server has read the project, after waiting for that."""
        upstream = self._upstream
        ready = await upstream.wait_ready(timeout_s)
        # One that was ready and reads another part of the project answers meanwhile.
        was_ready = upstream.readiness.begun > 1
        return ready or was_ready or upstream.state is LifecycleState.DEGRADED

    def close(self) -> None:
        """Put the documents away, but for a few: a server unloads what nobody has open."""
        for path in list(self._shown)[:LEFT_OPEN]:
            with contextlib.suppress(OSError):
                self._manager.open_headless(self._upstream, path)
        for path in self._shown:
            if self._manager.documents.close(to_uri(path), OWNER):
                self._upstream.detach(to_uri(path))
        self._shown.clear()

    async def diagnostics(
        self, since: float, until: float, awaited: Collection[Path]
    ) -> DocumentDiagnostics:
        """What the server finds in them; both times are `time.monotonic()`'s.

        `awaited` are waited for to the end, others only while the server goes on speaking.
        Raises `UpstreamError` where it ends or does not answer.
        """
        if self._upstream.supports(PULL):
            return await self._pulled(until)
        while (now := time.monotonic()) < until:
            silent, rest = self._silent(since), until - now
            if silent.isdisjoint(awaited):
                limit = SILENT_S if silent else QUIET_S
                rest = min(rest, limit - (now - self._host.last(since)))
            if rest <= 0:
                break
            await self._host.news(rest)
        found = [
            each
            for path in self._shown
            for each in _diagnostics(path, self._host.published(path, since) or [])
        ]
        return DocumentDiagnostics(found, self._silent(since))

    async def items(self, path: Path, since: float, until: float) -> list[Any]:
        """What the server finds in one of them, as it sends it; times as in `diagnostics`."""
        if self._upstream.supports(PULL):
            left = max(0.05, until - time.monotonic())
            params = {"textDocument": {"uri": to_uri(path)}}
            with contextlib.suppress(UpstreamError):
                answer = await self._upstream.request(PULL, params, timeout=left, patience=left)
                value = answer.value()
                found = value.get("items") if isinstance(value, dict) else None
                return found if isinstance(found, list) else []
            return []
        while (now := time.monotonic()) < until:
            spoken = self._host.published(path, since) is not None
            if spoken and now - self._host.last(since) >= QUIET_S:
                break
            await self._host.news(min(until - now, QUIET_S))
        return self._host.published(path, since) or []

    def _silent(self, since: float) -> frozenset[Path]:
        return frozenset(path for path in self._shown if self._host.published(path, since) is None)

    async def _pulled(self, until: float) -> DocumentDiagnostics:
        async def ask(path: Path) -> list[ServerDiagnostic] | None:
            left = max(0.05, until - time.monotonic())
            params = {"textDocument": {"uri": to_uri(path)}}
            try:
                answer = await self._upstream.request(PULL, params, timeout=left, patience=left)
            except UpstreamError:
                return None
            value = answer.value()
            items = value.get("items") if isinstance(value, dict) else None
            return _diagnostics(path, items if isinstance(items, list) else [])

        answers = dict(zip(self._shown, await asyncio.gather(*map(ask, self._shown)), strict=True))
        found = [each for answer in answers.values() for each in answer or []]
        return DocumentDiagnostics(
            found, frozenset(path for path, answer in answers.items() if answer is None)
        )


def _diagnostics(path: Path, items: list[Any]) -> list[ServerDiagnostic]:
    """Errors and warnings; what is not as the protocol has it is left out."""
    found = []
    for item in items:
        try:
            severity = item.get("severity", ERROR)
            start = item["range"]["start"]
            if severity in (ERROR, WARNING):
                place = int(start["line"]) + 1, int(start["character"])
                code = str(item.get("code") or "")
                message = str(item.get("message") or "")
                found.append(ServerDiagnostic(path, *place, severity == ERROR, code, message))
        except (AttributeError, KeyError, TypeError, ValueError):
            continue
    return found
