"""Git history: commits by meaning, and when and why code changed."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

from surveyor.engine.operations import Caller, operation
from surveyor.engine.operations.checkout_finder import CheckoutFinder
from surveyor.engine.operations.engine_callables import CorpusAnswer, FreshnessOf
from surveyor.engine.projects.checkouts import Checkout
from surveyor.errors import NotFoundError, UsageError
from surveyor.files.contained_paths import checked, read_below, spelled_below
from surveyor.knowledge import anchors
from surveyor.knowledge.anchors import AnchorFolder
from surveyor.knowledge.history import gitlog, lines
from surveyor.knowledge.history.gitlog import Commit
from surveyor.knowledge.history.index import CommitFilter, History
from surveyor.knowledge.history.line_history_cache import LineHistoryCache
from surveyor.knowledge.history.time_arguments import iso, parse_when
from surveyor.parsing.file_types import skip_reason
from surveyor.paths import real_path
from surveyor.protocol.history import (
    CommitFile,
    CommitItem,
    HistoryFileRequest,
    HistoryIndexRequest,
    HistoryResponse,
    HistorySearchRequest,
    HistorySymbolRequest,
    LastChangeRequest,
    LastChangeResponse,
)
from surveyor.protocol.search import Scores, SearchRequest, SearchResult
from surveyor.store.state import State
from surveyor.units import counted

READ_ALL_MS = 600_000
UNREAD = "Commits are still being read: some may be missing."
OLDER = "Older changes were left out: raise the limit."


class HistoryOperations:
    """Git history: commits by meaning, and when and why code changed."""

    def __init__(
        self,
        state: State,
        history: History,
        changes: LineHistoryCache,
        places: CheckoutFinder,
        freshness: FreshnessOf,
        checkout: Callable[[str], Awaitable[Checkout]],
        defined: Callable[[str, str], Awaitable[str]],
    ) -> None:
        self._state = state
        self._history = history
        self._changes = changes
        self._places = places
        self._freshness = freshness
        self._checkout = checkout
        self._defined = defined
        """The definition, as `path#name`, that a name means in a folder."""

    @operation(HistorySearchRequest)
    async def history_search(self, request: HistorySearchRequest, _: Caller) -> HistoryResponse:
        """Commits by meaning, with filters; reads what is new first, and older ones if asked."""
        started = time.perf_counter()
        place = await self._places.of(request.cwd, request.project)
        asked = CommitFilter(
            author=request.author,
            since=parse_when(request.since) if request.since else None,
            until=parse_when(request.until, end=True) if request.until else None,
            path=_relative(place, request.cwd, request.path) if request.path else None,
        )
        caught_up = await self._catch_up(place, asked, request.wait_ms)
        found, lacking = await self._history.find(
            place.project_id, request.query, asked, limit=request.limit
        )
        items = [item for item, _ in found]
        said = " ".join(filter(None, ["" if caught_up else UNREAD, lacking]))
        return await self._response(place, items, started, said)

    async def _catch_up(self, place: AnchorFolder, asked: CommitFilter, wait_ms: int) -> bool:
        """Wait for commits that a question is about and that have not been read; whether they
        were read in time."""
        head = await asyncio.to_thread(gitlog.head, Path(place.root))
        if head is None:
            return True
        caught_up = True
        if not await self._history.is_current(place, head):
            caught_up = await self._history.request(place, wait_ms)
        _, _, complete = await self._history.counts(place.project_id)
        times = [one for one in (asked.since, asked.until) if one is not None]
        oldest = await self._history.oldest(place.project_id)
        if times and not complete and oldest is not None and min(times) < oldest:
            caught_up = await self._history.request(place, wait_ms, everything=True)
        return caught_up

    @operation(HistorySymbolRequest)
    async def history_symbol(self, request: HistorySymbolRequest, _: Caller) -> HistoryResponse:
        """Commits that changed a symbol or a range, newest first, through renames and moves."""
        started = time.perf_counter()
        place = await self._places.of(request.cwd, request.project)
        name = doubt = ""
        if request.symbol is not None:
            try:
                anchor = await anchors.resolve(self._state, place, request.symbol)
            except (NotFoundError, UsageError) as error:  # written otherwise, or by its name alone
                named = await self._defined(place.root, request.symbol)
                anchor = await anchors.resolve(self._state, place, named)
                if isinstance(error, UsageError):
                    doubt = f"{error.message}; this is {anchor}."
            if anchor.start_line is None or anchor.end_line is None:
                raise UsageError(
                    f"{request.symbol!r} is a {anchor.kind}", "Use `surveyor history file` for it."
                )
            path, first, last = anchor.path, anchor.start_line, anchor.end_line
            name = anchor.name
        elif request.path is not None and request.start_line is not None:
            path = _relative(place, request.cwd, request.path)
            first, last = request.start_line, request.end_line or request.start_line
            await asyncio.to_thread(_check_lines, place, path, first, last)
        else:
            raise UsageError(
                "neither a symbol nor a range of lines given", "Give SYMBOL or PATH:FIRST-LAST."
            )
        _check_shown(path)
        found = await asyncio.to_thread(
            lines.trace_range, Path(place.root), path, first, last,
            limit=request.limit + 1, symbol=name.rpartition(".")[2],
        )  # fmt: skip
        items = []
        for change in found[: request.limit]:
            item = _item(change.commit)
            item.path, item.start_line, item.end_line = (
                change.path,
                change.start_line,
                change.end_line,
            )
            item.added, item.removed = change.added, change.removed
            item.diff = change.diff if request.diffs else None
            item.moved_from = change.moved_from or None
            item.renamed_from = change.renamed_from or None
            item.introduced = change.introduced
            items.append(item)
        older = OLDER if len(found) > request.limit else ""
        said = " ".join(filter(None, (doubt, older)))
        answer = await self._response(place, items, started, said)
        answer.symbol, answer.path = name or None, path
        answer.start_line, answer.end_line = first, last
        return answer

    @operation(HistoryFileRequest)
    async def history_file(self, request: HistoryFileRequest, _: Caller) -> HistoryResponse:
        """Commits that changed a file, newest first, through its renames."""
        started = time.perf_counter()
        place = await self._places.of(request.cwd, request.project)
        path = _relative(place, request.cwd, request.path)
        found = await asyncio.to_thread(
            lines.trace_file, Path(place.root), path, limit=request.limit + 1
        )
        if not found:
            raise NotFoundError(f"git knows no file {path}", "It may not be committed yet.")
        items = []
        for commit in found[: request.limit]:
            item = _item(commit)
            item.path = commit.files[0].path if commit.files else path
            items.append(item)
        doubt = OLDER if len(found) > request.limit else ""
        answer = await self._response(place, items, started, doubt)
        answer.path = path
        return answer

    @operation(HistoryIndexRequest)
    async def history_index(self, request: HistoryIndexRequest, _: Caller) -> HistoryResponse:
        """Read what is new, or everything, and wait for it."""
        started = time.perf_counter()
        place = await self._places.of(request.cwd, request.project)
        await asyncio.to_thread(gitlog.head, Path(place.root))
        await self._history.request(place, READ_ALL_MS, everything=request.all)
        return await self._response(place, [], started)

    @operation(LastChangeRequest)
    async def last_change(self, request: LastChangeRequest, _: Caller) -> LastChangeResponse:
        """The newest change of some lines."""
        path = Path(request.path)
        try:
            place = await self._places.of(str(path.parent), None)
            relative = real_path(path).relative_to(place.root).as_posix()
        except (NotFoundError, ValueError):
            return LastChangeResponse(known=False)
        found = await self._changes.last(
            Path(place.root), relative, request.start_line, request.end_line
        )
        if found is None:
            return LastChangeResponse(known=False)
        return LastChangeResponse(
            known=True,
            commit=found.commit,
            author=found.author,
            date=iso(found.committed) if found.commit else None,
            subject=found.subject,
        )

    async def _response(
        self, place: AnchorFolder, items: list[CommitItem], started: float, doubt: str = ""
    ) -> HistoryResponse:
        """`doubt`: what these commits may lack."""
        known, total, complete = await self._history.counts(place.project_id)
        notice = doubt or None
        if not complete and total is not None and known < total:
            unread = (
                f"The newest {known} of {total} commits are indexed;"
                " `surveyor history index --all` reads the rest."
            )
            notice = " ".join(filter(None, (notice, unread)))
        for is_so, said in (
            (gitlog.is_partial, gitlog.PARTIAL_CLONE),
            (gitlog.is_shallow, gitlog.SHALLOW_CLONE),
        ):
            if await asyncio.to_thread(is_so, Path(place.root)):
                notice = " ".join(filter(None, (notice, said)))
        fresh = await self._freshness(await self._checkout(place.checkout_id))
        return HistoryResponse(
            results=items,
            took_ms=round((time.perf_counter() - started) * 1000, 2),
            commits_indexed=known,
            commits_total=total,
            notice=notice,
            **fresh.freshness(),
        )

    async def find(self, request: SearchRequest, checkouts: Sequence[Checkout]) -> CorpusAnswer:
        """Commits as search results."""
        results: dict[str, SearchResult] = {}
        lacks = ""
        path = request.paths[0] if request.paths and not request.paths[0].startswith("!") else None
        for checkout in checkouts:
            commits, lacking = await self._history.find(
                checkout.project_id, request.query, CommitFilter(path=path), limit=request.limit,
                mode=request.mode,
            )  # fmt: skip
            lacks = lacks or lacking
            for item, found in commits:
                if found is None or found.confidence < (request.score_threshold or 0.0):
                    continue
                results[item.commit] = SearchResult(
                    path=item.files[0].path if item.files else "",
                    start_line=1,
                    end_line=1,
                    language=None,
                    kind="commit",
                    symbol=item.commit[:12],
                    score=found.score,
                    confidence=found.confidence,
                    scores=Scores(dense=found.dense, sparse=found.sparse),
                    snippet="\n".join(
                        part for part in (item.subject, item.body, *item.summary) if part
                    ),
                    project=checkout.name,
                    branch=None,
                    id=item.commit,
                    root=checkout.root,
                    source="history",
                    file_type="doc",
                    title=f"{item.date[:10]} {item.author}: {item.subject}",
                )
        best = sorted(results.values(), key=lambda one: (-one.score, one.id))
        return CorpusAnswer(best[: request.limit], lacks)


def _check_shown(path: str) -> None:
    """Raises `NotFoundError` for a file whose text is shown to nobody, nor what it was once."""
    skip = skip_reason(path, 0)
    if skip is not None and skip.reason == "secret":
        raise NotFoundError(f"{path} is not shown: {skip.detail}", "Ask for another file.")


def _check_lines(place: AnchorFolder, path: str, first: int, last: int) -> None:
    """Raises `UsageError` for lines that a file does not have."""
    try:
        count = read_below(Path(place.root), path).count(b"\n") + 1
    except OSError as error:
        raise NotFoundError(
            f"{path} cannot be read: {error.strerror}", "Give the path of a file of the project."
        ) from error
    if not 1 <= first <= last <= count:
        raise UsageError(f"{path} has {counted(count, 'line')}", f"Ask for lines 1 to {count}.")


def _relative(place: AnchorFolder, cwd: str | None, path: str) -> str:
    """A path below the root, from one below the caller's folder or the root, or absolute."""
    root = Path(place.root)
    inside = real_path(Path(cwd)) if cwd else root
    bases = [inside, root] if inside.is_relative_to(root) else [root]
    for base in bases:
        target = base / checked(path)
        if target.exists() and real_path(target).is_relative_to(root):
            return real_path(target).relative_to(root).as_posix()
    spelled = spelled_below(root, path)
    return spelled if Path(path).is_absolute() or ".." in Path(path).parts else path


def _item(commit: Commit) -> CommitItem:
    return CommitItem(
        commit=commit.id,
        author=commit.author,
        email=commit.email,
        date=iso(commit.committed),
        subject=commit.subject,
        body=commit.body,
        files=[
            CommitFile(path=one.path, status=one.status, old_path=one.old_path or None)
            for one in commit.files
        ],
    )
