"""Fit and check `surveyor.search.confidence`: logistic regressions, repositories left out.

Questions come in sets, of which some count more than they are many: the benchmark's, those of
strangers in three styles, and three sets of questions without an answer.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from surveyor.search.confidence import (
    LOW,
    Evidence,
    answer_features,
    confidences,
    joined,
    observed,
    result_features,
)
from surveyor.search.evidence import (
    Surroundings,
    evidence_of,
    unsaid_words,
    words_said,
)
from surveyor.search.rank import RankedCandidate
from tests.bench.retrieval.asking import Asked
from tests.bench.retrieval.metrics import Place, is_relevant

HIGH = 0.8
LOWS = (0.15, LOW, 0.3)
SETS = {
    "strangers": 1.5,
    "keywords": 2.0,
    "how and where": 2.0,
    "other words": 2.0,
    "absent": 2.0,
    "absent at strangers": 1.5,
    "absent elsewhere": 0.6,
}
"""What a question of a set counts; of the benchmark 1."""
GROUPS = (0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
LEAST_GROUP = 10
MOST = 0.95
"""Most that the table may say: no result of a search is certain."""
PENALTY = 1.0
"""Ridge penalty on standardised coefficients, in units of one result's log loss."""

Rows = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Judged:
    """The results of one question: what is known of each, and whether it is relevant."""

    repository: str
    evidence: tuple[Evidence, ...]
    relevant: tuple[bool, ...]
    aside: tuple[bool, ...]
    """Whether each is in tests, documentation and the like, which the annotations do not judge."""
    answers: bool
    """Whether the repository has an answer at all."""
    set: str
    """Of `SETS`, or `benchmark`."""


def judge(asked: Asked, ranked: Sequence[RankedCandidate], of_set: str = "benchmark") -> Judged:
    question, query = asked.question, asked.query
    said = words_said(query, ranked, [asked.text_of(each.candidate.id) for each in ranked])
    nowhere = frozenset(unsaid_words(query, said)) - asked.standing
    around = Surroundings(asked.chunks, nowhere)
    return Judged(
        question.repository,
        tuple(evidence_of(query, ranked, said, around)),
        tuple(
            any(
                is_relevant(
                    Place(
                        asked.prefix + each.candidate.path,
                        each.candidate.start_line,
                        each.candidate.end_line,
                    ),
                    target,
                )
                for target in question.targets
            )
            for each in ranked
        ),
        aside=tuple(bool(each.candidate.labels) for each in ranked),
        answers=bool(question.targets),
        set=of_set,
    )


def _is_judged(one: Judged, position: int) -> bool:
    """Whether it is known if a result is relevant."""
    return one.relevant[position] or not one.aside[position]


@dataclass(frozen=True, slots=True)
class Logistic:
    """A logistic model of named inputs."""

    intercept: float
    weights: dict[str, float]

    def chance(self, inputs: Mapping[str, float]) -> float:
        z = self.intercept + sum(self.weights[name] * value for name, value in inputs.items())
        return float(1.0 / (1.0 + np.exp(-z)))


@dataclass(frozen=True, slots=True)
class Fit:
    """Both models, and the table from what the second says to what was seen."""

    answer: Logistic
    result: Logistic
    said: tuple[float, ...]
    seen: tuple[float, ...]

    def confidences(self, evidence: Sequence[Evidence]) -> list[float]:
        """What would be said of a query's results."""
        if not evidence:
            return []
        chances = [self.result.chance(result_features(each)) for each in evidence]
        told = [observed(each, self.said, self.seen) for each in chances]
        return joined(self.answer.chance(answer_features(evidence)), told)


def fit(judged: Sequence[Judged]) -> Fit:
    """Whether there is an answer, from all; which result it is, from those that have one."""
    asked = [one for one in judged if one.evidence]
    answer = _logistic(
        [answer_features(one.evidence) for one in asked],
        [one.answers for one in asked],
        [SETS.get(one.set, 1.0) for one in asked],
    )
    rows = [
        (result_features(evidence), hit, SETS.get(one.set, 1.0))
        for one in asked
        if one.answers
        for position, (evidence, hit) in enumerate(zip(one.evidence, one.relevant, strict=True))
        if _is_judged(one, position)
    ]
    inputs, hits, counts = (list(column) for column in zip(*rows, strict=True))
    result = _logistic(inputs, hits, counts)
    chances = np.array([result.chance(each) for each in inputs])
    said, seen = _table(chances, np.array(hits, float), np.array(counts))
    return Fit(answer, result, said, seen)


def _logistic(
    inputs: Sequence[Mapping[str, float]], hits: Sequence[bool], counts: Sequence[float]
) -> Logistic:
    """A logistic model by Newton's method."""
    names = list(inputs[0])
    raw = np.array([list(each.values()) for each in inputs])
    seen, weighed = np.array(hits, float), np.array(counts)
    mean, spread = raw.mean(axis=0), raw.std(axis=0) + 1e-9
    columns = np.c_[np.ones(len(raw)), (raw - mean) / spread]
    weights = np.zeros(columns.shape[1])
    ridge = np.diag([0.0] + [PENALTY] * len(names))
    for _ in range(30):
        chance = 1.0 / (1.0 + np.exp(-columns @ weights))
        slope = columns.T @ (weighed * (chance - seen)) + ridge @ weights
        curve = (columns * (weighed * chance * (1 - chance))[:, None]).T @ columns + ridge
        weights -= np.linalg.solve(curve, slope)
    scaled = weights[1:] / spread
    return Logistic(
        float(weights[0] - scaled @ mean), dict(zip(names, map(float, scaled), strict=True))
    )


def _table(chances: Rows, hits: Rows, counts: Rows) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """What the model says against what was seen, by groups, never falling (adjacent groups that
    would are pooled)."""
    group = np.digitize(chances, GROUPS)
    pooled: list[tuple[float, float, float]] = []
    for number in range(len(GROUPS) + 1):
        own = group == number
        if own.sum() < LEAST_GROUP:
            continue
        total = float(counts[own].sum())
        row = (
            float(np.average(chances[own], weights=counts[own])),
            float(np.average(hits[own], weights=counts[own])),
            total,
        )
        while pooled and pooled[-1][1] >= row[1]:
            last = pooled.pop()
            both = last[2] + row[2]
            row = (
                (last[0] * last[2] + row[0] * row[2]) / both,
                (last[1] * last[2] + row[1] * row[2]) / both,
                both,
            )
        pooled.append(row)
    top = min(MOST, pooled[-1][1] + 0.02)
    said = (0.0, *(row[0] for row in pooled), 1.0)
    return said, (0.0, *(min(MOST, row[1]) for row in pooled), top)


def report(judged: Sequence[Judged]) -> None:
    """Print the constants, and what they are worth on repositories that they did not see."""
    model = fit(judged)
    for name, each in (("ANSWER", model.answer), ("RESULT", model.result)):
        _say(f"{name}_INTERCEPT = {each.intercept:.2f}")
        for label, weight in each.weights.items():
            _say(f'    "{label}": {weight:.2f},')
    _say(f"SAID = {tuple(round(each, 3) for each in model.said)}")
    _say(f"SEEN = {tuple(round(each, 3) for each in model.seen)}")
    left: list[list[float]] = [[] for _ in judged]
    answer = [0.0] * len(judged)
    for repository in dict.fromkeys(one.repository for one in judged):
        without = fit([one for one in judged if one.repository != repository])
        for number, one in enumerate(judged):
            if one.repository == repository and one.evidence:
                left[number] = without.confidences(one.evidence)
                answer[number] = without.answer.chance(answer_features(one.evidence))
    sets = list(dict.fromkeys(one.set for one in judged))
    of_set = {each: [n for n, one in enumerate(judged) if one.set == each] for each in sets}
    for name in sets:
        if not judged[of_set[name][0]].answers:
            most = np.quantile([answer[n] for n in of_set[name]], 0.95)
            _say(f"{name}: whether there is an answer is below {most:.3f} for 95 %")
    shipped = [confidences(one.evidence) for one in judged]
    for label, chances in (("repositories left out", left), ("as shipped", shipped)):
        for name in sets:
            numbers = of_set[name]
            own = [judged[n] for n in numbers]
            _describe(f"{label}, {name}", own, [chances[n] for n in numbers])


def _describe(label: str, judged: Sequence[Judged], chances: Sequence[Sequence[float]]) -> None:
    """How often the best result is below or above some values, and what was seen by tenths."""
    best = [max(each, default=0.0) for each in chances]
    below = ", ".join(f"{low}: {np.mean([b < low for b in best]):.3f}" for low in LOWS)
    high = np.mean([value >= HIGH for value in best])
    _say(f"{label}: {len(best)} questions, best below {below}; {HIGH} and more {high:.3f}")
    pairs = [
        (chance, hit)
        for one, said in zip(judged, chances, strict=True)
        if one.answers
        for n, (chance, hit) in enumerate(zip(said, one.relevant, strict=True))
        if _is_judged(one, n)
    ]
    for low in np.arange(0.0, 1.0, 0.1):
        own = [(chance, hit) for chance, hit in pairs if low <= chance < low + 0.1]
        if own:
            said, seen = np.mean([c for c, _ in own]), np.mean([h for _, h in own])
            _say(
                f"  {low:.1f}–{low + 0.1:.1f}: {len(own):5} results,"
                f" said {said:.2f}, {seen:.2f} relevant"
            )


def _say(text: str) -> None:
    sys.stdout.write(text + "\n")
