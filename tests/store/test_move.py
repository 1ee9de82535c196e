"""Moving points between an embedded store and a server's, here Qdrant in memory."""

from __future__ import annotations

import uuid
import warnings
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from qdrant_client import QdrantClient

from surveyor.store.vectors import move as moving
from surveyor.store.vectors.contract import Point, Space, Sparse
from surveyor.store.vectors.edge import EdgeStore
from surveyor.store.vectors.move import (
    POINT_BYTES,
    POINT_DIMENSIONS,
    SPACE_BYTES,
    SpaceMove,
    StoreMove,
    StoreMoveError,
    embedded_bytes,
)
from surveyor.store.vectors.server import ServerStore

DIMENSION = 8
CODE = Space("projects", "shop", "model-a", DIMENSION)
NOTES = Space("memory", "global", "model-a", DIMENSION)


def key(number: int) -> str:
    return str(uuid.UUID(int=number))


def point(number: int, **payload: object) -> Point:
    dense = np.zeros(DIMENSION, dtype=np.float32)
    dense[number % DIMENSION] = 2.0
    return Point(key(number), dense, Sparse((number, number + 7), (1.5, 0.25)), dict(payload))


@pytest.fixture
def embedded(tmp_path: Path) -> Iterator[EdgeStore]:
    store = EdgeStore(tmp_path / "vectors")
    store.upsert(CODE, [point(n, symbol_name=f"a{n}", language="python") for n in range(1, 11)])
    store.upsert(CODE, [replace(point(11, language="go"), dense=None)])
    store.upsert(NOTES, [point(1, label="tea")])
    yield store
    store.close()


@pytest.fixture
def server() -> Iterator[ServerStore]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # payload indexes have no effect in memory
        store = ServerStore(QdrantClient(":memory:"), "us")
        yield store
        store.close()


def run(move: StoreMove) -> int:
    plan = move.plan()
    copied = sum(number for each in plan for number in move.copy(each.space))
    for each in plan:
        move.verify(each.space)
    return copied


def test_everything_is_there_and_comes_back(
    embedded: EdgeStore, server: ServerStore, tmp_path: Path
) -> None:
    assert run(StoreMove(embedded, server)) == 12
    assert set(server.spaces()) == {CODE, NOTES}
    again = EdgeStore(tmp_path / "again")
    assert run(StoreMove(server, again)) == 12
    [read] = again.retrieve(CODE, [key(3)])
    assert read.payload == {"language": "python"}, "the fields that filters use"
    assert read.dense is not None
    assert read.dense[3] == pytest.approx(1, abs=3e-3)
    [wordy] = again.retrieve(CODE, [key(11)])
    assert wordy.dense is None
    assert wordy.sparse == Sparse((11, 18), (1.5, 0.25))
    again.close()


def test_an_interrupted_move_goes_on_where_it_was(
    embedded: EdgeStore, server: ServerStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(moving, "COPIED_AT_ONCE", 4)
    assert next(StoreMove(embedded, server).copy(CODE)) == 4
    server.upsert(CODE, [point(99)])  # of an earlier try, gone from the source since
    move = StoreMove(embedded, server)
    planned = {each.space: (each.points, each.present) for each in move.plan()}
    assert planned == {CODE: (11, 4), NOTES: (1, 0)}
    assert run(move) == 8
    assert sorted(server.ids(CODE)) == sorted(embedded.ids(CODE))


@pytest.mark.parametrize(
    "spoilt",
    [
        replace(point(3), dense=point(4).dense),
        replace(point(3), dense=None),
        replace(point(3), sparse=Sparse((3, 10), (1.5, 0.5))),
        point(3, symbol_name="other"),
    ],
)
def test_what_arrived_changed_is_noticed_and_copied_anew(
    embedded: EdgeStore, server: ServerStore, spoilt: Point
) -> None:
    server.upsert(CODE, [spoilt])
    move = StoreMove(embedded, server)
    list(move.copy(CODE))
    with pytest.raises(StoreMoveError, match="arrived changed") as caught:
        move.verify(CODE)
    assert "--anew" in caught.value.hint
    move.discard(CODE)
    assert run(move) == 12


def test_what_did_not_arrive_is_noticed(embedded: EdgeStore, server: ServerStore) -> None:
    move = StoreMove(embedded, server)
    list(move.copy(CODE))
    server.delete(CODE, [key(5)])
    with pytest.raises(StoreMoveError, match="10 points arrived where 11 were sent"):
        move.verify(CODE)


def test_a_server_gets_the_fields_that_an_embedded_store_does_not_keep(
    embedded: EdgeStore, server: ServerStore
) -> None:
    whole = {"file_path": "a1.py", "language": "python"}
    run(StoreMove(embedded, server, lambda space, ids: {key(1): whole} if space == CODE else {}))
    first, second = server.retrieve(CODE, [key(1), key(2)])
    assert first.payload == whole
    assert second.payload == {"symbol_name": "a2", "language": "python"}


def test_the_room_that_an_embedded_store_takes_is_of_what_is_not_there_yet() -> None:
    small = Space("projects", "p", "m", POINT_DIMENSIONS)
    large = Space("projects", "q", "m", POINT_DIMENSIONS + 512)
    assert embedded_bytes([SpaceMove(small, 10, 10)]) == 0
    assert embedded_bytes([SpaceMove(small, 10, 4)]) == 6 * POINT_BYTES
    assert embedded_bytes([SpaceMove(large, 10, 0)]) == SPACE_BYTES + 10 * (POINT_BYTES + 512)
