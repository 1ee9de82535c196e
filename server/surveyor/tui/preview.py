"""The pane that shows the text of what is highlighted in a list."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from rich.text import Text
from textual.app import ComposeResult
from textual.containers import Vertical, VerticalScroll
from textual.widgets import Static

from surveyor.errors import SurveyorError
from surveyor.protocol.search import RetrieveRequest
from surveyor.terminal_text import written_out
from surveyor.tui.code_target import CodeTarget
from surveyor.tui.engine_calls import ANSWER_S, EngineCalls
from surveyor.tui.preview_text import preview_text

LINES_ABOVE = 40
LINES_BELOW = 160
"""Read around what is meant; the title says which lines these are."""
MOST_MEANT = 400
"""Lines of one definition."""
SETTLE_S = 0.06
"""A list that is scrolled through asks for nothing."""
LEAD_LINES = 2
"""Shown above the line that is jumped to."""


class Preview(Vertical):
    """Title and text of a target, masked by the engine as everywhere."""

    DEFAULT_CSS = """
    Preview { height: 1fr; }
    Preview > #where { height: 1; background: $panel; color: $foreground; text-wrap: nowrap;
                       text-overflow: ellipsis; }
    Preview > VerticalScroll { height: 1fr; overflow-x: auto; scrollbar-size-vertical: 1;
                               scrollbar-size-horizontal: 0; }
    Preview > VerticalScroll > Static { width: auto; }
    """

    def __init__(self, engine: EngineCalls) -> None:
        super().__init__()
        self._engine = engine
        self._target: CodeTarget | None = None
        self._words: Sequence[str] = ()
        # Held: an answer may come when the screen is being taken down.
        self._where = Static("", id="where", markup=False)
        self._text = Static("", id="text", markup=False)
        self._pane = VerticalScroll(self._text)

    def compose(self) -> ComposeResult:
        """A title above what can be scrolled."""
        yield self._where
        yield self._pane

    def show_target(self, target: CodeTarget | None, words: Sequence[str] = ()) -> None:
        """Show the text around a target as soon as it is there; None: nothing."""
        if target is None:
            self.workers.cancel_group(self, "preview")
            self._target = None
            self._write("", "")
        elif (target, words) != (self._target, self._words):
            self._target, self._words = target, words
            self.run_worker(self._load(target, words), group="preview", exclusive=True)

    def again(self) -> None:
        """Show the same once more: the theme has changed, or the engine is back."""
        if self._target is not None:
            self.run_worker(self._load(self._target, self._words), group="preview", exclusive=True)

    def scroll_page(self, pages: int) -> None:
        """Half a page at a time."""
        half = max(self._pane.size.height // 2, 1)
        self._pane.scroll_relative(y=pages * half, animate=False)

    def _write(self, where: str, text: Text | str) -> None:
        self._where.update(written_out(where), layout=False)
        self._text.update(text)

    async def _load(self, target: CodeTarget, words: Sequence[str]) -> None:
        await asyncio.sleep(SETTLE_S)
        first = target.first_line or target.line
        last = min(max(target.last_line, target.line), first + MOST_MEANT)
        start = max(1, min(first, target.line) - LINES_ABOVE)
        request = RetrieveRequest(
            cwd=target.root,
            path=target.path,
            branch=target.branch,
            start_line=start,
            end_line=last + LINES_BELOW,
        )
        try:
            found = await self._engine.call(request, timeout_s=ANSWER_S)
        except (SurveyorError, TimeoutError) as error:
            said = error.sentence if isinstance(error, SurveyorError) else "no answer in time"
            self._write(target.path, written_out(said))
            return
        # In a thread: colouring a page takes milliseconds, and of some texts many more.
        text = await asyncio.to_thread(
            preview_text,
            found.text,
            path=target.path,
            language=found.language or target.language,
            start_line=found.start_line,
            meant=range(first, last + 1),
            words=words,
            dark=self.app.current_theme.dark,
        )
        unsaved = "  unsaved" if found.unsaved_version is not None else ""
        self._write(
            f"{found.path}  lines {found.start_line}-{found.end_line} of {found.total_lines}"
            f"{unsaved}",
            text,
        )
        above = max(target.line - found.start_line - LEAD_LINES, 0)
        self._pane.call_after_refresh(self._pane.scroll_to, 0, above, animate=False)
