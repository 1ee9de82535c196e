"""Knowledge by the words in its texts, from what the state holds: where the store lacks points.

Weighed as the store weighs them (BM25), so that both can stand in one list.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from surveyor.embedding.chunk_text import ChunkText
from surveyor.embedding.sparse import document_vectors, document_words, query_vector
from surveyor.embedding.tokens import raw_words, words_of
from surveyor.store.vectors.contract import Filter, Hit

__all__ = ["by_words"]


class WordedEntry(Protocol):
    """Interface of what is looked for."""

    @property
    def id(self) -> str:
        """Its point's id."""

    @property
    def title(self) -> str:
        """What it is called."""

    @property
    def text(self) -> str:
        """What it says."""

    @property
    def payload(self) -> Mapping[str, Any]:
        """What filters may use."""


def by_words(entries: Sequence[WordedEntry], query: str, where: Filter | None) -> list[Hit]:
    """The entries that have words of a query and that a filter lets through, best first.

    IDF as in the store: ln(1 + (N - n + .5) / (n + .5)), of the entries given.
    """
    wanted = query_vector(query)
    some = [each for each in entries if where is None or _meets(each, where)]
    if not some or not wanted.indices:
        return []
    terms = np.array(wanted.indices, dtype=np.uint32)
    weights = np.zeros((len(some), len(terms)))
    vectors = document_vectors(document_words(text, raw_words(text.code)) for text in _texts(some))
    for row, (tokens, values) in enumerate(vectors):
        ids = np.frombuffer(tokens, dtype=np.uint32)
        if len(ids):
            at = np.minimum(np.searchsorted(ids, terms), len(ids) - 1)
            weights[row] = np.frombuffer(values, dtype=np.float32)[at] * (ids[at] == terms)
    having = np.count_nonzero(weights, axis=0)
    idf = np.log(1 + (len(some) - having + 0.5) / (having + 0.5))
    scores = weights @ (idf * np.array(wanted.values))
    hits = [
        Hit(each.id, score) for each, score in zip(some, scores.tolist(), strict=True) if score > 0
    ]
    return sorted(hits, key=lambda hit: (-hit.score, hit.id))


def _texts(entries: Sequence[WordedEntry]) -> list[ChunkText]:
    """As the workers read them."""
    return [
        ChunkText(
            path_words=(),
            stem_words=(),
            scope_words=tuple(words_of(each.title)),
            symbols=(),
            code=each.text,
        )
        for each in entries
    ]


def _meets(entry: WordedEntry, where: Filter) -> bool:
    if where.ids is not None and entry.id not in where.ids:
        return False
    said = entry.payload.get
    return all(said(name) in values for name, values in where.must.items()) and not any(
        said(name) in values for name, values in where.must_not.items()
    )
