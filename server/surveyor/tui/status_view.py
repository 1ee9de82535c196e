"""Status: the index, the engine and the language servers, as they are now."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from rich.text import Text
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.widgets import Static

from surveyor.errors import SurveyorError
from surveyor.protocol.engine import StatusRequest, StatusResponse
from surveyor.protocol.projects import ProjectStatus
from surveyor.terminal_text import written_out
from surveyor.tui.code_target import CodeTarget
from surveyor.tui.engine_calls import ANSWER_S, EngineCalls
from surveyor.tui.live_view import LiveView
from surveyor.units import counted, files_left, format_size

SHOWN_LANGUAGES = 8
LAST_WORDS = 2
"""Lines of a server's stderr."""


class StatusView(LiveView):
    """What `surveyor status` and `surveyor servers status` say, followed."""

    def __init__(
        self, engine: EngineCalls, folder: str, is_trusted: Callable[[Path], bool]
    ) -> None:
        super().__init__(engine, folder)
        self._is_trusted = is_trusted
        self._text = Text()
        self._shown = Static("", id="status", markup=False)

    def compose(self) -> ComposeResult:
        """One text that can be scrolled."""
        with VerticalScroll():
            yield self._shown

    @property
    def target(self) -> CodeTarget | None:
        """Nothing here leads into code."""
        return None

    def enter_view(self) -> None:
        """The text takes the keys."""
        super().enter_view()
        self.query_one(VerticalScroll).focus()

    async def refresh_view(self) -> None:
        """Ask what is so now."""
        try:
            answer = await self._engine.call(StatusRequest(), timeout_s=ANSWER_S)
        except (SurveyorError, TimeoutError) as error:
            said = error.sentence if isinstance(error, SurveyorError) else "no answer in time"
            self._shown.update(written_out(said))
            return
        text = Text("\n").join(status_lines(answer, self._folder, self._is_trusted))
        if text != self._text:
            self._text = text
            self._shown.update(text)


def status_lines(
    answer: StatusResponse, folder: str, is_trusted: Callable[[Path], bool]
) -> list[Text]:
    """The project here first, then servers, the engine, and the other projects."""
    here = [each for each in answer.projects if _holds(each.root, folder)]
    here.sort(key=lambda each: len(each.root), reverse=True)
    lines: list[Text] = []
    if here:
        lines += _project(here[0])
        trusted = is_trusted(Path(here[0].root))
        lines.append(
            _said("trusted: its own language servers and tests may be started")
            if trusted
            else _said("not trusted: its own language servers and tests are not started")
        )
    else:
        lines.append(_title(folder))
        lines.append(_said("not indexed: Ctrl+Y indexes it"))
    lines += [Text(), _title("Language servers"), *_servers(answer.upstreams)]
    lines += [Text(), _title("Engine"), *_engine(answer)]
    others = [each for each in answer.projects if each not in here[:1]]
    if others:
        lines += [Text(), _title(f"Other projects ({len(others)})")]
        lines += [
            _said(f"{each.root}  {counted(each.files, 'file')}  [{each.status}]") for each in others
        ]
    return lines


def _holds(root: str, folder: str) -> bool:
    return folder == root or folder.startswith(root.rstrip("/") + "/")


def _title(text: str) -> Text:
    return Text(written_out(text), "bold")


def _said(text: str) -> Text:
    return Text(f"  {written_out(text)}")


def _project(project: ProjectStatus) -> Iterator[Text]:
    branch = f" on {project.branch}" if project.branch else ""
    yield _title(f"{project.name}{branch}  [{project.status}]")
    yield _said(project.root)
    if project.message:
        yield _said(project.message)
    yield _said(
        f"{counted(project.files, 'file')}, {counted(project.chunks, 'chunk')},"
        f" {counted(project.symbols, 'symbol')},"
        f" {project.skipped:,} skipped, {project.failed:,} failed"
    )
    left = [
        files_left(project.files_behind, project.left_s),
        f"edges of {counted(project.edges_behind, 'file')}" if project.edges_behind else "",
        "compaction" if project.compacting else "",
        f"embedding again, {project.reembedding:.0%} done"
        if project.reembedding is not None
        else "",
    ]
    if any(left):
        yield _said(f"left to do: {', '.join(filter(None, left))}")
    followed = "paused" if project.paused else "followed" if project.watched else "not followed"
    yield _said(f"vectors {format_size(project.disk_bytes)}, {followed}")
    if project.languages:
        shown = list(project.languages.items())[:SHOWN_LANGUAGES]
        yield _said(", ".join(f"{name} {files}" for name, files in shown))


def _servers(rows: list[dict[str, Any]]) -> Iterator[Text]:
    if not rows:
        yield _said("none runs; an editor or a question that needs one starts it")
    for row in rows:
        ready = "ready" if row.get("ready") else "not ready"
        memory = format_size(int(row.get("memoryBytes") or 0))
        yield _said(
            f"{row.get('name')} ({row.get('language')})  {row.get('state')}, {ready}, {memory},"
            f" {counted(row.get('restarts', 0), 'restart')}, for {row.get('for', '?')}"
        )
        if row.get("root"):
            yield _said(f"  {row['root']}")
        if row.get("reason"):
            yield _said(f"  {row['reason']}")
        for line in str(row.get("stderr") or "").splitlines()[-LAST_WORDS:]:
            yield _said(f"  | {line}")


def _engine(answer: StatusResponse) -> Iterator[Text]:
    queue = answer.queue
    yield _said(
        f"version {answer.engine_version}, pid {answer.pid}, up {answer.uptime_s:.0f} s,"
        f" {counted(answer.sessions, 'session')}"
    )
    yield _said(
        f"memory {format_size(answer.anonymous_bytes)},"
        f" workers {format_size(answer.worker_bytes)},"
        f" {format_size(answer.disk_free_bytes)} of disk free"
    )
    yield _said(
        f"queue: {queue.get('pending', 0)} waiting, {queue.get('in_progress', 0)} in progress,"
        f" {queue.get('failed', 0)} failed"
    )
    yield _said(f"model {answer.model}, store {answer.store}")
    yield _said(f"data {answer.data_dir}")
    if answer.asks:
        yield _said(f"`ask` sends questions and pieces of code to {answer.asks}")
    for warning in answer.knowledge.get("warnings", []):
        yield _said(f"warning: {warning}")
