"""Relayed methods that are about no one document: files, commands, the workspace's diagnostics.

They go to every server that offers them, and what several answer is joined.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from surveyor.lsp.capabilities import EXECUTE
from surveyor.lsp.protocol import InvalidParamsError
from surveyor.lsp.relay import RequestRouter, parse_target
from surveyor.lsp.settings import EditorSettings
from surveyor.protocol.wire import shown
from surveyor.servers import messages
from surveyor.servers.lsp_globs import matches
from surveyor.servers.manager import UpstreamManager
from surveyor.servers.methods import FEATURE_OF, FEATURES, capability
from surveyor.servers.upstream import Upstream
from surveyor.servers.uris import is_inside, to_path

FILES = ("CreateFiles", "RenameFiles", "DeleteFiles")
ASKED_OF_FILES = tuple(f"workspace/will{name}" for name in FILES)
TOLD_OF_FILES = tuple(f"workspace/did{name}" for name in FILES)
DIAGNOSTIC = "workspace/diagnostic"

STARTING_S = 10.0
"""How long what concerns every server waits for those that are starting."""


class WorkspaceMethods:
    """Handlers of relayed methods that name no document, and of `willSave`."""

    def __init__(
        self,
        relay: RequestRouter,
        manager: Callable[[], UpstreamManager],
        settings: Callable[[], EditorSettings],
    ) -> None:
        self._relay = relay
        self._manager = manager
        self._settings = settings

    def requests(self) -> dict[str, Callable[[msgspec.Raw], Awaitable[Any]]]:
        """Raw handlers of requests."""
        files = {method: partial(self._ask_of_files, method) for method in ASKED_OF_FILES}
        return {**files, DIAGNOSTIC: self._diagnostic}

    def notifications(self) -> dict[str, Callable[[msgspec.Raw], None]]:
        """Raw handlers of notifications."""
        files = {method: partial(self._tell_of_files, method) for method in TOLD_OF_FILES}
        return {**files, "textDocument/willSave": self._will_save}

    def _offering(self, method: str) -> list[Upstream]:
        """Running servers that offer a feature which is relayed for their language."""
        feature = FEATURE_OF.get(method) or FEATURES[method]
        return [
            upstream
            for upstream in self._manager().all()
            if upstream.running
            and feature.method in self._settings().relayed(upstream.language)
            and upstream.options(feature)
            and upstream.supports(method)
        ]

    async def _once_started(self, method: str) -> list[Upstream]:
        """The same, with those that are starting now."""
        await self._relay.until_configured()
        feature, settings = FEATURE_OF[method], self._settings()
        await self._manager().until_started(
            STARTING_S, lambda upstream: feature.method in settings.relayed(upstream.language)
        )
        return self._offering(method)

    # --- files ------------------------------------------------------------------------

    async def _ask_of_files(self, method: str, params: msgspec.Raw) -> Any:
        """The edits that all servers want made when files come, move or go."""
        offering = await self._once_started(method)
        asked = self._of_files(method, params)
        if not asked and not offering:
            return self._relay.nobody_serves(method)
        answers = await asyncio.gather(
            *(self._relay.request(upstream, method, part) for upstream, part in asked)
        )
        if len(answers) == 1:
            return answers[0].raw
        return joined_edits([answer.value() for answer in answers])

    def _tell_of_files(self, method: str, params: msgspec.Raw) -> None:
        for upstream, part in self._of_files(method, params):
            upstream.notify(method, part)

    def _of_files(self, method: str, params: msgspec.Raw) -> list[tuple[Upstream, Any]]:
        """Each server that asks to hear of some of the files, with those."""
        value = messages.decode(params)
        files = value.get("files") if isinstance(value, dict) else None
        if not isinstance(files, list):
            raise InvalidParamsError("files are missing")
        found: list[tuple[Upstream, Any]] = []
        for upstream in self._offering(method):
            options = upstream.options(FEATURES[method])
            mine = [file for file in files if wants_file(options, file, upstream.root)]
            if mine:
                found.append((upstream, params if mine == files else {**value, "files": mine}))
        return found

    def _will_save(self, params: msgspec.Raw) -> None:
        uri = parse_target(params).uri
        for upstream in self._offering("textDocument/willSave"):
            if upstream.knows(uri):
                upstream.notify("textDocument/willSave", params)

    # --- diagnostics ------------------------------------------------------------------

    async def _diagnostic(self, params: msgspec.Raw) -> Any:
        """The reports of all servers.

        One that has nothing new may keep the question until it has: what another has said is not
        kept back for it, and the editor asks again.
        """
        upstreams = await self._once_started(DIAGNOSTIC)
        value = messages.decode(params)
        named = value.get("identifier") if isinstance(value, dict) else None
        if named is not None:
            upstreams = [each for each in upstreams if named in identifiers(each)] or upstreams
        if not upstreams:
            return self._relay.nobody_serves(DIAGNOSTIC)
        if len(upstreams) == 1:
            return (await self._relay.request(upstreams[0], DIAGNOSTIC, params)).raw
        asking = {
            asyncio.ensure_future(self._relay.request(upstream, DIAGNOSTIC, params))
            for upstream in upstreams
        }
        try:
            done, _ = await asyncio.wait(asking, return_when=asyncio.FIRST_COMPLETED)
            reports = [task.result().value() for task in done]
        finally:
            for task in asking:
                task.cancel()
        items = (report.get("items") or [] for report in reports if isinstance(report, dict))
        return {"items": [item for each in items for item in each]}

    # --- commands ---------------------------------------------------------------------

    async def execute(self, command: str, arguments: Any, params: msgspec.Raw) -> Any:
        """Have the server that offers a command carry it out. Raises `InvalidParamsError`."""
        await self._manager().until_started(STARTING_S)
        upstreams = [each for each in self._manager().all() if offers_command(each, command)]
        if not upstreams:
            raise InvalidParamsError(f"no command is called {shown(command)}")
        paths = [path for text in strings(arguments) if (path := to_path(text)) is not None]
        mine = [up for up in upstreams if any(is_inside(path, up.root) for path in paths)]
        # Two folders have a server each: the command is about the file that it names, else about
        # where the editor is.
        upstream = max(mine or upstreams, key=lambda each: each.last_used)
        return (await self._relay.request(upstream, EXECUTE, params)).raw


def identifiers(upstream: Upstream) -> list[Any]:
    """What a server calls the diagnostics that it is asked for."""
    options = upstream.options(FEATURES["textDocument/diagnostic"])
    return [capability(each, "identifier") for each in options]


def offers_command(upstream: Upstream, command: str) -> bool:
    """Whether a server that runs carries out a command."""
    if not upstream.running:
        return False
    offered = (capability(each, "commands") for each in upstream.options(FEATURES[EXECUTE]))
    return any(isinstance(names, list) and command in names for names in offered)


def wants_file(options: Iterable[Any], file: Any, root: Path) -> bool:
    """Whether a server's filters for file operations take a file (`FileRename` by its old name)."""
    named = file if isinstance(file, dict) else {}
    uris = [named[key] for key in ("uri", "oldUri", "newUri") if key in named]
    paths = [path for uri in uris if isinstance(uri, str) and (path := to_path(uri)) is not None]
    if not paths or len(paths) < len(uris):
        return False
    path = paths[0]
    for each in options:
        filters = capability(each, "filters")
        for item in filters if isinstance(filters, list) else []:
            glob = capability(item, "pattern.glob")
            if isinstance(glob, str) and matches({"globPattern": glob}, path, root):
                return True
    return False


def strings(value: Any) -> Iterator[str]:
    """All texts within a JSON value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from strings(inner)


def joined_edits(edits: Iterable[Any]) -> dict[str, Any] | None:
    """One `WorkspaceEdit` of several; `None` when none changes anything."""
    changes: list[Any] = []
    notes: dict[str, Any] = {}
    for edit in edits:
        if not isinstance(edit, dict):
            continue
        changes += edit.get("documentChanges") or [
            {"textDocument": {"uri": uri, "version": None}, "edits": texts}
            for uri, texts in (edit.get("changes") or {}).items()
        ]
        notes.update(edit.get("changeAnnotations") or {})
    if not changes:
        return None
    return {"documentChanges": changes, **({"changeAnnotations": notes} if notes else {})}
