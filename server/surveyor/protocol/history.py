"""Requests about a repository's commits, and what the engine answers.

Paths of files are relative to the project's root; dates are ISO 8601; lines are 1-based and
inclusive.
"""

from __future__ import annotations

from typing import Any, ClassVar

from surveyor.protocol.base import Freshness, Model, Request


class CommitFile(Model, kw_only=True):
    """A file that a commit touched."""

    path: str
    status: str
    old_path: str | None = None


class CommitItem(Model, kw_only=True):
    """A commit."""

    commit: str
    author: str
    email: str
    date: str
    subject: str
    body: str = ""
    files: list[CommitFile] = []
    summary: list[str] = []
    """What its hunks touched, file by file: `a.py +3 -1: def f`."""
    score: float | None = None
    confidence: float | None = None
    path: str | None = None
    """The traced file's or range's name in that commit."""
    start_line: int | None = None
    end_line: int | None = None
    added: int | None = None
    removed: int | None = None
    moved_from: str | None = None
    """`path:first-last` in the parent, where this commit took the code from: with `introduced` a
    part of something else that had another name."""
    renamed_from: str | None = None
    """What the symbol that was asked about was called before this commit."""
    introduced: bool = False
    """The symbol that was asked about was not there before this commit."""
    diff: str | None = None


class HistoryResponse(Freshness, kw_only=True):
    """Commits: found by meaning (best first) or traced (newest first)."""

    results: list[CommitItem]
    took_ms: float
    commits_indexed: int = 0
    commits_total: int | None = None
    notice: str | None = None
    symbol: str | None = None
    path: str | None = None
    start_line: int | None = None
    end_line: int | None = None


class HistorySearchRequest(Request[HistoryResponse], kw_only=True):
    """Search commits by meaning. An empty query lists the newest that match the filters."""

    operation: ClassVar[str] = "history_search"
    answer: ClassVar[type[Any]] = HistoryResponse

    query: str = ""
    cwd: str | None = None
    project: str | None = None
    author: str | None = None
    """Part of a name or address."""
    since: str | None = None
    until: str | None = None
    """A date (`2026-03-01`) or an age (`90d`)."""
    path: str | None = None
    """A file, folder or glob; earlier names of a file count."""
    limit: int = 10
    wait_ms: int = 5000
    """How long to wait for commits that are not indexed yet."""


class HistorySymbolRequest(Request[HistoryResponse], kw_only=True):
    """When and why a symbol or a range of lines changed."""

    operation: ClassVar[str] = "history_symbol"
    answer: ClassVar[type[Any]] = HistoryResponse

    symbol: str | None = None
    """A name, dotted when nested; `PATH#NAME` where several have it."""
    path: str | None = None
    """With lines: relative to the root, or absolute."""
    start_line: int | None = None
    end_line: int | None = None
    cwd: str | None = None
    project: str | None = None
    limit: int = 20
    diffs: bool = False


class HistoryFileRequest(Request[HistoryResponse], kw_only=True):
    """Commits that changed a file, through its renames."""

    operation: ClassVar[str] = "history_file"
    answer: ClassVar[type[Any]] = HistoryResponse

    path: str
    cwd: str | None = None
    project: str | None = None
    limit: int = 20


class HistoryIndexRequest(Request[HistoryResponse], kw_only=True):
    """Bring the history's index up to date; `all` reads beyond the newest commits."""

    operation: ClassVar[str] = "history_index"
    answer: ClassVar[type[Any]] = HistoryResponse

    cwd: str | None = None
    project: str | None = None
    all: bool = False


class LastChangeResponse(Model, kw_only=True):
    """The newest change of a range; `commit` is None for lines that are not committed."""

    known: bool
    commit: str | None = None
    author: str = ""
    date: str | None = None
    subject: str = ""


class LastChangeRequest(Request[LastChangeResponse], kw_only=True):
    """The last change of some lines of a file (absolute path), for hovers."""

    operation: ClassVar[str] = "last_change"
    answer: ClassVar[type[Any]] = LastChangeResponse

    path: str
    start_line: int
    end_line: int
