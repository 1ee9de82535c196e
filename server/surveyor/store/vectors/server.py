"""The vector store on a Qdrant server or cluster: one collection each, tenants by payload.

IDF is computed over the tenant alone by a server of version 1.19 or newer; 1.18 uses the whole
collection's, and says nothing of it. Several data folders may share a server: each has its own
tenants.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any, TypeVar

import httpx
import msgspec
from qdrant_client import QdrantClient
from qdrant_client import models as q
from qdrant_client.http.exceptions import (
    ApiException,
    ResponseHandlingException,
    UnexpectedResponse,
)

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
    StoreLateError,
    StoreUnreachableError,
    Vector,
)
from surveyor.store.vectors.server_points import (
    DIMENSION_FIELD,
    ID_FIELD,
    MODEL_FIELD,
    OWNER_FIELD,
    TENANT_FIELD,
    any_of,
    as_list,
    native_id,
    native_point,
    owned,
    point_of,
    scope_of,
    tenant_of,
)

UPSERT_BATCH_POINTS = 128
READ_BATCH_POINTS = 512
FACET_LIMIT = 100_000
REFUSED_KEY = (401, 403)
GONE = 404
PASSING = (408, 429)
"""Statuses of what may work a little later."""
SERVER_FAULT = 500
SAID_CHARS = 300
MINIMUM_VERSION = (1, 18)
"""Older servers know no vectors that are added to a collection."""
TENANT_IDF_VERSION = (1, 19)
"""Older servers pass over `SearchParams.idf`: seen with 1.18.3."""
_SEE_LOG = "see the Qdrant server's log"

_T = TypeVar("_T")


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", version)[:2])


def weighs_by_tenant(version: str) -> bool:
    """Whether a server of a version computes IDF over one tenant's points."""
    return _numbers(version) >= TENANT_IDF_VERSION


def _guard(what: str, work: Callable[[], _T]) -> _T:
    try:
        return work()
    except (ResponseHandlingException, ConnectionError, TimeoutError) as error:
        if isinstance(getattr(error, "source", None), httpx.ReadTimeout):
            raise StoreLateError(
                f"cannot {what}: the Qdrant server does not answer in time", _SEE_LOG
            ) from error
        raise _unreachable(what, error) from error
    except UnexpectedResponse as error:
        raise _refusal(what, error) from error
    except (ApiException, ValueError) as error:
        raise StoreError(f"cannot {what}: {error}", _SEE_LOG) from error


def _unreachable(what: str, error: Exception) -> StoreUnreachableError:
    """What keeps a connection from being made or used, as far as TLS tells."""
    said = str(error)
    if "CERTIFICATE_VERIFY_FAILED" in said:
        return StoreUnreachableError(
            f"cannot {what}: the Qdrant server's certificate is not trusted ({_reason(said)})",
            "Start the engine with SSL_CERT_FILE set to the certificate of who signed it.",
        )
    if isinstance(getattr(error, "source", None), httpx.ProtocolError) or "[SSL" in said:
        return StoreUnreachableError(
            f"cannot {what}: the Qdrant server does not speak what its address says ({said})",
            "https:// is for a server with TLS, http:// for one without: check QDRANT_URL.",
        )
    return StoreUnreachableError(
        f"cannot {what}: the Qdrant server does not answer ({said})",
        "check QDRANT_URL and QDRANT_API_KEY, and that the server runs",
    )


def _reason(said: str) -> str:
    """Of what OpenSSL says the reason alone: `[SSL: …] certificate verify failed: <reason> (…)`."""
    return re.sub(r"^.*verify failed: | \(_ssl\.c:\d+\)", "", said)


def _refusal(what: str, error: UnexpectedResponse) -> StoreError:
    """What an answer with an error's status comes to. Where it may pass, or is for the user to
    mend, the server is as good as away: what is known is answered, and work waits."""
    status, said = error.status_code or 0, _said(error)
    if status in REFUSED_KEY:
        return StoreUnreachableError(
            f"cannot {what}: the Qdrant server refuses the key ({status}: {said})",
            "check QDRANT_API_KEY, or qdrant.api_key in the settings",
        )
    if status == GONE:
        return StoreUnreachableError(
            f"cannot {what}: the Qdrant server has lost it ({said})",
            "It is made again from your files.",
        )
    if status in PASSING or status >= SERVER_FAULT:
        return StoreUnreachableError(
            f"cannot {what}: the Qdrant server cannot answer now ({status}: {said})", _SEE_LOG
        )
    return StoreError(f"cannot {what}: {said} ({status})", _SEE_LOG)


def _said(error: UnexpectedResponse) -> str:
    """The server's own words, in one line."""
    try:
        status = msgspec.json.decode(error.content)["status"]
        said = status["error"] if isinstance(status, dict) else status
    except (msgspec.MsgspecError, TypeError, KeyError):
        said = error.content.decode(errors="replace") or error.reason_phrase
    return " ".join(str(said).split())[:SAID_CHARS]


def _having(key: str, value: str) -> q.Filter:
    """Points with this value in a field."""
    return q.Filter(must=[q.FieldCondition(key=key, match=q.MatchValue(value=value))])


def connect(
    url: str,
    owner: str,
    api_key: str | None = None,
    *,
    timeout_s: float = 30.0,
    query_timeout_s: float | None = None,
) -> ServerStore:
    """An owner's store on the server at `url`, which need not answer yet.

    A question may take `query_timeout_s`, all else `timeout_s`; both are rounded up to seconds.
    """

    def client(limit_s: float) -> QdrantClient:
        return QdrantClient(
            url=url, api_key=api_key, timeout=math.ceil(limit_s), check_compatibility=False
        )

    return _guard(
        "connect",
        lambda: ServerStore(client(timeout_s), owner, client(query_timeout_s or timeout_s)),
    )


class ServerStore:
    """Points by space on a Qdrant server. Keeps the contract of `VectorStore`."""

    payload_fields: frozenset[str] | None = None
    """All: others may look at a server's points."""

    def __init__(
        self, client: QdrantClient, owner: str, questions: QdrantClient | None = None
    ) -> None:
        """`owner` has the points that are seen, written and removed here, and no others.

        `questions` is the client for searches, which gives up sooner.
        """
        self._client = client
        self._questions = questions or client
        self._owner = owner
        self._dense_names: dict[tuple[Collection, int], str] = {}
        self._indexed: set[Collection] = set()

    def _ask(self, what: str, work: Callable[[], _T]) -> _T:
        try:
            return _guard(what, work)
        except StoreUnreachableError:
            self._dense_names.clear()  # what comes back may have lost its collections
            self._indexed.clear()
            raise

    def _mine(self, space: Space) -> Space:
        return owned(space, self._owner)

    def _scope(self, space: Space, where: Filter | None = None) -> q.Filter:
        return scope_of(self._mine(space), where)

    def version(self) -> str:
        """The server's version. Raises `StoreError` where it is too old."""
        found = self._ask("connect", self._client.info).version
        if _numbers(found) < MINIMUM_VERSION:
            least = ".".join(map(str, MINIMUM_VERSION))
            raise StoreError(
                f"the server is Qdrant {found}: {least} or newer is needed", "Update the server."
            )
        return found

    # --- points -----------------------------------------------------------------------------

    def upsert(self, space: Space, points: Sequence[Point]) -> None:
        """Insert or replace points; durable when this returns."""
        if not points:
            return
        name = self._dense_name(space, create=True)
        assert name is not None
        mine = self._mine(space)
        for start in range(0, len(points), UPSERT_BATCH_POINTS):
            batch = [
                native_point(mine, self._owner, name, point)
                for point in points[start : start + UPSERT_BATCH_POINTS]
            ]
            self._ask(
                "write points",
                lambda batch=batch: self._client.upsert(space.collection, batch, wait=True),  # type: ignore[misc]
            )

    def delete(self, space: Space, ids: Sequence[str]) -> None:
        """Remove points; unknown ids are ignored."""
        if not ids or self._dense_name(space) is None:
            return
        native: list[Any] = [native_id(self._mine(space), each) for each in ids]
        self._ask(
            "delete points",
            lambda: self._client.delete(space.collection, q.PointIdsList(points=native), wait=True),
        )

    def set_payload(self, space: Space, ids: Sequence[str], payload: dict[str, Any]) -> None:
        """Overwrite some payload fields of some points; unknown ids are ignored."""
        if not ids or self._dense_name(space) is None:
            return
        # Through the filter, because ids that do not exist would be an error.
        scope = self._scope(space)
        chosen = q.Filter(must=[*as_list(scope.must), any_of(ID_FIELD, list(ids))])
        self._ask(
            "write payload",
            lambda: self._client.set_payload(space.collection, payload, chosen, wait=True),
        )

    def flush(self, space: Space) -> None:
        """Nothing to do: every write waits for the server."""

    def dense(
        self, space: Space, vector: Vector, limit: int, where: Filter | None = None
    ) -> list[Hit]:
        """Nearest points by cosine, best first."""
        name = self._dense_name(space, self._questions)
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
        if self._dense_name(space, self._questions) is None or limit <= 0 or not vector.indices:
            return []
        native = q.SparseVector(indices=list(vector.indices), values=list(vector.values))
        own_idf = q.SearchParams(idf=q.IdfCorpusParams(corpus=self._scope(space)))
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
        found = self._ask(
            "search",
            lambda: self._questions.query_points(
                space.collection,
                query=vector,
                using=using,
                limit=limit,
                query_filter=self._scope(space, where),
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
        native = [native_id(self._mine(space), each) for each in ids]
        records = self._ask(
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
            records, offset = self._ask(
                "read points",
                lambda offset=offset: self._client.scroll(  # type: ignore[misc]
                    space.collection,
                    scroll_filter=self._scope(space),
                    limit=READ_BATCH_POINTS,
                    offset=offset,
                    with_payload=True if vectors else [ID_FIELD],
                    with_vectors=vectors,
                ),
            )
            yield records
            if offset is None:
                return

    def why_absent(self, space: Space) -> str:
        """Why a space is not there, where something can be said of it; empty where it is there."""
        return "" if self._dense_name(space) is not None else "the server has none of them"

    def disk_bytes(self, space: Space) -> int:
        """None here: the server keeps them."""
        return 0

    def count(self, space: Space) -> int:
        """Number of points."""
        if self._dense_name(space) is None:
            return 0
        return self._ask(
            "count points",
            lambda: self._client.count(space.collection, self._scope(space), exact=True).count,
        )

    # --- spaces -----------------------------------------------------------------------------

    def spaces(self) -> list[Space]:
        """Spaces that hold at least one point."""
        found = []
        for collection in COLLECTIONS:
            if not self._ask("connect", lambda c=collection: self._client.collection_exists(c)):  # type: ignore[misc]
                continue
            self._index_fields(collection)
            owners = _having(OWNER_FIELD, self._owner)
            for native in self._facet(collection, TENANT_FIELD, owners):
                for model in self._facet(collection, MODEL_FIELD, _having(TENANT_FIELD, native)):
                    found.append(self._space(collection, tenant_of(native), model))
        return found

    def _facet(self, collection: Collection, key: str, where: q.Filter) -> list[str]:
        answer = self._ask(
            "list spaces",
            lambda: self._client.facet(
                collection, key, facet_filter=where, limit=FACET_LIMIT, exact=True
            ),
        )
        return sorted(str(hit.value) for hit in answer.hits if hit.count)

    def _space(self, collection: Collection, tenant: str, model: str) -> Space:
        scope = self._scope(Space(collection, tenant, model, 0))
        records, _ = self._ask(
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
        self._ask(
            "delete points",
            lambda: self._client.delete(
                space.collection, q.FilterSelector(filter=self._scope(space)), wait=True
            ),
        )

    def check(self) -> None:
        """Ask each collection for one point: a cluster that lacks a part of one does not answer."""
        for collection in COLLECTIONS:
            if self._ask("connect", lambda c=collection: self._questions.collection_exists(c)):  # type: ignore[misc]
                self._ask(
                    "read points",
                    lambda c=collection: self._questions.scroll(  # type: ignore[misc]
                        c, limit=1, with_payload=False
                    ),
                )

    def needs_optimizing(self, space: Space) -> bool:
        """Never: the server does it by itself."""
        return False

    def is_crowded(self, space: Space) -> bool:
        """Never: the server does it by itself."""
        return False

    def optimize(self, space: Space, *, whole: bool = True) -> None:
        """Nothing to do: the server does it by itself."""

    def close_idle(self, keep: int) -> None:
        """Nothing to do: nothing is held open here."""

    def close(self) -> None:
        """Close the connections."""
        self._client.close()
        self._questions.close()

    # --- collections ------------------------------------------------------------------------

    def _dense_name(
        self, space: Space, client: QdrantClient | None = None, *, create: bool = False
    ) -> str | None:
        """Name of the dense vector that fits the space; None when there is nothing to read.

        The collection's `dense` has the dimension of the first model; a model with another one
        gets a named vector of its own, so that dimensions never mix.
        """
        key = (space.collection, space.dimension)
        known = self._dense_names.get(key)
        if known is not None:
            return known
        client = client or self._client
        exists = self._ask("connect", lambda: client.collection_exists(space.collection))
        if not exists:
            if not create:
                return None
            self._create(space)
        info = self._ask("connect", lambda: client.get_collection(space.collection))
        self._index_fields(space.collection, info)
        params = info.config.params
        if not isinstance(params.vectors, dict) or TEXT not in (params.sparse_vectors or {}):
            raise StoreError(
                f"the server has a collection {space.collection!r} that is not Surveyor's",
                "Use a server without it, or rename it there.",
            )
        sizes = {name: each.size for name, each in params.vectors.items()}
        name = DENSE if sizes.get(DENSE) == space.dimension else f"{DENSE}_{space.dimension}"
        if name not in sizes:
            if not create:
                return None
            config = q.DenseVectorNameConfig(
                dense=q.DenseVectorConfig(size=space.dimension, distance=q.Distance.COSINE)
            )
            self._ask(
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

        self._ask("create a collection", make)

    def _index_fields(self, collection: Collection, info: q.CollectionInfo | None = None) -> None:
        """Index the payload fields that filters use, those of a later version included."""
        if collection in self._indexed:
            return
        if info is None:
            info = self._ask("connect", lambda: self._client.get_collection(collection))
        present = info.payload_schema or {}
        for names, kind in (
            ((MODEL_FIELD, ID_FIELD, OWNER_FIELD, *KEYWORD_FIELDS), q.PayloadSchemaType.KEYWORD),
            (BOOL_FIELDS, q.PayloadSchemaType.BOOL),
        ):
            for name in names:
                if name not in present:
                    self._ask(
                        "index fields",
                        lambda name=name, kind=kind: self._client.create_payload_index(  # type: ignore[misc]
                            collection, name, kind
                        ),
                    )
        self._indexed.add(collection)
