"""Copying all points from one vector store to another: resumable, and verified at the end.

What is at the target is never trusted to be whole: ids are compared, what is missing is copied,
what the source does not have is removed there. So a move that was killed goes on where it was.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from surveyor.store.vectors.contract import Point, Space, StoreError, VectorStore
from surveyor.units import counted

COPIED_AT_ONCE = 256
FLUSHED_AFTER = 20
"""Batches between two flushes: what a power cut could take."""
SAMPLES = 200
"""Points of a space that are read from both sides and compared."""
VECTOR_TOLERANCE = 4e-3
"""An embedded store keeps dense vectors at a byte a dimension."""
WEIGHT_TOLERANCE = 1e-3
POINT_BYTES = 1_500
"""Of a point of 256 dimensions on disk, indexes and logs included: 1,250 to 1,490 in embedded
shards of 4,600 to 12,000 points, 1,224 in a compact one of 60,413."""
POINT_DIMENSIONS = 256
"""A dimension more is a byte more."""
SPACE_BYTES = 2 << 20
"""What a shard takes whatever it holds: 855 points took 2,340 bytes each."""

WholePayloads = Callable[[Space, Sequence[str]], Mapping[str, dict[str, Any]]]
"""Whole payloads of those of some points that more is known of than the source has."""


class StoreMoveError(StoreError):
    """What was copied is not what was there."""

    code = "store_move"


@dataclass(frozen=True, slots=True)
class SpaceMove:
    """What is to be moved of one space."""

    space: Space
    points: int
    """That there are."""
    present: int
    """Of these, at the target already."""


def embedded_bytes(plan: Sequence[SpaceMove]) -> int:
    """About what an embedded target takes for what is still to be moved."""
    return sum(
        (each.points - each.present) * (POINT_BYTES + each.space.dimension - POINT_DIMENSIONS)
        + (0 if each.present else SPACE_BYTES)
        for each in plan
        if each.points > each.present
    )


class StoreMove:
    """Moves points between two stores that nobody else writes to meanwhile."""

    def __init__(
        self, source: VectorStore, target: VectorStore, whole: WholePayloads | None = None
    ) -> None:
        """`whole` is asked where the target takes fields that the source does not keep."""
        self._source = source
        self._target = target
        self._whole = whole if target.payload_fields is None else None

    def plan(self) -> list[SpaceMove]:
        """What there is to do, in a stable order. Raises `StoreError`."""
        there = set(self._target.spaces())
        found = []
        for space in sorted(self._source.spaces(), key=_order):
            points = set(self._source.ids(space))
            present = points & set(self._target.ids(space)) if space in there else set()
            found.append(SpaceMove(space, len(points), len(present)))
        return found

    def copy(self, space: Space) -> Iterator[int]:
        """Make the target's space hold the source's points; yields how many were copied, batch by
        batch. Raises `StoreError`."""
        wanted = set(self._source.ids(space))
        present = set(self._target.ids(space))
        for some in _batches(sorted(present - wanted)):
            self._target.delete(space, some)
        yield from self._copy(space, sorted(wanted - present))

    def verify(self, space: Space) -> None:
        """Compare ids, and points of samples. Raises `StoreMoveError` where they differ."""
        wanted = sorted(self._source.ids(space))
        arrived, present = self._target.count(space), set(self._target.ids(space))
        if arrived != len(wanted) or present != set(wanted):
            raise StoreMoveError(
                f"{_named(space)}: {counted(arrived, 'point')} arrived where {len(wanted)}"
                " were sent",
                "Run the command again: what is missing is copied.",
            )
        sample = wanted[:: max(1, len(wanted) // SAMPLES)][:SAMPLES]
        for some in _batches(sample):
            copied = {point.id: point for point in self._target.retrieve(space, some)}
            for point in self._source.retrieve(space, some):
                differing = _difference(point, copied[point.id])
                if differing:
                    raise StoreMoveError(
                        f"{_named(space)}: the {differing} of point {point.id} arrived changed",
                        "Run the command again with --anew: every point is copied.",
                    )

    def discard(self, space: Space) -> None:
        """Empty the target's space, so that every point is copied."""
        self._target.drop(space)

    def _copy(self, space: Space, ids: Sequence[str]) -> Iterator[int]:
        for number, some in enumerate(_batches(ids), 1):
            points = self._source.retrieve(space, some)
            if len(points) != len(some):
                raise StoreError(
                    f"{_named(space)}: {counted(len(some) - len(points), 'point')} cannot be read",
                    "`surveyor doctor --repair` makes them again; then run this once more.",
                )
            self._target.upsert(space, self._completed(space, points))
            if number % FLUSHED_AFTER == 0:
                self._target.flush(space)
            yield len(points)
        self._target.flush(space)

    def _completed(self, space: Space, points: Sequence[Point]) -> Sequence[Point]:
        if self._whole is None:
            kept = self._target.payload_fields
            if kept is None or space.collection != "projects":
                return points
            return [
                replace(point, payload={k: v for k, v in point.payload.items() if k in kept})
                for point in points
            ]
        known = self._whole(space, [point.id for point in points])
        return [replace(point, payload=known.get(point.id, point.payload)) for point in points]


def _difference(sent: Point, arrived: Point) -> str:
    """What of a point has changed on the way; empty where nothing has."""
    if sent.dense is None or arrived.dense is None:
        if sent.dense is not arrived.dense:
            return "vector"
    elif not np.allclose(_unit(sent.dense), _unit(arrived.dense), atol=VECTOR_TOLERANCE):
        return "vector"
    if sent.sparse.indices != arrived.sparse.indices or not np.allclose(
        sent.sparse.values, arrived.sparse.values, rtol=WEIGHT_TOLERANCE
    ):
        return "words"
    common = sent.payload.keys() & arrived.payload.keys()
    return "payload" if any(sent.payload[k] != arrived.payload[k] for k in common) else ""


def _unit(vector: Any) -> Any:
    length = float(np.linalg.norm(vector))
    return vector / length if length else vector


def _batches(ids: Sequence[str]) -> Iterator[Sequence[str]]:
    for start in range(0, len(ids), COPIED_AT_ONCE):
        yield ids[start : start + COPIED_AT_ONCE]


def _order(space: Space) -> tuple[str, str, str]:
    return space.collection, space.tenant, space.model


def _named(space: Space) -> str:
    return f"{space.collection}/{space.tenant}"
