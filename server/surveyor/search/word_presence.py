"""Which words of a query stand nowhere in what is searched.

That no result says a word means little: thousands of chunks may. That no chunk at all does means
that nothing there is called so, and a look at the inverted index tells it in a tenth of a
millisecond.
"""

from __future__ import annotations

import contextlib
from collections.abc import Awaitable, Callable, Collection, Sequence
from typing import Any

from surveyor.embedding.sparse import token_id
from surveyor.store.vectors.contract import (
    Space,
    Sparse,
    StoreDamagedError,
    StoreError,
    StoreFullError,
    VectorStore,
)

__all__ = ["MOST_LOOKED_UP", "standing_nowhere"]

MOST_LOOKED_UP = 12
"""Words of a query that are looked up: more are said by no result of a paragraph alone."""


async def standing_nowhere(
    vectors: VectorStore,
    on_store: Callable[..., Awaitable[Any]],
    spaces: Collection[Space],
    words: Sequence[str],
) -> frozenset[str]:
    """Those of some stemmed words, the first dozen, that no chunk of some spaces says; none where
    the store cannot tell."""
    left = list(dict.fromkeys(words))[:MOST_LOOKED_UP]
    for space in spaces:
        if not left:
            break
        try:
            left = await _missing(vectors, on_store, space, left)
        except StoreError:
            return frozenset()
    return frozenset(left)


async def _missing(
    vectors: VectorStore, on_store: Callable[..., Awaitable[Any]], space: Space, words: list[str]
) -> list[str]:
    def words_missing() -> list[str]:
        asked = ((word, Sparse((token_id(word),), (1.0,))) for word in words)
        return [word for word, vector in asked if not vectors.sparse(space, vector, 1)]

    # As candidates are looked for: a change of thread takes longer than the look.
    with vectors.at_once(space) as free, contextlib.suppress(StoreDamagedError, StoreFullError):
        if free:
            return words_missing()
    found: list[str] = await on_store(words_missing)
    return found
