"""How the whole texts of documents, and what files define, are compressed where they are stored.

Zstandard: a tenth smaller than zlib's fastest, made in a third of its time and read in a fifth.
"""

from __future__ import annotations

import threading

import zstandard

__all__ = ["ZSTD_MAGIC", "compressed", "decompressed"]

ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
"""How a compressed text begins."""

LEVEL = 1
"""Level 3 is a twentieth smaller and takes a quarter longer to read."""


class _Contexts(threading.local):
    """A thread's own: neither may be used by two at a time, and making one costs as much as
    reading a text."""

    def __init__(self) -> None:
        self.compressor = zstandard.ZstdCompressor(level=LEVEL)
        self.decompressor = zstandard.ZstdDecompressor()


_contexts = _Contexts()


def compressed(text: bytes) -> bytes:
    """What is stored of a text."""
    return _contexts.compressor.compress(text)


def decompressed(stored: bytes) -> bytes:
    """The text again. Raises `zstandard.ZstdError` where it is none."""
    return _contexts.decompressor.decompress(stored)
