"""Which lines two versions of a text have in common.

Lines that an edit did not touch are the same lines at another place: what is known of them in one
version holds in the other.
"""

from __future__ import annotations

import re
from difflib import SequenceMatcher

MAX_EDITED_LINES = 600
"""Most lines between the first and the last edit that are compared one by one."""


class LineMapping:
    """The lines that two versions of a text have in common; all numbers are 0-based."""

    def __init__(self, saved: str, now: str) -> None:
        old, new = lines_of(saved), lines_of(now)
        first = 0
        most = min(len(old), len(new))
        while first < most and old[first] == new[first]:
            first += 1
        last = 0
        while last < most - first and old[-1 - last] == new[-1 - last]:
            last += 1
        blocks = [(0, 0, first)]
        middle_old, middle_new = old[first : len(old) - last], new[first : len(new) - last]
        if 0 < len(middle_old) <= MAX_EDITED_LINES and len(middle_new) <= MAX_EDITED_LINES:
            matcher = SequenceMatcher(None, middle_old, middle_new, autojunk=False)
            blocks += [(first + a, first + b, n) for a, b, n in matcher.get_matching_blocks()]
        blocks.append((len(old) - last, len(new) - last, last))
        self._blocks = [block for block in blocks if block[2]]

    def to_saved(self, line: int) -> int | None:
        """The saved line that a line of the buffer was; `None` for one that was edited."""
        for old, new, size in self._blocks:
            if new <= line < new + size:
                return old + line - new
        return None

    def to_buffer(self, line: int) -> int | None:
        """Where a saved line is now; `None` for one that was edited or is gone."""
        for old, new, size in self._blocks:
            if old <= line < old + size:
                return new + line - old
        return None


_LINE_END = re.compile(r"\r\n|\n|\r")


def lines_of(text: str) -> list[str]:
    """The lines of a text as LSP counts them: what follows the last line's end is one, too."""
    return _LINE_END.split(text) if "\r" in text else text.split("\n")
