"""How much of the disk an index is likely to take, before it is made.

Fitted on what state and vectors take at most, while they are written and made compact: 66 MB for
2.2 MB of Java in 312 files, 10 GB for the Linux kernel's 1.3 GB in 78,000.
"""

from __future__ import annotations

from surveyor.units import format_size

BASE_BYTES = 40 << 20
"""Of a project's vectors and what is written ahead of them, however few there are."""
BYTES_A_FILE = 4 << 10
"""Of a file, however short it is: a chunk, its vectors and its names."""
BYTES_A_SOURCE_BYTE = 10


def room_needed(files: int, source_bytes: int) -> int:
    """Bytes that an index of so many files, and bytes in them, is likely to take."""
    if not files:
        return 0
    return BASE_BYTES + files * BYTES_A_FILE + source_bytes * BYTES_A_SOURCE_BYTE


def shortage(needed: int, free: int, kept_free: int, folder: str) -> str:
    """What to say where there is less room than is needed; empty where there is enough."""
    if needed <= max(0, free - kept_free):
        return ""
    return (
        f"The index is likely to need about {format_size(needed)} in {folder}, and"
        f" {format_size(free)} are free, of which {format_size(kept_free)} stay free: it is made as"
        " far as there is room, and goes on when there is more."
    )
