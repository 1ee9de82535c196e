"""Finding definitions by name: exact, prefix, camel humps or their beginnings, substring, fuzzy."""

from __future__ import annotations

import difflib
import re
from functools import lru_cache

FUZZY_CUTOFF = 0.72
"""Least similarity (difflib's ratio) of a name with typing errors."""

SPELLED, SPELLED_SHARE = 0.3, 0.2
"""Score of a name that has a query's letters in their order: more, the larger their share."""
BEGUN = 0.72
"""Score of a name whose words begin as those of the query do."""
ALIKE = 0.5
"""Score of a name with typing errors, by its similarity."""


CAPITAL = re.compile(r"(?<!^)(?=[A-Z])")
"""Where a capital begins a word of a query."""

HUMP = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z0-9]+|[A-Z]")
"""A word of a name."""


@lru_cache(maxsize=100_000)
def humps(name: str) -> str:
    """First letters of a name's words, lower case: `getUserById` gives `gubi`."""
    return "".join(part[0] for part in HUMP.findall(name)).lower()


@lru_cache(maxsize=1000)
def begun_humps(query: str) -> re.Pattern[str] | None:
    """What names look like whose words begin as those of a query do: `MAd`, `getById`.

    The first word has to be the name's first; words between may be left out. `None` for a query
    that does not tell its words apart by capitals.
    """
    if not query.isidentifier() or not CAPITAL.search(query):
        return None
    first, *rest = CAPITAL.split(query)
    parts = [
        # Atomic: where a word is found first is as good as any later place, and costs no retries.
        rf"(?>\w*?(?:{word[0]}|_{word[0].lower()})(?i:{word[1:]}))"
        for word in rest
    ]
    return re.compile(f"_*(?i:{first}){''.join(parts)}", re.ASCII)


def match(query: str, name: str) -> float:
    """How well a name answers a query: 1 for the same, 0 for nothing in common."""
    if name == query:
        return 1.0
    wanted, lower = query.lower(), name.lower()
    if lower == wanted:
        return 0.97
    share = len(wanted) / max(len(lower), 1)
    if lower.startswith(wanted):
        return 0.8 + 0.15 * share
    if flat(wanted) == flat(lower):
        return 0.95
    if len(wanted) > 1 and humps(name).startswith(wanted):
        return 0.75
    begun = begun_humps(query)
    if begun is not None and begun.match(name):
        return BEGUN
    if wanted in lower:
        return 0.55 + 0.15 * share
    if is_wordy(wanted):
        return 0.0
    if is_subsequence(wanted, lower) and len(wanted) >= 3:
        return SPELLED + SPELLED_SHARE * share
    if len(wanted) >= 4 and abs(len(wanted) - len(lower)) <= 3:
        ratio = difflib.SequenceMatcher(None, wanted, lower).ratio()
        if ratio >= FUZZY_CUTOFF:
            return ALIKE * ratio
    return 0.0


def flat(text: str) -> str:
    """A name, or its words, without what stands between them: `get user` is `get_user`."""
    return "".join(text.split()).replace("_", "")


def is_wordy(query: str) -> bool:
    """Whether a query is several words: then names with the same letters are like it by chance."""
    return len(query.split()) > 1


def is_subsequence(short: str, long: str) -> bool:
    """Whether the letters of one text appear in the other in order."""
    letters = iter(long)
    return all(letter in letters for letter in short)
