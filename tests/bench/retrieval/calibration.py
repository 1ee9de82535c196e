"""Fit and check `surveyor.search.confidence`: logistic regression, repositories left out."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from surveyor.search.confidence import Evidence, confidence, features, observed
from surveyor.search.evidence import evidence_of
from surveyor.search.query import Query
from surveyor.search.rank import RankedCandidate
from tests.bench.retrieval.dataset import Question
from tests.bench.retrieval.metrics import Place, is_relevant

HIGH = 0.8
LOWS = (0.1, 0.15, 0.2, 0.25, 0.3, 0.35)
"""Candidates for `surveyor.search.confidence.LOW`."""
UNANSWERED = 3.0
"""What a result of a question without an answer counts for the model."""
UNANSWERED_SEEN = 0.5
"""What it counts for the table: the less, the truer what is said where there is an answer."""
GROUPS = (0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.97)
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


def judge(
    question: Question,
    query: Query,
    prefix: str,
    ranked: Sequence[RankedCandidate],
    text_of: Callable[[str], str],
) -> Judged:
    return Judged(
        question.repository,
        tuple(evidence_of(query, ranked, [text_of(each.candidate.id) for each in ranked])),
        tuple(
            any(
                is_relevant(
                    Place(
                        prefix + each.candidate.path,
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
    )


def _is_judged(one: Judged, position: int) -> bool:
    """Whether it is known if a result is relevant."""
    return one.relevant[position] or not one.aside[position] or not one.answers


def _rows(judged: Sequence[Judged]) -> list[tuple[Evidence, bool, bool]]:
    """Results that are judged, whether they are relevant, and whether there is an answer."""
    return [
        (evidence, hit, one.answers)
        for one in judged
        for position, (evidence, hit) in enumerate(zip(one.evidence, one.relevant, strict=True))
        if _is_judged(one, position)
    ]


@dataclass(frozen=True, slots=True)
class Fit:
    """A model, and the table from what it says to what was seen."""

    intercept: float
    weights: dict[str, float]
    said: tuple[float, ...] = (0.0, 1.0)
    seen: tuple[float, ...] = (0.0, 1.0)

    def chance(self, evidence: Evidence) -> float:
        """Probability that a result is relevant."""
        return observed(self.raw(evidence), self.said, self.seen)

    def raw(self, evidence: Evidence) -> float:
        """What the model says without the table."""
        inputs = features(evidence)
        z = self.intercept + sum(self.weights[name] * value for name, value in inputs.items())
        return float(1.0 / (1.0 + np.exp(-z)))


def fit(judged: Sequence[Judged]) -> Fit:
    """The logistic model by Newton's method, and its table."""
    rows = _rows(judged)
    names = list(features(rows[0][0]))
    raw = np.array([list(features(evidence).values()) for evidence, _, _ in rows])
    hits = np.array([float(hit) for _, hit, _ in rows])
    counts = np.array([1.0 if answers else UNANSWERED for _, _, answers in rows])
    mean, spread = raw.mean(axis=0), raw.std(axis=0) + 1e-9
    inputs = np.c_[np.ones(len(raw)), (raw - mean) / spread]
    weights = np.zeros(inputs.shape[1])
    ridge = np.diag([0.0] + [PENALTY] * len(names))
    for _ in range(30):
        chance = 1.0 / (1.0 + np.exp(-inputs @ weights))
        slope = inputs.T @ (counts * (chance - hits)) + ridge @ weights
        curve = (inputs * (counts * chance * (1 - chance))[:, None]).T @ inputs + ridge
        weights -= np.linalg.solve(curve, slope)
    scaled = weights[1:] / spread
    model = Fit(
        float(weights[0] - scaled @ mean), dict(zip(names, map(float, scaled), strict=True))
    )
    seen_counts = np.array([1.0 if answers else UNANSWERED_SEEN for _, _, answers in rows])
    raws = np.array([model.raw(evidence) for evidence, _, _ in rows])
    said, seen = _table(raws, hits, seen_counts)
    return replace(model, said=said, seen=seen)


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
    """Print the coefficients, and what they are worth on repositories that they did not see."""
    model = fit(judged)
    _say(f"INTERCEPT = {model.intercept:.2f}")
    for name, weight in model.weights.items():
        _say(f'    "{name}": {weight:.2f},')
    _say(f"SAID = {tuple(round(each, 3) for each in model.said)}")
    _say(f"SEEN = {tuple(round(each, 3) for each in model.seen)}")
    out: list[tuple[float, bool]] = []
    best: list[float] = []
    absent: list[float] = []
    for repository in dict.fromkeys(one.repository for one in judged):
        left = fit([one for one in judged if one.repository != repository])
        for one in judged:
            if one.repository == repository:
                chances = [left.chance(each) for each in one.evidence]
                if one.answers:
                    pairs = zip(chances, one.relevant, strict=True)
                    out += [p for n, p in enumerate(pairs) if _is_judged(one, n)]
                    best.append(max(chances, default=0.0))
                else:
                    absent.append(max(chances, default=0.0))
    _describe_absent("repositories left out", absent, best)
    _describe("repositories left out", out, best)
    shipped = [
        (confidence(each), hit)
        for one in judged
        if one.answers
        for n, (each, hit) in enumerate(zip(one.evidence, one.relevant, strict=True))
        if _is_judged(one, n)
    ]
    lost = [max(map(confidence, one.evidence), default=0.0) for one in judged if not one.answers]
    found = [max(map(confidence, one.evidence), default=0.0) for one in judged if one.answers]
    _describe_absent("as shipped", lost, found)
    _describe("as shipped", shipped, found)


def _describe_absent(label: str, absent: Sequence[float], best: Sequence[float]) -> None:
    """How many questions about something else, and how many that have an answer, are below."""
    for low in LOWS:
        _say(
            f"{label}: best below {low}: {np.mean([v < low for v in absent]):.3f} of questions"
            f" without an answer, {np.mean([v < low for v in best]):.3f} of those with one"
        )


def _describe(label: str, pairs: Sequence[tuple[float, bool]], best: Sequence[float]) -> None:
    high = [hit for chance, hit in pairs if chance >= HIGH]
    _say(
        f"{label}: {HIGH} and more: {len(high)} results,"
        f" {sum(high) / max(len(high), 1):.3f} relevant;"
        f" {sum(value >= HIGH for value in best) / max(len(best), 1):.3f} of answerable questions"
        " have one"
    )
    for low in np.arange(0.0, 1.0, 0.1):
        own = [hit for chance, hit in pairs if low <= chance < low + 0.1]
        if own:
            said = np.mean([chance for chance, _ in pairs if low <= chance < low + 0.1])
            _say(
                f"  {low:.1f}–{low + 0.1:.1f}: {len(own):5} results, said {said:.2f},"
                f" {np.mean(own):.2f} relevant"
            )


def _say(text: str) -> None:
    sys.stdout.write(text + "\n")
