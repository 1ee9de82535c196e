"""Run the retrieval benchmark: `python -m tests.bench.retrieval COMMAND --help`.

`table` and `calibrate` use the product's functions in memory, `product` the running engine.
`--benchmark` is a folder with `repos.json` and `annotations/`, `--checkouts` one with a folder of
each repository's files, named as in `repos.json`.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

from surveyor.search.embedding import load_embedder
from surveyor.search.query import Query, understand
from surveyor.search.rank import Candidate, RankContext, RankSettings, rank
from surveyor.search.tokens import split_words, stem
from tests.bench.retrieval import calibration, memory, names, product
from tests.bench.retrieval.dataset import Question, Repository, load
from tests.bench.retrieval.metrics import (
    Place,
    mean_interval,
    paired_interval,
    score,
)

CATEGORIES = ("semantic", "architecture", "symbol")
STEPS = (
    ("+ weights of the sides", ("fusion",)),
    ("+ definitions", ("definition", "location")),
    ("+ file stem and folder", ("stem",)),
    ("+ coherence", ("coherence",)),
    (
        "+ path penalties",
        ("tests", "examples", "docs", "vendored", "generated", "legacy", "config", "types"),
    ),
    ("+ re-exports, declarations", ("reexport", "short")),
    ("+ saturation (all)", ("saturation", "working_set", "graph", "diff")),
)


@dataclass(frozen=True, slots=True)
class Asked:
    """A question with everything that ranking it needs."""

    question: Question
    query: Query
    prefix: str
    context: RankContext
    candidates: dict[str, list[Candidate]]
    text_of: Callable[[str], str]


def main() -> None:
    parser = argparse.ArgumentParser(prog="tests.bench.retrieval", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    for name in ("table", "product", "calibrate"):
        command = commands.add_parser(name)
        command.add_argument("--benchmark", type=Path, required=True)
        command.add_argument("--checkouts", type=Path, required=True)
        command.add_argument("--whole", action="store_true", help="whole repositories")
        command.add_argument("--only", nargs="*", default=[])
        command.add_argument("--model", default=None)
    command = commands.add_parser("names", help="are exact names found first?")
    command.add_argument("folders", nargs="+", type=Path)
    command.add_argument("--sample", type=int, default=200)
    chosen = parser.parse_args()
    if chosen.command == "names":
        names.report(chosen.folders, chosen.sample)
        return
    repositories = [r for r in load(chosen.benchmark) if not chosen.only or r.name in chosen.only]
    if chosen.command == "product":
        _product(repositories, chosen.checkouts, chosen.whole)
        return
    foreign = chosen.command == "calibrate"
    asked, seconds = _ask(repositories, chosen.checkouts, chosen.whole, chosen.model, foreign)
    if chosen.command == "table":
        _table(asked, seconds)
    else:
        calibration.report([_evidence(each) for each in asked])


def _root(checkouts: Path, repository: Repository, whole: bool) -> tuple[Path, str]:
    inside = "" if whole else repository.benchmark_root
    return checkouts / repository.name / inside, f"{inside}/" if inside else ""


def _ask(
    repositories: list[Repository],
    checkouts: Path,
    whole: bool,
    model: str | None,
    foreign: bool = False,
) -> tuple[list[Asked], float]:
    embedder = load_embedder(model) if model else load_embedder()
    asked: list[Asked] = []
    seconds = 0.0
    for repository in repositories:
        root, prefix = _root(checkouts, repository, whole)
        index = memory.build(root, embedder)
        seconds += index.seconds
        context = RankContext(subject=frozenset(map(stem, split_words(root.name))))
        questions = [
            *repository.questions,
            *(_foreign(repositories, repository) if foreign else ()),
        ]
        for question in questions:
            query = understand(question.text)
            vector = embedder.embed_query(query.text)
            found = {
                mode: index.candidates_for(query, vector, mode)
                for mode in ("keyword", "semantic", "hybrid")
            }
            found["unpooled"] = index.candidates_for(query, vector, "hybrid", pooled=False)
            for mode in ("keyword", "semantic"):
                found[f"{mode} alone"] = index.candidates_for(query, vector, mode, pooled=False)
            asked.append(Asked(question, query, prefix, context, found, index.text))
        _say(f"{repository.name}: {len(index.chunks)} chunks, {index.seconds:.1f} s")
    return asked, seconds


def _foreign(repositories: list[Repository], own: Repository) -> list[Question]:
    """Questions about another language's repository, which this one cannot answer."""
    strange = [other for other in repositories if other.language != own.language]
    if not strange:
        return []
    other = strange[repositories.index(own) % len(strange)]
    return [
        Question(own.name, question.text, question.category, ()) for question in other.questions
    ]


def _scores(asked: list[Asked], candidates: str, settings: RankSettings) -> list[float]:
    return [
        score(
            [
                Place(each.prefix + r.candidate.path, r.candidate.start_line, r.candidate.end_line)
                for r in rank(each.query, each.candidates[candidates], settings, each.context)
            ],
            each.question.targets,
        ).ndcg
        for each in asked
    ]


def _table(asked: list[Asked], seconds: float) -> None:
    plain, full = RankSettings.plain(), RankSettings()
    rows: list[tuple[str, list[float]]] = [
        ("BM25 alone", _scores(asked, "keyword alone", plain)),
        ("dense alone", _scores(asked, "semantic alone", plain)),
        ("fused (RRF)", _scores(asked, "unpooled", plain)),
        ("+ code apart from the rest", _scores(asked, "hybrid", plain)),
    ]
    on: tuple[str, ...] = ()
    for label, parts in STEPS:
        on += parts
        off = {part: False for part in RankSettings.parts() if part not in on}
        rows.append((label, _scores(asked, "hybrid", _with(full, off))))
    everything = rows[-1][1]
    rows.append(("BM25 with all parts", _scores(asked, "keyword", full)))
    rows.append(("dense with all parts", _scores(asked, "semantic", full)))
    started = perf_counter()
    _scores(asked, "hybrid", full)
    milliseconds = (perf_counter() - started) * 1000 / max(len(asked), 1)
    _say(f"| NDCG@10, {len(asked)} questions | all | 95 % | {' | '.join(CATEGORIES)} | step |")
    _say("|---|---|---|---|---|---|---|")
    before: list[float] | None = None
    for label, values in rows:
        mean, low, high = mean_interval(values)
        step = ""
        if before is not None and label.startswith("+"):
            gain, worst, best = paired_interval(before, values)
            step = f"{gain:+.3f} [{worst:+.3f}, {best:+.3f}]"
        parts_ = " | ".join(f"{_of(asked, values, category):.3f}" for category in CATEGORIES)
        _say(f"| {label} | {mean:.3f} | {low:.3f}–{high:.3f} | {parts_} | {step} |")
        before = values
    _say("\n| removed from all | loss |\n|---|---|")
    for part in RankSettings.parts():
        without = _scores(asked, "hybrid", _with(full, {part: False}))
        gain, worst, best = paired_interval(everything, without)
        if gain:
            _say(f"| {part} | {gain:+.3f} [{worst:+.3f}, {best:+.3f}] |")
    _say(f"\nindexing {seconds:.1f} s in one process; ranking {milliseconds:.2f} ms a query")
    for name in dict.fromkeys(each.question.repository for each in asked):
        own = [v for e, v in zip(asked, everything, strict=True) if e.question.repository == name]
        _say(f"{name:12} {sum(own) / len(own):.3f}")


def _with(settings: RankSettings, switches: dict[str, bool]) -> RankSettings:
    return RankSettings(**(settings.as_dict() | switches))  # type: ignore[arg-type]


def _of(asked: list[Asked], values: list[float], category: str) -> float:
    own = [v for e, v in zip(asked, values, strict=True) if e.question.category == category]
    return sum(own) / len(own) if own else 0.0


def _evidence(each: Asked) -> calibration.Judged:
    ranked = rank(each.query, each.candidates["hybrid"], RankSettings(), each.context)
    return calibration.judge(each.question, each.query, each.prefix, ranked, each.text_of)


def _product(repositories: list[Repository], checkouts: Path, whole: bool) -> None:
    found: dict[str, list[float]] = {category: [] for category in CATEGORIES}
    ranks: list[float] = []
    recalls: list[float] = []
    took: list[float] = []
    seconds = 0.0
    with product.engine():
        for repository in repositories:
            root, prefix = _root(checkouts, repository, whole)
            spent = product.index(root)
            seconds += spent
            own: list[float] = []
            for question in repository.questions:
                places, milliseconds = product.search(root, question.text)
                whole_paths = [Place(prefix + p.path, p.start_line, p.end_line) for p in places]
                result = score(whole_paths, question.targets)
                own.append(result.ndcg)
                found[question.category].append(result.ndcg)
                ranks.append(result.mrr)
                recalls.append(result.recall)
                took.append(milliseconds)
            _say(f"{repository.name:12} {sum(own) / len(own):.3f}  indexed in {spent:.1f} s")
    every = [value for values in found.values() for value in values]
    mean, low, high = mean_interval(every)
    _say(f"NDCG@10 {mean:.3f} [{low:.3f}, {high:.3f}]")
    for category, values in found.items():
        _say(f"  {category} {sum(values) / max(len(values), 1):.3f}")
    _say(f"MRR@10 {mean_interval(ranks)[0]:.3f}  Recall@10 {mean_interval(recalls)[0]:.3f}")
    took.sort()
    _say(
        f"index {seconds:.1f} s; query p50 {took[len(took) // 2]:.1f} ms,"
        f" p95 {took[int(len(took) * 0.95)]:.1f} ms"
    )


def _say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
