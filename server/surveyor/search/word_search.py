"""Chunks by the words in their texts, from the state alone: where the store lacks points.

A document's n-grams say which words it may have, unread; those that may have the rarest of them
are read, and their chunks weighed as the store weighs them (BM25). How common a word is follows
from the n-grams, too, so that what is found here and what the store finds can stand in one list.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np

from surveyor.embedding.chunk_text import chunk_text
from surveyor.embedding.sparse import document_words, query_terms, token_id, weights_of
from surveyor.embedding.tokens import raw_words
from surveyor.store.state.searched_chunks import WordedChunk, worded_chunks
from surveyor.store.vectors.contract import Filter, Hit

if TYPE_CHECKING:
    import numpy.typing as npt

    from surveyor.search.scope import SearchInput, SearchTarget, Side
    from surveyor.search.text_catalog import TextCatalog, WordSignatures
    from surveyor.store.state.document_texts import SearchedDocument

MOST_TERMS = 12
MOST_DOCUMENTS = 60
"""Documents that are read for one question: 10 KB each in the middle."""
MOST_CHUNKS = 2_000
"""Chunks of them that are."""
SHORTENED = 5
"""Characters from which a term's last one does not count where documents are looked for: what stems
have in common may end before it (`category`, `categories`)."""


class StoreQuery(Protocol):
    """Interface of queries to the vector store."""

    @property
    def side(self) -> Side:
        """What is compared: words or meaning."""

    @property
    def where(self) -> Filter:
        """Conditions on payload fields, of which types, languages and paths are heeded here."""

    @property
    def limit(self) -> int:
        """Most hits."""


async def by_words(
    catalog: TextCatalog,
    place: SearchTarget,
    sought: SearchInput,
    asks: Sequence[StoreQuery],
    is_inside: Callable[[str], bool],
    among: frozenset[int] | None = None,
) -> list[list[Hit]]:
    """Hits of each question by its words; none by meaning.

    `is_inside` says which paths count, `among` which documents; None: all.
    """
    terms = sorted(query_terms(sought.query.keywords).items(), key=lambda each: -each[1])
    terms = terms[:MOST_TERMS]
    wheres = dict.fromkeys(_key(ask.where) for ask in asks if ask.side == "sparse")
    if not terms or not wheres:
        return [[] for _ in asks]
    catalog.begin()
    documents = [
        each
        for each in await catalog.documents(place, ())
        if is_inside(each.path) and (among is None or each.doc_id in among)
    ]
    signatures = await catalog.holding(place, [_probe(term) for term, _ in terms])
    weighed = await asyncio.to_thread(_weighed, terms, documents, signatures)
    by_where: dict[_Key, list[Hit]] = {}
    for key in wheres:
        chosen = await asyncio.to_thread(_chosen, documents, weighed.documents, key)
        chunks = await worded_chunks(catalog.state, chosen, MOST_CHUNKS)
        by_where[key] = await asyncio.to_thread(_hits, chunks, weighed.terms)
    return [by_where[_key(ask.where)][: ask.limit] if ask.side == "sparse" else [] for ask in asks]


def merged(hits: Sequence[Hit], worded: Sequence[Hit], limit: int) -> list[Hit]:
    """What the store found and what words did, best first, each point once."""
    if not worded:
        return list(hits)
    best: dict[str, Hit] = {}
    for hit in sorted([*hits, *worded], key=lambda each: (-each.score, each.id)):
        best.setdefault(hit.id, hit)
    return list(best.values())[:limit]


_Key = tuple[tuple[str, bool, tuple[str | int | bool, ...]], ...]
"""Conditions of a filter: a field, whether it must be, and the values."""


def _key(where: Filter) -> _Key:
    return (
        *((name, True, values) for name, values in where.must.items()),
        *((name, False, values) for name, values in where.must_not.items()),
    )


def _meets(document: SearchedDocument, key: _Key) -> bool:
    for name, must, values in key:
        if name == "file_path":
            said = document.path
        elif name == "file_type":
            said = document.file_type
        elif name == "language":
            said = (document.language or "").lower()
        else:  # of a chunk: looked at with its row
            continue
        if (said in values) != must:
            return False
    return True


def _probe(term: str) -> str:
    return term[:-1] if len(term) >= SHORTENED else term


@dataclass(frozen=True, slots=True)
class _Weighed:
    """What a query's words are worth, and what documents are for having them."""

    documents: npt.NDArray[np.float64]
    terms: dict[int, float]
    """By the id of the term."""


def _weighed(
    terms: Sequence[tuple[str, float]],
    documents: Sequence[SearchedDocument],
    signatures: WordSignatures,
) -> _Weighed:
    rows = {doc_id: row for row, doc_id in enumerate(signatures.documents)}
    at = np.array([rows.get(each.doc_id, -1) for each in documents], dtype=np.intp)
    paths = [each.path.lower() for each in documents]
    total = len(signatures.documents)
    worth = np.zeros(len(documents))
    known: dict[int, float] = {}
    for (term, weight), held in zip(terms, signatures.held, strict=True):
        having = int(np.count_nonzero(held))
        rarity = math.log(1 + (total - having + 0.5) / (having + 0.5))
        token = token_id(term)
        known[token] = max(known.get(token, 0.0), weight * rarity)
        probe = _probe(term)
        # A text that is not stored (yet) may say anything.
        says = np.append(held, True)[at] | np.array([probe in path for path in paths], dtype=bool)
        worth += weight * rarity * says
    return _Weighed(worth, known)


def _chosen(
    documents: Sequence[SearchedDocument], worth: npt.NDArray[np.float64], key: _Key
) -> list[int]:
    """The documents that are worth the most of those that a filter lets through, best first."""
    some = [number for number, each in enumerate(documents) if worth[number] and _meets(each, key)]
    some.sort(key=lambda number: (-worth[number], len(documents[number].path)))
    return [documents[number].doc_id for number in some[:MOST_DOCUMENTS]]


def _hits(chunks: Sequence[WordedChunk], terms: Mapping[int, float]) -> list[Hit]:
    texts = [chunk_text(each.path, each) for each in chunks]
    words = [document_words(text, raw_words(text.code)) for text in texts]
    wanted = sorted(terms)
    scores = weights_of(wanted, words) @ np.array([terms[token] for token in wanted])
    best: dict[str, float] = {}
    for each, score in zip(chunks, scores.tolist(), strict=True):
        best[each.point_id] = max(score, best.get(each.point_id, 0.0))
    ordered = sorted(best, key=lambda point: (-best[point], point))
    return [Hit(point, best[point]) for point in ordered if best[point] > 0.0]
