"""Making a shard compact: a copy is optimised in a child process while the old one answers.

What is written meanwhile is replayed, in pieces, before the two are swapped; the lock is held only
for copying what may still change, for each piece and for swapping.
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
from surveyor.process_memory import give_back_free_memory
from surveyor.store.vectors import layout
from surveyor.store.vectors.contract import Space, StoreError, StoreFullError
from surveyor.store.vectors.layout import Counters
from surveyor.store.vectors.open_shards import OpenShard, OpenShards
from surveyor.store.vectors.segment_files import SharedFiles
from surveyor.store.vectors.shard import Shard
from surveyor.units import format_size

DEAD_FLOOR = 500
"""Fewer dead points than this are not worth a process."""

UNOPTIMIZED_POINTS = 10_000
"""So many points that were never optimised take 10 MB more of memory."""
UNOPTIMIZED_SHARE = 0.1
"""As many of a large shard are not worth copying the rest."""

CROWDED_POINTS = 100_000
"""So many points that were never optimised take 100 to 140 MB of memory: they are made compact
while more are written."""
CATCH_UP_POINTS = 256
"""Written again in one turn of the lock: 15 to 25 ms."""
CATCH_UP_PAUSE_S = 0.002
"""Between two of them others have their turn: the lock goes to whoever asks first."""

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
    counters = _counters(shards, space)
    if counters is None:
        return False
    if counters.dead >= DEAD_FLOOR and 2 * counters.dead > counters.points:
        return True
    new = counters.points - counters.optimized_points
    return new > max(UNOPTIMIZED_POINTS, UNOPTIMIZED_SHARE * counters.points)


def is_crowded(shards: OpenShards, space: Space) -> bool:
    """Whether so much was never optimised that it should not wait until nothing is written."""
    counters = _counters(shards, space)
    return counters is not None and counters.points - counters.compact_points > CROWDED_POINTS


def _counters(shards: OpenShards, space: Space) -> Counters | None:
    """What is known of a space; None where it is left alone for now."""
    with shards.lock:
        entry = shards.entries.get(space)
        if entry is None:
            return layout.read_counters(shards.space_folder(space))
        return None if time.monotonic() < entry.optimize_after else shards.counters(entry)


def optimize(shards: OpenShards, space: Space, *, whole: bool = True) -> None:
    """Reclaim dead points while the old state keeps answering; blocks for seconds.

    Not the `whole`: only what was written since the last time is made compact, which takes as long
    as that is large. Meant for a thread of its own.
    """
    with shards.using(space) as entry:
        if entry is None or entry.touched is not None:
            return
        shards.run(entry, entry.shard.flush)
        live = entry.folder / entry.manifest.generation
        shared = SharedFiles(live)
        _have_room(shards, entry, live, shared, whole=whole)
        entry.touched = set()
        timeout_s = OPTIMIZE_TIMEOUT_S + OPTIMIZE_TIMEOUT_POINT_S * entry.shard.count()
        generation = layout.new_generation()
        copy = entry.folder / generation
        try:
            layout.copy_shard(live, copy, shared)
        except OSError as error:
            _abandon(entry, copy)
            raise StoreError(f"cannot copy an index: {error.strerror}") from error
    try:
        _optimize_copy(copy, space.dimension, timeout_s, whole=whole)
        fresh = Shard.load(copy, space.dimension)
    except StoreError:
        with shards.lock:
            _abandon(entry, copy)
        raise
    if _replace(shards, entry, fresh, generation, whole=whole):
        give_back_free_memory()  # of what was kept there of the points that are compact now
        return
    with contextlib.suppress(StoreError):
        fresh.close()
    with shards.lock:
        _abandon(entry, copy)


def _have_room(
    shards: OpenShards, entry: OpenShard, live: Path, shared: SharedFiles, *, whole: bool
) -> None:
    """Raise `StoreFullError` where the disk has too little room; it is tried again by itself."""
    size = disk_bytes(live) if whole else _unshared_bytes(live, shared)
    wanted, free = ROOM_FACTOR * size, shutil.disk_usage(entry.folder).free
    if free >= wanted:
        shards.room_wanted.pop(entry.space, None)
        return
    shards.room_wanted[entry.space] = wanted
    entry.optimize_after = time.monotonic() + ROOM_RETRY_S
    raise StoreFullError(
        f"making an index compact takes {format_size(wanted)} for a while, and"
        f" {format_size(free)} are free",
        "It is tried again by itself; the index answers as it is, a little slower.",
    )


def _unshared_bytes(live: Path, shared: SharedFiles) -> int:
    return sum(
        disk_bytes(path)
        for path in live.rglob("*")
        if path.is_file() and path.relative_to(live) not in shared
    )


def _replace(
    shards: OpenShards, entry: OpenShard, fresh: Shard, generation: str, *, whole: bool
) -> bool:
    """Put the copy in the old shard's place; whether that is still there.

    Raises `StoreError` where the disk became full meanwhile; the copy is given up then.
    """
    copy = entry.folder / generation
    try:
        compact_points = fresh.count()
        while True:
            with shards.lock:
                if shards.closed or shards.entries.get(entry.space) is not entry:
                    return False
                if not _catch_up(entry, fresh):
                    fresh.flush()
                    fresh.dead = 0 if whole else entry.shard.dead
                    entry.compact_points = compact_points
                    if whole:
                        entry.optimized_points = compact_points
                    _swap(shards, entry, fresh, generation)
                    return True
            time.sleep(CATCH_UP_PAUSE_S)
    except (StoreError, OSError) as error:
        with contextlib.suppress(StoreError):
            fresh.close()
        with shards.lock:
            _abandon(entry, copy)
        if isinstance(error, StoreError):
            raise
        raise StoreError(f"cannot replace an index: {error.strerror}") from error


def _catch_up(entry: OpenShard, fresh: Shard) -> bool:
    """Bring some of the ids written meanwhile to the state of the old shard; whether there were
    more of them than that. Otherwise the copy is as the old shard is."""
    touched = entry.touched or set()
    batch = [touched.pop() for _ in range(min(CATCH_UP_POINTS, len(touched)))]
    points = entry.shard.retrieve(batch)
    there = {point.id for point in points}
    fresh.delete([each for each in batch if each not in there])
    fresh.upsert(points)
    return bool(touched)


def _swap(shards: OpenShards, entry: OpenShard, fresh: Shard, generation: str) -> None:
    old, old_folder = entry.shard, entry.folder / entry.manifest.generation
    manifest = msgspec.structs.replace(entry.manifest, generation=generation)
    layout.write_manifest(entry.folder, manifest)  # until then the old one counts
    entry.manifest = manifest
    entry.shard = fresh
    entry.touched = None
    shards.store_counters(entry)
    with contextlib.suppress(StoreError):
        old.close()
    shutil.rmtree(old_folder, ignore_errors=True)


def _abandon(entry: OpenShard, copy: Path) -> None:
    entry.touched = None
    entry.optimize_after = time.monotonic() + RETRY_S
    shutil.rmtree(copy, ignore_errors=True)


def _optimize_copy(copy: Path, dimension: int, timeout_s: float, *, whole: bool) -> None:
    module, how = "surveyor.store.vectors.compact", "whole" if whole else "new"
    command = [sys.executable, "-m", module, str(copy), str(dimension), how]
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
