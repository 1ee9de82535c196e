"""One open shard of the embedded engine: our types in, our types out, our errors.

A shard can be opened by one process only (a lock on its write-ahead log) and every call holds
Python's GIL, so batches are small. Vectors, payload and indexes are memory-mapped files: a shard
of 30,000 chunks costs about 40 MB of anonymous memory.
"""

from __future__ import annotations

import textwrap
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar, cast

import numpy as np
import qdrant_edge as qe

from surveyor.store.vectors import segment_files, shard_log, short_payload
from surveyor.store.vectors.contract import (
    DENSE,
    HNSW_EF_CONSTRUCT,
    HNSW_M,
    TEXT,
    Filter,
    Hit,
    Point,
    Sparse,
    StoreDamagedError,
    StoreError,
    StoreFullError,
    Vector,
)

UPSERT_BATCH_POINTS = 32
"""Points per call: a call of 32 holds the GIL for 2-7 ms."""

DELETE_BATCH_POINTS = 256
SCROLL_POINTS = 1000

FLUSH_AFTER_BYTES = 32 << 20
"""Estimated write-ahead log after which `upsert` flushes by itself: replaying 322 MB took 16.6 s
and 875 MB of memory; the log is to stay below 64 MB."""

EXACT_SCAN_POINTS = 500_000
"""Up to here a scan of all vectors, a byte a dimension, is fast enough (1.5 to 2.1 ms for 61,000
measured). Above, optimising builds HNSW, too: 520,000 points were not done after four CPU minutes,
and are made compact in one."""

SEGMENT_KB = 64 << 10
"""Segments are merged up to so much of vectors or words: 260,000 points of 256 dimensions. Making
one compact takes memory for its points, not for those of the whole shard."""
ANY_SEGMENTS = 10_000
"""So many segments are left as they are."""

LOCK_PATIENCE_S = 5.0
"""A killed engine's lock goes when the kernel has torn the process down, not with the signal."""

_LOCK_POLL_S = 0.05
_UUID_CHARS = 36
_T = TypeVar("_T")

REASON_CHARS = 160
"""Of what the library says: it repeats the file's name at each of its own levels."""
NO_ROOM = (
    "No space left",
    "StorageFull",
    "QuotaExceeded",
    "uota exceeded",
    "FileTooLarge",
    "File too large",
)
"""What an error says where the disk, a quota or a limit on files' sizes leaves no room."""
NO_DAMAGE = (
    "PermissionDenied",
    "Permission denied",
    "Read-only file system",
    "ReadOnlyFilesystem",
    "Too many open files",
    "Cannot allocate memory",
)
"""What the library says when the data are sound, and this process may not do what it wants."""
REPAIR_HINT = "Run `surveyor doctor --repair`: the index is made again from your files."


def _config(dimension: int, *, graph: bool = True, whole: bool = True) -> qe.EdgeConfig:
    """Configuration of a shard; without `graph`, optimising builds no HNSW, and unless it is
    `whole` it leaves alone what is compact."""
    cold = qe.Memory.Cold  # memory-mapped: the page cache's memory, not ours
    return qe.EdgeConfig(
        vectors={
            DENSE: qe.EdgeVectorParams(
                size=dimension,
                distance=qe.Distance.Cosine,
                memory=cold,
                # A byte a dimension, and nothing beside it (decision 0021).
                datatype=qe.VectorStorageDatatype.Turbo8,
            )
        },
        sparse_vectors={
            TEXT: qe.EdgeSparseVectorParams(
                modifier=qe.Modifier.Idf, memory=cold, datatype=qe.VectorStorageDatatype.Float16
            )
        },
        payload_memory=cold,
        id_tracker_memory=cold,
        hnsw_config=qe.HnswIndexConfig(
            m=HNSW_M if graph else 0,
            ef_construct=HNSW_EF_CONSTRUCT,
            full_scan_threshold=10_000,
            max_indexing_threads=1,
            memory=cold,
        ),
        optimizers=qe.EdgeOptimizersConfig(
            deleted_threshold=0.1 if whole else 1.0,
            vacuum_min_vector_number=100,
            default_segment_number=1 if whole else ANY_SEGMENTS,
            max_segment_size=SEGMENT_KB,
            indexing_threshold=1,  # in KB: whatever is optimised is
        ),
        max_search_threads=1,
    )


def _index_fields(shard: qe.EdgeShard, fields: Sequence[str]) -> None:
    """Index the payload fields that filters use, those that came with a later version included,
    and no others."""
    present = set(shard.info().payload_schema)
    fields = [short_payload.field(name) for name in fields]
    for name in fields:
        if name not in present:
            operation = qe.UpdateOperation.create_field_index(name, qe.PayloadSchemaType.Keyword)
            _guard("index a field", lambda operation=operation: shard.update(operation))  # type: ignore[misc]
    for name in sorted(present.difference(fields)):
        operation = qe.UpdateOperation.delete_field_index(name)
        _guard("drop an index", lambda operation=operation: shard.update(operation))  # type: ignore[misc]
    if present != set(fields):
        shard.flush()


def _guard(what: str, work: Callable[[], _T]) -> _T:
    """Run a call into the engine; its errors and panics become `StoreError`."""
    try:
        return work()
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:  # a Rust panic derives from BaseException
        text = str(error)
        if "WouldBlock" in text:
            raise StoreError(
                f"cannot {what}: another process has this index open",
                "stop the other engine (`surveyor engine stop`)",
            ) from error
        if any(sign in text for sign in NO_ROOM):
            raise StoreFullError(
                f"cannot {what}: the disk is full", "free some space and try again"
            ) from error
        brief = textwrap.shorten(text, REASON_CHARS, placeholder=" …")
        if any(sign in text for sign in NO_DAMAGE):
            raise StoreError(
                f"cannot {what}: {brief}", "see what your user may do and open in the data folder"
            ) from error
        raise StoreDamagedError(f"cannot {what}: {brief}", REPAIR_HINT) from error


def to_filter(where: Filter | None) -> qe.Filter | None:
    """Our filter as the engine's."""
    if where is None or not (where.must or where.must_not or where.ids is not None):
        return None

    def conditions(fields: dict[str, tuple[str | int | bool, ...]]) -> list[Any]:
        return [
            _condition(
                short_payload.field(name),
                tuple(short_payload.wanted(name, value) for value in values),
            )
            for name, values in fields.items()
        ]

    must = conditions(where.must)
    if where.ids is not None:
        must.append(qe.HasIdCondition(set(where.ids)))
    return qe.Filter(must=must, must_not=conditions(where.must_not))


def _condition(key: str, values: tuple[str | int | bool, ...]) -> qe.FieldCondition | qe.Filter:
    if any(isinstance(value, bool) for value in values):
        # "Any of" knows strings and integers only, and Python's bool would pass for an integer;
        # numpy's does not.
        flags: list[Any] = [np.bool_(value) for value in values]
        return qe.Filter(
            should=[qe.FieldCondition(key, match=qe.MatchValue(flag)) for flag in flags]
        )
    if len(values) == 1:
        # A scan of a third of 30,000 chunks takes 0.8 ms with it, and 1.7 with "any of" one.
        return qe.FieldCondition(key, match=qe.MatchValue(cast("Any", values[0])))
    return qe.FieldCondition(key, match=qe.MatchAny(cast("Any", list(values))))


class Shard:
    """An open shard. Not thread-safe; `EdgeStore` guards it."""

    def __init__(self, shard: qe.EdgeShard, folder: Path, dimension: int) -> None:
        self._shard = shard
        self._folder = folder
        self._dimension = dimension
        self._unflushed_bytes = 0
        self.dead = 0
        """Points deleted or replaced since the shard was made or optimised."""

    @classmethod
    def create(cls, folder: Path, dimension: int, fields: Sequence[str] = ()) -> Shard:
        """Make an empty shard with indexes of these payload fields (of keywords)."""
        folder.mkdir(parents=True)

        def make() -> qe.EdgeShard:
            shard = qe.EdgeShard.create(str(folder), _config(dimension))
            shard.close()
            if shard_log.have_short_segments(folder):
                shard_log.drop_empty_log(folder)
            shard = qe.EdgeShard.load(str(folder), _config(dimension))
            _index_fields(shard, fields)
            return shard

        return cls(_guard("create an index", make), folder, dimension)

    @classmethod
    def load(cls, folder: str | Path, dimension: int, fields: Sequence[str] | None = None) -> Shard:
        """Open a shard, waiting a little for the lock of a process that is just dying.

        With `fields` its payload indexes become those; without, they stay as they are.
        """
        segment_files.read_through(Path(folder))
        deadline = time.monotonic() + LOCK_PATIENCE_S
        while True:
            try:
                shard = _guard(
                    "open an index", lambda: qe.EdgeShard.load(str(folder), _config(dimension))
                )
            except StoreError as error:
                locked = "WouldBlock" in str(error.__cause__)
                if not locked or time.monotonic() > deadline:
                    raise
                time.sleep(_LOCK_POLL_S)
            else:
                if fields is not None:
                    _index_fields(shard, fields)
                return cls(shard, Path(folder), dimension)

    def upsert(self, points: Sequence[Point]) -> None:
        """Insert or replace points; flushes by itself when much is unflushed."""
        before = self.count()
        for start in range(0, len(points), UPSERT_BATCH_POINTS):
            batch = points[start : start + UPSERT_BATCH_POINTS]
            native = [self._native(point) for point in batch]
            self._update(lambda native=native: qe.UpdateOperation.upsert_points(native))  # type: ignore[misc]
            self._unflushed_bytes += sum(_log_bytes(point) for point in batch)
            if self._unflushed_bytes > FLUSH_AFTER_BYTES:
                self.flush()
        self.dead += max(0, len(points) - (self.count() - before))

    def delete(self, ids: Sequence[str]) -> None:
        """Remove points."""
        before = self.count()
        for start in range(0, len(ids), DELETE_BATCH_POINTS):
            batch: list[Any] = list(ids[start : start + DELETE_BATCH_POINTS])
            self._update(lambda batch=batch: qe.UpdateOperation.delete_points(batch))  # type: ignore[misc]
        self.dead += max(0, before - self.count())

    def set_payload(self, ids: Sequence[str], payload: dict[str, Any]) -> None:
        """Overwrite payload fields of those points that exist."""
        payload = short_payload.short(payload)
        known: list[Any] = [
            record.id
            for record in _guard(
                "read points", lambda: self._shard.retrieve(list(ids), False, False)
            )
        ]
        for start in range(0, len(known), DELETE_BATCH_POINTS):
            batch = known[start : start + DELETE_BATCH_POINTS]
            self._update(lambda batch=batch: qe.UpdateOperation.set_payload(batch, payload))  # type: ignore[misc]

    def _update(self, operation: Callable[[], qe.UpdateOperation]) -> None:
        _guard("write to an index", lambda: self._shard.update(operation()))

    def _native(self, point: Point) -> qe.Point:
        vectors: dict[str, Any] = {
            TEXT: qe.SparseVector(list(point.sparse.indices), list(point.sparse.values))
        }
        if point.dense is not None:
            if point.dense.shape != (self._dimension,):
                raise StoreError(
                    f"a vector of {point.dense.shape[0]} dimensions does not fit an index of"
                    f" {self._dimension}",
                    "the embedding model has changed; reindex the project",
                )
            vectors[DENSE] = point.dense.tolist()
        return qe.Point(point.id, vectors, short_payload.short(point.payload))

    def flush(self) -> None:
        """Make everything durable and let the write-ahead log be cut."""
        _guard("flush an index", self._shard.flush)
        self._unflushed_bytes = 0

    def dense(self, vector: Vector, limit: int, where: Filter | None) -> list[Hit]:
        """Nearest points by cosine."""
        return self._query(vector.tolist(), DENSE, limit, where)

    def sparse(self, vector: Sparse, limit: int, where: Filter | None) -> list[Hit]:
        """Best points by BM25."""
        if not vector.indices:
            return []
        native = qe.SparseVector(list(vector.indices), list(vector.values))
        return self._query(native, TEXT, limit, where)

    def _query(self, vector: Any, using: str, limit: int, where: Filter | None) -> list[Hit]:
        if limit <= 0:
            return []
        request = qe.QueryRequest(
            limit=limit,
            query=qe.Query.Nearest(vector, using),
            filter=to_filter(where),
        )
        found = _guard("search an index", lambda: self._shard.query(request))
        ids = _ids(found, 'ScoredPoint(id="')
        return [Hit(id_, point.score) for id_, point in zip(ids, found, strict=True)]

    def retrieve(self, ids: Sequence[str]) -> list[Point]:
        """Points by id with vectors (dense ones normalised) and payload."""
        records = _guard("read points", lambda: self._shard.retrieve(list(ids), True, True))
        return [_point(record) for record in records]

    def ids(self, offset: Any = None) -> tuple[list[str], Any]:
        """Some ids, from `offset` on, and the offset of those that follow; None at the end."""
        request = qe.ScrollRequest(
            offset=offset, limit=SCROLL_POINTS, with_payload=False, with_vector=False
        )
        records, following = _guard("read points", lambda: self._shard.scroll(request))
        return _ids(records, 'Record(id="'), following

    def count(self) -> int:
        """Number of live points."""
        return int(_guard("read an index", self._shard.info).points_count)

    @classmethod
    def optimize(cls, folder: str | Path, dimension: int, *, whole: bool = True) -> None:
        """Make a shard compact, which is closed before and after. Holds the GIL for seconds: only
        in a child process.

        The `whole` of it: segments are merged and vacuumed, and those of a large shard get HNSW.
        Otherwise what was written since the last time becomes a segment of its own.
        """
        shard_log.have_short_segments(Path(folder))  # of one that was made before there were any
        shard = cls.load(folder, dimension)
        graph = segment_files.has_graph(Path(folder), DENSE) or (
            whole and shard.count() > EXACT_SCAN_POINTS
        )
        shard.close()
        config = _config(dimension, graph=graph, whole=whole)
        native = _guard("open an index", lambda: qe.EdgeShard.load(str(folder), config))
        _guard("optimise an index", native.optimize)
        cls(native, Path(folder), dimension).close()

    def close(self) -> None:
        """Flush and release files and lock."""
        try:
            self.flush()
        finally:
            _guard("close an index", self._shard.close)


def _ids(found: Sequence[Any], start: str) -> list[str]:
    """Ids of hits or records, from the text that each gives of itself, which begins with `start`:
    their attribute makes a `uuid.UUID` first, and takes ten times as long."""
    end = len(start) + _UUID_CHARS
    return [
        text[len(start) : end]
        if (text := repr(each)).startswith(start) and text[end] == '"'
        else str(each.id)
        for each in found
    ]


def _point(record: qe.Record) -> Point:
    vectors: dict[str, Any] = record.vector if isinstance(record.vector, dict) else {}
    dense, sparse = vectors.get(DENSE), vectors.get(TEXT)
    return Point(
        id=str(record.id),
        dense=None if dense is None else np.asarray(dense, dtype=np.float32),
        sparse=Sparse((), ())
        if sparse is None
        else Sparse(tuple(sparse.indices), tuple(sparse.values)),
        payload=short_payload.long(record.payload or {}),
    )


def _log_bytes(point: Point) -> int:
    """Estimated size of a point in the write-ahead log (measured: about 2 KB at 256 x 80)."""
    dense = 0 if point.dense is None else len(point.dense)
    return 5 * dense + 10 * len(point.sparse.indices) + 512
