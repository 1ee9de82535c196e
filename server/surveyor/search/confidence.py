"""How likely a result is what was asked for: a probability from 0 to 1.

A logistic model over a few facts about the result and the query, and a table from what it says to
what was observed: nothing is more often right than the best of the table. Both are fitted on the
development split by `tests/bench/retrieval`, with repositories left out to check them.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from math import exp, log1p

import msgspec

__all__ = ["LOW", "Evidence", "confidence", "coverage", "observed"]

LOW = 0.2
"""Below this for the best result an answer says that nothing matches well, and shows less of it:
the least of the tabled thresholds that 95 % of the questions without an answer stay below."""


class Evidence(msgspec.Struct, frozen=True, gc=False):
    """What is known about one result of one query."""

    position: int
    """0-based place in the list."""
    margin: float
    """How far the first is above the next file, as a share of its score; 0 for the others."""
    similarity: float
    """Cosine of query and chunk; 0 where unknown."""
    coverage: float
    """Share of the query's words that the chunk or its path says."""
    unsaid: float
    """Share of the query's words that none of the first results says."""
    defines: float
    """How well it defines a name of the query, as `RankedCandidate.defines`, or says what it
    quotes."""
    is_name: bool = False
    """Whether the query is a name and nothing else."""
    rivals: int = 0
    """Other results that define the name as well as this one."""


INTERCEPT = -5.21
"""Fitted with questions that the repositories cannot answer among the others, counted more."""
WEIGHTS = {
    "margin": 2.61,
    "similarity": 5.39,
    "coverage": 1.38,
    "unsaid": -2.36,
    "defines": 4.25,
    "rivals": -0.69,
    "name_similarity": -3.58,
    "first_similarity": 3.07,
}
SHARED = 0.5
"""From which a definition competes with others of the same name."""
SAID = (
    0.0,
    0.007,
    0.033,
    0.073,
    0.142,
    0.244,
    0.345,
    0.451,
    0.547,
    0.647,
    0.749,
    0.848,
    0.935,
    0.992,
    1.0,
)
SEEN = (
    0.0,
    0.011,
    0.039,
    0.102,
    0.148,
    0.273,
    0.443,
    0.556,
    0.614,
    0.621,
    0.726,
    0.783,
    0.872,
    0.917,
    0.937,
)
"""What the model says, and which share of such results was relevant."""


def features(evidence: Evidence) -> dict[str, float]:
    """The model's inputs, by name."""
    first = evidence.position == 0
    return {
        "margin": evidence.margin,
        "similarity": evidence.similarity,
        "coverage": evidence.coverage,
        "unsaid": evidence.unsaid,
        "defines": min(evidence.defines, 1.0),
        "rivals": log1p(evidence.rivals) if evidence.defines >= SHARED else 0.0,
        # What a name is near to says less of it than what a sentence is near to.
        "name_similarity": evidence.similarity if evidence.is_name else 0.0,
        "first_similarity": evidence.similarity if first else 0.0,
    }


def confidence(evidence: Evidence) -> float:
    """Probability that the result is relevant."""
    z = INTERCEPT + sum(WEIGHTS[name] * value for name, value in features(evidence).items())
    return observed(1.0 / (1.0 + exp(-z)), SAID, SEEN)


def observed(said: float, saids: Sequence[float], seen: Sequence[float]) -> float:
    """What was seen where the model said so much, between the nearest rows of a table."""
    at = min(bisect_right(saids, said), len(saids) - 1)
    share = (said - saids[at - 1]) / (saids[at] - saids[at - 1])
    return seen[at - 1] + share * (seen[at] - seen[at - 1])


def coverage(words: tuple[str, ...], found: frozenset[str]) -> float:
    """Share of the query's words among the stemmed words of a result; 0 for no words."""
    return sum(word in found for word in words) / len(words) if words else 0.0
