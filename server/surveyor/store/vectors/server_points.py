"""Our filters and points as a Qdrant server takes them, and its points as ours.

Point ids are derived from (tenant, model, id), because all spaces of a collection share one id
space there; ours travels in the payload. A tenant there is an owner and a tenant of theirs: two
data folders that use one server never see, count or remove each other's points.
"""

from __future__ import annotations

import uuid
from dataclasses import replace
from typing import Any

import numpy as np
from qdrant_client import models as q

from surveyor.store.vectors.contract import TEXT, Filter, Point, Space, Sparse, StoreError, Vector

TENANT_FIELD = "tenant"
MODEL_FIELD = "model"
ID_FIELD = "point_id"
DIMENSION_FIELD = "dimension"
OWNER_FIELD = "owner"
OWN_FIELDS = (TENANT_FIELD, MODEL_FIELD, ID_FIELD, DIMENSION_FIELD, OWNER_FIELD)
"""Payload fields that only the server's points have; taken off again when read."""

SENT_DIGITS = 6
"""Of numbers up to 1, of which a server keeps 11 bits."""

_OWNER_END = ":"
_NAMESPACE = uuid.UUID("6c0c0d2b-5c0e-5d8e-9a53-3f7d7c3b1a40")


def owned(space: Space, owner: str) -> Space:
    """A space of an owner's among those of all."""
    return replace(space, tenant=f"{owner}{_OWNER_END}{space.tenant}")


def tenant_of(native: str) -> str:
    """The tenant as its owner knows it."""
    return native.partition(_OWNER_END)[2]


def native_id(space: Space, point_id: str) -> str:
    """Id of a point among those of all spaces."""
    return str(uuid.uuid5(_NAMESPACE, f"{space.tenant}\0{space.model}\0{point_id}"))


def _conditions(fields: dict[str, tuple[str | int | bool, ...]]) -> list[q.Condition]:
    conditions: list[q.Condition] = []
    for key, values in fields.items():
        if any(isinstance(value, bool) for value in values):  # "any of" has no booleans
            conditions.append(
                q.Filter(
                    should=[
                        q.FieldCondition(key=key, match=q.MatchValue(value=value))
                        for value in values
                    ]
                )
            )
        else:
            conditions.append(any_of(key, list(values)))
    return conditions


def any_of(key: str, values: list[Any]) -> q.FieldCondition:
    """That a field has one of some values."""
    return q.FieldCondition(key=key, match=q.MatchAny(any=values))


def scope_of(space: Space, where: Filter | None = None) -> q.Filter:
    """The points of a space, and of those the ones that a filter leaves."""
    own: list[q.Condition] = [
        q.FieldCondition(key=TENANT_FIELD, match=q.MatchValue(value=space.tenant)),
        q.FieldCondition(key=MODEL_FIELD, match=q.MatchValue(value=space.model)),
    ]
    if where is None:
        return q.Filter(must=own)
    if where.ids is not None:
        own.append(any_of(ID_FIELD, list(where.ids)))
    return q.Filter(must=own + _conditions(where.must), must_not=_conditions(where.must_not))


def as_list(conditions: Any) -> list[Any]:
    """Conditions of a filter, however many it was made of."""
    if conditions is None:
        return []
    return list(conditions) if isinstance(conditions, list) else [conditions]


def point_of(record: q.Record, dense_name: str) -> Point:
    """The server's point as ours."""
    vectors: dict[str, Any] = record.vector if isinstance(record.vector, dict) else {}
    dense, sparse = vectors.get(dense_name), vectors.get(TEXT)
    payload = dict(record.payload or {})
    point_id = str(payload.get(ID_FIELD, record.id))
    for name in OWN_FIELDS:
        payload.pop(name, None)
    return Point(
        id=point_id,
        dense=None if dense is None else np.asarray(dense, dtype=np.float32),
        sparse=Sparse((), ())
        if sparse is None
        else Sparse(tuple(sparse.indices), tuple(sparse.values)),
        payload=payload,
    )


def native_point(space: Space, owner: str, dense_name: str, point: Point) -> q.PointStruct:
    """Our point as the server's; `space` is the owner's."""
    vectors: dict[str, Any] = {
        TEXT: q.SparseVector(indices=list(point.sparse.indices), values=list(point.sparse.values))
    }
    if point.dense is not None:
        if point.dense.shape != (space.dimension,):
            raise StoreError(
                f"a vector of {point.dense.shape[0]} dimensions does not fit an index of"
                f" {space.dimension}",
                "the embedding model has changed; reindex the project",
            )
        vectors[dense_name] = _written(point.dense)
    payload = {
        **point.payload,
        TENANT_FIELD: space.tenant,
        MODEL_FIELD: space.model,
        ID_FIELD: point.id,
        DIMENSION_FIELD: space.dimension,
        OWNER_FIELD: owner,
    }
    return q.PointStruct(id=native_id(space, point.id), vector=vectors, payload=payload)


def _written(dense: Vector) -> list[float]:
    """A direction in as few digits as the server keeps of it, which is half of what is sent."""
    length = float(np.linalg.norm(dense))
    unit = dense.astype(np.float64) / length if length else dense
    sent: list[float] = np.round(unit, SENT_DIGITS).tolist()
    return sent
