"""Shards that are open in this process: opened when first asked for, closed when too many are."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from surveyor.store.vectors import layout, shard_soundness
from surveyor.store.vectors.contract import FILTERED_FIELDS, Space, StoreDamagedError, StoreError
from surveyor.store.vectors.layout import Counters, Manifest
from surveyor.store.vectors.shard import REPAIR_HINT, Shard

MAX_OPEN_SHARDS = 32
"""Shards open at a time: a project has one of its code and one of its history. An open one holds
a thread, a file and 230 bytes a point; to close one for another takes 40 to 300 ms of everybody's
turn."""

MEMORY_FOLDER = "/dev/shm"
"""A folder in memory, on Linux."""

_T = TypeVar("_T")


@dataclass(slots=True)
class OpenShard:
    """A space that is open, and what the optimiser has to know about it."""

    space: Space
    folder: Path
    manifest: Manifest
    shard: Shard
    optimized_points: int
    compact_points: int
    touched: set[str] | None = None
    """Ids written since the optimiser took its copy; None when it is not running."""
    stored: Counters = field(default_factory=Counters)
    optimize_after: float = 0.0
    """By the monotonic clock: until then nobody tries again what failed."""


class OpenShards:
    """Shards of spaces in folders below one folder, and the lock that guards them."""

    def __init__(self, folder: Path, max_open: int = MAX_OPEN_SHARDS) -> None:
        self.folder = folder
        self._max_open = max(2, max_open)  # a merge has two open
        self.entries: OrderedDict[Space, OpenShard] = OrderedDict()
        """What is open, least recently used first."""
        self.lock = threading.RLock()
        self.closed = False
        """Nothing is opened any more."""
        self.room_wanted: dict[Space, int] = {}
        """Bytes of free disk that spaces wait for to be made compact."""
        self.suspect: dict[Path, str] = {}
        """Folders of spaces that failed in a way that only damage explains, and why."""

    def close_idle(self, keep: int) -> None:
        """Close all but the `keep` most recently used spaces."""
        with self.lock:
            idle = [space for space, entry in self.entries.items() if entry.touched is None]
            for space in idle[: max(0, len(self.entries) - keep)]:
                self.close_space(space)

    def close(self) -> None:
        """Flush and release everything; what comes later is refused."""
        with self.lock:
            self.closed = True
            for space in list(self.entries):
                self.close_space(space)

    def close_deleted(self) -> list[Space]:
        """Close shards whose folders somebody has deleted; returns their spaces."""
        with self.lock:
            gone = [
                space
                for space, entry in self.entries.items()
                if entry.touched is None and not layout.manifest_file(entry.folder).exists()
            ]
            for space in gone:
                self.forget(space)
        return gone

    @contextlib.contextmanager
    def using(self, space: Space, create: bool = False) -> Iterator[OpenShard | None]:
        """The open space, locked for the duration; None when it does not exist."""
        with self.lock:
            if self.closed:
                raise StoreError("the store is closed")
            entry = self.entries.get(space)
            if entry is None:
                try:
                    entry = self._open_space(space, create)
                except StoreDamagedError as error:
                    self.suspect[self.space_folder(space)] = error.message
                    raise
            if entry is not None:
                self.entries.move_to_end(space)
            yield entry

    @contextlib.contextmanager
    def at_once(self, space: Space) -> Iterator[bool]:
        """Whether questions to a space can be answered without waiting: it is open, and nobody
        else is at work for as long as this lasts."""
        free = self.lock.acquire(blocking=False)
        try:
            yield free and not self.closed and space in self.entries
        finally:
            if free:
                self.lock.release()

    def _open_space(self, space: Space, create: bool) -> OpenShard | None:
        folder = self.space_folder(space)
        manifest = layout.read_manifest(folder)
        if manifest is None:
            if not create:
                return None
            manifest = self._create(folder, space)
        if manifest.dimension != space.dimension:
            raise StoreError(
                f"the index of {space.tenant} has {manifest.dimension} dimensions, the model"
                f" {space.dimension}",
                "reindex the project with the configured model",
            )
        self.close_idle(self._max_open - 1)
        layout.remove_leftovers(folder, manifest)
        generation = folder / manifest.generation
        if not generation.is_dir():
            raise StoreDamagedError(f"the index in {folder} has lost its data", REPAIR_HINT)
        shard_soundness.check(folder, manifest.generation, space.dimension)
        shard = Shard.load(generation, space.dimension, FILTERED_FIELDS[space.collection])
        shard_soundness.opened(folder, manifest.generation)
        counters = layout.read_counters(folder)
        shard.dead = counters.dead
        entry = OpenShard(
            space,
            folder,
            manifest,
            shard,
            counters.optimized_points,
            counters.compact_points,
            stored=counters,
        )
        self.entries[space] = entry
        return entry

    def _create(self, folder: Path, space: Space) -> Manifest:
        if folder.exists():  # killed while it was made
            shutil.rmtree(folder)
        manifest = Manifest(
            collection=space.collection,
            tenant=space.tenant,
            model=space.model,
            dimension=space.dimension,
            generation=layout.new_generation(),
        )
        try:
            folder.mkdir(parents=True, mode=0o700)
            _make_shard(
                folder / manifest.generation, space.dimension, FILTERED_FIELDS[space.collection]
            )
            layout.write_manifest(folder, manifest)
        except OSError as error:
            raise StoreError(
                f"cannot write to {self.folder}: {error.strerror}",
                "check the folder's permissions and the free disk space",
            ) from error
        return manifest

    def close_space(self, space: Space, *, flush: bool = True) -> None:
        """Close a space that may be open; without `flush` its counters are not kept."""
        entry = self.entries.pop(space, None)
        if entry is None:
            return
        try:
            if flush:
                self.store_counters(entry)
        finally:
            entry.shard.close()
        shard_soundness.note(entry.folder, entry.manifest.generation, closed=True)

    def forget(self, space: Space) -> None:
        """Close a shard that may be broken, whatever it says."""
        with contextlib.suppress(StoreError, OSError):
            self.close_space(space, flush=False)

    def run(self, entry: OpenShard, work: Callable[[], _T]) -> _T:
        """Run a call; a shard that failed is closed, so that the next call opens it anew."""
        try:
            return work()
        except StoreError as error:
            if isinstance(error, StoreDamagedError):
                self.suspect[entry.folder] = error.message
            if error.__cause__ is not None and entry.touched is None:
                self.forget(entry.space)
            raise

    def space_folder(self, space: Space) -> Path:
        """Where a space lies."""
        return layout.space_folder(self.folder, space)

    def counters(self, entry: OpenShard) -> Counters:
        """What the optimiser has to know of a shard."""
        return Counters(
            points=entry.shard.count(),
            dead=entry.shard.dead,
            optimized_points=entry.optimized_points,
            compact_points=entry.compact_points,
        )

    def store_counters(self, entry: OpenShard) -> None:
        """Keep it beside the shard, if it has changed."""
        counters = self.counters(entry)
        if counters != entry.stored:
            with contextlib.suppress(OSError):  # a hint; the shard itself has said its part
                layout.write_counters(entry.folder, counters)
                entry.stored = counters


def _make_shard(folder: Path, dimension: int, fields: Sequence[str]) -> None:
    """Make an empty shard: in memory and then copied, where the platform has such a folder.

    On disk every index is synced as it is made: 0.4 s when the disk is idle, 2.5 s when it is
    busy, against 0.2 s. What a power failure can damage here is empty.
    """
    if os.access(MEMORY_FOLDER, os.W_OK):
        try:
            with tempfile.TemporaryDirectory(prefix="surveyor-", dir=MEMORY_FOLDER) as scratch:
                Shard.create(Path(scratch) / "shard", dimension, fields).close()
                layout.copy_shard(Path(scratch) / "shard", folder)
            return
        except (OSError, StoreError):  # too little memory, or a limit on it
            shutil.rmtree(folder, ignore_errors=True)
    Shard.create(folder, dimension, fields).close()
