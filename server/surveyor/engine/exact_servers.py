"""The language servers that answer the graph's questions: the editor's, else the engine's own."""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import logging
import time
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from surveyor.engine.new_diagnostics import ChangedDocument, NewDiagnostics
from surveyor.errors import SurveyorError
from surveyor.graph.exact.servers import DiskChange, EditorChannel, ExactQuestion, ExactReply, Place
from surveyor.servers.errors import UpstreamError
from surveyor.servers.uris import to_path

if TYPE_CHECKING:  # the host of servers is imported when the first is needed: the engine starts
    from surveyor.engine.change_diagnostics import ChangeDiagnostics  # without it
    from surveyor.servers.code_actions import ActionsAnswer, Span
    from surveyor.servers.manager import UpstreamManager
    from surveyor.servers.published_diagnostics import PublishedDiagnostics, ServerTurns

__all__ = ["AttachedServers", "ServerReply"]

log = logging.getLogger(__name__)

EDITOR_TIMEOUT_S = 3.0
"""How long an attached editor may take to answer."""
RENAME_WAIT_S = 12.0
"""How long a server may take to get ready for a rename: one that misses a use breaks it."""
KEPT_S = 300.0
"""How long after its last use a server of an inactive project is kept."""
MANAGING = "surveyor.servers.manager"
DIAGNOSING = "surveyor.engine.change_diagnostics"
METHODS = {
    "rename": "textDocument/rename",
    "references": "textDocument/references",
    "definition": "textDocument/definition",
    "implementation": "textDocument/implementation",
}
CHANGE_TYPES: dict[DiskChange, int] = {"created": 1, "changed": 2, "deleted": 3}
"""LSP's `FileChangeType`."""


class _Navigated(msgspec.Struct, rename="camel"):
    """What an editor answers (`protocol.editor.Navigated`), as far as it is read here."""

    result: msgspec.Raw
    complete: bool
    server: str = ""
    unsaved_version: int | None = None


@dataclass(frozen=True, slots=True)
class ServerReply:
    """What a language server answered, as JSON has it."""

    value: Any
    complete: bool
    """The server was ready."""
    server: str


def _opened() -> UpstreamManager:
    """The engine's own servers, by the user's settings."""
    # Most engines never need it: an editor's process has the servers.
    from surveyor.servers.config import load_config
    from surveyor.servers.manager import UpstreamManager
    from surveyor.servers.published_diagnostics import PublishedDiagnostics

    return UpstreamManager(load_config(client="engine"), host=PublishedDiagnostics())


class AttachedServers:
    """Asks servers (`graph.exact.servers.ExactServers`).

    `editor_for` finds an attached editor by root and method; `open_manager` makes the host of the
    engine's own servers, which is left until the first of them is needed.
    """

    def __init__(
        self,
        editor_for: Callable[[str, str], EditorChannel | None],
        open_manager: Callable[[], UpstreamManager] = _opened,
    ) -> None:
        self._editor_for = editor_for
        self._open_manager = open_manager
        self._manager: UpstreamManager | None = None
        self._diagnostics: ChangeDiagnostics | None = None
        self._turns: ServerTurns = defaultdict(asyncio.Lock)

    async def close(self) -> None:
        """Stop the engine's own servers."""
        if self._manager is not None:
            await self._manager.close()

    async def stop_root(self, root: str) -> None:
        """A project is inactive: its servers end, unless one was used a moment ago.

        Who works in a terminal opens no session, and would find them loading each time.
        """
        if self._manager is None:
            return
        used = [each.last_used for each in self._manager.on(Path(root))]
        if used and time.monotonic() - max(used) > KEPT_S:
            await self._manager.stop_root(Path(root))

    def status(self) -> list[dict[str, Any]]:
        """State of the engine's own servers."""
        return self._manager.status() if self._manager is not None else []

    def works_on(self, root: str) -> bool:
        """Whether the engine has any server of its own on a root."""
        if self._manager is None:
            return False
        return bool(self._manager.on(Path(root)))

    def files_changed(self, root: str, changes: Mapping[str, DiskChange]) -> None:
        """Files of a root changed on disk: the engine's own servers hear of it."""
        if self._manager is not None:
            folder = Path(root)
            self._manager.changed_on_disk(
                {folder / path: CHANGE_TYPES[change] for path, change in changes.items()}
            )

    def runs_for(self, root: str, path: str) -> bool:
        """Whether the engine has a server of its own running for a file."""
        if self._manager is None:
            return False
        file = Path(root) / path
        language = self._manager.language_of(file.as_uri())
        if language is None:
            return False
        at = self._manager.root_of(language, file, Path(root))
        running = self._manager.running_for(language.name, at)
        return running is not None and running.running

    def held_back(self, root: str, path: str) -> str:
        """Why none was started for a file, where one is here and the user has to trust its folder
        first; empty where that is not so, or nobody has asked yet."""
        file = Path(root) / path
        manager = self._manager
        language = manager.language_of(file.as_uri()) if manager is not None else None
        if manager is None or language is None:
            return ""
        return manager.held_back(language.name, manager.root_of(language, file, Path(root)))

    # --- asking -----------------------------------------------------------------------------

    def editor_for(self, root: str, question: str) -> EditorChannel | None:
        """An attached editor that answers such a question about files of a root."""
        return self._editor_for(root, f"editor/{question}")

    async def new_diagnostics(
        self, root: str, documents: Sequence[ChangedDocument]
    ) -> NewDiagnostics:
        """What servers find in a change, and did not find before it (`DiagnosesChanges`)."""
        if self._diagnostics is None:
            # With it comes all that drives servers: read beside the loop, which it would hold.
            module = await asyncio.to_thread(importlib.import_module, DIAGNOSING)
            shown = await self._shown_documents()
            diagnostics: ChangeDiagnostics = module.ChangeDiagnostics(*shown)
            self._diagnostics = diagnostics
        is_shared = self.editor_for(root, "references") is not None
        return await self._diagnostics.of_change(Path(root), documents, is_shared=is_shared)

    async def code_actions(
        self, root: str, texts: Mapping[str, str], span: Span, title: str
    ) -> ActionsAnswer:
        """What a server offers at a place of the first of some files, and the edits of one action.

        `texts` are the files as they are now. Raises `UpstreamError`.
        """
        parts = await self._shown_documents()
        from surveyor.servers.code_actions import CodeActions  # as above

        asking = CodeActions(*parts)
        shown = {Path(root) / path: text for path, text in texts.items()}
        return await asking.ask(Path(root), shown, span, title)

    async def _own_servers(self) -> UpstreamManager:
        """The host of the engine's own servers, made when the first is needed."""
        if self._manager is None:
            # It takes most of a second to import, for which the loop would stand still.
            await asyncio.to_thread(importlib.import_module, MANAGING)
        if self._manager is None:
            self._manager = self._open_manager()
        return self._manager

    async def _shown_documents(self) -> tuple[UpstreamManager, PublishedDiagnostics, ServerTurns]:
        """What it takes to show servers documents: one question at a time."""
        manager = await self._own_servers()
        from surveyor.servers.published_diagnostics import PublishedDiagnostics  # as above

        host = manager.host
        if not isinstance(host, PublishedDiagnostics):
            raise TypeError("the engine's servers need a host that keeps what they publish")
        return manager, host, self._turns

    async def ask(
        self, asked: ExactQuestion, editor: EditorChannel | None, *, wait_s: float
    ) -> ExactReply | None:
        """Ask the editor's server, else the engine's own; None when there is none that answers.

        With `wait_s` 0 only a server that runs already is asked. One that finds no references and
        not even the declaration has not read the file yet: its answer is not complete.
        """
        answered = await self._ask(asked, editor, wait_s)
        if asked.question != "references" or answered is None or answered.places:
            return answered
        declared = await self._ask(asked, editor, wait_s, declaration=True)
        known = declared is not None and bool(declared.places)
        return replace(answered, complete=answered.complete and known)

    async def _ask(
        self,
        asked: ExactQuestion,
        editor: EditorChannel | None,
        wait_s: float,
        *,
        declaration: bool = False,
    ) -> ExactReply | None:
        more: dict[str, Any] = {}
        if asked.question == "references":
            more["context"] = {"includeDeclaration": declaration}
        if editor is not None:
            with contextlib.suppress(SurveyorError, msgspec.MsgspecError, ConnectionError):
                return await self._ask_editor(asked, editor, wait_s, more)
        return await self._ask_own(asked, wait_s, more)

    async def _ask_editor(
        self, asked: ExactQuestion, editor: EditorChannel, wait_s: float, more: Mapping[str, Any]
    ) -> ExactReply:
        answer = await self._navigate(asked, editor, wait_s, more)
        places = _places(msgspec.json.decode(answer.result), asked.root)
        return ExactReply(places, answer.complete, answer.server, answer.unsaved_version)

    async def _navigate(
        self, asked: ExactQuestion, editor: EditorChannel, wait_s: float, more: Mapping[str, Any]
    ) -> _Navigated:
        raw = await editor.request(
            f"editor/{asked.question}",
            {
                "path": str(Path(asked.root) / asked.path),
                "line": asked.line,
                "column": asked.column,
                "extra": more,
                "waitReadyMs": int(wait_s * 1000),
            },
            EDITOR_TIMEOUT_S + wait_s,
        )
        return msgspec.json.decode(raw, type=_Navigated)

    async def _ask_own(
        self, asked: ExactQuestion, wait_s: float, more: Mapping[str, Any]
    ) -> ExactReply | None:
        answered = await self._own(asked, wait_s, more)
        if answered is None:
            return None
        try:
            places = _places(answered.value, asked.root)
            return ExactReply(places, answered.complete, answered.server)
        except (KeyError, TypeError) as error:
            log.info("no exact answer for %s:%s: %s", asked.path, asked.line, error)
            return None

    async def _own(
        self, asked: ExactQuestion, wait_s: float, more: Mapping[str, Any]
    ) -> ServerReply | None:
        """What a server of the engine's own says, as it says it; None where none answers."""
        root, path = Path(asked.root), Path(asked.root) / asked.path
        manager = await self._own_servers()
        language = manager.language_of(path.as_uri())
        if language is None:
            return None
        at = manager.root_of(language, path, root)
        running = manager.running_for(language.name, at)
        if (running is None or not running.running) and wait_s <= 0:
            return None
        position = {"line": asked.line - 1, "character": asked.column}
        params: dict[str, Any] = {"position": position, **more}
        try:
            upstream, answer = await manager.request(
                path, root, METHODS[asked.question], params, wait_ready=wait_s
            )
            return ServerReply(answer.value(), answer.complete, upstream.name)
        except (UpstreamError, OSError) as error:
            log.info("no exact answer for %s:%s: %s", asked.path, asked.line, error)
            return None

    async def rename(
        self, root: str, path: str, line: int, column: int, new_name: str
    ) -> ServerReply | None:
        """The edits by which a server renames what is at a place; None where none answers.

        The editor's server is asked, else the engine's own, which is started for it.
        """
        asked = ExactQuestion("rename", root, path, line, column)
        more = {"newName": new_name}
        editor = self.editor_for(root, "rename")
        if editor is not None:
            with contextlib.suppress(SurveyorError, msgspec.MsgspecError, ConnectionError):
                answer = await self._navigate(asked, editor, RENAME_WAIT_S, more)
                value = msgspec.json.decode(answer.result)
                return ServerReply(value, answer.complete, answer.server)
        return await self._own(asked, RENAME_WAIT_S, more)


def _places(value: Any, root: str) -> list[Place]:
    """Locations or links of an LSP answer, inside a root."""
    places: dict[Place, None] = {}
    items: Sequence[Any] = value if isinstance(value, list) else [value] if value else []
    for item in items:
        target = to_path(str(item.get("uri") or item.get("targetUri") or ""))
        span = item.get("range") or item.get("targetSelectionRange") or item.get("targetRange")
        if target is None or span is None or not target.is_relative_to(root):
            continue
        start, end = span["start"], span["end"]
        end_column = end["character"] if end["line"] == start["line"] else start["character"]
        path = target.relative_to(root).as_posix()
        places[path, start["line"] + 1, start["character"], end_column] = None
    return sorted(places)
