"""Making a shard compact: a copy is optimised in a child process while the old one answers.

What is written meanwhile is replayed before the two are swapped; the lock is held only for copying
and swapping.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import msgspec

from surveyor.paths import disk_bytes
from surveyor.platform.processes import was_ended_from_outside
from surveyor.store.vectors import layout
from surveyor.store.vectors.contract import Space, StoreError, StoreFullError
from surveyor.store.vectors.open_shards import OpenShard, OpenShards
from surveyor.store.vectors.shard import Shard
from surveyor.units import format_size

DEAD_FLOOR = 500
"""Fewer dead points than this are not worth a process."""

UNOPTIMIZED_POINTS = 10_000
"""So many points that were never optimised take 10 MB more of memory."""
UNOPTIMIZED_SHARE = 0.1
"""As many of a large shard are not worth copying the rest."""

OPTIMIZE_TIMEOUT_S = 900.0
OPTIMIZE_TIMEOUT_POINT_S = 0.01
"""The same for each point: building HNSW beside other work takes that."""
ROOM_FACTOR = 3
"""Free disk that making an index compact takes, in multiples of the index."""
ROOM_RETRY_S = 120.0
"""How soon it is tried again where there was too little."""
RETRY_S = 3600.0
"""What could not be optimised is left alone for so long."""


def is_needed(shards: OpenShards, space: Space) -> bool:
    """Whether dead points exceed half of the live ones, or much was never optimised."""
    with shards.lock:
        entry = shards.entries.get(space)
        if entry is not None and time.monotonic() < entry.optimize_after:
            return False
        counters = (
            layout.read_counters(shards.space_folder(space))
            if entry is None
            else shards.counters(entry)
        )
    if counters.dead >= DEAD_FLOOR and 2 * counters.dead > counters.points:
        return True
    new = counters.points - counters.optimized_points
    return new > max(UNOPTIMIZED_POINTS, UNOPTIMIZED_SHARE * counters.points)


def optimize(shards: OpenShards, space: Space) -> None:
    """Reclaim dead points while the old state keeps answering; blocks for seconds.

    Meant for a thread of its own: the store's lock is held only for copying and swapping.
    """
    with shards.using(space) as entry:
        if entry is None or entry.touched is not None:
            return
        shards.run(entry, entry.shard.flush)
        live = entry.folder / entry.manifest.generation
        size = disk_bytes(live)
        wanted, free = ROOM_FACTOR * size, shutil.disk_usage(entry.folder).free
        if free < wanted:
            shards.room_wanted[space] = wanted
            entry.optimize_after = time.monotonic() + ROOM_RETRY_S
            raise StoreFullError(
                f"making an index compact takes {format_size(wanted)} for a while, and"
                f" {format_size(free)} are free",
                "It is tried again by itself; the index answers as it is, a little slower.",
            )
        shards.room_wanted.pop(space, None)
        entry.touched = set()
        timeout_s = OPTIMIZE_TIMEOUT_S + OPTIMIZE_TIMEOUT_POINT_S * entry.shard.count()
        generation = layout.new_generation()
        copy = entry.folder / generation
        try:
            layout.copy_shard(live, copy)
        except OSError as error:
            _abandon(entry, copy)
            raise StoreError(f"cannot copy an index: {error.strerror}") from error
    try:
        _optimize_copy(copy, space.dimension, timeout_s)
        fresh = Shard.load(copy, space.dimension)
    except StoreError:
        with shards.lock:
            _abandon(entry, copy)
        raise
    with shards.lock:
        if shards.closed or shards.entries.get(space) is not entry:
            fresh.close()
            _abandon(entry, copy)
            return
        try:
            _catch_up(entry, fresh)
            _swap(shards, entry, fresh, generation)
        except (StoreError, OSError) as error:  # the disk became full meanwhile
            with contextlib.suppress(StoreError):
                fresh.close()
            _abandon(entry, copy)
            if isinstance(error, StoreError):
                raise
            raise StoreError(f"cannot replace an index: {error.strerror}") from error


def _catch_up(entry: OpenShard, fresh: Shard) -> None:
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


def _swap(shards: OpenShards, entry: OpenShard, fresh: Shard, generation: str) -> None:
    old, old_folder = entry.shard, entry.folder / entry.manifest.generation
    manifest = msgspec.structs.replace(entry.manifest, generation=generation)
    layout.write_manifest(entry.folder, manifest)  # until then the old one counts
    entry.manifest = manifest
    entry.shard = fresh
    entry.touched = None
    entry.optimized_points = fresh.count()
    shards.store_counters(entry)
    with contextlib.suppress(StoreError):
        old.close()
    shutil.rmtree(old_folder, ignore_errors=True)


def _abandon(entry: OpenShard, copy: Path) -> None:
    entry.touched = None
    entry.optimize_after = time.monotonic() + RETRY_S
    shutil.rmtree(copy, ignore_errors=True)


def _optimize_copy(copy: Path, dimension: int, timeout_s: float) -> None:
    command = [sys.executable, "-m", "surveyor.store.vectors.compact", str(copy), str(dimension)]
    package = str(Path(__file__).parents[3])
    search = os.pathsep.join(filter(None, (package, os.environ.get("PYTHONPATH"))))
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            timeout=timeout_s,
            stdin=subprocess.DEVNULL,
            env={**os.environ, "PYTHONPATH": search},
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise StoreError(f"optimising an index failed: {error}") from error
    if done.returncode != 0:
        tail = done.stderr.decode(errors="replace").strip().splitlines()[-1:]
        if was_ended_from_outside(done.returncode):
            tail = ["its process was killed, by the system for want of memory perhaps"]
        raise StoreError(f"optimising an index failed: {' '.join(tail)}")
