"""Where embedded shards lie on disk: folder names, the manifest of a space, copying a shard.

    <folder>/<collection>/<tenant>-<hash>/<model>-<hash>/manifest.json    what this space is
                                                        /counters.json    hints, safe to lose
                                                        /g-<hex>/         the shard itself

The manifest names the generation in use, so that replacing a shard by an optimised one is a
single atomic rename. Everything else in a space's folder is a leftover and is removed.
"""

from __future__ import annotations

import errno
import hashlib
import os
import re
import shutil
import uuid
from collections.abc import Container, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePath

import msgspec

from surveyor.store.vectors.contract import (
    COLLECTIONS,
    Collection,
    Space,
    StoreDamagedError,
    StoreError,
)

MANIFEST = "manifest.json"
COUNTERS = "counters.json"
FORMAT = 4
"""Version of this layout and of the shards' own configuration. A newer one is refused, an older one
counts as absent: points are derived, and the engine makes those that are missing."""

_SLUG_CHARS = 40
_COPY_BYTES = 16 << 10
"""So many zeros in a row become a hole."""
_ZEROS = bytes(_COPY_BYTES)


class Manifest(msgspec.Struct, kw_only=True):
    """What a space is and which generation of it is in use."""

    collection: str
    tenant: str
    model: str
    dimension: int
    generation: str
    format: int = FORMAT

    def space(self) -> Space:
        """The space that this manifest describes."""
        return Space(_collection(self.collection), self.tenant, self.model, self.dimension)


class Counters(msgspec.Struct, kw_only=True):
    """Hints that need no fsync: when lost, the shard is optimised a little later."""

    points: int = 0
    dead: int = 0
    optimized_points: int = 0
    """When the whole shard was optimised last."""
    compact_points: int = 0
    """When what was new was made compact last; not less than those."""


@dataclass(frozen=True, slots=True)
class DamagedSpace:
    """A folder that holds no usable space, and why."""

    folder: Path
    reason: str
    is_newer: bool = False
    """Another version of Surveyor made it, and may use it again."""


def _collection(name: str) -> Collection:
    for collection in COLLECTIONS:
        if collection == name:
            return collection
    raise ValueError(f"unknown collection {name!r}")


def _slug(name: str) -> str:
    digest = hashlib.sha256(name.encode()).hexdigest()[:12]
    readable = re.sub(r"[^a-z0-9._-]+", "-", name.lower()).strip("-.")[:_SLUG_CHARS]
    return f"{readable}-{digest}" if readable else digest


def space_folder(folder: Path, space: Space) -> Path:
    """Folder of a space; the name is readable, unique and safe on every file system."""
    return folder / space.collection / _slug(space.tenant) / _slug(space.model)


def new_generation() -> str:
    """A folder name that no other generation of the space has had."""
    return f"g-{uuid.uuid4().hex[:12]}"


def manifest_file(folder: Path) -> Path:
    """What makes a folder a space."""
    return folder / MANIFEST


def read_manifest(folder: Path) -> Manifest | None:
    """The manifest in a space's folder; None when the folder holds no space of this format.

    Raises `StoreError` when there is one that cannot be read or that a newer version wrote.
    """
    manifest = _stored_manifest(folder)
    if manifest is None:
        return None
    if manifest.format > FORMAT:
        raise StoreError(
            f"the index of {manifest.tenant} was made by a newer version of Surveyor",
            "Update Surveyor, or `surveyor doctor --repair` makes its points again for this one.",
        )
    return manifest if manifest.format == FORMAT else None


def earlier_format(folder: Path) -> int | None:
    """The format of what an earlier version left in a space's folder; None where there is no such.

    Raises `StoreError` when it cannot be read.
    """
    manifest = _stored_manifest(folder)
    return manifest.format if manifest is not None and manifest.format < FORMAT else None


def _stored_manifest(folder: Path) -> Manifest | None:
    try:
        data = (folder / MANIFEST).read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise StoreError(f"cannot read {folder / MANIFEST}: {error.strerror}") from error
    try:
        manifest = msgspec.json.decode(data, type=Manifest)
        manifest.space()
    except (msgspec.DecodeError, ValueError) as error:
        raise StoreDamagedError(
            f"the index in {folder} is damaged: its manifest cannot be read ({error})",
            "Run `surveyor doctor --repair`: the index is made again from your files.",
        ) from error
    return manifest


def write_manifest(folder: Path, manifest: Manifest) -> None:
    """Replace the manifest atomically and durably."""
    temporary = folder / f".{MANIFEST}.{uuid.uuid4().hex[:8]}"
    with temporary.open("wb") as file:
        file.write(msgspec.json.encode(manifest))
        file.flush()
        os.fsync(file.fileno())
    temporary.replace(folder / MANIFEST)
    sync_folder(folder)


def sync_folder(folder: Path) -> None:
    """Make renames inside a folder durable, where the platform can."""
    try:
        handle = os.open(folder, os.O_RDONLY)
    except OSError:  # Windows cannot open folders
        return
    try:
        os.fsync(handle)
    except OSError:
        pass
    finally:
        os.close(handle)


def read_counters(folder: Path) -> Counters:
    """The counters of a space; zeros when they were lost."""
    try:
        found = msgspec.json.decode((folder / COUNTERS).read_bytes(), type=Counters)
    except (OSError, msgspec.DecodeError):
        return Counters()
    # An earlier version knew only of the whole.
    found.compact_points = max(found.compact_points, found.optimized_points)
    return found


def write_counters(folder: Path, counters: Counters) -> None:
    """Replace the counters; not durable, and need not be."""
    temporary = folder / f".{COUNTERS}"
    temporary.write_bytes(msgspec.json.encode(counters))
    temporary.replace(folder / COUNTERS)


def space_folders(folder: Path) -> Iterator[Path]:
    """Folders that hold, or should hold, a space, in a stable order."""
    for collection in COLLECTIONS:
        for tenant in _folders(folder / collection):
            for model in _folders(tenant):
                if not model.name.startswith("."):
                    yield model


def _folders(folder: Path) -> list[Path]:
    """Folders of a folder; none where it has just been removed."""
    try:
        return sorted(path for path in folder.iterdir() if path.is_dir())
    except OSError:
        return []


def remove_leftovers(folder: Path, manifest: Manifest) -> None:
    """Remove generations that are not in use: what an interrupted optimisation left behind."""
    for entry in folder.iterdir():
        if entry.name.startswith("g-") and entry.name != manifest.generation:
            shutil.rmtree(entry, ignore_errors=True)
        elif entry.name.startswith(f".{MANIFEST}"):
            entry.unlink(missing_ok=True)


def copy_shard(source: Path, target: Path, shared: Container[PurePath] = ()) -> None:
    """Copy a shard's folder, keeping holes: 32 MB pages that hold a few kilobytes are usual.

    Files of `shared`, by their paths in the folder, become a second name of the same file.
    """
    target.mkdir(parents=True)
    for path in sorted(source.rglob("*")):
        relative = path.relative_to(source)
        destination = target / relative
        if path.is_dir():
            destination.mkdir(exist_ok=True)
        elif relative not in shared or not _linked(path, destination):
            _copy_sparse(path, destination)


def _linked(source: Path, target: Path) -> bool:
    try:
        os.link(source, target)
    except OSError:  # not every file system has second names
        return False
    return True


def _copy_sparse(source: Path, target: Path) -> None:
    """Copy a file; what holds nothing but zeros becomes a hole.

    In a file system in memory a hole that was mapped and read counts as data from then on.
    """
    with source.open("rb") as reader, target.open("wb") as writer:
        size = os.fstat(reader.fileno()).st_size
        for start, end in data_ranges(reader.fileno(), size):
            reader.seek(start)
            for position in range(start, end, _COPY_BYTES):
                block = reader.read(min(_COPY_BYTES, end - position))
                if not _ZEROS.startswith(block):
                    writer.seek(position)
                    writer.write(block)
        writer.truncate(size)


def data_ranges(handle: int, size: int) -> Iterator[tuple[int, int]]:
    """Ranges of a file that hold data; the whole file where holes cannot be asked for."""
    seek_data = getattr(os, "SEEK_DATA", None)
    seek_hole = getattr(os, "SEEK_HOLE", None)
    if seek_data is None or seek_hole is None:
        yield (0, size)
        return
    position = 0
    while position < size:
        try:
            start = os.lseek(handle, position, seek_data)
        except OSError as error:
            if error.errno == errno.ENXIO:  # only a hole is left
                return
            yield (position, size)
            return
        position = os.lseek(handle, start, seek_hole)
        yield (start, position)
