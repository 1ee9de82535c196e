"""What both vector stores promise. A real Qdrant server is used when QDRANT_URL is set."""

from __future__ import annotations

import os
import uuid
import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from surveyor.store.vectors.contract import Filter, Point, Space, Sparse, StoreError, VectorStore
from surveyor.store.vectors.edge import EdgeStore
from surveyor.store.vectors.server import ServerStore, connect, weighs_by_tenant

DIMENSION = 8

BYTE = 3e-3
"""An embedded store keeps vectors at a byte a dimension."""


NO_SERVER = pytest.mark.skipif(
    not os.environ.get("QDRANT_URL"), reason="QDRANT_URL names no server"
)
KINDS = ["edge", "memory", pytest.param("server", marks=NO_SERVER)]


@pytest.fixture(params=KINDS)
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[VectorStore]:
    made: VectorStore
    if request.param == "edge":
        made = EdgeStore(tmp_path / "vectors")
    elif request.param == "memory":
        from qdrant_client import QdrantClient

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # payload indexes have no effect in memory
            made = ServerStore(QdrantClient(":memory:"), "somebody")
    else:
        made = connect(os.environ["QDRANT_URL"], "test", os.environ.get("QDRANT_API_KEY"))
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Payload indexes have no effect")
        yield made
        if request.param == "server":
            for space in made.spaces():
                if space.tenant.startswith("test-"):
                    made.drop(space)
        made.close()


@pytest.fixture
def space() -> Space:
    return Space("projects", f"test-{uuid.uuid4().hex[:12]}", "model-a", DIMENSION)


def vector(*leading: float) -> np.ndarray[tuple[int], np.dtype[np.float32]]:
    full = np.zeros(DIMENSION, dtype=np.float32)
    full[: len(leading)] = leading
    return full


def point(number: int, *leading: float, tokens: tuple[int, ...] = (7,), **payload: object) -> Point:
    return Point(
        id=str(uuid.UUID(int=number)),
        dense=vector(*leading) if leading else None,
        sparse=Sparse(tokens, tuple(1.5 for _ in tokens)),
        payload=payload,
    )


def key(number: int) -> str:
    return str(uuid.UUID(int=number))


def test_a_space_nobody_wrote_to_is_empty_and_is_not_made_by_reading(
    store: VectorStore, space: Space
) -> None:
    assert store.dense(space, vector(1), 5) == []
    assert store.sparse(space, Sparse((7,), (1.0,)), 5) == []
    assert store.retrieve(space, [key(1)]) == []
    assert store.count(space) == 0
    assert list(store.ids(space)) == []
    store.delete(space, [key(1)])
    store.set_payload(space, [key(1)], {"label": "x"})
    store.flush(space)
    store.drop(space)
    assert not store.needs_optimizing(space)
    assert space not in store.spaces()


def test_nearest_points_come_first_with_their_cosine(store: VectorStore, space: Space) -> None:
    store.upsert(space, [point(1, 2.0, 0), point(2, 1, 1), point(3, 0, 1)])
    store.flush(space)
    hits = store.dense(space, vector(1, 0), 2)
    assert [hit.id for hit in hits] == [key(1), key(2)]
    assert hits[0].score == pytest.approx(1.0, abs=BYTE)
    assert hits[1].score == pytest.approx(2**-0.5, abs=BYTE)


def test_a_rarer_token_weighs_more(store: VectorStore, space: Space) -> None:
    common = [point(n, 1, tokens=(10,)) for n in range(1, 20)]
    store.upsert(space, [*common, point(50, 1, tokens=(4_000_000_000,))])
    hits = store.sparse(space, Sparse((10, 4_000_000_000), (1.0, 1.0)), 3)
    assert hits[0].id == key(50)
    assert hits[0].score > 2 * hits[1].score


def test_idf_is_the_spaces_own(store: VectorStore, space: Space) -> None:
    if isinstance(store, ServerStore) and not weighs_by_tenant(version := store.version()):
        pytest.skip(f"Qdrant {version} weighs words over the whole collection")
    points = [point(1, 1, tokens=(10,)), point(2, 1, tokens=(11,)), point(3, 1, tokens=(11,))]
    store.upsert(space, points)
    alone = store.sparse(space, Sparse((10,), (1.0,)), 1)[0].score
    other = Space(space.collection, space.tenant + "-other", space.model, DIMENSION)
    store.upsert(other, [point(n, 1, tokens=(10,)) for n in range(100, 140)])
    assert store.sparse(space, Sparse((10,), (1.0,)), 1)[0].score == pytest.approx(alone, rel=1e-4)


def test_empty_queries_and_empty_vectors_are_no_error(store: VectorStore, space: Space) -> None:
    store.upsert(space, [point(1, 1, tokens=()), point(2)])
    assert store.sparse(space, Sparse((), ()), 5) == []
    assert [hit.id for hit in store.dense(space, vector(1), 5)] == [key(1)]
    assert store.dense(space, vector(1), 0) == []
    assert store.count(space) == 2


@pytest.mark.parametrize(
    ("where", "expected"),
    [
        (Filter(must={"language": ("python",)}), {1, 2}),
        (Filter(must={"language": ("python", "go")}), {1, 2, 3}),
        (Filter(must={"language": ("python",), "is_fragment": (True,)}), {2}),
        (Filter(must={"is_fragment": (True, False)}), {1, 2, 3, 4}),
        (Filter(must_not={"language": ("python",)}), {3, 4}),
        (Filter(must_not={"is_fragment": (True,)}), {1, 3, 4}),
        (Filter(must={"tags": ("b",)}), {1, 4}),
        (Filter(must={"language": ("cobol",)}), set()),
        (Filter(), {1, 2, 3, 4}),
        (Filter(ids=(key(2), key(3), key(99))), {2, 3}),
        (Filter(must={"language": ("python",)}, ids=(key(2), key(3))), {2}),
        (Filter(must_not={"language": ("python",)}, ids=(key(2), key(3))), {3}),
        (Filter(ids=()), set()),
    ],
)
def test_filters(store: VectorStore, space: Space, where: Filter, expected: set[int]) -> None:
    store.upsert(
        space,
        [
            point(1, 1, language="python", is_fragment=False, tags=["a", "b"]),
            point(2, 1, language="python", is_fragment=True, tags=["a"]),
            point(3, 1, language="go", is_fragment=False),
            point(4, 1, language="rust", is_fragment=False, tags=["b"]),
        ],
    )
    wanted = {key(n) for n in expected}
    assert {hit.id for hit in store.dense(space, vector(1), 10, where)} == wanted
    assert {hit.id for hit in store.sparse(space, Sparse((7,), (1.0,)), 10, where)} == wanted


def test_an_upsert_replaces_and_a_delete_forgives(store: VectorStore, space: Space) -> None:
    store.upsert(space, [point(1, 1, language="python"), point(2, 0, 1)])
    store.upsert(space, [point(1, 0, 1, tokens=(9,), language="go")])
    assert store.count(space) == 2
    [read] = store.retrieve(space, [key(1), key(99)])
    assert read.id == key(1)
    assert read.payload == {"language": "go"}
    assert read.sparse == Sparse((9,), (1.5,))
    assert read.dense is not None
    np.testing.assert_allclose(read.dense, vector(0, 1), atol=BYTE)
    store.delete(space, [key(1), key(99)])
    assert list(store.ids(space)) == [key(2)]
    assert store.retrieve(space, [key(1)]) == []


def test_payload_fields_are_overwritten_one_by_one(store: VectorStore, space: Space) -> None:
    store.upsert(space, [point(1, 1, language="python", branch="main"), point(2, 1)])
    store.set_payload(space, [key(1), key(99)], {"branch": "next"})
    [read] = store.retrieve(space, [key(1)])
    assert read.payload == {"language": "python", "branch": "next"}
    assert [h.id for h in store.dense(space, vector(1), 5, Filter({"branch": ("next",)}))] == [
        key(1)
    ]
    assert store.count(space) == 2


def test_tenants_models_and_collections_never_mix(store: VectorStore, space: Space) -> None:
    others = [
        Space("projects", space.tenant + "-b", "model-a", DIMENSION),
        Space("projects", space.tenant, "model-b", DIMENSION),
        Space("libraries", space.tenant, "model-a", DIMENSION),
    ]
    for number, each in enumerate([space, *others]):
        store.upsert(each, [point(1, 1, label=str(number))])
    for number, each in enumerate([space, *others]):
        [read] = store.retrieve(each, [key(1)])
        assert read.payload == {"label": str(number)}
        assert store.count(each) == 1
    assert {space, *others} <= set(store.spaces())
    store.drop(space)
    assert store.count(space) == 0
    assert all(store.count(each) == 1 for each in others)


def test_two_models_of_different_dimension_live_side_by_side(
    store: VectorStore, space: Space
) -> None:
    wide = Space(space.collection, space.tenant, "model-wide", 16)
    store.upsert(space, [point(1, 1)])
    store.upsert(wide, [Point(key(1), np.ones(16, dtype=np.float32), Sparse((1,), (1.0,)), {})])
    assert store.dense(wide, np.ones(16, dtype=np.float32), 5)[0].score == pytest.approx(
        1, abs=BYTE
    )
    assert store.dense(space, vector(1), 5)[0].score == pytest.approx(1, abs=BYTE)
    with pytest.raises(StoreError):
        store.upsert(wide, [point(2, 1)])
    with pytest.raises(StoreError):
        store.dense(wide, vector(1), 5)


def test_a_rename_takes_everything_along(store: VectorStore, space: Space) -> None:
    store.upsert(space, [point(1, 1, label="x"), point(2, 0, 1)])
    before = store.retrieve(space, [key(1)])[0]
    renamed = store.rename(space, space.tenant + "-new")
    assert renamed.tenant == space.tenant + "-new"
    assert store.count(space) == 0
    after = store.retrieve(renamed, [key(1)])[0]
    assert after.payload == before.payload
    assert after.sparse == before.sparse
    assert {key(1), key(2)} == set(store.ids(renamed))
    assert space not in store.spaces()
    store.upsert(renamed, [point(1, 1, label="y")])
    assert store.count(renamed) == 2


def test_a_rename_onto_an_existing_tenant_merges(store: VectorStore, space: Space) -> None:
    target = Space(space.collection, space.tenant + "-t", space.model, DIMENSION)
    store.upsert(space, [point(1, 1), point(2, 1)])
    store.upsert(target, [point(3, 1)])
    assert store.rename(space, target.tenant) == target
    assert set(store.ids(target)) == {key(1), key(2), key(3)}
    assert store.count(space) == 0


@pytest.mark.parametrize(
    "tenant", ["rust-book.chapter1", "a/b\\c:d", "ü名前", "..", "A", "x" * 300]
)
def test_any_tenant_name_will_do(store: VectorStore, tenant: str) -> None:
    name = f"test-{uuid.uuid4().hex[:6]}{tenant}"
    spaces = [Space("libraries", each, "m/é:1", DIMENSION) for each in (name, name.upper())]
    for number, each in enumerate(spaces):
        store.upsert(each, [point(number + 1, 1)])
    assert [list(store.ids(each)) for each in spaces] == [[key(1)], [key(2)]]
    assert set(spaces) <= set(store.spaces())
    for each in spaces:
        store.drop(each)


def test_many_points_are_all_there(store: VectorStore, space: Space) -> None:
    store.upsert(space, [point(n + 1, 1, n / 3000, label=str(n % 7)) for n in range(1500)])
    store.flush(space)
    assert store.count(space) == 1500
    assert len(set(store.ids(space))) == 1500
    assert len(store.dense(space, vector(1), 50, Filter({"label": ("3",)}))) == 50
    store.optimize(space)
    assert store.count(space) == 1500


def test_two_data_folders_on_one_server_never_meet(
    store: VectorStore, space: Space, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not isinstance(store, ServerStore):
        pytest.skip("an embedded store is one data folder's")
    store.upsert(space, [point(1, 1, label="ours")])
    with monkeypatch.context() as patch:
        patch.setattr(store, "_owner", "another")
        assert store.spaces() == []
        assert store.count(space) == 0
        store.upsert(space, [point(1, 1, label="theirs"), point(2, 1)])
        store.delete(space, [key(2)])
        store.drop(space)
    [ours] = store.retrieve(space, [key(1)])
    assert ours.payload == {"label": "ours"}
    assert store.count(space) == 1
