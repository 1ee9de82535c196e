"""Requests about rules and libraries, and what the engine answers; history has its own.

Paths of files are relative to the project's root unless a field says otherwise; dates are ISO
8601 in UTC; lines are 1-based and inclusive.
"""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from surveyor.protocol.base import Freshness, Model, Request
from surveyor.protocol.enumerations import (
    DocumentSource,
    LibraryMode,
    RuleAction,
    RuleScope,
    RulesFormat,
    RulesScope,
    WriteStatus,
)

WRITE_WAIT_MS = 0
"""How long a write waits for its queue item before it answers `queued`, unless asked."""


class Written(Model, kw_only=True):
    """What became of a write: durable in the queue, or carried out."""

    status: WriteStatus
    queue_id: str | None = None
    message: str = ""
    warnings: list[str] = []


class WriteWaitRequest(Request[Written], kw_only=True):
    """Wait until queued writes have been carried out."""

    operation: ClassVar[str] = "write_wait"
    answer: ClassVar[type[Any]] = Written

    queue_ids: list[str]
    wait_ms: int = 0


# --- rules --------------------------------------------------------------------------------


class AnchorItem(Model, kw_only=True):
    """Where a rule's code is in one checkout. `state` is `changed` when it needs a review."""

    path: str
    symbol: str | None = None
    kind: Literal["symbol", "file", "folder"] = "file"
    start_line: int | None = None
    end_line: int | None = None
    state: Literal["ok", "changed", "lost"] = "ok"
    reason: str = ""


class RuleItem(Model, kw_only=True):
    """A memory rule."""

    label: str
    title: str
    content: str
    scope: RuleScope
    project: str | None = None
    tags: list[str] = []
    type: str | None = None
    priority: int | None = None
    anchor: str | None = None
    place: AnchorItem | None = None
    """Where the anchored code is now, in the caller's checkout."""
    needs_review: bool = False
    created_at: str = ""
    updated_at: str = ""
    score: float | None = None
    confidence: float | None = None


class RulesResponse(Model, kw_only=True):
    """Rules: listed, recalled, or anchored at a place."""

    rules: list[RuleItem]
    notice: str | None = None
    """What may be lacking, in a line."""


class MemoryWriteRequest(Request[Written], kw_only=True):
    """Add, update or remove a rule; `review` accepts the code under its anchor as it is now.

    `update` changes the fields that are given. `cwd` or `project` decide whose rule it is when
    `scope` is `project`, and where an anchor is looked for.
    """

    operation: ClassVar[str] = "memory_write"
    # Not `type[Any]`: annotations are evaluated in the class, which has a field of that name.
    answer: ClassVar[Any] = Written

    action: RuleAction
    label: str
    scope: RuleScope = "global"
    cwd: str | None = None
    project: str | None = None
    content: str | None = None
    title: str | None = None
    tags: list[str] | None = None
    type: str | None = None
    priority: int | None = None
    anchor: str | None = None
    """`PATH`, `PATH:LINE`, `PATH#SYMBOL` or `SYMBOL` (dotted when nested)."""
    wait_ms: int = WRITE_WAIT_MS


class MemoryListRequest(Request[RulesResponse], kw_only=True):
    """List rules: global ones and the project's; of one scope; or all there are."""

    operation: ClassVar[str] = "memory_list"
    answer: ClassVar[type[Any]] = RulesResponse

    cwd: str | None = None
    project: str | None = None
    scope: RulesScope = "current"


class MemoryRecallRequest(Request[RulesResponse], kw_only=True):
    """Find rules by meaning."""

    operation: ClassVar[str] = "memory_recall"
    answer: ClassVar[type[Any]] = RulesResponse

    query: str
    cwd: str | None = None
    project: str | None = None
    scope: RulesScope = "current"
    limit: int = 10


class RulesAtRequest(Request[RulesResponse], kw_only=True):
    """Rules anchored at a file, or at a symbol or line of it. `path` is absolute."""

    operation: ClassVar[str] = "rules_at"
    answer: ClassVar[type[Any]] = RulesResponse

    path: str
    line: int | None = None


class TextResponse(Model, kw_only=True):
    """A text to print or to write to a file."""

    text: str


class MemoryExportRequest(Request[TextResponse], kw_only=True):
    """Rules as text for review in git."""

    operation: ClassVar[str] = "memory_export"
    answer: ClassVar[type[Any]] = TextResponse

    format: RulesFormat = "markdown"
    cwd: str | None = None
    project: str | None = None
    scope: RulesScope = "current"


class ImportResponse(Model, kw_only=True):
    """What an import did, by label."""

    status: WriteStatus
    queue_ids: list[str] = []
    added: list[str] = []
    updated: list[str] = []
    unchanged: list[str] = []
    warnings: list[str] = []


class MemoryImportRequest(Request[ImportResponse], kw_only=True):
    """Rules from an export; those whose label exists are updated."""

    operation: ClassVar[str] = "memory_import"
    answer: ClassVar[type[Any]] = ImportResponse

    text: str
    cwd: str | None = None
    project: str | None = None
    scope: RuleScope | None = None
    """Overrides the scope that each rule names."""
    wait_ms: int = WRITE_WAIT_MS


class MemoryInjectRequest(Request[TextResponse], kw_only=True):
    """The rules that apply here, as text for an agent's session start."""

    operation: ClassVar[str] = "memory_inject"
    answer: ClassVar[type[Any]] = TextResponse

    cwd: str | None = None
    project: str | None = None
    scope: Literal["current", "project"] = "current"
    """`project`: without the global ones."""
    max_chars: int | None = None


# --- libraries ----------------------------------------------------------------------------


class LibraryItem(Model, kw_only=True):
    """A library: reference documents under one name."""

    name: str
    kind: str
    """folder, documents, package, notes, sessions."""
    source: str | None = None
    mode: LibraryMode | None = None
    documents: int = 0
    pieces: int = 0
    bytes: int = 0
    deleted: bool = False
    synced_at: str | None = None
    web: bool = False
    """It is read from the web: `library refresh` asks for its pages again."""
    queued: int = 0
    evicted: int = 0
    """Documents that were let go of; `library refresh` brings them back."""
    failed: list[str] = []
    """Files that could not be read, with the reason."""


class LibrariesResponse(Model, kw_only=True):
    """Known libraries."""

    libraries: list[LibraryItem]


class LibraryListRequest(Request[LibrariesResponse], kw_only=True):
    """List libraries; packages and removed ones on request."""

    operation: ClassVar[str] = "library_list"
    answer: ClassVar[type[Any]] = LibrariesResponse

    cwd: str | None = None
    project: str | None = None
    packages: bool = False
    include_deleted: bool = False


class LibraryAddRequest(Request[Written], kw_only=True):
    """Register a folder (absolute) as a library and read it; again: bring it up to date."""

    operation: ClassVar[str] = "library_add"
    answer: ClassVar[type[Any]] = Written

    folder: str
    name: str
    mode: LibraryMode = "sync"
    wait_ms: int = WRITE_WAIT_MS


class LibraryIngestRequest(Request[Written], kw_only=True):
    """Store one document: a file (absolute path) or a text."""

    operation: ClassVar[str] = "library_ingest"
    answer: ClassVar[type[Any]] = Written

    name: str = "global"
    """The library, or a dotted place in it: `rust-book.chapter1.intro`."""
    path: str | None = None
    content: str | None = None
    title: str | None = None
    url: str | None = None
    source: DocumentSource | None = None
    metadata: dict[str, Any] = {}
    topics: list[str] = []
    project: str | None = None
    """Keep it with this project: its tenant becomes `<project>.<name>`."""
    wait_ms: int = WRITE_WAIT_MS


class LibraryRemoveRequest(Request[Written], kw_only=True):
    """Mark a library, or what lies below a dotted name, as deleted; `purge` drops it for good."""

    operation: ClassVar[str] = "library_remove"
    answer: ClassVar[type[Any]] = Written

    name: str
    purge: bool = False
    wait_ms: int = WRITE_WAIT_MS


class LibraryRestoreRequest(Request[Written], kw_only=True):
    """Take a delete mark away."""

    operation: ClassVar[str] = "library_restore"
    answer: ClassVar[type[Any]] = Written

    name: str
    wait_ms: int = WRITE_WAIT_MS


class DocumentHit(Model, kw_only=True):
    """A piece of a document that answers a query."""

    id: str
    tenant: str
    """`book.chapter.file`, `<project>.<name>` or `global`."""
    library: str
    title: str
    headings: list[str]
    page_number: int | None
    start_line: int | None
    end_line: int | None
    path: str | None
    source: str
    url: str | None
    topics: list[str]
    score: float
    confidence: float
    snippet: str
    deleted: bool = False
    dated: str | None = None


class DocumentsResponse(Freshness, kw_only=True):
    """Pieces of documents, best first."""

    results: list[DocumentHit]
    took_ms: float
    notice: str | None = None
    """What may be lacking, in a line."""


class LibrarySearchRequest(Request[DocumentsResponse], kw_only=True):
    """Search reference documents: the project's, the packages it uses and the global ones."""

    operation: ClassVar[str] = "library_search"
    answer: ClassVar[type[Any]] = DocumentsResponse

    query: str
    library: str | None = None
    """A library or a prefix of dotted names."""
    cwd: str | None = None
    project: str | None = None
    """A project, or `all`."""
    notes: bool = False
    """Notes and sessions in place of libraries."""
    limit: int = 10
    include_deleted: bool = False


class PackageItem(Model, kw_only=True):
    """A dependency that the project declares or that was found on disk.

    `state` is `ready` when its documents can be searched.
    """

    ecosystem: str
    name: str
    version: str
    root: str
    library: str
    state: Literal["ready", "queued", "not_installed"]


class DependenciesResponse(Written, kw_only=True):
    """The packages found, and how many had to be read."""

    packages: list[PackageItem] = []
    new: int = 0


class LibraryDepsRequest(Request[DependenciesResponse], kw_only=True):
    """Detect a project's dependencies on disk and read their documentation."""

    operation: ClassVar[str] = "library_deps"
    answer: ClassVar[type[Any]] = DependenciesResponse

    cwd: str | None = None
    project: str | None = None
    transitive: bool = False
    environments: list[str] = []
    """More Python environments or site-packages folders (absolute)."""
    variables: dict[str, str] = {}
    """The caller's environment variables that say where packages are."""
    wait_ms: int = WRITE_WAIT_MS


# --- usage --------------------------------------------------------------------------------


class ProjectUsage(Model, kw_only=True):
    """What is kept for one project; an empty id stands for what every project shares."""

    project_id: str
    name: str
    kinds: dict[str, dict[str, int]]
    """By kind (code, rules, libraries, packages, sessions, history): entries and bytes."""


class EvictedItem(Model, kw_only=True):
    """Something gathered that was let go of."""

    kind: str
    """sessions, packages or history."""
    name: str
    path: str | None
    """What it is read from."""
    bytes: int
    reason: str
    """retention or size."""
    at: str
    """When it was let go of."""
    dated: float = 0.0
    """When it was written, in seconds since 1970; 0 where that does not count."""
    project_id: str | None = None
    returns: bool
    """Whether what it was read from is there: then `library refresh` can bring it back."""


class EvictedResponse(Model, kw_only=True):
    """What was let go of and has not come back, newest first."""

    evicted: list[EvictedItem]


class EvictedRequest(Request[EvictedResponse], kw_only=True):
    """What was let go of."""

    operation: ClassVar[str] = "library_evicted"
    answer: ClassVar[type[Any]] = EvictedResponse


class KnowledgeUsage(Model, kw_only=True):
    """What is kept, by project and kind, and the limits."""

    total_bytes: int
    kinds: dict[str, dict[str, int]]
    """By kind (rules, libraries, packages, notes, sessions, history): entries and bytes."""
    projects: list[ProjectUsage]
    limits: dict[str, int | float]
    warnings: list[str] = []
    pending: list[str] = []
    """Changed settings that will delete something, what, and when."""
    evicted: dict[str, int] = {}
    """What was let go of and has not come back, by kind."""


class RefreshResponse(Model, kw_only=True):
    """What was found when everything was looked at."""

    status: WriteStatus
    changed: int
    """Files that were new, changed or gone."""
    evicted: int
    restored: int = 0
    """What had been let go of and is read again."""
    usage: KnowledgeUsage


class RefreshRequest(Request[RefreshResponse], kw_only=True):
    """Look at libraries, notes and sessions now, not at the next turn."""

    operation: ClassVar[str] = "knowledge_refresh"
    answer: ClassVar[type[Any]] = RefreshResponse

    wait_ms: int = 0
