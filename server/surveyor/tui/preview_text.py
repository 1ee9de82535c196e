"""The text of a file as the preview shows it: numbered, coloured, what is meant marked."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from surveyor.terminal_text import written_out

if TYPE_CHECKING:
    from rich.text import Text

MOST_COLUMNS = 300
"""Of a line: minified code would take seconds to colour, and nobody reads it here."""
TAB_COLUMNS = 4
PART_OF_A_NAME = 4
"""Letters: what is shorter is marked only where it stands alone."""
SYNTAX_THEMES = {True: "github-dark", False: "xcode"}
"""By whether the screen is dark."""
MEANT = {True: "on #22272e", False: "on #e6ecf5"}
"""Background of the lines that are meant."""
WORD = {True: "bold #000000 on #e3b341", False: "bold #000000 on #ffdf5d"}
"""The words that were asked for."""
TOO_COMMON = {
    "an", "and", "are", "as", "at", "be", "by", "do", "for", "from", "how", "in", "is", "it", "of",
    "on", "or", "the", "to",
}  # fmt: skip
"""Words of a question that would be marked everywhere."""
NUMBER = {True: "#8b949e", False: "#424a53"}


def query_words(query: str, mode: str) -> list[str]:
    """What of a query is worth marking in code; in the mode `literal` the text itself."""
    if mode == "literal":
        return [query] if query.strip() else []
    if mode in ("regex", "pattern"):
        return []
    return [word for word in re.findall(r"\w{2,}", query) if word.lower() not in TOO_COMMON]


def safe_lines(text: str) -> list[str]:
    """Lines without anything that a terminal would obey, and none longer than can be shown."""
    return [shortened(line.removesuffix("\r")) for line in text.split("\n")]


def shortened(line: str) -> str:
    """One line, written out and cut."""
    shown = written_out(line[: MOST_COLUMNS + 1].expandtabs(TAB_COLUMNS))
    return shown if len(shown) <= MOST_COLUMNS else shown[:MOST_COLUMNS] + "…"


def preview_text(
    text: str,
    *,
    path: str,
    language: str | None,
    start_line: int,
    meant: range,
    words: Sequence[str] = (),
    dark: bool = True,
) -> Text:
    """The lines of `text`, of which the first is `start_line`; those in `meant` stand out."""
    from rich.style import Style
    from rich.text import Text

    lines = safe_lines(text)
    coloured = _coloured("\n".join(lines), _lexer(language, path), dark)
    pattern = _words_pattern(words)
    width = len(str(start_line + len(lines) - 1))
    shown = Text(no_wrap=True)
    for offset, line in enumerate(coloured.split("\n", allow_blank=True)[: len(lines)]):
        number = start_line + offset
        is_meant = number in meant
        line.rstrip()
        if pattern is not None:
            line.highlight_regex(pattern, Style.parse(WORD[dark]))
        row = Text(f"{'▌' if is_meant else ' '}{number:>{width}} ", NUMBER[dark])
        row.append_text(line)
        if is_meant:
            row.stylize_before(MEANT[dark])
        shown.append_text(row)
        shown.append("\n")
    shown.right_crop()
    return shown


def _coloured(code: str, lexer: str, dark: bool) -> Text:
    """The code in a theme's colours, without its background: ours says which lines are meant."""
    from rich.style import Style
    from rich.syntax import Syntax
    from rich.text import Span, Text

    marked = Syntax("", lexer, theme=SYNTAX_THEMES[dark]).highlight(code)
    return Text(
        marked.plain,
        spans=[
            Span(start, end, Style(color=style.color, bold=style.bold, italic=style.italic))
            for start, end, style in marked.spans
            if isinstance(style, Style)
        ],
    )


def _words_pattern(words: Sequence[str]) -> re.Pattern[str] | None:
    """The longest first: `session_id` before `session`."""
    found = sorted({word for word in words if word.strip()}, key=len, reverse=True)
    parts = [
        re.escape(word) if len(word) >= PART_OF_A_NAME else rf"\b{re.escape(word)}\b"
        for word in found
    ]
    return re.compile("|".join(parts), re.IGNORECASE) if parts else None


def _lexer(language: str | None, path: str) -> str:
    """Pygments' name for a language, by its name here, else by the file's."""
    from pygments.lexers import find_lexer_class_for_filename, get_lexer_by_name
    from pygments.util import ClassNotFound

    if language:
        try:
            get_lexer_by_name(language)
            return language
        except ClassNotFound:
            pass
    found = find_lexer_class_for_filename(path.rpartition("/")[2])
    return found.aliases[0] if found is not None and found.aliases else "text"
