"""What is learned from a repository's own commits: is it worth anything, and where?

Of the commits up to a repository's pinned revision the newest that ask something are held out, the
ones before them decide whether what all older ones teach is used there, as in the engine. It is
judged by the commits held out, and by the benchmark's questions, which no commit asks.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np

from surveyor.config.rank_settings import RankSettings
from surveyor.embedding.contract import Embedder
from surveyor.embedding.dense import load_embedder
from surveyor.embedding.tokens import split_words, stem
from surveyor.search.commit_prior import (
    LEAST_COMMITS,
    MOST_COMMITS,
    CommitPrior,
    TaughtCommit,
    Verdict,
    asked_by,
    files_ndcg,
    fitted,
    taught_by,
    verdict_of,
)
from surveyor.search.rank import RankContext, rank
from tests.bench.retrieval import asking, memory
from tests.bench.retrieval.dataset import Question, Repository, Target
from tests.bench.retrieval.history import CATEGORY, RESULTS, commits_up_to
from tests.bench.retrieval.metrics import paired_interval

HELD_OUT = 40
LEAST_HELD_OUT = 20
TRIALS = 100

Gains = list[float]


@dataclass(frozen=True, slots=True)
class Learned:
    """What one repository's commits were worth."""

    name: str
    verdict: Verdict
    on_commits: Gains
    """NDCG@10 of the files, with it less without it."""
    on_questions: Gains


def replay(
    repositories: Sequence[Repository],
    checkouts: Path,
    clones: Path,
    *,
    cache: Path | None,
    say: Callable[[str], None],
) -> list[Learned]:
    """The repositories that have commits enough; subtrees."""
    embedder = load_embedder("")
    found = []
    for repository in repositories:
        root, prefix = asking.root_of(checkouts, repository, whole=False)
        index = memory.build(root, embedder, cache=cache)
        known = frozenset(candidate.path for candidate in index.candidates)
        held, trials, older, every = _sorted_out(clones, repository, prefix, known)
        if len(held) < LEAST_HELD_OUT or len(older) < LEAST_COMMITS:
            say(f"{repository.name}: too few commits")
            continue
        name = frozenset(map(stem, split_words(repository.name)))
        context = RankContext(subject=name)

        ask = partial(_both, index, embedder, context)
        verdict = verdict_of(_of_files(ask(_asked(trials), _fit(older, embedder))))
        taught = _fit(every[:MOST_COMMITS], embedder)
        learned = Learned(
            repository.name,
            verdict,
            _of_files(ask(_asked(held), taught)),
            _of_places(ask(repository.questions, taught, prefix)),
        )
        found.append(learned)
        say(
            f"{repository.name}: {verdict.gain:+.3f} ± {verdict.error:.3f}"
            f" ({'on' if verdict.wins else 'off'}), commits held out"
            f" {np.mean(learned.on_commits):+.3f}, questions {np.mean(learned.on_questions):+.3f}"
        )
    return found


def _both(
    index: memory.MemoryIndex,
    embedder: Embedder,
    context: RankContext,
    questions: Sequence[Question],
    prior: CommitPrior,
    prefix: str = "",
) -> list[asking.Asked]:
    """Questions without what was learned, then all of them with it."""
    asked = asking.ask_index(questions, index, embedder, prefix, context, ("hybrid",))
    return asked + [_with(each, prior) for each in asked]


def _sorted_out(
    clones: Path, repository: Repository, prefix: str, known: frozenset[str]
) -> tuple[list[TaughtCommit], ...]:
    """Commits held out, those that decide, what those before teach, and what all but those held
    out do, each the newest first."""
    held: list[TaughtCommit] = []
    trials: list[TaughtCommit] = []
    older: list[TaughtCommit] = []
    every: list[TaughtCommit] = []
    for commit in reversed(list(commits_up_to(clones / repository.name, repository.revision))):
        changed = [p.removeprefix(prefix) for p in commit.changed if p.startswith(prefix)]
        asked = asked_by(commit.subject, changed, known)
        if len(held) < HELD_OUT:
            held += [asked] if asked else []
            continue
        is_trial = len(trials) < TRIALS
        if is_trial and asked:
            trials.append(asked)
        if taught := taught_by(commit.subject, changed, known):
            every.append(taught)
            older += [] if is_trial else [taught]
    return held, trials, older[:MOST_COMMITS], every


def _asked(commits: Sequence[TaughtCommit]) -> list[Question]:
    return [Question("", c.question, CATEGORY, tuple(map(Target, c.files))) for c in commits]


def _fit(commits: Sequence[TaughtCommit], embedder: Embedder) -> CommitPrior:
    return fitted(commits, embedder.embed_documents([each.question for each in commits]))


def _with(each: asking.Asked, prior: CommitPrior) -> asking.Asked:
    """The question as it is asked where something was learned."""
    if each.query.kind != "words":
        return each
    known = prior.of(each.query.searched, each.vector)
    return replace(each, context=replace(each.context, commit_prior=known))


def _of_files(asked: Sequence[asking.Asked]) -> Gains:
    """Gains of the second half of some questions over the first, file by file."""
    worth = []
    for each in asked:
        ranked = rank(each.query, each.candidates["hybrid"], RankSettings(), each.context, RESULTS)
        wanted = {target.path for target in each.question.targets}
        worth.append(files_ndcg((one.candidate.path for one in ranked), wanted))
    return _differences(worth)


def _of_places(asked: Sequence[asking.Asked]) -> Gains:
    """The same by the benchmark's own measure."""
    return _differences(asking.scores(asked, "hybrid", RankSettings()))


def _differences(worth: Sequence[float]) -> Gains:
    half = len(worth) // 2
    return [after - before for before, after in zip(worth[:half], worth[half:], strict=True)]


def report(learned: Sequence[Learned], say: Callable[[str], None]) -> None:
    """Print what it is worth used everywhere, and where it won on the commits that decide."""
    for label, used in (
        ("everywhere", learned),
        ("where it wins", [each for each in learned if each.verdict.wins]),
    ):
        names = {each.name for each in used}
        for what, of in (
            ("commits held out", [each.on_commits for each in learned]),
            ("questions", [each.on_questions for each in learned]),
        ):
            own = zip(learned, of, strict=True)
            gains = [g if each.name in names else 0.0 for each, values in own for g in values]
            mean, low, high = paired_interval([0.0] * len(gains), gains)
            better = sum(np.mean(v) > 0 for v in of)
            say(
                f"{label} ({len(used)} of {len(learned)}), {len(gains)} {what}: NDCG@10 {mean:+.4f}"
                f" [{low:+.4f}, {high:+.4f}]; everywhere better in {better}"
            )
