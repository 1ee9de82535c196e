"""`surveyor/status`: what engine, projects and upstreams are doing, at most 4 times a second."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

from surveyor.errors import EngineUnavailableError, SurveyorError
from surveyor.lsp.engine_link import EngineLink
from surveyor.lsp.projects import WorkspaceProjects
from surveyor.lsp.protocol import Protocol
from surveyor.lsp.roots import Roots
from surveyor.lsp.settings import EditorSettings
from surveyor.protocol.editor import EngineState, Indexing, ProjectState, Status, UpstreamState
from surveyor.protocol.engine import StatusRequest
from surveyor.protocol.projects import ProjectStatus
from surveyor.servers.documents import OpenDocuments
from surveyor.servers.manager import UpstreamManager

INTERVAL_S = 0.25
"""Shortest time between two notifications."""

ENGINE_WAIT_S = 2.0
"""How long the engine is waited for; a busy one is asked again after as long."""


class StatusReporter:
    """Makes the status and tells the editor when it changes."""

    def __init__(
        self,
        protocol: Protocol,
        index: EngineLink,
        roots: Roots,
        projects: WorkspaceProjects,
        documents: OpenDocuments,
        manager: Callable[[], UpstreamManager],
        settings: Callable[[], EditorSettings],
    ) -> None:
        self._protocol = protocol
        self._index = index
        self._roots = roots
        self._projects = projects
        self._documents = documents
        self._manager = manager
        self._settings = settings
        self._task: asyncio.Task[None] | None = None
        self._again = False
        self._last: Status | None = None
        self._known: dict[Path, ProjectStatus] = {}
        self._late = False
        """Whether the engine has left a question unanswered: the last answers stand meanwhile."""

    def changed(self) -> None:
        """Something changed: notify soon, if the client has asked for that."""
        if not self._settings().status_notifications:
            return
        if self._task is not None and not self._task.done():
            self._again = True
            return
        self._again = False
        self._task = asyncio.ensure_future(self._notify())

    def close(self) -> None:
        """Notify no more."""
        if self._task is not None:
            self._task.cancel()

    async def _notify(self) -> None:
        while True:
            await asyncio.sleep(INTERVAL_S)
            self._again = False
            status = await self.status()
            if status != self._last:
                self._last = status
                self._protocol.tell("surveyor/status", status)
            if self._late:
                await asyncio.sleep(ENGINE_WAIT_S)
            elif not self._again:
                return

    async def status(self) -> Status:
        """The whole status now."""
        index = self._index
        if index.up:
            state = EngineState(state="up", version=index.version)
        else:
            known = "starting" if index.message == "connecting" else "down"
            state = EngineState(state=known, version="", message=index.message or None)  # type: ignore[arg-type]
        self._late = False
        projects = await asyncio.gather(*(self._project(root) for root in self._roots.paths))
        return Status(
            engine=state,
            projects=list(projects),
            upstreams=self._upstreams(),
            warnings=list(self._settings().warnings),
        )

    async def _project(self, root: Path) -> ProjectState:
        found = await self._asked(root)
        run = self._projects.runs.get(root)
        indexing = (
            Indexing(phase=run.phase, done=run.files_done, total=run.files_total) if run else None
        )
        if found is None:
            if not self._index.up:
                reason, message = "engine_down", self._index.message or "The engine is not there."
            elif self._late:
                reason, message = "engine_busy", "The engine has not answered yet."
            else:
                reason, message = "not_indexed", "This folder is not indexed."
            return ProjectState(
                root=str(root),
                name=root.name or str(root),
                status="degraded" if not self._index.up else "uncertain",
                files_behind=0,
                files=0,
                chunks=0,
                skipped=0,
                paused=False,
                reason=reason,
                message=message,
                indexing=indexing,
            )
        return ProjectState(
            root=found.root,
            name=found.name,
            status=found.status,
            files_behind=found.files_behind,
            files=found.files,
            chunks=found.chunks,
            skipped=found.skipped,
            paused=found.paused,
            reason=found.reason,
            message=found.message,
            disk_bytes=found.disk_bytes,
            indexing=indexing,
        )

    async def _asked(self, root: Path) -> ProjectStatus | None:
        """What the engine says of a folder; what it last said, while it is too busy to answer."""
        if not self._index.up:
            return None
        try:
            answer = await self._index.call(StatusRequest(path=str(root)), limit_s=ENGINE_WAIT_S)
        except EngineUnavailableError:
            if not self._index.up:
                return None
            self._late = True
            return self._known.get(root)
        except SurveyorError:
            self._known.pop(root, None)
            return None
        if not answer.projects:
            self._known.pop(root, None)
            return None
        self._known[root] = answer.projects[0]
        return answer.projects[0]

    def _upstreams(self) -> list[UpstreamState]:
        settings, manager = self._settings(), self._manager()
        states = []
        seen: set[str] = set()
        for upstream in manager.all():
            value = upstream.status()
            seen.add(upstream.language)
            mode = settings.modes.get(upstream.language, settings.default_mode)
            states.append(
                UpstreamState(
                    name=upstream.name,
                    language=upstream.language,
                    state=value["state"],
                    ready=value["ready"],
                    mode=settings.mode(upstream.language),
                    reason=value["reason"] or mode.reason or None,
                    memory_bytes=value["memoryBytes"],
                    restarts=value["restarts"],
                    root=value["root"],
                    pid=value["pid"],
                    stderr=value["stderr"],
                )
            )
        for language, reason in manager.missing().items():
            if language not in seen:
                seen.add(language)
                states.append(absent(language, "missing", settings.mode(language), reason))
        for language, mode in settings.modes.items():
            if language not in seen and settings.is_companion(language):
                states.append(absent(language, "companion", "companion", mode.reason))
        return states


def absent(language: str, state: str, mode: str, reason: str) -> UpstreamState:
    """A language for which no server of ours runs."""
    return UpstreamState(
        name="",
        language=language,
        state=state,
        ready=False,
        mode=mode,
        reason=reason or None,
        memory_bytes=0,
        restarts=0,
    )
