"""What is quoted or pasted, found word for word: literals, error messages, lines of code."""

from __future__ import annotations

from collections.abc import Sequence

from surveyor.embedding.tokens import raw_words
from surveyor.search.query import Query

__all__ = ["share_said", "wanted_phrases"]

LEAST_WORDS = 2
"""Words of a text that has an order worth looking for."""

MOST_WORDS = 40
"""Words of a pasted text that count; a longer one is found by its beginning."""

LEAST_RUN, LEAST_SHARE = 3, 0.4
"""Words in a row, and share of a phrase, that are no coincidence; or all of a shorter one."""


def wanted_phrases(query: Query) -> tuple[tuple[str, ...], ...]:
    """The texts of a query that are looked for word for word, as lower-case words."""
    texts: tuple[str, ...] = query.quoted
    if query.kind in ("error", "code") or (query.kind == "literal" and not texts):
        texts = (query.text, *texts)
    phrases = (tuple(word.lower() for word in raw_words(text)[:MOST_WORDS]) for text in texts)
    return tuple(phrase for phrase in phrases if len(phrase) >= LEAST_WORDS)


def share_said(phrases: Sequence[Sequence[str]], text: str) -> float:
    """Greatest share of a phrase that a text says in a row, 0 where that may be coincidence."""
    flat = text.lower()
    likely = (
        [phrase for phrase in phrases if _may_count(phrase, flat)] if text.isascii() else phrases
    )
    if not likely:
        return 0.0
    words = [word.lower() for word in raw_words(text)]
    best = 0.0
    for phrase in likely:
        run = longest_run(phrase, words)
        if _counts(run, len(phrase)):
            best = max(best, run / len(phrase))
    return best


def _may_count(phrase: Sequence[str], flat: str) -> bool:
    """Whether enough of a phrase's words stand somewhere in a text in lower case."""
    return _counts(sum(map(flat.__contains__, phrase)), len(phrase))


def _counts(run: int, words: int) -> bool:
    """Whether a run of a phrase of so many words is no coincidence."""
    return run == words or (run >= LEAST_RUN and run / words >= LEAST_SHARE)


def longest_run(phrase: Sequence[str], words: Sequence[str]) -> int:
    """Most words that both say in a row."""
    places: dict[str, list[int]] = {}
    for place, word in enumerate(phrase):
        places.setdefault(word, []).append(place)
    longest = 0
    ending: dict[int, int] = {}
    for word in words:
        found = places.get(word)
        ending = {place: ending.get(place - 1, 0) + 1 for place in found} if found else {}
        for length in ending.values():
            longest = max(longest, length)
    return longest
