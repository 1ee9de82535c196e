"""What each part and each constant of the ranking is worth, on questions and on commits.

One thing is changed at a time. A change is worth having where it is chosen by the repositories
outside of a fold and better within it, in the mean over the sets of questions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from surveyor.config.rank_settings import RankSettings
from tests.bench.retrieval.asking import Asked, scores
from tests.bench.retrieval.folds import FOLDS
from tests.bench.retrieval.metrics import mean_interval
from tests.bench.retrieval.table import with_

PARTS = (
    "fusion", "coherence", "definition", "near_name", "stem", "phrase", "exact", "choice", "tests",
    "examples", "docs", "vendored", "generated", "legacy", "config", "types", "reexport", "short",
    "saturation",
)  # fmt: skip
"""Those that need nothing but the query and the candidates."""

NEIGHBOURS: Mapping[str, Sequence[float]] = {
    "dense_weight": (0.3, 0.5),
    "dense_weight_symbol": (0.15, 0.4),
    "coherence_weight": (0.1, 0.3, 0.4),
    "definition_weight": (1.0, 3.0),
    "definition_weight_symbol": (2.0, 8.0),
    "definition_inexact": (0.1, 0.6),
    "definition_stem": (1.0, 2.0),
    "stem_weight": (0.5, 0.75, 1.5),
    "stem_coverage": (0.5, 0.75, 1.0),
    "choice_weight": (0.5, 2.0),
    "tests_weight": (0.15, 0.5),
    "examples_weight": (0.15, 0.5),
    "docs_weight": (0.15, 0.5),
    "generated_weight": (0.25, 0.75),
    "legacy_weight": (0.25, 0.75),
    "config_weight": (0.15, 0.5),
    "types_weight": (0.25, 0.75),
    "reexport_weight": (0.5, 1.0),
    "short_weight": (0.7, 1.0),
    "saturation_weight": (0.1, 0.4, 0.5),
}
"""Values that are tried beside the shipped one."""

Values = NDArray[np.float64]


def report(sets: Mapping[str, Sequence[Asked]], say: Callable[[str], None]) -> None:
    """Print the gain of each change, and of each constant as the other repositories choose it."""
    shipped = _values(sets, RankSettings())
    for name, base in shipped.items():
        say(f"{name}: {len(base)} questions, shipped {base.mean():.4f}")
    folds = {name: _folds(asked) for name, asked in sets.items()}
    for part in PARTS:
        changed = _values(sets, with_(RankSettings(), {part: False}))
        say(f"without {part:24} {_told(shipped, changed)}")
    for constant, values in NEIGHBOURS.items():
        tried = {value: _values(sets, with_(RankSettings(), {constant: value})) for value in values}
        for value, changed in tried.items():
            say(f"{constant} = {value:<8} {_told(shipped, changed)}")
        gains = {value: _gains(shipped, changed) for value, changed in tried.items()}
        say(f"  {constant} chosen by the others: {_left_out(gains, folds)}")


def _values(sets: Mapping[str, Sequence[Asked]], settings: RankSettings) -> dict[str, Values]:
    return {name: np.asarray(scores(asked, "hybrid", settings)) for name, asked in sets.items()}


def _gains(before: Mapping[str, Values], after: Mapping[str, Values]) -> dict[str, Values]:
    return {name: after[name] - before[name] for name in before}


def _told(before: Mapping[str, Values], after: Mapping[str, Values]) -> str:
    told = []
    for name, gains in _gains(before, after).items():
        mean, low, high = mean_interval(list(gains))
        told.append(f"{name} {mean:+.4f} [{low:+.4f}, {high:+.4f}]")
    return "  ".join(told)


def _folds(asked: Sequence[Asked]) -> NDArray[np.int64]:
    # A clone is called by its owner as well (`owner+name`).
    names = [each.question.repository.lower().rpartition("+")[2] for each in asked]
    return np.array([sum(map(ord, name)) % FOLDS for name in names])


def _left_out(
    gains: Mapping[float, Mapping[str, Values]], folds: Mapping[str, NDArray[np.int64]]
) -> str:
    """The gain of the value that the other folds choose, or none where the shipped is best there;
    sets count the same, and a repository is in the same fold of all."""
    held: dict[str, Values] = {name: np.zeros(len(fold)) for name, fold in folds.items()}
    chosen: list[str] = []
    for out in range(FOLDS):
        others = {
            value: float(np.mean([own[name][folds[name] != out].mean() for name in folds]))
            for value, own in gains.items()
        }
        best = max(others, key=others.__getitem__)
        chosen.append(f"{best:g}" if others[best] > 0 else "shipped")
        if others[best] > 0:
            for name, fold in folds.items():
                held[name][fold == out] = gains[best][name][fold == out]
    told = "  ".join(
        "{} {:+.4f} [{:+.4f}, {:+.4f}]".format(name, *mean_interval(list(values)))
        for name, values in held.items()
    )
    return f"{', '.join(chosen)}: {told}"
