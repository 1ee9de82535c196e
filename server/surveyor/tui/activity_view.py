"""Agents: their sessions, and what the highlighted one asks, reads and changes, as it happens."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import ClassVar

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from surveyor.errors import SurveyorError
from surveyor.protocol.activity import (
    ActivityCall,
    ActivityRequest,
    ActivityResponse,
    ActivitySession,
)
from surveyor.terminal_text import written_out
from surveyor.tui.code_target import CodeTarget
from surveyor.tui.engine_calls import ANSWER_S, EngineCalls
from surveyor.tui.finder import ResultList
from surveyor.tui.live_view import LiveView
from surveyor.tui.preview import Preview
from surveyor.units import counted

MOST_CALLS = 200
MOST_PLACES = 20
"""Of one call."""


class ActivityView(LiveView):
    """Sessions above, calls of one below; what they read and changed can be opened."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+t", "app.show_impact", "Impact"),
        Binding("shift+up,ctrl+up", "scroll_text(-1)", show=False),
        Binding("shift+down,ctrl+down", "scroll_text(1)", show=False),
    ]

    def __init__(self, engine: EngineCalls, folder: str) -> None:
        super().__init__(engine, folder)
        self._sessions: list[ActivitySession] = []
        self._session = ""
        self._calls: list[ActivityCall] = []
        self._targets: list[CodeTarget | None] = []
        # Held: an answer may come when the screen is being taken down.
        self._said = Static("", classes="said", markup=False)
        self._session_list = OptionList(id="sessions", compact=True)
        self._call_list = ResultList(id="calls", compact=True)
        self._preview = Preview(engine)

    def compose(self) -> ComposeResult:
        """Sessions, calls, text."""
        yield self._said
        yield self._session_list
        with Container(classes="panes"):
            yield self._call_list
            yield self._preview

    @property
    def target(self) -> CodeTarget | None:
        """The place that is highlighted among the calls."""
        index = self._call_list.highlighted
        return self._targets[index] if index is not None and index < len(self._targets) else None

    def enter_view(self) -> None:
        """The sessions take the keys."""
        super().enter_view()
        self._session_list.focus()

    async def refresh_view(self) -> None:
        """Ask what is new."""
        try:
            answer = await self._engine.call(
                ActivityRequest(session=self._session, cwd=self._folder, limit=MOST_CALLS),
                timeout_s=ANSWER_S,
            )
            every = answer
            if self._session:
                request = ActivityRequest(cwd=self._folder, limit=1)
                every = await self._engine.call(request, timeout_s=ANSWER_S)
        except (SurveyorError, TimeoutError) as error:
            said = error.sentence if isinstance(error, SurveyorError) else "no answer in time"
            self._said.update(written_out(said), layout=False)
            return
        self._said.update(_summary(every), layout=False)
        self._show_sessions(every.sessions)
        if self._session or not every.sessions:
            self._show_calls(answer.calls)

    def _show_sessions(self, sessions: list[ActivitySession]) -> None:
        if sessions == self._sessions:
            return
        self._sessions = sessions
        shown = self._session_list
        names = [each.session for each in sessions]
        with self.prevent(OptionList.OptionHighlighted):
            shown.clear_options()
            shown.add_options([Option(_session_row(each)) for each in sessions])
            if sessions:
                shown.highlighted = names.index(self._session) if self._session in names else 0
        if sessions and self._session not in names:
            self._choose(0)

    def _show_calls(self, calls: list[ActivityCall]) -> None:
        if calls == self._calls:
            return
        shown = self._call_list
        at = shown.highlighted
        follows = at is None or at >= len(self._targets) - 1
        self._calls = calls
        rows = [row for call in calls for row in _call_rows(call)]
        self._targets = [target for _, target in rows]
        shown.clear_options()
        shown.add_options([Option(row) for row, _ in rows])
        if rows:
            shown.highlighted = len(rows) - 1 if follows or at is None else min(at, len(rows) - 1)
        self._preview.show_target(self.target)

    def _choose(self, index: int) -> None:
        self._session = self._sessions[index].session
        self._calls = []
        self._call_list.clear_options()
        self._targets = []
        self.run_worker(self.refresh_view(), group="activity", exclusive=True)

    @on(OptionList.OptionHighlighted)
    def _highlighted(self, event: OptionList.OptionHighlighted) -> None:
        if event.option_list.id == "calls":
            self._preview.show_target(self.target)
        elif self._sessions[event.option_index].session != self._session:
            self._choose(event.option_index)

    def action_scroll_text(self, pages: int) -> None:
        """Scroll the preview."""
        self._preview.scroll_page(pages)


def _summary(answer: ActivityResponse) -> str:
    if not answer.kept:
        return "Nothing is logged: storage.agent_log is false."
    if not answer.sessions:
        return "No agent has asked anything here yet."
    connected = sum(each.open for each in answer.sessions)
    return f"{counted(len(answer.sessions), 'session')} of agents, {connected} connected now"


def _session_row(each: ActivitySession) -> Text:
    row = Text(no_wrap=True, overflow="ellipsis")
    row.append("● " if each.open else "○ ", "bold" if each.open else "")
    row.append(f"{each.session[:8]}  ")
    row.append(written_out(each.client), "bold")
    row.append(f"  {counted(each.calls, 'call')}, {counted(each.edits, 'edit')}  ")
    row.append(f"{_time(each.first)}-{_time(each.last)}  {written_out(each.root)}", "italic")
    return row


def _call_rows(call: ActivityCall) -> Iterator[tuple[Text, CodeTarget | None]]:
    row = Text(f"{_time(call.at)} ", no_wrap=True, overflow="ellipsis")
    row.append(written_out(call.tool), "bold")
    row.append(f" {written_out(call.asked)}")
    if call.outcome:
        row.append(f"  {'failed: ' if call.failed else ''}{written_out(call.outcome)}", "italic")
    places = [
        CodeTarget(each.root, each.path, each.first, None, each.first, each.last)
        for each in call.places[:MOST_PLACES]
    ]
    yield row, places[0] if places else None
    for each, place in zip(call.places, places, strict=False):
        lines = f"{each.first}-{each.last}" if each.last > each.first else str(each.first)
        shown = Text(f"         {each.kind} ", no_wrap=True, overflow="ellipsis")
        shown.append(written_out(f"{each.path}:{lines}"), "underline")
        yield shown, place


def _time(seconds: float) -> str:
    return f"{datetime.fromtimestamp(seconds):%H:%M:%S}"
