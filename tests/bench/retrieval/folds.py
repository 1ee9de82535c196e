"""Are the ranking's constants more than a fit to the benchmark? Chosen without the repositories
that judge them.

For each fold of repositories the constants are chosen anew on the others, by coordinate ascent from
a plain start; what they are worth on the fold is compared with the shipped constants there. If the
shipped ones were fitted to chance, they would be ahead of the ones chosen without the fold.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from surveyor.config.rank_settings import RankSettings
from tests.bench.retrieval.asking import Asked, scores
from tests.bench.retrieval.metrics import mean_interval
from tests.bench.retrieval.table import gain, with_

FOLDS = 5

START: Mapping[str, float] = {
    "dense_weight": 0.5,
    "dense_weight_symbol": 0.5,
    "coherence_weight": 0.2,
    "definition_weight": 1.0,
    "definition_weight_symbol": 2.0,
    "definition_inexact": 1.0,
    "definition_stem": 1.0,
    "stem_weight": 0.5,
    "stem_coverage": 0.0,
    "tests_weight": 0.5,
    "docs_weight": 0.5,
    "examples_weight": 0.5,
    "generated_weight": 0.5,
    "reexport_weight": 0.5,
    "short_weight": 1.0,
    "saturation_weight": 0.5,
}
"""Round values with no claim, from which each search starts."""

GRID: Mapping[str, Sequence[float]] = {
    "saturation_weight": (0.1, 0.25, 0.5),
    "stem_coverage": (0.0, 0.5, 0.9),
    "stem_weight": (0.5, 1.0, 1.5),
    "coherence_weight": (0.1, 0.2, 0.4),
    "definition_weight": (1.0, 2.0, 3.0),
    "definition_weight_symbol": (2.0, 5.0),
    "docs_weight": (0.15, 0.3, 0.5),
    "tests_weight": (0.15, 0.3, 0.5),
    "examples_weight": (0.15, 0.3, 0.5),
    "generated_weight": (0.25, 0.5, 1.0),
    "reexport_weight": (0.5, 0.8, 1.0),
    "short_weight": (0.7, 0.85, 1.0),
    "dense_weight": (0.3, 0.4, 0.5, 0.6),
    "dense_weight_symbol": (0.25, 0.4, 0.5),
    "definition_inexact": (0.1, 0.3, 1.0),
    "definition_stem": (1.0, 1.5),
}
"""What is tried for each constant, in this order."""

Chosen = tuple[tuple[str, float], ...]
Values = NDArray[np.float64]


class Trial:
    """NDCG@10 of all questions by configuration, each computed once."""

    def __init__(self, asked: Sequence[Asked]) -> None:
        self.asked = asked
        self._known: dict[Chosen, Values] = {}

    def values(self, chosen: Mapping[str, float]) -> Values:
        """The questions' values with these constants."""
        key = tuple(sorted(chosen.items()))
        if key not in self._known:
            settings = with_(RankSettings(), dict(chosen))
            self._known[key] = np.asarray(scores(self.asked, "hybrid", settings))
        return self._known[key]


def choose(trial: Trial, train: NDArray[np.bool_]) -> dict[str, float]:
    """Constants that are best on the training questions, one after another."""
    chosen = dict(START)
    best = float(trial.values(chosen)[train].mean())
    for name, values in GRID.items():
        for value in values:
            other = chosen | {name: value}
            mean = float(trial.values(other)[train].mean())
            if mean > best:
                best, chosen = mean, other
    return chosen


def report(asked: Sequence[Asked], say: Callable[[str], None]) -> None:
    """Print what the folds chose and what it is worth where it was not chosen."""
    trial = Trial(asked)
    names = list(dict.fromkeys(each.question.repository for each in asked))
    fold_of = {name: place % FOLDS for place, name in enumerate(names)}
    folds = np.array([fold_of[each.question.repository] for each in asked])
    shipped = np.asarray(scores(asked, "hybrid", RankSettings()))
    held_out = np.zeros(len(asked))
    choices: dict[str, Counter[float]] = {name: Counter() for name in GRID}
    for fold in range(FOLDS):
        out = folds == fold
        chosen = choose(trial, ~out)
        for name in GRID:
            choices[name][chosen[name]] += 1
        values = trial.values(chosen)
        held_out[out] = values[out]
        left = ", ".join(name for name in names if fold_of[name] == fold)
        say(
            f"without {left}: chosen on the rest {values[~out].mean():.3f},"
            f" on these {values[out].mean():.3f}, shipped {shipped[out].mean():.3f}"
        )
    mean, low, high = mean_interval(list(held_out))
    say(f"\nheld out {mean:.3f} [{low:.3f}, {high:.3f}], shipped {shipped.mean():.3f}")
    say(f"shipped against held out: {gain(list(held_out), list(shipped))}")
    start = trial.values(START)
    better = gain(list(start), list(held_out))
    say(f"start {start.mean():.3f}; held out against the start: {better}")
    say("\n| constant | shipped | chosen (folds) |\n|---|---|---|")
    for name, counts in choices.items():
        told = ", ".join(f"{value:g} ({count})" for value, count in sorted(counts.items()))
        say(f"| {name} | {RankSettings().as_dict()[name]:g} | {told} |")
