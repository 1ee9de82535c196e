"""What is known of ranked results, from which `confidences` says how likely each is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from surveyor.search.confidence import EVIDENCE_DEPTH, Evidence
from surveyor.search.named_places import sure_place
from surveyor.search.path_facts import path_facts
from surveyor.search.query import Query
from surveyor.search.rank import RankedCandidate
from surveyor.search.said_words import said_of

__all__ = [
    "EVIDENCE_DEPTH",
    "UNKNOWN_SURROUNDINGS",
    "Surroundings",
    "evidence_of",
    "unsaid_words",
    "words_said",
]

TYPICAL_SIMILARITY = 0.5
"""Cosine of a question and a chunk that says all its words, where it was not computed."""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What is known of what was searched, beside the results."""

    chunks: int = 0
    """Chunks of the projects that were searched; 0 where it is not known."""
    nowhere: frozenset[str] = frozenset()
    """Words of the query that are known to stand in none of them."""


UNKNOWN_SURROUNDINGS = Surroundings()


def words_said(
    query: Query, ranked: Sequence[RankedCandidate], texts: Sequence[str]
) -> list[frozenset[str]]:
    """The words of the query that each result or its path says; `texts` are those of the
    results' chunks."""
    return [_words_said(query, each, text) for each, text in zip(ranked, texts, strict=True)]


def unsaid_words(query: Query, said: Sequence[frozenset[str]]) -> list[str]:
    """The words of the query that none of the first results says."""
    every: frozenset[str] = frozenset().union(*said[:EVIDENCE_DEPTH])
    return [word for word in query.words if word not in every]


def evidence_of(
    query: Query,
    ranked: Sequence[RankedCandidate],
    said: Sequence[frozenset[str]],
    surroundings: Surroundings = UNKNOWN_SURROUNDINGS,
    *,
    is_whole: bool = True,
) -> list[Evidence]:
    """What is known of each ranked result; `said` are the words of the query that each says.

    Without `is_whole` the store lacks some chunks: what it does not say of them is not known.
    """
    nowhere = len(surroundings.nowhere) / len(query.words) if query.words else 0.0
    by_meaning = any(each.candidate.dense is not None for each in ranked)
    by_words = any(each.candidate.sparse is not None for each in ranked)
    defining = [each.defines for each in ranked[:EVIDENCE_DEPTH]]
    found: list[Evidence] = []
    for position, each in enumerate(ranked):
        candidate = each.candidate
        covered = len(said[position]) / len(query.words) if query.words else 0.0
        similarity = candidate.dense or 0.0
        if not by_meaning or (candidate.dense is None and not is_whole):
            similarity = TYPICAL_SIMILARITY * covered
        # A side that was not asked, or lacks the chunk, says nothing: the other stands for both.
        meaning_rank, words_rank = candidate.dense_rank, candidate.sparse_rank
        if not by_meaning or (not meaning_rank and not is_whole):
            meaning_rank = words_rank
        elif not by_words:
            words_rank = meaning_rank
        rivals = sum(other >= each.defines for other in defining) if each.defines else 0
        found.append(
            Evidence(
                position=position,
                margin=_margin(ranked) if position == 0 else 0.0,
                similarity=similarity,
                coverage=covered,
                defines=max(each.defines, each.said, float(sure_place(query, candidate) > 0)),
                meaning_rank=meaning_rank,
                words_rank=words_rank,
                is_name=query.kind == "symbol",
                rivals=max(rivals - 1, 0),
                chunks=surroundings.chunks,
                nowhere=nowhere,
            )
        )
    return found


def _margin(ranked: Sequence[RankedCandidate]) -> float:
    """How far the first is above the next file, as a share of its score."""
    first, top = ranked[0], ranked[0].score
    if top <= 0:
        return 0.0
    others = (each.score for each in ranked[1:] if each.candidate.path != first.candidate.path)
    other = next(others, None)
    return first.margin if other is None else 1.0 - max(other, 0.0) / top


def _words_said(query: Query, each: RankedCandidate, text: str) -> frozenset[str]:
    """The words of the query that a result or its path says."""
    in_path = path_facts(each.candidate.path).words
    missing = [word for word in query.words if word not in in_path]
    return frozenset(in_path.intersection(query.words) | said_of(missing, text))
