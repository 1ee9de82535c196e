"""The vector store inside the engine's own process: one Qdrant Edge shard for each space.

Shards are opened when first asked for and closed when too many are open. Only `optimize` may run
beside other calls, on a thread of its own: it copies the shard, optimises the copy in a child
process, replays what was written meanwhile and swaps.
"""

from __future__ import annotations

import contextlib
import shutil
import time
import uuid
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

from surveyor.paths import disk_bytes
from surveyor.store.vectors import layout, optimizing
from surveyor.store.vectors.contract import (
    FILTERED_FIELDS,
    Filter,
    Hit,
    Point,
    Space,
    Sparse,
    StoreDamagedError,
    StoreError,
    Vector,
)
from surveyor.store.vectors.layout import DamagedSpace, Manifest
from surveyor.store.vectors.open_shards import OpenShards
from surveyor.store.vectors.optimizing import OPTIMIZE_TIMEOUT_S

MERGED_AT_ONCE = 1000
"""Points read with their vectors before they are written elsewhere."""


class EdgeStore(OpenShards):
    """Points by space in folders below one folder. Keeps the contract of `VectorStore`."""

    payload_fields: frozenset[str] | None = frozenset().union(*FILTERED_FIELDS.values())
    """Nobody else can open a shard, and what is shown of a point comes from the state."""

    # --- points -----------------------------------------------------------------------------

    def upsert(self, space: Space, points: Sequence[Point]) -> None:
        """Insert or replace points; durable once `flush` has returned."""
        if not points:
            return
        with self.using(space, create=True) as entry:
            assert entry is not None
            if entry.touched is not None:
                entry.touched.update(point.id for point in points)
            self.run(entry, lambda: entry.shard.upsert(points))

    def delete(self, space: Space, ids: Sequence[str]) -> None:
        """Remove points; unknown ids are ignored."""
        with self.using(space) as entry:
            if entry is None or not ids:
                return
            if entry.touched is not None:
                entry.touched.update(ids)
            self.run(entry, lambda: entry.shard.delete(ids))

    def set_payload(self, space: Space, ids: Sequence[str], payload: dict[str, Any]) -> None:
        """Overwrite some payload fields of some points; unknown ids are ignored."""
        with self.using(space) as entry:
            if entry is None or not ids:
                return
            if entry.touched is not None:
                entry.touched.update(ids)
            self.run(entry, lambda: entry.shard.set_payload(ids, payload))

    def flush(self, space: Space) -> None:
        """Make everything so far durable and keep the write-ahead log short."""
        with self.lock:
            entry = self.entries.get(space)
            if entry is not None:
                self.run(entry, entry.shard.flush)
                self.store_counters(entry)

    def dense(
        self, space: Space, vector: Vector, limit: int, where: Filter | None = None
    ) -> list[Hit]:
        """Nearest points by cosine, best first."""
        with self.using(space) as entry:
            if entry is None:
                return []
            if vector.shape != (space.dimension,):
                raise StoreError(
                    f"a query of {vector.shape[0]} dimensions does not fit an index of"
                    f" {space.dimension}"
                )
            return self.run(entry, lambda: entry.shard.dense(vector, limit, where))

    def sparse(
        self, space: Space, vector: Sparse, limit: int, where: Filter | None = None
    ) -> list[Hit]:
        """Best points by BM25 with the space's own IDF, best first."""
        with self.using(space) as entry:
            if entry is None:
                return []
            return self.run(entry, lambda: entry.shard.sparse(vector, limit, where))

    def retrieve(self, space: Space, ids: Sequence[str]) -> list[Point]:
        """Points by id with normalised vectors and payload; unknown ids are left out."""
        with self.using(space) as entry:
            if entry is None or not ids:
                return []
            return self.run(entry, lambda: entry.shard.retrieve(ids))

    def ids(self, space: Space) -> Iterator[str]:
        """Ids of all points of the space, read as they are asked for."""
        offset: Any = None
        while True:
            with self.using(space) as entry:
                if entry is None:
                    return
                some, offset = self.run(entry, partial(entry.shard.ids, offset))
            yield from some
            if offset is None:
                return

    def count(self, space: Space) -> int:
        """Number of points."""
        with self.using(space) as entry:
            return 0 if entry is None else self.run(entry, entry.shard.count)

    # --- spaces -----------------------------------------------------------------------------

    def spaces(self) -> list[Space]:
        """Spaces that exist and can be read; see `damaged` for the others."""
        return [manifest.space() for _, manifest in self._manifests()]

    def rename(self, space: Space, tenant: str) -> Space:
        """Move all points to another tenant: a folder's rename, or a merge where it exists."""
        target = Space(space.collection, tenant, space.model, space.dimension)
        if target == space:
            return space
        with self.lock:
            folder = self.space_folder(space)
            manifest = layout.read_manifest(folder)
            if manifest is None:
                return target
            self._refuse_while_optimizing(space)
            destination = self.space_folder(target)
            if layout.read_manifest(destination) is not None:
                self._merge(space, target)
                return target
            self.close_space(space)
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
        with self.lock:
            self.close_space(space, flush=False)
            self._discard(self.space_folder(space))

    def why_absent(self, space: Space) -> str:
        """Why a space is not there, where something can be said of it; empty where it is there."""
        folder = self.space_folder(space)
        earlier = layout.earlier_format(folder)
        if earlier is not None:
            return f"an earlier version of Surveyor wrote them (format {earlier})"
        return "" if layout.manifest_file(folder).exists() else "they are not there any more"

    def disk_bytes(self, space: Space) -> int:
        """Bytes that a space takes on disk."""
        return disk_bytes(self.space_folder(space))

    # --- damage -----------------------------------------------------------------------------

    def damaged(self, *, probe: bool = False) -> list[DamagedSpace]:
        """Folders that cannot be used. With `probe` every shard is opened to find out."""
        found = []
        for folder in layout.space_folders(self.folder):
            if folder in self.suspect:
                found.append(DamagedSpace(folder, self.suspect[folder]))
                continue
            try:
                manifest = layout.read_manifest(folder)
                if manifest is None:
                    found.append(DamagedSpace(folder, "it has no manifest"))
                elif probe:
                    self.count(manifest.space())
            except StoreError as error:
                newer = not isinstance(error, StoreDamagedError)
                found.append(DamagedSpace(folder, error.message, newer))
        return found

    def quarantine(self, damaged: DamagedSpace) -> Path:
        """Move a damaged space out of the way, to be rebuilt; returns where it lies now."""
        with self.lock:
            for space, entry in list(self.entries.items()):
                if entry.folder == damaged.folder:
                    self.forget(space)
            self.suspect.pop(damaged.folder, None)
            target = self.folder / "quarantine" / uuid.uuid4().hex[:8] / damaged.folder.name
            target.parent.mkdir(parents=True)
            if not damaged.folder.exists():  # somebody has removed it
                return target
            damaged.folder.rename(target)
            self._prune(damaged.folder.parent)
            return target

    def check(self) -> None:
        """Nothing to do: who calls is where the points are."""

    # --- optimising -------------------------------------------------------------------------

    def needs_optimizing(self, space: Space) -> bool:
        """Whether dead points exceed half of the live ones, or much was never optimised."""
        return optimizing.is_needed(self, space)

    def is_crowded(self, space: Space) -> bool:
        """Whether so much was never optimised that it should not wait until nothing is written."""
        return optimizing.is_crowded(self, space)

    def optimize(self, space: Space, *, whole: bool = True) -> None:
        """Reclaim dead points, or make only what is new compact, while the old state keeps
        answering; blocks for seconds.

        Meant for a thread of its own: the store's lock is held for moments only.
        """
        optimizing.optimize(self, space, whole=whole)

    def _refuse_while_optimizing(self, space: Space) -> None:
        """A rename waits for an optimiser that has the space's folder in its hands."""
        deadline = time.monotonic() + OPTIMIZE_TIMEOUT_S
        while (entry := self.entries.get(space)) is not None and entry.touched is not None:
            if time.monotonic() > deadline:
                raise StoreError("the index is being optimised", "try again in a minute")
            self.lock.release()
            try:
                time.sleep(0.05)
            finally:
                self.lock.acquire()

    # --- folders ----------------------------------------------------------------------------

    def _manifests(self) -> list[tuple[Path, Manifest]]:
        found = []
        with self.lock:
            for folder in layout.space_folders(self.folder):
                try:
                    manifest = layout.read_manifest(folder)
                except StoreError:
                    continue
                if manifest is not None:
                    found.append((self._heal(folder, manifest), manifest))
        return found

    def _heal(self, folder: Path, manifest: Manifest) -> Path:
        """Finish a rename that was killed between the manifest and the folder."""
        expected = self.space_folder(manifest.space())
        if folder == expected or expected.exists():
            return folder
        expected.parent.mkdir(parents=True, exist_ok=True)
        folder.rename(expected)
        self._prune(folder.parent)
        return expected

    def _merge(self, source: Space, target: Space) -> None:
        with self.lock:
            ids = self.ids(source)
            while batch := list(islice(ids, MERGED_AT_ONCE)):
                self.upsert(target, self.retrieve(source, batch))
        self.flush(target)
        self.drop(source)

    def _discard(self, folder: Path) -> None:
        """Make a folder's removal atomic: out of sight first, then away."""
        if not folder.exists():
            return
        trash = self.folder / "trash" / uuid.uuid4().hex
        trash.parent.mkdir(exist_ok=True)
        folder.rename(trash)
        self._prune(folder.parent)
        shutil.rmtree(trash.parent, ignore_errors=True)

    def _prune(self, folder: Path) -> None:
        with contextlib.suppress(OSError):
            folder.rmdir()
