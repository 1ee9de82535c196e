"""Which words of a query a text says, without taking apart what cannot say any.

Only the lines in which a word begins are cut into words: most lines of a chunk say none.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import chain

from surveyor.embedding.tokens import raw_words, terms

__all__ = ["may_say", "most_telling", "said_by_lines", "said_of"]


def may_say(words: Collection[str], names: Sequence[str]) -> Collection[int]:
    """Which names, by their numbers, may have one of some words among their parts; all others have
    none."""
    if any("\n" in name for name in names):
        return range(len(names))
    return _most_said(frozenset(words), names)


def said_of(words: Sequence[str], text: str) -> set[str]:
    """Those of a query's words that a text says."""
    if not text.isascii():
        return {t for word in set(raw_words(text)) for t in terms(word)}.intersection(words)
    flat = _flat(text)
    # No other word stands in such a text.
    there = [
        (word, at) for word in words if word.isascii() and (at := flat.find(_start(word))) >= 0
    ]
    if not there:
        return set()
    lines = text.split("\n")
    return {word for word, at in there if _says(word, at, flat, lines)}


def said_by_lines(words: Collection[str], lines: Sequence[str]) -> list[int]:
    """How many of a query's words each line says."""
    among = frozenset(words)
    spoken = {at: raw_words(lines[at]) for at in _most_said(among, lines)}
    # Most words say none of them: each is looked at once, however often it stands there.
    saying = {
        word: said
        for word in set(chain.from_iterable(spoken.values()))
        if (said := among.intersection(terms(word)))
    }
    counts = [0] * len(lines)
    for at, spoken_there in spoken.items():
        found = map(saying.__getitem__, saying.keys() & spoken_there)
        counts[at] = len(frozenset().union(*found))
    return counts


def most_telling(words: Collection[str], lines: Sequence[str]) -> int:
    """Which line, from 0, says most of a query's words: the first of several, and of none."""
    among = frozenset(words)
    best = chosen = 0
    likely = _most_said(among, lines)
    for at in sorted(likely, key=lambda at: (-likely[at], at)):
        if likely[at] < best or (likely[at] == best and at > chosen):
            continue
        said = len(among.intersection(chain.from_iterable(map(terms, raw_words(lines[at])))))
        if said > best or (said == best and said and at < chosen):
            best, chosen = said, at
    return chosen


def _most_said(words: frozenset[str], lines: Sequence[str]) -> dict[int, int]:
    """How many of some words lines can say at most, by their numbers: of those that can say any."""
    flat = _flat("\n".join(lines))
    found: dict[int, int] = {}
    for word in words:
        if word.isascii():
            for at in _lines_with(_start(word), flat):
                found[at] = found.get(at, 0) + 1
    if not flat.isascii():
        found.update((at, len(words)) for at, line in enumerate(lines) if not line.isascii())
    return found


def _flat(text: str) -> str:
    """A text as `join_words` has its words."""
    return text.replace("_", "").lower()


def _start(word: str) -> str:
    """What every identifier has in it that says a word: stemming cuts, or makes an i of the last
    letter."""
    return word[:-1] if word.endswith("i") else word


def _says(word: str, at: int, flat: str, lines: Sequence[str]) -> bool:
    """Whether a term of some line is the word, which may begin first at `at` in the flat text."""
    start = _start(word)
    while at >= 0:
        for each in raw_words(lines[flat.count("\n", 0, at)]):
            if word in terms(each):
                return True
        end = flat.find("\n", at)
        at = flat.find(start, end + 1) if end >= 0 else -1
    return False


def _lines_with(start: str, flat: str) -> Iterator[int]:
    """Numbers of the lines, from 0, that something stands in."""
    line = counted = 0
    at = flat.find(start)
    while at >= 0:
        line += flat.count("\n", counted, at)
        yield line
        counted = flat.find("\n", at)
        at = flat.find(start, counted + 1) if counted >= 0 else -1
