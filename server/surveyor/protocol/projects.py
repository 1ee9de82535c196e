"""Registered folders: indexing them, how far that is, and what of them is left out."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from surveyor.protocol.base import Done, Freshness, Model, Request
from surveyor.protocol.enumerations import Phase, RunMode

STANDSTILL = (
    "paused",
    "disk_full",
    "no_worker",
    "missing_root",
    "stalled_root",
    "store_unreachable",
    "index_damaged",
    "read_only",
)
"""Reasons for which an index run makes no progress."""


class IndexReport(Model, kw_only=True):
    """What an index run did, as counted by the engine."""

    mode: RunMode
    files_indexed: int
    files_unchanged: int
    files_removed: int
    files_skipped: int
    files_failed: int
    chunks_created: int
    embeddings_generated: int
    duration_ms: float
    errors: list[str]
    failure: str | None = None
    """Why the folder could not be looked through; the earlier index is kept as it was."""
    nothing_indexed: str | None = None
    """Why nothing at all of the folder is indexed, and what to do; absent where something is."""


class IndexResponse(Freshness, kw_only=True):
    """The state of a registered folder; `report` once the run has ended."""

    root: str
    project: str
    project_id: str
    checkout_id: str
    run: int
    report: IndexReport | None = None

    @property
    def standstill(self) -> str | None:
        """Why the run makes no progress, if so."""
        return self.message if self.reason in STANDSTILL else None


class IndexRequest(Request[IndexResponse], kw_only=True):
    """Register a folder as a project if it is not one, and bring its index up to date."""

    operation: ClassVar[str] = "index"
    answer: ClassVar[type[Any]] = IndexResponse

    path: str
    clean: bool = False
    force: bool = False
    """Allow the home folder and the file system's root."""
    explicit: bool = True
    """The folder itself becomes the project; otherwise the nearest root above, or the git root."""
    wait: bool = False


class IndexProgress(Model, kw_only=True):
    """Where an index run is; sent as a notification and answered by `index_progress`."""

    root: str
    run: int
    phase: Phase
    files_total: int
    files_done: int
    chunks_done: int
    embeddings_generated: int
    elapsed_s: float
    left_s: float | None = None
    """Seconds until all files can be searched, at the pace of the last minute, once known."""
    changes: int = 0
    """Grows with every change: what to send as `seen` to wait for the next one."""
    notice: str | None = None
    """Why nothing moves, if so: paused, the disk is full, the folder cannot be reached."""
    foreseen: str | None = None
    """What is likely to keep it from reaching its end, if so: a disk with too little room."""
    edges_pending: bool = False
    """Whether who uses what was not known yet when the wait for it (`edges`) ended."""
    report: IndexReport | None = None


EDGES_MS = 60_000
"""Longest that an answer to `index` waits for who uses what, once all files are indexed."""


class IndexProgressRequest(Request[IndexProgress], kw_only=True):
    """Ask where a run is; waits up to `wait_ms` for a change since `seen`, or with `edges`, once
    the run has ended, until the graph knows who uses what."""

    operation: ClassVar[str] = "index_progress"
    answer: ClassVar[type[Any]] = IndexProgress

    root: str
    run: int = 0
    seen: int = -1
    edges: bool = False
    wait_ms: int = 0


class SkippedFile(Model, kw_only=True):
    """A file that is not indexed, and why."""

    path: str
    reason: str
    detail: str = ""


class ProjectStatus(Freshness, kw_only=True):
    """One checkout: what is indexed and what is not."""

    root: str
    name: str
    project_id: str
    checkout_id: str
    branch: str | None
    files: int
    chunks: int
    symbols: int
    skipped: int
    failed: int
    languages: dict[str, int]
    watched: bool
    active: bool
    paused: bool = False
    model: str = ""
    last_indexed: str | None = None
    parent_root: str | None = None
    disk_bytes: int = 0
    reembedding: float | None = None
    """Share of chunks already embedded with a newly configured model (0 to 1), while it runs."""
    edges_behind: int = 0
    """Files whose uses of others are still to be worked out."""
    left_s: float | None = None
    """Seconds until all files can be searched, at the pace of the last minute, once known."""
    unread_uses: list[str] = []
    """Files of which it could not be worked out what they use: a worker failed at each alone."""
    compacting: bool = False
    """What was written last is still to be made compact; answers do not wait for it."""
    learned: str | None = None
    """Whether what the project's commits taught is used by its searches, and what that was worth
    on commits that it was not learned from; None: nothing was searched since the engine started."""


class ProjectsResponse(Model, kw_only=True):
    """Every registered folder."""

    projects: list[ProjectStatus]


class ProjectsRequest(Request[ProjectsResponse], kw_only=True):
    """List the registered folders."""

    operation: ClassVar[str] = "projects"
    answer: ClassVar[type[Any]] = ProjectsResponse


class RemoveProjectRequest(Request[Done], kw_only=True):
    """Forget a folder and its index; the folder itself is not touched."""

    operation: ClassVar[str] = "remove_project"
    answer: ClassVar[type[Any]] = Done

    project: str


class ControlRequest(Request[Done], kw_only=True):
    """Pause or resume indexing (of one project, or all), switch its watching on or off, or give up
    a reindexing: what it has not done stays as it was."""

    operation: ClassVar[str] = "control"
    answer: ClassVar[type[Any]] = Done

    action: Literal["pause", "resume", "watch", "unwatch", "cancel"]
    project: str | None = None
    purge: bool = False
    """With `unwatch`: drop the index too, keeping the registration."""
