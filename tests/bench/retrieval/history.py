"""Commits as questions: a message asks, and the files that the commit changed are the answer.

Of each repository a few versions are indexed, spread over its history; the commits that follow a
version are asked of it, so that the files are nearly as they were before each. Left out are merges,
reverts, releases, what only tidies, and commits that change more than a few files of code or none
that the version has.
"""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import log2
from pathlib import Path

from surveyor.config.rank_settings import RankSettings
from surveyor.embedding.dense import load_embedder
from surveyor.embedding.tokens import split_words, stem
from surveyor.search.commit_prior import asked_by
from surveyor.search.rank import RankContext, rank
from tests.bench.retrieval import memory
from tests.bench.retrieval.asking import Asked, ask_index
from tests.bench.retrieval.dataset import Question, Target
from tests.bench.retrieval.metrics import DEPTH, mean_interval, paired_interval

SPREAD = (0.55, 0.75, 0.93)
"""Where in the history of a repository the versions lie that are indexed."""
AHEAD = 120
"""Commits after a version that may be asked of it."""
PER_VERSION = 12
"""Questions of a version at most, the first that fit."""
NEIGHBOURS = 5
"""Commits before one whose files count as worked on."""
MOST_FILES = 2500
"""Larger versions are left out: the run shall take minutes."""
MOST_BYTES = 300_000
"""Larger files are not written."""
RESULTS = 60
"""Results that ten files are taken from."""
ATTENTION = (0.15, 0.3, 0.5, 1.0)
"""Weights of open files that are tried."""
CATEGORY = "history"

_MARK = "\x1e"


@dataclass(frozen=True, slots=True)
class Commit:
    """A commit's subject and the paths it changed."""

    revision: str
    subject: str
    changed: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Replayed:
    """A commit that was asked, with what was worked on before it."""

    asked: Asked
    neighbours: frozenset[str]
    """Files that the commits just before it changed."""


def replay(
    clones: Sequence[Path],
    *,
    cache: Path,
    say: Callable[[str], None] = lambda _: None,
) -> list[Replayed]:
    """The commits of each clone, with the candidates of their questions."""
    embedder = load_embedder("")
    found: list[Replayed] = []
    for clone in clones:
        owned = clone.parent.name if clone.name == "repo" else clone.name
        name = owned.rpartition("+")[2]
        commits = list(commits_up_to(clone))
        asked = 0
        for share in SPREAD:
            at = int(len(commits) * share)
            known = _files(clone, commits[at].revision) if at < len(commits) else {}
            if not known or len(known) > MOST_FILES:
                continue
            chosen = list(_questions(owned, commits, at, known.keys()))
            if not chosen:
                continue
            folder = cache / "versions" / f"{name}-{commits[at].revision[:12]}"
            _checkout(clone, known, folder)
            index = memory.build(folder, embedder, cache=cache)
            context = RankContext(subject=frozenset(map(stem, split_words(name))))
            questions = [question for question, _ in chosen]
            each = ask_index(questions, index, embedder, "", context, ("hybrid",))
            found += [Replayed(a, near) for a, (_, near) in zip(each, chosen, strict=True)]
            asked += len(each)
        say(f"{name}: {asked} commits")
    return found


def with_open(replayed: Sequence[Replayed], open_files: Sequence[frozenset[str]]) -> list[Asked]:
    """The questions as they are asked with these files open."""
    return [
        replace(each.asked, context=replace(each.asked.context, open_files=files))
        for each, files in zip(replayed, open_files, strict=True)
    ]


def _git(clone: Path, *arguments: str, stdin: bytes = b"") -> bytes:
    return subprocess.run(
        ["git", "-C", str(clone), *arguments], input=stdin, capture_output=True, check=False
    ).stdout


def commits_up_to(clone: Path, revision: str = "HEAD") -> Iterator[Commit]:
    """The history of a revision, of all there is where the clone lacks it, oldest first, without
    merges."""
    if not _git(clone, "cat-file", "-t", f"{revision}^{{commit}}"):
        revision = "HEAD"
    told = _git(
        clone, "log", "--no-merges", "--reverse", "--no-renames", "--name-only",
        f"--format={_MARK}%H%x1f%s", revision,
    )  # fmt: skip
    for entry in told.decode("utf-8", "replace").split(_MARK)[1:]:
        head, _, rest = entry.partition("\n")
        revision, _, subject = head.partition("\x1f")
        yield Commit(revision, subject, tuple(filter(None, rest.split("\n"))))


def _questions(
    name: str, commits: Sequence[Commit], at: int, known: Collection[str]
) -> Iterator[tuple[Question, frozenset[str]]]:
    """What the commits after one ask of the files that are known there."""
    count = 0
    for place in range(at + 1, min(at + 1 + AHEAD, len(commits))):
        commit = commits[place]
        found = asked_by(commit.subject, commit.changed, known)
        if found is None:
            continue
        before = commits[max(place - NEIGHBOURS, 0) : place]
        near = frozenset(path for each in before for path in each.changed)
        yield Question(name, found.question, CATEGORY, tuple(map(Target, found.files))), near
        count += 1
        if count == PER_VERSION:
            return


def _files(clone: Path, revision: str) -> dict[str, str]:
    """Path -> object of the files of a version."""
    found: dict[str, str] = {}
    for entry in _git(clone, "ls-tree", "-r", "-z", "-l", revision).split(b"\0"):
        about, _, path = entry.partition(b"\t")
        mode, kind, sha, size = (*about.split(), b"", b"", b"", b"")[:4]
        # A clone without all objects says no size of those that it lacks.
        is_small = size.isdigit() and int(size) <= MOST_BYTES
        if kind == b"blob" and mode != b"120000" and is_small:
            found[path.decode("utf-8", "replace")] = sha.decode()
    return found


def _checkout(clone: Path, files: Mapping[str, str], folder: Path) -> None:
    """Write the files of a version; those whose object the clone lacks are left out."""
    if folder.is_dir():
        return
    wanted = "".join(f"{each}\n" for each in files.values()).encode()
    told = _git(clone, "cat-file", "--batch", stdin=wanted)
    partial = folder.with_name(f"{folder.name}.part")
    at = 0
    for path in files:
        end = told.index(b"\n", at)
        head = told[at:end].split()
        at = end + 1
        if head[-1] == b"missing":
            continue
        size = int(head[2])
        file = partial / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(told[at : at + size])
        at += size + 1
    partial.rename(folder)


def at_files(each: Asked, settings: RankSettings, context: RankContext | None = None) -> list[str]:
    """The files of the results in order, each once."""
    ranked = rank(each.query, each.candidates["hybrid"], settings, context or each.context, RESULTS)
    return list(dict.fromkeys(one.candidate.path for one in ranked))[:DEPTH]


@dataclass(frozen=True, slots=True)
class Outcome:
    """How well the files of one commit were found: a file within the first k, and NDCG@10."""

    at_1: float
    at_5: float
    at_10: float
    ndcg: float


def outcome(each: Asked, settings: RankSettings) -> Outcome:
    """How well the files of a commit are found with these settings."""
    paths = at_files(each, settings)
    wanted = {target.path for target in each.question.targets}
    first = next((n for n, path in enumerate(paths) if path in wanted), DEPTH)
    gained = sum(1 / log2(n + 2) for n, path in enumerate(paths) if path in wanted)
    ideal = sum(1 / log2(n + 2) for n in range(min(len(wanted), DEPTH)))
    return Outcome(float(first < 1), float(first < 5), float(first < DEPTH), gained / ideal)


def report(replayed: Sequence[Replayed], say: Callable[[str], None]) -> None:
    """Print the figures, and what it is worth to know which files are worked on."""
    shipped = RankSettings()
    names = dict.fromkeys(each.asked.question.repository for each in replayed)
    say(f"{len(replayed)} commits of {len(names)} repositories")
    plain = [outcome(each.asked, shipped) for each in replayed]
    _say_row("as shipped, nothing open", plain, say)
    for name in names:
        own = [
            o for o, r in zip(plain, replayed, strict=True) if r.asked.question.repository == name
        ]
        say(f"  {name:24} {len(own):3}  {sum(o.ndcg for o in own) / len(own):.3f}")
    base = [each.ndcg for each in plain]
    elsewhere = _of_another_time(replayed)
    for weight in ATTENTION:
        settings = replace(shipped, working_set_weight=weight)
        for label, opened in (
            ("neighbours", [each.neighbours for each in replayed]),
            ("another time's files", elsewhere),
        ):
            found = [outcome(each, settings) for each in with_open(replayed, opened)]
            mean, low, high = paired_interval(base, [each.ndcg for each in found])
            say(f"open: {label}, weight {weight}: NDCG@10 {mean:+.4f} [{low:+.4f}, {high:+.4f}]")


def _of_another_time(replayed: Sequence[Replayed]) -> list[frozenset[str]]:
    """For each commit the neighbours of one of its repository that is far from it."""
    by_name: dict[str, list[int]] = {}
    for number, each in enumerate(replayed):
        by_name.setdefault(each.asked.question.repository, []).append(number)
    far = {
        number: numbers[(place + len(numbers) // 2) % len(numbers)]
        for numbers in by_name.values()
        for place, number in enumerate(numbers)
    }
    return [replayed[far[number]].neighbours for number in range(len(replayed))]


def _say_row(label: str, found: Sequence[Outcome], say: Callable[[str], None]) -> None:
    told = []
    for name in ("at_1", "at_5", "at_10", "ndcg"):
        mean, low, high = mean_interval([getattr(each, name) for each in found])
        told.append(f"{name} {mean:.3f} [{low:.3f}, {high:.3f}]")
    say(f"{label}: {'  '.join(told)}")
