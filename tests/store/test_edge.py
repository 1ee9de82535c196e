"""What only the embedded store has to promise: shards on disk, one process, kills, damage."""

from __future__ import annotations

import errno
import os
import shutil
import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from tests.store.shard_points import DIMENSION, key, points, space

from surveyor.paths import disk_bytes
from surveyor.store.vectors import (
    edge,
    layout,
    optimizing,
    shard,
    shard_log,
    short_payload,
)
from surveyor.store.vectors.contract import (
    FILTERED_FIELDS,
    Filter,
    Point,
    Sparse,
    StoreError,
    StoreFullError,
)
from surveyor.store.vectors.edge import EdgeStore

PACKAGE = str(Path(edge.__file__).parents[3])


def test_what_was_written_is_there_in_the_next_process(tmp_path: Path) -> None:
    first = EdgeStore(tmp_path)
    first.upsert(space(), points(1, 50))
    first.close()
    second = EdgeStore(tmp_path)
    assert second.spaces() == [space()]
    assert second.count(space()) == 49
    second.close()
    with pytest.raises(StoreError):
        second.count(space())


WRITER = """
import sys
from pathlib import Path
sys.path[:0] = [sys.argv[1], sys.argv[2]]
from surveyor.store.vectors.edge import EdgeStore
from tests.store.shard_points import points, space
store = EdgeStore(Path(sys.argv[3]))
for batch in range(1000):
    store.upsert(space(), points(1 + 100 * batch, 101 + 100 * batch))
    store.flush(space())
    print(batch + 1, flush=True)
"""


def test_a_killed_process_leaves_what_it_flushed_and_no_lock(tmp_path: Path) -> None:
    root = str(Path(__file__).parents[2])
    for kill in range(2):
        writer = subprocess.Popen(
            [sys.executable, "-c", WRITER, PACKAGE, root, str(tmp_path)], stdout=subprocess.PIPE
        )
        assert writer.stdout is not None
        flushed = 0
        while flushed < 3 + 2 * kill:
            flushed = int(writer.stdout.readline())
        writer.send_signal(signal.SIGKILL)
        writer.wait()
        writer.stdout.close()
        store = EdgeStore(tmp_path)
        ids = list(store.ids(space()))
        assert {key(n) for n in range(1, 1 + 100 * flushed)} <= set(ids)
        assert len(ids) == len(set(ids)) == store.count(space())
        read = store.retrieve(space(), ids[-50:])
        assert all(point.dense is not None and point.payload for point in read)
        store.close()


def test_a_second_process_is_told_who_has_it(
    store: EdgeStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shard, "LOCK_PATIENCE_S", 0.1)
    store.upsert(space(), points(1, 5))
    other = EdgeStore(tmp_path)
    with pytest.raises(StoreError, match="another process") as raised:
        other.count(space())
    assert "engine" in raised.value.hint
    other.close()


def test_the_lock_of_a_dying_process_is_waited_for(store: EdgeStore, tmp_path: Path) -> None:
    store.upsert(space(), points(1, 5))
    other = EdgeStore(tmp_path)
    release = threading.Timer(0.3, store.close)
    release.start()
    assert other.count(space()) == 4
    release.join()
    other.close()


def test_no_more_shards_are_open_than_allowed(tmp_path: Path) -> None:
    store = EdgeStore(tmp_path, max_open=2)
    spaces = [space(f"t{n}") for n in range(3)]
    for each in spaces:
        store.upsert(each, points(1, 20))
    assert list(store.entries) == spaces[-2:]
    assert [store.count(each) for each in spaces] == [19] * 3
    store.close_idle(1)
    assert list(store.entries) == spaces[-1:]
    store.close()


def test_the_log_is_kept_short_without_being_asked(
    store: EdgeStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    flushes = []
    real = shard.Shard.flush

    def counted(self: shard.Shard) -> None:
        flushes.append(1)
        real(self)

    monkeypatch.setattr(shard, "FLUSH_AFTER_BYTES", 100_000)
    monkeypatch.setattr(shard.Shard, "flush", counted)
    store.upsert(space(), points(1, 600))
    assert len(flushes) >= 3


def test_a_log_that_was_flushed_keeps_little_and_loses_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shard_log, "SEGMENT_BYTES", 1 << 15)
    made = shard.Shard.create(tmp_path / "new", DIMENSION)
    for _ in range(4):  # some 500 KB of operations, all of the same points
        made.upsert(points(1, 600))
    made.close()
    log = tmp_path / "new" / shard_log.FOLDER
    assert disk_bytes(log) < 4 * shard_log.SEGMENT_BYTES
    again = shard.Shard.load(tmp_path / "new", DIMENSION)
    again.upsert([Point(key(3), points(3, 4)[0].dense, Sparse((1,), (1.0,)), {})])
    again.delete([key(4)])
    again.close()
    again = shard.Shard.load(tmp_path / "new", DIMENSION)
    assert again.retrieve([key(3)])[0].sparse == Sparse((1,), (1.0,))
    assert again.count() == 598
    again.close()


def test_a_shard_with_long_segments_goes_on_in_short_ones(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as before:
        before.setattr(shard_log, "have_short_segments", lambda _: False)
        made = shard.Shard.create(tmp_path / "old", DIMENSION)
    made.upsert(points(1, 600))
    made.close()
    shard.Shard.optimize(tmp_path / "old", DIMENSION)
    assert not shard_log.have_short_segments(tmp_path / "old")
    again = shard.Shard.load(tmp_path / "old", DIMENSION)
    again.delete([key(4)])
    assert again.count() == 598
    again.close()


def damage_manifest(folder: Path) -> None:
    (folder / layout.MANIFEST).write_bytes(b"\x00garbage")


def damage_generation(folder: Path) -> None:
    [generation] = folder.glob("g-*")
    shutil.rmtree(generation)


def damage_segments(folder: Path) -> None:
    for file in folder.glob("g-*/segments/*/segment.json"):
        file.write_bytes(b"garbage")


def damage_config(folder: Path) -> None:
    for file in folder.glob("g-*/edge_config.json"):
        file.write_bytes(b"garbage")


@pytest.mark.parametrize(
    "harm", [damage_manifest, damage_generation, damage_segments, damage_config]
)
def test_a_damaged_shard_is_said_and_can_be_put_aside(tmp_path: Path, harm: object) -> None:
    store = EdgeStore(tmp_path)
    store.upsert(space("broken"), points(1, 50))
    store.upsert(space("whole"), points(1, 50))
    store.close()
    folder = layout.space_folder(tmp_path, space("broken"))
    harm(folder)  # type: ignore[operator]
    store = EdgeStore(tmp_path)
    with pytest.raises(StoreError) as raised:
        store.count(space("broken"))
    assert "doctor --repair" in raised.value.hint
    assert store.count(space("whole")) == 49
    assert space("whole") in store.spaces()
    [found] = store.damaged(probe=True)
    assert found.folder == folder
    kept = store.quarantine(found)
    assert kept.is_dir()
    assert store.damaged(probe=True) == []
    store.upsert(space("broken"), points(1, 10))
    assert store.count(space("broken")) == 9
    store.close()


def test_a_flipped_byte_in_a_vector_is_found(tmp_path: Path) -> None:
    store = EdgeStore(tmp_path)
    store.upsert(space(), points(1, 500))
    store.close()
    store = EdgeStore(tmp_path)
    assert store.damaged(probe=True) == []
    store.close()
    [vectors] = tmp_path.glob("**/vector_storage-dense/tq_vectors/chunk_0.mmap")
    with vectors.open("r+b") as file:
        file.seek(333)
        byte = file.read(1)
        file.seek(333)
        file.write(bytes([byte[0] ^ 4]))
    store = EdgeStore(tmp_path)
    [found] = store.damaged(probe=True)
    assert "not what was written" in found.reason
    store.close()


def test_a_kill_while_a_space_is_made_or_renamed_is_healed(tmp_path: Path) -> None:
    store = EdgeStore(tmp_path)
    folder = layout.space_folder(tmp_path, space())
    (folder / "g-half").mkdir(parents=True)
    store.upsert(space(), points(1, 10))
    store.close()
    manifest = layout.read_manifest(folder)
    assert manifest is not None
    manifest.tenant = "renamed"
    layout.write_manifest(folder, manifest)
    store = EdgeStore(tmp_path)
    assert store.spaces() == [space("renamed")]
    assert store.count(space("renamed")) == 9
    store.close()


def test_a_newer_format_is_refused(tmp_path: Path) -> None:
    store = EdgeStore(tmp_path)
    store.upsert(space(), points(1, 3))
    store.close()
    folder = layout.space_folder(tmp_path, space())
    manifest = layout.read_manifest(folder)
    assert manifest is not None
    manifest.format += 1
    layout.write_manifest(folder, manifest)
    with pytest.raises(StoreError, match="newer version"):
        EdgeStore(tmp_path).count(space())


def test_dead_points_ask_for_an_optimisation_that_loses_nothing(store: EdgeStore) -> None:
    store.upsert(space(), points(1, 2001))
    store.delete(space(), [key(n) for n in range(1, 601)])
    assert not store.needs_optimizing(space())
    store.delete(space(), [key(n) for n in range(601, 1201)])
    assert store.needs_optimizing(space())
    store.flush(space())
    store.close_idle(0)
    assert store.needs_optimizing(space()), "also when it is closed"
    store.optimize(space())
    assert not store.needs_optimizing(space())
    assert set(store.ids(space())) == {key(n) for n in range(1201, 2001)}
    probe = points(1, 2001)[1500]
    assert probe.dense is not None
    assert store.dense(space(), probe.dense, 1)[0].id == probe.id
    where = Filter(must={"is_fragment": (True,)})
    assert len(store.sparse(space(), Sparse((4_000_000_000,), (1.0,)), 1000, where)) == 400
    folder = layout.space_folder(store.folder, space())
    assert len(list(folder.glob("g-*"))) == 1


def test_while_it_is_optimised_it_answers_and_takes_writes(
    store: EdgeStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.upsert(space(), points(1, 1001))
    store.delete(space(), [key(n) for n in range(1, 501)])
    copied, go_on = threading.Event(), threading.Event()
    real = optimizing._optimize_copy

    def slow(copy: Path, dimension: int, timeout_s: float, *, whole: bool) -> None:
        copied.set()
        assert go_on.wait(30)
        real(copy, dimension, timeout_s, whole=whole)

    monkeypatch.setattr(optimizing, "_optimize_copy", slow)
    worker = threading.Thread(target=store.optimize, args=(space(),))
    worker.start()
    assert copied.wait(30)
    assert store.count(space()) == 500
    store.upsert(space(), points(2000, 2100))
    store.delete(space(), [key(n) for n in range(501, 551)])
    store.set_payload(space(), [key(600)], {"label": "meanwhile"})
    store.upsert(space(), points(700, 701))
    go_on.set()
    worker.join()
    expected = {key(n) for n in [*range(551, 1001), *range(2000, 2100)]}
    assert set(store.ids(space())) == expected
    assert store.retrieve(space(), [key(600)])[0].payload["label"] == "meanwhile"
    store.close()
    again = EdgeStore(store.folder)
    assert set(again.ids(space())) == expected
    again.close()


def test_an_optimisation_that_fails_changes_nothing(
    store: EdgeStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.upsert(space(), points(1, 1101))
    store.delete(space(), [key(n) for n in range(101, 1101)])
    assert store.needs_optimizing(space())

    def fail(copy: Path, dimension: int, timeout_s: float, *, whole: bool) -> None:
        raise StoreError("it failed")

    monkeypatch.setattr(optimizing, "_optimize_copy", fail)
    with pytest.raises(StoreError, match="it failed"):
        store.optimize(space())
    assert store.count(space()) == 100
    assert len(list(layout.space_folder(store.folder, space()).glob("g-*"))) == 1
    assert not store.needs_optimizing(space()), "it is left alone for a while"


@pytest.mark.parametrize("full", ["what was written meanwhile", "the manifest"])
def test_a_disk_that_is_full_at_the_end_of_an_optimisation_changes_nothing(
    store: EdgeStore, monkeypatch: pytest.MonkeyPatch, full: str
) -> None:
    store.upsert(space(), points(1, 40))
    folder = layout.space_folder(store.folder, space())
    before = layout.read_manifest(folder)

    def meanwhile(copy: Path, dimension: int, timeout_s: float, *, whole: bool) -> None:
        store.upsert(space(), points(40, 60))

    def refuse(*_: object) -> None:
        if full == "the manifest":
            raise OSError(errno.ENOSPC, "No space left on device")
        raise StoreFullError("the disk is full")

    monkeypatch.setattr(optimizing, "_optimize_copy", meanwhile)
    with monkeypatch.context() as disk:
        if full == "the manifest":
            disk.setattr(layout, "write_manifest", refuse)
        else:
            disk.setattr(optimizing, "_catch_up", refuse)
        with pytest.raises(StoreError):
            store.optimize(space())
    entry = store.entries[space()]
    assert entry.touched is None and entry.manifest == before
    assert [each.name for each in folder.glob("g-*")] == [entry.manifest.generation]
    store.upsert(space(), points(60, 80))
    assert store.count(space()) == 79
    entry.optimize_after = 0.0
    monkeypatch.setattr(optimizing, "_optimize_copy", lambda *_, whole: None)
    store.optimize(space())
    assert store.count(space()) == 79 and layout.read_manifest(folder) != before


def test_an_index_is_made_compact_once_there_is_room_for_it(
    store: EdgeStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.upsert(space(), points(1, 1101))
    store.delete(space(), [key(n) for n in range(101, 1101)])
    with monkeypatch.context() as patched:
        patched.setattr(optimizing, "ROOM_FACTOR", 1 << 40)
        with pytest.raises(StoreFullError, match=r"takes .* for a while, and .* are free"):
            store.optimize(space())
    assert store.room_wanted[space()] > 1 << 40
    assert not store.needs_optimizing(space()), "it is left alone for a while"
    monkeypatch.setattr(optimizing, "ROOM_RETRY_S", 0.0)
    store.entries[space()].optimize_after = 0.0
    assert store.needs_optimizing(space())
    store.optimize(space())
    assert store.count(space()) == 100 and not store.room_wanted


@pytest.mark.parametrize(
    "said", ["Disk quota exceeded (os error 122)", "File too large (os error 27)"]
)
def test_a_used_up_quota_is_no_damage(said: str) -> None:
    def refuse() -> None:
        raise RuntimeError(f"Service internal error: {said}")

    with pytest.raises(StoreFullError):
        shard._guard("write points", refuse)


def test_a_store_that_is_closed_meanwhile_keeps_the_old_shard(
    store: EdgeStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.upsert(space(), points(1, 101))
    monkeypatch.setattr(optimizing, "_optimize_copy", lambda *_, whole: store.close())
    store.optimize(space())
    again = EdgeStore(store.folder)
    assert again.count(space()) == 100
    again.close()


def test_rewriting_does_not_grow_without_end(store: EdgeStore) -> None:
    size = 800
    store.upsert(space(), points(1, 1 + size))
    store.flush(space())
    fresh = store.disk_bytes(space())
    for turn in range(1, 4):
        store.upsert(space(), points(1 + turn * size, 1 + (turn + 1) * size))
        store.delete(space(), [key(n) for n in range(1 + (turn - 1) * size, 1 + turn * size)])
        store.flush(space())
        if store.needs_optimizing(space()):
            store.optimize(space())
    assert store.count(space()) == size
    assert store.disk_bytes(space()) < 3 * fresh


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_read_only_folder_is_said(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(StoreError, match="cannot write"):
        EdgeStore(tmp_path / "vectors").upsert(space(), points(1, 2))
    tmp_path.chmod(0o700)


def test_copies_keep_holes(tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.mkdir()
    with (source / "page").open("wb") as file:
        file.write(b"start")
        file.seek(8 << 20)
        file.write(b"end")
        file.truncate(32 << 20)
    (source / "empty").touch()
    (source / "zeros").write_bytes(bytes(8 << 20) + b"end")
    layout.copy_shard(source, tmp_path / "copy")
    assert (tmp_path / "copy" / "zeros").read_bytes() == (source / "zeros").read_bytes()
    assert (tmp_path / "copy" / "page").read_bytes() == (source / "page").read_bytes()
    assert (tmp_path / "copy" / "empty").stat().st_size == 0
    assert disk_bytes(tmp_path / "copy") <= disk_bytes(source) - (8 << 20) + (1 << 16)


def test_a_scan_of_compact_vectors_finds_what_an_exact_one_does(
    store: EdgeStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(optimizing, "UNOPTIMIZED_POINTS", 1000)
    written = points(1, 2001)
    store.upsert(space(), written)
    vectors = {p.id: p.dense for p in written if p.dense is not None}
    matrix = np.stack([vector / np.linalg.norm(vector) for vector in vectors.values()])
    probes = [p.dense for p in written[::100] if p.dense is not None]
    ids = list(vectors)
    exact = [{ids[n] for n in np.argsort(matrix @ probe)[-20:]} for probe in probes]

    def missed() -> int:
        found = [{hit.id for hit in store.dense(space(), probe, 20)} for probe in probes]
        return sum(len(a - b) for a, b in zip(exact, found, strict=True))

    folder = layout.space_folder(store.folder, space())
    stored = disk_bytes(next(folder.rglob("vector_storage-dense")))
    assert stored < 2 * len(vectors) * DIMENSION, "the vectors are there in a byte a dimension"
    assert missed() <= len(probes) * 20 // 50, "as they were written"
    assert store.needs_optimizing(space())
    store.optimize(space())
    assert not store.needs_optimizing(space())
    assert missed() <= len(probes) * 20 // 50, "and made compact"


def test_payload_indexes_become_those_that_filters_use(tmp_path: Path) -> None:
    first = EdgeStore(tmp_path)
    first.upsert(space(), points(1, 30))
    first.close()
    (generation,) = layout.space_folder(tmp_path, space()).glob("g-*")
    old = shard.Shard.load(generation, DIMENSION, ["file_path", "branch"])
    assert set(old._shard.info().payload_schema) == {"p", "branch"}
    old.close()
    second = EdgeStore(tmp_path)
    assert second.count(space()) == 29
    now = second.entries[space()].shard._shard.info().payload_schema
    assert set(now) == set(map(short_payload.field, FILTERED_FIELDS["projects"]))
    where = Filter(must={"file_path": ("f3.py",)})
    assert len(second.sparse(space(), Sparse((4_000_000_000,), (1.0,)), 50, where)) == 3
    second.close()


def test_at_once_only_where_nothing_is_waited_for(store: EdgeStore) -> None:
    with store.at_once(space()) as free:
        assert not free, "there is no such space"
    store.upsert(space(), points(1, 10))
    with store.at_once(space()) as free:
        assert free
        assert len(store.sparse(space(), Sparse((4_000_000_000,), (1.0,)), 100)) == 9

    def elsewhere() -> bool:
        with ThreadPoolExecutor(1) as thread:
            return thread.submit(ask).result()

    def ask() -> bool:
        with store.at_once(space()) as free:
            return free

    assert elsewhere()
    with store.lock:
        assert not elsewhere(), "somebody is at work"
    assert elsewhere(), "and it was given back"
    store.close_idle(0)
    assert not ask(), "it would have to be opened"
