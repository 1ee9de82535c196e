"""How surely a new function repeats the one that it is most like.

How alike two functions are says little by itself: in other words a helper may share half of what
it calls, and methods of one class share all of it. What tells is that one function stands out: a
project's functions are alike in families, and what was written again is like its original alone.

The weights are fitted on clones (made ones, and the first 22 of `tests/bench/clones.json`) and on
410 functions that real commits of 18 repositories added, not on the last 30 of that file
(`python -m tests.bench.duplicates`), which were seen when the threshold was chosen.
"""

from __future__ import annotations

import math

from surveyor.clones.likeness import Likeness

__all__ = ["FAR", "repeats"]

FAR = -8.0
"""The odds of what has nothing in common."""
MOST_APART = 6.0
"""From which on it does not matter how far off the next one is."""
WEIGHTS = {"odds": 0.39, "apart": 0.85, "shared": 1.42, "siblings": -4.0}
"""No clone that `siblings` is fitted on is in the class of its original: whoever writes there sees
it, and methods of one class are alike without doing the same."""
BIAS = -3.14


def repeats(likest: Likeness, next_odds: float, *, are_siblings: bool) -> float:
    """How surely a function repeats the likest one, between 0 and 1.

    `next_odds` are those of the next like, `FAR` where there is none; siblings are methods of one
    type.
    """
    apart = min(max(likest.odds - next_odds, 0.0), MOST_APART)
    sum_ = (
        BIAS
        + WEIGHTS["odds"] * likest.odds
        + WEIGHTS["apart"] * apart
        + WEIGHTS["shared"] * math.log1p(likest.shared)
        + WEIGHTS["siblings"] * are_siblings
    )
    return 1 / (1 + math.exp(-sum_))
