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
from math import exp, log1p

import msgspec

__all__ = ["EVIDENCE_DEPTH", "LOW", "Evidence", "answerable", "confidences", "coverage", "observed"]

EVIDENCE_DEPTH = 10
"""First results that are looked at for whether there is an answer: the confidence of a result does
not depend on how many were asked for."""

LOW = 0.2
"""Below this for the best result an answer says that nothing matches well, and shows less of it.
The best result is below it exactly where `answerable` is below `LEAST_ANSWERABLE`."""

ROUNDING = 0.001
"""Step that confidences are told in: what is below `LOW` is below it as told, too."""

LEAST_ANSWERABLE = 0.645
"""The least that 95 % of each set of questions without an answer stay below."""

MOST_WORDS = 9
"""Of a query that count: no question with an answer that was fitted on has more, and what each
further one would add was never seen. A paragraph says half of its words in any repository."""

SURELY_ANSWERABLE = 0.85
"""From here what is said of a result is what the second model says; below, it comes nearer to `LOW`
as this comes nearer to `LEAST_ANSWERABLE`."""


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
    words: int = 0
    """Telling words of the query."""
    meaning_rank: int = 0
    """1-based rank of the chunk by meaning; 0 where it was not found so."""
    words_rank: int = 0
    """The same by words."""
    is_name: bool = False
    """Whether the query is a name and nothing else."""
    rivals: int = 0
    """Other results that define the name as well as this one."""


ANSWER_INTERCEPT = -5.97
"""Of questions about what is not there, among the others and counted more."""
ANSWER_WEIGHTS = {
    "similarity": 8.68,
    "coverage": 3.40,
    "defines": 8.72,
    "unsaid": -1.15,
    "words_unsaid": -0.12,
    "words_said": 0.80,
    "is_name": -3.43,
    "name_similarity": -1.73,
}
RESULT_INTERCEPT = -4.00
RESULT_WEIGHTS = {
    "margin": 3.32,
    "similarity": 2.12,
    "coverage": 0.81,
    "defines": 3.87,
    "rivals": -0.44,
    "name_similarity": -2.49,
    "nearest": 3.93,
    "most_said": 2.36,
    "first": 0.52,
}
SHARED = 0.5
"""From which a definition competes with others of the same name."""
SAID = (
    0.0,
    0.019,
    0.035,
    0.071,
    0.120,
    0.173,
    0.244,
    0.346,
    0.445,
    0.549,
    0.651,
    0.755,
    0.853,
    0.962,
    1.0,
)
SEEN = (
    0.0,
    0.007,
    0.024,
    0.063,
    0.138,
    0.181,
    0.335,
    0.358,
    0.534,
    0.579,
    0.654,
    0.708,
    0.766,
    0.902,
    0.922,
)
"""What the second model says, and which share of such results was relevant where there is an
answer."""


def answer_features(evidence: Sequence[Evidence]) -> dict[str, float]:
    """Inputs of the model of whether there is an answer, from the first results of a query."""
    head = evidence[:EVIDENCE_DEPTH]
    first = head[0]
    words = min(first.words, MOST_WORDS)
    return {
        "similarity": max(each.similarity for each in head),
        "coverage": max(each.coverage for each in head),
        "defines": min(max(each.defines for each in head), 1.0),
        "unsaid": first.unsaid,
        "words_unsaid": first.unsaid * words,
        "words_said": (1.0 - first.unsaid) * words,
        "is_name": float(first.is_name),
        # What a name is near to says less of it than what a sentence is near to.
        "name_similarity": first.similarity if first.is_name else 0.0,
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
    }


def answerable(evidence: Sequence[Evidence]) -> float:
    """Probability that the repository has an answer, from the results of a query in order; 0 for
    none."""
    if not evidence:
        return 0.0
    inputs = answer_features(evidence)
    return _logistic(
        ANSWER_INTERCEPT + sum(ANSWER_WEIGHTS[name] * value for name, value in inputs.items())
    )


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
