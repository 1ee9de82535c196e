"""What a session has read, as it was then: what others change of it since is said, once.

Texts are kept as they are shown to agents, with credentials masked.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from surveyor.engine.edits.file_text import changed_spans
from surveyor.units import counted

__all__ = ["ChangedRead", "SeenFile", "SeenFiles", "ShownLines"]

MAX_FILES = 300
MAX_CHARS = 8 << 20
"""Of texts that are kept for one session; the oldest go first."""
DIFF_LINES = 60

Key = tuple[str, str]
Span = tuple[int, int, int, int]
"""First and end of lines before, and now, from 0."""
"""Root and path."""


@dataclass(slots=True)
class ShownLines:
    """A file's text as a session knows it, and which of its lines it was shown."""

    lines: list[str]
    shown: list[tuple[int, int]] = field(default_factory=list)
    """First and last, from 1."""
    compared: tuple[list[str], list[Span]] | None = None
    """The text that it was compared with last, and where that differs."""

    def spans(self, now: list[str]) -> list[Span]:
        """Where a text now differs: comparing may take long, and is done once for each text."""
        if self.lines == now:
            return []
        if self.compared is None or self.compared[0] != now:
            self.compared = now, changed_spans(self.lines, now)
        return self.compared[1]

    def touched(self, now: list[str]) -> list[Span]:
        """Changes since, as spans of lines from 0 before and now, of what was shown.

        What was put in right before or behind it is none.
        """
        return [
            (a, b, c, d)
            for a, b, c, d in self.spans(now)
            if any(first - 1 < b and a < last for first, last in self.shown)
        ]

    def moved_to(self, now: list[str], also: Iterable[tuple[int, int]] = ()) -> None:
        """The text is this now; what was shown is where it has moved to."""
        self.shown = _merged([*_moved(self.shown, self.spans(now)), *also])
        self.lines, self.compared = now, None

    def take(
        self, now: list[str], lines: Sequence[tuple[int, int]], *, are_own: bool = False
    ) -> None:
        """Some lines of the text now are known; elsewhere what was known of it stays.

        `are_own`: the session has written them, and what it took away beside them.
        """
        known, left = list[Span](), list[Span]()
        text, at, shift = list[str](), 0, 0
        for span in self.spans(now):
            a, b, c, d = span
            if _is_within(span, lines) if are_own else _is_seen(span, lines, len(now)):
                known.append(span)
                text += [*self.lines[at:a], *now[c:d]]
                at, shift = b, shift + (d - c) - (b - a)
            else:
                left.append((a + shift, b + shift, c, d))
        back = [(c, d, a, b) for a, b, c, d in left]
        self.shown = _merged([*_moved(self.shown, known), *_moved(lines, back)])
        if known:
            self.lines = [*text, *self.lines[at:]]
        self.compared = now, left


@dataclass(slots=True)
class SeenFile:
    """What a session has read of a file, and up to where it was told that this has changed.

    A line that names a change does not show it: what was read stays the measure for an edit.
    """

    read: ShownLines
    named: ShownLines | None = None
    """The text of which changes were named last; None where it is the one that was read."""
    stamp: object = None
    """Of the file when it was looked at last: while it is the same, so is the text."""

    def size(self) -> int:
        """Characters that are kept."""
        return _size(self.read.lines) + (_size(self.named.lines) if self.named is not None else 0)


@dataclass(frozen=True, slots=True)
class ChangedRead:
    """What a session has read and somebody else has changed since."""

    path: str
    first: int
    last: int
    """As the lines are now."""
    diff: list[str]
    """Cut where it is long, which its last line says."""


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
        """Lines of a file were shown, which has this text; what others changed of it before was
        named."""
        seen = self._take(key) or SeenFile(ShownLines(lines))
        _known(seen, lines, [(first, last)])
        seen.stamp = stamp
        self._put(key, seen)

    def wrote(self, key: Key, lines: list[str], written: Sequence[tuple[int, int]]) -> None:
        """The session changed a file, of which nothing else has changed since it was read."""
        seen = self._take(key) or SeenFile(ShownLines(lines))
        seen.read.moved_to(lines, written)
        seen.named = None
        seen.stamp = None
        self._put(key, seen)

    def wrote_beside(self, key: Key, lines: list[str], written: Sequence[tuple[int, int]]) -> None:
        """The session changed a file with a tool of its own: it knows what it wrote, and what
        others changed beside it is named."""
        seen = self._take(key) or SeenFile(ShownLines(lines))
        _known(seen, lines, written, are_own=True)
        seen.stamp = None
        self._put(key, seen)

    def name(
        self, key: Key, now: list[str], own: Sequence[tuple[int, int]] = ()
    ) -> ChangedRead | None:
        """What others changed of a file since it was seen or that was named: it is to be named.

        `own` are lines (from 1) that the session has written itself since.
        """
        seen = self._files.get(key)
        told = (seen.named or seen.read) if seen is not None else None
        if seen is None or told is None or told.lines == now:
            return None
        changed = _changed(told, now, key[1], own)
        self._chars -= seen.size()
        if seen.named is not None:
            seen.read.compared = None  # with an older text, which is not to be kept for it
        seen.named = replace(told)
        seen.named.moved_to(now)
        self._chars += seen.size()
        return changed

    def show(self, key: Key, now: list[str]) -> ChangedRead | None:
        """What others changed of what was read of a file, named or not; after that it is read."""
        seen = self._files.get(key)
        if seen is None or (seen.named is None and seen.read.lines == now):
            return None
        changed = _changed(seen.read, now, key[1])
        self._chars -= seen.size()
        seen.read.moved_to(now)
        seen.named = None
        self._chars += seen.size()
        return changed

    def forget(self, key: Key) -> None:
        """A file is gone."""
        self._take(key)

    def _take(self, key: Key) -> SeenFile | None:
        seen = self._files.pop(key, None)
        if seen is not None:
            self._chars -= seen.size()
        return seen

    def _put(self, key: Key, seen: SeenFile) -> None:
        self._files[key] = seen
        self._chars += seen.size()
        while len(self._files) > 1 and (len(self._files) > MAX_FILES or self._chars > MAX_CHARS):
            _, oldest = self._files.popitem(last=False)
            self._chars -= oldest.size()


def _known(
    seen: SeenFile, now: list[str], lines: Sequence[tuple[int, int]], *, are_own: bool = False
) -> None:
    """Some lines of a file are known as they are now, and all changes of it are named."""
    seen.read.spans(now)
    told = seen.named or replace(seen.read)
    seen.read.take(now, lines, are_own=are_own)
    seen.named = None
    if seen.read.lines != now:
        told.moved_to(now, lines)
        seen.named = told


def _changed(
    known: ShownLines, now: list[str], path: str, own: Sequence[tuple[int, int]] = ()
) -> ChangedRead | None:
    spans = [span for span in known.touched(now) if not _is_within(span, own)]
    if not spans:
        return None
    first, last = spans[0][2] + 1, max(spans[-1][3], spans[0][2] + 1)
    diff = [line for span in spans for line in _hunk(known.lines, now, span)]
    if (cut := len(diff) - DIFF_LINES) > 0:
        diff[DIFF_LINES:] = [f"… {counted(cut, 'line')} more: read it again"]
    return ChangedRead(path, first, min(last, max(1, len(now))), diff)


def _is_seen(span: Span, lines: Sequence[tuple[int, int]], count: int) -> bool:
    """Whether who is shown some lines sees a change: all that it put in, or both sides of what it
    took away."""
    _, _, start, end = span
    if start < end:
        return any(first - 1 <= start and end <= last for first, last in lines)
    return any(
        (first <= start or start == 0 == first - 1) and (start < last or start == last == count)
        for first, last in lines
    )


def _is_within(span: Span, lines: Sequence[tuple[int, int]]) -> bool:
    """Whether all that a change put in stands on some lines; what only took away, beside them."""
    _, _, start, end = span
    return any(first - 1 <= start and end <= last for first, last in lines)


def _hunk(before: Sequence[str], now: Sequence[str], span: Span) -> list[str]:
    a, b, c, d = span
    head = f"@@ -{a + 1},{b - a} +{c + 1},{d - c} @@"
    return [head, *(f"-{line}" for line in before[a:b]), *(f"+{line}" for line in now[c:d])]


def _after(line: int, spans: Sequence[Span]) -> int:
    """Where a line (from 1) is after changes."""
    shift = 0
    for a, b, c, d in spans:
        if line <= a:
            break
        if line <= b:
            return max(1, min(c + line - a, d))
        shift = d - b
    return max(1, line + shift)


def _moved(lines: Iterable[tuple[int, int]], spans: Sequence[Span]) -> list[tuple[int, int]]:
    return [(_after(first, spans), _after(last, spans)) for first, last in lines]


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
