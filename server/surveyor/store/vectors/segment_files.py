"""Which files of a shard never change again, so that a copy may share them.

A shard is made of segments: one that is written to, and others that were made compact. Of those
points are only taken away, which is marked in small files of their own; what is large (vectors,
words, payload and their indexes) is written once.
"""

from __future__ import annotations

import json
import re
from pathlib import Path, PurePath

from surveyor.process_memory import machine_bytes

SEGMENTS = "segments"
COMPACT_MARK = "vector_index-text/inverted_index.dat"
"""The index of words of a segment that is written to is in memory."""
CONFIGURATION = "segment.json"

_FINAL = re.compile(
    r"vector_storage-dense/tq_vectors\.dat"
    r"|vector_storage-text/store/page_\d+\.dat"
    r"|vector_index-text/inverted_index\.dat"
    r"|vector_index-dense/(?:graph|links|links_compressed)\.bin"
    r"|payload_storage/page_\d+\.dat"
    r"|payload_index/[^/]+/(?:point_to_values|values_to_points)\.bin"
    r"|id_tracker\.(?:e2i|i2e)"
)


_ASKED = (
    "vector_storage-dense/**/*.dat",
    "vector_index-text/*.dat",
    "payload_index/*/*.bin",
    "id_tracker.*",
)
"""What opening a shard and the first question to it read."""
READ_LEAST_BYTES = 32 << 20
READ_AT_ONCE_BYTES = 1 << 20


class SharedFiles:
    """Files of one shard's folder that a copy of it may share."""

    def __init__(self, shard: Path) -> None:
        self._compact = {each.name for each in segments(shard) if (each / COMPACT_MARK).exists()}

    def __contains__(self, path: object) -> bool:
        """Whether a file, by its path in the shard's folder, is written once."""
        if not isinstance(path, PurePath):
            return False
        above, segment, *rest = (*path.parts, "")
        return (
            above == SEGMENTS
            and segment in self._compact
            and _FINAL.fullmatch("/".join(rest[:-1])) is not None
        )


def segments(shard: Path) -> list[Path]:
    """Folders of a shard's segments; none where there is no shard."""
    try:
        return sorted(each for each in (shard / SEGMENTS).iterdir() if each.is_dir())
    except OSError:
        return []


def read_through(shard: Path) -> int:
    """Have the system keep what questions to a large shard read; returns how many bytes.

    The library maps its files to be read at random, 4 KB at a time, and holds the interpreter's
    lock meanwhile: 360 MB of vectors that were not in memory took 9 s of the first question, and
    take .3 s one after the other. Nothing is read where there is little, or more than half of the
    machine's memory would hold.
    """
    found = [path for each in segments(shard) for name in _ASKED for path in each.glob(name)]
    try:
        size = sum(path.stat().st_size for path in found)
        if not READ_LEAST_BYTES <= size <= machine_bytes() // 2:
            return 0
        part = bytearray(READ_AT_ONCE_BYTES)
        for path in found:
            with path.open("rb", buffering=0) as file:
                while file.readinto(part):
                    pass
    except OSError:  # opening it says what is wrong
        return 0
    return size


def has_graph(shard: Path, vector: str) -> bool:
    """Whether HNSW was built for a vector in one of the segments at least."""
    for each in segments(shard):
        try:
            found = json.loads((each / CONFIGURATION).read_bytes())
            index = found["config"]["vector_data"][vector]["index"]
            if index["type"] == "hnsw" and index["options"]["m"]:
                return True
        except (OSError, ValueError, KeyError, TypeError):
            continue  # no segment yet, or of a library that writes it in another way
    return False
