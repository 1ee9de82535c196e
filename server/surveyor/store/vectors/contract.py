"""The vector store's contract, which the embedded engine and a Qdrant server both keep."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

import msgspec
import numpy as np
from numpy.typing import NDArray

from surveyor.errors import DiskFullError, SurveyorError

Collection = Literal["projects", "libraries", "memory"]
COLLECTIONS: tuple[Collection, ...] = ("projects", "libraries", "memory")

Vector = NDArray[np.float32]

KEYWORD_FIELDS = (
    "file_path",
    "file_type",
    "language",
    "chunk_type",
    "symbol_kind",
    "kinds",
    "branch",
    "project_id",
    "tags",
    "library_name",
    "label",
)
"""Payload fields with a keyword index, made with the space: a filtered query over an unindexed
field took 25 ms where an indexed one takes 3."""

BOOL_FIELDS = ("is_fragment",)
"""Payload fields with a boolean index."""

FILTERED_FIELDS: dict[Collection, tuple[str, ...]] = {
    "projects": ("file_path", "file_type", "language", "kinds"),
    "libraries": ("library_name",),
    "memory": ("library_name",),
}
"""Payload fields that filters use, by collection. The embedded store indexes no others: each costs
10 us a point and six files to sync, and a sync stops the whole process (decision 0002)."""

HNSW_M = 16
"""Edges per node of the dense index (seeds' schema)."""

HNSW_EF_CONSTRUCT = 100
"""Candidates looked at while the dense index is built (seeds' schema)."""

DENSE = "dense"
"""Name of the dense vector: cosine, dimension from the model."""

TEXT = "text"
"""Name of the sparse vector: BM25 weights with the IDF modifier."""


class StoreError(SurveyorError):
    """The vector store cannot do what was asked: damaged, locked, unreachable or full."""

    code = "store"
    exit_code = 5


class StoreDamagedError(StoreError):
    """A space cannot be read: its points are derived, and made again."""

    code = "store_damaged"


class StoreFullError(DiskFullError, StoreError):
    """There is no room on the disk for what was asked, be it to open an index."""


class StoreUnreachableError(StoreError):
    """A remote store does not answer: the last known state stands, possibly incomplete."""

    code = "store_unreachable"


class StoreLateError(StoreUnreachableError):
    """A remote store has not answered in time: nothing speaks for its having lost anything."""


@dataclass(frozen=True, slots=True)
class Sparse:
    """A sparse vector: token ids (ascending, unique, 32-bit) and their weights."""

    indices: tuple[int, ...]
    values: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Space:
    """Where points live together: one shard when embedded, one tenant of a collection served."""

    collection: Collection
    tenant: str
    model: str
    """Fingerprint of the embedding model; spaces of two models never mix."""
    dimension: int


@dataclass(frozen=True, slots=True)
class Point:
    """What is stored for a chunk. `id` is a UUID string."""

    id: str
    dense: Vector | None
    sparse: Sparse
    payload: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Filter:
    """Conditions on payload fields: all of `must`, none of `must_not`; values are alternatives.

    `ids`, where given, are the only points that count.
    """

    must: dict[str, tuple[str | int | bool, ...]] = field(default_factory=dict)
    must_not: dict[str, tuple[str | int | bool, ...]] = field(default_factory=dict)
    ids: tuple[str, ...] | None = None


class Hit(msgspec.Struct, frozen=True, gc=False):
    """A point's id and its similarity: cosine for dense, BM25 with IDF for sparse.

    A Struct: a query makes hundreds, and a frozen dataclass takes eight times as long to make.
    """

    id: str
    score: float


class VectorStore(Protocol):
    """Points by space. All calls block; the engine runs them on the store's own thread.

    Raises `StoreError` with a hint when the store cannot be used.
    """

    payload_fields: frozenset[str] | None
    """Payload fields worth giving to it; None for all. Filters on others work, but slowly."""

    def upsert(self, space: Space, points: Sequence[Point]) -> None:
        """Insert or replace points; durable once `flush` has returned."""

    def delete(self, space: Space, ids: Sequence[str]) -> None:
        """Remove points; unknown ids are ignored."""

    def flush(self, space: Space) -> None:
        """Make everything so far durable and keep the write-ahead log short."""

    def dense(
        self, space: Space, vector: Vector, limit: int, where: Filter | None = None
    ) -> list[Hit]:
        """Nearest points by cosine, best first."""

    def sparse(
        self, space: Space, vector: Sparse, limit: int, where: Filter | None = None
    ) -> list[Hit]:
        """Best points by BM25 with the space's own IDF, best first."""

    def at_once(self, space: Space) -> AbstractContextManager[bool]:
        """Whether questions to a space can be answered on the caller's thread without waiting for
        anything, for as long as this lasts."""

    def retrieve(self, space: Space, ids: Sequence[str]) -> list[Point]:
        """Points by id with vectors and payload; unknown ids are left out."""

    def set_payload(self, space: Space, ids: Sequence[str], payload: dict[str, Any]) -> None:
        """Overwrite some payload fields of some points."""

    def ids(self, space: Space) -> Iterator[str]:
        """Ids of all points of the space, read as they are asked for: other calls may come
        between, so that some of what is written meanwhile may be among them."""

    def count(self, space: Space) -> int:
        """Number of points."""

    def why_absent(self, space: Space) -> str:
        """Why a space is not there, where something can be said of it; empty where it is there."""

    def disk_bytes(self, space: Space) -> int:
        """Bytes that the space takes on this machine's disk."""

    def rename(self, space: Space, tenant: str) -> Space:
        """Move all points to another tenant without computing a vector; returns the new space."""

    def drop(self, space: Space) -> None:
        """Remove the space and everything in it."""

    def spaces(self) -> list[Space]:
        """Spaces that exist."""

    def check(self) -> None:
        """Ask for as little as shows that questions are answered.

        Raises `StoreUnreachableError` where they are not.
        """

    def needs_optimizing(self, space: Space) -> bool:
        """Whether dead points exceed half of the live ones."""

    def is_crowded(self, space: Space) -> bool:
        """Whether so much was never optimised that it should not wait until nothing is written."""

    def optimize(self, space: Space, *, whole: bool = True) -> None:
        """Reclaim dead points, or make only what is new compact, while the old state keeps
        answering."""

    def close_idle(self, keep: int) -> None:
        """Close all but the `keep` most recently used spaces."""

    def close(self) -> None:
        """Flush and release everything."""
