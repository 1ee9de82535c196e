"""Words that stand nowhere, in a real store."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from surveyor.embedding.sparse import token_id
from surveyor.search.word_presence import MOST_LOOKED_UP, standing_nowhere
from surveyor.store.vectors.contract import (
    Filter,
    Hit,
    Point,
    Space,
    Sparse,
    StoreUnreachableError,
)
from surveyor.store.vectors.edge import EdgeStore

FIRST, SECOND = (Space("projects", name, "m", 4) for name in ("p", "q"))


async def _on_store(work: Callable[..., Any], *arguments: Any) -> Any:
    return work(*arguments)


def _filled(folder: Path) -> EdgeStore:
    store = EdgeStore(folder)
    for space, number, word in ((FIRST, 1, "cart"), (SECOND, 2, "price")):
        point_id = f"00000000-0000-0000-0000-{number:012d}"
        dense = np.array([1, 0, 0, 0], np.float32)
        store.upsert(space, [Point(point_id, dense, Sparse((token_id(word),), (1.0,)), {})])
    return store


async def test_a_word_that_no_space_holds_stands_nowhere(tmp_path: Path) -> None:
    store = _filled(tmp_path)
    words = ["cart", "price", "glacier"]
    assert await standing_nowhere(store, _on_store, [FIRST], words) == {"price", "glacier"}
    assert await standing_nowhere(store, _on_store, [FIRST, SECOND], words) == {"glacier"}
    assert await standing_nowhere(store, _on_store, [FIRST], []) == set()
    many = [f"word{number}" for number in range(50)]
    assert len(await standing_nowhere(store, _on_store, [FIRST], many)) == MOST_LOOKED_UP
    store.close()


async def test_of_a_store_that_does_not_answer_nothing_is_said(tmp_path: Path) -> None:
    class Silent(EdgeStore):
        def sparse(
            self, space: Space, vector: Sparse, limit: int, where: Filter | None = None
        ) -> list[Hit]:
            raise StoreUnreachableError("the store does not answer")

    store = Silent(tmp_path)
    assert await standing_nowhere(store, _on_store, [FIRST], ["cart"]) == set()
    store.close()
