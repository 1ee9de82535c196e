"""Which points a project should have, and which it has: compared while files are written.

Both sides are read in parts of a few milliseconds, beside everything else. What differs then is
looked at once more by the caller who keeps the pipeline from committing meanwhile.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import TypeVar

from surveyor.engine.process.store_executor import OnStore
from surveyor.store.state import State, documents
from surveyor.store.vectors.contract import Space, VectorStore
from surveyor.store.vectors.listing import all_ids

DOCUMENTS_AT_ONCE = 200
"""Documents whose points are read in one step: some 1,500 points, 3 ms."""
POINTS_AT_ONCE = 500

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Difference:
    """Points that a project lacks, and points that no document of it has."""

    missing: dict[str, int]
    """Points that are not there, with a document of each."""
    superfluous: set[str]
    expected: int
    """Points that there should be."""


class VectorDiff:
    """Compares a project's documents with the points in its space."""

    def __init__(self, state: State, vectors: VectorStore, on_store: OnStore) -> None:
        self._state = state
        self._vectors = vectors
        self._on_store = on_store

    async def differing(self, space: Space) -> Difference:
        """What seems to differ in a project's space. Raises `StoreError`."""
        present = await all_ids(self._vectors, self._on_store, space)
        missing: dict[str, int] = {}
        superfluous = set(present)
        for some in _parts(
            await documents.document_ids(self._state, space.tenant), DOCUMENTS_AT_ONCE
        ):
            for point_id, doc_id in await documents.points_of_documents(self._state, some):
                superfluous.discard(point_id)
                if point_id not in present:
                    missing[point_id] = doc_id
        expected = len(present) - len(superfluous) + len(missing)
        return Difference(missing, superfluous, expected)

    async def expected_of(self, project_id: str, point_ids: Collection[str]) -> dict[str, int]:
        """Those of some points that a project should have now, with a document of each."""
        found: dict[str, int] = {}
        for some in _parts(point_ids, POINTS_AT_ONCE):
            found.update(await documents.points_among(self._state, project_id, some))
        return found

    async def present_of(self, space: Space, point_ids: Collection[str]) -> set[str]:
        """Those of some points that a space has now. Raises `StoreError`."""
        found: set[str] = set()
        for some in _parts(point_ids, POINTS_AT_ONCE):
            points = await self._on_store(self._vectors.retrieve, space, some)
            found.update(point.id for point in points)
        return found


def _parts(values: Collection[T], size: int) -> Iterator[list[T]]:
    rest = iter(values)
    while some := list(islice(rest, size)):
        yield some
