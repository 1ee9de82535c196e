"""Which files of a checkout use which names: how telling a name is, and who shares several."""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Iterable, Sequence

import numpy as np

from surveyor.graph.facts import NAME_HASH_BYTES, name_hash
from surveyor.store.state import State
from surveyor.store.state.graph.documents import names_by_document

__all__ = ["NameFrequencies", "NameIndex"]

RECOUNT_S = 30.0
"""A checkout that changes is read again after so long at the earliest: how common a name is hardly
changes, and what was just written is found by its vectors."""
KEPT = 2
"""Checkouts whose names are kept; 10,000 files take some 12 MB."""
MOST_COMMON = 0.2
"""Share of the files from which on a name leads to none of them."""


class NameIndex:
    """The names of a checkout's files, by hash."""

    def __init__(self, rows: Sequence[tuple[int, bytes]]) -> None:
        self._documents = [doc_id for doc_id, _ in rows]
        lengths = [len(names) // NAME_HASH_BYTES for _, names in rows]
        self._ends = np.cumsum(lengths) if rows else np.zeros(0, dtype=np.int64)
        joined = b"".join(names for _, names in rows)
        self._hashes = np.frombuffer(joined, dtype=np.uint32)
        self._distinct, self._counts = np.unique(self._hashes, return_counts=True)
        self._weights: dict[str, float] = {}

    def weight(self, name: str) -> float:
        """How telling it is that code names this: its inverse document frequency."""
        known = self._weights.get(name)
        if known is None:
            files = len(self._documents)
            known = math.log((files + 1.5) / (self._files_with(name) + 0.5)) if files else 1.0
            self._weights[name] = known = max(known, 0.1)
        return known

    def _files_with(self, name: str) -> int:
        wanted = _as_number(name)
        at = int(np.searchsorted(self._distinct, wanted))
        if at < len(self._distinct) and self._distinct[at] == wanted:
            return int(self._counts[at])
        return 0

    def sharing(self, names: Iterable[str], limit: int) -> list[int]:
        """Documents that use the most telling of some names, those that use most of them first."""
        weights = {
            _as_number(name): self.weight(name)
            for name in names
            if self._files_with(name) <= max(3, MOST_COMMON * len(self._documents))
        }
        if not weights or not len(self._hashes):
            return []
        wanted = np.array(sorted(weights), dtype=np.uint32)
        places = np.flatnonzero(np.isin(self._hashes, wanted))
        files = np.searchsorted(self._ends, places, side="right")
        telling = np.array([weights[int(each)] for each in wanted])
        found = np.bincount(
            files,
            weights=telling[np.searchsorted(wanted, self._hashes[places])],
            minlength=len(self._documents),
        )
        order = np.argsort(-found, kind="stable")[:limit]
        return [self._documents[at] for at in order.tolist() if found[at] > 0]


def _as_number(name: str) -> int:
    return int(np.frombuffer(name_hash(name), dtype=np.uint32)[0])


class NameFrequencies:
    """The indexes of the checkouts that were asked about last."""

    def __init__(self, state: State) -> None:
        self._state = state
        self._kept: dict[str, tuple[float, int, NameIndex]] = {}

    async def of(self, checkout_id: str) -> NameIndex:
        """The names of a checkout, as they were at most `RECOUNT_S` ago."""
        known, now = self._kept.get(checkout_id), time.monotonic()
        version = self._state.data_version
        if known is not None and (known[1] == version or now - known[0] < RECOUNT_S):
            return known[2]
        rows = await names_by_document(self._state, checkout_id)
        index = await asyncio.to_thread(NameIndex, rows)
        self._kept.pop(checkout_id, None)
        while len(self._kept) >= KEPT:
            self._kept.pop(next(iter(self._kept)))
        self._kept[checkout_id] = (now, version, index)
        return index
