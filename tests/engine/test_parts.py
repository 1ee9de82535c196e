"""Each part of the engine by itself, without an engine: see `support`."""

from __future__ import annotations

import asyncio
import json
import shutil
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, cast

import pytest

from surveyor.engine.index import remasking, runs
from surveyor.engine.index.change_batches import ChangeBatch
from surveyor.engine.index.change_handler import ChangeHandler
from surveyor.engine.index.disk_room import DiskRoom
from surveyor.engine.index.folder_comparison import compare
from surveyor.engine.index.model_in_use import ModelChange, ModelInUse
from surveyor.engine.index.post_index import PostIndexWork
from surveyor.engine.index.recent_edits import RecentEdits
from surveyor.engine.index.room_estimate import room_needed, shortage
from surveyor.engine.index.runs import IndexRun
from surveyor.engine.index.symbol_index import SymbolIndex
from surveyor.engine.index.vector_diff import VectorDiff
from surveyor.engine.process import maintenance
from surveyor.engine.process.activity import Activity
from surveyor.engine.process.background import BackgroundTasks
from surveyor.engine.process.http import metrics_of
from surveyor.engine.process.lifetime import Lifetime
from surveyor.engine.process.maintenance import Maintenance
from surveyor.engine.process.sessions import (
    PROTOCOL_ERRORS,
    Session,
    Sessions,
    SessionServices,
    internal_error,
)
from surveyor.engine.process.settings_change import SettingsChange, version_of
from surveyor.engine.process.status import StatusReport
from surveyor.errors import NotFoundError, SurveyorError
from surveyor.knowledge.service import Knowledge
from surveyor.knowledge.settings_guard import LimitGuard
from surveyor.parsing.walk import SkippedPath, UnseenPath, WalkedFile
from surveyor.protocol.sessions import Hello
from surveyor.search.pipeline import Searcher
from surveyor.secrets.masking import MASKING_VERSION
from surveyor.store.state import queue
from surveyor.store.state.files import KnownFile
from surveyor.store.state.projects import Checkout
from surveyor.store.vectors.contract import Space, StoreError
from surveyor.worker.messages import WorkerSetup
from tests.engine.support import BYTES_PER_POINT, Parts, parts_in
from tests.product import git, write_tree

FILES = {"a.py": "def a():\n    return 1\n", "b/c.py": "def c():\n    return 2\n"}


@pytest.fixture
async def parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Parts]:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    async with parts_in(tmp_path / "data") as made:
        yield made


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    return write_tree(tmp_path / "shop", FILES)


async def indexed(parts: Parts, folder: Path) -> Checkout:
    """Register and index a folder."""
    parts.start()
    checkout = await parts.registration.register(str(folder), explicit=True)
    await parts.scanner.scan(checkout)
    await parts.freshness.wait([checkout], 20)
    return await parts.projects.get(checkout.checkout_id)


# --- process ------------------------------------------------------------------------------


async def test_background_tasks_end_when_they_are_cancelled() -> None:
    tasks = BackgroundTasks()
    waiting = tasks.spawn(asyncio.sleep(60))
    await tasks.cancel()
    assert waiting.cancelled()


async def test_a_disk_without_room_is_let_alone_for_a_while(tmp_path: Path) -> None:
    refused: list[str] = []
    disk_room = DiskRoom(tmp_path, min_free=0, on_refused=lambda: refused.append("now"))
    assert disk_room.has_room()
    disk_room.refused()
    assert not disk_room.has_room()
    assert (disk_room.stopped_reason, refused) == ("disk_full", ["now"])
    assert disk_room.take_missed()
    assert not disk_room.take_missed()


def test_a_disk_has_no_room_below_what_stays_free(tmp_path: Path) -> None:
    disk_room = DiskRoom(tmp_path, min_free=1 << 62)
    assert not disk_room.has_room()
    disk_room.min_free = 0
    assert disk_room.has_room()
    assert disk_room.stopped_reason is None
    assert not DiskRoom(tmp_path, min_free=0, read_only=True).has_room()


def test_less_room_than_an_index_needs_is_said_with_the_estimate(tmp_path: Path) -> None:
    run = IndexRun("/r", "full")
    run.want(["a", "b", "c", "d"])
    run.room_needed = room_needed(4, 1 << 20)
    assert run.room_needed > 10 << 20
    run.became("a", "indexed")
    assert run.room_still_needed == round(run.room_needed * 0.75)
    assert not DiskRoom(tmp_path, min_free=0).shortage(0)
    assert shortage(900, free=1000, kept_free=100, folder="/d") == ""
    said = shortage(901 << 20, free=1000 << 20, kept_free=100 << 20, folder="/d")
    assert "about 901.0 MB in /d" in said and "1000.0 MB are free" in said
    assert DiskRoom(tmp_path, min_free=1 << 60).shortage(room_needed(1, 0))
    assert room_needed(0, 0) == 0


def test_what_is_left_of_a_run_is_estimated_by_bytes_at_the_pace_of_the_last_minute(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = 1000.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    run = IndexRun("/r", "full")
    large, small = [f"l{n}" for n in range(400)], [f"s{n}" for n in range(1000)]
    run.scanned([*large, *small], 0, 0)
    run.work_wanted = run.work_of(400 * 25_000 + 1000 * 1000)
    run.phase = "indexing"
    assert run.left_s is None, "nothing is known of its pace"

    def read(paths: list[str], size: int, each_s: float) -> None:
        nonlocal now
        for path in paths:
            now += each_s
            run.became(path, "indexed", size=size)

    read(large[:50], 25_000, 0.125)
    assert run.left_s is None, "the first ones say little"
    read(large[50:200], 25_000, 0.125)
    each = 25_000 + runs.FILE_WORK
    left = 200 * each + 1000 * (1000 + runs.FILE_WORK)
    assert run.left_s == pytest.approx(left / each * 0.125, rel=0.1)
    read(large[200:], 25_000, 0.5)  # others take the processor: after a minute that counts alone
    assert run.left_s == pytest.approx(1000 * (1000 + runs.FILE_WORK) / each * 0.5, rel=0.1)
    now += 600.0  # nothing moves
    assert run.left_s is not None and run.left_s > 500
    read(small, 1000, 0.05)
    assert run.left_s == 0
    run.phase = "done"
    assert run.left_s is None


async def test_a_session_s_folders_are_active_until_it_ends(parts: Parts, shop: Path) -> None:
    checkout = await parts.registration.register(str(shop), explicit=True)
    prepared: list[str] = []

    class Prepares:
        def prepare(self, checkout_id: str) -> None:
            prepared.append(checkout_id)

    activity = Activity(
        parts.lifetime,
        parts.projects,
        parts.editor_buffers,
        cast(Searcher, Prepares()),
        SymbolIndex(parts.state, parts.editor_buffers),
        parts.tasks,
    )
    session = _session(Hello(client="lsp", version="", pid=0, roots=[str(shop)]))
    await activity.opened(session)
    assert activity.any
    assert prepared == [checkout.checkout_id]
    assert (await parts.projects.get(checkout.checkout_id)).active
    await activity.closed(session)
    assert not activity.any
    assert not (await parts.projects.get(checkout.checkout_id)).active


def _session(hello: Hello) -> Session:
    nothing: Any = None
    session = Session(cast(SessionServices, nothing), nothing, nothing)
    session.hello = hello
    return session


def _maintenance(parts: Parts, sessions: Sessions) -> Maintenance:
    return Maintenance(
        parts.state,
        parts.vectors,
        parts.store_executor.run,
        parts.pipeline,
        parts.projects,
        cast(ChangeHandler, PurgesNothing()),
        parts.scanner,
        parts.vector_rebuilder,
        sessions,
        parts.live_settings,
        parts.tasks,
        parts.lifetime,
        [],
    )


class PurgesNothing:
    async def purge_missing(self, grace: float) -> None:
        """Nothing is missing."""


def _set_idle_timeout(parts: Parts, seconds: float) -> None:
    settings = parts.live_settings.settings
    engine = settings.engine.model_copy(update={"idle_timeout": seconds})
    parts.live_settings.settings = settings.model_copy(update={"engine": engine})


async def test_what_questions_have_freed_is_given_back_once_when_nobody_asks_any_more(
    parts: Parts, monkeypatch: pytest.MonkeyPatch
) -> None:
    given: list[int] = []
    monkeypatch.setattr(maintenance, "give_back_free_memory", lambda: given.append(1))
    looked_after = _maintenance(parts, Sessions())
    for quiet_s, times in ((0.0, 0), (60.0, 1), (90.0, 1), (5.0, 1), (60.0, 2)):
        monkeypatch.setattr(Lifetime, "untouched_s", quiet_s)
        await looked_after._give_back_memory()
        assert len(given) == times


async def test_while_a_folder_is_indexed_only_what_is_new_is_made_compact(
    parts: Parts, shop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    space = Space("projects", "p", "m", 4)
    asked: asyncio.Queue[tuple[Space, bool]] = asyncio.Queue()
    loop = asyncio.get_running_loop()

    def optimize(space: Space, *, whole: bool = True) -> None:
        loop.call_soon_threadsafe(asked.put_nowait, (space, whole))

    monkeypatch.setattr(parts.vectors, "spaces", lambda: [space])
    monkeypatch.setattr(parts.vectors, "is_crowded", lambda _: True)
    monkeypatch.setattr(parts.vectors, "needs_optimizing", lambda _: True)
    monkeypatch.setattr(parts.vectors, "optimize", optimize, raising=False)
    run = IndexRun(str(shop), "incremental", phase="indexing")
    parts.pipeline.runs["c"] = run
    _set_idle_timeout(parts, 600.0)
    monkeypatch.setattr(maintenance, "MAINTENANCE_S", 0.01)
    work = asyncio.create_task(_maintenance(parts, Sessions()).run())
    try:
        assert await asyncio.wait_for(asked.get(), 30) == (space, False)
        run.phase = "done"
        while not (last := await asyncio.wait_for(asked.get(), 30))[1]:
            pass
        assert last == (space, True)
    finally:
        work.cancel()
        await asyncio.gather(work, return_exceptions=True)


async def test_an_unused_engine_is_idle(parts: Parts) -> None:
    sessions = Sessions()
    keeper = _maintenance(parts, sessions)
    assert not keeper.is_idle()
    _set_idle_timeout(parts, 1e-9)
    assert keeper.is_idle()
    sessions.add(_session(Hello(client="lsp", version="", pid=0)))
    assert not keeper.is_idle()


# --- projects -----------------------------------------------------------------------------


async def test_a_folder_is_found_by_path_name_and_id(parts: Parts, shop: Path) -> None:
    checkout = await parts.registration.register(str(shop), explicit=True)
    for asked in ({"cwd": str(shop / "b")}, {"project": "shop"}):
        assert (await parts.projects.resolve(**asked)).checkout_id == checkout.checkout_id
    assert await parts.projects.get(checkout.checkout_id) == checkout
    await parts.projects.set_flags(checkout, paused=True)
    assert (await parts.projects.get(checkout.checkout_id)).paused
    await parts.registration.remove(checkout)
    with pytest.raises(NotFoundError):
        await parts.projects.resolve(project="shop")


async def test_a_moved_folder_keeps_its_index(parts: Parts, shop: Path) -> None:
    before = await indexed(parts, shop)
    moved = shop.rename(shop.with_name("store"))
    now = await parts.relocation.resolve(cwd=str(moved))
    assert now.root == str(moved)
    assert parts.renamed == [(before.checkout_id, now.checkout_id, str(moved))]
    assert [space.tenant for space in parts.store.spaces()] == [now.project_id]


async def test_a_missing_folder_is_uncertain(parts: Parts, shop: Path) -> None:
    checkout = await indexed(parts, shop)
    assert (await parts.freshness.of(checkout)).status == "healthy"
    await parts.projects.mark_missing(checkout)
    assert (await parts.freshness.of(checkout)).reason == "missing_root"
    await parts.projects.found_again(await parts.projects.get(checkout.checkout_id))
    parts.freshness.doubt(checkout.checkout_id, "watch_overflow", "Too much.")
    assert (await parts.freshness.of(checkout)).reason == "watch_overflow"


async def test_files_that_the_store_refuses_count_as_failed(
    parts: Parts, shop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise StoreError("cannot read the manifest")

    monkeypatch.setattr(parts.store, "upsert", refuse)
    monkeypatch.setattr(queue, "BACKOFF_SECONDS", (0.0,))
    checkout = await indexed(parts, shop)
    found = await parts.freshness.of(checkout)
    assert (found.status, found.reason) == ("uncertain", "all_failed")
    assert parts.pipeline.runs[checkout.checkout_id].errors == ["cannot read the manifest"]


async def test_another_version_makes_an_index_stale(parts: Parts, shop: Path) -> None:
    checkout = await indexed(parts, shop)
    parts.committer.use(version="another")
    await parts.freshness.count_stale()
    assert (await parts.freshness.of(checkout)).status == "stale"


# --- index --------------------------------------------------------------------------------


async def test_a_scan_indexes_what_differs_and_purging_drops_it(parts: Parts, shop: Path) -> None:
    checkout = await indexed(parts, shop)
    space = parts.committer.space(checkout.project_id)
    assert parts.store.count(space) == len(FILES)
    assert parts.watcher.roots == [shop]
    (shop / "a.py").unlink()
    await parts.scanner.scan(checkout)
    await parts.freshness.wait([checkout], 20)
    assert parts.store.count(space) == len(FILES) - 1
    await parts.scanner.purge(checkout)
    assert not parts.store.spaces()
    assert parts.purged == [checkout.checkout_id]


async def test_changes_in_a_folder_are_followed(parts: Parts, shop: Path) -> None:
    checkout = await indexed(parts, shop)
    recent_edits = RecentEdits()
    change_handler = ChangeHandler(
        parts.state,
        parts.projects,
        parts.registration,
        parts.freshness,
        parts.branches,
        parts.scanner,
        parts.pipeline,
        parts.live_settings,
        LimitGuard(parts.state),
        parts.lifetime,
        recent_edits,
    )
    (shop / "d.py").write_text("def d(): pass\n")
    shutil.rmtree(shop / "b")
    await change_handler.on_changes(ChangeBatch(shop, modified={"d.py"}, deleted={"b"}))
    await parts.freshness.wait([checkout], 20)
    rows = await parts.state.read("SELECT path FROM files ORDER BY path")
    assert [row[0] for row in rows] == ["a.py", "d.py"]
    assert recent_edits.weights(checkout.checkout_id).keys() == {"d.py"}
    await change_handler.on_changes(ChangeBatch(shop, missing=True))
    assert (await parts.projects.get(checkout.checkout_id)).missing_since is not None


async def test_a_branch_that_is_left_keeps_its_documents(parts: Parts, shop: Path) -> None:
    git(shop, "init", "-b", "main")
    git(shop, "add", "-A")
    git(shop, "commit", "-m", "first")
    checkout = await indexed(parts, shop)
    git(shop, "switch", "-c", "other")
    await parts.branches.follow(checkout)
    assert (await parts.projects.get(checkout.checkout_id)).branch == "other"
    kept = await parts.state.value("SELECT count(*) FROM branch_files WHERE branch = 'main'")
    assert kept == len(FILES)


async def test_points_that_were_lost_are_made_again(parts: Parts, shop: Path) -> None:
    checkout = await indexed(parts, shop)
    space = parts.committer.space(checkout.project_id)
    ids = set(parts.store.ids(space))
    parts.store.delete(space, sorted(ids)[:1])
    diff = await VectorDiff(parts.state, parts.vectors, parts.store_executor.run).differing(space)
    assert (len(diff.missing), diff.superfluous) == (1, set())
    parts.pool.fails = True
    await parts.vector_rebuilder.reconcile(checkout.project_id)
    assert (await parts.freshness.of(checkout)).reason == "embedding_failed"
    parts.pool.fails = False
    await parts.vector_rebuilder.reconcile(checkout.project_id)
    assert set(parts.store.ids(space)) == ids
    assert await parts.vector_rebuilder.compare(checkout.project_id) == (0, 0)


async def test_files_wait_while_no_worker_can_be_started(parts: Parts, shop: Path) -> None:
    checkout = await indexed(parts, shop)
    (shop / "more.py").write_text("def more(): pass\n")
    parts.pool.start_problem = "an index worker cannot be started: no memory"
    await parts.scanner.scan(checkout)
    async with asyncio.timeout(60):
        while (told := await parts.freshness.of(checkout)).reason != "no_worker":
            await asyncio.sleep(0.01)
    assert "no memory" in (told.message or "") and "1 file is" in (told.message or "")
    parts.pool.start_problem = ""
    await parts.pipeline.wait_fresh(checkout.checkout_id, 60)
    assert (await parts.freshness.of(checkout)).status == "healthy"
    indexed_paths = await parts.state.value(
        "SELECT count(*) FROM files WHERE path = 'more.py' AND status = 'indexed'"
    )
    assert indexed_paths == 1


async def test_an_unsaved_buffer_s_definitions_are_found(parts: Parts, shop: Path) -> None:
    checkout = await indexed(parts, shop)
    symbols = SymbolIndex(parts.state, parts.editor_buffers)
    assert [s.name for s in await symbols.find(checkout, "a", [], None, 10)][:1] == ["a"]
    await parts.editor_buffers.show("editor", checkout, "new.py", 1, "def new(): pass\n")
    found = await symbols.find(checkout, "new", [], None, 10)
    assert [(s.name, s.unsaved_version) for s in found] == [("new", 1)]
    parts.editor_buffers.drop_owner("editor")
    assert not await symbols.find(checkout, "new", [], None, 10)


async def test_the_shipped_model_is_in_use(parts: Parts) -> None:
    model = ModelInUse(parts.live_settings, parts.state)
    await model.choose()
    await model.note()
    assert not model.warning
    key = f"model:{model.info.fingerprint}"
    stored = await parts.state.value("SELECT value FROM settings WHERE key = ?", (key,))
    assert stored == model.info.name


async def test_what_was_asked_for_is_prepared_for_queries(parts: Parts) -> None:
    prepared: list[str] = []

    class Prepares:
        def prepare(self, checkout_id: str) -> None:
            prepared.append(checkout_id)

    post_index = PostIndexWork(
        parts.state,
        parts.vectors,
        parts.store_executor.run,
        parts.pipeline,
        parts.projects,
        cast(Searcher, Prepares()),
        parts.tasks,
    )
    post_index.ended("nobody's", IndexRun("/a", "incremental"))
    post_index.ended("asked", IndexRun("/b", "incremental", asked=True))
    assert prepared == ["asked"]


async def test_indexing_stays_paused(parts: Parts, shop: Path) -> None:
    await parts.pipeline.pause(True)
    stored = await parts.state.value("SELECT value FROM settings WHERE key = 'paused'")
    assert (parts.pipeline.paused, stored) == (True, "1")
    await parts.pipeline.pause(False)
    assert await parts.state.value("SELECT 1 FROM settings WHERE key = 'paused'") is None


# --- the engine as others see it ----------------------------------------------------------


class _Written:
    """What a session writes."""

    def __init__(self) -> None:
        self.lines: list[dict[str, Any]] = []

    def write(self, data: bytes) -> None:
        """A line."""
        self.lines.append(json.loads(data))

    async def drain(self) -> None:
        """Nothing waits."""


async def test_a_session_greets_and_answers() -> None:
    sessions, lifetime = Sessions(), Lifetime()
    seen: list[str] = []

    async def answer(name: str, params: bytes, session: Session) -> Any:
        if name == "fails":
            raise ValueError("ours")
        if name == "odd":
            return object()
        return {"echo": json.loads(params), "of": session.hello.client}

    async def opened(_: Session) -> None:
        seen.append("opened")

    async def closed(_: Session) -> None:
        seen.append("closed")

    services = SessionServices(
        sessions=sessions,
        relays={},
        lifetime=lifetime,
        operations={"echo", "fails", "odd"},
        answer=answer,
        is_authorised=lambda token: token is None,
        opened=opened,
        closed=closed,
        folder_problem=lambda: None,
        explain=lambda error: internal_error(error, None, Path("state.db")),
    )
    reader, written = asyncio.StreamReader(), _Written()
    hello = {"client": "cli", "version": "1", "pid": 1}
    asked = [("hello", hello), ("echo", {"n": 1}), ("fails", {}), ("unknown", {}), ("odd", {})]
    for number, (method, params) in enumerate(asked):
        message = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
        reader.feed_data(json.dumps(message).encode() + b"\n")
    serving = asyncio.create_task(
        Session(services, reader, cast(asyncio.StreamWriter, written)).serve()
    )
    while len(written.lines) < len(asked):
        await asyncio.sleep(0.01)
    reader.feed_eof()
    await serving
    answers = {line["id"]: line for line in written.lines}
    assert answers[1]["result"] == {"echo": {"n": 1}, "of": "cli"}
    assert answers[2]["error"]["data"]["code"] == "internal"
    assert answers[3]["error"]["code"] == PROTOCOL_ERRORS["method"]
    assert answers[4]["error"]["data"]["code"] == "internal"  # what no message can hold
    assert seen == ["opened", "closed"]
    assert len(sessions) == 0


def test_a_store_that_is_closed_because_the_engine_ends_is_no_fault() -> None:
    closed = ValueError("no active connection")
    said = internal_error(closed, None, Path("state.db"), is_ending=True)
    assert said.code == "engine_unavailable"
    assert internal_error(closed, None, Path("state.db")).code == "internal"


async def test_status_counts_what_is_indexed(parts: Parts, shop: Path) -> None:
    async def given_up(_: str) -> list[str]:
        return ["bad.py"]

    checkout = await indexed(parts, shop)
    report = StatusReport(
        shop,
        parts.state,
        parts.vectors,
        parts.projects,
        parts.relocation.resolve,
        parts.freshness,
        parts.pipeline,
        parts.workers,
        ModelInUse(parts.live_settings, parts.state),
        parts.vector_rebuilder,
        cast(Knowledge, None),
        Sessions(),
        parts.live_settings,
        parts.lifetime,
        lambda _: False,
        lambda _: None,
        given_up,
    )
    said = await report.of_project(checkout)
    assert said.unread_uses == ["bad.py"]
    assert (said.files, said.chunks, said.symbols) == (2, 2, 2)
    assert said.disk_bytes == BYTES_PER_POINT * 2
    assert said.status == "healthy"


async def test_metrics_say_how_long_stages_took(parts: Parts, shop: Path) -> None:
    await indexed(parts, shop)
    text = await metrics_of(
        parts.state, parts.lifetime, Sessions(), parts.projects, parts.workers, parts.pipeline
    )
    assert "surveyor_projects 1\n" in text
    assert 'surveyor_indexing_seconds_total{stage="rows"}' in text


async def test_other_settings_make_an_index_of_another_version(parts: Parts, shop: Path) -> None:
    checkout = await indexed(parts, shop)

    class Fails:
        async def use(self, name: str) -> None:
            raise SurveyorError("no such model", "")

    model = ModelInUse(parts.live_settings, parts.state)
    change = SettingsChange(
        parts.live_settings,
        parts.projects,
        parts.freshness,
        parts.pipeline,
        parts.scanner,
        model,
        cast(ModelChange, Fails()),
        parts.workers,
        lambda: cast(WorkerSetup, "setup"),
        parts.tasks,
        parts.tell,
    )
    await change.apply()
    assert parts.committer.version == version_of(parts.live_settings.settings)
    assert parts.pool.setups == ["setup"]
    assert "no such model" in model.warning
    assert ("configuration_changed", {}) in parts.told
    assert (await parts.freshness.of(checkout)).status != "healthy"


async def test_damage_is_said_until_it_is_mended(parts: Parts, shop: Path) -> None:
    checkout = await indexed(parts, shop)
    parts.shard_repair.found("a page is unreadable")
    assert (await parts.freshness.of(checkout)).reason == "index_damaged"


async def test_what_is_stored_is_masked_once(parts: Parts, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remasking, "SETTLED_POLL_S", 0.01)
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" + "k1L2m3N4o5P6q7R8"
    async with parts.state.transaction() as tx:
        item = queue.NewQueueItem(
            "memory", "ingest", "p", "memory", {"content": f"token = {secret}"}
        )
        await queue.enqueue(tx, [item])

    class Stored:
        async def stored_entries(self) -> list[Any]:
            return []

    parts.lifetime.opened()
    masking = remasking.Remasking(
        parts.state, parts.committer, cast(Knowledge, Stored()), parts.lifetime
    )
    await masking.run()
    assert secret not in await parts.state.value("SELECT payload_json FROM unified_queue")
    done = await parts.state.value("SELECT value FROM settings WHERE key = 'masking'")
    assert done == MASKING_VERSION


def test_a_folder_is_compared_with_what_is_known() -> None:
    def known(path: str, **changes: Any) -> KnownFile:
        was = KnownFile(path, 1, 1, "indexed", "", "v")
        return was._replace(**changes)

    rows = [
        known("same.py"),
        known("longer.py"),
        known("failed.py", status="failed"),
        known("older.py", version="u"),
        known("gone.py"),
        known("hidden/in.py"),
        known("dropped.py"),
        known("skipped.py", status="skipped", version=None),
    ]
    names = ("same", "failed", "older", "new", "queued", "skipped")
    found: list[WalkedFile | SkippedPath] = [WalkedFile(f"{name}.py", 1, 1) for name in names]
    found += [
        WalkedFile("longer.py", 2, 1),
        UnseenPath("hidden", "unreadable", "permission denied"),
        SkippedPath("dropped.py", "excluded", "a rule"),
        SkippedPath("big.py", "too_large", "it is"),
    ]
    queued = {"queued.py": WalkedFile("queued.py", 1, 1)}
    differs = compare(found, {each.path: each for each in rows}, queued, "v", anew=False)
    assert set(differs.changed) == {"failed.py", "older.py", "new.py", "longer.py"}
    assert (differs.unchanged, differs.gone) == (1, {"gone.py"})
    assert list(differs.missed) == ["hidden/in.py"]
    assert [each.path for each in differs.dropped] == ["dropped.py"]
    assert [each.path for each in differs.skipped] == ["hidden", "big.py"]
    assert (differs.new_files, differs.new_bytes) == (2, 2)
    anew = compare(found, {each.path: each for each in rows}, {}, "v", anew=True)
    assert {"same.py", "queued.py", "skipped.py"} <= set(anew.changed)
