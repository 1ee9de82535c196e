"""Payload as embedded shards keep it: short names, and paths as hashes.

A shard keeps payload in blocks of 128 bytes, and its indexes keep each value once more. Nobody else
reads a shard, and what is shown of a point comes from the state: a path serves filters alone. Two
paths of one hash do no harm, for hits are joined with the state, which knows the paths.
"""

from __future__ import annotations

import base64
import hashlib
from typing import Any

__all__ = ["PATH", "field", "long", "short", "wanted"]

PATH = "file_path"
HASH_BYTES = 6
_SHORT = {PATH: "p", "file_type": "t", "language": "l", "kinds": "k"}
_LONG = {short: name for name, short in _SHORT.items() if name != PATH}


def field(name: str) -> str:
    """What a field is called in a shard."""
    return _SHORT.get(name, name)


def wanted(name: str, value: Any) -> Any:
    """A field's value as filters ask a shard for it."""
    return _hashed(value) if name == PATH else value


def short(payload: dict[str, Any]) -> dict[str, Any]:
    """A payload as a shard keeps it; one that came from a shard is taken as well."""
    return {field(name): wanted(name, value) for name, value in payload.items()}


def long(kept: dict[str, Any]) -> dict[str, Any]:
    """A shard's payload, without its path: the hash of it keeps its short name."""
    return {_LONG.get(name, name): value for name, value in kept.items()}


def _hashed(path: str) -> str:
    digest = hashlib.blake2b(path.encode("utf-8", "surrogatepass"), digest_size=HASH_BYTES)
    return base64.urlsafe_b64encode(digest.digest()).decode()
