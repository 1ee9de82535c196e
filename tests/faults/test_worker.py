"""A worker that crashes or hangs costs the file it was at, never the engine."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import msgspec
import pytest

from surveyor.graph.jobs import GraphJob
from surveyor.platform.processes import THREADS_HAVE_NICENESS
from surveyor.store.state import State
from surveyor.worker import memory as memory_module
from surveyor.worker import pool as pool_module
from surveyor.worker.index_version import index_version
from surveyor.worker.job_priority import by_priority
from surveyor.worker.main import TEXTS_BETWEEN_BEATS
from surveyor.worker.messages import (
    AT_WORK,
    LENGTH,
    LOADING,
    FileJob,
    Job,
    Outcome,
    TextJob,
    WorkerSetup,
)
from surveyor.worker.pool import BATCH, NoWorkerError, WorkerPool
from tests.product import Product


@pytest.fixture
async def setup(tmp_path: Path) -> WorkerSetup:
    state = await State.open(tmp_path / "state.db")
    await state.close()
    return WorkerSetup(
        state_path=str(tmp_path / "state.db"),
        model="",
        threads=1,
        chunk_chars=1500,
        max_file_size=1 << 20,
        version=index_version(),
        k1=1.5,
        b=0.75,
    )


async def test_a_killed_worker_fails_one_job_and_does_the_rest(
    setup: WorkerSetup, tmp_path: Path
) -> None:
    for number in range(30):
        (tmp_path / f"f{number}.py").write_text(f"def f{number}():\n    return {number}\n")
    pool = WorkerPool(setup, 1, 30.0, 5.0)
    try:
        (first,) = await pool.run([FileJob(str(tmp_path), "f0.py", "p")])
        assert first.status == "parsed"
        (pid,) = pool.pids
        os.kill(pid, signal.SIGSTOP)
        running = asyncio.create_task(
            pool.run([FileJob(str(tmp_path), f"f{n}.py", "p") for n in range(30)])
        )
        await asyncio.sleep(0)
        while not pool.busy:
            await asyncio.sleep(0.01)
        os.kill(pid, signal.SIGKILL)
        outcomes = await running
        statuses = [outcome.status for outcome in outcomes]
        assert statuses.count("failed") == 1
        assert statuses.count("parsed") == 29
        assert pool.pids != [pid]
    finally:
        await pool.close()


async def test_a_hanging_worker_is_replaced(setup: WorkerSetup, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("a = 1\n")
    pool = WorkerPool(setup, 1, 5.0, 5.0)
    try:
        await pool.run([FileJob(str(tmp_path), "a.py", "p")])
        (pid,) = pool.pids
        os.kill(pid, signal.SIGSTOP)
        jobs = [FileJob(str(tmp_path), "a.py", "p")] * 3
        outcomes = await pool.run(jobs)
        assert [outcome.status for outcome in outcomes] == ["failed", "parsed", "parsed"]
        assert "longer than" in outcomes[0].detail
    finally:
        await pool.close()


async def test_a_busy_machine_is_no_files_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker gives way to everything else: at a load of thirty it has a twentieth of the time."""
    waited = iter([3.0, 7.0, 7.1])
    monkeypatch.setattr(pool_module, "waited_for_processor", lambda _: next(waited))
    asked: list[int] = []

    async def read() -> bytes:
        asked.append(len(asked))
        if len(asked) != 2:
            await asyncio.Event().wait()
        return b"done"

    patience = pool_module._Patience(1)
    far = asyncio.get_running_loop().time() + 60
    assert await patience.wait(read, 0.0, far) == b"done"
    with pytest.raises(TimeoutError):  # it has hardly waited since
        await patience.wait(read, 0.0, far)
    assert asked == [0, 1, 2]


async def test_a_silent_disk_is_no_files_fault_and_costs_one_worker(
    setup: WorkerSetup, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each of its files would have cost another, and been set aside until it changes."""
    drive, here = tmp_path / "drive", tmp_path / "here"
    for folder in (drive, here):
        folder.mkdir()
        (folder / "a.py").write_text("a = 1\n")
    pool = WorkerPool(setup, 1, 5.0, 5.0)
    killed: list[int] = []

    async def survives(process: asyncio.subprocess.Process) -> bool:
        killed.append(process.pid)
        return False

    try:
        await pool.run([FileJob(str(here), "a.py", "p")])
        (pid,) = pool.pids
        os.kill(pid, signal.SIGSTOP)
        with monkeypatch.context() as patched:
            patched.setattr(pool_module, "_killed", survives)
            jobs = [FileJob(str(each), "a.py", "p") for each in (drive, here, drive)]
            outcomes = await pool.run(jobs)
            assert [each.status for each in outcomes] == ["unseen", "parsed", "unseen"]
            assert "does not answer" in outcomes[0].detail
            (again,) = await pool.run([FileJob(str(drive), "a.py", "p")])
            assert again.status == "unseen" and set(killed) == {pid}
        os.kill(pid, signal.SIGKILL)
        async with asyncio.timeout(60):
            found = [again]
            while found[-1].status != "parsed":
                found += await pool.run([FileJob(str(drive), "a.py", "p")])
    finally:
        await pool.close()


def _hanging_reads(folder: Path, name: str) -> Path:
    """A folder that makes opening a file of that name hang, in processes that start with it."""
    folder.mkdir()
    (folder / "sitecustomize.py").write_text(
        "import os, time\n"
        "opened = os.open\n"
        "def hanging(path, *arguments, **options):\n"
        f"    while str(path).endswith({name!r}):\n"
        "        time.sleep(1)\n"
        "    return opened(path, *arguments, **options)\n"
        "os.open = hanging\n"
    )
    return folder


async def test_a_file_that_takes_too_long_costs_a_fresh_worker_no_more_than_its_time(
    setup: WorkerSetup, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a start may take is over once it has been said."""
    monkeypatch.setattr(pool_module, "START_TIMEOUT_S", 3600.0)
    monkeypatch.syspath_prepend(str(_hanging_reads(tmp_path / "site", "endless.py")))
    (tmp_path / "endless.py").write_text("b = 1\n")
    (tmp_path / "a.py").write_text("a = 1\n")
    pool = WorkerPool(setup, 1, 2.0, 5.0)
    try:
        async with asyncio.timeout(600):
            outcomes = await pool.run(
                [FileJob(str(tmp_path), name, "p") for name in ("endless.py", "a.py")]
            )
        assert outcomes[0].status == "failed" and "longer than 2 s" in outcomes[0].detail
    finally:
        await pool.close()


def test_a_worker_says_that_a_slow_model_is_at_work(setup: WorkerSetup) -> None:
    texts = [f"chunk number {number}" for number in range(2 * TEXTS_BETWEEN_BEATS + 1)]
    job = TextJob(titles=[""] * len(texts), texts=texts)
    said = [msgspec.msgpack.encode(each) for each in (setup, job)]
    done = subprocess.run(
        [sys.executable, "-m", "surveyor.worker.main"],
        input=b"".join(LENGTH.pack(len(body)) + body for body in said),
        capture_output=True,
        check=True,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(p for p in sys.path if p)},
    )
    signs = [AT_WORK, LOADING, AT_WORK, AT_WORK, AT_WORK]  # started, loaded, two thirds done
    assert done.stdout.startswith(b"".join(LENGTH.pack(sign) for sign in signs))
    (length,) = LENGTH.unpack_from(done.stdout, len(signs) * LENGTH.size)
    assert length == len(done.stdout) - (len(signs) + 1) * LENGTH.size


async def test_a_model_that_takes_its_time_is_not_taken_for_a_hanging_worker(
    setup: WorkerSetup,
) -> None:
    texts = [f"chunk number {number}" for number in range(2 * TEXTS_BETWEEN_BEATS + 1)]
    job = TextJob(titles=[""] * len(texts), texts=texts)
    pool = WorkerPool(setup, 1, 30.0, 5.0)
    try:
        first, second = await pool.run([job, job])
        assert len(first.vectors) == len(second.vectors) == len(texts)
    finally:
        await pool.close()


async def test_a_worker_ends_when_idle(setup: WorkerSetup, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("a = 1\n")
    pool = WorkerPool(setup, 1, 30.0, 0.2)
    try:
        await pool.run([FileJob(str(tmp_path), "a.py", "p")])
        async with asyncio.timeout(30):
            while pool.pids:
                await asyncio.sleep(0.02)
    finally:
        await pool.close()


async def test_the_last_worker_stays_as_long_as_it_is_wanted(setup: WorkerSetup) -> None:
    wanted = True
    pool = WorkerPool(setup, 2, 60.0, 0.05, keep_one=lambda: wanted)
    try:
        job = TextJob(titles=[""], texts=["text"])
        await asyncio.gather(*(pool.run([job]) for _ in range(2)))
        while len(pool.pids) > 1:
            await asyncio.sleep(0.01)
        for _ in range(20):  # several times the idle time
            await asyncio.sleep(0.01)
            assert len(pool.pids) == 1
        wanted = False
        while pool.pids:
            await asyncio.sleep(0.01)
    finally:
        await pool.close()


async def test_a_worker_that_is_expected_is_ready_and_stays_for_a_while(setup: WorkerSetup) -> None:
    pool = WorkerPool(setup, 2, 60.0, 0.05, kept_s=3600.0)
    try:
        await pool.expect("a.py")
        (ready,) = pool.pids
        await pool.expect("b.py")
        (outcome,) = await pool.run([FileJob("", "b.py", "p", data=b"b = 1\n", parse_known=True)])
        assert outcome.status == "parsed"
        for _ in range(20):  # several times the idle time
            await asyncio.sleep(0.01)
            assert pool.pids == [ready]
    finally:
        await pool.close()


async def test_an_expected_worker_ends_when_its_time_is_over(setup: WorkerSetup) -> None:
    pool = WorkerPool(setup, 1, 60.0, 0.05, kept_s=0.2)
    try:
        await pool.expect("a.py")
        async with asyncio.timeout(60):
            while pool.pids:
                await asyncio.sleep(0.02)
    finally:
        await pool.close()


async def test_one_job_takes_the_worker_that_is_there_and_starts_no_other(
    setup: WorkerSetup,
) -> None:
    pool = WorkerPool(setup, 2, 60.0, 3600.0)
    try:
        await pool.run([TextJob(titles=[""], texts=["first"])])
        (only,) = pool.pids
        for number in range(5):
            while not pool.idle:  # it has answered, and takes its next jobs in a moment
                await asyncio.sleep(0.01)
            await pool.run([FileJob("", "a.py", "p", data=b"a = %d\n" % number)])
            assert pool.pids == [only]
    finally:
        await pool.close()


async def _at_a_file(pool: WorkerPool, folder: Path) -> tuple[int, asyncio.Task[list[Outcome]]]:
    """A worker's process that is held, and what waits for a file that it is at."""
    (folder / "a.py").write_text("a = 1\n")
    await pool.run([FileJob(str(folder), "a.py", "p")])
    (pid,) = pool.pids
    os.kill(pid, signal.SIGSTOP)
    reading = asyncio.create_task(pool.run([FileJob(str(folder), "a.py", "p")]))
    while not pool.busy:
        await asyncio.sleep(0.01)
    return pid, reading


async def test_a_batch_waits_for_the_worker_that_is_starting_and_starts_no_other(
    setup: WorkerSetup, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pool_module, "NEW_WAITS_S", 3600.0)
    pool = WorkerPool(setup, 2, 60.0, 3600.0)
    jobs = [FileJob("", "a.py", "p", data=b"a = %d\n" % number) for number in range(5)]
    try:
        await asyncio.gather(pool.run([TextJob([""], ["first"])]), *(pool.run([j]) for j in jobs))
        assert len(pool.pids) == 1
    finally:
        await pool.close()


async def test_few_jobs_that_nobody_waits_for_start_no_worker_beside_a_busy_one(
    setup: WorkerSetup, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pool_module, "LATER_WAITS_S", 3600.0)
    pool = WorkerPool(setup, 2, 60.0, 60.0)
    try:
        pid, reading = await _at_a_file(pool, tmp_path)
        text = asyncio.create_task(pool.run([TextJob([""], ["text"])]))
        await asyncio.sleep(0)
        os.kill(pid, signal.SIGCONT)
        await asyncio.gather(reading, text)
        assert pool.pids == [pid]
    finally:
        await pool.close()


async def test_a_job_that_nobody_waits_for_does_not_wait_for_a_worker_that_hangs(
    setup: WorkerSetup, tmp_path: Path
) -> None:
    pool = WorkerPool(setup, 2, 60.0, 60.0)
    try:
        pid, reading = await _at_a_file(pool, tmp_path)
        (outcome,) = await pool.run([TextJob([""], ["text"])])
        assert outcome.status == "embedded" and not reading.done()
        os.kill(pid, signal.SIGCONT)
        await reading
    finally:
        await pool.close()


async def test_a_large_project_lets_others_have_what_is_not_urgent(setup: WorkerSetup) -> None:
    pool = WorkerPool(setup, 1, 60.0, 3600.0)
    try:
        await pool.warm()
        many = [FileJob("", f"f{number}.py", "p", data=b"a = 1\n") for number in range(400)]
        files = asyncio.create_task(pool.run(many))
        await asyncio.sleep(0)
        await pool.run([TextJob(titles=[""], texts=["another project's"])])
        assert not files.done()
        await files
    finally:
        await pool.close()


async def test_what_one_worker_has_read_lets_others_have_their_turn(setup: WorkerSetup) -> None:
    pool = WorkerPool(setup, 1, 60.0, 3600.0)
    try:
        await pool.warm()
        jobs = [TextJob(titles=[""], texts=["a large project's"])] * 100
        own = asyncio.create_task(pool.run(jobs, reader=pool.pids[0]))
        await asyncio.sleep(0)
        await pool.run([TextJob(titles=[""], texts=["another project's"])])
        assert not own.done()
        await own
    finally:
        await pool.close()


async def test_a_graph_is_made_by_the_worker_that_has_read_the_file(
    setup: WorkerSetup, tmp_path: Path
) -> None:
    root = str(tmp_path)
    for number in range(32):
        (tmp_path / f"f{number}.py").write_text(f"def f{number}():\n    return {number}\n" * 50)
    pool = WorkerPool(setup, 2, 60.0, 3600.0)
    try:
        await pool.warm(2)
        await pool.run([FileJob(root, f"f{number}.py", "p") for number in range(32)])
        readers = [pool.reader_of(root, f"f{number}.py") for number in range(32)]
        assert set(readers) == set(pool.pids)
        first, second = set(readers)
        job = GraphJob("extract", "checkout", root, 1, ["f0.py"])
        for stopped, reader in ((first, second), (second, first)):
            os.kill(stopped, signal.SIGSTOP)
            for _ in range(3):
                (outcome,) = await pool.run([job], reader=reader)
                assert outcome.status == "graph"
            os.kill(stopped, signal.SIGCONT)
        os.kill(first, signal.SIGSTOP)
        waiting = asyncio.create_task(pool.run([job] * 3, reader=first))
        await asyncio.sleep(0.05)
        os.kill(first, signal.SIGKILL)
        statuses = [outcome.status for outcome in await waiting]
        assert statuses.count("graph") == 2, "another does what the lost one has left"
        assert first not in {pool.reader_of(root, f"f{number}.py") for number in range(32)}
    finally:
        await pool.close()


@pytest.mark.skipif(not THREADS_HAVE_NICENESS, reason="one priority for the whole process")
def test_only_what_nobody_waits_for_leaves_the_processor_to_others() -> None:
    own, low = os.getpriority(os.PRIO_PROCESS, 0), min(os.getpriority(os.PRIO_PROCESS, 0) + 10, 19)
    seen: list[int] = []

    def run(job: Job) -> Outcome:
        seen.append(os.getpriority(os.PRIO_PROCESS, 0))
        return Outcome("parsed")

    stack = threading.stack_size()
    try:
        do = by_priority(run, lambda: len(seen) > 0)
        for is_awaited in (True, True, False, True):
            assert do(FileJob("", "a.py", "p", is_awaited=is_awaited)).status == "parsed"
        do(TextJob([], []))
    finally:
        threading.stack_size(stack)
    assert seen == [low, own, low, own, low]  # the first one loads the model


def test_a_worker_starts_without_what_awaits() -> None:
    """Its start is paid by every index run; asyncio alone takes as long as a few files."""
    parts = "worker.main", "worker.graph_jobs", "graph.resolve.resolver", "graph.update.rank"
    script = "; ".join(f"import surveyor.{part}" for part in parts) + "; import sys"
    script += "; print('asyncio' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout == "False\n"


async def test_a_worker_of_another_version_fails_its_job_instead_of_keeping_it(
    setup: WorkerSetup, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As after an update of the program while the engine runs."""
    answer = LENGTH.pack(len(body := msgspec.msgpack.encode({"status": 1}))) + body
    said = f"import sys, time; sys.stdout.buffer.write({answer!r}); sys.stdout.flush()"

    async def start(_: WorkerPool) -> asyncio.subprocess.Process:
        return await asyncio.create_subprocess_exec(
            sys.executable,
            "-c",
            f"{said}; time.sleep(60)",
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
        )

    pool = WorkerPool(setup, 1, 30.0, 5.0)
    with monkeypatch.context() as patch:
        patch.setattr(WorkerPool, "_start", start)
        job = TextJob([], ["one"])
        outcomes = await asyncio.wait_for(pool.run([job, job]), 20.0)
        assert [each.status for each in outcomes] == ["failed", "failed"]
        assert "not understood" in outcomes[0].detail
    await pool.close()


async def test_a_worker_that_cannot_start_is_no_file_s_fault(
    setup: WorkerSetup, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As where the system has no memory for it at the moment."""
    monkeypatch.setattr(pool_module, "START_PAUSE_S", 0.01)
    (tmp_path / "a.py").write_text("def a():\n    return 1\n")
    fails = tmp_path / "fails"
    fails.write_text("xx")
    python = tmp_path / "python"
    python.write_text(
        f"#!/bin/sh\nif [ -s {fails} ]; then printf %.1s $(cat {fails}) > {fails}.n;"
        f' [ "$(cat {fails})" = x ] && : > {fails} || mv {fails}.n {fails}; exit 1; fi\n'
        f'exec {sys.executable} "$@"\n'
    )
    python.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(python))
    pool = WorkerPool(setup, 1, 30.0, 5.0)
    try:
        (outcome,) = await pool.run([FileJob(str(tmp_path), "a.py", "p")])
        assert outcome.status == "parsed", outcome.detail
        assert fails.read_text() == "", "two ended before it"
    finally:
        await pool.close()


async def test_workers_that_never_start_blame_no_job_and_hold_nobody_for_ever(
    setup: WorkerSetup, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pool_module, "START_PAUSE_S", 0.0)
    (tmp_path / "a.py").write_text("a = 1\n")
    jobs = [FileJob(str(tmp_path), "a.py", "p")] * 20
    pool = WorkerPool(setup, 1, 30.0, 5.0)
    try:
        with monkeypatch.context() as patch:
            patch.setattr(sys, "executable", "/bin/false")
            with pytest.raises(NoWorkerError, match="ended with 1 before it began"):
                await pool.run(jobs)
            assert "ended with 1" in pool.start_problem
        outcomes = await pool.run(jobs)
        assert {outcome.status for outcome in outcomes} == {"parsed"}
        assert not pool.start_problem
    finally:
        await pool.close()


@pytest.mark.parametrize(
    "refusal",
    [OSError(11, "Resource temporarily unavailable"), RuntimeError("can't start new thread")],
)
async def test_a_process_that_is_refused_to_the_engine_loses_no_job(
    setup: WorkerSetup, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, refusal: Exception
) -> None:
    """As where there are as many processes, or threads, as there may be."""
    monkeypatch.setattr(pool_module, "START_PAUSE_S", 0.01)
    (tmp_path / "a.py").write_text("a = 1\n")
    refused = [refusal, refusal]
    start = asyncio.create_subprocess_exec

    async def reluctant(*command: Any, **options: Any) -> asyncio.subprocess.Process:
        if refused:
            raise refused.pop()
        return await start(*command, **options)

    monkeypatch.setattr(asyncio, "create_subprocess_exec", reluctant)
    pool = WorkerPool(setup, 1, 30.0, 5.0)
    try:
        async with asyncio.timeout(60):
            (outcome,) = await pool.run([FileJob(str(tmp_path), "a.py", "p")])
        assert outcome.status == "parsed" and not refused
    finally:
        await pool.close()


async def _most_workers(pool: WorkerPool, folder: Path) -> int:
    """How many there are while forty files are read."""
    for number in range(40):
        (folder / f"f{number}.py").write_text(f"def f{number}():\n    return {number}\n")
    running = asyncio.create_task(
        pool.run([FileJob(str(folder), f"f{n}.py", "p", parse_known=True) for n in range(40)])
    )
    most = 0
    while not running.done():
        most = max(most, len(pool.pids))
        await asyncio.sleep(0.005)
    assert {outcome.status for outcome in await running} == {"parsed"}
    return most


async def test_fewer_workers_run_where_memory_has_no_room_for_all(
    setup: WorkerSetup, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memory_module, "FRESH_S", 0.0)
    left = 4 << 30
    pool = WorkerPool(setup, 2, 30.0, 5.0, memory_left=lambda: left)
    try:
        assert await _most_workers(pool, tmp_path) == 2
        left = 32 << 20  # what others take: one of the two goes
        await _most_workers(pool, tmp_path)
        async with asyncio.timeout(30):
            while len(pool.pids) > 1:
                await pool.run([FileJob(str(tmp_path), "f0.py", "p")])
        assert await _most_workers(pool, tmp_path) == 1
    finally:
        await pool.close()


async def test_one_worker_goes_on_alone_after_one_was_killed(
    setup: WorkerSetup, tmp_path: Path
) -> None:
    pool = WorkerPool(setup, 2, 30.0, 5.0)
    try:
        assert await _most_workers(pool, tmp_path) == 2
        for pid in pool.pids:
            os.kill(pid, signal.SIGSTOP)
        jobs = [FileJob(str(tmp_path), f"f{n}.py", "p") for n in range(40)]
        running = asyncio.create_task(pool.run(jobs))
        await asyncio.sleep(0)
        while not pool.busy:
            await asyncio.sleep(0.01)
        for pid in pool.pids:
            os.kill(pid, signal.SIGKILL)
        killed = [outcome for outcome in await running if outcome.status != "parsed"]
        assert killed and all("was killed (SIGKILL" in outcome.detail for outcome in killed)
        assert await _most_workers(pool, tmp_path) == 1
    finally:
        await pool.close()


async def test_a_worker_that_has_grown_is_replaced_where_memory_is_short(
    setup: WorkerSetup, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memory_module, "FRESH_S", 0.0)
    (tmp_path / "a.py").write_text("a = 1\n")
    left = 4 << 30
    pool = WorkerPool(setup, 1, 30.0, 60.0, memory_left=lambda: left)
    seen = []
    try:
        for grown in (memory_module.GROWN_BYTES, 0):
            monkeypatch.setattr(memory_module, "GROWN_BYTES", grown)
            for left in (4 << 30, 0, 0):  # noqa: B007 - the pool asks for it
                (outcome,) = await pool.run([FileJob(str(tmp_path), "a.py", "p")])
                assert outcome.status == "parsed"
                seen.append(pool.pids)
        assert seen[0] == seen[1] == seen[2] == seen[3], "what is small stays"
        assert seen[4] != seen[3] and seen[5] != seen[4]
    finally:
        await pool.close()


async def test_a_worker_that_keeps_what_many_files_took_is_replaced_among_many(
    setup: WorkerSetup, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(4 * BATCH):
        (tmp_path / f"f{number}.py").write_text(f"f{number} = 1\n")
    jobs = [FileJob(str(tmp_path), f"f{number}.py", "p") for number in range(4 * BATCH)]
    monkeypatch.setattr(memory_module, "WORN_BYTES", 0)
    replaced = []
    for growth in (memory_module.WORN_GROWTH_BYTES, -1):
        monkeypatch.setattr(memory_module, "WORN_GROWTH_BYTES", growth)
        pool = WorkerPool(setup, 1, 30.0, 60.0)
        try:
            await pool.run(jobs[:1])
            first = pool.pids
            outcomes = await pool.run(jobs)
            assert {outcome.status for outcome in outcomes} == {"parsed"}
            many = pool.pids
            replaced.append(many != first)
            paths = [f"f{number}.py" for number in range(BATCH)]
            await pool.run([GraphJob("resolve", "c", str(tmp_path), 1, paths)])
            await pool.run(jobs[:1])
            assert pool.pids == many, "edges' files are kept on purpose; a single file is an edit"
            await pool.run([GraphJob("extract", "c", str(tmp_path), 1, paths)])
            await pool.run(jobs[:1])
            assert (pool.pids != many) == replaced[-1], "what reads files for the graph does not"
        finally:
            await pool.close()
    assert replaced == [False, True]


def test_a_worker_is_what_the_system_ends_first(setup: WorkerSetup) -> None:
    said = msgspec.msgpack.encode(setup)
    process = subprocess.Popen(
        [sys.executable, "-m", "surveyor.worker.main"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(p for p in sys.path if p)},
    )
    assert process.stdin is not None and process.stdout is not None
    process.stdin.write(LENGTH.pack(len(said)) + said)
    process.stdin.flush()
    assert process.stdout.read(LENGTH.size) == LENGTH.pack(AT_WORK)
    if sys.platform == "linux":
        assert Path(f"/proc/{process.pid}/oom_score_adj").read_text().strip() == "800"
    process.communicate()


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux holds a process to RLIMIT_AS")
def test_an_engine_with_too_little_address_space_says_so(tmp_path: Path) -> None:
    import resource  # Windows has none

    product = Product(tmp_path)
    said = product.run(
        "status",
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (300 << 20, 300 << 20)),
    )
    assert said.returncode != 0 and "address space" in said.stderr, said.stderr
    assert not product.engines()
