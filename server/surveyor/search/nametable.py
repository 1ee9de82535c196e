"""All names of a project, searched loosely in a few milliseconds.

The same answers as `symbols.match` asked of every name, at a hundredth of its cost for tens of
thousands of names: the names lie in one text, which is searched as a whole, best kinds of match
first, and only what is left over is compared letter by letter.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator

import numpy as np
import numpy.typing as npt

from surveyor.search.symbols import (
    ALIKE,
    FUZZY_CUTOFF,
    SPELLED,
    SPELLED_SHARE,
    flat,
    humps,
    is_wordy,
    match,
)

FUZZY_MAX_SHIFT = 3
"""Names whose length differs by more are not taken for typing errors."""

GOOD = 0.75
"""With a match at least this good nobody has made a typing error."""


MANY_ADDED = 2000
"""Added names are a block of their own until there are so many; then all become one."""


class NameTable:
    """Distinct names, ready to be searched; names can be added, not taken out."""

    def __init__(self, names: Iterable[str]) -> None:
        self._known: set[str] = set()
        self._blocks: list[Block] = []
        self.add(names)

    def __len__(self) -> int:
        return len(self._known)

    def add(self, names: Iterable[str]) -> None:
        """Take more names in."""
        # A name with a line end would break the texts; none that a grammar finds has one.
        new = [
            name
            for name in dict.fromkeys(names)
            if name and "\n" not in name and name not in self._known
        ]
        if not new:
            return
        self._known.update(new)
        first, *rest = self._blocks or [Block([])]
        added = [name for block in rest for name in block.names] + new
        if len(added) > MANY_ADDED or not first.names:
            self._blocks = [Block([*first.names, *added])]
        else:
            self._blocks = [first, Block(added)]

    def best(self, query: str, limit: int, enough: float = math.inf) -> list[tuple[float, str]]:
        """The best names and how well they match: best first, then short ones, then by name.

        Names that match worse than all of `limit` others may be missing, and so may names that
        only look like the query where others begin with it. Where one matches at least as well as
        `enough`, those that do not may be missing too: most of what is only spelled in a name.
        """
        if not query or "\n" in query:
            return []
        wanted = query.lower()
        found: dict[str, float] = {}

        def take(names: Iterable[str]) -> None:
            for name in names:
                if name not in found and (score := match(query, name)):
                    found[name] = score

        def least() -> float:
            """Score below which nothing more is wanted."""
            return enough if max(found.values(), default=0.0) >= enough else 0.0

        for tier in zip(*(block.tiers(wanted) for block in self._blocks), strict=True):
            for names in tier:
                take(names)
            if len(found) >= limit:
                break
        loosely = not is_wordy(wanted)
        if loosely and len(wanted) >= 3 and len(found) < limit:
            floor = least()
            for block in self._blocks:
                take(block.spelling(wanted, floor))
        if loosely and max(found.values(), default=0.0) < GOOD:
            floor = least()
            for block in self._blocks:
                take(block.alike(wanted, floor))
        ordered = sorted(found.items(), key=lambda item: (-item[1], len(item[0]), item[0]))
        return [(score, name) for name, score in ordered[:limit]]


class Block:
    """Names that do not change."""

    def __init__(self, names: list[str]) -> None:
        self.names = names
        lower = [name.lower() for name in names]
        self._spelled = lower
        self._letters = letters(lower)
        self._sizes = np.array([len(text) for text in lower], dtype=np.int64)
        self._lower = Lines(lower)
        self._joined = Lines([flat(text) for text in lower])
        self._humps = Lines([humps(name) for name in names])

    def tiers(self, wanted: str) -> Iterator[Iterator[str]]:
        """Names by kind of match, no later kind scoring higher than an earlier one."""
        names = self.names

        def whole_or_prefix() -> Iterator[str]:
            yield from (names[i] for i in self._joined.lines(flat(wanted), whole=True))
            yield from (names[i] for i in self._lower.lines(wanted))

        yield whole_or_prefix()
        if len(wanted) > 1:
            yield (names[i] for i in self._humps.lines(wanted))
        yield (names[i] for i in self._lower.holding(wanted))

    def spelling(self, wanted: str, least: float) -> Iterator[str]:
        """Names in which the letters of the query come in its order, that score `least` or more.

        All its letters have to be there, and a longer name scores less: few are left to read.
        """
        rows = np.arange(len(self.names))
        if least > SPELLED:
            longest = len(wanted) * SPELLED_SHARE / (least - SPELLED)
            rows = np.flatnonzero(self._sizes <= longest + 1)  # one more than any rounding
        mine = letters([wanted])[0]
        for letter in np.flatnonzero(mine):
            rows = rows[self._letters[rows, letter] >= mine[letter]]
        has_them = re.compile(".*?".join(map(re.escape, wanted)), re.DOTALL).search
        for row in rows.tolist():
            if has_them(self._spelled[row]):
                yield self.names[row]

    def alike(self, wanted: str, least: float) -> Iterator[str]:
        """Names that could be the query with typing errors: similar length, mostly its letters."""
        if len(wanted) < 4:
            return
        ratio = max(FUZZY_CUTOFF, least / ALIKE)
        rows = np.flatnonzero(np.abs(self._sizes - len(wanted)) <= FUZZY_MAX_SHIFT)
        # A ratio r means that r * (a + b) / 2 letters of either are in the other.
        common = np.minimum(self._letters[rows], letters([wanted])[0]).sum(axis=1)
        wanted_common = ratio * (self._sizes[rows] + len(wanted)) / 2
        for row in rows[common >= wanted_common - 1e-6].tolist():
            yield self.names[row]


class Lines:
    """Texts as the lines of one text, so that all are searched at once."""

    def __init__(self, texts: list[str]) -> None:
        self._text = "\n" + "\n".join(texts) + "\n"
        self._starts: list[int] = []
        position = 0
        for text in texts:
            self._starts.append(position)
            position += len(text) + 1
        self._starts.append(position)

    def lines(self, start: str, *, whole: bool = False) -> Iterator[int]:
        """Lines that begin with a text, or are it."""
        return self._found("\n" + start + ("\n" if whole else ""))

    def holding(self, part: str) -> Iterator[int]:
        """Lines that hold a text."""
        return self._found(part)

    def _found(self, text: str) -> Iterator[int]:
        if len(self._starts) == 1:
            return
        position = self._text.find(text)
        while position >= 0:
            line = bisect_right(self._starts, position) - 1
            yield line
            position = self._text.find(text, self._starts[line + 1])


LETTERS = 64
"""Columns of letters; some share one, so that counts are never too small."""

AT_ONCE = 8192
"""Texts whose letters are counted in one go: a few MB."""


def letters(texts: list[str]) -> npt.NDArray[np.uint8]:
    """How often each letter comes in each text, 255 at most: a row each, `LETTERS` columns."""
    parts = [np.zeros((0, LETTERS), dtype=np.uint8)]
    for start in range(0, len(texts), AT_ONCE):
        some = texts[start : start + AT_ONCE]
        codes = np.frombuffer("".join(some).encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
        rows = np.repeat(np.arange(len(some)), [len(text) for text in some])
        cells = rows * LETTERS + codes % LETTERS
        counts = np.bincount(cells, minlength=len(some) * LETTERS).reshape(-1, LETTERS)
        parts.append(np.minimum(counts, 255).astype(np.uint8))
    return np.concatenate(parts)
