"""What a session has read, as it was then: what others change of it since is said, once.

Texts are kept as they are shown to agents, with credentials masked.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from surveyor.engine.edits.file_text import changed_spans

__all__ = ["ChangedRead", "SeenFile", "SeenFiles"]

MAX_FILES = 300
MAX_CHARS = 8 << 20
"""Of texts that are kept for one session; the oldest go first."""
DIFF_LINES = 60

Key = tuple[str, str]
"""Root and path."""


@dataclass(slots=True)
class SeenFile:
    """A file's lines at the time it was last read or written, and which of them were shown."""

    lines: list[str]
    shown: list[tuple[int, int]] = field(default_factory=list)
    """First and last, from 1."""
    stamp: object = None
    """Of the file when it was looked at last: while it is the same, so is the text."""

    def touched(self, now: Sequence[str]) -> list[tuple[int, int, int, int]]:
        """Changes since, as spans of lines from 0 before and now, of what was shown.

        What was put in right before or behind it is none.
        """
        return [
            (a, b, c, d)
            for a, b, c, d in changed_spans(self.lines, list(now))
            if any(first - 1 < b and a < last for first, last in self.shown)
        ]

    def moved_to(self, now: list[str], also: Iterable[tuple[int, int]] = ()) -> None:
        """The text is this now; what was shown is where it has moved to."""
        spans = changed_spans(self.lines, now)
        self.shown = _merged(
            [*((_after(first, spans), _after(last, spans)) for first, last in self.shown), *also]
        )
        self.lines = now


@dataclass(frozen=True, slots=True)
class ChangedRead:
    """What a session has read and somebody else has changed since."""

    path: str
    first: int
    last: int
    """As the lines are now."""
    diff: list[str]


class SeenFiles:
    """The files that one session has seen."""

    def __init__(self) -> None:
        self._files: OrderedDict[Key, SeenFile] = OrderedDict()
        self._chars = 0

    def files(self) -> list[Key]:
        """Root and path of each."""
        return list(self._files)

    def get(self, key: Key) -> SeenFile | None:
        """A file as it was seen."""
        return self._files.get(key)

    def saw(self, key: Key, lines: list[str], first: int, last: int, stamp: object) -> None:
        """Lines of a file were shown, which has this text."""
        seen = self._files.pop(key, None)
        if seen is None:
            seen = SeenFile(lines)
        else:
            self._chars -= _size(seen.lines)
            if seen.lines != lines:
                seen.moved_to(lines)
        seen.shown = _merged([*seen.shown, (first, last)])
        seen.stamp = stamp
        self._put(key, seen)

    def wrote(self, key: Key, lines: list[str], written: Iterable[tuple[int, int]]) -> None:
        """The session changed a file itself: it knows what it wrote."""
        seen = self._files.pop(key, None)
        if seen is None:
            seen = SeenFile(lines, list(written))
        else:
            self._chars -= _size(seen.lines)
            seen.moved_to(lines, written)
        seen.stamp = None
        self._put(key, seen)

    def compare(
        self, key: Key, now: list[str], own: Sequence[tuple[int, int]] = ()
    ) -> ChangedRead | None:
        """What others changed of a file since it was seen; after that it counts as seen.

        `own` are lines (from 1) that the session has written itself since.
        """
        seen = self._files.get(key)
        if seen is None or seen.lines == now:
            return None
        spans = [span for span in seen.touched(now) if not _is_within(span, own)]
        changed = None
        if spans:
            first, last = spans[0][2] + 1, max(spans[-1][3], spans[0][2] + 1)
            diff = [line for span in spans for line in _hunk(seen.lines, now, span)]
            changed = ChangedRead(key[1], first, min(last, max(1, len(now))), diff[:DIFF_LINES])
        self._chars += _size(now) - _size(seen.lines)
        seen.moved_to(now)
        return changed

    def forget(self, key: Key) -> None:
        """A file is gone."""
        if (seen := self._files.pop(key, None)) is not None:
            self._chars -= _size(seen.lines)

    def _put(self, key: Key, seen: SeenFile) -> None:
        self._files[key] = seen
        self._chars += _size(seen.lines)
        while len(self._files) > 1 and (len(self._files) > MAX_FILES or self._chars > MAX_CHARS):
            _, oldest = self._files.popitem(last=False)
            self._chars -= _size(oldest.lines)


def _is_within(span: tuple[int, int, int, int], lines: Sequence[tuple[int, int]]) -> bool:
    """Whether all that a change put in stands on some lines; what only took away, beside them."""
    _, _, start, end = span
    return any(first - 1 <= start and end <= last for first, last in lines)


def _hunk(before: Sequence[str], now: Sequence[str], span: tuple[int, int, int, int]) -> list[str]:
    a, b, c, d = span
    head = f"@@ -{a + 1},{b - a} +{c + 1},{d - c} @@"
    return [head, *(f"-{line}" for line in before[a:b]), *(f"+{line}" for line in now[c:d])]


def _after(line: int, spans: Sequence[tuple[int, int, int, int]]) -> int:
    """Where a line (from 1) is after changes."""
    shift = 0
    for a, b, c, d in spans:
        if line <= a:
            break
        if line <= b:
            return max(1, min(c + line - a, d))
        shift = d - b
    return max(1, line + shift)


def _merged(ranges: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    for first, last in sorted(ranges):
        if found and first <= found[-1][1] + 1:
            found[-1] = (found[-1][0], max(found[-1][1], last))
        else:
            found.append((first, last))
    return found


def _size(lines: Sequence[str]) -> int:
    return sum(map(len, lines))
