"""Search, symbols by name, similar code, and reading what was found."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

import msgspec

from surveyor.protocol.base import Freshness, Model, Request
from surveyor.protocol.enumerations import Corpus, Mode, Scope


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


class OtherPlace(Model, kw_only=True):
    """Another place in the file of a result that fits the query nearly as well."""

    start_line: int
    end_line: int
    symbol: str | None = None


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
    reasons: list[str] = []
    """Why code is called similar: what both have in common."""
    explain: list[ScorePart] | None = None
    line: int = 0
    """Where to jump to: the line that names the symbol, else the one that says most of the query;
    0 where there is no file. Of a match of exact text the line where it begins."""
    column: int | None = None
    """Of a match of exact text, 0-based in UTF-16 units; also where it ends."""
    match_end_line: int | None = None
    end_column: int | None = None
    also: list[OtherPlace] = []
    """Further places of its file that are no results of their own: of each file's first result,
    where the query is words or an issue."""
    captures: dict[str, str] = {}
    """Of a match of a pattern: what its holes (`$NAME`, `$$$NAME`) matched."""


class FileRewrite(Model, kw_only=True):
    """What a rewriting changes in a file."""

    path: str
    root: str
    diff: str
    """Unified, with three lines around each change, or as many as make them unique."""
    unsaved_version: int | None = None
    """Of the buffer that is meant, where it is not the file on disk."""


class SearchResponse(Freshness, kw_only=True):
    """Ranked results and how fresh they are."""

    results: list[SearchResult]
    took_ms: float
    omitted: int = 0
    omitted_hint: str | None = None
    notice: str | None = None
    branch: str | None = None
    matches: int | None = None
    """Of exact text, in all: those of other pages, too."""
    files: int | None = None
    """That these are in."""
    next_offset: int | None = None
    """Of the next page of matches; None where there is none."""
    incomplete: list[str] = []
    """What was not searched for exact text, and why, each as a sentence."""
    diffs: list[FileRewrite] = []
    """With `rewrite`: what it changes. Nothing is written."""


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
    score_threshold: float | None = None
    """Least confidence. None: all results, but few and shortened where none matches well."""
    token_budget: int | None = None
    explain: bool = False
    wait_until_fresh_ms: int = 0
    diff: str | None = None
    """`working`, `staged` or a git range: lifts changed files and their direct dependants."""
    open_files: list[str] = []
    """What an editor has open or shows errors in: absolute, or relative to the root."""
    recent_files: list[str] = []
    """What was just edited, beside what the engine saw itself."""
    ignore_case: bool = False
    """Of the modes `literal` and `regex`; what is below, of `pattern` as well."""
    context_lines: int = 0
    """Shown before and after each match."""
    offset: int = 0
    """Matches to skip."""
    rewrite: str | None = None
    """With the mode `pattern`: what each match becomes, shown as diffs and not written."""
    token: str = ""
    """Repeated in `SearchProgress`; without one, and in other modes, none is sent."""


SEARCH_PROGRESS = "search/progress"
"""Notification of `SearchProgress` to the session that asked."""


class SearchProgress(Model, kw_only=True):
    """How far a search for a pattern is."""

    token: str
    done: int
    """Files that have been read."""
    total: int
    """Files that may match."""


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
    """Find code that does what a definition, a range of lines or a piece of text does."""

    operation: ClassVar[str] = "similar"
    answer: ClassVar[type[Any]] = SearchResponse

    cwd: str | None = None
    project: str | None = None
    path: str | None = None
    start_line: int = 1
    end_line: int | None = None
    """None: the definition around `start_line`."""
    text: str | None = None
    """Compared in place of what the file has; with a path, its lines are the text's own."""
    limit: int = 10
    languages: list[str] = []
    """Of results; one alone is also the text's."""
    paths: list[str] = []
    types: list[str] = []
    kinds: list[str] = []
    score_threshold: float = 0.0
    token_budget: int | None = None


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
    branch: str | None = None
    """That the text is of, where it is not what is on disk."""


class TextRequest(Request[RetrieveResponse], kw_only=True):
    """Read what has an id, or lines of what has a path."""

    answer: ClassVar[type[Any]] = RetrieveResponse

    cwd: str | None = None
    project: str | None = None
    id: str | None = None
    path: str | None = None
    branch: str | None = None
    """Of the path, as results of other branches name it."""
    start_line: int = 1
    end_line: int | None = None


class RetrieveRequest(TextRequest, kw_only=True):
    """Read a chunk by id, or a file or range by path (relative to the root, or absolute)."""

    operation: ClassVar[str] = "retrieve"
