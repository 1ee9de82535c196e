"""Which files a repository's own commits say that a query is about.

A commit's subject and the files that it changed are a question and its answer. From them comes a
small map of queries to files: a word leads to the files that commits which say it change more often
than others do, and a query to the files of the commits whose subjects mean the most like it. Both
are scaled and added. Pure; docs/retrieval.md has what it is worth, and where.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import log, log2, sqrt

import numpy as np
from numpy.typing import NDArray

from surveyor.embedding.tokens import STOP_WORDS, split_words, stem
from surveyor.files.file_class import file_type_of, labels_of

__all__ = [
    "LEAST_COMMITS",
    "MOST_COMMITS",
    "MOST_READ",
    "CommitPrior",
    "TaughtCommit",
    "Verdict",
    "asked_by",
    "files_ndcg",
    "fitted",
    "is_code",
    "taught_by",
    "verdict_of",
]

MOST_COMMITS = 2000
"""The newest that teach something are learned from."""
MOST_READ = 5000
"""The newest commits, of which many teach nothing."""
LEAST_COMMITS = 60
"""Fewer teach nothing that could be told from chance."""
MOST_TAUGHT_FILES = 5
"""Files of code of a commit that is learned from."""
MOST_ASKED_FILES = 3
"""Files of code of a commit that is asked."""
LEAST_ASKED_WORDS = 4
LEAST_TAUGHT_WORDS = 3
LEAST_LETTERS = 3
LEAST_SAYING = 2
"""Commits that say a word that leads anywhere."""
LEAST_LIFT = 1.5
"""How much more often than others the commits that say a word change a file that it leads to."""
NEAREST = 15
"""Commits whose subjects are nearest that are heard."""
LEAST_COSINE = 0.25
SHARPNESS = 4
"""Power of the cosine that a near commit counts by."""

_CHORE = re.compile(
    r"^(?:revert|merge|bump|release|version|prepare|v?\d+(?:\.\d+)+|chore|style|ci|build|docs?|test"
    r"|deps?|format|lint|wip|initial|update (?:dep|read|change|version|submodule))\b"
    r"|\b(?:typos?|changelog|readme|dependabot|clippy|rubocop|prettier|eslint|black|gofmt|copyright"
    r"|licen[cs]e|whitespace|lint|formatting|code style|bump|version \d)\b|merge (?:branch|pull)",
    re.IGNORECASE,
)
_REFERENCE = re.compile(r"\(?(?:\b(?:fix(?:e[sd])?|close[sd]?|see|refs?|gh)\s+)?#\d+\)?|\[[^\]]*\]")


@dataclass(frozen=True, slots=True)
class TaughtCommit:
    """What a commit asks, and the files that answer it."""

    question: str
    files: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CommitPrior:
    """The map of one repository."""

    leads: Mapping[str, Sequence[tuple[str, float]]]
    """Word -> the files that it leads to, and how surely."""
    commits: Sequence[TaughtCommit]
    meanings: NDArray[np.float32]
    """Unit vectors of the commits' questions."""
    model: str = ""
    """Fingerprint of the model that made them."""

    def of(self, text: str, vector: NDArray[np.float32] | None) -> dict[str, float]:
        """Path -> how surely a query is about it, 1 for the surest; `vector` is the query's."""
        told: defaultdict[str, float] = defaultdict(float)
        for found in (self._by_words(text), self._by_meaning(vector)):
            most = max(found.values(), default=0.0)
            for path, weight in found.items():
                told[path] += weight / most
        most = max(told.values(), default=1.0)
        return {path: weight / most for path, weight in told.items()}

    def _by_words(self, text: str) -> Mapping[str, float]:
        found: defaultdict[str, float] = defaultdict(float)
        for word in _words(text):
            for path, weight in self.leads.get(word, ()):
                found[path] += weight
        return found

    def _by_meaning(self, vector: NDArray[np.float32] | None) -> Mapping[str, float]:
        found: defaultdict[str, float] = defaultdict(float)
        if vector is None or not len(self.meanings):
            return found
        # Not by BLAS: waking its threads costs ten times what they compute.
        cosines = np.einsum("nd,d->n", self.meanings, vector)
        for number in np.argsort(-cosines, kind="stable")[:NEAREST]:
            if (cosine := float(cosines[number])) > LEAST_COSINE:
                files = self.commits[number].files
                for path in files:
                    found[path] += cosine**SHARPNESS / len(files)
        return found


def fitted(
    commits: Sequence[TaughtCommit], meanings: NDArray[np.float32], model: str = ""
) -> CommitPrior:
    """The map that commits teach; `meanings` are the vectors of their questions by a model."""
    saying: Counter[str] = Counter()
    changing: defaultdict[str, float] = defaultdict(float)
    together: dict[str, defaultdict[str, float]] = {}
    for commit in commits:
        share = 1.0 / len(commit.files)
        for path in commit.files:
            changing[path] += share
        for word in _words(commit.question):
            saying[word] += 1
            own = together.setdefault(word, defaultdict(float))
            for path in commit.files:
                own[path] += share
    leads = {
        word: _leads_of(files, saying[word], changing, len(commits))
        for word, files in together.items()
        if saying[word] >= LEAST_SAYING
    }
    return CommitPrior(
        {word: files for word, files in leads.items() if files},
        commits,
        meanings,
        model,
    )


def _leads_of(
    files: Mapping[str, float], saying: int, changing: Mapping[str, float], commits: int
) -> tuple[tuple[str, float], ...]:
    """The files that a word leads to: by how much the share of commits that change one rises where
    the word is said, and by how rarely it is."""
    rarity = log(commits / saying)
    found = []
    for path, together in files.items():
        usual = changing[path] / commits
        share = (together + 2 * usual) / (saying + 2)  # as if two more had said it that are usual
        if share > LEAST_LIFT * usual:
            found.append((path, rarity * (share - usual)))
    return tuple(found)


def _words(text: str) -> set[str]:
    return {
        stem(word)
        for word in split_words(text)
        if len(word) >= LEAST_LETTERS and word not in STOP_WORDS
    }


# --- commits that teach, and commits that are asked -------------------------------------------


def question_in(subject: str) -> str:
    """A commit's subject without what refers to issues and the like."""
    return " ".join(_REFERENCE.sub(" ", subject).split())


def is_code(path: str) -> bool:
    """Whether a path is one of code, and not of tests, examples and other things beside it."""
    kind = file_type_of(path)
    return kind == "code" and not labels_of(path, kind)


def taught_by(subject: str, changed: Sequence[str], known: Collection[str]) -> TaughtCommit | None:
    """What a commit teaches of the files that are known; None where that is nothing."""
    question = question_in(subject)
    files = tuple(path for path in changed if path in known and is_code(path))
    is_telling = 1 <= len(files) <= MOST_TAUGHT_FILES and len(changed) <= 3 * MOST_TAUGHT_FILES
    if not is_telling or len(question.split()) < LEAST_TAUGHT_WORDS:
        return None
    return TaughtCommit(question, files)


def asked_by(subject: str, changed: Sequence[str], known: Collection[str]) -> TaughtCommit | None:
    """A commit as a question that the files that are known answer; None where it is none: merges,
    reverts, releases, tidying, what changes many files or one that is gone."""
    question = question_in(subject)
    files = tuple(path for path in changed if is_code(path))
    if not 1 <= len(files) <= MOST_ASKED_FILES or len(changed) > 3 * MOST_ASKED_FILES:
        return None
    if _CHORE.search(question) or len(question.split()) < LEAST_ASKED_WORDS:
        return None
    return TaughtCommit(question, files) if all(path in known for path in files) else None


# --- whether it helps ---------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a map was worth on commits that it was not fitted on."""

    gain: float
    """Mean gain in NDCG@10."""
    error: float
    """Standard error of it."""
    asked: int

    @property
    def wins(self) -> bool:
        """Whether it helps by more than its standard error."""
        return self.gain > self.error


def verdict_of(gains: Sequence[float]) -> Verdict:
    """The mean of gains with its standard error."""
    count = len(gains)
    if count < 2:
        return Verdict(0.0, 0.0, 0)
    mean = sum(gains) / count
    spread = sum((gain - mean) ** 2 for gain in gains) / (count - 1)
    return Verdict(mean, sqrt(spread / count), count)


def files_ndcg(paths: Iterable[str], wanted: Collection[str], depth: int = 10) -> float:
    """NDCG@10 of files in order, each taken once."""
    found = list(dict.fromkeys(paths))[:depth]
    gained = sum(1 / log2(n + 2) for n, path in enumerate(found) if path in wanted)
    ideal = sum(1 / log2(n + 2) for n in range(min(len(wanted), depth)))
    return gained / ideal if ideal else 0.0
