"""The vector store inside the engine's own process: one Qdrant Edge shard for each space.

Shards are opened when first asked for and closed when too many are open. Only `optimize` may run
beside other calls, on a thread of its own: it copies the shard, optimises the copy in a child
process, replays what was written meanwhile and swaps.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import uuid
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from surveyor.paths import disk_bytes
from surveyor.store import layout
from surveyor.store.layout import Counters, Damaged, Manifest
from surveyor.store.shard import REPAIR_HINT, Shard
from surveyor.store.vectors import (
    FILTERED_FIELDS,
    Filter,
    Hit,
    Point,
    Space,
    Sparse,
    StoreError,
    Vector,
)

MAX_OPEN_SHARDS = 8
"""Shards open at a time; opening one again takes 20 to 160 ms."""

MEMORY_FOLDER = "/dev/shm"
"""A folder in memory, on Linux."""

DEAD_FLOOR = 500
"""Fewer dead points than this are not worth a process."""

SLOW_SCAN_POINTS = 10_000
"""So many points that were never optimised make every query a millisecond slower."""

OPTIMIZE_TIMEOUT_S = 900.0

_T = TypeVar("_T")


@dataclass(slots=True)
class _Open:
    """A space that is open, and what the optimiser has to know about it."""

    space: Space
    folder: Path
    manifest: Manifest
    shard: Shard
    optimized_points: int
    touched: set[str] | None = None
    """Ids written since the optimiser took its copy; None when it is not running."""
    stored: Counters = field(default_factory=Counters)


class EdgeStore:
    """Points by space in folders below one folder. Keeps the contract of `VectorStore`."""

    payload_fields: frozenset[str] | None = frozenset().union(*FILTERED_FIELDS.values())
    """Nobody else can open a shard, and what is shown of a point comes from the state."""

    def __init__(self, folder: Path, max_open: int = MAX_OPEN_SHARDS) -> None:
        self._folder = folder
        self._max_open = max(2, max_open)  # a merge has two open
        self._open: OrderedDict[Space, _Open] = OrderedDict()
        self._lock = threading.RLock()
        self._closed = False

    # --- points -----------------------------------------------------------------------------

    def upsert(self, space: Space, points: Sequence[Point]) -> None:
        """Insert or replace points; durable once `flush` has returned."""
        if not points:
            return
        with self._using(space, create=True) as entry:
            assert entry is not None
            if entry.touched is not None:
                entry.touched.update(point.id for point in points)
            self._run(entry, lambda: entry.shard.upsert(points))

    def delete(self, space: Space, ids: Sequence[str]) -> None:
        """Remove points; unknown ids are ignored."""
        with self._using(space) as entry:
            if entry is None or not ids:
                return
            if entry.touched is not None:
                entry.touched.update(ids)
            self._run(entry, lambda: entry.shard.delete(ids))

    def set_payload(self, space: Space, ids: Sequence[str], payload: dict[str, Any]) -> None:
        """Overwrite some payload fields of some points; unknown ids are ignored."""
        with self._using(space) as entry:
            if entry is None or not ids:
                return
            if entry.touched is not None:
                entry.touched.update(ids)
            self._run(entry, lambda: entry.shard.set_payload(ids, payload))

    def flush(self, space: Space) -> None:
        """Make everything so far durable and keep the write-ahead log short."""
        with self._lock:
            entry = self._open.get(space)
            if entry is not None:
                self._run(entry, entry.shard.flush)
                self._store_counters(entry)

    def dense(
        self, space: Space, vector: Vector, limit: int, where: Filter | None = None
    ) -> list[Hit]:
        """Nearest points by cosine, best first."""
        with self._using(space) as entry:
            if entry is None:
                return []
            if vector.shape != (space.dimension,):
                raise StoreError(
                    f"a query of {vector.shape[0]} dimensions does not fit an index of"
                    f" {space.dimension}"
                )
            return self._run(entry, lambda: entry.shard.dense(vector, limit, where))

    def sparse(
        self, space: Space, vector: Sparse, limit: int, where: Filter | None = None
    ) -> list[Hit]:
        """Best points by BM25 with the space's own IDF, best first."""
        with self._using(space) as entry:
            if entry is None:
                return []
            return self._run(entry, lambda: entry.shard.sparse(vector, limit, where))

    def retrieve(self, space: Space, ids: Sequence[str]) -> list[Point]:
        """Points by id with normalised vectors and payload; unknown ids are left out."""
        with self._using(space) as entry:
            if entry is None or not ids:
                return []
            return self._run(entry, lambda: entry.shard.retrieve(ids))

    def ids(self, space: Space) -> Iterable[str]:
        """Ids of all points of the space."""
        with self._using(space) as entry:
            if entry is None:
                return []
            return self._run(
                entry,
                lambda: [
                    point.id for batch in entry.shard.scroll(vectors=False) for point in batch
                ],
            )

    def count(self, space: Space) -> int:
        """Number of points."""
        with self._using(space) as entry:
            return 0 if entry is None else self._run(entry, entry.shard.count)

    # --- spaces -----------------------------------------------------------------------------

    def spaces(self) -> list[Space]:
        """Spaces that exist and can be read; see `damaged` for the others."""
        return [manifest.space() for _, manifest in self._manifests()]

    def rename(self, space: Space, tenant: str) -> Space:
        """Move all points to another tenant: a folder's rename, or a merge where it exists."""
        target = Space(space.collection, tenant, space.model, space.dimension)
        if target == space:
            return space
        with self._lock:
            folder = self._space_folder(space)
            manifest = layout.read_manifest(folder)
            if manifest is None:
                return target
            self._refuse_while_optimizing(space)
            destination = self._space_folder(target)
            if layout.read_manifest(destination) is not None:
                self._merge(space, target)
                return target
            self._close_space(space)
            destination.parent.mkdir(parents=True, exist_ok=True)
            if destination.exists():
                shutil.rmtree(destination)
            # The manifest first: were we killed in between, `spaces` would look in the folder of
            # the new tenant, find nothing and ask for a rebuild; `_heal` moves it instead.
            manifest.tenant = tenant
            layout.write_manifest(folder, manifest)
            folder.rename(destination)
            layout.sync_folder(destination.parent)
            self._prune(folder.parent)
        return target

    def drop(self, space: Space) -> None:
        """Remove the space and everything in it."""
        with self._lock:
            self._close_space(space, flush=False)
            self._discard(self._space_folder(space))

    def disk_bytes(self, space: Space) -> int:
        """Bytes that a space takes on disk."""
        return disk_bytes(self._space_folder(space))

    # --- damage -----------------------------------------------------------------------------

    def damaged(self, *, probe: bool = False) -> list[Damaged]:
        """Folders that cannot be used. With `probe` every shard is opened to find out."""
        found = []
        for folder in layout.space_folders(self._folder):
            try:
                manifest = layout.read_manifest(folder)
                if manifest is None:
                    found.append(Damaged(folder, "it has no manifest"))
                elif probe:
                    self.count(manifest.space())
            except StoreError as error:
                found.append(Damaged(folder, error.message))
        return found

    def quarantine(self, damaged: Damaged) -> Path:
        """Move a damaged space out of the way, to be rebuilt; returns where it lies now."""
        with self._lock:
            for space, entry in list(self._open.items()):
                if entry.folder == damaged.folder:
                    self._forget(space)
            target = self._folder / "quarantine" / uuid.uuid4().hex[:8] / damaged.folder.name
            target.parent.mkdir(parents=True)
            damaged.folder.rename(target)
            self._prune(damaged.folder.parent)
            return target

    # --- optimising -------------------------------------------------------------------------

    def needs_optimizing(self, space: Space) -> bool:
        """Whether dead points exceed half of the live ones, or a scan has become slow."""
        with self._lock:
            entry = self._open.get(space)
            counters = (
                layout.read_counters(self._space_folder(space))
                if entry is None
                else self._counters(entry)
            )
        if counters.dead >= DEAD_FLOOR and 2 * counters.dead > counters.points:
            return True
        return counters.points - counters.optimized_points > SLOW_SCAN_POINTS

    def optimize(self, space: Space) -> None:
        """Reclaim dead points while the old state keeps answering; blocks for seconds.

        Meant for a thread of its own: the store's lock is held only for copying and swapping.
        """
        with self._using(space) as entry:
            if entry is None or entry.touched is not None:
                return
            self._run(entry, entry.shard.flush)
            live = entry.folder / entry.manifest.generation
            size = disk_bytes(live)
            if shutil.disk_usage(entry.folder).free < 3 * size:
                raise StoreError(
                    "there is too little disk space to optimise the index", "free some space"
                )
            entry.touched = set()
            generation = layout.new_generation()
            copy = entry.folder / generation
            try:
                layout.copy_shard(live, copy)
            except OSError as error:
                self._abandon(entry, copy)
                raise StoreError(f"cannot copy an index: {error.strerror}") from error
        try:
            _optimize_copy(copy, space.dimension)
            fresh = Shard.load(copy, space.dimension)
        except StoreError:
            with self._lock:
                self._abandon(entry, copy)
            raise
        with self._lock:
            if self._closed or self._open.get(space) is not entry:
                fresh.close()
                self._abandon(entry, copy)
                return
            self._catch_up(entry, fresh)
            self._swap(entry, fresh, generation)

    def _catch_up(self, entry: _Open, fresh: Shard) -> None:
        """Bring the copy to the state of the old shard, for the ids written meanwhile."""
        touched = sorted(entry.touched or ())
        for start in range(0, len(touched), 256):
            batch = touched[start : start + 256]
            points = entry.shard.retrieve(batch)
            there = {point.id for point in points}
            fresh.delete([each for each in batch if each not in there])
            fresh.upsert(points)
        fresh.flush()
        fresh.dead = 0

    def _swap(self, entry: _Open, fresh: Shard, generation: str) -> None:
        old, old_folder = entry.shard, entry.folder / entry.manifest.generation
        entry.manifest.generation = generation
        layout.write_manifest(entry.folder, entry.manifest)
        entry.shard = fresh
        entry.touched = None
        entry.optimized_points = fresh.count()
        self._store_counters(entry)
        with contextlib.suppress(StoreError):
            old.close()
        shutil.rmtree(old_folder, ignore_errors=True)

    def _abandon(self, entry: _Open, copy: Path) -> None:
        entry.touched = None
        shutil.rmtree(copy, ignore_errors=True)

    def _refuse_while_optimizing(self, space: Space) -> None:
        """A rename waits for an optimiser that has the space's folder in its hands."""
        deadline = time.monotonic() + OPTIMIZE_TIMEOUT_S
        while (entry := self._open.get(space)) is not None and entry.touched is not None:
            if time.monotonic() > deadline:
                raise StoreError("the index is being optimised", "try again in a minute")
            self._lock.release()
            try:
                time.sleep(0.05)
            finally:
                self._lock.acquire()

    # --- opening and closing ----------------------------------------------------------------

    def close_idle(self, keep: int) -> None:
        """Close all but the `keep` most recently used spaces."""
        with self._lock:
            idle = [space for space, entry in self._open.items() if entry.touched is None]
            for space in idle[: max(0, len(self._open) - keep)]:
                self._close_space(space)

    def close(self) -> None:
        """Flush and release everything; what comes later is refused."""
        with self._lock:
            self._closed = True
            for space in list(self._open):
                self._close_space(space)

    def open_spaces(self) -> list[Space]:
        """Spaces that are open now, least recently used first."""
        with self._lock:
            return list(self._open)

    @contextlib.contextmanager
    def _using(self, space: Space, create: bool = False) -> Iterator[_Open | None]:
        """The open space, locked for the duration; None when it does not exist."""
        with self._lock:
            if self._closed:
                raise StoreError("the store is closed")
            entry = self._open.get(space)
            if entry is None:
                entry = self._open_space(space, create)
            if entry is not None:
                self._open.move_to_end(space)
            yield entry

    def _open_space(self, space: Space, create: bool) -> _Open | None:
        folder = self._space_folder(space)
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
            raise StoreError(f"the index in {folder} has lost its data", REPAIR_HINT)
        shard = Shard.load(generation, space.dimension, FILTERED_FIELDS[space.collection])
        counters = layout.read_counters(folder)
        shard.dead = counters.dead
        entry = _Open(space, folder, manifest, shard, counters.optimized_points, stored=counters)
        self._open[space] = entry
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
                f"cannot write to {self._folder}: {error.strerror}",
                "check the folder's permissions and the free disk space",
            ) from error
        return manifest

    def _close_space(self, space: Space, *, flush: bool = True) -> None:
        entry = self._open.pop(space, None)
        if entry is None:
            return
        try:
            if flush:
                self._store_counters(entry)
        finally:
            entry.shard.close()

    def _forget(self, space: Space) -> None:
        """Close a shard that may be broken, whatever it says."""
        with contextlib.suppress(StoreError, OSError):
            self._close_space(space, flush=False)

    def _run(self, entry: _Open, work: Callable[[], _T]) -> _T:
        """Run a call; a shard that failed is closed, so that the next call opens it anew."""
        try:
            return work()
        except StoreError as error:
            if error.__cause__ is not None and entry.touched is None:
                self._forget(entry.space)
            raise

    # --- folders ----------------------------------------------------------------------------

    def _space_folder(self, space: Space) -> Path:
        return layout.space_folder(self._folder, space)

    def _manifests(self) -> list[tuple[Path, Manifest]]:
        found = []
        with self._lock:
            for folder in layout.space_folders(self._folder):
                try:
                    manifest = layout.read_manifest(folder)
                except StoreError:
                    continue
                if manifest is not None:
                    found.append((self._heal(folder, manifest), manifest))
        return found

    def _heal(self, folder: Path, manifest: Manifest) -> Path:
        """Finish a rename that was killed between the manifest and the folder."""
        expected = self._space_folder(manifest.space())
        if folder == expected or expected.exists():
            return folder
        expected.parent.mkdir(parents=True, exist_ok=True)
        folder.rename(expected)
        self._prune(folder.parent)
        return expected

    def _merge(self, source: Space, target: Space) -> None:
        with self._using(source) as entry:
            assert entry is not None
            for batch in entry.shard.scroll(vectors=False):
                self.upsert(target, self.retrieve(source, [point.id for point in batch]))
        self.flush(target)
        self.drop(source)

    def _discard(self, folder: Path) -> None:
        """Make a folder's removal atomic: out of sight first, then away."""
        if not folder.exists():
            return
        trash = self._folder / "trash" / uuid.uuid4().hex
        trash.parent.mkdir(exist_ok=True)
        folder.rename(trash)
        self._prune(folder.parent)
        shutil.rmtree(trash.parent, ignore_errors=True)

    def _prune(self, folder: Path) -> None:
        with contextlib.suppress(OSError):
            folder.rmdir()

    def _counters(self, entry: _Open) -> Counters:
        return Counters(
            points=entry.shard.count(),
            dead=entry.shard.dead,
            optimized_points=entry.optimized_points,
        )

    def _store_counters(self, entry: _Open) -> None:
        counters = self._counters(entry)
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


def _optimize_copy(copy: Path, dimension: int) -> None:
    command = [sys.executable, "-m", "surveyor.store.compact", str(copy), str(dimension)]
    package = str(Path(__file__).parents[2])
    search = os.pathsep.join(filter(None, (package, os.environ.get("PYTHONPATH"))))
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            timeout=OPTIMIZE_TIMEOUT_S,
            stdin=subprocess.DEVNULL,
            env={**os.environ, "PYTHONPATH": search},
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise StoreError(f"optimising an index failed: {error}") from error
    if done.returncode != 0:
        tail = done.stderr.decode(errors="replace").strip().splitlines()[-1:]
        raise StoreError(f"optimising an index failed: {' '.join(tail)}")
