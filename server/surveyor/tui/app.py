"""The application: tabs over one session with the engine, the editor, light and dark."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import signal
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import ClassVar

from textual.app import App, ComposeResult, SuspendNotSupported
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.events import Click
from textual.message import Message
from textual.widgets import ContentSwitcher, Footer, Static

from surveyor.errors import SurveyorError
from surveyor.platform.processes import apart
from surveyor.protocol.projects import IndexRequest
from surveyor.terminal_text import written_out
from surveyor.tui.activity_view import ActivityView
from surveyor.tui.code_target import CodeTarget
from surveyor.tui.editor_command import chosen_editor, editor_command
from surveyor.tui.engine_calls import ANSWER_S, EngineCalls
from surveyor.tui.finder import FinderView, SearchView, SymbolsView
from surveyor.tui.impact_view import ImpactView
from surveyor.tui.index_state import IndexState, read_index_state
from surveyor.tui.preview import Preview
from surveyor.tui.status_view import StatusView

WIDE_COLUMNS = 110
"""From here on the text stands beside the list."""
BUSY_S = 0.7
IDLE_S = 4.0
"""Between questions about the index, while it is made and otherwise."""
LOST_S = 0.5
COMPLAINT_S = 8.0
"""How long what went wrong is shown."""

View = SearchView | SymbolsView | ImpactView | ActivityView | StatusView
VIEWS: dict[str, tuple[type[View], str]] = {
    "f1": (SearchView, "Search"),
    "f2": (SymbolsView, "Symbols"),
    "f3": (ImpactView, "Impact"),
    "f4": (ActivityView, "Agents"),
    "f5": (StatusView, "Status"),
}


class TabLabel(Static):
    """A tab's name and its key; a click does what the key does."""

    class Chosen(Message):
        """The tab has been clicked."""

        def __init__(self, view: str) -> None:
            super().__init__()
            self.view = view

    def __init__(self, view: str, key: str, name: str) -> None:
        super().__init__(f" {key.upper()} {name} ", id=f"tab-{view}", classes="tab", markup=False)
        self._view = view

    def on_click(self, event: Click) -> None:
        """Show its view."""
        event.stop()
        self.post_message(self.Chosen(self._view))


class SurveyorApp(App[None]):
    """The terminal user interface."""

    CSS = """
    Screen { layout: vertical; }
    #bar { height: 1; background: $panel; }
    .tab { width: auto; color: $foreground; }
    .tab.-shown { background: $foreground; color: $background; text-style: bold; }
    #state { width: 1fr; text-align: right; padding: 0 1; text-wrap: nowrap;
             text-overflow: ellipsis; }
    ContentSwitcher, .view { height: 1fr; }
    .question { height: 1; }
    .question Input { width: 1fr; background: $background; }
    .question Input .input--placeholder { color: $foreground 75%; }
    .prompt { width: 2; color: $foreground; text-style: bold; }
    .mode { width: auto; padding: 0 1; text-style: bold; }
    .said { height: 1; padding: 0 1; text-style: italic; text-wrap: nowrap;
            text-overflow: ellipsis; }
    .panes { height: 1fr; layout: vertical; }
    .panes > OptionList, .panes > Tree { height: 2fr; }
    .panes > Preview { height: 3fr; }
    .-wide .panes { layout: horizontal; }
    .-wide .panes > OptionList, .-wide .panes > Tree { width: 1fr; height: 1fr; }
    .-wide .panes > Preview { width: 1fr; height: 1fr; }
    OptionList { scrollbar-size-vertical: 1; text-wrap: nowrap; text-overflow: ellipsis;
                 overflow-x: hidden; background: $background; }
    Tree { scrollbar-size-vertical: 1; scrollbar-size-horizontal: 1; background: $background; }
    OptionList > .option-list--option-highlighted, Tree > .tree--cursor,
    OptionList:focus > .option-list--option-highlighted, Tree:focus > .tree--cursor {
        background: $foreground; color: $background; }
    FooterKey .footer-key--key { color: $foreground; }
    Preview VerticalScroll { background: $surface; }
    Preview VerticalScroll:light { background: #ffffff; }
    #sessions { height: auto; max-height: 5; }
    #status { padding: 0 1; }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        *(
            Binding(key, f"view('{view.__name__}')", name, show=False)
            for key, (view, name) in VIEWS.items()
        ),
        Binding("ctrl+y", "index", "Index"),
        Binding("ctrl+l", "light", "Light/dark"),
        Binding("ctrl+c,ctrl+q", "quit", "Quit", key_display="^c", priority=True),
    ]
    ENABLE_COMMAND_PALETTE = False
    HORIZONTAL_BREAKPOINTS = [
        (0, "-narrow"),
        (WIDE_COLUMNS, "-wide"),
    ]
    TITLE = "surveyor"

    def __init__(
        self,
        engine: EngineCalls,
        folder: str,
        *,
        question: str = "",
        dark: bool = True,
        is_trusted: Callable[[Path], bool] = lambda root: False,
        environment: Mapping[str, str] = os.environ,
    ) -> None:
        """`folder` decides the project; `environment` has $VISUAL and $EDITOR."""
        super().__init__()
        self.theme = "textual-dark" if dark else "textual-light"
        self._engine = engine
        self._folder = folder
        self._environment = environment
        self._question = question
        self._is_trusted = is_trusted
        self._state = Static("", id="state", markup=False)
        self._views: dict[str, View] = {}
        self._shown = SearchView.__name__
        self._index = IndexState(None)
        self._asked_at: tuple[int, bool] | None = None

    def compose(self) -> ComposeResult:
        """A line of tabs, the view that is shown, a line of keys."""
        views: list[View] = [
            SearchView(self._engine, self._folder, self._question),
            SymbolsView(self._engine, self._folder),
            ImpactView(self._engine, self._folder),
            ActivityView(self._engine, self._folder),
            StatusView(self._engine, self._folder, self._is_trusted),
        ]
        self._views = {type(view).__name__: view for view in views}
        with Horizontal(id="bar"):
            for key, (view, name) in VIEWS.items():
                yield TabLabel(view.__name__, key, name)
            yield self._state
        with ContentSwitcher(initial=self._shown):
            yield from self._views.values()
        yield Footer(compact=True)

    def on_mount(self) -> None:
        """Look for the engine, and follow it."""
        self._engine.on_connection(self._connection_changed)
        self._engine.open()
        self.run_worker(self._follow_index(), group="index")
        self.action_view(SearchView.__name__)

    async def on_unmount(self) -> None:
        """End the session."""
        await self._engine.close()

    @property
    def view(self) -> View:
        """The view that is shown."""
        return self._views[self._shown]

    # --- what the engine tells ------------------------------------------------------------

    def _connection_changed(self, connected: bool) -> None:
        if connected:
            self._asked_at = None
            self.run_worker(self._read_index(), group="index-once", exclusive=True)
        else:
            self._say_state("the engine is away, looking for it …")

    async def _follow_index(self) -> None:
        while True:
            if self._engine.connected:
                await self._read_index()
                await asyncio.sleep(BUSY_S if self._index.busy else IDLE_S)
            else:
                error = self._engine.last_error
                self._say_state(error.message if error else "starting the engine …")
                await asyncio.sleep(LOST_S)

    async def _read_index(self) -> None:
        try:
            self._index = await read_index_state(self._engine, self._folder)
        except SurveyorError as error:
            self._say_state(error.message)
            return
        except TimeoutError:
            self._say_state("the engine does not answer")
            return
        self._say_state(self._index.summary)
        if self._index.revision != self._asked_at:  # first of all, and when more is indexed
            self._asked_at = self._index.revision
            for view in self._views.values():
                if isinstance(view, FinderView):
                    view.ask_anew()

    def _say_state(self, text: str) -> None:
        self._state.update(written_out(text), layout=False)

    # --- what the keys do -----------------------------------------------------------------

    def on_tab_label_chosen(self, chosen: TabLabel.Chosen) -> None:
        """A tab was clicked."""
        self.action_view(chosen.view)

    def action_view(self, name: str) -> None:
        """Show another view."""
        self._shown = self.query_one(ContentSwitcher).current = name
        for label in self.query(TabLabel):
            label.set_class(label.id == f"tab-{name}", "-shown")
        self.view.enter_view()

    def action_light(self) -> None:
        """Light in place of dark, and back."""
        self.theme = "textual-light" if self.current_theme.dark else "textual-dark"
        for preview in self.query(Preview):
            preview.again()

    async def action_index(self) -> None:
        """Index the folder, or bring its index up to date."""
        try:
            request = IndexRequest(path=self._folder, explicit=False)
            started = await self._engine.call(request, timeout_s=ANSWER_S)
        except SurveyorError as error:
            self._complain(error)
        except TimeoutError:
            self.notify("The engine does not answer.", severity="error", markup=False)
        else:
            self.notify(f"Indexing {written_out(started.root)}", markup=False)
            await self._read_index()

    def action_show_impact(self) -> None:
        """What depends on what is highlighted."""
        target = self.view.target
        if target is None:
            self.notify("Nothing is highlighted.", severity="warning", markup=False)
            return
        self.action_view(ImpactView.__name__)
        self.query_one(ImpactView).ask_about(target.question)

    def action_open_target(self) -> None:
        """Open what is highlighted in the user's editor."""
        target = self.view.target
        if target is None:
            return
        try:
            self._open(target)
        except SurveyorError as error:
            self._complain(error, f"{target.path}:{target.line}: ")

    def _open(self, target: CodeTarget) -> None:
        if not target.file.is_file():
            where = f" (it was on {target.branch})" if target.branch else ""
            raise SurveyorError(f"{target.path} is not there{where}")
        editor = chosen_editor(self._environment)
        command = editor_command(editor, target.file, target.line, target.column)
        if shutil.which(command.arguments[0]) is None:
            raise SurveyorError(
                f"there is no program {command.arguments[0]}",
                "It is what $VISUAL or $EDITOR says.",
            )
        try:
            if command.windowed:
                subprocess.Popen(
                    command.arguments,
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                    **apart(),
                )
                return
            code = self._run_suspended(command.arguments)
        except OSError as error:
            raise SurveyorError(
                f"{command.arguments[0]} cannot be started: {error.strerror}"
            ) from error
        if code:
            raise SurveyorError(f"{command.arguments[0]} ended with {code}")
        if not command.at_line:
            self.notify(
                f"Line {target.line}: how {command.arguments[0]} is told a line is not known.",
                markup=False,
            )

    def _run_suspended(self, arguments: list[str]) -> int:
        """Run an editor in our terminal. Nothing else is done meanwhile: nobody sees it."""
        with contextlib.ExitStack() as suspended:
            try:
                suspended.enter_context(self.suspend())
            except SuspendNotSupported as error:
                raise SurveyorError("this terminal cannot be lent to an editor") from error
            # Ctrl+C in its terminal is the editor's. It inherits no handler, as it would SIG_IGN.
            before = signal.signal(signal.SIGINT, lambda *_: None)
            suspended.callback(signal.signal, signal.SIGINT, before)
            return subprocess.run(arguments, check=False).returncode

    def _complain(self, error: SurveyorError, about: str = "") -> None:
        said = written_out(about + error.sentence)
        self.notify(said, severity="error", timeout=COMPLAINT_S, markup=False)
