"""Measures of a ranked list with binary relevance, and intervals for their differences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import log2

import numpy as np

from tests.bench.retrieval.dataset import Target

DEPTH = 10


@dataclass(frozen=True, slots=True)
class Place:
    """A result: a path relative to the repository, and its lines."""

    path: str
    start_line: int
    end_line: int


@dataclass(frozen=True, slots=True)
class Score:
    ndcg: float
    mrr: float
    recall: float


def is_relevant(place: Place, target: Target) -> bool:
    """Whether a result shows a target: its file, and some of its lines where lines are given.

    Some annotations name a file from the subtree that is indexed, not from the repository.
    """
    if place.path != target.path and not place.path.endswith("/" + target.path):
        return False
    if not target.start_line:
        return True
    return place.start_line <= target.end_line and place.end_line >= target.start_line


def score(places: Sequence[Place], targets: Sequence[Target]) -> Score:
    """NDCG, reciprocal rank and recall at 10; a target's rank is that of the first match."""
    ranks = []
    for target in targets:
        for rank, place in enumerate(places[:DEPTH], 1):
            if is_relevant(place, target):
                ranks.append(rank)
                break
    gained = sum(1 / log2(rank + 1) for rank in ranks)
    ideal = sum(1 / log2(rank + 1) for rank in range(1, min(len(targets), DEPTH) + 1))
    return Score(
        ndcg=gained / ideal if ideal else 0.0,
        mrr=1 / min(ranks) if ranks else 0.0,
        recall=len(ranks) / len(targets) if targets else 0.0,
    )


def mean_interval(values: Sequence[float], draws: int = 2000) -> tuple[float, float, float]:
    """Mean and its 95 % bootstrap interval (percentile, fixed seed)."""
    data = np.asarray(values, dtype=np.float64)
    if not len(data):
        return 0.0, 0.0, 0.0
    picks = np.random.default_rng(0).integers(0, len(data), (draws, len(data)))
    low, high = np.percentile(data[picks].mean(axis=1), [2.5, 97.5])
    return float(data.mean()), float(low), float(high)


def paired_interval(before: Sequence[float], after: Sequence[float]) -> tuple[float, float, float]:
    """Mean difference of two configurations on the same questions, and its 95 % interval."""
    return mean_interval([b - a for a, b in zip(before, after, strict=True)])
