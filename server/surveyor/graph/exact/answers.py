"""Exact answers: from the editor's language servers, or from the engine's own, when ready.

An answer is `exact` only when the server said it was complete; it is then stored with a
fingerprint of all files that mention the name, and is stale as soon as one of them changes. What
a server says before it is ready is never stored.
"""

from __future__ import annotations

import contextlib
import logging
import time
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import msgspec

from surveyor.errors import SurveyorError
from surveyor.graph.facts import name_hash
from surveyor.graph.queries.lookup import Node, Stored

if TYPE_CHECKING:
    from surveyor.engine.index.commit import Committed
    from surveyor.servers.manager import Manager

__all__ = ["Answered", "Asked", "EditorChannel", "ExactAnswers", "Place"]

log = logging.getLogger(__name__)

EDITOR_TIMEOUT_S = 3.0
"""How long an attached editor may take to answer."""
ACTIVE_WAIT_S = 2.0
"""How long a question about an active project waits for a server that is getting ready."""
ALWAYS_WAIT_S = 90.0
"""How long a caller who insists on an exact answer waits for readiness."""
METHODS = {
    "references": "textDocument/references",
    "definition": "textDocument/definition",
    "implementation": "textDocument/implementation",
}

Place = tuple[str, int, int, int]
"""(path relative to the root, 1-based line, column, end column), UTF-16."""


class EditorChannel(Protocol):
    """A way to ask an attached editor (`engine.sessions.Session`)."""

    async def request(self, method: str, params: object, timeout_s: float) -> msgspec.Raw:
        """Ask; raises `SurveyorError` on failure."""
        ...


CREATED, CHANGED, DELETED = 1, 2, 3
"""LSP's `FileChangeType`."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A question about a place in a checkout."""

    question: str
    """references, definition or implementation."""
    root: str
    path: str
    line: int
    """1-based."""
    column: int
    """0-based UTF-16."""


@dataclass(frozen=True, slots=True)
class Answered:
    """What a server said."""

    places: list[Place]
    complete: bool
    """The server was ready: the answer is exact."""
    server: str
    unsaved_version: int | None = None


class _Navigated(msgspec.Struct, rename="camel"):
    """What an editor answers (`lsp.models.Navigated`)."""

    result: msgspec.Raw
    complete: bool
    server: str = ""
    unsaved_version: int | None = None


_PLACES = msgspec.msgpack.Decoder(list[Place])


class ExactAnswers:
    """Asks servers and keeps what they said."""

    def __init__(self, manager: Manager | None = None) -> None:
        self._manager = manager

    def manager(self) -> Manager:
        """The engine's own servers; nothing is started before it is needed."""
        if self._manager is None:
            from surveyor.servers.config import load_config
            from surveyor.servers.manager import Manager

            self._manager = Manager(load_config())
        return self._manager

    async def close(self) -> None:
        """Stop the engine's own servers."""
        if self._manager is not None:
            await self._manager.close()

    async def stop_root(self, root: str) -> None:
        """A project became inactive: its servers end."""
        if self._manager is not None:
            await self._manager.stop_root(Path(root))

    def status(self) -> list[dict[str, Any]]:
        """State of the engine's own servers."""
        return self._manager.status() if self._manager is not None else []

    async def files_changed(self, stored: Stored, committed: Committed) -> None:
        """Tell the engine's own servers what changed on disk: nobody else does.

        What they answered before they knew would be called exact of files that are not so any more.
        """
        root = Path(committed.root)
        if self._manager is None or not any(u.root == root for u in self._manager.all()):
            return
        known = await stored.known(committed.changed)
        changes = {root / path: CHANGED if path in known else CREATED for path in committed.changed}
        changes |= {root / path: DELETED for path in committed.removed}
        self._manager.changed_on_disk(changes)

    # --- asking -----------------------------------------------------------------------------

    async def ask(
        self, asked: Asked, editor: EditorChannel | None, *, wait_s: float
    ) -> Answered | None:
        """Ask the editor's server, else the engine's own; None when there is none that answers.

        With `wait_s` 0 only a server that runs already is asked.
        """
        if editor is not None:
            with contextlib.suppress(SurveyorError, msgspec.MsgspecError, ConnectionError):
                return await self._ask_editor(asked, editor, wait_s)
        return await self._ask_own(asked, wait_s)

    async def _ask_editor(self, asked: Asked, editor: EditorChannel, wait_s: float) -> Answered:
        raw = await editor.request(
            f"editor/{asked.question}",
            {
                "path": str(Path(asked.root) / asked.path),
                "line": asked.line,
                "column": asked.column,
                "waitReadyMs": int(wait_s * 1000),
            },
            EDITOR_TIMEOUT_S + wait_s,
        )
        answer = msgspec.json.decode(raw, type=_Navigated)
        places = _places(msgspec.json.decode(answer.result), asked.root)
        return Answered(places, answer.complete, answer.server, answer.unsaved_version)

    async def _ask_own(self, asked: Asked, wait_s: float) -> Answered | None:
        from surveyor.servers.errors import UpstreamError

        root, path = Path(asked.root), Path(asked.root) / asked.path
        manager = self.manager()
        language = manager.language_of(path.as_uri())
        if language is None:
            return None
        running = manager.running_for(language.name, root)
        if (running is None or not running.running) and wait_s <= 0:
            return None
        params: dict[str, Any] = {"position": {"line": asked.line - 1, "character": asked.column}}
        if asked.question == "references":
            params["context"] = {"includeDeclaration": False}
        try:
            upstream, answer = await manager.request(
                path, root, METHODS[asked.question], params, wait_ready=wait_s
            )
            places = _places(answer.value(), asked.root)
        except (UpstreamError, OSError, KeyError, TypeError) as error:
            log.info("no exact answer for %s:%s: %s", asked.path, asked.line, error)
            return None
        return Answered(places, answer.complete, upstream.name)

    def runs_for(self, root: str, path: str) -> bool:
        """Whether the engine has a server of its own running for a file."""
        if self._manager is None:
            return False
        language = self._manager.language_of((Path(root) / path).as_uri())
        running = self._manager.running_for(language.name, Path(root)) if language else None
        return running is not None and running.running

    # --- keeping ----------------------------------------------------------------------------

    async def stored(
        self, stored: Stored, node: Node, question: str
    ) -> tuple[Answered, bool] | None:
        """What a server once said about a node, and whether that is still true."""
        row = await stored.state.one(
            """SELECT server, fingerprint, answer FROM graph_exact
               WHERE node_id = ? AND question = ?""",
            (node.node_id, question),
        )
        if row is None:
            return None
        fresh = row["fingerprint"] == await fingerprint(stored, node)
        answered = Answered(_PLACES.decode(row["answer"]), complete=True, server=row["server"])
        return answered, fresh

    async def keep(
        self, stored: Stored, node: Node, question: str, answered: Answered, before: bytes
    ) -> bool:
        """Store a complete answer if nothing changed while it was made; whether it was stored."""
        if not answered.complete or answered.unsaved_version is not None:
            return False
        if before != await fingerprint(stored, node):
            return False
        async with stored.state.transaction() as tx:
            await tx.execute(
                """INSERT OR REPLACE INTO graph_exact
                     (node_id, question, server, fingerprint, asked_at, answer)
                   SELECT ?1, ?2, ?3, ?4, ?5, ?6
                   WHERE EXISTS (SELECT 1 FROM graph_nodes WHERE node_id = ?1)""",
                (
                    node.node_id,
                    question,
                    answered.server,
                    before,
                    time.time(),
                    msgspec.msgpack.encode(answered.places),
                ),
            )
        return True


async def fingerprint(stored: Stored, node: Node) -> bytes:
    """Changes when any file that mentions a node's name does, or the file that defines it."""
    rows = await stored.state.read(
        """SELECT f.path, f.content_hash FROM files f JOIN graph_documents d ON d.doc_id = f.doc_id
           WHERE f.checkout_id = ? AND (f.path = ? OR instr(d.names, ?)) ORDER BY f.path""",
        (stored.checkout_id, node.path, name_hash(node.name)),
    )
    digest = blake2b(digest_size=16)
    for row in rows:
        digest.update(str(row[0]).encode() + b"\0" + bytes(row[1] or b"") + b"\n")
    return digest.digest()


def _places(value: Any, root: str) -> list[Place]:
    """Locations or links of an LSP answer, inside a root."""
    from surveyor.servers.uris import to_path

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
