"""The benchmark's questions put to indexes in memory: everything that ranking them needs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from time import process_time

import numpy as np
from numpy.typing import NDArray

from surveyor.config.rank_settings import RankSettings
from surveyor.embedding.contract import Embedder
from surveyor.embedding.dense import load_embedder
from surveyor.embedding.tokens import split_words, stem
from surveyor.parsing.languages import is_file_name
from surveyor.search.expand import FEEDBACK_CHUNKS, feedback, synonyms
from surveyor.search.phrases import share_said, wanted_phrases
from surveyor.search.query import Query, understand
from surveyor.search.rank import Candidate, RankContext, rank
from tests.bench.retrieval import memory
from tests.bench.retrieval.absent import absent_from
from tests.bench.retrieval.dataset import Question, Repository
from tests.bench.retrieval.metrics import Place, score

Candidates = dict[str, list[Candidate]]

WAYS: Mapping[str, tuple[str, bool]] = {
    "keyword alone": ("keyword", False),
    "semantic alone": ("semantic", False),
    "together": ("hybrid", False),
    "keyword": ("keyword", True),
    "semantic": ("semantic", True),
    "hybrid": ("hybrid", True),
}
"""Sets of candidates: mode, and whether code is searched apart from the rest."""

EXPANDED = ("synonyms", "feedback")
"""Sets of candidates that query expansion adds to those of `hybrid`."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A question with everything that ranking it needs."""

    question: Question
    query: Query
    vector: NDArray[np.float32]
    prefix: str
    """What comes before an indexed path to make it one of the repository."""
    context: RankContext
    candidates: Candidates
    text_of: Callable[[str], str]
    """Text of a candidate by its id."""
    chunks: int
    """Of the index."""
    standing: frozenset[str]
    """Words of the query that some of them say."""


@dataclass(slots=True)
class Spent:
    """CPU seconds on all repositories, and milliseconds of finding candidates by way."""

    indexing: memory.Cost
    chunks: int
    finding: dict[str, float]


def root_of(checkouts: Path, repository: Repository, whole: bool) -> tuple[Path, str]:
    """The folder that is indexed, and the prefix of its paths within the repository."""
    inside = "" if whole else repository.benchmark_root
    return checkouts / repository.name / inside, f"{inside}/" if inside else ""


def ask(
    repositories: Sequence[Repository],
    checkouts: Path,
    *,
    whole: bool = False,
    model: str = "",
    cache: Path | None = None,
    absent: bool = False,
    ways: Sequence[str] = (*WAYS, *EXPANDED),
    say: Callable[[str], None] = lambda _: None,
) -> tuple[list[Asked], Spent]:
    """Index each repository and find the candidates of its questions, in each of the ways.

    `absent` adds questions about what a repository does not have.
    """
    embedder = load_embedder(model)
    asked: list[Asked] = []
    spent = Spent(memory.Cost(), 0, dict.fromkeys((*WAYS, *EXPANDED), 0.0))
    for repository in repositories:
        root, prefix = root_of(checkouts, repository, whole)
        index = memory.build(root, embedder, cache=cache)
        for part in ("parsing", "dense", "sparse"):
            setattr(spent.indexing, part, getattr(spent.indexing, part) + getattr(index.cost, part))
        spent.chunks += len(index.chunks)
        context = RankContext(subject=frozenset(map(stem, split_words(root.name))))
        questions = list(repository.questions)
        if absent:
            texts = [*(chunk.text for chunk in index.chunks), *{c.path for c in index.candidates}]
            questions += absent_from(repository.name, repositories.index(repository), texts)
        asked += [_ask(each, index, embedder, prefix, context, spent, ways) for each in questions]
        say(f"{repository.name}: {len(index.chunks)} chunks")
    return asked, spent


def ask_index(
    questions: Sequence[Question],
    index: memory.MemoryIndex,
    embedder: Embedder,
    prefix: str,
    context: RankContext,
    ways: Sequence[str],
) -> list[Asked]:
    """Questions put to one index."""
    spent = Spent(memory.Cost(), 0, dict.fromkeys(ways, 0.0))
    return [_ask(each, index, embedder, prefix, context, spent, ways) for each in questions]


def _ask(
    question: Question,
    index: memory.MemoryIndex,
    embedder: Embedder,
    prefix: str,
    context: RankContext,
    spent: Spent,
    ways: Sequence[str],
) -> Asked:
    query = understand(question.text, is_file_name)
    started = process_time()
    vector = embedder.embed_query(query.searched)
    embedding = process_time() - started
    found: Candidates = {}
    for way in ways:
        started = process_time()
        if way in EXPANDED:
            mode = "hybrid"
            found[way] = _expanded(way, query, vector, index, context, found[mode])
        else:
            mode, pooled = WAYS[way]
            found[way] = index.candidates_for(query, vector, mode, pooled)
        taken = process_time() - started + (embedding if mode != "keyword" else 0.0)
        spent.finding[way] += 1000 * taken
    texts = {c.id: index.text(c.id) for each in found.values() for c in each}
    if phrases := wanted_phrases(query):
        shares = {id_: share_said(phrases, text) for id_, text in texts.items()}
        context = replace(context, said={id_: share for id_, share in shares.items() if share})
    standing = frozenset(filter(index.says, query.words))
    return Asked(
        question,
        query,
        vector,
        prefix,
        context,
        found,
        texts.__getitem__,
        len(index.chunks),
        standing,
    )


def _expanded(
    way: str,
    query: Query,
    vector: NDArray[np.float32],
    index: memory.MemoryIndex,
    context: RankContext,
    plain: list[Candidate],
) -> list[Candidate]:
    """Candidates of a query in prose with more words; the others' as they were."""
    if query.is_symbol_like:
        return plain
    if way == "synonyms":
        added = synonyms(query)
    else:
        first = rank(query, plain, RankSettings(), context, FEEDBACK_CHUNKS)
        added = feedback(query, [index.text(each.candidate.id) for each in first])
    return index.candidates_for(query, vector, "hybrid", True, added)


def ndcg(each: Asked, ordered: Sequence[Candidate]) -> float:
    """NDCG@10 of candidates in order."""
    return score(
        [Place(each.prefix + c.path, c.start_line, c.end_line) for c in ordered],
        each.question.targets,
    ).ndcg


def scores(asked: Sequence[Asked], way: str, settings: RankSettings) -> list[float]:
    """NDCG@10 of each question, its candidates ranked with these settings."""
    return [
        ndcg(
            each,
            [r.candidate for r in rank(each.query, each.candidates[way], settings, each.context)],
        )
        for each in asked
    ]
