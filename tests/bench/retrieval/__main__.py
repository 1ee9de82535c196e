"""Run the retrieval benchmark: `python -m tests.bench.retrieval COMMAND --help`.

`table`, `folds`, `learned`, `calibrate`, `bodies`, `documented` and `remembered` use the product's
functions in memory; `product`, `names`, `literals`, `exact`, `grep`,
`absent` and `issues` ask the running engine.
`--benchmark` is a folder with `repos.json` and `annotations/`, `--checkouts` one with a folder of
each repository's files, named as there.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from surveyor.config.rank_settings import RankSettings
from surveyor.search.rank import rank
from tests.bench.retrieval import (
    absent_elsewhere,
    against_grep,
    asking,
    bodies,
    calibration,
    constants,
    documented,
    exact,
    folds,
    history,
    home,
    issues,
    learned,
    literals,
    names,
    product,
    remembered,
    strangers,
    table,
)
from tests.bench.retrieval.dataset import Repository, load
from tests.bench.retrieval.metrics import mean_interval


def main() -> None:
    parser = argparse.ArgumentParser(prog="tests.bench.retrieval", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    for name, what in (
        ("table", "each side, fused, part by part, with intervals and cost"),
        ("folds", "constants chosen without the repositories that judge them"),
        ("constants", "each part and constant, on these questions and on commits"),
        ("learned", "a learned ranker, trained without the repositories that judge it"),
        ("calibrate", "fit and check the confidence"),
        ("product", "the questions through a running engine"),
    ):
        command = commands.add_parser(name, help=what)
        command.add_argument("--benchmark", type=Path, required=True)
        command.add_argument("--checkouts", type=Path, required=True)
        command.add_argument("--whole", action="store_true", help="whole repositories")
        command.add_argument("--only", nargs="*", default=[], help="these repositories")
        if name == "product":
            command.add_argument("--data", type=Path, help="keep the engine's data here")
            command.add_argument(
                "--without", nargs="*", default=[], help="parts to switch off, one at a time"
            )
            command.add_argument(
                "--with",
                dest="with_",
                nargs="*",
                default=[],
                help="settings to change, one at a time: section.key=value[,section.key=value]",
            )
        else:
            command.add_argument("--model", default="", help="embedding model or folder")
            command.add_argument("--cache", type=Path, help="keep the indexes here")
        if name == "constants":
            command.add_argument("--clones", nargs="*", type=Path, default=[], help="git folders")
        if name == "calibrate":
            command.add_argument(
                "--strangers", nargs="*", type=Path, default=[], help="folders as of `strangers`"
            )
        if name in ("folds", "calibrate"):
            command.add_argument("--both", action="store_true", help="subtrees and whole together")
    command = commands.add_parser("issues", help="are the files of an issue's fix found?")
    command.add_argument("--benchmark", type=Path, required=True)
    command.add_argument("--clones", type=Path, required=True, help="a clone of each repository")
    command.add_argument("--only", nargs="*", default=[], help="these repositories")
    command.add_argument("--data", type=Path, help="keep the engine's data here")
    command.add_argument("--most", type=int, default=0, help="so many of each repository")
    command = commands.add_parser("history", help="are the files found that a commit changed?")
    command.add_argument("clones", nargs="+", type=Path, help="git folders with their history")
    command.add_argument("--cache", type=Path, required=True, help="keep the indexes here")
    command = commands.add_parser("home", help="what a repository's own commits teach")
    command.add_argument("--benchmark", type=Path, required=True)
    command.add_argument("--checkouts", type=Path, required=True)
    command.add_argument("--clones", type=Path, required=True, help="a clone of each repository")
    command.add_argument("--only", nargs="*", default=[], help="these repositories")
    command.add_argument("--cache", type=Path, help="keep the indexes here")
    command = commands.add_parser("names", help="are exact names found first?")
    command.add_argument("folders", nargs="+", type=Path)
    command.add_argument("--sample", type=int, default=200)
    command.add_argument("--data", type=Path, help="keep the engine's data here")
    command = commands.add_parser("literals", help="is exact text found first?")
    command.add_argument("folders", nargs="+", type=Path)
    command.add_argument("--sample", type=int, default=10, help="of each kind and folder")
    command.add_argument("--data", type=Path, help="keep the engine's data here")
    command.add_argument("--faults", action="store_true", help="those of one half, which is seen")
    for name, what, sample in (
        ("bodies", "does a declared name lead to its body?", 120),
        ("documented", "do definitions' documentations lead to their chunks?", 45),
        ("remembered", "do half-remembered names lead to what is meant?", 12),
    ):
        command = commands.add_parser(name, help=what)
        command.add_argument("folders", nargs="+", type=Path)
        command.add_argument("--sample", type=int, default=sample, help="of each folder")
        command.add_argument("--cache", type=Path, help="keep the indexes here")
    command = commands.add_parser("strangers", help="questions in other words than the code's")
    command.add_argument("folders", nargs="+", type=Path, help="checkouts, named as their projects")
    command.add_argument("--cache", type=Path, help="keep the indexes here")
    command = commands.add_parser("exact", help="what complete answers of exact text cost")
    command.add_argument("folder", type=Path)
    command.add_argument("--data", type=Path, help="keep the engine's data here")
    command = commands.add_parser("absent", help="what is said of what is not there?")
    command.add_argument("folders", nargs="+", type=Path)
    command.add_argument("--data", type=Path, help="keep the engine's data here")
    command = commands.add_parser("grep", help="are complete answers those of ripgrep?")
    command.add_argument("folders", nargs="+", type=Path)
    command.add_argument("--sample", type=int, default=44, help="literals of each folder")
    command.add_argument("--data", type=Path, help="keep the engine's data here")
    chosen = parser.parse_args()
    if chosen.command == "names":
        names.report(chosen.folders, chosen.sample, chosen.data)
        return
    if chosen.command == "strangers":
        strangers.report(chosen.folders, chosen.cache)
        return
    if chosen.command == "literals":
        literals.report(chosen.folders, chosen.sample, chosen.data, faults=chosen.faults)
        return
    of_folders = {
        "bodies": bodies.report,
        "documented": documented.report,
        "remembered": remembered.report,
    }
    if report := of_folders.get(chosen.command):
        report(chosen.folders, chosen.sample, chosen.cache, _say)
        return
    if chosen.command == "absent":
        absent_elsewhere.report(chosen.folders, chosen.data)
        return
    if chosen.command == "grep":
        against_grep.report(chosen.folders, chosen.sample, chosen.data)
        return
    if chosen.command == "exact":
        exact.report(chosen.folder, chosen.data)
        return
    if chosen.command == "history":
        history.report(history.replay(chosen.clones, cache=chosen.cache, say=_note), _say)
        return
    if chosen.command == "issues":
        with product.engine(chosen.data):
            asked_for = issues.load_issues(chosen.benchmark, chosen.only, chosen.most)
            issues.report(issues.run(asked_for, chosen.clones))
        return
    repositories = [r for r in load(chosen.benchmark) if not chosen.only or r.name in chosen.only]
    if chosen.command == "home":
        found = home.replay(
            repositories, chosen.checkouts, chosen.clones, cache=chosen.cache, say=_say
        )
        home.report(found, _say)
        return
    if chosen.command == "product":
        _product(repositories, chosen)
        return
    every = chosen.command == "table"
    asked, spent = asking.ask(
        repositories,
        chosen.checkouts,
        whole=chosen.whole,
        model=chosen.model,
        cache=chosen.cache,
        absent=chosen.command == "calibrate",
        ways=(*asking.WAYS, *asking.EXPANDED) if every else ("hybrid",),
        say=_note,
    )
    if chosen.command in ("folds", "calibrate") and chosen.both:
        whole, _ = asking.ask(
            repositories,
            chosen.checkouts,
            whole=True,
            model=chosen.model,
            cache=chosen.cache,
            absent=chosen.command == "calibrate",
            ways=("hybrid",),
            say=_note,
        )
        asked += whole
    if chosen.command == "constants":
        sets = {"whole" if chosen.whole else "subtrees": asked}
        if chosen.clones:
            replayed = history.replay(chosen.clones, cache=chosen.cache, say=_note)
            sets["commits"] = [each.asked for each in replayed]
        constants.report(sets, _say)
    elif chosen.command == "folds":
        folds.report(asked, _say)
    elif chosen.command == "learned":
        learned.report(asked, _say)
    elif chosen.command == "table":
        _say(f"{spent.chunks} chunks\n")
        table.print_table(asked, table.rows(asked, spent), _say)
        table.print_parts(asked, _say)
    else:
        sets_of = [("" if a.question.targets else "absent", a) for a in asked]
        more = strangers.calibrating(chosen.strangers, chosen.cache)
        judged = [_judged(each, name or "benchmark") for name, each in (*sets_of, *more)]
        calibration.report([one for one, is_judged in judged if is_judged])


def _judged(each: asking.Asked, name: str) -> tuple[calibration.Judged, bool]:
    """What is known of a question, and whether it is of a kind that confidence is fitted on."""
    query = each.query
    ranked = rank(query, each.candidates["hybrid"], RankSettings(), each.context)
    found = calibration.judge(each, ranked, name)
    return found, query.kind in ("words", "symbol") and query.searched == query.text


def _product(repositories: list[Repository], chosen: argparse.Namespace) -> None:
    with product.engine(chosen.data):
        seconds = 0.0
        for repository in repositories:
            root, _ = asking.root_of(chosen.checkouts, repository, chosen.whole)
            taken = product.index(root, force=chosen.data is None)
            seconds += taken
            _note(f"{repository.name}: indexed in {taken:.1f} s")
        base = product.ask(repositories, chosen.checkouts, chosen.whole)
        _say(f"index {seconds:.1f} s (what was there already is not made again)")
        _describe("as shipped", base)
        for name in dict.fromkeys(question.repository for question in base.questions):
            own = [
                s.ndcg
                for q, s in zip(base.questions, base.scores, strict=True)
                if q.repository == name
            ]
            _say(f"  {name:12} {sum(own) / len(own):.3f}")
        changes = {f"without {part}": {f"search.{part}": "false"} for part in chosen.without}
        for change in chosen.with_:
            changes[change] = dict(each.split("=", 1) for each in change.split(","))
        for label, values in changes.items():
            with product.settings(values):
                changed = product.ask(repositories, chosen.checkouts, chosen.whole)
            _describe(label, changed)
            _say(f"  against the shipped: {table.gain(base.ndcg, changed.ndcg)}")


def _describe(label: str, found: product.Answers) -> None:
    mean, low, high = mean_interval(found.ndcg)
    own = []
    for category in table.CATEGORIES:
        values = [
            s.ndcg
            for q, s in zip(found.questions, found.scores, strict=True)
            if q.category == category
        ]
        own.append(f"{category} {sum(values) / max(len(values), 1):.3f}")
    mrr = mean_interval([each.mrr for each in found.scores])[0]
    recall = mean_interval([each.recall for each in found.scores])[0]
    took = sorted(found.milliseconds)
    _say(
        f"{label}: NDCG@10 {mean:.3f} [{low:.3f}, {high:.3f}]  {'  '.join(own)}"
        f"  MRR@10 {mrr:.3f}  Recall@10 {recall:.3f}"
        f"  query p50 {took[len(took) // 2]:.1f} ms, p95 {took[int(len(took) * 0.95)]:.1f} ms"
    )


def _say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def _note(text: str) -> None:
    sys.stderr.write(text + "\n")
    sys.stderr.flush()


if __name__ == "__main__":
    main()
