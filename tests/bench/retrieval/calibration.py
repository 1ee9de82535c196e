"""Fit and check `surveyor.search.confidence`: logistic regression, repositories left out."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from surveyor.search.confidence import LOW, Evidence, confidence, features
from surveyor.search.pipeline import evidence_of
from surveyor.search.query import Query
from surveyor.search.rank import RankedCandidate
from tests.bench.retrieval.dataset import Question
from tests.bench.retrieval.metrics import Place, is_relevant

HIGH = 0.8
PENALTY = 1.0
"""Ridge penalty on standardised coefficients, in units of one result's log loss."""

Rows = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Judged:
    """The results of one question: what is known of each, and whether it is relevant."""

    repository: str
    evidence: tuple[Evidence, ...]
    relevant: tuple[bool, ...]
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
        tuple(
            evidence_of(query, ranked, position, text_of(each.candidate.id))
            for position, each in enumerate(ranked)
        ),
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
        answers=bool(question.targets),
    )


def _matrix(judged: Sequence[Judged]) -> tuple[list[str], Rows, Rows]:
    rows = [features(each) for one in judged for each in one.evidence]
    hits = [float(hit) for one in judged for hit in one.relevant]
    names = list(rows[0])
    return names, np.array([[row[name] for name in names] for row in rows]), np.array(hits)


def fit(judged: Sequence[Judged]) -> tuple[float, dict[str, float]]:
    """Intercept and coefficients, by Newton's method."""
    names, raw, hits = _matrix(judged)
    mean, spread = raw.mean(axis=0), raw.std(axis=0) + 1e-9
    inputs = np.c_[np.ones(len(raw)), (raw - mean) / spread]
    weights = np.zeros(inputs.shape[1])
    ridge = np.diag([0.0] + [PENALTY] * len(names))
    for _ in range(30):
        chance = 1.0 / (1.0 + np.exp(-inputs @ weights))
        slope = inputs.T @ (chance - hits) + ridge @ weights
        curve = (inputs * (chance * (1 - chance))[:, None]).T @ inputs + ridge
        weights -= np.linalg.solve(curve, slope)
    scaled = weights[1:] / spread
    return float(weights[0] - scaled @ mean), dict(zip(names, map(float, scaled), strict=True))


def report(judged: Sequence[Judged]) -> None:
    """Print the coefficients, and what they are worth on repositories that they did not see."""
    intercept, weights = fit(judged)
    _say(f"INTERCEPT = {intercept:.2f}")
    for name, weight in weights.items():
        _say(f'    "{name}": {weight:.2f},')
    out: list[tuple[float, bool]] = []
    best: list[float] = []
    for repository in dict.fromkeys(one.repository for one in judged):
        base, others = fit([one for one in judged if one.repository != repository])
        for one in judged:
            if one.repository == repository:
                chances = [_chance(each, base, others) for each in one.evidence]
                if one.answers:
                    out += zip(chances, one.relevant, strict=True)
                    best.append(max(chances))
    _describe("repositories left out", out, best)
    shipped = [
        (confidence(each), hit)
        for one in judged
        if one.answers
        for each, hit in zip(one.evidence, one.relevant, strict=True)
    ]
    lost = [max(map(confidence, one.evidence), default=0.0) for one in judged if not one.answers]
    if lost:
        _say(
            f"questions about something else: {np.mean([v < LOW for v in lost]):.3f} below {LOW},"
            f" {np.mean([v > HIGH for v in lost]):.3f} above {HIGH}"
        )
    _describe(
        "as shipped",
        shipped,
        [max(map(confidence, one.evidence)) for one in judged if one.answers],
    )


def _chance(evidence: Evidence, intercept: float, weights: dict[str, float]) -> float:
    z = intercept + sum(weights[name] * value for name, value in features(evidence).items())
    return float(1.0 / (1.0 + np.exp(-z)))


def _describe(label: str, pairs: Sequence[tuple[float, bool]], best: Sequence[float]) -> None:
    high = [hit for chance, hit in pairs if chance > HIGH]
    _say(
        f"{label}: above {HIGH}: {len(high)} results, {sum(high) / max(len(high), 1):.3f} relevant;"
        f" {sum(value > HIGH for value in best) / max(len(best), 1):.3f} of answerable questions"
        " have one"
    )
    for low in np.arange(0.0, 1.0, 0.1):
        own = [hit for chance, hit in pairs if low <= chance < low + 0.1]
        if own:
            _say(f"  {low:.1f}–{low + 0.1:.1f}: {len(own):5} results, {np.mean(own):.2f} relevant")


def _say(text: str) -> None:
    sys.stdout.write(text + "\n")
