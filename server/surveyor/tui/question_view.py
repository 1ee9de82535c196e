"""What views with a line to type into have in common."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.widgets import Input, Static

from surveyor.tui.engine_calls import EngineCalls
from surveyor.tui.preview import Preview


class QuestionLine(Input):
    """A line to type into: no blinking, which a slow line to another machine has to carry."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("enter", "submit", "Open")]

    def __init__(self, text: str, placeholder: str) -> None:
        super().__init__(text, placeholder=placeholder, compact=True, select_on_focus=False)
        self.cursor_blink = False


class QuestionView(Vertical):
    """A view of what a question finds."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+t", "app.show_impact", "Impact"),
        Binding("shift+up,ctrl+up", "scroll_text(-1)", show=False),
        Binding("shift+down,ctrl+down", "scroll_text(1)", show=False),
        Binding("escape", "back", show=False),
    ]

    def __init__(self, engine: EngineCalls, folder: str, line: QuestionLine, said: str) -> None:
        super().__init__(id=type(self).__name__, classes="view")
        self._engine = engine
        self._folder = folder
        # Held: an answer may come when the screen is being taken down.
        self._line = line
        self._said = Static(said, classes="said", markup=False)
        self._preview = Preview(engine)

    def action_scroll_text(self, pages: int) -> None:
        """Scroll the preview."""
        self._preview.scroll_page(pages)

    def action_back(self) -> None:
        """To the line; from there, clear it."""
        line = self._line
        if line.has_focus:
            line.value = ""
        line.focus()
