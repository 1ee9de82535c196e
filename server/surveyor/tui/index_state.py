"""How the folder of the UI stands with the index, in words for one line."""

from __future__ import annotations

from dataclasses import dataclass

from surveyor.errors import NotFoundError
from surveyor.protocol.engine import StatusRequest
from surveyor.protocol.projects import IndexProgressRequest, ProjectStatus
from surveyor.tui.engine_calls import ANSWER_S, EngineCalls
from surveyor.units import counted


@dataclass(frozen=True, slots=True)
class IndexState:
    """Whether the folder is in the index, and how far."""

    project: ProjectStatus | None
    """None: it is in no indexed project."""
    busy: bool = False
    progress: str = ""

    @property
    def summary(self) -> str:
        """For the bar."""
        if self.project is None:
            return "not indexed: Ctrl+Y"
        return f"{self.progress or self.project.status}  {self.project.name}"

    @property
    def revision(self) -> tuple[int, bool]:
        """Changes when an answer of before may no longer be right."""
        return (self.project.revision if self.project is not None else -1, self.busy)


async def read_index_state(engine: EngineCalls, folder: str) -> IndexState:
    """Ask the engine. Raises its errors."""
    try:
        answer = await engine.call(StatusRequest(path=folder), timeout_s=ANSWER_S)
    except NotFoundError:
        return IndexState(None)
    project = answer.projects[0]
    if project.status != "indexing":
        return IndexState(project)
    try:
        now = await engine.call(IndexProgressRequest(root=project.root), timeout_s=ANSWER_S)
    except NotFoundError:  # the engine has just started, and this folder's turn comes
        return IndexState(project, busy=True, progress="waiting")
    progress = f"{now.phase} {now.files_done}/{now.files_total}"
    if now.phase == "done":  # what is left: files that have just changed, then who uses what
        behind, edges = project.files_behind, project.edges_behind
        progress = (
            f"indexing {counted(behind, 'file')}" if behind else f"uses of {counted(edges, 'file')}"
        )
    return IndexState(project, busy=True, progress=now.notice or progress)
