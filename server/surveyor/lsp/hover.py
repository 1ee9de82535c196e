"""Hover: the upstream's first and untouched, then one short section from the index.

The section is made beside the upstream's answer and never holds it up by more than 10 ms; what is
not there by then is left out and kept for the next hover on the same place.
"""

from __future__ import annotations

import asyncio
import logging
import re
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

import msgspec

from surveyor.lsp.hover_section import Section, SectionDraft
from surveyor.lsp.relay import (
    FallbackAnswer,
    LspPosition,
    RequestRouter,
    RoutingParams,
    document_target,
    is_empty,
)
from surveyor.lsp.settings import SECTION_NOW_MS, SECTION_REST_MS, EditorSettings
from surveyor.servers import messages
from surveyor.servers.documents import OpenDocuments
from surveyor.servers.errors import (
    CONTENT_MODIFIED,
    REQUEST_CANCELLED,
    REQUEST_FAILED,
    SERVER_CANCELLED,
    ResponseError,
    UpstreamDeadError,
    UpstreamError,
    UpstreamTimeoutError,
)
from surveyor.servers.uris import to_path

log = logging.getLogger(__name__)

METHOD = "textDocument/hover"

ASKED_ANEW = frozenset({CONTENT_MODIFIED, REQUEST_CANCELLED, SERVER_CANCELLED})
"""Errors with which a server leaves a question to be asked again: the editor knows when."""

ALONE_S = 0.5
"""How long the section is waited for, from the question on, when there is nothing else to show."""

KEEP = 512
"""How many sections are kept."""

FRESH_S = 60.0
FRESH_PART_S = 1.0
"""How old in seconds a section may be before it is made anew: a whole one, and one that was not
whole or was empty.

The old one is shown meanwhile: a hover that came a second time would otherwise have none.
"""

SEPARATOR = "\n\n---\n\n"

Compose = Callable[[str, int, int, frozenset[str], SectionDraft], Awaitable[bool]]
"""Fills a draft: uri, line, character, parts, the draft; whether it is whole."""


@dataclass(slots=True)
class PendingSection:
    """A section that is being made."""

    draft: SectionDraft
    task: asyncio.Future[Any]


@dataclass(slots=True)
class CachedSection:
    """A section that was made, and until when it counts as fresh (`time.monotonic()`)."""

    section: Section
    fresh_until: float


class Hover:
    """Serves `textDocument/hover`."""

    def __init__(
        self,
        relay: RequestRouter,
        documents: OpenDocuments,
        settings: Callable[[], EditorSettings],
        compose: Compose,
    ) -> None:
        self._relay = relay
        self._documents = documents
        self._settings = settings
        self._compose = compose
        self._kept: OrderedDict[tuple[Any, ...], CachedSection] = OrderedDict()
        self._making: dict[tuple[Any, ...], PendingSection] = {}

    async def serve(self, params: msgspec.Raw) -> Any:
        """The merged hover: raw from the upstream where we add nothing."""
        target = document_target(params)
        await self._relay.until_configured()
        parts = self._settings().hover
        making = self._section(target, parts) if parts else Section()
        begun = time.monotonic()
        raw, failure = await self._upstream(target, params, making)
        nothing = raw is None or is_empty(raw)
        if nothing:
            # It was begun with the question: a server that hung has cost enough.
            rest = max(0.0, ALONE_S - (time.monotonic() - begun))
            section = await settled(making, rest, rest)
        else:
            section = await settled(making, SECTION_NOW_MS / 1000, SECTION_REST_MS / 1000)
        if not section.text:
            if failure is not None:
                raise failure
            return raw
        if nothing:
            # Where another server serves the buffer, that one says what it is.
            relayed = self._relay.relays(METHOD, target.uri)
            text = section.alone if relayed else section.text
            return {"contents": {"kind": "markdown", "value": text}}
        assert raw is not None
        return merge(messages.decode(raw), section.text)

    async def _upstream(
        self, target: RoutingParams, params: msgspec.Raw, making: PendingSection | Section
    ) -> tuple[msgspec.Raw | None, ResponseError | None]:
        """The server's hover, or why it gave none.

        Waited for until its time is over and there is a section, or until it is found to hang.
        Raises `ResponseError` for what the editor has to ask anew.
        """
        if not self._relay.relays(METHOD, target.uri):
            return None, None

        async def section(method: str, target: RoutingParams) -> str:
            return (await settled(making, ALONE_S, ALONE_S)).text

        alone = FallbackAnswer(section, METHOD, target)
        try:
            async with alone.scope:
                return (await self._relay.ask(METHOD, target, params, alone)).raw, None
        except ResponseError as error:
            if error.number in ASKED_ANEW:
                raise
            return None, error if to_path(target.uri) is not None else None
        except (UpstreamDeadError, UpstreamTimeoutError) as error:
            return None, ResponseError(REQUEST_FAILED, error.message)
        except (UpstreamError, TimeoutError):
            return None, None
        finally:
            alone.close()

    def _section(self, target: RoutingParams, parts: frozenset[str]) -> PendingSection | Section:
        position = target.position
        if position is None or not target.uri:
            return Section()
        document = self._documents.get(target.uri)
        word = document.word_at(position.line, position.character) if document else ""
        if document is not None and not word:
            return Section()
        version = document.version if document else 0
        key = (target.uri, version, position.line, word or position.character, parts)
        kept = self._kept.get(key)
        if kept is not None and time.monotonic() < kept.fresh_until:
            return kept.section
        making = self._making.get(key)
        if making is None:
            draft = SectionDraft()
            task = asyncio.ensure_future(self._make(key, position, target.uri, parts, draft))
            making = self._making[key] = PendingSection(draft, task)
        return kept.section if kept is not None and kept.section.text else making

    async def _make(
        self,
        key: tuple[Any, ...],
        position: LspPosition,
        uri: str,
        parts: frozenset[str],
        draft: SectionDraft,
    ) -> None:
        try:
            whole = await self._compose(uri, position.line, position.character, parts, draft)
        except Exception:
            log.exception("the section of a hover")
            return
        finally:
            self._making.pop(key, None)
        section = draft.section
        # Of what has nothing to be said about it, something may be known in a moment.
        fresh = FRESH_S if whole and section.text else FRESH_PART_S
        self._kept[key] = CachedSection(section, time.monotonic() + fresh)
        self._kept.move_to_end(key)
        while len(self._kept) > KEEP:
            self._kept.popitem(last=False)

    def prepare(self, target: RoutingParams) -> None:
        """Begin a section for where the cursor is: a hover there will find it made."""
        parts = self._settings().hover
        if parts:
            self._section(target, parts)

    def forget(self) -> None:
        """The index has changed: sections are made anew when they are next wanted."""
        for kept in self._kept.values():
            kept.fresh_until = 0.0


async def settled(making: PendingSection | Section, first: float, rest: float) -> Section:
    """What there is of a section within `first` seconds, or `rest` after its first part.

    Making what is left out goes on for the next time.
    """
    if isinstance(making, Section):
        return making
    task, begun = making.task, making.draft.begun
    loop = asyncio.get_running_loop()
    until = loop.time() + first
    await asyncio.wait({task, begun}, timeout=first, return_when=asyncio.FIRST_COMPLETED)
    if begun.done() and not task.done():
        await asyncio.wait({task}, timeout=max(0.0, min(rest, until - loop.time())))
    return making.draft.section


def merge(hover: Any, section: str) -> Any:
    """The upstream's hover with our section after its contents; all else as it was."""
    if not isinstance(hover, dict):
        return {"contents": {"kind": "markdown", "value": section}}
    contents = hover.get("contents")
    merged: Any
    if isinstance(contents, dict) and "kind" in contents:
        value = str(contents.get("value", ""))
        if contents["kind"] == "markdown":
            merged = {**contents, "value": value + SEPARATOR + section}
        else:
            merged = {**contents, "value": value + "\n\n" + plain(section)}
    elif isinstance(contents, list):
        merged = [*contents, section]
    elif contents in (None, ""):
        merged = {"kind": "markdown", "value": section}
    else:
        merged = [contents, section]
    return {**hover, "contents": merged}


def plain(markdown: str) -> str:
    """Our section without Markdown's marks: links become their text."""

    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", markdown)
    return text.replace("**", "").replace("`", "")
