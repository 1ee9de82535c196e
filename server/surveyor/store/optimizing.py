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
from pathlib import Path

from surveyor.paths import disk_bytes
from surveyor.store import layout
from surveyor.store.open_shards import OpenShard, OpenShards
from surveyor.store.shard import Shard
from surveyor.store.vectors import Space, StoreError

DEAD_FLOOR = 500
"""Fewer dead points than this are not worth a process."""

UNOPTIMIZED_POINTS = 10_000
"""So many points that were never optimised take 10 MB more of memory, and 50,000 need HNSW."""

OPTIMIZE_TIMEOUT_S = 900.0


def is_needed(shards: OpenShards, space: Space) -> bool:
    """Whether dead points exceed half of the live ones, or much was never optimised."""
    with shards.lock:
        entry = shards.entries.get(space)
        counters = (
            layout.read_counters(shards.space_folder(space))
            if entry is None
            else shards.counters(entry)
        )
    if counters.dead >= DEAD_FLOOR and 2 * counters.dead > counters.points:
        return True
    return counters.points - counters.optimized_points > UNOPTIMIZED_POINTS


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
            _abandon(entry, copy)
            raise StoreError(f"cannot copy an index: {error.strerror}") from error
    try:
        _optimize_copy(copy, space.dimension)
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
        _catch_up(entry, fresh)
        _swap(shards, entry, fresh, generation)


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
    entry.manifest.generation = generation
    layout.write_manifest(entry.folder, entry.manifest)
    entry.shard = fresh
    entry.touched = None
    entry.optimized_points = fresh.count()
    shards.store_counters(entry)
    with contextlib.suppress(StoreError):
        old.close()
    shutil.rmtree(old_folder, ignore_errors=True)


def _abandon(entry: OpenShard, copy: Path) -> None:
    entry.touched = None
    shutil.rmtree(copy, ignore_errors=True)


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
