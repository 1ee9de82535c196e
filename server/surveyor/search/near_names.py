"""Names that a half-remembered one is near to: some of its words, in another order, or more."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from functools import lru_cache
from itertools import chain
from math import log

from surveyor.embedding.tokens import STOP_WORDS, split_words, stem
from surveyor.search.rank_types import Candidate

__all__ = ["name_words", "near_names", "rarity_of_words"]

LEAST_WORDS = 2
"""Words of a name that has parts to remember."""
LEAST_NEAR = 0.4
"""Likeness below which a name is no other's."""
HELD = 0.95
"""What a name counts that a chunk holds among others."""
WITHOUT_NAME = 0.9
"""The same of a later part of what is called so, which does not hold the name itself."""


@lru_cache(maxsize=50_000)
def name_words(name: str) -> frozenset[str]:
    """Stemmed words of a name."""
    return frozenset(stem(word) for word in split_words(name) if word not in STOP_WORDS)


def rarity_of_words(
    words: Sequence[str], said: Collection[Sequence[frozenset[str]]], candidates: int
) -> dict[str, float]:
    """The share of each word in what the query says: the fewer of so many candidates' names say
    it, the more, as in IDF. `said` has the words of the names of those that say any."""
    holding = Counter(chain.from_iterable(frozenset().union(*names) for names in said if names))
    rarity = {word: log(1.0 + candidates / max(holding[word], 1)) for word in words}
    total = sum(rarity.values()) or 1.0
    return {word: weight / total for word, weight in rarity.items()}


def near_names(name: str, candidates: Sequence[Candidate]) -> dict[int, float]:
    """How near the names of candidates, by their number, are to one that none of them has.

    1 is a name of the same words; each of them counts by how few of the names say it, and what a
    name says besides counts against it.
    """
    wanted = name_words(name)
    if len(wanted) < LEAST_WORDS:
        return {}
    named = [
        [words for each in (c.symbol_name, *c.symbols) if wanted & (words := name_words(each))]
        for c in candidates
    ]
    said_of_each = [[w & wanted for w in words] for words in named]
    rarity = rarity_of_words(tuple(wanted), said_of_each, len(candidates))
    near: dict[int, float] = {}
    for number, (candidate, names) in enumerate(zip(candidates, named, strict=True)):
        own = name_words(candidate.symbol_name)
        whole = 1.0
        if candidate.is_fragment and candidate.symbol_name not in candidate.symbols:
            whole = WITHOUT_NAME
        for words in names:
            said = sum(rarity[word] for word in words & wanted)
            more = len(words - wanted) / (len(words) + len(wanted))
            likeness = said * (1.0 - more) * (whole if words == own else HELD)
            if likeness >= LEAST_NEAR:
                near[number] = max(near.get(number, 0.0), likeness)
    return near
