"""The custom requests and commands of docs/lsp.md: the index in the editor's terms."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec

from surveyor.errors import EngineUnavailableError, NotFoundError, SurveyorError, UsageError
from surveyor.lsp.drawings import Drawings
from surveyor.lsp.editor_words import editor_sentence, not_a_file
from surveyor.lsp.engine_link import EngineLink
from surveyor.lsp.hover import Hover
from surveyor.lsp.initialize import COMMANDS
from surveyor.lsp.projects import WorkspaceProjects
from surveyor.lsp.protocol import InvalidParamsError
from surveyor.lsp.request_progress import RequestProgress
from surveyor.lsp.roots import Roots
from surveyor.lsp.status import StatusReporter
from surveyor.lsp.test_runs import EditorTestRuns
from surveyor.protocol import editor
from surveyor.protocol.check import CheckFinding, CheckRequest
from surveyor.protocol.engine import StatusRequest
from surveyor.protocol.graph import ImpactItem, ImpactRequest
from surveyor.protocol.knowledge import MemoryListRequest, MemoryWriteRequest, RuleItem
from surveyor.protocol.projects import ControlRequest, RemoveProjectRequest
from surveyor.protocol.search import (
    SearchProgress,
    SearchRequest,
    SearchResponse,
    SearchResult,
    SimilarRequest,
)
from surveyor.servers import messages
from surveyor.servers.documents import OpenDocuments
from surveyor.servers.errors import REQUEST_FAILED, ResponseError
from surveyor.servers.uris import to_path, to_uri
from surveyor.units import counted

Serve = Callable[[Any], Awaitable[Any]]


READING = frozenset(
    {"search", "similar", "explain", "impact", "graph", "activity", "check", "history", "rules",
     "skipped"}
)  # fmt: skip
"""What can be asked a second time: nothing is changed by it."""

CHECK_WAIT_MS = 5000
"""How long the index may take to know what was saved last."""


class SurveyorRequests:
    """Serves `surveyor/…` requests, and the commands that are the same by another name."""

    def __init__(
        self,
        index: EngineLink,
        roots: Roots,
        documents: OpenDocuments,
        projects: WorkspaceProjects,
        status: StatusReporter,
        hover: Hover,
        buffers_shown: Callable[[], Awaitable[None]],
        activity: Serve,
        spawn: Callable[[Awaitable[Any]], None],
        test_runs: EditorTestRuns,
        progress: RequestProgress,
        in_error: Callable[[], Sequence[str]],
        history: Serve,
        server_log: Serve,
        restart_server: Serve,
    ) -> None:
        self._index = index
        self._in_error = in_error
        self._test_runs = test_runs
        self._progress = progress
        self._roots = roots
        self._documents = documents
        self._projects = projects
        self._status = status
        self._hover = hover
        self._buffers_shown = buffers_shown
        self._spawn = spawn
        self._table: dict[str, tuple[type[Any] | None, Serve]] = {
            "search": (editor.SearchParams, self.search),
            "similar": (editor.SimilarParams, self.similar),
            "explain": (editor.ExplainParams, self.explain),
            "impact": (editor.ImpactParams, self.impact),
            "graph": (editor.GraphParams, Drawings(index, roots).graph),
            "activity": (editor.ActivityParams, activity),
            "check": (editor.CheckParams, self.check),
            "history": (editor.HistoryParams, history),
            "test": (editor.TestParams, self.test),
            "remember": (editor.RememberParams, self.remember),
            "rules": (editor.RulesParams, self.rules),
            "reindex": (editor.ReindexParams, self.reindex),
            "status": (None, self.status),
            "control": (editor.ControlParams, self.control),
            "skipped": (editor.SkippedParams, self.skipped),
            "serverLog": (editor.ServerParams, server_log),
            "restartServer": (editor.ServerParams, restart_server),
        }

    def handlers(self) -> dict[str, Callable[[msgspec.Raw], Awaitable[Any]]]:
        """Raw handlers by method."""
        return {f"surveyor/{name}": self._handler(name) for name in self._table}

    def _handler(self, name: str) -> Callable[[msgspec.Raw], Awaitable[Any]]:
        async def serve(params: msgspec.Raw) -> Any:
            return await self.run(name, params)

        return serve

    async def run(self, name: str, params: msgspec.Raw | bytes) -> Any:
        """Serve one request; what the engine refuses becomes an LSP error with its words."""
        kind, serve = self._table[name]
        try:
            if kind is None:
                return await serve(None)
            value = msgspec.json.decode(bytes(params) or b"{}", type=kind)
            await self._projects.settled()
            try:
                return await serve(value)
            except EngineUnavailableError:
                if name not in READING or self._index.up:
                    raise
            # It went away meanwhile: the next is asked, which is waited for within bounds.
            await self._projects.settled()
            return await serve(value)
        except msgspec.ValidationError as error:
            raise InvalidParamsError(f"surveyor/{name}: {error}") from error
        except ResponseError:
            raise
        except SurveyorError as error:
            text = editor_sentence(name, error)
            raw = messages.error_object(REQUEST_FAILED, text, {"code": error.code})
            raise ResponseError(REQUEST_FAILED, text, msgspec.Raw(raw)) from error

    async def command(self, name: str, arguments: Any) -> Any:
        """Serve `surveyor.<name>` with one argument, the params of the request."""
        short = name.removeprefix("surveyor.")
        if short not in COMMANDS:
            raise InvalidParamsError(f"no command is called {name}")
        if not isinstance(arguments, list):
            raise InvalidParamsError("arguments are a list")
        argument = arguments[0] if arguments else {}
        return await self.run(short, messages.encode(argument))

    # --- one by one -------------------------------------------------------------------

    async def search(self, params: editor.SearchParams) -> editor.SearchResults:
        """Search the project of `uri`, or all workspace folders, best first."""
        request = SearchRequest(
            query=params.query,
            limit=params.limit,
            mode=params.mode,
            languages=params.languages,
            paths=params.paths,
            kinds=params.kinds,
            types=params.types,
            corpora=params.corpora,  # type: ignore[arg-type]
            ignore_case=params.ignore_case,
            context_lines=params.context_lines,
            offset=params.offset,
            rewrite=params.rewrite,
            **self._where(params.uri),
        )
        if params.mode != "pattern":
            return self._results(await self._index.call(request))
        # One without a word may read every file: it ends by the engine's own limit.
        with self._progress.shown(params.work_done_token, "Pattern") as request.token:
            return self._results(await self._index.call(request, limit_s=None))

    def search_progressed(self, params: Any) -> None:
        """The engine says how far a search for a pattern is."""
        now = msgspec.convert(params, SearchProgress)
        said = f"{now.done:,} of {counted(now.total, 'file')} read"
        self._progress.report(now.token, said, now.done, now.total)

    async def similar(self, params: editor.SimilarParams) -> editor.SearchResults:
        """Code that does what a range of a document does, unsaved text included, and apart from
        it; an empty range means the definition around it."""
        await self._buffers_shown()
        is_place = params.range.start == params.range.end
        lines = lines_of(params.range)
        root = self._roots.first()
        if root and to_path(params.text_document.uri) is None:
            text = self._text_of(params.text_document.uri, None if is_place else lines)
            return self._results(
                await self._index.call(SimilarRequest(cwd=str(root), text=text, limit=params.limit))
            )
        path = self._path(params.text_document.uri)
        request = SimilarRequest(
            cwd=str(path),
            path=str(path),
            start_line=lines[0] + 1,
            end_line=None if is_place else lines[-1] + 1,
            limit=params.limit,
        )
        try:
            return self._results(await self._index.call(request))
        except NotFoundError:
            if is_place or self._documents.get(params.text_document.uri) is None:
                raise
            # A file that is not indexed can be compared all the same.
            request.text = self._text_of(params.text_document.uri, lines)
            return self._results(await self._index.call(request))

    async def explain(self, params: editor.ExplainParams) -> editor.Explanation:
        """The parts of one result's score."""
        if not params.id:
            raise UsageError("A match of exact text has no score: it is where it says.")
        answer = await self._index.call(
            SearchRequest(
                query=params.query,
                limit=100,
                explain=True,
                score_threshold=0.0,
                **self._where(params.uri),
            )
        )
        for item in answer.results:
            if item.id == params.id:
                parts = [
                    editor.ExplainPart(
                        name=part.name,
                        operation=part.operation,
                        value=part.value,
                        score=part.score,
                    )
                    for part in item.explain or []
                ]
                return editor.Explanation(parts=parts, score=item.score, confidence=item.confidence)
        raise UsageError(f"No result of {params.query!r} has the id {params.id!r}.")

    async def impact(self, params: editor.ImpactParams) -> editor.ImpactAnswer:
        """What depends on the symbol at a position, and on what it depends."""
        path = self._path(params.text_document.uri)
        answer = await self._index.call(
            ImpactRequest(
                saved=True,
                path=str(path),
                line=params.position.line + 1,
                column=params.position.character,
                cwd=str(path.parent),
                depth=params.depth,
                limit=params.limit,
            )
        )
        root = Path(answer.root)
        return editor.ImpactAnswer(
            symbol=", ".join(item.symbol for item in answer.subjects),
            precision=answer.precision,
            complete=answer.complete,
            inbound=[impact_item(item, root) for item in answer.inbound],
            outbound=[impact_item(item, root) for item in answer.outbound],
            omitted=answer.omitted,
            notice=answer.notice,
        )

    async def check(self, params: editor.CheckParams) -> editor.CheckAnswer:
        """What a change leaves behind; unsaved buffers are part of it, to the last key."""
        await self._buffers_shown()
        folder = self._folder(params.uri) if params.uri else self._roots.first()
        if folder is None:
            raise UsageError("There is no folder to check.", "Open one.")
        answer = await self._index.call(
            CheckRequest(
                diff=params.diff,
                cwd=str(folder),
                wait_until_fresh_ms=CHECK_WAIT_MS,
            )
        )
        root = Path(answer.root)
        return editor.CheckAnswer(
            root=answer.root,
            places=[checked_place(each, root) for each in answer.results],
            tests=answer.tests,
            complete=answer.complete,
            notice=answer.notice,
            unasked=answer.unasked,
        )

    async def test(self, params: editor.TestParams) -> editor.TestAnswer:
        """Run tests in the project of a document or folder."""
        await self._buffers_shown()
        folder = self._folder(params.uri) if params.uri else self._roots.first()
        return await self._test_runs.run(params, folder)

    async def remember(self, params: editor.RememberParams) -> editor.Remembered:
        """Add a rule, anchored to a place when one is given; or change one, or take it away."""
        anchor = cwd = None
        if params.text_document is not None:
            path = self._path(params.text_document.uri)
            cwd = str(path)
            anchor = str(path)
            if params.position is not None:
                anchor = f"{path}:{params.position.line + 1}"
        elif (
            folder := self._folder(params.uri) if params.uri else self._roots.first()
        ) is not None:
            cwd = str(folder)
        written = await self._index.call(
            MemoryWriteRequest(
                action=params.action,
                label=params.label,
                content=params.content,
                title=params.title,
                tags=params.tags,
                scope=params.scope,
                anchor=anchor,
                cwd=cwd,
                wait_ms=2000,
            )
        )
        self._hover.forget()
        return editor.Remembered(
            status=written.status, label=params.label, queue_id=written.queue_id
        )

    async def rules(self, params: editor.RulesParams) -> editor.EditorRules:
        """The rules that apply to a document's project, or to the first folder's."""
        folder = self._folder(params.uri) if params.uri else self._roots.first()
        answer = await self._index.call(MemoryListRequest(cwd=str(folder) if folder else None))
        known = self._projects.names.get(folder) if folder else None
        root = Path(known.root) if known else folder
        return editor.EditorRules(rules=[editor_rule(rule, root) for rule in answer.rules])

    async def reindex(self, params: editor.ReindexParams) -> editor.Reindexed:
        """Begin a run and show its progress."""
        folder = self._folder(params.uri) if params.uri else self._roots.first()
        if folder is None:
            raise UsageError("There is no folder to index.", "Open one.")
        root = self._roots.of(folder) or folder
        answer = await self._projects.reindex(root, clean=params.clean)
        self._spawn(self._projects.watch_run(root, answer))
        return editor.Reindexed(root=answer.root, run=answer.run, notice=answer.standstill)

    async def status(self, _: None) -> editor.Status:
        """Everything's state."""
        return await self._status.status()

    async def control(self, params: editor.ControlParams) -> editor.Controlled:
        """Pause or resume a folder's indexing, leave it alone, or remove its index."""
        folder = self._folder(params.uri)
        root = self._projects.names[folder].root if folder in self._projects.names else str(folder)
        if params.action == "remove":
            done = await self._index.call(RemoveProjectRequest(project=root))
        elif params.action == "skip":
            done = await self._index.call(
                ControlRequest(action="unwatch", project=root, purge=True)
            )
        else:
            done = await self._index.call(ControlRequest(action=params.action, project=root))
        self._status.changed()
        return editor.Controlled(message=done.message)

    async def skipped(self, params: editor.SkippedParams) -> editor.SkippedFiles:
        """Files of a project that are not indexed, and why."""
        answer = await self._index.call(
            StatusRequest(path=str(self._folder(params.uri)), skipped=True)
        )
        return editor.SkippedFiles(
            files=[
                editor.SkippedItem(path=item.path, reason=item.reason, detail=item.detail)
                for item in answer.skipped
            ]
        )

    # --- shapes -----------------------------------------------------------------------

    def _text_of(self, uri: str, lines: range | None) -> str:
        """Lines of an open document, or all of it. Raises `UsageError` where it is not open."""
        document = self._documents.get(uri)
        if document is None:
            raise UsageError(f"{uri} is not a file, nor an open document.")
        return document.text if lines is None else "\n".join(map(document.line, lines))

    def _path(self, uri: str) -> Path:
        path = to_path(uri)
        if path is None:
            raise not_a_file(uri)
        return path

    def _where(self, uri: str | None) -> dict[str, Any]:
        """What is searched, and open or in error, as the engine takes it.

        Raises `UsageError` for nothing.
        """
        uris = dict.fromkeys([*(doc.uri for doc in self._documents), *self._in_error()])
        opened = [str(p) for uri in uris if (p := to_path(uri)) is not None]
        if uri:
            return {"cwd": str(self._folder(uri)), "open_files": opened}
        folders = self._roots.searched(document.uri for document in self._documents)
        if not folders:
            raise UsageError("There is no folder to search.", "Open one.")
        if len(folders) == 1:
            return {"cwd": str(folders[0]), "open_files": opened}
        # Together: scores of one project mean nothing beside those of another.
        return {"projects": [str(folder) for folder in folders], "open_files": opened}

    def _folder(self, uri: str) -> Path:
        path = self._path(uri)
        return self._roots.of(path) or path

    def _results(self, answer: SearchResponse) -> editor.SearchResults:
        return editor.SearchResults(
            results=[self._item(item) for item in answer.results],
            status=answer.status,
            files_behind=answer.files_behind,
            revision=answer.revision,
            took_ms=answer.took_ms,
            notice=answer.notice,
            matches=answer.matches,
            files=answer.files,
            next_offset=answer.next_offset,
            incomplete=answer.incomplete,
            diffs=[
                editor.RewrittenFile(
                    uri=to_uri(Path(each.root) / each.path),
                    path=each.path,
                    diff=each.diff,
                    unsaved_version=each.unsaved_version,
                )
                for each in answer.diffs
            ],
        )

    def _item(self, item: SearchResult) -> editor.SearchItem:
        uri = uri_of(item)
        document = self._documents.get(uri)
        last = max(item.end_line - 1, 0)
        length = len(document.line(last).encode("utf-16-le")) // 2 if document else 0
        end = (
            editor.Position(line=last, character=length)
            if document
            else editor.Position(line=last + 1, character=0)
        )
        start = editor.Position(line=max((item.line or item.start_line) - 1, 0), character=0)
        if item.column is not None:
            start = editor.Position(line=item.line - 1, character=item.column)
            end = editor.Position(
                line=(item.match_end_line or item.line) - 1, character=item.end_column or 0
            )
        return editor.SearchItem(
            uri=uri,
            range=editor.Range(start=start, end=end),
            path=item.path,
            start_line=item.start_line,
            end_line=item.end_line,
            language=item.language,
            kind=item.kind,
            symbol=item.symbol,
            container=item.container,
            score=item.score,
            confidence=item.confidence,
            snippet=item.snippet,
            source=item.source,
            project=item.project,
            branch=item.branch,
            id=item.id,
            title=item.title,
            rules=item.rules,
            unsaved_version=item.unsaved_version,
            line=item.line or item.start_line,
            signature=item.signature,
            captures=item.captures,
            reasons=item.reasons,
        )


def lines_of(where: editor.Range) -> range:
    """The lines of a range; one that it ends before the first character of is none of them."""
    start, end = where.start.line, where.end.line
    if where.end.character == 0:
        end -= 1
    return range(start, max(start, end) + 1)


def uri_of(item: SearchResult) -> str:
    """The file that a result is in; empty for what is no file: a commit, a rule without a place."""
    if item.source in ("code", "rules"):
        return to_uri(Path(item.root) / item.path) if item.root else ""
    path = Path(item.path)
    if item.source in ("libraries", "notes") and path.is_absolute() and path.is_file():
        return to_uri(path)
    return ""


def checked_place(finding: CheckFinding, root: Path) -> editor.CheckedPlace:
    """As the editor takes it."""
    return editor.CheckedPlace(
        uri=to_uri(root / finding.path),
        range=editor.Range.at(finding.line, finding.column),
        path=finding.path,
        kind=finding.kind,
        certainty=finding.certainty,
        message=finding.message,
        symbol=finding.symbol,
        about=finding.about,
        is_test=finding.is_test,
    )


def editor_rule(rule: RuleItem, root: Path | None) -> editor.EditorRule:
    """As the editor takes it; `root` is the project's folder."""
    shown = editor.EditorRule(
        label=rule.label,
        title=rule.title,
        content=rule.content,
        scope=rule.scope,
        anchor=rule.anchor,
        needs_review=rule.needs_review,
    )
    place = rule.place
    if place is not None and root is not None and place.kind != "folder" and place.state != "lost":
        start = max((place.start_line or 1) - 1, 0)
        shown.uri = to_uri(root / place.path)
        shown.range = editor.Range(
            start=editor.Position(line=start, character=0),
            end=editor.Position(line=max((place.end_line or 1) - 1, start), character=0),
        )
    return shown


def impact_item(item: ImpactItem, root: Path) -> editor.ReachedSymbol:
    """As the editor takes it."""
    return editor.ReachedSymbol(
        uri=to_uri(root / item.path),
        range=editor.Range.at(item.line),
        name=item.name or item.path,
        kind=item.kind,
        depth=item.depth,
        is_test=item.is_test,
        via=item.via,
    )
