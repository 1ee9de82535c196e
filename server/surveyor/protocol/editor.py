"""Params and results of the custom requests (docs/lsp.md): camelCase on the wire, lines as LSP.

Positions and ranges are LSP's (0-based, UTF-16); `startLine` and `endLine` are 1-based, for people.
"""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from surveyor.protocol.enumerations import (
    Certainty,
    FindingKind,
    Mode,
    RuleAction,
    RuleScope,
    WriteStatus,
)


class Wire(msgspec.Struct, rename="camel", kw_only=True):
    """Base: camelCase names."""


class Position(Wire):
    """An LSP position."""

    line: int
    character: int


class Range(Wire):
    """An LSP range."""

    start: Position
    end: Position

    @classmethod
    def at(cls, line: int, character: int = 0) -> Range:
        """The empty range at a place; `line` 1-based, 0 for the whole file."""
        place = Position(line=max(line - 1, 0), character=character)
        return cls(start=place, end=place)


class TextDocument(Wire):
    """A document by URI."""

    uri: str


class SearchParams(Wire):
    """`surveyor/search`."""

    query: str
    limit: int = 20
    mode: Mode = "hybrid"
    languages: list[str] = []
    paths: list[str] = []
    kinds: list[str] = []
    types: list[str] = []
    corpora: list[str] = msgspec.field(name="in", default_factory=lambda: ["code"])
    uri: str | None = None
    """A document or folder whose project is searched; all workspace folders without it."""
    ignore_case: bool = False
    """Of the modes `literal` and `regex`; what is below, of `pattern` as well."""
    context_lines: int = 0
    offset: int = 0
    rewrite: str | None = None
    """With the mode `pattern`: what each match becomes, shown as diffs and not written."""
    work_done_token: int | str | None = None
    """With the mode `pattern`: how far it is is told by it. Cancelling the request ends it."""


class SearchItem(Wire):
    """One result."""

    uri: str
    range: Range
    path: str
    start_line: int
    end_line: int
    language: str | None
    kind: str
    symbol: str | None
    container: str | None
    score: float
    confidence: float
    snippet: str
    source: str
    project: str
    branch: str | None
    id: str
    title: str | None = None
    rules: list[str] = []
    unsaved_version: int | None = None
    line: int = 0
    """1-based: the one that names the symbol or says most of the query; `range` begins there. Of
    exact text `range` is the match."""
    signature: str | None = None
    captures: dict[str, str] = {}
    """Of a match of a pattern: what its holes matched."""
    reasons: list[str] = []
    """Why code is called similar."""


class RewrittenFile(Wire):
    """What a rewriting changes in a file, as a unified diff."""

    uri: str
    path: str
    diff: str
    unsaved_version: int | None = None


class SearchResults(Wire):
    """Answer of `surveyor/search` and `surveyor/similar`."""

    results: list[SearchItem]
    status: str
    files_behind: int
    revision: int
    took_ms: float
    notice: str | None = None
    matches: int | None = None
    """Of exact text, here and below: as in `SearchResponse`."""
    files: int | None = None
    next_offset: int | None = None
    incomplete: list[str] = []
    diffs: list[RewrittenFile] = []


class SimilarParams(Wire):
    """`surveyor/similar`: code that does what a range does, or, where that is empty, what the
    definition around it does."""

    text_document: TextDocument
    range: Range
    limit: int = 10


class ExplainParams(Wire):
    """`surveyor/explain`: why a result is where it is."""

    query: str
    id: str
    uri: str | None = None


class ExplainPart(Wire):
    """One step of the ranking."""

    name: str
    operation: str
    value: float
    score: float


class Explanation(Wire):
    """The parts add up to the score."""

    parts: list[ExplainPart]
    score: float
    confidence: float


class ImpactParams(Wire):
    """`surveyor/impact`: what depends on the symbol at a position, and on what it depends."""

    text_document: TextDocument
    position: Position
    depth: int = 3
    limit: int = 200
    """In each direction."""


class ReachedSymbol(Wire):
    """A symbol that is reached; `via` are the names between."""

    uri: str
    range: Range
    name: str
    kind: str
    depth: int
    is_test: bool
    via: list[str]


class ImpactAnswer(Wire):
    """Answer of `surveyor/impact`."""

    symbol: str
    precision: str
    complete: bool
    inbound: list[ReachedSymbol]
    outbound: list[ReachedSymbol]
    omitted: int = 0
    """Left out for the limit."""
    notice: str | None = None
    """Why it is not complete, and what else is to be known."""


class GraphParams(Wire):
    """`surveyor/graph`: what is drawn of a symbol at a position, or of a folder's project."""

    about: Literal["impact", "callers", "callees", "map"]
    text_document: TextDocument | None = None
    position: Position | None = None
    uri: str | None = None
    """Of the map: a document or folder of the project."""
    depth: int = 3
    tokens: int = 4000
    """Of the map: how much of the project is drawn."""


class GraphMember(Wire):
    """A definition of a drawn file."""

    name: str
    kind: str
    line: int
    signature: str


class GraphBox(Wire):
    """A box: a definition, or a file, whose name is empty."""

    uri: str
    range: Range
    name: str
    path: str
    kind: str
    is_test: bool
    is_subject: bool
    members: list[GraphMember] = []


class GraphArrow(Wire):
    """That one box uses another, both by their index."""

    source: int
    target: int
    uses: int


class GraphAnswer(Wire):
    """Answer of `surveyor/graph`."""

    symbol: str
    """What it is about; the project's name for a map."""
    boxes: list[GraphBox]
    arrows: list[GraphArrow]
    omitted: int
    """Arrows that are left out."""
    files_total: int
    """Of the project, for a map."""
    precision: str
    complete: bool
    notice: str | None = None


class ActivityParams(Wire):
    """`surveyor/activity`: what agents did in this window's folders."""

    session: str = ""
    limit: int = 500


class AgentPlace(Wire):
    """Lines that an agent read or changed, as they were numbered then."""

    uri: str
    path: str
    range: Range
    kind: Literal["read", "edited"]


class AgentCall(Wire):
    """One call of an agent's tool; also the notification `surveyor/activity`."""

    id: int
    session: str
    client: str
    at: float
    tool: str
    asked: str
    outcome: str
    failed: bool
    places: list[AgentPlace]


class AgentSession(Wire):
    """An agent's session."""

    session: str
    client: str
    root: str
    first: float
    last: float
    calls: int
    edits: int
    open: bool


class ActivityAnswer(Wire):
    """Answer of `surveyor/activity`: sessions, the latest first, and calls, the latest last."""

    sessions: list[AgentSession]
    calls: list[AgentCall]
    kept: bool


class CheckParams(Wire):
    """`surveyor/check`: what a change leaves behind, in the project of a document or folder."""

    uri: str | None = None
    diff: str = "working"


class CheckedPlace(Wire):
    """One place that is wrong, or has to be looked at."""

    uri: str
    range: Range
    path: str
    kind: FindingKind
    certainty: Certainty
    message: str
    symbol: str
    about: str
    is_test: bool


class CheckAnswer(Wire):
    """Answer of `surveyor/check`; `tests` are paths of those that reach the change."""

    root: str
    places: list[CheckedPlace]
    tests: list[str]
    complete: bool
    notice: str | None
    unasked: list[str] = []
    """What language servers did not look at, and why."""


class HistoryParams(Wire):
    """`surveyor/history`: when and why the definition at or around an empty range changed, or the
    lines of a range."""

    text_document: TextDocument
    range: Range
    limit: int = 50


class CodeCommit(Wire):
    """A commit that changed the code that was asked about."""

    commit: str
    author: str
    date: str
    subject: str
    body: str
    path: str
    """The file's name in that commit; the lines there are 1-based."""
    start_line: int
    end_line: int
    added: int
    removed: int
    diff: str
    """What it did to the code, with all lines of it."""
    moved_from: str | None = None
    renamed_from: str | None = None
    introduced: bool = False


class HistoryAnswer(Wire):
    """Answer of `surveyor/history`, the newest first; `symbol` is none for lines."""

    symbol: str | None
    path: str
    uri: str
    range: Range
    commits: list[CodeCommit]
    notice: str | None


class TestParams(Wire):
    """`surveyor/test`: run tests in the project of a document or folder; without targets those that
    reach the change. It takes as long as they take, and is ended by cancelling it."""

    __test__ = False  # nor is it one to whoever collects tests

    uri: str | None = None
    targets: list[str] = []
    """Files, folders, `file::test`, or names of definitions."""
    diff: str = "working"
    timeout_s: int = 600
    work_done_token: int | str | None = None


class FailedPlace(Wire):
    """A test that failed, or a line that kept tests from being run."""

    uri: str
    """Empty where the runner named no place in the project."""
    range: Range
    path: str
    test: str
    message: str
    symbol: str


class TestAnswer(Wire):
    """Answer of `surveyor/test`; `not_run` has files with the reason, `output` what runners said
    that failed without naming a test."""

    __test__ = False

    root: str
    ok: bool
    passed: int
    failed: int
    skipped: int
    failures: list[FailedPlace]
    not_run: list[str]
    output: str
    notice: str | None


class RememberParams(Wire):
    """`surveyor/remember`: a rule, anchored to a place when one is given; or, with another action,
    one that is there. An update changes what is given."""

    label: str
    content: str | None = None
    action: RuleAction = "add"
    uri: str | None = None
    """A document or folder whose project's rule it is; else the first workspace folder's."""
    scope: RuleScope = "project"
    title: str | None = None
    tags: list[str] | None = None
    text_document: TextDocument | None = None
    position: Position | None = None


class Remembered(Wire):
    """Answer of `surveyor/remember`."""

    status: WriteStatus
    label: str
    queue_id: str | None = None


class RulesParams(Wire):
    """`surveyor/rules`."""

    uri: str | None = None


class EditorRule(Wire):
    """A memory rule."""

    label: str
    title: str | None
    content: str
    scope: str
    anchor: str | None = None
    uri: str | None = None
    """Of the file that it is about, with the lines there are; none where the code is gone."""
    range: Range | None = None
    needs_review: bool = False


class EditorRules(Wire):
    """Answer of `surveyor/rules`."""

    rules: list[EditorRule]


class ReindexParams(Wire):
    """`surveyor/reindex`."""

    uri: str | None = None
    clean: bool = False


class Reindexed(Wire):
    """Answer of `surveyor/reindex`: the run has begun; progress follows."""

    root: str
    run: int
    notice: str | None = None
    """Why nothing moves, if so: indexing is paused, for one. It was shown as a message, too."""


class ControlParams(Wire):
    """`surveyor/control`."""

    uri: str
    action: Literal["pause", "resume", "skip", "remove"]


class Controlled(Wire):
    """Answer of `surveyor/control`, in words."""

    message: str


class SkippedParams(Wire):
    """`surveyor/skipped`."""

    uri: str


class SkippedItem(Wire):
    """A file that is not indexed, and why."""

    path: str
    reason: str
    detail: str


class SkippedFiles(Wire):
    """Answer of `surveyor/skipped`."""

    files: list[SkippedItem]


class EngineState(Wire):
    """The engine as seen from here."""

    state: Literal["up", "starting", "down"]
    version: str
    message: str | None = None


class Indexing(Wire):
    """A run under way."""

    phase: str
    done: int
    total: int


class ProjectState(Wire):
    """A workspace folder's project."""

    root: str
    name: str
    status: str
    files_behind: int
    files: int
    chunks: int
    skipped: int
    paused: bool
    reason: str | None = None
    message: str | None = None
    disk_bytes: int = 0
    indexing: Indexing | None = None


class UpstreamState(Wire):
    """A real language server, or a language that another server serves (companion)."""

    name: str
    language: str
    state: str
    ready: bool
    mode: str
    reason: str | None
    memory_bytes: int
    restarts: int
    root: str = ""
    pid: int | None = None
    stderr: str = ""


class ServerParams(Wire):
    """`surveyor/serverLog` and `surveyor/restartServer`: a server as the status names it."""

    language: str
    root: str


class ServerLog(Wire):
    """Answer of `surveyor/serverLog`: its command, what it said, the end of its stderr."""

    name: str
    text: str


class Status(Wire):
    """`surveyor/status`, as answer and as notification."""

    engine: EngineState
    projects: list[ProjectState]
    upstreams: list[UpstreamState]
    warnings: list[str] = []
    """Settings that mean nothing."""


class NavigateParams(Wire):
    """`editor/…`: what the engine asks this window on behalf of an agent."""

    path: str
    """Absolute."""
    line: int = 1
    """1-based."""
    column: int = 0
    """0-based UTF-16."""
    extra: dict[str, Any] = {}
    """Further params of the LSP request (`context`, `item` …)."""
    wait_ready_ms: int = 0


class Navigated(Wire):
    """The upstream's answer, raw, and how far it can be trusted."""

    result: msgspec.Raw
    complete: bool
    server: str
    language: str
    unsaved_version: int | None = None
