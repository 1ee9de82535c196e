"""One language server and its clients: who asked what, who sees which text, who is told of it.

A client talks to it as to a server of its own (`channel.py`). What is each client's own (numbers
of requests, progress tokens, versions of documents) is translated here; what belongs to the server
(its capabilities, registrations, diagnostics, progress) is told to every client, also to those that
come later.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import logging
import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from surveyor.servers import messages
from surveyor.servers.documents import OpenDocument
from surveyor.servers.errors import (
    CONTENT_MODIFIED,
    INTERNAL_ERROR,
    OTHER_TEXT,
    REQUEST_CANCELLED,
    ResponseError,
    UpstreamDeadError,
    UpstreamError,
)
from surveyor.servers.host.attach import READY, Attach
from surveyor.servers.host.client_shape import SUPERSET, Shape, merged
from surveyor.servers.host.file_changes import Stamps, changes_between, stamps_of
from surveyor.servers.host.shared_client import SharedClient
from surveyor.servers.host.shared_documents import SharedDocuments
from surveyor.servers.host.translation import LineOf, OutsideTextError, Translation
from surveyor.servers.line_mapping import LineMapping
from surveyor.servers.lsp_client import REFRESHES, items_of, registration_of
from surveyor.servers.process import ServerProcess
from surveyor.servers.readiness import Readiness
from surveyor.servers.rpc_session import MethodNotFoundError, RpcSession
from surveyor.servers.uris import to_path, to_uri

EDITS = frozenset(
    {
        "textDocument/rename",
        "textDocument/prepareRename",
        "textDocument/codeAction",
        "codeAction/resolve",
        "textDocument/formatting",
        "textDocument/rangeFormatting",
        "textDocument/onTypeFormatting",
        "textDocument/completion",
        "completionItem/resolve",
        "workspace/executeCommand",
        "workspace/willRenameFiles",
        "workspace/willCreateFiles",
        "workspace/willDeleteFiles",
    }
)
"""Answers with edits: right as a whole or not at all."""

UNMAPPED = frozenset(
    {
        "textDocument/semanticTokens/full",
        "textDocument/semanticTokens/full/delta",
        "textDocument/semanticTokens/range",
        "textDocument/diagnostic",
        "workspace/diagnostic",
    }
)
"""Answers whose places are written otherwise than as positions: for a text that is the asker's."""

WATCHED_FILES = "workspace/didChangeWatchedFiles"

TOKENS = ("workDoneToken", "partialResultToken")

MAPPINGS_KEPT = 16

CLIENT_ANSWER_S = 600.0
"""How long a client may take to answer what a server asks: a person may be reading it."""

SHUTDOWN_S = 2.0

log = logging.getLogger(__name__)


@dataclass(slots=True)
class Question:
    """A client's request that the server has been sent."""

    method: str
    params: bytes
    uri: str = ""
    lines: dict[str, list[LineOf]] = field(default_factory=dict)
    """From the server's lines to the asker's, of documents that differed when it was asked."""
    foreign: int = 0
    texts: Mapping[str, str] = field(default_factory=dict)
    """The server's texts when it was asked."""
    tokens: list[str] = field(default_factory=list)


@dataclass(slots=True)
class ServerProgress:
    """Work that the server has told of, and not of its end."""

    create: bytes
    begin: bytes = b""


class SharedServer:
    """A language server that several clients use."""

    def __init__(self, key: str, wish: Attach, ended: Callable[[SharedServer, str], None]) -> None:
        self.key = key
        self.wish = wish
        self.root = Path(wish.root)
        self.started_at = time.time()
        self.channels: dict[SharedClient, None] = {}
        self.interested: set[SharedClient] = set()
        """Its clients, and those that have servers of their own while texts are in conflict."""
        self.documents = SharedDocuments(self.notify, self._sync)
        self.capabilities: dict[str, Any] = {}
        self.ready = False
        self.process: ServerProcess | None = None
        self.session: RpcSession | None = None
        self.private_for: SharedClient | None = None
        """The client whose texts are in conflict with the others', where it is for one alone."""
        self._readiness = Readiness(wish.readiness)
        self._ended = ended
        self._initialized: asyncio.Future[msgspec.Raw] | None = None
        self._registrations: dict[str, dict[str, Any]] = {}
        self._diagnostics: dict[str, msgspec.Raw] = {}
        self._progress: dict[Any, ServerProgress] = {}
        self._tokens: dict[str, tuple[SharedClient, Any, Question]] = {}
        self._numbers = itertools.count(1)
        self._configuration: dict[bytes, Any] = {}
        self._pushed: bytes = b""
        self._files: dict[str, tuple[Any, Any]] = {}
        self._mappings: dict[tuple[str, int, int], tuple[str, str, LineMapping]] = {}
        """The last used, by document and the two texts."""
        self._tasks: set[asyncio.Future[Any]] = set()
        self._stopping = False
        self._files_before: asyncio.Future[Stamps | None] | None = None
        """What was on disk when the last client went."""

    @property
    def pid(self) -> int:
        """Of the server's process; 0 when there is none."""
        return self.process.pid if self.process is not None and self.process.running else 0

    @property
    def alive(self) -> bool:
        """Whether it can be attached to."""
        return self.session is not None and not self.session.closed and not self._stopping

    # --- its life ---------------------------------------------------------------------

    async def start(self) -> None:
        """Start the program. Raises `UpstreamMissingError`."""
        cwd = self.root if self.root.is_dir() else Path.home()
        self.process = await ServerProcess.spawn(
            self.wish.command,
            cwd=cwd,
            env=self.wish.env,
            umask=self.wish.umask,
            memory_limit=self.wish.memory_limit,
        )
        self.session = RpcSession(
            self.process.reader,
            self.process.writer,
            on_request=self._on_request,
            on_notification=self._on_notification,
            name=self.wish.name,
        )
        self._spawn(self._live(self.process, self.session))

    async def _live(self, process: ServerProcess, session: RpcSession) -> None:
        reading = asyncio.ensure_future(session.run())
        waiting = asyncio.ensure_future(process.wait())
        await asyncio.wait([reading, waiting], return_when=asyncio.FIRST_COMPLETED)
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(asyncio.shield(waiting), 0.5)
        why = session.broken
        code = process.returncode
        reading.cancel()
        waiting.cancel()
        session.close(UpstreamDeadError(f"{self.wish.name} ended"))
        tail = process.stderr_tail()
        await process.end(grace=0.0)
        for channel in list(self.channels):
            channel.server_ended({"code": code, "stderr": tail, "broken": why})
        if not self._stopping:
            self._ended(self, why or f"ended with status {code}")

    async def stop(self) -> None:
        """Ask it to end, then make it; its clients are told. Idempotent."""
        self._stopping = True
        session, process = self.session, self.process
        polite = False
        if session is not None and not session.closed:
            with contextlib.suppress(UpstreamError):
                await session.request("shutdown", timeout=SHUTDOWN_S)
                polite = True
            with contextlib.suppress(UpstreamError):
                session.notify("exit")
        if process is not None:
            await process.end(grace=SHUTDOWN_S if polite else 0.0)
        for task in list(self._tasks):
            with contextlib.suppress(Exception):
                await asyncio.wait_for(asyncio.shield(task), 1.0)

    def _spawn(self, work: Any) -> None:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    # --- clients ----------------------------------------------------------------------

    async def initialize(self, params: msgspec.Raw) -> msgspec.Raw:
        """The server's answer to `initialize`: asked once, with the first client's params."""
        if self._initialized is None:
            self._initialized = asyncio.ensure_future(self._initialize(params))
        result = await asyncio.shield(self._initialized)
        await self._catch_up()
        return result

    async def _initialize(self, params: msgspec.Raw) -> msgspec.Raw:
        assert self.session is not None
        value = messages.decode(params) or {}
        value["processId"] = os.getpid()
        value["capabilities"] = merged(value.get("capabilities") or {}, SUPERSET)
        _, answer = self.session.send("initialize", messages.encode(value))
        raw = await answer
        result = messages.decode(raw)
        found = result.get("capabilities") if isinstance(result, dict) else None
        self.capabilities = found if isinstance(found, dict) else {}
        self.session.notify("initialized", {})
        return raw

    def join(self, channel: SharedClient) -> None:
        """A client begins to use it."""
        self.channels[channel] = None
        self.documents.foreign[channel] = 0

    def greet(self, channel: SharedClient) -> None:
        """Tell a client that has been initialized what was said before it came."""
        if self._registrations:
            items = {"registrations": list(self._registrations.values())}
            self._ask_beside(channel, "client/registerCapability", messages.encode(items))
        for each in self._progress.values():
            self._ask_beside(channel, "window/workDoneProgress/create", each.create)
            if each.begin:
                channel.tell("$/progress", msgspec.Raw(each.begin))
        for uri in self._diagnostics:
            if self.documents.get(uri) is None:  # of a file that nobody has open
                self._show_diagnostics(channel, uri)
        if self.ready:
            channel.tell(READY, {})

    def leave(self, channel: SharedClient) -> None:
        """A client is gone, or has a server of its own for a while."""
        if channel not in self.channels:
            return
        del self.channels[channel]
        if not self.channels and self._watchers():
            self._files_before = asyncio.ensure_future(asyncio.to_thread(stamps_of, self.root))
        self.documents.close_all(channel)
        self._tokens = {k: v for k, v in self._tokens.items() if v[0] is not channel}

    async def keepable(self) -> bool:
        """Whether it can be kept without a client: what changes meanwhile can be made good for."""
        return self._files_before is None or await self._files_before is not None

    def _watchers(self) -> list[dict[str, Any]]:
        return [
            watcher
            for item in self._registrations.values()
            if item.get("method") == WATCHED_FILES
            for watcher in item["registerOptions"].get("watchers", [])
        ]

    async def _catch_up(self) -> None:
        """Tell the server what changed on disk while it had no client."""
        if self._files_before is None:
            return
        pending, self._files_before = self._files_before, None
        before = await pending
        now = await asyncio.to_thread(stamps_of, self.root)
        if before is not None and now is not None:
            changes = changes_between(before, now, self.root, self._watchers())
            if changes:
                self.notify(WATCHED_FILES, {"changes": changes})

    def changed(self) -> None:
        """Texts have changed, here or in a server that a client has for itself."""
        if len(self.interested) > 1:
            for channel in self.interested:
                channel.review()

    def stop_beside(self, private: SharedServer) -> None:
        """End a client's own server, in the background."""
        self._spawn(private.stop())

    def _settled(self, finder: SharedClient) -> None:
        """A client found out that its answers are complete: the others need not."""
        if not self.ready and not self._readiness.working:
            self.ready = True
            for channel in self.channels:
                if channel is not finder:
                    channel.tell(READY, {})

    # --- what clients say -------------------------------------------------------------

    def notify(self, method: str, params: Any) -> None:
        """Tell the server something."""
        if self.session is not None:
            with contextlib.suppress(UpstreamDeadError):
                self.session.notify(method, params)

    def hear(self, channel: SharedClient, method: str, params: msgspec.Raw) -> None:
        """A client's notification."""
        if method.startswith("textDocument/did"):
            self._document_event(channel, method, params)
        elif method == WATCHED_FILES:
            self._watched(params)
        elif method == "workspace/didChangeConfiguration":
            if bytes(params) != self._pushed:
                self._pushed = bytes(params)
                self._configuration.clear()
                self.notify(method, params)
        elif method == READY:
            self._settled(channel)
        elif method in ("initialized", "$/setTrace"):
            return
        else:
            self.notify(method, params)

    def _document_event(self, channel: SharedClient, method: str, params: msgspec.Raw) -> None:
        value = messages.decode(params)
        item = value["textDocument"]
        uri = item["uri"]
        kind = method.rpartition("/")[2]
        known = self.documents.get(uri)
        if kind == "didOpen":
            view = OpenDocument(
                uri, str(item.get("languageId", "")), int(item["version"] or 0), item["text"]
            )
            self.documents.open(channel, view)
            if known is not None:
                self._show_diagnostics(channel, uri)
        elif kind == "didChange":
            differed = known is not None and known.differs_for(channel)
            version = int(item.get("version") or 0)
            self.documents.change(channel, uri, version, value["contentChanges"], params)
            if differed and known is not None and not known.differs_for(channel):
                self._show_diagnostics(channel, uri)
        elif kind == "didSave":
            self.documents.save(channel, uri, params)
        elif kind == "didClose":
            self.documents.close(channel, uri)

    def _watched(self, params: msgspec.Raw) -> None:
        """File events: every client sends them; the server gets each once."""
        value = messages.decode(params)
        new = []
        for change in value.get("changes") or []:
            uri = str(change.get("uri"))
            path = to_path(uri)
            state: Any = None
            if path is not None:
                with contextlib.suppress(OSError):
                    status = path.stat()
                    state = (status.st_mtime_ns, status.st_size)
            event = (change.get("type"), state)
            if self._files.get(uri) != event:
                self._files[uri] = event
                new.append(change)
        if new:
            self.notify(WATCHED_FILES, {"changes": new})

    # --- questions --------------------------------------------------------------------

    def forward(self, channel: SharedClient, number: Any, method: str, params: msgspec.Raw) -> None:
        """Send a client's request on; its answer goes back when it comes."""
        assert self.session is not None
        try:
            question = self._question(channel, method, bytes(params))
            ours, future = self.session.send(method, question.params)
        except OutsideTextError:
            text = "another window is editing this document: its text there has no such line"
            channel.fail(number, OTHER_TEXT, text)
            return
        except UpstreamDeadError:
            return  # the end of the conversation, which comes, is the answer
        channel.asked[number] = (self, ours, method)
        future.add_done_callback(partial(self._answered, channel, number, ours, question))

    def cancel(self, ours: int) -> None:
        """A client does not want an answer any more: what the server says to that is passed on."""
        self.notify("$/cancelRequest", {"id": ours})

    def forget(self, ours: int) -> None:
        """Nobody is there for an answer any more."""
        if self.session is not None:
            self.session.cancel(ours)

    def _question(self, channel: SharedClient, method: str, params: bytes) -> Question:
        """A request as the server gets it. Raises `OutsideTextError`."""
        question = Question(method, params, foreign=self.documents.foreign.get(channel, 0))
        needs_uri = channel.shape.needed(method) is not None
        alone = len(self.channels) == 1
        differing = {} if alone else self.documents.differing(channel)
        if not alone:
            question.texts = self.documents.texts()
        has_token = any(token.encode() in params for token in TOKENS)
        if not (differing or has_token or needs_uri):
            return question
        value = messages.decode(params) if params else {}
        if not isinstance(value, dict):
            return question
        question.uri = subject_of(value)
        if has_token:
            self._own_tokens(channel, value, question)
        if differing:
            question.lines = {
                uri: [self._mapping(uri, theirs, mine).to_buffer]
                for uri, (theirs, mine) in differing.items()
            }
            if method in UNMAPPED and question.uri in differing:
                raise OutsideTextError(question.uri)
            back: dict[str, list[LineOf]] = {
                uri: [self._mapping(uri, theirs, mine).to_saved]
                for uri, (theirs, mine) in differing.items()
            }
            value = Translation(back, {}, question.uri, strict=True).move(value)
        if differing or has_token:
            question.params = messages.encode(value)
        return question

    def _own_tokens(self, channel: SharedClient, value: dict[str, Any], question: Question) -> None:
        """Put tokens of ours in place of a client's: two clients use the same ones."""
        for name in TOKENS:
            if name in value:
                token = f"surveyor-{next(self._numbers)}"
                self._tokens[token] = (channel, value[name], question)
                question.tokens.append(token)
                value[name] = token

    def _mapping(self, uri: str, theirs: str, mine: str) -> LineMapping:
        key = (uri, id(theirs), id(mine))  # of strings that are kept, so that none is another's
        made = self._mappings.pop(key, None) or (theirs, mine, LineMapping(theirs, mine))
        self._mappings[key] = made
        if len(self._mappings) > MAPPINGS_KEPT:
            del self._mappings[next(iter(self._mappings))]
        return made[2]

    def _answered(
        self,
        channel: SharedClient,
        number: Any,
        ours: int,
        question: Question,
        future: asyncio.Future[msgspec.Raw],
    ) -> None:
        for token in question.tokens:
            self._tokens.pop(token, None)
        error = None if future.cancelled() else future.exception()
        if channel.asked.get(number) != (self, ours, question.method):
            return  # cancelled, or the client is gone
        del channel.asked[number]
        if future.cancelled():
            channel.fail(number, REQUEST_CANCELLED, "cancelled")
        elif isinstance(error, ResponseError):
            if error.raw:
                channel.refuse(number, bytes(error.raw))
            else:
                channel.fail(number, error.number, error.message)
        elif error is None:
            self._reply(channel, number, question, future.result())
        # Else the server is gone: the end of the conversation says so.

    def _reply(
        self, channel: SharedClient, number: Any, question: Question, raw: msgspec.Raw
    ) -> None:
        try:
            channel.answer(number, self._for_client(channel, question, raw))
        except OutsideTextError:
            text = "another window edited this document meanwhile"
            channel.fail(number, CONTENT_MODIFIED, text)
        except Exception as error:
            log.exception("%s: an answer to %s", self.wish.name, question.method)
            channel.fail(number, INTERNAL_ERROR, f"{type(error).__name__}: {error}")

    def _for_client(self, channel: SharedClient, question: Question, raw: msgspec.Raw) -> bytes:
        """An answer as its asker can read it. Raises `OutsideTextError`."""
        method, edits = question.method, question.method in EDITS
        shape: Shape | None = channel.shape.needed(method, uri=question.uri)
        lines = self._lines_now(channel, question)
        versions = self.documents.versions(channel) if edits else {}
        if not (lines or versions or shape) or bytes(raw) in (b"", b"null"):
            return bytes(raw)
        before = value = messages.decode(raw)
        if lines or versions:
            mover = Translation(lines, versions, question.uri, strict=edits)
            try:
                value = mover.move(value)
            except OutsideTextError:
                if edits:
                    raise
                value = None
        if shape is not None:
            value = shape(value)
        return bytes(raw) if value == before else messages.encode(value)

    def _lines_now(self, channel: SharedClient, question: Question) -> dict[str, list[LineOf]]:
        """Where the server's lines are in the asker's texts, by all texts that it may have meant.

        Raises `OutsideTextError` where the question itself was about another line meanwhile.
        """
        if self.documents.foreign.get(channel, 0) == question.foreign:
            return question.lines
        lines = {uri: list(functions) for uri, functions in question.lines.items()}
        for uri, (theirs, mine) in self.documents.differing(channel).items():
            before = question.texts.get(uri, mine)
            if before is theirs:
                continue
            now = self._mapping(uri, theirs, mine).to_buffer
            then = self._mapping(uri, before, mine).to_buffer
            lines[uri] = [*lines.get(uri, [then]), now]
        asked = messages.decode(question.params) if question.params else None
        if isinstance(asked, dict):
            # What it was about must be the same line by all of them.
            question.uri = subject_of(asked)
            Translation(lines, {}, question.uri, strict=True).move(asked)
        return lines

    # --- what the server says ---------------------------------------------------------

    def _on_notification(self, method: str, params: msgspec.Raw) -> None:
        strategy = self.wish.readiness
        watched = {
            "progress": "$/progress",
            "log": "window/logMessage",
            "notification": strategy.method,
        }.get(strategy.kind)
        if method == watched:
            self._readiness.feed(method, messages.decode(params))
            if self._readiness.working:
                self.ready = False
            elif self._readiness.ready:
                self.ready = True  # each client has heard the signal itself
        if method == "$/progress":
            self._on_progress(params)
        elif method == "textDocument/publishDiagnostics":
            self._on_diagnostics(params)
        elif method == "window/showMessage":
            channel = self._concerned()
            if channel is not None:
                channel.tell(method, params)
        else:
            for channel in self.channels:
                channel.tell(method, params)

    def _on_progress(self, params: msgspec.Raw) -> None:
        value = messages.decode(params)
        token = value.get("token") if isinstance(value, dict) else None
        if isinstance(token, str) and token in self._tokens:
            channel, theirs, question = self._tokens[token]
            with contextlib.suppress(OutsideTextError):
                lines = self._lines_now(channel, question)
                edits = question.method in EDITS
                moved = Translation(lines, {}, question.uri, strict=edits).move(value.get("value"))
                channel.tell("$/progress", {"token": theirs, "value": moved})
            return
        told = value.get("value") if isinstance(value, dict) else None
        kind = told.get("kind") if isinstance(told, dict) else None
        if isinstance(token, int | str) and kind == "begin":
            begun = self._progress.setdefault(
                token, ServerProgress(messages.encode({"token": token}))
            )
            begun.begin = bytes(params)
        elif isinstance(token, int | str) and kind == "end":
            self._progress.pop(token, None)
        for channel in self.channels:
            channel.tell("$/progress", params)

    def _on_diagnostics(self, params: msgspec.Raw) -> None:
        uri = str((messages.decode(params) or {}).get("uri", ""))
        self._diagnostics[uri] = params
        opened = [c for c in self.channels if self.documents.has(c, uri)]
        for channel in opened or self.channels:
            self._show_diagnostics(channel, uri)

    def _show_diagnostics(self, channel: SharedClient, uri: str) -> None:
        """Tell a client of what was last found in a document, at its own places."""
        raw = self._diagnostics.get(uri)
        if raw is None:
            return
        differing = self.documents.differing(channel) if len(self.channels) > 1 else {}
        versions = self.documents.versions(channel)
        if uri not in differing and uri not in versions:
            channel.tell("textDocument/publishDiagnostics", raw)
            return
        lines: dict[str, list[LineOf]] = {
            each: [self._mapping(each, theirs, mine).to_buffer]
            for each, (theirs, mine) in differing.items()
        }
        value = Translation(lines, versions, uri, strict=False).move(messages.decode(raw))
        if value.get("version") is None:
            value.pop("version", None)
        channel.tell("textDocument/publishDiagnostics", value)

    async def _on_request(self, method: str, params: msgspec.Raw) -> Any:
        if method == "client/registerCapability":
            for item in items_of(params, "registrations"):
                if isinstance(item.get("method"), str):
                    self._registrations[str(item.get("id"))] = registration_of(item)
            return self._ask_all(method, params)
        if method == "client/unregisterCapability":
            for item in items_of(params, "unregisterations", "unregistrations"):
                self._registrations.pop(str(item.get("id")), None)
            return self._ask_all(method, params)
        if method == "window/workDoneProgress/create":
            token = (messages.decode(params) or {}).get("token")
            if isinstance(token, int | str):
                self._progress[token] = ServerProgress(bytes(params))
            return self._ask_all(method, params)
        if method in REFRESHES:
            return self._ask_all(method, params)
        if method == "workspace/workspaceFolders":
            return [{"uri": to_uri(self.root), "name": self.root.name or str(self.root)}]
        if method == "workspace/configuration":
            return await self._answer_configuration(params)
        if method == "workspace/applyEdit":
            return await self._apply_edit(params)
        channel = self._concerned()
        if channel is not None:
            return await self._ask(channel, method, params)
        if method == "window/showMessageRequest":
            return None
        if method == "window/showDocument":
            return {"success": False}
        raise MethodNotFoundError(method)

    async def _answer_configuration(self, params: msgspec.Raw) -> Any:
        """By the client whose document it is about, else by the last one that asked."""
        asked = bytes(params)
        channel = self._concerned()
        for item in items_of(params, "items"):
            scope = item.get("scopeUri")
            document = self.documents.get(scope) if isinstance(scope, str) else None
            if document is not None:
                channel = next((c for c in self.channels if c is document.owner), channel)
        if channel is not None:
            with contextlib.suppress(UpstreamError):
                answer = await self._ask(channel, "workspace/configuration", params)
                self._configuration[asked] = answer
                return answer
        if asked in self._configuration:
            return self._configuration[asked]
        return [None for _ in items_of(params, "items")]

    async def _apply_edit(self, params: msgspec.Raw) -> Any:
        """By the client whose command it follows, at the places of its own texts."""
        channel = self._concerned()
        if channel is None:
            return {"applied": False, "failureReason": "No editor is attached to Surveyor."}
        value = messages.decode(params)
        differing = self.documents.differing(channel)
        lines: dict[str, list[LineOf]] = {
            uri: [self._mapping(uri, theirs, mine).to_buffer]
            for uri, (theirs, mine) in differing.items()
        }
        try:
            mover = Translation(lines, self.documents.versions(channel), "", strict=True)
            value = mover.move(value)
        except OutsideTextError:
            reason = "Another window is editing one of the documents."
            return {"applied": False, "failureReason": reason}
        return await self._ask(channel, "workspace/applyEdit", value)

    def _concerned(self) -> SharedClient | None:
        """The client that what the server asks is about: an editor's, the last one that asked."""
        commanding = [c for c in self.channels if c.commands]
        editors = commanding or [c for c in self.channels if c.wish.attached]
        return max(editors or self.channels, key=lambda c: c.last_asked, default=None)

    async def _ask(self, channel: SharedClient, method: str, params: Any) -> msgspec.Raw:
        return await channel.request(method, params, timeout=CLIENT_ANSWER_S)

    def _ask_all(self, method: str, params: msgspec.Raw) -> None:
        for channel in self.channels:
            self._ask_beside(channel, method, bytes(params))

    def _ask_beside(self, channel: SharedClient, method: str, params: bytes) -> None:
        """Ask a client something whose answer does not matter."""
        with contextlib.suppress(UpstreamDeadError):
            _, future = channel.send(method, params)
            future.add_done_callback(lambda done: done.cancelled() or done.exception())

    def _sync(self, key: str, default: Any) -> Any:
        sync = self.capabilities.get("textDocumentSync")
        if isinstance(sync, int):
            return sync if key == "change" else True
        return sync.get(key, default) if isinstance(sync, dict) else default

    # --- status -----------------------------------------------------------------------

    def status(self) -> dict[str, Any]:
        """State for people."""
        running = self.process is not None and self.process.running
        return {
            "name": self.wish.name,
            "language": self.wish.language,
            "root": self.wish.root,
            "command": list(self.wish.command),
            "state": "ready" if self.ready else "running" if self._initialized else "starting",
            "ready": self.ready,
            "pid": self.pid or None,
            "memoryBytes": self.process.memory_bytes() if self.process and running else 0,
            "documents": len(self.documents),
            "private": self.private_for is not None,
            "clients": [channel.status() for channel in self.channels],
            "since": self.started_at,
            "stderr": self.process.stderr_tail()[-2000:] if self.process else "",
        }


def subject_of(params: dict[str, Any]) -> str:
    """The document that a request is about; empty when it names none."""
    for key in ("textDocument", "item"):
        value = params.get(key)
        if isinstance(value, dict) and isinstance(value.get("uri"), str):
            return str(value["uri"])
    return ""
