"""Search and symbols: a line to type into, what is found, and its text."""

from __future__ import annotations

import asyncio
from typing import Any, ClassVar, get_args

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container, Horizontal
from textual.events import Click
from textual.message import Message
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from surveyor.errors import SurveyorError
from surveyor.protocol.base import Freshness, Request
from surveyor.protocol.enumerations import Mode
from surveyor.protocol.search import (
    SearchRequest,
    SearchResponse,
    SymbolsRequest,
    SymbolsResponse,
)
from surveyor.terminal_text import written_out
from surveyor.tui.code_target import CodeTarget
from surveyor.tui.engine_calls import ANSWER_S, EngineCalls
from surveyor.tui.preview_text import query_words
from surveyor.tui.question_view import QuestionLine, QuestionView
from surveyor.tui.rows import search_row, search_target, symbol_row, symbol_target
from surveyor.units import counted

DEBOUNCE_S = 0.15
"""A pause in typing that is worth a question."""
MOST_RESULTS = 100
SEARCH_MODES: tuple[Mode, ...] = get_args(Mode)


class ResultList(OptionList):
    """A list in which a click only highlights; Enter and a double click open."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("enter", "app.open_target", "Open")]

    class Resized(Message):
        """The list has another width: its rows are to be fitted anew."""

    def on_resize(self) -> None:
        """Tell who fills the list."""
        self.post_message(self.Resized())

    async def on_click(self, event: Click) -> None:
        """The first click of two has highlighted already."""
        if event.chain == 2:
            await self.run_action("app.open_target")


class FinderView(QuestionView):
    """What search and symbols have in common. Enter opens, also while typing.

    Methods that raise `NotImplementedError` are theirs: Textual's widgets have a metaclass, so that
    no abstract base class can say it.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "move(-1)", show=False),
        Binding("down", "move(1)", show=False),
        Binding("pageup", "page(-1)", show=False),
        Binding("pagedown", "page(1)", show=False),
    ]
    PLACEHOLDER = ""

    def __init__(self, engine: EngineCalls, folder: str, question: str = "") -> None:
        super().__init__(engine, folder, QuestionLine(question, self.PLACEHOLDER), "")
        self._targets: list[CodeTarget] = []
        self._asked = self._answered = ""
        self._answer: Any = None
        self._list = ResultList(compact=True)

    def compose(self) -> ComposeResult:
        """The line, what is said of the answer, the list and the text."""
        with Horizontal(classes="question"):
            yield Static("❯ ", classes="prompt")
            yield self._line
            yield Static("", classes="mode", markup=False)
        yield self._said
        with Container(classes="panes"):
            yield self._list
            yield self._preview

    @property
    def target(self) -> CodeTarget | None:
        """What is highlighted."""
        index = self._list.highlighted
        return self._targets[index] if index is not None and index < len(self._targets) else None

    def enter_view(self) -> None:
        """The view is shown: its line takes what is typed."""
        self._line.focus()

    def ask(self, delay_s: float = 0.0) -> None:
        """Ask what the line says; an earlier question that is not answered yet is cancelled."""
        self.run_worker(self._ask(delay_s), group="question", exclusive=True)

    def ask_anew(self) -> None:
        """Ask again what was asked before: the index has changed. The place in the list stays."""
        if self._line.value.strip():
            self.ask()

    async def _ask(self, delay_s: float) -> None:
        question = self._asked = self._line.value
        if not question.strip():
            self._show("")
            return
        await asyncio.sleep(delay_s)
        try:
            answer = await self._engine.call(self.request(question), timeout_s=ANSWER_S)
        except SurveyorError as error:
            self._show(error.sentence)
        except TimeoutError:
            self._show(f"no answer within {ANSWER_S:g} s")
        else:
            self._show(self.summary(answer), answer)

    def _show(self, said: str, answer: Any = None) -> None:
        self._said.update(written_out(said), layout=False)
        self._answer = answer
        self._fill(stay=self._answered == self._asked)
        self._answered = self._asked

    @on(ResultList.Resized)
    def _resized(self) -> None:
        self._fill(stay=True)

    def _fill(self, *, stay: bool) -> None:
        """Write the rows of the answer as wide as the list is; `stay` at what is highlighted."""
        found, before = self._list, self.target
        rows: list[Any] = []
        targets: list[CodeTarget] = []
        if self._answer is not None:
            rows, targets = self.rows(self._answer, found.size.width)
        self._targets = targets
        found.clear_options()
        found.add_options([Option(row) for row in rows])
        if rows:
            found.highlighted = targets.index(before) if stay and before in targets else 0
        self._preview.show_target(self.target, self.words())

    def request(self, question: str) -> Request[Any]:
        """What the engine is asked."""
        raise NotImplementedError

    def rows(self, answer: Any, width: int) -> tuple[list[Any], list[CodeTarget]]:
        """Lines of the list, and where each leads to."""
        raise NotImplementedError

    def summary(self, answer: Any) -> str:
        """An answer in one line."""
        raise NotImplementedError

    def words(self) -> list[str]:
        """What is marked in the text."""
        return query_words(self._line.value, "hybrid")

    @on(Input.Changed)
    def _typed(self) -> None:
        self.ask(DEBOUNCE_S)

    @on(OptionList.OptionHighlighted)
    def _highlighted(self) -> None:
        self._preview.show_target(self.target, self.words())

    @on(Input.Submitted)
    async def _submitted(self) -> None:
        await self.run_action("app.open_target")

    def action_move(self, steps: int) -> None:
        """To another result, from wherever the focus is."""
        found = self._list
        (found.action_cursor_down if steps > 0 else found.action_cursor_up)()

    def action_page(self, pages: int) -> None:
        """To another page of results."""
        found = self._list
        found.run_worker(found.run_action("page_down" if pages > 0 else "page_up"))


class SearchView(FinderView):
    """Search as you type, in every mode of `surveyor search`."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("ctrl+o", "mode", "Mode")]
    PLACEHOLDER = "what the code does, a name, an error message …"

    def __init__(self, engine: EngineCalls, folder: str, question: str = "") -> None:
        super().__init__(engine, folder, question)
        self._mode: Mode = "hybrid"

    def on_mount(self) -> None:
        """Say how is searched."""
        self.query_one(".mode", Static).update(self._mode)

    def request(self, question: str) -> Request[Any]:
        """A search in the project of the folder, below the folder."""
        return SearchRequest(query=question, cwd=self._folder, mode=self._mode, limit=MOST_RESULTS)

    def rows(self, answer: SearchResponse, width: int) -> tuple[list[Any], list[CodeTarget]]:
        """Results in the order of the answer."""
        shown = [search_row(result, width) for result in answer.results]
        return shown, [search_target(result) for result in answer.results]

    def summary(self, answer: SearchResponse) -> str:
        """How many, how fast, how fresh, and what the engine has to say."""
        found = counted(len(answer.results), "result") if answer.results else "Nothing found"
        notice = (answer.notice or "").strip()
        if not answer.results and notice.startswith(found):  # which says where, too
            found, notice = notice.rstrip("."), ""
        parts = [f"{found}  {answer.took_ms:.0f} ms", freshness(answer), notice]
        return "  ".join(filter(None, [*parts, *answer.incomplete]))

    def words(self) -> list[str]:
        """Of the query, as the mode reads it."""
        return query_words(self._line.value, self._mode)

    def action_mode(self) -> None:
        """Search in the next mode."""
        after = SEARCH_MODES.index(self._mode) + 1
        self._mode = SEARCH_MODES[after % len(SEARCH_MODES)]
        self.query_one(".mode", Static).update(self._mode)
        self.ask()


class SymbolsView(FinderView):
    """Definitions by name as you type: prefixes, humps, typing errors."""

    PLACEHOLDER = "a name, a part of one, or its humps: gUBI"

    def request(self, question: str) -> Request[Any]:
        """Names in the project of the folder."""
        return SymbolsRequest(query=question.strip(), cwd=self._folder, limit=MOST_RESULTS)

    def rows(self, answer: SymbolsResponse, width: int) -> tuple[list[Any], list[CodeTarget]]:
        """The best first."""
        shown = [symbol_row(item, width) for item in answer.results]
        return shown, [symbol_target(item) for item in answer.results]

    def summary(self, answer: SymbolsResponse) -> str:
        """How many, how fast, how fresh."""
        found = counted(len(answer.results), "definition") if answer.results else "No such name"
        return "  ".join(filter(None, [f"{found}  {answer.took_ms:.0f} ms", freshness(answer)]))


def freshness(answer: Freshness) -> str:
    """Anything but healthy."""
    if answer.status == "healthy":
        return ""
    return f"[{answer.status}] {answer.message or answer.reason or ''}".rstrip()
