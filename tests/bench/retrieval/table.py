"""The table: each side alone, fused, then part by part; what each part is worth; what it costs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import process_time

from surveyor.config.rank_settings import RankSettings
from tests.bench.retrieval.asking import EXPANDED, Asked, Spent, scores
from tests.bench.retrieval.metrics import mean_interval, paired_interval

CATEGORIES = ("semantic", "architecture", "symbol")

STEPS = (
    ("+ weights of the sides", ("fusion",)),
    ("+ definitions", ("definition", "location", "phrase")),
    ("+ file stem and folder", ("stem",)),
    ("+ coherence", ("coherence",)),
    ("+ tests", ("tests",)),
    (
        "+ other paths",
        ("examples", "docs", "vendored", "generated", "legacy", "config", "types"),
    ),
    ("+ re-exports", ("reexport",)),
    ("+ declarations", ("short",)),
    ("+ saturation", ("saturation", "choice")),
)
"""Parts in the order in which they are added. Working set, graph and diff need an engine: see
`product --without`."""


@dataclass(frozen=True, slots=True)
class Row:
    """A configuration: its NDCG@10 by question and its cost."""

    label: str
    values: list[float]
    milliseconds: float
    """CPU time of a query: candidates and ranking."""
    seconds: float
    """CPU time of indexing what this needs."""
    against: Row | None = None
    """The row over which the gain is shown."""


def with_(settings: RankSettings, switches: dict[str, bool | float]) -> RankSettings:
    """Settings with some of them changed."""
    return RankSettings(**(settings.as_dict() | switches))  # type: ignore[arg-type]


def rows(asked: Sequence[Asked], spent: Spent) -> list[Row]:
    """All configurations, plain ones first."""
    plain, full = RankSettings.plain(), RankSettings()
    cost = spent.indexing
    both = cost.parsing + cost.dense + cost.sparse
    count = max(len(asked), 1)

    found: list[Row] = []

    def add(
        label: str, way: str, settings: RankSettings, seconds: float, against: Row | None = None
    ) -> Row:
        started = process_time()
        values = scores(asked, way, settings)
        ranking = 1000 * (process_time() - started)
        milliseconds = (spent.finding[way] + ranking) / count
        found.append(Row(label, values, milliseconds, seconds, against))
        return found[-1]

    add("BM25 alone", "keyword alone", plain, cost.parsing + cost.sparse)
    add("dense alone", "semantic alone", plain, cost.parsing + cost.dense)
    last = add("fused (plain RRF, k 60)", "together", plain, both)
    last = add("+ code apart from the rest", "hybrid", plain, both, last)
    on: tuple[str, ...] = ()
    for label, parts in STEPS:
        on += parts
        off: dict[str, bool | float] = {p: False for p in RankSettings.parts() if p not in on}
        last = add(label, "hybrid", with_(full, off), both, last)
    for way in EXPANDED:
        add(f"all + expansion: {way}", way, full, both, last)
    add("BM25 with all parts", "keyword", full, cost.parsing + cost.sparse, last)
    add("dense with all parts", "semantic", full, cost.parsing + cost.dense, last)
    return found


def print_table(asked: Sequence[Asked], found: Sequence[Row], say: Callable[[str], None]) -> None:
    """The rows, then each part removed and each part on its own, then the repositories."""
    say(
        f"| NDCG@10, {len(asked)} questions | all | 95 % | {' | '.join(CATEGORIES)} | gain"
        " | index s | query ms |"
    )
    say("|" + "---|" * (6 + len(CATEGORIES)))
    for row in found:
        mean, low, high = mean_interval(row.values)
        step = gain(row.against.values, row.values) if row.against is not None else ""
        own = " | ".join(f"{mean_of(asked, row.values, name):.3f}" for name in CATEGORIES)
        say(
            f"| {row.label} | {mean:.3f} | {low:.3f}–{high:.3f} | {own} | {step}"
            f" | {row.seconds:.0f} | {row.milliseconds:.1f} |"
        )


def print_parts(asked: Sequence[Asked], say: Callable[[str], None]) -> None:
    """What is lost when one part is switched off, and gained when it alone is on."""
    plain, full = RankSettings.plain(), RankSettings()
    everything = scores(asked, "hybrid", full)
    nothing = scores(asked, "hybrid", plain)
    say("\n| part | alone | removed from all |\n|---|---|---|")
    for part in RankSettings.parts():
        alone = scores(asked, "hybrid", with_(plain, {part: True}))
        without = scores(asked, "hybrid", with_(full, {part: False}))
        if alone != nothing or without != everything:
            say(f"| {part} | {gain(nothing, alone)} | {gain(everything, without)} |")
    say("\n| repository | NDCG@10 | questions |\n|---|---|---|")
    for name in dict.fromkeys(each.question.repository for each in asked):
        own = [v for e, v in zip(asked, everything, strict=True) if e.question.repository == name]
        say(f"| {name} | {sum(own) / len(own):.3f} | {len(own)} |")


def gain(before: Sequence[float], after: Sequence[float]) -> str:
    """Mean difference and its paired-bootstrap interval."""
    mean, low, high = paired_interval(before, after)
    return f"{mean:+.3f} [{low:+.3f}, {high:+.3f}]"


def mean_of(asked: Sequence[Asked], values: Sequence[float], category: str) -> float:
    """Mean over the questions of a category."""
    own = [v for e, v in zip(asked, values, strict=True) if e.question.category == category]
    return sum(own) / len(own) if own else 0.0
