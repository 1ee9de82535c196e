"""Chunks by the words in their texts, from the state alone: while the store does not answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from surveyor.embedding.tokens import raw_words
from surveyor.store.state.searched_chunks import chunks_with_words
from surveyor.store.vectors.contract import Filter, Hit

if TYPE_CHECKING:
    from collections.abc import Sequence

    from surveyor.search.scope import SearchInput, SearchTarget, Side
    from surveyor.store.state import State

MOST_WORDS = 8
LEAST_CHARS = 2


class StoreQuery(Protocol):
    """Interface of queries to the vector store."""

    @property
    def side(self) -> Side:
        """What is compared: words or meaning."""

    @property
    def where(self) -> Filter:
        """Conditions on payload fields, of which file types and languages are heeded here."""

    @property
    def limit(self) -> int:
        """Most hits."""


async def by_words(
    state: State, place: SearchTarget, sought: SearchInput, asks: Sequence[StoreQuery]
) -> list[list[Hit]]:
    """Hits of each question by how many of the query's words a text has; none by meaning."""
    words = words_of(sought.query.keywords)
    return [
        await _hits(state, place.project_id, words, ask) if ask.side == "sparse" and words else []
        for ask in asks
    ]


def words_of(query: str) -> list[str]:
    """Distinct words to look for, in lower case."""
    found = dict.fromkeys(word.lower() for word in raw_words(query) if len(word) >= LEAST_CHARS)
    return list(found)[:MOST_WORDS]


async def _hits(state: State, project_id: str, words: Sequence[str], ask: StoreQuery) -> list[Hit]:
    found = await chunks_with_words(
        state,
        project_id,
        words,
        ask.limit,
        types=_told(ask.where, "file_type"),
        languages=_told(ask.where, "language"),
    )
    return [Hit(hit.point_id, float(hit.words)) for hit in found]


def _told(where: Filter, name: str) -> tuple[list[str], list[str]]:
    """Values that a field must have one of, and those that it must not have."""
    must, must_not = where.must.get(name, ()), where.must_not.get(name, ())
    return [str(value).lower() for value in must], [str(value).lower() for value in must_not]
