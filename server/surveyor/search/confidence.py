"""How likely a result is what was asked for: a probability from 0 to 1.

Two logistic models: whether the repository has an answer at all, from what the first results say
together, and which result it is if so, read through a table from what that model says to what was
observed. Where the first says that there is none, nothing is above `LOW`. Both are fitted by
`tests/bench/retrieval` on questions of several styles and on questions about what is not there,
with repositories left out to check them.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from math import exp, log, log1p

import msgspec

__all__ = [
    "EVIDENCE_DEPTH",
    "LOW",
    "Evidence",
    "answerable",
    "confidences",
    "coverage",
    "is_surely_answerable",
    "observed",
]

EVIDENCE_DEPTH = 10
"""First results that are looked at for whether there is an answer: the confidence of a result does
not depend on how many were asked for."""

LOW = 0.2
"""Below this for the best result an answer says that nothing matches well, and shows less of it.
The best result is below it exactly where `answerable` is below `LEAST_ANSWERABLE`."""

ROUNDING = 0.001
"""Step that confidences are told in: what is below `LOW` is below it as told, too."""

LEAST_ANSWERABLE = 0.569
"""The least that 95 % of each set of questions without an answer stay below."""

SURELY_ANSWERABLE = 0.93
"""From here what is said of a result is what the second model says; below, it comes nearer to `LOW`
as this comes nearer to `LEAST_ANSWERABLE`."""


TYPICAL_CHUNKS = 2_000
"""Of a project of which it is not known."""
LEAST_CHUNKS, MOST_CHUNKS = 300, 15_000
"""Fewer tell no more: among a hundred anything is near the top. Of more than the largest project
that was fitted on nothing was seen."""


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
    defines: float
    """How well it defines a name of the query, as `RankedCandidate.defines`, or says what it
    quotes."""
    meaning_rank: int = 0
    """1-based rank of the chunk by meaning; 0 where it was not found so."""
    words_rank: int = 0
    """The same by words."""
    is_name: bool = False
    """Whether the query is a name and nothing else."""
    rivals: int = 0
    """Other results that define the name as well as this one."""
    chunks: int = 0
    """Chunks of the projects that were searched; 0 where it is not known."""
    nowhere: float = 0.0
    """Share of the query's words that none of those says."""


ANSWER_INTERCEPT = 4.50
"""Of questions about what is not there, among the others and counted more."""
ANSWER_WEIGHTS = {
    "similarity": 9.89,
    "coverage": 2.03,
    "defines": 5.84,
    "is_name": -3.90,
    "name_similarity": -3.36,
    "nowhere": -7.90,
    "log_chunks": -0.94,
}
RESULT_INTERCEPT = -1.84
RESULT_WEIGHTS = {
    "margin": 2.95,
    "similarity": 2.33,
    "coverage": 0.83,
    "defines": 3.76,
    "rivals": -0.42,
    "name_similarity": -2.61,
    "nearest": 3.77,
    "most_said": 2.21,
    "first": 0.68,
    "log_chunks": -0.32,
}
SHARED = 0.5
"""From which a definition competes with others of the same name."""
SAID = (
    0.0,
    0.033,
    0.070,
    0.122,
    0.173,
    0.243,
    0.347,
    0.450,
    0.548,
    0.647,
    0.757,
    0.849,
    0.961,
    1.0,
)
SEEN = (
    0.0,
    0.031,
    0.052,
    0.127,
    0.204,
    0.302,
    0.385,
    0.504,
    0.625,
    0.627,
    0.689,
    0.796,
    0.922,
    0.942,
)
"""What the second model says, and which share of such results was relevant where there is an
answer."""


def answer_features(evidence: Sequence[Evidence]) -> dict[str, float]:
    """Inputs of the model of whether there is an answer, from the first results of a query."""
    head = evidence[:EVIDENCE_DEPTH]
    first = head[0]
    return {
        "similarity": max(each.similarity for each in head),
        "coverage": max(each.coverage for each in head),
        "defines": min(max(each.defines for each in head), 1.0),
        "is_name": float(first.is_name),
        # What a name is near to says less of it than what a sentence is near to.
        "name_similarity": first.similarity if first.is_name else 0.0,
        "nowhere": first.nowhere,
        "log_chunks": _log_chunks(first.chunks),
    }


def result_features(evidence: Evidence) -> dict[str, float]:
    """Inputs of the model of which result is the answer."""
    return {
        "margin": evidence.margin,
        "similarity": evidence.similarity,
        "coverage": evidence.coverage,
        "defines": min(evidence.defines, 1.0),
        "rivals": log1p(evidence.rivals) if evidence.defines >= SHARED else 0.0,
        "name_similarity": evidence.similarity if evidence.is_name else 0.0,
        "nearest": 1.0 / (evidence.meaning_rank + 1) if evidence.meaning_rank else 0.0,
        "most_said": 1.0 / (evidence.words_rank + 1) if evidence.words_rank else 0.0,
        "first": float(evidence.position == 0),
        "log_chunks": _log_chunks(evidence.chunks),
    }


def _log_chunks(chunks: int) -> float:
    """Of more chunks one is nearer by chance, and more are as good as the right one."""
    return log(min(max(chunks, LEAST_CHUNKS), MOST_CHUNKS) if chunks else TYPICAL_CHUNKS)


def answerable(evidence: Sequence[Evidence]) -> float:
    """Probability that the repository has an answer, from the results of a query in order; 0 for
    none."""
    if not evidence:
        return 0.0
    inputs = answer_features(evidence)
    return _logistic(
        ANSWER_INTERCEPT + sum(ANSWER_WEIGHTS[name] * value for name, value in inputs.items())
    )


def is_surely_answerable(evidence: Sequence[Evidence]) -> bool:
    """Whether what is said of results depends no more on how likely there is an answer."""
    return answerable(evidence) >= SURELY_ANSWERABLE


def confidences(evidence: Sequence[Evidence]) -> list[float]:
    """Probability of each of a query's results, in order, that it is relevant."""
    chances = []
    for each in evidence:
        inputs = result_features(each).items()
        z = RESULT_INTERCEPT + sum(RESULT_WEIGHTS[name] * value for name, value in inputs)
        chances.append(observed(_logistic(z), SAID, SEEN))
    return joined(answerable(evidence), chances)


def joined(answer: float, chances: Sequence[float]) -> list[float]:
    """What is said of results, given how likely there is an answer, and how likely each is it."""
    if not chances:
        return []
    if answer < LEAST_ANSWERABLE:
        most = (LOW - ROUNDING) * answer / LEAST_ANSWERABLE
        return [chance * most / max(LOW, chance) for chance in chances]
    share = min((answer - LEAST_ANSWERABLE) / (SURELY_ANSWERABLE - LEAST_ANSWERABLE), 1.0)
    said = [min(each, LOW) + max(each - LOW, 0.0) * share for each in chances]
    best = max(range(len(said)), key=said.__getitem__)
    said[best] = max(said[best], LOW)
    return said


def _logistic(z: float) -> float:
    return 1.0 / (1.0 + exp(-z))


def observed(said: float, saids: Sequence[float], seen: Sequence[float]) -> float:
    """What was seen where the model said so much, between the nearest rows of a table."""
    at = min(bisect_right(saids, said), len(saids) - 1)
    share = (said - saids[at - 1]) / (saids[at] - saids[at - 1])
    return seen[at - 1] + share * (seen[at] - seen[at - 1])


def coverage(words: tuple[str, ...], found: frozenset[str]) -> float:
    """Share of the query's words among the stemmed words of a result; 0 for no words."""
    return sum(word in found for word in words) / len(words) if words else 0.0
