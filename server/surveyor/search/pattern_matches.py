"""Where a regular expression of RE2's matches in a text, read only where it can match.

RE2 reads some 600 MB/s, a search of one string several times as much, and a match costs a
microsecond: so the lines are tried one by one in which the string stands that every match contains,
until that is as dear as reading the text through.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import re2

from surveyor.search.unicode_pattern import BOUNDARY, INSIDE, MARK_BYTES, marked

__all__ = ["BeyondAscii", "LineMatcher", "Span"]

Span = tuple[int, int]
"""Where a match begins and ends, in bytes."""

LINE_COST_BYTES = 700
"""Bytes that RE2 reads in the time that one line takes to be found and tried by itself."""
LEAST_TRIED = 8
"""Lines of a text that are tried before that is compared with reading it."""
_LINE_FEED = 10
_CONTINUES, _LEADING_BITS = 0x80, 0xC0
"""What the first two bits of a byte are that begins no character."""
_BOUNDARY, _INSIDE = BOUNDARY.encode(), INSIDE.encode()


@dataclass(frozen=True, slots=True)
class LineMatcher:
    """A compiled pattern, and what its matches contain."""

    compiled: Any
    """RE2's, to which `^` and `$` are the edges of lines."""
    anchor: bytes = b""
    """A string that stands in every match as it is; empty where none is known, or where a match may
    leave its line."""

    def spans(self, data: bytes) -> Iterator[Span]:
        """All matches, none overlapping another."""
        for start, end, _ in _parts(data, self.anchor):
            yield from _spans(self.compiled, data, start, end)


@dataclass(frozen=True, slots=True)
class BeyondAscii:
    """A regular expression for texts beyond ASCII."""

    plain: LineMatcher
    relaxed: Any = None
    """Without boundaries; None where the pattern has none, or crosses lines."""
    marked: Any = None
    has_inside: bool = False

    def spans(self, data: bytes) -> Iterator[Span]:
        """All matches, none overlapping another."""
        if self.relaxed is None:
            yield from self.plain.spans(data)
            return
        for start, end, is_line in _parts(data, self.plain.anchor):
            yield from self._line(data, start, end) if is_line else self._rest(data, start)

    def _line(self, data: bytes, start: int, end: int) -> Iterator[Span]:
        line = data[start:end]
        if line.isascii():
            return _spans(self.plain.compiled, data, start, end)
        return self._in_line(line, start)

    def _rest(self, data: bytes, at: int) -> Iterator[Span]:
        """The matches from a byte on: in lines that may have one, until those are many."""
        begin, tried = at, 0
        while tried < LEAST_TRIED or tried * LINE_COST_BYTES < at - begin:
            found = next(_spans(self.relaxed, data, at, len(data)), None)
            if found is None:
                return
            first = data.rfind(b"\n", 0, found[0]) + 1
            at = _end_of_line(data, found[0])
            yield from self._line(data, first, at)
            if at >= len(data) - 1:
                return
            at += 1
            tried += 1
        for start, end, is_ascii in _blocks(data, at):
            if is_ascii:
                yield from _spans(self.plain.compiled, data, start, end)
                continue
            at = start
            while at <= end and (found := next(_spans(self.relaxed, data, at, end), None)):
                first = data.rfind(b"\n", 0, found[0]) + 1
                at = _end_of_line(data, found[0]) + 1
                yield from self._in_line(data[first : at - 1], first)

    def _in_line(self, line: bytes, at: int) -> Iterator[Span]:
        text = line.decode("utf-8", "replace")
        if BOUNDARY in text or INSIDE in text:
            found = _spans(self.plain.compiled, line, 0, len(line))
            yield from ((at + start, at + stop) for start, stop in found)
            return
        data = marked(text, inside=self.has_inside).encode()
        before: Span | None = None
        for start, stop in _spans(self.marked, data, 0, len(data)):
            span = (at + start - _marks(data, start), at + stop - _marks(data, stop))
            if span != before:  # two marks stand at one place
                yield span
            before = span


def _parts(data: bytes, anchor: bytes) -> Iterator[tuple[int, int, bool]]:
    """The parts of a text that may have matches, with whether each is one line: the lines with the
    anchor, and what comes behind them where they are many."""
    at = 0
    if anchor:
        tried = 0
        found = data.find(anchor)
        while found >= 0 and (tried < LEAST_TRIED or tried * LINE_COST_BYTES < at):
            first = data.rfind(b"\n", 0, found) + 1
            at = _end_of_line(data, found)
            yield first, at, True
            tried += 1
            found = data.find(anchor, at)
        if found < 0:
            return
    yield at, len(data), False


def _blocks(data: bytes, at: int) -> Iterator[tuple[int, int, bool]]:
    """The lines from a byte on, with those that follow each other together as far as all of them
    are ASCII, or none is: begin, end, whether they are."""
    codes = np.frombuffer(data, np.uint8, offset=at)
    starts = np.concatenate(([0], np.flatnonzero(codes == _LINE_FEED) + 1))
    edges = (starts + at).tolist()
    if starts[-1] == len(codes):
        starts = starts[:-1]  # a text that ends with a line's end has no line behind it
    else:
        edges.append(len(data) + 1)
    lines = np.flatnonzero(np.maximum.reduceat(codes, starts) >= _CONTINUES)
    done = 0
    # Where the next line beyond ASCII is not the one behind the last, a block of them ends.
    for block in np.split(lines, np.flatnonzero(np.diff(lines) > 1) + 1) if len(lines) else ():
        first, behind = int(block[0]), int(block[-1]) + 1
        if first > done:
            yield edges[done], edges[first] - 1, True
        yield edges[first], edges[behind] - 1, False
        done = behind
    if done < len(edges) - 1:
        yield edges[done], edges[-1] - 1, True


def _end_of_line(data: bytes, at: int) -> int:
    end = data.find(b"\n", at)
    return len(data) if end < 0 else end


def _spans(compiled: Any, data: bytes, start: int, end: int) -> Iterator[Span]:
    """The matches between two bytes, around which the text is seen."""
    search = _search(compiled)
    while start <= end:
        span = search(data, start, end)
        first, last = span
        if first < 0:
            return
        if first < last:
            yield span
            start = last
            continue
        if last == len(data) and (not data or data.endswith(b"\n")):
            return  # behind the last line's end there is no further line
        yield span
        start = last + 1
        while start < end and data[start] & _LEADING_BITS == _CONTINUES:
            start += 1


def _search(compiled: Any) -> Callable[[bytes, int, int], Span]:
    """Where the first match between two bytes is; (-1, -1) where there is none.

    The public interface makes an object of all groups for each match, which costs more than the
    match: what it calls is called, as long as the library has it.
    """
    try:
        match, unanchored = compiled._regexp.Match, re2._Anchor.UNANCHORED
    except AttributeError:

        def with_object(data: bytes, start: int, end: int) -> Span:
            found = compiled.search(data, start, end)
            return (-1, -1) if found is None else found.span()

        return with_object

    def directly(data: bytes, start: int, end: int) -> Span:
        spans: list[Span] = match(unanchored, data, start, end)
        return spans[0]

    return directly


def _marks(data: bytes, end: int) -> int:
    """Bytes of marks before a byte."""
    return MARK_BYTES * (data.count(_BOUNDARY, 0, end) + data.count(_INSIDE, 0, end))
