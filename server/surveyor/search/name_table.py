"""All names of a project, searched loosely in a few milliseconds.

The same answers as `symbols.match` asked of every name, at a hundredth of its cost for tens of
thousands of names: the names lie in one text, which is searched as a whole, best kinds of match
first, and only what is left over is compared letter by letter.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from surveyor.embedding.arrays import distinct
from surveyor.search.symbols import (
    ALIKE,
    BEGUN,
    FUZZY_CUTOFF,
    HUMP,
    SPELLED,
    SPELLED_SHARE,
    begun_humps,
    flat,
    is_wordy,
    match,
)

FUZZY_MAX_SHIFT = 3
"""Names whose length differs by more are not taken for typing errors."""

MOST_ALIKE = 50
"""Names that are compared letter by letter, of each block."""

GOOD = BEGUN
"""With a match at least this good nobody has made a typing error."""

MANY_ADDED = 2000
"""Added names are a block of their own until there are so many; then all become one."""

Rows = npt.NDArray[np.int64]


@dataclass(slots=True)
class NameQuery:
    """A query of names: its limits, and the names found so far with their scores."""

    query: str
    limit: int
    enough: float
    found: dict[str, float] = field(default_factory=dict)

    @property
    def wanted(self) -> str:
        """The query without case."""
        return self.query.lower()

    @property
    def loosely(self) -> bool:
        """Whether names that are only like the query are still to be looked for."""
        return not is_wordy(self.wanted) and (self.spelled or self.mistyped)

    @property
    def spelled(self) -> bool:
        """Whether names that have its letters in their order are looked for."""
        return len(self.wanted) >= 3 and len(self.found) < self.limit

    @property
    def mistyped(self) -> bool:
        """Whether it may have typing errors."""
        return max(self.found.values(), default=0.0) < GOOD

    @property
    def least(self) -> float:
        """Score below which nothing more is wanted."""
        return self.enough if max(self.found.values(), default=0.0) >= self.enough else 0.0

    def take(self, names: Iterable[str]) -> None:
        """Take in those of some names that match."""
        for name in names:
            if name not in self.found and (score := match(self.query, name)):
                self.found[name] = score

    def best(self) -> list[tuple[float, str]]:
        """What was found, best first, then short ones, then by name."""
        ordered = sorted(self.found.items(), key=lambda item: (-item[1], len(item[0]), item[0]))
        return [(score, name) for name, score in ordered[: self.limit]]


class NameTable:
    """Distinct names, ready to be searched; names can be added, not taken out."""

    def __init__(self, names: Iterable[str]) -> None:
        self._known: set[str] = set()
        self._blocks: list[NameBlock] = []
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
        first, *rest = self._blocks or [NameBlock([])]
        added = [name for block in rest for name in block.names] + new
        if len(added) > MANY_ADDED or not first.names:
            self._blocks = [NameBlock([*first.names, *added])]
        else:
            self._blocks = [first, NameBlock(added)]

    def best(self, query: str, limit: int, enough: float = math.inf) -> list[tuple[float, str]]:
        """The best names and how well they match: best first, then short ones, then by name.

        Names that match worse than all of `limit` others may be missing, and so may names that
        only look like the query where others begin with it. Where one matches at least as well as
        `enough`, those that do not may be missing too: most of what is only spelled in a name. Of
        names with typing errors the `MOST_ALIKE` likeliest are looked at.
        """
        sought = self.find_spelled(query, limit, enough)
        if sought.loosely:
            self.find_similar(sought)
        return sought.best()

    def find_spelled(self, query: str, limit: int, enough: float = math.inf) -> NameQuery:
        """The part of `best` that takes a millisecond: names that hold the query or its letters."""
        sought = NameQuery(query, limit, enough)
        if query and "\n" not in query:
            for tier in zip(*(b.tiers(query, limit) for b in self._blocks), strict=True):
                for names in tier:
                    sought.take(names)
                if len(sought.found) >= limit:
                    break
        return sought

    def find_similar(self, sought: NameQuery) -> None:
        """The other part, for which some names are compared letter by letter: 20 ms at worst."""
        if not sought.query or "\n" in sought.query:
            return
        if sought.spelled:
            floor = sought.least
            for block in self._blocks:
                sought.take(block.spelling(sought.wanted, floor))
        if sought.mistyped:
            floor = sought.least
            for block in self._blocks:
                sought.take(block.alike(sought.wanted, floor))


class NameBlock:
    """An immutable block of a table's names.

    Everything is made of all names at once: name by name it took four times as long.
    """

    def __init__(self, names: list[str]) -> None:
        self.names = names
        text = "\n".join(names)
        lower = text.lower()
        self._spelled = lower.split("\n") if names else []
        self._letters = letters(self._spelled)
        self._lower = JoinedTexts(lower, len(names))
        self._sizes = self._lower.sizes
        self._joined = JoinedTexts(flat_lines(lower), len(names))
        self._humps = JoinedTexts(hump_lines(text), len(names))

    def tiers(self, query: str, limit: int) -> Iterator[Iterator[str]]:
        """Names by kind of match, no later kind scoring higher than an earlier one.

        Of each kind the `limit` best, and perhaps more: those that are short.
        """
        wanted = query.lower()

        def short(rows: Rows) -> Iterator[str]:
            if len(rows) > limit:
                sizes = self._sizes[rows]
                rows = rows[sizes <= np.partition(sizes, limit - 1)[limit - 1] + 1]
            yield from (self.names[row] for row in rows.tolist())

        def whole_or_prefix() -> Iterator[str]:
            yield from short(self._joined.whole(flat(wanted)))
            yield from short(self._lower.starting(wanted))

        yield whole_or_prefix()
        if len(wanted) > 1:
            yield short(self._humps.starting(wanted))
        if (begun := begun_humps(query)) is not None:
            rows = self._with_letters(wanted, np.arange(len(self.names))).tolist()
            yield short(np.array([row for row in rows if begun.match(self.names[row])], dtype=int))
        yield short(self._lower.holding(wanted))

    def spelling(self, wanted: str, least: float) -> Iterator[str]:
        """Names in which the letters of the query come in its order, that score `least` or more.

        All its letters have to be there, and a longer name scores less: few are left to read.
        """
        rows = np.arange(len(self.names))
        if least > SPELLED:
            longest = len(wanted) * SPELLED_SHARE / (least - SPELLED)
            rows = np.flatnonzero(self._sizes <= longest + 1)  # one more than any rounding
        for row in self._with_letters(wanted, rows).tolist():
            text, position = self._spelled[row], 0
            for letter in wanted:
                position = text.find(letter, position) + 1
                if not position:
                    break
            else:
                yield self.names[row]

    def _with_letters(self, wanted: str, rows: Rows) -> Rows:
        """Those of some names that have all letters of the query, wherever."""
        mine = letters([wanted])[0]
        for column in np.flatnonzero(mine):
            rows = rows[self._letters[rows, column] >= mine[column]]
        return rows

    def alike(self, wanted: str, least: float) -> Iterator[str]:
        """Names that could be the query with typing errors: similar length, mostly its letters.

        Only the `MOST_ALIKE` that have most of its letters: to compare one costs up to a ms.
        """
        if len(wanted) < 4:
            return
        ratio = max(FUZZY_CUTOFF, least / ALIKE)
        rows = np.flatnonzero(np.abs(self._sizes - len(wanted)) <= FUZZY_MAX_SHIFT)
        # A ratio r means that r * (a + b) / 2 letters of either are in the other.
        common = np.minimum(self._letters[rows], letters([wanted])[0]).sum(axis=1)
        wanted_common = ratio * (self._sizes[rows] + len(wanted)) / 2
        near = common >= wanted_common - 1e-6
        rows, likeness = rows[near], (common[near] / (self._sizes[rows[near]] + len(wanted)))
        for row in rows[np.argsort(-likeness, kind="stable")[:MOST_ALIKE]].tolist():
            yield self.names[row]


class JoinedTexts:
    """Texts as the lines of one text, so that all are searched at once."""

    def __init__(self, text: str, count: int) -> None:
        self._text = f"\n{text}\n" if count else "\n"
        codes = np.frombuffer(self._text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
        ends = np.flatnonzero(codes == ord("\n")).astype(np.int64)
        self._starts = ends[:-1] + 1
        self.sizes = np.diff(ends) - 1

    def whole(self, text: str) -> Rows:
        """Lines that are a text."""
        return self._rows(f"\n{text}\n", 1)

    def starting(self, text: str) -> Rows:
        """Lines that begin with a text."""
        return self._rows(f"\n{text}", 1)

    def holding(self, text: str) -> Rows:
        """Lines that hold a text."""
        return self._rows(text, 0)

    def _rows(self, text: str, shift: int) -> Rows:
        """Lines in which `shift` characters after the start of an occurrence lie."""
        if not len(self._starts):
            return np.zeros(0, dtype=np.int64)
        positions: list[int] = []
        find = self._text.find
        position = find(text)
        while position >= 0:
            positions.append(position + shift)
            position = find(text, position + 1)
        return distinct(np.searchsorted(self._starts, positions, side="right") - 1)


LINE_ENDS_AND_HUMPS = re.compile(rf"\n|{HUMP.pattern}")
OTHER_SPACE = re.compile(r"[^\S\n]+")


def hump_lines(text: str) -> str:
    """`symbols.humps` of every line."""
    return "".join([part[0] for part in LINE_ENDS_AND_HUMPS.findall(text)]).lower()


def flat_lines(text: str) -> str:
    """`symbols.flat` of every line."""
    return OTHER_SPACE.sub("", text.replace("_", "").replace(" ", ""))


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
