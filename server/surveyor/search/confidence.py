"""How likely a result is what was asked for: a probability from 0 to 1.

A logistic model over a few facts about the result and the query. The coefficients are fitted on
the development split by `tests/bench/retrieval`, with repositories left out to check them.
"""

from __future__ import annotations

from math import exp

import msgspec

__all__ = ["LOW", "Evidence", "confidence", "coverage"]

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


INTERCEPT = -5.71
"""Fitted with questions that the repositories cannot answer among the others."""
WEIGHTS = {
    "first": 1.74,
    "margin": 1.94,
    "similarity": 6.1,
    "coverage": 0.59,
    "both": 0.14,
    "defines": 2.17,
}


def features(evidence: Evidence) -> dict[str, float]:
    """The model's inputs, by name."""
    return {
        "first": 1.0 if evidence.position == 0 else 0.0,
        "margin": evidence.margin,
        "similarity": evidence.similarity,
        "coverage": evidence.coverage,
        "both": 1.0 if evidence.both else 0.0,
        "defines": evidence.defines,
    }


def confidence(evidence: Evidence) -> float:
    """Probability that the result is relevant."""
    z = INTERCEPT + sum(WEIGHTS[name] * value for name, value in features(evidence).items())
    return 1.0 / (1.0 + exp(-z))


def coverage(words: tuple[str, ...], found: frozenset[str]) -> float:
    """Share of the query's words among the stemmed words of a result; 0 for no words."""
    return sum(word in found for word in words) / len(words) if words else 0.0
