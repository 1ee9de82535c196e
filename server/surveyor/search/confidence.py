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
"""Below this for the best result, an answer says that the index may not have it."""


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
    both: bool
    """Found by both sides."""
    defines: float
    """How well it defines a name of the query, as `RankedCandidate.defines`, or says what it
    quotes."""
    is_name: bool = False
    """Whether the query is a name and nothing else."""
    rivals: int = 0
    """Other results that define the name as well as this one."""


INTERCEPT = -6.71
"""Fitted with questions that the repositories cannot answer among the others, counted twice."""
WEIGHTS = {
    "first": 1.26,
    "margin": 2.86,
    "similarity": 6.04,
    "coverage": 2.64,
    "both": -0.03,
    "defines": 3.54,
    "undefined": -2.34,
    "rivals": -0.91,
}
DEFINED = 0.8
"""How well a result must define the name that is asked for not to be about something else."""
SHARED = 0.5
"""From which a definition competes with others of the same name."""
SAID = (0.0, 0.032, 0.072, 0.14, 0.245, 0.345, 0.441, 0.549, 0.65, 0.798, 0.977, 1.0)
SEEN = (0.0, 0.033, 0.08, 0.132, 0.269, 0.343, 0.529, 0.581, 0.738, 0.8, 0.836, 0.856)
"""What the model says, and which share of such results was relevant."""


def features(evidence: Evidence) -> dict[str, float]:
    """The model's inputs, by name."""
    return {
        "first": 1.0 if evidence.position == 0 else 0.0,
        "margin": evidence.margin,
        "similarity": evidence.similarity,
        "coverage": evidence.coverage,
        "both": 1.0 if evidence.both else 0.0,
        "defines": min(evidence.defines, 1.0),
        "undefined": 1.0 if evidence.is_name and evidence.defines < DEFINED else 0.0,
        "rivals": log1p(evidence.rivals) if evidence.defines >= SHARED else 0.0,
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
