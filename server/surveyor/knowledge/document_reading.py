"""Reading documents: what is asked of the workers, and what they answer."""

from __future__ import annotations

import hashlib
from collections.abc import Awaitable, Callable
from typing import Literal

import msgspec

from surveyor.formats.document import DocumentChunk

ReaderKind = Literal["document", "package", "claude-code", "opencode", "markdown"]


class ReadJob(msgspec.Struct, frozen=True, tag="read"):
    """Read something into documents. `data` stands in for the file at `path`."""

    kind: ReaderKind
    name: str
    path: str = ""
    data: bytes | None = None
    format: str | None = None
    ecosystem: str = ""
    version: str = ""
    part: int = 0
    """Which part of a long document."""
    max_bytes: int = 256 << 20


class ReadDocument(msgspec.Struct):
    """A document in pieces. `name` is dotted, below its library."""

    name: str
    path: str
    title: str
    format: str
    chunks: list[DocumentChunk]
    topics: list[str] = []
    problems: list[str] = []
    content_hash: bytes = b""
    size: int = 0
    mtime_ns: int = 0
    dated: float = 0.0
    directory: str = ""
    """The folder that a session was about."""
    more: bool = False
    """There is a further part."""


ReadDocuments = Callable[[ReadJob], Awaitable[list[ReadDocument]]]
"""Reads something beside the event loop. Raises `SurveyorError` when it cannot be read."""


def content_hash(data: bytes) -> bytes:
    """128 bits of BLAKE2b."""
    return hashlib.blake2b(data, digest_size=16).digest()
