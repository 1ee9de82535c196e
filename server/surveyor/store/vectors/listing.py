"""All ids of a space, for whoever compares them with what there should be."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from itertools import islice
from typing import Any

from surveyor.store.vectors.contract import Space, VectorStore

IDS_AT_ONCE = 1000
"""Ids read before others get their turn at the store: 10 ms."""


async def all_ids(
    vectors: VectorStore, on_store: Callable[..., Awaitable[Any]], space: Space
) -> set[str]:
    """Ids of all points of a space. Raises `StoreError`."""
    found: set[str] = set()
    following = vectors.ids(space)
    while some := await on_store(lambda: list(islice(following, IDS_AT_ONCE))):
        found.update(some)
    return found
