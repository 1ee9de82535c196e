"""Name tables of checkouts: read when a checkout becomes active, extended while it is edited."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

from surveyor.engine.index.commit import CommittedBatch
from surveyor.search.name_table import NameTable
from surveyor.store.state import State
from surveyor.store.state.projects import revision_of
from surveyor.store.state.symbols import distinct_names

KEPT_CHECKOUTS = 4
"""Name tables kept in memory: about 350 bytes for each distinct name."""

MOST_CHANGED = 300
"""With more changed files than this all names are read anew."""


@dataclass(slots=True)
class CheckoutNames:
    """The names of a checkout as of a revision, and files that were committed since."""

    revision: int
    table: NameTable
    changed: set[str] = field(default_factory=set)


class SymbolNames:
    """Distinct names of each checkout's symbols.

    Names that have gone stay in a table: no definition is found for them any more.
    """

    def __init__(self, state: State) -> None:
        self._state = state
        self._kept: dict[str, CheckoutNames] = {}
        self._reading: dict[str, asyncio.Lock] = {}

    async def committed(self, batch: CommittedBatch) -> None:
        """Files have changed: their names are read before the next search."""
        kept = self._kept.get(batch.checkout_id)
        if kept is not None:
            kept.changed.update(batch.changed)

    async def of(self, checkout_id: str) -> NameTable:
        """The names as they are now."""
        async with self._reading.setdefault(checkout_id, asyncio.Lock()):
            revision = revision_of(self._state, checkout_id)
            kept = self._kept.get(checkout_id)
            if kept is not None and kept.changed and len(kept.changed) <= MOST_CHANGED:
                changed, kept.changed = sorted(kept.changed), set()
                kept.table.add(await distinct_names(self._state, checkout_id, changed))
                kept.revision = revision
            elif kept is None or kept.changed or kept.revision != revision:
                names = await distinct_names(self._state, checkout_id)
                # Beside the loop: 60 ms for 25,000 names.
                kept = CheckoutNames(revision, await asyncio.to_thread(NameTable, names))
            self._kept.pop(checkout_id, None)
            self._kept[checkout_id] = kept  # the last one used is the last to go
            while len(self._kept) > KEPT_CHECKOUTS:
                self._kept.pop(next(iter(self._kept)))
            return kept.table
