"""Questions by meaning of somebody who has read the code but does not use its words.

`strangers.txt` names the places that answer each: a file, and a pattern of the line in it. A result
is right if it shows such a line; the file is right if it is one of those.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from surveyor.config.rank_settings import RankSettings
from surveyor.embedding.dense import load_embedder
from surveyor.embedding.tokens import split_words, stem
from surveyor.search.other_places import MOST_PLACES
from surveyor.search.rank import Candidate, RankContext, rank
from tests.bench.retrieval import absent_elsewhere, memory
from tests.bench.retrieval.absent import absent_from
from tests.bench.retrieval.asking import Asked, ask_index
from tests.bench.retrieval.dataset import Question, Target
from tests.bench.retrieval.metrics import DEPTH, Place, is_relevant, paired_interval

QUESTIONS = Path(__file__).with_suffix(".txt")
ASKERS = QUESTIONS.with_name("askers.txt")
"""The same in three styles, which the first column of a row says."""
STYLES = {"k": "keywords", "h": "how and where", "o": "other words"}
WHOLE_FILE = "."


@dataclass(frozen=True, slots=True)
class Found:
    """Where the answer was, from 1; 0 where it was not among the first ten results."""

    place: int
    named: int
    """The same, with the further places that results name."""
    file: int


def report(folders: Sequence[Path], cache: Path | None) -> None:
    """Print the questions answered among the first 1, 5 and 10, with and without `nearness`."""
    embedder = load_embedder("")
    ways = {"ranks alone": RankSettings(nearness=False), "as shipped": RankSettings()}
    styles: list[str] = []
    found: dict[str, list[Found]] = {way: [] for way in ways}
    for root in folders:
        index = memory.build(root.resolve(), embedder, cache=cache)
        context = RankContext(subject=frozenset(map(stem, split_words(root.name))))
        questions = list(questions_of(root))
        asked = ask_index(questions, index, embedder, "", context, ("hybrid",))
        for way, settings in ways.items():
            own = [_found(each, settings) for each in asked]
            found[way] += own
            print(f"{root.name:12} {way:12} {_row(own)}")
        styles += [question.category for question in questions]
    for way, every in found.items():
        print(f"{'all':12} {way:12} {_row(every)}")
        for style in dict.fromkeys(styles):
            own = [each for each, its in zip(every, styles, strict=True) if its == style]
            print(f"{style:12} {way:12} {_row(own)}")
    for part in ("place", "file"):
        before, after = ([_reciprocal(getattr(e, part)) for e in found[way]] for way in ways)
        mean, low, high = paired_interval(before, after)
        print(f"reciprocal rank of the {part}: {mean:+.3f} [{low:+.3f}, {high:+.3f}]")


def questions_of(root: Path) -> Iterator[Question]:
    """Those of a repository, known by the name of its folder; a line of 0 is the whole file."""
    files = [path for path in root.rglob("*") if path.is_file() and ".git" not in path.parts]
    paths = {path.relative_to(root).as_posix(): path for path in files}
    for source in (QUESTIONS, ASKERS):
        inside = False
        for row in source.read_text(encoding="utf-8").splitlines():
            if row.startswith("["):
                inside = row[1:].split(" ")[0] == root.name
            elif inside and not row.startswith("#"):
                style, row = row.split("\t", 1) if source is ASKERS else ("", row)
                text, *answers = row.split("\t")
                targets = [t for answer in answers for t in _targets(answer, paths)]
                yield Question(root.name, text, STYLES.get(style, "strangers"), tuple(targets))


def calibrating(folders: Sequence[Path], cache: Path | None) -> Iterator[tuple[str, Asked]]:
    """What confidence is fitted on beside the benchmark, with the set of each: these questions,
    right where the file is, and questions about what the repositories do not have."""
    embedder = load_embedder("")
    elsewhere = absent_elsewhere.LIST.read_text(encoding="utf-8").splitlines()
    for number, root in enumerate(folders):
        index = memory.build(root.resolve(), embedder, cache=cache)
        context = RankContext(subject=frozenset(map(stem, split_words(root.name))))
        texts = [*(chunk.text for chunk in index.chunks), *{c.path for c in index.candidates}]
        sets = [
            (each.category, replace(each, targets=tuple(Target(t.path) for t in each.targets)))
            for each in questions_of(root)
        ]
        sets += [("absent at strangers", q) for q in absent_from(root.name, number, texts)]
        sets += [("absent elsewhere", Question(root.name, t, "absent", ())) for t in elsewhere]
        asked = ask_index([q for _, q in sets], index, embedder, "", context, ("hybrid",))
        yield from zip((name for name, _ in sets), asked, strict=True)


def _targets(answer: str, paths: dict[str, Path]) -> Iterator[Target]:
    named, _, pattern = answer.partition("~")
    for path, file in paths.items():
        if path == named or path.endswith("/" + named):
            if pattern == WHOLE_FILE:
                yield Target(path)
                continue
            lines = file.read_text(encoding="utf-8", errors="replace").splitlines()
            for number, line in enumerate(lines, 1):
                if re.search(pattern, line):
                    yield Target(path, number, number)


def _found(each: Asked, settings: RankSettings) -> Found:
    ranked = rank(each.query, each.candidates["hybrid"], settings, each.context, DEPTH)
    listed = {one.candidate.id for one in ranked}
    shows: list[bool] = []
    names: list[bool] = []
    seen: set[str] = set()
    for one in ranked:
        path = one.candidate.path
        others = [o for o in one.others if o.id not in listed][:MOST_PLACES]
        shows.append(_answers(one.candidate, each))
        named = () if path in seen else others
        names.append(shows[-1] or any(_answers(other, each) for other in named))
        seen.add(path)
    files = {target.path for target in each.question.targets}
    return Found(_first(shows), _first(names), _first([o.candidate.path in files for o in ranked]))


def _answers(candidate: Candidate, each: Asked) -> bool:
    place = Place(candidate.path, candidate.start_line, candidate.end_line)
    return any(is_relevant(place, target) for target in each.question.targets)


def _first(right: Sequence[bool]) -> int:
    return right.index(True) + 1 if True in right else 0


def _reciprocal(position: int) -> float:
    return 1 / position if position else 0.0


def _row(found: Sequence[Found]) -> str:
    told = []
    for part in ("place", "named", "file"):
        at = [getattr(each, part) for each in found]
        counts = "/".join(str(sum(0 < position <= k for position in at)) for k in (1, 5, DEPTH))
        told.append(f"{part} {counts}")
    return f"{len(found)} questions, among 1/5/10: {', '.join(told)}"
