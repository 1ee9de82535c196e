"""What is looked at before a shard is opened in this process.

A shard is mapped into memory: a file that is shorter than it was, or a hole that a full disk cannot
fill, ends the process that touches it (SIGBUS), and no error can be caught. So sizes are compared
with those of the last time, and where there is reason to doubt, another process opens it first.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from zlib import crc32

import msgspec

from surveyor.paths import disk_bytes
from surveyor.platform.processes import BUS_ERROR
from surveyor.store.vectors import layout
from surveyor.store.vectors.contract import StoreDamagedError, StoreFullError
from surveyor.store.vectors.shard import REPAIR_HINT

SIZES = "sizes.json"
OPENING = ".opening"
MAPPED = (".dat", ".mmap")
REWRITTEN = ("_journal", "_a", "_b")
"""Ends of names of files that come and go while a shard is open, and for a moment after."""
SUMMED_BYTES = 128 << 20
"""Files of a larger shard are not read as a whole when it is closed and opened (0.1 s for so much,
where the page cache has it)."""
BLOCK_BYTES = 4096
LOW_DISK_BYTES = 128 << 20
"""With less free than this, another process fills the holes that opening fills."""
CHECK_TIMEOUT_S = 60.0


class MappedFileSizes(msgspec.Struct):
    """Sizes of mapped files when a shard was opened or closed last."""

    generation: str
    closed: bool
    files: dict[str, int]
    sums: dict[str, int] = {}
    """Their CRC-32, of a shard that was closed and is not large."""


def check(folder: Path, generation: str, dimension: int) -> None:
    """Raise `StoreDamagedError` or `StoreFullError` where opening would fail, or end us."""
    shard = folder / generation
    _compare(folder, shard)
    marker = folder / OPENING
    doubtful = marker.exists()
    low = shutil.disk_usage(folder).free < LOW_DISK_BYTES
    if doubtful or low:
        _in_a_child(shard, dimension, low)
    with contextlib.suppress(OSError):
        marker.touch(mode=0o600)


def opened(folder: Path, generation: str) -> None:
    """It is open: what ends us now was not that."""
    with contextlib.suppress(OSError):
        (folder / OPENING).unlink(missing_ok=True)
    note(folder, generation, closed=False)


def note(folder: Path, generation: str, *, closed: bool) -> None:
    """Write down the sizes of now."""
    shard = folder / generation
    sizes = {}
    for path in sorted(shard.rglob("*")):
        if path.suffix in MAPPED and not path.stem.endswith(REWRITTEN):
            with contextlib.suppress(OSError):
                sizes[str(path.relative_to(shard))] = path.stat().st_size
    sums = {}
    if closed and disk_bytes(shard) <= SUMMED_BYTES:
        with contextlib.suppress(OSError):
            sums = {name: checksum(shard / name) for name in sizes}
    temporary = folder / f".{SIZES}"
    with contextlib.suppress(OSError):  # a hint
        temporary.write_bytes(msgspec.json.encode(MappedFileSizes(generation, closed, sizes, sums)))
        temporary.replace(folder / SIZES)


def _compare(folder: Path, shard: Path) -> None:
    try:
        known = msgspec.json.decode((folder / SIZES).read_bytes(), type=MappedFileSizes)
    except (OSError, msgspec.DecodeError):
        return
    if known.generation != shard.name:
        return
    for name, size in known.files.items():
        try:
            now = (shard / name).stat().st_size
        except FileNotFoundError:
            if known.closed and "payload_index" not in name:  # those come and go with versions
                raise StoreDamagedError(f"{shard / name} is gone", REPAIR_HINT) from None
            continue
        if now < size:
            raise StoreDamagedError(
                f"{shard / name} is {size - now} bytes shorter than it was", REPAIR_HINT
            )
    for name, expected in known.sums.items() if known.closed else ():
        with contextlib.suppress(FileNotFoundError):
            if checksum(shard / name) != expected:
                raise StoreDamagedError(f"{shard / name} is not what was written", REPAIR_HINT)


def checksum(path: Path) -> int:
    """CRC-32 of a file's blocks that hold anything; whether the rest are holes does not matter."""
    found = 0
    with path.open("rb") as file:
        size = os.fstat(file.fileno()).st_size
        for start, end in layout.data_ranges(file.fileno(), size):
            position = start - start % BLOCK_BYTES
            file.seek(position)
            while position < end and (block := file.read(BLOCK_BYTES)):
                if block.strip(b"\0"):
                    found = crc32(block, crc32(position.to_bytes(8, "little"), found))
                position += len(block)
    return found


def _in_a_child(shard: Path, dimension: int, low: bool) -> None:
    package = str(Path(__file__).parents[3])
    search = os.pathsep.join(filter(None, (package, os.environ.get("PYTHONPATH"))))
    try:
        done = subprocess.run(
            [
                sys.executable,
                "-m",
                "surveyor.store.vectors.shard_check",
                str(shard),
                str(dimension),
            ],
            capture_output=True,
            timeout=CHECK_TIMEOUT_S,
            stdin=subprocess.DEVNULL,
            env={**os.environ, "PYTHONPATH": search},
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise StoreDamagedError(f"cannot open an index: {error}", REPAIR_HINT) from error
    if done.returncode == 0:
        return
    said = done.stderr.decode(errors="replace").strip()
    ended = -done.returncode
    if low and (ended == BUS_ERROR or "full" in said):
        raise StoreFullError("cannot open an index: the disk is full", "free some space")
    why = signal.Signals(ended).name if ended > 0 else said
    raise StoreDamagedError(f"cannot open an index: {why}", REPAIR_HINT)
