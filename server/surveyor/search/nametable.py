"""All names of a project, searched loosely in a few milliseconds.

The same answers as `symbols.match` asked of every name, at a hundredth of its cost for tens of
thousands of names: the names lie in one text, which is searched as a whole, best kinds of match
first, and only what is left over is compared letter by letter.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator

from surveyor.search.symbols import FUZZY_CUTOFF, flat, humps, is_wordy, match

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

    def best(self, query: str, limit: int) -> list[tuple[float, str]]:
        """The best names and how well they match: best first, then short ones, then by name.

        Names that match worse than all of `limit` others may be missing, and so may names that
        only look like the query where others begin with it.
        """
        if not query or "\n" in query:
            return []
        wanted = query.lower()
        found: dict[str, float] = {}

        def take(names: Iterable[str]) -> None:
            for name in names:
                if name not in found and (score := match(query, name)):
                    found[name] = score

        for tier in zip(*(block.tiers(wanted) for block in self._blocks), strict=True):
            for names in tier:
                take(names)
            if len(found) >= limit:
                break
        if not is_wordy(wanted) and (not found or max(found.values()) < GOOD):
            for block in self._blocks:
                take(block.alike(wanted))
        ordered = sorted(found.items(), key=lambda item: (-item[1], len(item[0]), item[0]))
        return [(score, name) for name, score in ordered[:limit]]


class Block:
    """Names that do not change."""

    def __init__(self, names: list[str]) -> None:
        self.names = names
        lower = [name.lower() for name in names]
        self._lower = Lines(lower)
        self._joined = Lines([flat(text) for text in lower])
        self._humps = Lines([humps(name) for name in names])
        self._by_length: dict[int, list[tuple[int, str]]] = {}
        for name, text in zip(names, lower, strict=True):
            self._by_length.setdefault(len(text), []).append((letters(text), name))

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
        if len(wanted) >= 3 and not is_wordy(wanted):
            yield (names[i] for i in self._lower.spelling(wanted))

    def alike(self, wanted: str) -> Iterator[str]:
        """Names that could be the query with typing errors: similar length, mostly its letters."""
        size = len(wanted)
        if size < 4:
            return
        mask = letters(wanted)
        for length in range(max(1, size - FUZZY_MAX_SHIFT), size + FUZZY_MAX_SHIFT + 1):
            # A ratio r means that r * (a + b) / 2 letters of either are in the other.
            common = FUZZY_CUTOFF * (size + length) / 2
            lost, added = size - common, length - common
            for theirs, name in self._by_length.get(length, ()):
                if (mask & ~theirs).bit_count() <= lost and (theirs & ~mask).bit_count() <= added:
                    yield name


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

    def spelling(self, word: str) -> Iterator[int]:
        """Lines in which the letters of a word come in its order."""
        steps = (f"[^{re.escape(char)}\n]*{re.escape(char)}" for char in word)
        for hit in re.finditer("\n" + "".join(steps), self._text):
            yield bisect_right(self._starts, hit.start()) - 1

    def _found(self, text: str) -> Iterator[int]:
        if len(self._starts) == 1:
            return
        position = self._text.find(text)
        while position >= 0:
            line = bisect_right(self._starts, position) - 1
            yield line
            position = self._text.find(text, self._starts[line + 1])


def letters(text: str) -> int:
    """The set of a text's characters as bits; two characters may share one."""
    mask = 0
    for char in text:
        mask |= 1 << (ord(char) & 63)
    return mask
