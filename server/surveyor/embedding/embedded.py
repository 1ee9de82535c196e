"""A text's vectors as a worker passes them on, and as the store takes them."""

from __future__ import annotations

import msgspec
import numpy as np

from surveyor.store.vectors.contract import Sparse

__all__ = ["Embedded", "dense_of", "sparse_of"]


class Embedded(msgspec.Struct):
    """A text's vectors: float16 bytes, and uint32 and float32 bytes of the sparse one."""

    text_hash: bytes
    dense: bytes
    indices: bytes
    values: bytes
    body: bytes | None = None
    """The vector to remember under the hash; `None` where it came from memory."""


def dense_of(vector: Embedded) -> np.ndarray:
    """The dense vector as float32."""
    return np.frombuffer(vector.dense, dtype=np.float16).astype(np.float32)


def sparse_of(vector: Embedded) -> Sparse:
    """The sparse vector."""
    return Sparse(
        tuple(memoryview(vector.indices).cast("I").tolist()),
        tuple(memoryview(vector.values).cast("f").tolist()),
    )
