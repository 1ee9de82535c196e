"""Types that cross a process boundary: requests to the engine and what it answers.

Every request class names its operation and the type of its answer, so that one `call` serves
all of them. Lines are 1-based and inclusive, columns are 0-based UTF-16 code units (as in LSP),
paths are relative to the project's root with forward slashes unless a field says otherwise.
"""

from __future__ import annotations

from typing import Any, ClassVar, Generic, Literal, TypeVar

import msgspec

PROTOCOL_MIN = 1
PROTOCOL_MAX = 1
"""The range of engine protocols that this version speaks; both sides use the highest common."""

Mode = Literal["hybrid", "semantic", "keyword"]
FileType = Literal["code", "doc", "test", "config", "note", "artifact"]
Status = Literal["healthy", "indexing", "stale", "uncertain", "degraded"]
Corpus = Literal["code", "rules", "libraries", "notes", "history"]
Precision = Literal["exact", "partial", "syntax", "text"]
Scope = Literal["current", "other", "all"]

Answer = TypeVar("Answer")


class Model(msgspec.Struct, kw_only=True):
    """Base of everything on the wire."""


class Request(Model, Generic[Answer], kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """A call to the engine. Unknown fields are refused, so that a typing error is not silence.

    Defaults are not sent: an older engine is not told of a field that nobody uses.
    """

    operation: ClassVar[str]
    answer: ClassVar[type[Any]]


class Freshness(Model, kw_only=True):
    """How far an answer can be trusted; part of every answer from the index."""

    status: Status = "healthy"
    files_behind: int = 0
    revision: int = 0
    reason: str | None = None
    message: str | None = None

    def freshness(self) -> dict[str, Any]:
        """These fields alone, to be handed on to another answer."""
        return {name: getattr(self, name) for name in Freshness.__struct_fields__}


# --- search -------------------------------------------------------------------------------


class Scores(Model, kw_only=True):
    """Raw similarities before fusion; `None` where that side did not find the chunk."""

    dense: float | None = None
    sparse: float | None = None


class ScorePart(Model, kw_only=True):
    """One step of the ranking: the score after it is the score before, times or plus `value`."""

    name: str
    operation: Literal["add", "multiply"]
    value: float
    score: float


class SearchResult(Model, kw_only=True):
    """One ranked piece of code or knowledge."""

    path: str
    start_line: int
    end_line: int
    language: str | None
    kind: str
    symbol: str | None
    score: float
    confidence: float
    scores: Scores
    snippet: str
    project: str
    branch: str | None
    id: str = ""
    root: str = ""
    source: Corpus = "code"
    file_type: str = "code"
    container: str | None = None
    signature: str | None = None
    title: str | None = None
    unsaved_version: int | None = None
    truncated: bool = False
    rules: list[str] = []
    """Rules anchored to this code, each as `label: what it says`."""
    explain: list[ScorePart] | None = None


class SearchResponse(Freshness, kw_only=True):
    """Ranked results and how fresh they are."""

    results: list[SearchResult]
    took_ms: float
    omitted: int = 0
    omitted_hint: str | None = None
    notice: str | None = None
    branch: str | None = None


class SearchRequest(Request[SearchResponse], kw_only=True):
    """Search the index. `path` of the caller decides the project unless `project` names one."""

    operation: ClassVar[str] = "search"
    answer: ClassVar[type[Any]] = SearchResponse

    query: str
    cwd: str | None = None
    """Absolute path whose project is searched; a subfolder scopes the search to itself."""
    project: str | None = None
    """Project id, name or root; wins over `cwd`."""
    projects: list[str] = []
    """Several of them, searched as one; wins over `project` in the scope `current`."""
    scope: Scope = "current"
    mode: Mode = "hybrid"
    limit: int = 10
    languages: list[str] = []
    paths: list[str] = []
    """Globs on the path relative to the root; a leading `!` excludes."""
    types: list[str] = []
    kinds: list[str] = []
    branch: str | None = None
    """A branch name, or `*` for all known ones; `None` is what is on disk."""
    corpora: list[Corpus] = msgspec.field(default_factory=lambda: ["code"])
    library: str | None = None
    tags: list[str] = []
    include_deleted: bool = False
    score_threshold: float = 0.0
    token_budget: int | None = None
    explain: bool = False
    wait_until_fresh_ms: int = 0
    diff: str | None = None
    """`working`, `staged` or a git range: lifts changed files and their direct dependants."""
    open_files: list[str] = []
    recent_files: list[str] = []


class SymbolItem(Model, kw_only=True):
    """A definition: where it is and what it is called."""

    name: str
    kind: str
    container: str
    path: str
    start_line: int
    end_line: int
    line: int
    column: int
    end_column: int
    language: str | None
    signature: str | None
    score: float
    project: str
    root: str
    unsaved_version: int | None = None


class SymbolsResponse(Freshness, kw_only=True):
    """Definitions in order of how well they match."""

    results: list[SymbolItem]
    took_ms: float


class SymbolsRequest(Request[SymbolsResponse], kw_only=True):
    """Find definitions by exact name, prefix, camel humps, fuzzy match or substring."""

    operation: ClassVar[str] = "symbols"
    answer: ClassVar[type[Any]] = SymbolsResponse

    query: str
    cwd: str | None = None
    project: str | None = None
    scope: Scope = "current"
    limit: int = 50
    kinds: list[str] = []
    path: str | None = None
    """Only this file (its outline, when `query` is empty)."""


class WorkspaceSymbolsResponse(Freshness, kw_only=True):
    """Definitions found by name, and those found by what a query means."""

    names: list[SymbolItem]
    meant: list[SymbolItem]
    """None that is among `names`; `score` is how sure it is."""
    took_ms: float


class WorkspaceSymbolsRequest(Request[WorkspaceSymbolsResponse], kw_only=True):
    """Definitions for a window's list of symbols, all that it shows in one answer."""

    operation: ClassVar[str] = "workspace_symbols"
    answer: ClassVar[type[Any]] = WorkspaceSymbolsResponse

    query: str
    cwd: str | None = None
    """Absolute path whose project is searched; a subfolder scopes the search to itself."""
    project: str | None = None
    limit: int = 100
    """Most names; with so many, nothing is looked for by meaning, unless `both`."""
    meant_limit: int = 15
    both: bool = False


class SimilarRequest(Request[SearchResponse], kw_only=True):
    """Find code like a range of lines or a piece of text."""

    operation: ClassVar[str] = "similar"
    answer: ClassVar[type[Any]] = SearchResponse

    cwd: str
    path: str | None = None
    start_line: int = 1
    end_line: int = 1
    text: str | None = None
    limit: int = 10


class RetrieveResponse(Freshness, kw_only=True):
    """Text of a chunk or of a range of a file, as it is on disk or in an unsaved buffer."""

    path: str
    root: str
    start_line: int
    end_line: int
    total_lines: int
    text: str
    language: str | None = None
    symbol: str | None = None
    unsaved_version: int | None = None


class RetrieveRequest(Request[RetrieveResponse], kw_only=True):
    """Read a chunk by id, or a file or range by path (relative to the root, or absolute)."""

    operation: ClassVar[str] = "retrieve"
    answer: ClassVar[type[Any]] = RetrieveResponse

    cwd: str | None = None
    project: str | None = None
    id: str | None = None
    path: str | None = None
    start_line: int = 1
    end_line: int | None = None


# --- indexing -----------------------------------------------------------------------------


class IndexReport(Model, kw_only=True):
    """What an index run did, as counted by the engine."""

    mode: Literal["full", "incremental", "clean"]
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


class IndexResponse(Freshness, kw_only=True):
    """The state of a registered folder; `report` once the run has ended."""

    root: str
    project: str
    project_id: str
    checkout_id: str
    run: int
    report: IndexReport | None = None


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


class Progress(Model, kw_only=True):
    """Where an index run is; sent as a notification and answered by `index_progress`."""

    root: str
    run: int
    phase: Literal["waiting", "scanning", "indexing", "done"]
    files_total: int
    files_done: int
    chunks_done: int
    embeddings_generated: int
    elapsed_s: float
    changes: int = 0
    """Grows with every change: what to send as `seen` to wait for the next one."""
    notice: str | None = None
    """Why nothing moves, if so: paused, the disk is full, the folder cannot be reached."""
    report: IndexReport | None = None


class IndexProgressRequest(Request[Progress], kw_only=True):
    """Ask where a run is; waits up to `wait_ms` for a change since `seen`."""

    operation: ClassVar[str] = "index_progress"
    answer: ClassVar[type[Any]] = Progress

    root: str
    run: int = 0
    seen: int = -1
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


class StatusResponse(Freshness, kw_only=True):
    """The engine and its projects."""

    engine_version: str
    pid: int
    uptime_s: float
    data_dir: str
    store: str
    model: str
    projects: list[ProjectStatus]
    queue: dict[str, int]
    sessions: int
    memory_bytes: int
    anonymous_bytes: int
    worker_bytes: int
    disk_free_bytes: int
    limits: dict[str, Any] = {}
    skipped: list[SkippedFile] = []
    upstreams: list[dict[str, Any]] = []
    knowledge: dict[str, Any] = {}


class StatusRequest(Request[StatusResponse], kw_only=True):
    """Ask for the state of the engine, of one project (`path`) and of what was skipped."""

    operation: ClassVar[str] = "status"
    answer: ClassVar[type[Any]] = StatusResponse

    path: str | None = None
    skipped: bool = False


class Done(Model, kw_only=True):
    """A change that has been made, in words."""

    message: str = ""


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


class QueueItem(Model, kw_only=True):
    """An item of the queue with its error history."""

    queue_id: str
    item_type: str
    op: str
    status: str
    collection: str
    tenant_id: str
    retry_count: int
    created_at: float
    payload: dict[str, Any]
    errors: list[dict[str, Any]]


class QueueResponse(Model, kw_only=True):
    """Items and how many there are in each state."""

    items: list[QueueItem]
    counts: dict[str, int]


class QueueRequest(Request[QueueResponse], kw_only=True):
    """Look at the queue, retry failed items or drop them."""

    operation: ClassVar[str] = "queue"
    answer: ClassVar[type[Any]] = QueueResponse

    action: Literal["list", "show", "retry", "clean"] = "list"
    queue_id: str | None = None
    failed: bool = False
    limit: int = 50


class Finding(Model, kw_only=True):
    """Something a check found."""

    check: str
    ok: bool
    message: str
    hint: str = ""
    repaired: bool = False


class DoctorResponse(Model, kw_only=True):
    """All checks, in the order in which they were made."""

    findings: list[Finding]


class DoctorRequest(Request[DoctorResponse], kw_only=True):
    """Check the engine's state and store; repair what is derived when asked to."""

    operation: ClassVar[str] = "doctor"
    answer: ClassVar[type[Any]] = DoctorResponse

    repair: bool = False


class StopRequest(Request[Done], kw_only=True):
    """End the engine."""

    operation: ClassVar[str] = "stop"
    answer: ClassVar[type[Any]] = Done


class OverlayRequest(Request[Done], kw_only=True):
    """Show an unsaved buffer to searches; `text` of `None` takes it away. Never stored."""

    operation: ClassVar[str] = "overlay"
    answer: ClassVar[type[Any]] = Done

    path: str
    """Absolute."""
    version: int = 0
    text: str | None = None


class RootsRequest(Request[Done], kw_only=True):
    """The folders that this session has open are now these, in place of those in its `Hello`."""

    operation: ClassVar[str] = "roots"
    answer: ClassVar[type[Any]] = Done

    roots: list[str]
    """Absolute."""


# --- sessions -----------------------------------------------------------------------------


class Hello(Model, kw_only=True):
    """First message on a session: who is calling and which protocols it speaks."""

    client: Literal["lsp", "mcp", "cli", "test"]
    version: str
    pid: int
    protocol: tuple[int, int] = (PROTOCOL_MIN, PROTOCOL_MAX)
    roots: list[str] = []
    roots_implied: bool = False
    """Nobody named the roots: it is the folder in which the client was started."""
    token: str | None = None
    relay: Literal["mcp"] | None = None
    """`mcp`: after the welcome the stream carries the MCP protocol itself, one message a line."""
    serves: list[str] = []
    """Requests that the engine may send to this client (an editor's navigation questions)."""


class Welcome(Model, kw_only=True):
    """The engine's answer to `Hello`."""

    version: str
    pid: int
    protocol: int
    session: str
