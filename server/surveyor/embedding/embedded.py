"""A text's vectors as a worker passes them on, and as the store takes them."""

from __future__ import annotations

import msgspec
import numpy as np

from surveyor.store.vectors.contract import Sparse

__all__ = ["Embedded", "dense_of", "packed", "sparse_of", "unpacked"]

LEVELS = 127
_SCALE_BYTES = 2


class Embedded(msgspec.Struct):
    """A text's vectors: float16 bytes, and uint32 and float32 bytes of the sparse one."""

    text_hash: bytes
    dense: bytes
    indices: bytes
    values: bytes
    body: bytes | None = None
    """The vector to remember under the hash, packed; `None` where it is remembered, or is not to
    be."""
    is_new: bool = False
    """It was made, not remembered."""

    @property
    def is_kept(self) -> bool:
        """Whether there are no vectors, because the text's point is there already."""
        return not self.dense


def dense_of(vector: Embedded) -> np.ndarray:
    """The dense vector as float32."""
    return np.frombuffer(vector.dense, dtype=np.float16).astype(np.float32)


def packed(rows: np.ndarray) -> list[bytes]:
    """Vectors as they are remembered: a byte a dimension, behind what one level is worth."""
    scales = (np.abs(rows).max(axis=1, keepdims=True) / LEVELS).astype(np.float16)
    worth = np.where(scales, scales, 1).astype(np.float32)
    levels = np.clip(np.rint(rows / worth), -LEVELS, LEVELS).astype(np.int8)
    return [scale.tobytes() + row.tobytes() for scale, row in zip(scales, levels, strict=True)]


def unpacked(remembered: bytes, dimension: int) -> np.ndarray:
    """A remembered vector as float32; those of earlier versions have half precision."""
    if len(remembered) != dimension + _SCALE_BYTES:
        return np.frombuffer(remembered, dtype=np.float16).astype(np.float32)
    scale = np.frombuffer(remembered, dtype=np.float16, count=1).astype(np.float32)
    return np.frombuffer(remembered, dtype=np.int8, offset=_SCALE_BYTES).astype(np.float32) * scale


def sparse_of(vector: Embedded) -> Sparse:
    """The sparse vector."""
    return Sparse(
        tuple(memoryview(vector.indices).cast("I").tolist()),
        tuple(memoryview(vector.values).cast("f").tolist()),
    )
