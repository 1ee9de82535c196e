"""Which points a project should have, and which it has: compared while files are written.

Both sides are read in parts of a few milliseconds, beside everything else. What differs then is
looked at once more by the caller who keeps the pipeline from committing meanwhile.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, TypeVar

import msgspec

from surveyor.store.vectors.listing import all_ids

if TYPE_CHECKING:
    from surveyor.engine.app import Engine

DOCUMENTS_AT_ONCE = 200
"""Documents whose points are read in one step: some 1,500 points, 3 ms."""
POINTS_AT_ONCE = 500

T = TypeVar("T")

_DOCUMENTS = msgspec.json.Decoder(list[int])
_POINTS = msgspec.json.Decoder(list[tuple[str, int]])


@dataclass(frozen=True, slots=True)
class Difference:
    """What keeps a project from having just its points."""

    missing: dict[str, int]
    """Points that are not there, with a document of each."""
    superfluous: set[str]


async def differing(engine: Engine, project_id: str) -> Difference:
    """What seems to differ. Raises `StoreError`."""
    present = await all_ids(engine.vectors, engine.on_store, engine.pipeline.space(project_id))
    missing: dict[str, int] = {}
    superfluous = set(present)
    documents = await engine.state.value(
        "SELECT json_group_array(doc_id) FROM documents WHERE project_id = ?", (project_id,)
    )
    for some in _parts(_DOCUMENTS.decode(documents), DOCUMENTS_AT_ONCE):
        expected = await engine.state.value(
            """SELECT json_group_array(json_array(point_id, doc_id)) FROM chunks
               WHERE doc_id IN (SELECT value FROM json_each(?))""",
            (json.dumps(some),),
        )
        for point_id, doc_id in _POINTS.decode(expected):
            superfluous.discard(point_id)
            if point_id not in present:
                missing[point_id] = doc_id
    return Difference(missing, superfluous)


async def expected_of(
    engine: Engine, project_id: str, point_ids: Collection[str]
) -> dict[str, int]:
    """Those of some points that a project should have now, with a document of each."""
    found: dict[str, int] = {}
    for some in _parts(point_ids, POINTS_AT_ONCE):
        rows = await engine.state.read(
            """SELECT c.point_id, c.doc_id FROM chunks c JOIN documents d USING (doc_id)
               WHERE d.project_id = ? AND c.point_id IN (SELECT value FROM json_each(?))""",
            (project_id, json.dumps(some)),
        )
        found.update((str(row[0]), int(row[1])) for row in rows)
    return found


async def present_of(engine: Engine, project_id: str, point_ids: Collection[str]) -> set[str]:
    """Those of some points that a project has now. Raises `StoreError`."""
    space = engine.pipeline.space(project_id)
    found: set[str] = set()
    for some in _parts(point_ids, POINTS_AT_ONCE):
        points = await engine.on_store(engine.vectors.retrieve, space, some)
        found.update(point.id for point in points)
    return found


def _parts(values: Collection[T], size: int) -> Iterator[list[T]]:
    rest = iter(values)
    while some := list(islice(rest, size)):
        yield some
