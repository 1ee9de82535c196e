"""A learned ranker against the constants: linear, LambdaRank, judged on repositories left out.

Features describe the chunk, its file and its path beside the query (Burges, "From RankNet to
LambdaRank to LambdaMART: An Overview", 2010, for the loss). docs/retrieval.md has the verdict.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import log

import numpy as np
from numpy.typing import NDArray

from surveyor.config.rank_settings import RankSettings
from surveyor.embedding.tokens import split_words, stem, tokenize
from surveyor.files.file_class import read_labels
from surveyor.search.path_facts import path_facts
from surveyor.search.query import Query
from surveyor.search.rank import RRF_K, Candidate, rank
from tests.bench.retrieval.asking import Asked, ndcg, scores
from tests.bench.retrieval.folds import FOLDS
from tests.bench.retrieval.metrics import Place, is_relevant
from tests.bench.retrieval.table import gain

STEPS = 80
RATE = 0.05
RIDGE = 1e-2
EVERY = 10_000
"""More than there are candidates: all of them are listed."""
FLAGS = ("tests", "examples", "docs", "vendored", "generated", "legacy", "config", "types")
KINDS = ("class", "struct", "interface", "trait", "function", "method", "preamble", "block")

Rows = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Example:
    """A question's candidates as numbers."""

    asked: Asked
    candidates: list[Candidate]
    inputs: Rows
    """Shape (candidates, features)."""
    relevant: NDArray[np.bool_]
    files: NDArray[np.int64]
    """Which file each candidate is of."""


def report(asked: Sequence[Asked], say: Callable[[str], None]) -> None:
    """Train without each fold of repositories and print what the rest is worth there."""
    examples = [example(each) for each in asked]
    names = list(dict.fromkeys(each.question.repository for each in asked))
    fold_of = {name: place % FOLDS for place, name in enumerate(names)}
    learned = [0.0] * len(asked)
    for fold in range(FOLDS):
        inside = [fold_of[each.question.repository] != fold for each in asked]
        weights = train([e for e, use in zip(examples, inside, strict=True) if use])
        for place, (each, use) in enumerate(zip(examples, inside, strict=True)):
            if not use:
                learned[place] = _judge(each, weights)
        say(f"fold {fold} trained")
    shipped = scores(asked, "hybrid", RankSettings())
    say(f"learned, held out {np.mean(learned):.3f}; constants {np.mean(shipped):.3f}")
    say(f"learned against the constants: {gain(shipped, learned)}")
    weights = train(examples)
    spread = np.concatenate([each.inputs for each in examples]).std(axis=0)
    strength = sorted(zip(weights * spread, feature_names(), strict=True), key=lambda w: -abs(w[0]))
    say("largest coefficients: " + ", ".join(f"{n} {w:+.2f}" for w, n in strength[:12]))


def feature_names() -> list[str]:
    """What the columns of the inputs are."""
    return [
        *("dense rank", "sparse rank", "cosine", "bm25", "both", "file's sum", "file's best"),
        *(
            "stem",
            "stem covered",
            "folder",
            "defines",
            "defines, name asked",
            "name",
            "name covered",
        ),
        *("parent", "text", "file's text", "lines", "fragment", "re-export", "depth", "code"),
        *(f"is {flag}" for flag in FLAGS),
        *(f"kind {kind}" for kind in KINDS),
    ]


def example(each: Asked) -> Example:
    """All candidates of a question with their features."""
    plain = RankSettings.plain()
    found = rank(each.query, each.candidates["hybrid"], plain, each.context, limit=EVERY)
    lifted = rank(
        each.query,
        each.candidates["hybrid"],
        RankSettings(),
        each.context,
        limit=EVERY,
    )
    defines = {ranked.candidate.id: ranked.defines for ranked in lifted}
    candidates = [ranked.candidate for ranked in found]
    order = {path: place for place, path in enumerate(dict.fromkeys(c.path for c in candidates))}
    relevant = [
        any(
            is_relevant(Place(each.prefix + c.path, c.start_line, c.end_line), target)
            for target in each.question.targets
        )
        for c in candidates
    ]
    return Example(
        each,
        candidates,
        _inputs(each, candidates, defines),
        np.asarray(relevant, dtype=np.bool_),
        np.asarray([order[c.path] for c in candidates], dtype=np.int64),
    )


def _inputs(each: Asked, candidates: Sequence[Candidate], defines: dict[str, float]) -> Rows:
    query = each.query
    words = {c.id: frozenset(tokenize(each.text_of(c.id))) for c in candidates}
    weights = _weights(query, list(words.values()))
    fused = {c.id: _part(c.dense_rank) + _part(c.sparse_rank) for c in candidates}
    sums: dict[str, float] = {}
    best: dict[str, float] = {}
    said: dict[str, set[str]] = {}
    for c in candidates:
        sums[c.path] = sums.get(c.path, 0.0) + fused[c.id]
        best[c.path] = max(best.get(c.path, 0.0), fused[c.id])
        said.setdefault(c.path, set()).update(words[c.id])
    most, top = max(sums.values(), default=1.0), max(best.values(), default=1.0)
    strongest = max((c.sparse or 0.0 for c in candidates), default=0.0) or 1.0
    rows = []
    for c in candidates:
        facts = path_facts(c.path)
        labels = read_labels(c.labels)
        name = frozenset(map(stem, split_words(c.symbol_name)))
        parent = frozenset(map(stem, split_words(c.parent_symbol.replace(".", "_"))))
        rows.append(
            [
                (RRF_K + 1) * _part(c.dense_rank),
                (RRF_K + 1) * _part(c.sparse_rank),
                c.dense or 0.0,
                (c.sparse or 0.0) / strongest,
                float(bool(c.dense_rank and c.sparse_rank)),
                sums[c.path] / (most or 1.0),
                best[c.path] / (top or 1.0),
                _share(weights, facts.stem_words),
                _covered(query, facts.stem_words),
                _share(weights, facts.folder_words),
                defines.get(c.id, 0.0),
                defines.get(c.id, 0.0) if query.kind == "symbol" else 0.0,
                _share(weights, name),
                _covered(query, name),
                _share(weights, parent),
                _share(weights, words[c.id]),
                _share(weights, said[c.path]),
                min(1.0, (c.end_line - c.start_line) / 60),
                float(c.is_fragment),
                float(c.is_reexport or facts.reexport_name),
                c.path.count("/") / 5,
                float(c.file_type == "code"),
                *(float(flag in labels and flag not in query.wants) for flag in FLAGS),
                *(float(c.kind == kind) for kind in KINDS),
            ]
        )
    return np.asarray(rows, dtype=np.float64).reshape(len(candidates), len(feature_names()))


def _part(position: int) -> float:
    return 1.0 / (RRF_K + position) if position else 0.0


def _weights(query: Query, texts: Sequence[frozenset[str]]) -> dict[str, float]:
    """Share of what the query says, by word: rare among the candidates' texts says more."""
    found = {
        word: log(1.0 + len(texts) / max(1, sum(word in text for text in texts)))
        for word in query.words
    }
    total = sum(found.values()) or 1.0
    return {word: weight / total for word, weight in found.items()}


def _share(weights: dict[str, float], words: frozenset[str] | set[str]) -> float:
    return sum(weight for word, weight in weights.items() if word in words)


def _covered(query: Query, words: frozenset[str]) -> float:
    return len(words & set(query.words)) / len(words) if words else 0.0


def train(examples: Sequence[Example]) -> Rows:
    """Weights of the features, by gradient steps (Adam) on LambdaRank's loss over files."""
    stacked = np.concatenate([each.inputs for each in examples])
    mean, spread = stacked.mean(axis=0), stacked.std(axis=0) + 1e-6
    useful = [
        ((each.inputs - mean) / spread, each.relevant, each.files)
        for each in examples
        if each.relevant.any() and not each.relevant.all()
    ]
    weights = np.zeros(stacked.shape[1])
    first, second = np.zeros_like(weights), np.zeros_like(weights)
    for step in range(1, STEPS + 1):
        slope = RIDGE * weights
        for inputs, relevant, files in useful:
            slope += _lambdas(inputs, relevant, files, weights) / len(useful)
        first = 0.9 * first + 0.1 * slope
        second = 0.999 * second + 0.001 * slope**2
        moved = (first / (1 - 0.9**step)) / (np.sqrt(second / (1 - 0.999**step)) + 1e-8)
        weights = weights - RATE * moved
    return np.asarray(weights / spread)


def _lambdas(
    inputs: Rows, relevant: NDArray[np.bool_], files: NDArray[np.int64], weights: Rows
) -> Rows:
    """Gradient of one question: each file stands with its best chunk."""
    values = inputs @ weights
    by_file = np.lexsort((-values, files))
    leads = by_file[np.r_[True, files[by_file][1:] != files[by_file][:-1]]]
    hit = np.zeros(int(files.max()) + 1, dtype=np.bool_)
    hit[files[relevant]] = True
    good = hit[files[leads]]
    if not good.any() or good.all():
        return np.zeros_like(weights)
    place = np.empty(len(leads), dtype=np.int64)
    place[np.argsort(-values[leads])] = np.arange(len(leads))
    discount = 1.0 / np.log2(place + 2.0)
    ahead, behind = leads[good], leads[~good]
    lead = values[ahead][:, None] - values[behind][None]
    swap = np.abs(discount[good][:, None] - discount[~good][None])
    force = swap / (1.0 + np.exp(np.clip(lead, -30, 30)))
    pulled: Rows = force.sum(axis=0) @ inputs[behind] - force.sum(axis=1) @ inputs[ahead]
    return pulled


def _judge(each: Example, weights: Rows) -> float:
    """NDCG@10 of a question, one result a file, as saturation would have it."""
    values = each.inputs @ weights
    listed: dict[str, Candidate] = {}
    for row in np.argsort(-values, kind="stable"):
        candidate = each.candidates[int(row)]
        listed.setdefault(candidate.path, candidate)
    return ndcg(each.asked, list(listed.values())[:10])
