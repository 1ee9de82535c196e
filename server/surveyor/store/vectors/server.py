"""The vector store on a Qdrant server or cluster: one collection each, tenants by payload.

IDF is computed over the tenant alone, which needs a server of version 1.18 or newer; an older one
uses the whole collection's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any, TypeVar

from qdrant_client import QdrantClient
from qdrant_client import models as q
from qdrant_client.http.exceptions import ApiException, ResponseHandlingException

from surveyor.store.vectors.contract import (
    BOOL_FIELDS,
    COLLECTIONS,
    DENSE,
    HNSW_EF_CONSTRUCT,
    HNSW_M,
    KEYWORD_FIELDS,
    TEXT,
    Collection,
    Filter,
    Hit,
    Point,
    Space,
    Sparse,
    StoreError,
    StoreUnreachableError,
    Vector,
)
from surveyor.store.vectors.server_points import (
    DIMENSION_FIELD,
    ID_FIELD,
    MODEL_FIELD,
    TENANT_FIELD,
    any_of,
    as_list,
    native_id,
    native_point,
    point_of,
    scope_of,
)

UPSERT_BATCH_POINTS = 128
READ_BATCH_POINTS = 512
FACET_LIMIT = 100_000

_T = TypeVar("_T")


def _guard(what: str, work: Callable[[], _T]) -> _T:
    try:
        return work()
    except (ResponseHandlingException, ConnectionError, TimeoutError) as error:
        raise StoreUnreachableError(
            f"cannot {what}: the Qdrant server does not answer ({error})",
            "check QDRANT_URL and QDRANT_API_KEY, and that the server runs",
        ) from error
    except (ApiException, ValueError) as error:
        raise StoreError(f"cannot {what}: {error}", "see the Qdrant server's log") from error


def connect(url: str, api_key: str | None = None, timeout_s: float = 30.0) -> ServerStore:
    """A store on the server at `url`, which need not answer yet."""
    return _guard(
        "connect",
        lambda: ServerStore(
            QdrantClient(
                url=url, api_key=api_key, timeout=int(timeout_s), check_compatibility=False
            )
        ),
    )


class ServerStore:
    """Points by space on a Qdrant server. Keeps the contract of `VectorStore`."""

    payload_fields: frozenset[str] | None = None
    """All: others may look at a server's points."""

    def __init__(self, client: QdrantClient) -> None:
        self._client = client
        self._dense_names: dict[tuple[Collection, int], str] = {}

    # --- points -----------------------------------------------------------------------------

    def upsert(self, space: Space, points: Sequence[Point]) -> None:
        """Insert or replace points; durable when this returns."""
        if not points:
            return
        name = self._dense_name(space, create=True)
        assert name is not None
        for start in range(0, len(points), UPSERT_BATCH_POINTS):
            batch = [
                native_point(space, name, point)
                for point in points[start : start + UPSERT_BATCH_POINTS]
            ]
            _guard(
                "write points",
                lambda batch=batch: self._client.upsert(space.collection, batch, wait=True),  # type: ignore[misc]
            )

    def delete(self, space: Space, ids: Sequence[str]) -> None:
        """Remove points; unknown ids are ignored."""
        if not ids or self._dense_name(space) is None:
            return
        native: list[Any] = [native_id(space, each) for each in ids]
        _guard(
            "delete points",
            lambda: self._client.delete(space.collection, q.PointIdsList(points=native), wait=True),
        )

    def set_payload(self, space: Space, ids: Sequence[str], payload: dict[str, Any]) -> None:
        """Overwrite some payload fields of some points; unknown ids are ignored."""
        if not ids or self._dense_name(space) is None:
            return
        # Through the filter, because ids that do not exist would be an error.
        scope = scope_of(space)
        chosen = q.Filter(must=[*as_list(scope.must), any_of(ID_FIELD, list(ids))])
        _guard(
            "write payload",
            lambda: self._client.set_payload(space.collection, payload, chosen, wait=True),
        )

    def flush(self, space: Space) -> None:
        """Nothing to do: every write waits for the server."""

    def dense(
        self, space: Space, vector: Vector, limit: int, where: Filter | None = None
    ) -> list[Hit]:
        """Nearest points by cosine, best first."""
        name = self._dense_name(space)
        if name is None or limit <= 0:
            return []
        if vector.shape != (space.dimension,):
            raise StoreError(
                f"a query of {vector.shape[0]} dimensions does not fit an index of"
                f" {space.dimension}"
            )
        return self._query(space, vector.tolist(), name, limit, where, None)

    def sparse(
        self, space: Space, vector: Sparse, limit: int, where: Filter | None = None
    ) -> list[Hit]:
        """Best points by BM25 with the space's own IDF, best first."""
        if self._dense_name(space) is None or limit <= 0 or not vector.indices:
            return []
        native = q.SparseVector(indices=list(vector.indices), values=list(vector.values))
        own_idf = q.SearchParams(idf=q.IdfCorpusParams(corpus=scope_of(space)))
        return self._query(space, native, TEXT, limit, where, own_idf)

    def _query(
        self,
        space: Space,
        vector: Any,
        using: str,
        limit: int,
        where: Filter | None,
        params: q.SearchParams | None,
    ) -> list[Hit]:
        found = _guard(
            "search",
            lambda: self._client.query_points(
                space.collection,
                query=vector,
                using=using,
                limit=limit,
                query_filter=scope_of(space, where),
                search_params=params,
                with_payload=[ID_FIELD],
            ),
        )
        return [
            Hit(str((point.payload or {}).get(ID_FIELD, point.id)), float(point.score))
            for point in found.points
        ]

    def at_once(self, space: Space) -> AbstractContextManager[bool]:
        """Never: the server's answer is waited for."""
        return nullcontext(False)

    def retrieve(self, space: Space, ids: Sequence[str]) -> list[Point]:
        """Points by id with normalised vectors and payload; unknown ids are left out."""
        name = self._dense_name(space)
        if not ids or name is None:
            return []
        native = [native_id(space, each) for each in ids]
        records = _guard(
            "read points",
            lambda: self._client.retrieve(
                space.collection, native, with_payload=True, with_vectors=True
            ),
        )
        return [point_of(record, name) for record in records]

    def ids(self, space: Space) -> Iterator[str]:
        """Ids of all points of the space, read as they are asked for."""
        for batch in self._scroll(space, vectors=False):
            for record in batch:
                yield str((record.payload or {})[ID_FIELD])

    def _scroll(self, space: Space, *, vectors: bool) -> Iterator[list[q.Record]]:
        if self._dense_name(space) is None:
            return
        offset: Any = None
        while True:
            records, offset = _guard(
                "read points",
                lambda offset=offset: self._client.scroll(  # type: ignore[misc]
                    space.collection,
                    scroll_filter=scope_of(space),
                    limit=READ_BATCH_POINTS,
                    offset=offset,
                    with_payload=True if vectors else [ID_FIELD],
                    with_vectors=vectors,
                ),
            )
            yield records
            if offset is None:
                return

    def disk_bytes(self, space: Space) -> int:
        """None here: the server keeps them."""
        return 0

    def count(self, space: Space) -> int:
        """Number of points."""
        if self._dense_name(space) is None:
            return 0
        return _guard(
            "count points",
            lambda: self._client.count(space.collection, scope_of(space), exact=True).count,
        )

    # --- spaces -----------------------------------------------------------------------------

    def spaces(self) -> list[Space]:
        """Spaces that hold at least one point."""
        found = []
        for collection in COLLECTIONS:
            if not _guard("connect", lambda c=collection: self._client.collection_exists(c)):  # type: ignore[misc]
                continue
            for tenant in self._facet(collection, TENANT_FIELD, None):
                mine = q.Filter(
                    must=[q.FieldCondition(key=TENANT_FIELD, match=q.MatchValue(value=tenant))]
                )
                for model in self._facet(collection, MODEL_FIELD, mine):
                    found.append(self._space(collection, tenant, model))
        return found

    def _facet(self, collection: Collection, key: str, where: q.Filter | None) -> list[str]:
        answer = _guard(
            "list spaces",
            lambda: self._client.facet(
                collection, key, facet_filter=where, limit=FACET_LIMIT, exact=True
            ),
        )
        return sorted(str(hit.value) for hit in answer.hits if hit.count)

    def _space(self, collection: Collection, tenant: str, model: str) -> Space:
        scope = scope_of(Space(collection, tenant, model, 0))
        records, _ = _guard(
            "list spaces",
            lambda: self._client.scroll(
                collection, scroll_filter=scope, limit=1, with_payload=[DIMENSION_FIELD]
            ),
        )
        payload = records[0].payload or {} if records else {}
        return Space(collection, tenant, model, int(payload.get(DIMENSION_FIELD, 0)))

    def rename(self, space: Space, tenant: str) -> Space:
        """Move all points to another tenant with the vectors they have."""
        target = Space(space.collection, tenant, space.model, space.dimension)
        name = self._dense_name(space)
        if target == space or name is None:
            return target
        for batch in self._scroll(space, vectors=True):
            self.upsert(target, [point_of(record, name) for record in batch])
        self.drop(space)
        return target

    def drop(self, space: Space) -> None:
        """Remove the space and everything in it."""
        if self._dense_name(space) is None:
            return
        _guard(
            "delete points",
            lambda: self._client.delete(
                space.collection, q.FilterSelector(filter=scope_of(space)), wait=True
            ),
        )

    def needs_optimizing(self, space: Space) -> bool:
        """Never: the server does it by itself."""
        return False

    def optimize(self, space: Space) -> None:
        """Nothing to do: the server does it by itself."""

    def close_idle(self, keep: int) -> None:
        """Nothing to do: nothing is held open here."""

    def close(self) -> None:
        """Close the connection."""
        self._client.close()

    # --- collections ------------------------------------------------------------------------

    def _dense_name(self, space: Space, create: bool = False) -> str | None:
        """Name of the dense vector that fits the space; None when there is nothing to read.

        The collection's `dense` has the dimension of the first model; a model with another one
        gets a named vector of its own, so that dimensions never mix.
        """
        key = (space.collection, space.dimension)
        known = self._dense_names.get(key)
        if known is not None:
            return known
        exists = _guard("connect", lambda: self._client.collection_exists(space.collection))
        if not exists:
            if not create:
                return None
            self._create(space)
        info = _guard("connect", lambda: self._client.get_collection(space.collection))
        _guard("index fields", lambda: self._add_indexes(space, info.payload_schema or {}))
        vectors = info.config.params.vectors
        sizes = (
            {name: params.size for name, params in vectors.items()}
            if isinstance(vectors, dict)
            else {}
        )
        name = DENSE if sizes.get(DENSE) == space.dimension else f"{DENSE}_{space.dimension}"
        if name not in sizes:
            if not create:
                return None
            config = q.DenseVectorNameConfig(
                dense=q.DenseVectorConfig(size=space.dimension, distance=q.Distance.COSINE)
            )
            _guard(
                "add a model's vectors",
                lambda: self._client.create_vector_name(space.collection, name, config),
            )
        self._dense_names[key] = name
        return name

    def _create(self, space: Space) -> None:
        def make() -> None:
            self._client.create_collection(
                space.collection,
                vectors_config={
                    DENSE: q.VectorParams(
                        size=space.dimension,
                        distance=q.Distance.COSINE,
                        datatype=q.Datatype.FLOAT16,
                    )
                },
                sparse_vectors_config={TEXT: q.SparseVectorParams(modifier=q.Modifier.IDF)},
                # Links within a tenant instead of one graph over all of them.
                hnsw_config=q.HnswConfigDiff(m=0, payload_m=HNSW_M, ef_construct=HNSW_EF_CONSTRUCT),
            )
            tenant = q.KeywordIndexParams(type=q.KeywordIndexType.KEYWORD, is_tenant=True)
            self._client.create_payload_index(space.collection, TENANT_FIELD, tenant)

        _guard("create a collection", make)

    def _add_indexes(self, space: Space, present: Mapping[str, object]) -> None:
        """Index the payload fields that filters use, those of a later version included."""
        for names, kind in (
            ((MODEL_FIELD, ID_FIELD, *KEYWORD_FIELDS), q.PayloadSchemaType.KEYWORD),
            (BOOL_FIELDS, q.PayloadSchemaType.BOOL),
        ):
            for name in names:
                if name not in present:
                    self._client.create_payload_index(space.collection, name, kind)
