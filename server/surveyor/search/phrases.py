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
    words = [word.lower() for word in raw_words(text)]
    best = 0.0
    for phrase in phrases:
        run = longest_run(phrase, words)
        share = run / len(phrase)
        if share == 1.0 or (run >= LEAST_RUN and share >= LEAST_SHARE):
            best = max(best, share)
    return best


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
