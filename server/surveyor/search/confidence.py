"""How likely a result is what was asked for: a probability from 0 to 1.

A logistic model over a few facts about the result and the query. The coefficients are fitted on
the development split by `tests/bench/retrieval`, with repositories left out to check them.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp

__all__ = ["LOW", "Evidence", "confidence", "coverage"]

LOW = 0.2
"""Below this for the best result, an answer says that the index may not have it."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """What is known about one result of one query."""

    position: int
    """0-based place in the list."""
    ratio: float
    """Its score over the best score of the list, 0 to 1."""
    margin: float
    """How far the first is above the next file, as a share of its score; 0 for the others."""
    similarity: float
    """Cosine of query and chunk; 0 where unknown."""
    coverage: float
    """Share of the query's words that the chunk or its path says."""
    path_match: float
    """Share of the query's words that the path says."""
    both: bool
    """Found by both sides."""
    defines: float
    """How well it defines a name of the query, 0 to 1."""


INTERCEPT = -3.2
WEIGHTS = {
    "first": 0.6,
    "ratio": 1.2,
    "margin": 1.5,
    "similarity": 1.5,
    "coverage": 1.5,
    "path_match": 1.5,
    "both": 0.5,
    "defines": 2.5,
}


def features(evidence: Evidence) -> dict[str, float]:
    """The model's inputs, by name."""
    return {
        "first": 1.0 if evidence.position == 0 else 0.0,
        "ratio": evidence.ratio,
        "margin": evidence.margin,
        "similarity": evidence.similarity,
        "coverage": evidence.coverage,
        "path_match": evidence.path_match,
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
