"""What the engine and an index worker say to each other.

Messages are MessagePack, each behind a 4-byte big-endian length, over the worker's stdin and
stdout. Every job gets exactly one outcome, in order, so the engine knows which file a dead worker
was at; lengths without a message before it say that the worker is `AT_WORK` or `LOADING`.
"""

from __future__ import annotations

import struct
from typing import BinaryIO, Literal

import msgspec

from surveyor.change.jobs import CallsJob, FileCalls
from surveyor.clones.jobs import Fingerprint, FingerprintJob
from surveyor.embedding.embedded import Embedded
from surveyor.graph.jobs import GraphJob
from surveyor.knowledge.document_reading import ReadDocument, ReadJob
from surveyor.parsing.types import Chunk, ParsedFile, StoredText
from surveyor.structural.jobs import FileMatches, PatternJob

LENGTH = struct.Struct(">I")
AT_WORK = 0
"""In place of a length: the worker has started, or a slow model is at it still."""
LOADING = (1 << 32) - 1
"""The same: a model is being loaded, which takes longer than a file may."""
BROKEN = "worker"
"""Reason of a job that breaks workers: it is not tried again."""
KILLED = "killed"
"""Reason of a job whose worker was ended from outside: it may be innocent."""
PIPE_BYTES = 1 << 20
"""What Linux lets a user have without further rights; it gives 64 KB, less than a file's answer."""


class WorkerSetup(msgspec.Struct, frozen=True):
    """First message to a worker: the settings that it needs."""

    state_path: str
    model: str
    threads: int
    chunk_chars: int
    max_file_size: int
    version: str
    """Version of grammars, chunker and weights; documents of another are parsed again."""
    k1: float
    b: float
    import_scan_limit: int = 200
    memory_limit: int = 1 << 30
    """Bytes that a job may need; a worker that needs more is ended."""
    allowed_secrets: str = ""
    """Digest of what is not masked: a worker reads it from the data folder when it starts."""


class FileJob(msgspec.Struct, frozen=True, tag="file"):
    """Read, parse and embed one file; `data` stands in for the disk (an unsaved buffer)."""

    root: str
    path: str
    project_id: str
    data: bytes | None = None
    parse_known: bool = False
    """Parse even if the same content was indexed before."""
    anew: bool = False
    """Parse and embed it even if the same content was indexed before; nothing is remembered."""
    max_file_size: int | None = None
    """The project's own limit, if it has one."""
    graph_now: bool = False
    """With its references, which are left to a later `GraphJob` otherwise."""
    is_awaited: bool = False
    """Somebody waits for it: it leaves the processor to nobody."""


class ChunksJob(msgspec.Struct, frozen=True, tag="chunks"):
    """Embed chunks of one file that are known already: their points are made again."""

    path: str
    chunks: list[Chunk]


class TextJob(msgspec.Struct, frozen=True, tag="text"):
    """Embed texts that are not files' chunks: rules, pages, commits."""

    titles: list[str]
    texts: list[str]


Job = FileJob | ChunksJob | TextJob | GraphJob | ReadJob | CallsJob | PatternJob | FingerprintJob


class Timing(msgspec.Struct):
    """Seconds spent, by stage."""

    read: float = 0.0
    parse: float = 0.0
    sparse: float = 0.0
    dense: float = 0.0


class Outcome(msgspec.Struct):
    """The result of a job, or why it failed."""

    status: Literal[
        "parsed",
        "known",
        "missing",
        "skipped",
        "unseen",
        "failed",
        "embedded",
        "graph",
        "read",
        "calls",
        "patterns",
        "fingerprints",
    ]
    size: int = 0
    mtime_ns: int = 0
    content_hash: bytes = b""
    reason: str = ""
    detail: str = ""
    parsed: ParsedFile | None = None
    text: StoredText | None = None
    """Of a file that was parsed and is to be stored."""
    vectors: list[Embedded] = []
    model: str = ""
    """Fingerprint of the model that made the vectors."""
    version: str = ""
    """Of a file: the version of the settings and grammars that it was read by."""
    documents: list[ReadDocument] = []
    timing: Timing = msgspec.field(default_factory=Timing)
    graph: bytes = b""
    """The result of a `GraphJob`, encoded."""
    calls: FileCalls | None = None
    patterns: list[FileMatches] = []
    fingerprints: list[Fingerprint] = []


def read_message(stream: BinaryIO) -> bytes | None:
    """The next message, or `None` at the end."""
    head = stream.read(LENGTH.size)
    if len(head) < LENGTH.size:
        return None
    (length,) = LENGTH.unpack(head)
    body = stream.read(length)
    return body if len(body) == length else None
