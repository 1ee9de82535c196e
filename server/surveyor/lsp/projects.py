"""Workspace folders as projects of the engine: registered, indexed and followed without asking."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import msgspec

from surveyor.errors import EngineUnavailableError, NotFoundError, SurveyorError
from surveyor.lsp.engine_link import EngineLink
from surveyor.lsp.host import EditorHost
from surveyor.lsp.progress import WorkDoneProgress
from surveyor.lsp.protocol import Protocol
from surveyor.protocol.engine import StatusRequest
from surveyor.protocol.projects import (
    ControlRequest,
    IndexProgress,
    IndexProgressRequest,
    IndexRequest,
    IndexResponse,
)
from surveyor.servers import messages
from surveyor.servers.uris import is_inside
from surveyor.units import counted

REGISTERING_S = 10.0
"""Longest that a request waits for folders to be registered: somebody may be asked about one."""

POLL_MS = 1000
"""The engine answers at the latest after this long, earlier when something changed."""

YES, NO = "Index it", "Not now"

log = logging.getLogger(__name__)


class WorkspaceProjects:
    """Keeps the engine's projects in step with the workspace folders."""

    def __init__(
        self,
        index: EngineLink,
        protocol: Protocol,
        host: EditorHost,
        changed: Callable[[], None],
        known: Callable[[], None],
    ) -> None:
        """`known` is called when the engine has come to know a folder."""
        self._index = index
        self._protocol = protocol
        self._host = host
        self._changed = changed
        self._known = known
        self._followed: dict[Path, asyncio.Task[None]] = {}
        self._registering: set[asyncio.Event] = set()
        self._refused: set[Path] = set()
        self._watched: set[tuple[Path, int]] = set()
        self.names: dict[Path, IndexResponse] = {}
        """What the engine said about each folder."""
        self.runs: dict[Path, IndexProgress] = {}

    def open(self, root: Path) -> None:
        """Index a workspace folder and show how far it is."""
        self.close(root)
        known = asyncio.Event()
        self._registering.add(known)
        task = asyncio.ensure_future(self._follow(root, known))
        self._followed[root] = task

        def over(_: asyncio.Future[None]) -> None:
            known.set()
            self._registering.discard(known)

        task.add_done_callback(over)

    async def settled(self) -> None:
        """Wait until the engine is there or given up, and knows the folders that are opening."""
        await self._index.settled()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(REGISTERING_S):
                for event in tuple(self._registering):
                    await event.wait()

    def close(self, root: Path) -> None:
        """Stop showing a folder."""
        task = self._followed.pop(root, None)
        if task is not None:
            task.cancel()
        self.runs.pop(root, None)

    def root_of(self, path: Path) -> Path:
        """Root of the project that a file belongs to: not always the workspace folder."""
        known = [Path(answer.root) for answer in self.names.values()]
        holding = [root for root in known if is_inside(path, root)]
        return max(holding, key=lambda root: len(root.parts), default=path.parent)

    def close_all(self) -> None:
        """Stop showing all."""
        for root in list(self._followed):
            self.close(root)

    async def index(self, root: Path, *, clean: bool = False, force: bool = False) -> IndexResponse:
        """Ask for an index run of a folder and remember what it belongs to."""
        answer = await self._index.call(
            IndexRequest(path=str(root), explicit=False, clean=clean, force=force), limit_s=60
        )
        self.names[root] = answer
        self._known()
        return answer

    async def reindex(self, root: Path, *, clean: bool) -> IndexResponse:
        """Index because somebody asked: a folder that was left alone is followed again, and why a
        run waits is told, as of a folder that is paused."""
        if await self._is_left_alone(root):
            await self._index.call(ControlRequest(action="watch", project=str(root)))
        answer = await self.index(root, clean=clean)
        if answer.standstill:
            said = f"The reindexing of {answer.root} waits: {answer.standstill}"
            self._protocol.tell("window/showMessage", {"type": 2, "message": said})
        return answer

    async def _is_left_alone(self, root: Path) -> bool:
        """Whether somebody has said that a folder is not to be followed."""
        try:
            answer = await self._index.call(StatusRequest(path=str(root)))
        except NotFoundError:
            return False
        return bool(answer.projects) and not answer.projects[0].watched

    async def _follow(self, root: Path, known: asyncio.Event) -> None:
        try:
            answer = None if await self._is_left_alone(root) else await self._register(root)
            known.set()
            if answer is not None:
                await self.watch_run(root, answer)
        except EngineUnavailableError as error:
            log.info("%s is not indexed: %s", root, error.message)
        except SurveyorError as error:
            text = f"{root.name or root} is not indexed: {error.sentence}"
            self._protocol.tell("window/showMessage", {"type": 2, "message": text})

    async def _register(self, root: Path) -> IndexResponse | None:
        try:
            return await self.index(root)
        except EngineUnavailableError:
            raise
        except SurveyorError:
            if root != Path.home() or root in self._refused:
                raise
            if not await self._asked(root):
                self._refused.add(root)
                return None
            return await self.index(root, force=True)

    async def _asked(self, root: Path) -> bool:
        answer = await self._protocol.ask(
            "window/showMessageRequest",
            {
                "type": 3,
                "message": f"Surveyor: index all of {root}?",
                "actions": [{"title": YES}, {"title": NO}],
            },
        )
        value: Any = messages.decode(answer)
        return isinstance(value, dict) and value.get("title") == YES

    def began(self, root: str, run: object) -> list[Awaitable[None]]:
        """What follows a run that someone else asked for, for each folder that it concerns."""
        if not isinstance(run, int):
            return []
        return [
            self.watch_run(folder, msgspec.structs.replace(answer, run=run))
            for folder, answer in self.names.items()
            if answer.root == root
        ]

    async def watch_run(self, root: Path, answer: IndexResponse) -> None:
        """Follow a run to its end, in one progress item; not twice at a time."""
        if (root, answer.run) in self._watched:
            return
        self._watched.add((root, answer.run))
        item = WorkDoneProgress(self._protocol, self._host, f"Indexing {answer.project}")
        seen = -1
        try:
            while True:
                run = await self._index.call(
                    IndexProgressRequest(
                        root=answer.root, run=answer.run, seen=seen, wait_ms=POLL_MS
                    ),
                    limit_s=30,
                )
                seen = changes_of(run)
                self.runs[root] = run
                done = min(run.files_done, run.files_total)  # a file changed meanwhile counts twice
                item.report(f"{done}/{counted(run.files_total, 'file')}", done, run.files_total)
                self._changed()
                if run.phase == "done":
                    return
                await asyncio.sleep(0.1)
        finally:
            self._watched.discard((root, answer.run))
            self.runs.pop(root, None)
            item.end()
            self._changed()


def changes_of(run: IndexProgress) -> int:
    """What `seen` counts: the number of the last change that this answer shows."""
    return int(getattr(run, "changes", run.files_done))
