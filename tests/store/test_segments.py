"""A shard that is made compact in parts, and what of it a copy shares."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest
from tests.store.shard_points import key, points, space

from surveyor.paths import disk_bytes
from surveyor.store.vectors import optimizing, segment_files, shard
from surveyor.store.vectors.contract import Point, StoreError
from surveyor.store.vectors.edge import EdgeStore
from surveyor.store.vectors.open_shards import OpenShard


def _segments(store: EdgeStore) -> set[str]:
    entry = store.entries[space()]
    return {each.name for each in segment_files.segments(entry.folder / entry.manifest.generation)}


def test_what_is_new_is_made_compact_beside_what_is(
    store: EdgeStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(optimizing, "CROWDED_POINTS", 300)
    monkeypatch.setattr(optimizing, "UNOPTIMIZED_POINTS", 1000)
    kept: set[str] = set()
    written: list[Point] = []
    for turn in range(4):
        assert not store.is_crowded(space())
        written += points(1 + turn * 400, 1 + (turn + 1) * 400)
        store.upsert(space(), written[-400:])
        assert store.is_crowded(space())
        store.optimize(space(), whole=False)
        now = _segments(store)
        assert kept < now and len(now) == turn + 2, "one more, and one to write to"
        kept = now - {_written_to(store)}
    store.close()
    with_all = EdgeStore(store.folder)
    assert not with_all.is_crowded(space())
    assert set(with_all.ids(space())) == {key(n) for n in range(1, 1601)}
    for probe in written[::200]:
        assert probe.dense is not None
        assert with_all.dense(space(), probe.dense, 1)[0].id == probe.id
    assert with_all.needs_optimizing(space()), "as a whole it was not"
    with_all.optimize(space())
    assert not with_all.needs_optimizing(space())
    assert len(_segments(with_all)) == 2
    assert set(with_all.ids(space())) == {key(n) for n in range(1, 1601)}
    with_all.close()


def _written_to(store: EdgeStore) -> str:
    entry = store.entries[space()]
    found = segment_files.segments(entry.folder / entry.manifest.generation)
    (name,) = [each.name for each in found if not (each / segment_files.COMPACT_MARK).exists()]
    return name


def test_files_that_a_copy_shares_are_never_written_again(store: EdgeStore) -> None:
    store.upsert(space(), points(1, 1201))
    store.optimize(space(), whole=False)
    entry = store.entries[space()]
    live = entry.folder / entry.manifest.generation

    def shared() -> dict[str, bytes]:
        files = segment_files.SharedFiles(live)
        found = [path.relative_to(live) for path in live.rglob("*") if path.is_file()]
        return {str(each): (live / each).read_bytes() for each in found if each in files}

    before = shared()
    names = {Path(each).name for each in before}
    assert {"tq_vectors.dat", "page_0.dat", "inverted_index.dat", "id_tracker.i2e"} <= names
    size = sum(map(len, before.values()))
    assert size > disk_bytes(live) // 2, "what is large is among them"
    store.delete(space(), [key(n) for n in range(1, 301)])
    store.upsert(space(), points(301, 601))
    store.set_payload(space(), [key(n) for n in range(601, 801)], {"label": "another"})
    store.flush(space())
    assert shared() == before
    store.close_idle(0)
    assert store.count(space()) == 900
    assert shared() == before


def test_what_questions_read_of_a_large_shard_is_read_before_it_is_opened(
    store: EdgeStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.upsert(space(), points(1, 1201))
    store.optimize(space())
    entry = store.entries[space()]
    live = entry.folder / entry.manifest.generation
    assert segment_files.read_through(live) == 0, "it is small"
    monkeypatch.setattr(segment_files, "READ_LEAST_BYTES", 1)
    vectors = next(live.rglob("tq_vectors.dat")).stat().st_size
    words = next(live.rglob("inverted_index.dat")).stat().st_size
    assert segment_files.read_through(live) > vectors + words
    store.close_idle(0)
    assert store.count(space()) == 1200
    monkeypatch.setattr(segment_files, "machine_bytes", lambda: 1)
    assert segment_files.read_through(live) == 0, "memory would not hold it"


def test_a_part_that_cannot_be_made_compact_leaves_what_it_shares(
    store: EdgeStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.upsert(space(), points(1, 601))
    store.optimize(space(), whole=False)
    store.upsert(space(), points(601, 1201))
    real = optimizing._optimize_copy

    def ended(copy: Path, dimension: int, timeout_s: float, *, whole: bool) -> None:
        real(copy, dimension, timeout_s, whole=whole)
        raise StoreError("it was killed at its end")

    monkeypatch.setattr(optimizing, "_optimize_copy", ended)
    store.delete(space(), [key(n) for n in range(1, 101)])
    with pytest.raises(StoreError, match="killed"):
        store.optimize(space(), whole=False)
    assert set(store.ids(space())) == {key(n) for n in range(101, 1201)}
    store.close()
    again = EdgeStore(store.folder)
    probe = points(601, 1201)[100]
    assert probe.dense is not None
    assert again.dense(space(), probe.dense, 1)[0].id == probe.id
    assert set(again.ids(space())) == {key(n) for n in range(101, 1201)}
    again.close()


def test_where_files_have_one_name_only_they_are_copied(
    store: EdgeStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.upsert(space(), points(1, 601))
    store.optimize(space(), whole=False)
    store.upsert(space(), points(601, 1201))

    def refuse(*_: object) -> None:
        raise OSError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(os, "link", refuse)
    store.optimize(space(), whole=False)
    assert set(store.ids(space())) == {key(n) for n in range(1, 1201)}


def test_what_is_written_meanwhile_is_caught_up_with_piece_by_piece(
    store: EdgeStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(optimizing, "CATCH_UP_POINTS", 16)
    store.upsert(space(), points(1, 601))
    real, more = optimizing._catch_up, iter([points(900, 920), points(920, 930)])

    def meanwhile(copy: Path, dimension: int, timeout_s: float, *, whole: bool) -> None:
        store.upsert(space(), points(601, 801))
        store.delete(space(), [key(n) for n in range(1, 51)])

    def piece(entry: OpenShard, fresh: shard.Shard) -> bool:
        store.upsert(space(), next(more, []))
        return real(entry, fresh)

    monkeypatch.setattr(optimizing, "_optimize_copy", meanwhile)
    monkeypatch.setattr(optimizing, "_catch_up", piece)
    store.optimize(space(), whole=False)
    assert set(store.ids(space())) == {key(n) for n in [*range(51, 801), *range(900, 930)]}
