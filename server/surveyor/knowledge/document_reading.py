"""Reading documents: what is asked of the workers, and what they answer."""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Awaitable, Callable
from typing import Literal

import msgspec

from surveyor.formats.document import DocumentChunk
from surveyor.formats.page_facts import PageFacts

ReaderKind = Literal["document", "page", "package", "claude-code", "opencode", "markdown"]


class ReadJob(msgspec.Struct, frozen=True, tag="read"):
    """Read something into documents. `data` stands in for the file at `path`."""

    kind: ReaderKind
    name: str
    path: str = ""
    data: bytes | None = None
    format: str | None = None
    charset: str = ""
    """Of a page: what its server says that it is written in."""
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
    page: PageFacts | None = None
    """Of a page of the web."""


ReadDocuments = Callable[[ReadJob], Awaitable[list[ReadDocument]]]
"""Reads something beside the event loop. Raises `SurveyorError` when it cannot be read."""


async def read_whole(read: ReadDocuments, job: ReadJob) -> ReadDocument | None:
    """A whole document, however many parts it is read in; None where there is nothing."""
    found = await read(job)
    if not found:
        return None
    document = found[0]
    more, part = document.more, 0
    while more:
        part += 1
        (next_part,) = await read(msgspec.structs.replace(job, part=part))
        shift = len(document.chunks)
        document.chunks += [
            dataclasses.replace(one, ordinal=one.ordinal + shift) for one in next_part.chunks
        ]
        document.problems += next_part.problems
        more = next_part.more
    return document


def content_hash(data: bytes) -> bytes:
    """128 bits of BLAKE2b."""
    return hashlib.blake2b(data, digest_size=16).digest()
