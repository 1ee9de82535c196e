"""The digests that contents and texts are known by."""

from __future__ import annotations

import hashlib

HASH_BYTES = 16
"""BLAKE2b digests of contents and texts: 128 bits, so that a collision is out of the question."""


def digest(data: bytes) -> bytes:
    """Hash of a content or a text."""
    return hashlib.blake2b(data, digest_size=HASH_BYTES).digest()
