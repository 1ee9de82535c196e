"""What the clients of a shared server ask it: each in its own numbers, tokens and texts."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import logging
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import msgspec

from surveyor.servers import messages
from surveyor.servers.errors import (
    CONTENT_MODIFIED,
    GIVEN_UP,
    INTERNAL_ERROR,
    OTHER_TEXT,
    REPEATS,
    REQUEST_CANCELLED,
    ResponseError,
    UpstreamDeadError,
)
from surveyor.servers.host.client_shape import Shape
from surveyor.servers.host.shared_client import SharedClient
from surveyor.servers.host.shared_documents import SharedDocuments
from surveyor.servers.host.translation import LineOf, OutsideTextError, Translation
from surveyor.servers.line_mapping import LineMapping
from surveyor.servers.methods import METHODS
from surveyor.servers.rpc_session import RpcSession

EDITS = frozenset(
    {
        "textDocument/rename",
        "textDocument/prepareRename",
        "textDocument/codeAction",
        "codeAction/resolve",
        "textDocument/formatting",
        "textDocument/rangeFormatting",
        "textDocument/rangesFormatting",
        "textDocument/onTypeFormatting",
        "textDocument/willSaveWaitUntil",
        "textDocument/linkedEditingRange",
        "textDocument/colorPresentation",
        "textDocument/inlineCompletion",
        "textDocument/completion",
        "completionItem/resolve",
        "workspace/executeCommand",
        "workspace/willRenameFiles",
        "workspace/willCreateFiles",
        "workspace/willDeleteFiles",
    }
)
"""Answers with edits: right as a whole or not at all."""


def is_edit(method: str) -> bool:
    """Whether an answer may be edits: of what LSP does not know, nobody can tell."""
    return method in EDITS or method not in METHODS


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

TOKENS = ("workDoneToken", "partialResultToken")

MAPPINGS_KEPT = 16


log = logging.getLogger(__name__)


@dataclass(slots=True)
class Question:
    """A client's request that the server has been sent."""

    method: str
    params: bytes
    asked: bytes = b""
    """The params as the client sent them."""
    heard: tuple[int, int] = (0, 0)
    """What the server had been told when it was asked: by all, and by the asker."""
    repeated: int = 0
    uri: str = ""
    lines: dict[str, list[LineOf]] = field(default_factory=dict)
    """From the server's lines to the asker's, of documents that differed when it was asked."""
    foreign: int = 0
    texts: Mapping[str, str] = field(default_factory=dict)
    """The server's texts when it was asked."""
    tokens: list[str] = field(default_factory=list)


class SharedQuestions:
    """Requests of clients on their way to one server and back."""

    def __init__(
        self,
        name: str,
        session: Callable[[], RpcSession | None],
        clients: Mapping[SharedClient, None],
        documents: SharedDocuments,
    ) -> None:
        """`name` is the server's, for the log; `clients` are those that it has now."""
        self._name = name
        self._session = session
        self._clients = clients
        self._documents = documents
        self._numbers = itertools.count(1)
        self._tokens: dict[str, tuple[SharedClient, Any, Question]] = {}
        self._heard: Counter[SharedClient] = Counter()
        self._mappings: dict[tuple[str, int, int], tuple[str, str, LineMapping]] = {}
        """The last used, by document and the two texts."""

    def forward(self, channel: SharedClient, number: Any, method: str, params: msgspec.Raw) -> None:
        """Send a client's request on; its answer goes back when it comes."""
        self._send(channel, number, method, bytes(params))

    def _send(
        self, channel: SharedClient, number: Any, method: str, params: bytes, repeated: int = 0
    ) -> None:
        session = self._session()
        if session is None:
            return
        try:
            question = self._question(channel, method, params)
            question.repeated = repeated
            ours, future = session.send(method, question.params)
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
        session = self._session()
        if session is not None:
            with contextlib.suppress(UpstreamDeadError):
                session.notify("$/cancelRequest", {"id": ours})

    def heard(self, channel: SharedClient) -> None:
        """A client has told the server something: what others have asked may be given up for it."""
        self._heard[channel] += 1

    def _heard_by(self, channel: SharedClient) -> tuple[int, int]:
        return self._heard.total(), self._heard[channel]

    def _is_others(self, channel: SharedClient, question: Question) -> bool:
        """Whether only others have told the server something since a client asked.

        To that client nothing has changed: asking again is not its business.
        """
        total, own = self._heard_by(channel)
        return own == question.heard[1] and total > question.heard[0]

    def forget(self, ours: int) -> None:
        """Nobody is there for an answer any more."""
        session = self._session()
        if session is not None:
            session.cancel(ours)

    def _question(self, channel: SharedClient, method: str, params: bytes) -> Question:
        """A request as the server gets it. Raises `OutsideTextError`."""
        question = Question(method, params, params, self._heard_by(channel))
        question.foreign = self._documents.foreign.get(channel, 0)
        needs_uri = channel.shape.needed(method) is not None
        alone = len(self._clients) == 1
        differing = {} if alone else self._documents.differing(channel)
        if not alone:
            question.texts = self._documents.texts()
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
            again = question.repeated < REPEATS and error.number in GIVEN_UP
            if again and self._is_others(channel, question):
                self._send(channel, number, question.method, question.asked, question.repeated + 1)
            elif error.raw:
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
            log.exception("%s: an answer to %s", self._name, question.method)
            channel.fail(number, INTERNAL_ERROR, f"{type(error).__name__}: {error}")

    def _for_client(self, channel: SharedClient, question: Question, raw: msgspec.Raw) -> bytes:
        """An answer as its asker can read it. Raises `OutsideTextError`."""
        method, edits = question.method, is_edit(question.method)
        shape: Shape | None = channel.shape.needed(method, uri=question.uri)
        lines = self._lines_now(channel, question)
        versions = self._documents.versions(channel) if edits else {}
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
        if self._documents.foreign.get(channel, 0) == question.foreign:
            return question.lines
        lines = {uri: list(functions) for uri, functions in question.lines.items()}
        for uri, (theirs, mine) in self._documents.differing(channel).items():
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

    # --- what the server says of a question -------------------------------------------

    def progressed(self, token: Any, value: Any) -> bool:
        """Pass progress on to the client whose question it is about; `False` where it is none."""
        if not isinstance(token, str) or token not in self._tokens:
            return False
        channel, theirs, question = self._tokens[token]
        with contextlib.suppress(OutsideTextError):
            lines = self._lines_now(channel, question)
            edits = is_edit(question.method)
            moved = Translation(lines, {}, question.uri, strict=edits).move(value)
            channel.tell("$/progress", {"token": theirs, "value": moved})
        return True

    def token_of(self, channel: SharedClient, token: Any) -> Any:
        """What the server knows a client's token by: ours, where it is a question's."""
        return next(
            (
                ours
                for ours, (owner, theirs, _) in self._tokens.items()
                if owner is channel and theirs == token
            ),
            token,
        )

    def left(self, channel: SharedClient) -> None:
        """A client is gone: what is told of its questions is told to nobody."""
        self._tokens = {k: v for k, v in self._tokens.items() if v[0] is not channel}
        del self._heard[channel]

    # --- texts that differ ------------------------------------------------------------

    def to_client(self, channel: SharedClient) -> dict[str, list[LineOf]]:
        """From the server's lines to a client's, of the documents that differ now."""
        return {
            uri: [self._mapping(uri, theirs, mine).to_buffer]
            for uri, (theirs, mine) in self._documents.differing(channel).items()
        }


def subject_of(params: dict[str, Any]) -> str:
    """The document that a request is about; empty when it names none."""
    for key in ("textDocument", "item"):
        value = params.get(key)
        if isinstance(value, dict) and isinstance(value.get("uri"), str):
            return str(value["uri"])
    return ""
