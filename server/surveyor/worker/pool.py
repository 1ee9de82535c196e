"""The engine's side of the index workers: start them, feed them, survive them.

A worker that crashes, hangs or needs too much memory costs the file it was at: that job's outcome
is `failed`, the jobs behind it go to a fresh worker.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import signal
import sys
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import cast

import msgspec

from surveyor.errors import SurveyorError
from surveyor.graph.jobs import GraphJob
from surveyor.platform.processes import (
    is_refused_memory,
    waited_for_processor,
    waits_for_disk,
    was_ended_from_outside,
)
from surveyor.structural.jobs import PatternJob
from surveyor.worker.choice import Ticket, choose, languages_of
from surveyor.worker.memory import MemoryShare, MemoryWatch, WornMemory
from surveyor.worker.messages import (
    AT_WORK,
    BROKEN,
    KILLED,
    LENGTH,
    LOADING,
    PIPE_BYTES,
    FileJob,
    Job,
    Outcome,
    TextJob,
    WorkerSetup,
)

log = logging.getLogger(__name__)

BATCH = 8
"""Jobs handed to a worker at once: enough that it never waits for the next."""
READERS = 4000
"""Files of which it is known which worker has read them last."""
LATER_BATCH = 2
"""The same of jobs that nobody waits for, because an edit waits for the end of a batch: one job of
the graph takes a tenth of a second."""
FEW_LATER = 4
LATER_WAITS_S = 0.5
"""So few of them wait so long for the workers that there are: another takes longer to start than
these do together, and a core. They may be at a file that takes them until its time limit."""
NEW_WAITS_S = 3.0
"""So long a batch waits for a worker that has just been started, before there is another for it."""
URGENT = (FileJob, PatternJob)
"""Jobs that somebody waits for."""
START_TIMEOUT_S = 60.0
"""Extra time for a worker's start, and for loading a model."""

KILL: int = getattr(signal, "SIGKILL", 0)
START_PAUSE_S = 1.0
"""How long it is waited after a worker that ended before it began; twice as long each time."""
MAX_START_FAILURES = 6
"""After so many in a row what waits is told so, and nobody waits for ever."""
SAID_AFTER = 2
"""After more than so many in a row it is said that workers cannot be started."""

PATIENT_TIMES = 10
"""By the clock a worker that others leave no processor is waited for so many times what a file may
take, at most."""
LEAST_WAIT_S = 0.5
"""A worker that waited less for a processor has had its time."""
GONE_S = 2.0
"""How long a killed worker is waited for: one that waits for a file system may not even end."""
MOST_PASSED = 8
"""Batches of files before one of what waits beside them: some seconds of a large project, and more
than any edit brings."""
TOTAL_TIMES = 30
"""A job ends after so many times what a file may take, whatever its worker says of being at it: a
slow model needs minutes for a long file."""


class BrokenJobError(SurveyorError):
    """A job has broken its worker; doing it again would break another."""

    code = "broken_worker"


class NoWorkerError(SurveyorError):
    """Workers cannot be started, for want of memory or of processes: no job is to blame."""

    code = "no_worker"


class _Patience:
    """How long a worker is waited for: what it waits for a processor that others have is no file's
    fault, and a worker gives way to everything else."""

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self._waited = waited_for_processor(pid)

    async def wait(
        self, read: Callable[[], Awaitable[bytes]], limit_s: float, until: float
    ) -> bytes:
        """What `read` gives. Raises `TimeoutError` once the worker could have run for `limit_s`, or
        at `until` by the event loop's clock; what came of it until then is still to be read."""
        left, loop = limit_s, asyncio.get_running_loop()
        while True:
            try:
                async with asyncio.timeout(left):
                    return await read()
            except TimeoutError:
                now = waited_for_processor(self._pid)
                left = min(now - self._waited, until - loop.time())
                self._waited = now
                if left < LEAST_WAIT_S:
                    raise


class WorkerPool:
    """Up to `count` worker processes, started when there is work, gone when there is none."""

    def __init__(
        self,
        setup: WorkerSetup,
        count: int,
        file_timeout_s: float,
        idle_s: float,
        keep_one: Callable[[], bool] = lambda: False,
        kept_s: float = 0.0,
        memory_left: Callable[[], int | None] = lambda: None,
    ) -> None:
        """`memory_left`: bytes that can be had without taking them from others, where known."""
        self._setup = setup
        self._file_timeout_s = file_timeout_s
        self._idle_s = idle_s
        self._keep_one = keep_one
        """Whether the last worker stays: starting one takes longer than indexing an edit."""
        self._kept_s = kept_s
        self._kept_until = 0.0
        """By the event loop's clock: until then the last worker stays as well."""
        self._waiting: deque[Ticket] = deque()
        self._later: deque[Ticket] = deque()
        """Everything but `URGENT`: somebody waits for an edit to be found, nobody for an edge."""
        self._passed = 0
        """Batches of files since what waits beside them had its turn."""
        self._later_is_next = False
        """Of what waits beside files: whether everybody's is next, not what one worker has read."""
        self._idlers: list[asyncio.Future[None]] = []
        """Workers that wait for jobs, the one that ended its last most recently at the end: it has
        next what it has just read, and the queries of a language that it has compiled."""
        self._compiled: list[set[str]] = []
        """Of each worker: the languages of its files so far."""
        self._count = count
        self._keepers: set[asyncio.Task[None]] = set()
        self._leaving: set[asyncio.Task[None]] = set()
        """Those of them that end their process and take no more jobs."""
        self._endings: set[asyncio.Task[None]] = set()
        """Processes being ended, which a cancelled keeper leaves behind."""
        self._processes: dict[int, asyncio.subprocess.Process] = {}
        self._readers: dict[tuple[str, str], int] = {}
        """By root and path: the process that has read a file last and made no graph of it."""
        self._own: dict[int, deque[Ticket]] = {}
        """Jobs for one process, which has at hand what they need."""
        self._idle = 0
        self._expecting = 0
        """Workers that start before there is work for them."""
        self._new = 0
        """Workers at the first batch since they were started."""
        self._sent = 0
        self._start_failures = 0
        """Workers in a row that ended before they began."""
        self._start_problem = ""
        self._memory = MemoryShare(memory_left)
        self._held: dict[str, asyncio.subprocess.Process] = {}
        """By root: the worker that was killed while it waited for its file system."""
        self._closed = False

    @property
    def pids(self) -> list[int]:
        """Workers alive now."""
        return list(self._processes)

    @property
    def busy(self) -> bool:
        """Whether some worker has jobs that it has not answered."""
        return self._sent > 0

    @property
    def held_roots(self) -> set[str]:
        """Where a worker that was killed still waits for the file system."""
        return {root for root, process in self._held.items() if process.returncode is None}

    @property
    def idle(self) -> int:
        """How many workers wait for jobs."""
        return self._idle

    @property
    def start_problem(self) -> str:
        """Why no worker can be started, if so for a while already."""
        return self._start_problem if self._start_failures > SAID_AFTER else ""

    def change(self, setup: WorkerSetup) -> None:
        """Work by other settings from now on: workers end after the batch they are at."""
        if setup != self._setup:
            self._setup = setup

    def reader_of(self, root: str, path: str) -> int:
        """The process that may have a file's tree still; 0 when none has."""
        return self._readers.get((root, path), 0)

    async def run(self, jobs: Sequence[Job], workers: int = 0, reader: int = 0) -> list[Outcome]:
        """Do jobs, in any order on any worker, of which there are so many at least; outcomes in
        the order of the jobs. `reader`: the process that does them soonest, if it is there.
        Raises `NoWorkerError` where no worker can be started."""
        loop = asyncio.get_running_loop()
        tickets = [Ticket(job, loop.create_future()) for job in jobs]
        outcomes = [ticket.outcome for ticket in tickets]
        for ticket in tickets:
            if self._is_held(ticket.job):
                ticket.outcome.set_result(_of_a_silent_disk())
        tickets = [ticket for ticket in tickets if not ticket.outcome.done()]
        if reader in self._processes:
            self._own.setdefault(reader, deque()).extend(tickets)
            self._wake(len(self._idlers))
        else:
            for ticket in tickets:
                (self._waiting if isinstance(ticket.job, URGENT) else self._later).append(ticket)
            self._staff(workers)
        try:
            return list(await asyncio.gather(*outcomes))
        finally:
            for each in outcomes:  # of several that failed, one has been raised
                if each.done() and not each.cancelled():
                    each.exception()

    def _staff(self, workers: int = 0, *, at_once: bool = False) -> None:
        """Have workers for what waits, so many at least. But `at_once`, what waits is left at first
        to workers that are new, or, where it is little that nobody waits for, to any that is."""
        queued = hurried = len(self._waiting) + len(self._later)
        busy = max(0, self._staying - self._idle - self._expecting)
        new = min(self._new, busy)
        if not at_once:
            if busy and len(self._later) <= FEW_LATER:
                hurried = len(self._waiting)
            if queued and (new or hurried < queued):
                wait_s = NEW_WAITS_S if new else LATER_WAITS_S
                asyncio.get_running_loop().call_later(wait_s, self._staff_what_waits)
            busy -= new if hurried else 0
        wanted = min(self._count, max(workers, busy + -(-hurried // BATCH)))
        while self._staying < wanted and self._memory.has_room_for(
            self._staying + 1, self._processes
        ):
            keeper = asyncio.create_task(self._keep_worker(), name="index-worker")
            self._new += 1
            self._keepers.add(keeper)
            keeper.add_done_callback(self._ended)
        self._wake(queued)

    def _staff_what_waits(self) -> None:
        if (self._waiting or self._later) and not self._closed:
            self._staff(at_once=True)

    @property
    def _staying(self) -> int:
        """Keepers that take jobs."""
        return len(self._keepers) - len(self._leaving)

    def _ended(self, keeper: asyncio.Task[None]) -> None:
        self._keepers.discard(keeper)
        self._leaving.discard(keeper)

    async def warm(self, workers: int = 1) -> None:
        """Start workers, with the model loaded: there will be work for so many."""
        missing = min(workers, self._count) - self._staying
        if missing > 0:
            job = TextJob(titles=[""], texts=["warm"])
            await self.run([job] * missing, self._staying + missing)

    async def expect(self, path: str) -> None:
        """A file like `path` has changed: have a worker that is ready for its kind, and keep one.

        Whoever saves a file saves another soon, and a batch of events takes longer to end than
        half of a worker's start.
        """
        self._kept_until = asyncio.get_running_loop().time() + self._kept_s
        if self._kept_s and not self._staying:
            self._expecting += 1
            try:
                await self.run([FileJob("", path, "", data=b"x", parse_known=True)])
            finally:
                self._expecting -= 1

    async def close(self) -> None:
        """End all workers; jobs still waiting are cancelled."""
        self._closed = True
        for keeper in list(self._keepers):
            keeper.cancel()
        await asyncio.gather(*self._keepers, return_exceptions=True)
        await asyncio.gather(*self._endings, return_exceptions=True)
        for line in (self._waiting, self._later, *self._own.values()):
            for _, future in line:
                future.cancel()
            line.clear()

    async def _take(self, pid: int, compiled: set[str]) -> list[Ticket]:
        """The next jobs; empty when the worker of this process is to end."""
        if self._memory.is_too_many(self._staying, self._processes):
            self._leave()
            return []
        while not (tickets := await self._take_in_time(pid, compiled)):
            if self._staying > 1 or not (self._keep_one() or self._is_kept()):
                self._leave()
                return []
        return tickets

    def _leave(self) -> None:
        """This keeper takes no more: at once, so that of several that leave together one can be the
        last."""
        self._leaving.add(cast("asyncio.Task[None]", asyncio.current_task()))

    def _is_kept(self) -> bool:
        return asyncio.get_running_loop().time() < self._kept_until

    async def _take_in_time(self, pid: int, compiled: set[str]) -> list[Ticket]:
        self._idle += 1
        try:
            async with asyncio.timeout(self._idle_s):
                while not self._line(pid):
                    await self._next_jobs()
        except TimeoutError:
            if not self._line(pid):  # what came at the last moment is done
                return []
        finally:
            self._idle -= 1
        line = self._in_turn(pid)
        most = BATCH if line is self._waiting else LATER_BATCH
        share = max(1, min(most, -(-len(line) // self._count)))
        if line is not self._waiting:
            return [line.popleft() for _ in range(min(share, len(line)))]
        others = (each for each in self._compiled if each is not compiled)
        tickets = choose(line, share, compiled, set().union(*others))
        compiled |= languages_of(tickets)
        return tickets

    def _line(self, pid: int) -> deque[Ticket]:
        """What the worker of a process does next: files, then what only it has the trees for."""
        return self._waiting or self._own.get(pid) or self._later

    def _in_turn(self, pid: int) -> deque[Ticket]:
        """The same, but that a large project's files let others' edges be worked out meanwhile."""
        own = self._own.get(pid)
        if self._waiting and (own or self._later):
            self._passed += 1
            if self._passed <= MOST_PASSED:
                return self._waiting
            self._passed = 0
        elif self._waiting:
            return self._waiting
        if own and self._later:  # a large project's is refilled as long as it has files
            self._later_is_next = not self._later_is_next
            return self._later if self._later_is_next else own
        return own or self._later

    async def _next_jobs(self) -> None:
        """Wait until jobs have come, which another worker may have taken by then."""
        woken = asyncio.get_running_loop().create_future()
        self._idlers.append(woken)
        try:
            await woken
        finally:
            with contextlib.suppress(ValueError):
                self._idlers.remove(woken)

    def _wake(self, jobs: int) -> None:
        """Have idle workers look for jobs, one for each at most."""
        for _ in range(min(jobs, len(self._idlers))):
            woken = self._idlers.pop()
            if not woken.done():  # its time is over: it looks once more as it is
                woken.set_result(None)

    async def _keep_worker(self) -> None:
        """One worker's life: jobs until idle, a fresh process whenever one is lost."""
        process: asyncio.subprocess.Process | None = None
        setup = self._setup
        worn = WornMemory()
        compiled: set[str] = set()
        self._compiled.append(compiled)
        new = 1  # as it was counted when this began
        try:
            while tickets := await self._take(process.pid if process is not None else 0, compiled):
                if process is not None and (
                    setup is not self._setup or process.returncode is not None
                ):
                    await self._end(process)
                    process = None
                if process is None:
                    self._new += 1 - new
                    new = 1
                    setup = self._setup
                    compiled &= languages_of(tickets)
                    try:
                        process = await self._start()
                    except (OSError, RuntimeError, MemoryError) as error:  # as many as there may be
                        await self._wait_to_start(deque(tickets), f"cannot be started: {error}")
                        continue
                    grace, worn = START_TIMEOUT_S, WornMemory()
                else:
                    grace = 0.0
                good = await self._serve(process, tickets, grace)
                self._new -= new
                new = 0
                worn_out = self._reads_many(tickets) and worn.is_worn(process.pid)
                if not good or worn_out or self._memory.is_grown(process.pid):
                    await self._end(process)
                    process = None
        finally:
            self._new -= new
            self._compiled = [each for each in self._compiled if each is not compiled]
            if process is not None:
                ending = asyncio.create_task(self._end(process))
                self._endings.add(ending)
                ending.add_done_callback(self._endings.discard)
                await asyncio.shield(ending)

    def _reads_many(self, tickets: Sequence[Ticket]) -> bool:
        """Whether a worker reads a folder's files rather than an edit's. What resolves edges has
        what it needs at hand on purpose."""
        last = tickets[-1].job
        if isinstance(last, GraphJob):
            return last.kind == "extract" and len(last.paths) >= BATCH
        return isinstance(last, FileJob) and len(self._waiting) >= BATCH

    async def _start(self) -> asyncio.subprocess.Process:
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "surveyor.worker.main",
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            limit=PIPE_BYTES,
            env=os.environ
            | {
                "PYTHONPATH": os.pathsep.join(p for p in sys.path if p),
                # Freed arenas go back to the system instead of piling up per thread.
                "MALLOC_ARENA_MAX": "2",
                "OMP_NUM_THREADS": str(self._setup.threads),
                "OPENBLAS_NUM_THREADS": "1",
                "TOKENIZERS_PARALLELISM": "false",
            },
        )
        self._processes[process.pid] = process
        assert process.stdin is not None
        _write(process.stdin, msgspec.msgpack.encode(self._setup))
        return process

    async def _end(self, process: asyncio.subprocess.Process) -> None:
        self._processes.pop(process.pid, None)
        self._readers = {file: pid for file, pid in self._readers.items() if pid != process.pid}
        if left := self._own.pop(process.pid, None):  # another has to read the files again
            self._later.extend(left)
            if not self._closed:
                self._staff()
        if process.stdin is not None:
            process.stdin.close()
        await _killed(process)

    def _is_held(self, job: Job) -> bool:
        """Whether a file lies where a worker still waits for the disk: each would cost another."""
        if not isinstance(job, FileJob) or job.data is not None:
            return False
        process = self._held.get(job.root)
        if process is not None and process.returncode is not None:
            del self._held[job.root]
            process = None
        return process is not None

    async def _serve(
        self, process: asyncio.subprocess.Process, tickets: list[Ticket], grace: float
    ) -> bool:
        """Feed a batch; returns whether the worker is still good."""
        assert process.stdin is not None and process.stdout is not None
        waiting = deque(tickets)
        self._sent += len(tickets)
        loop = asyncio.get_running_loop()
        memory = MemoryWatch(process, self._setup.memory_limit)
        memory.check()
        begun = loop.time()
        begun_work = not grace
        patience = _Patience(process.pid)
        # Beside the reading: a worker whose answer fills its pipe takes no more jobs until then.
        feeding = asyncio.create_task(  # noqa: RUF006 - ended and awaited below
            _feed(process.stdin, [job for job, _ in tickets])
        )
        try:
            while waiting:
                until = begun + PATIENT_TIMES * self._file_timeout_s
                limit = self._file_timeout_s + grace
                read = partial(process.stdout.readexactly, LENGTH.size)
                (length,) = LENGTH.unpack(await patience.wait(read, limit, until))
                begun_work, self._start_failures = True, 0
                if length in (AT_WORK, LOADING):
                    grace = START_TIMEOUT_S if length == LOADING else 0.0
                    memory.loading(length == LOADING)
                    if loop.time() - begun > TOTAL_TIMES * self._file_timeout_s:
                        raise TimeoutError
                    continue
                read = partial(process.stdout.readexactly, length)
                body = await patience.wait(read, limit, until)
                grace = 0.0
                begun = loop.time()
                outcome = msgspec.msgpack.decode(body, type=Outcome)
                job, future = waiting.popleft()
                self._note_reader(job, outcome, process.pid)
                if not future.done():
                    future.set_result(outcome)
        except TimeoutError:
            waited = waits_for_disk(process.pid)
            if not await _killed(process) or waited:
                self._blame_disk(waiting, process)
            else:
                self._blame(waiting, f"took longer than {self._file_timeout_s:g} s", BROKEN)
            return False
        except msgspec.DecodeError as error:
            # Of another version: the program was exchanged while this engine runs.
            self._blame(waiting, f"the index worker's answer is not understood: {error}", BROKEN)
            return False
        except (asyncio.IncompleteReadError, ConnectionError, BrokenPipeError):
            code = await process.wait()
            if not begun_work:
                await self._wait_to_start(waiting, f"{_ended(code)} before it began")
            elif memory.exceeded or (memory.nearly and is_refused_memory(code)):
                self._blame(waiting, memory.sentence, BROKEN)
            else:
                why = KILLED if was_ended_from_outside(code) else BROKEN
                if why == KILLED:
                    self._memory.killed()
                self._blame(waiting, f"the index worker {_ended(code)}", why)
            return False
        except asyncio.CancelledError:
            for _, future in waiting:
                future.cancel()
            raise
        finally:
            self._sent -= len(tickets)
            feeding.cancel()
            memory.stop_checking()
            await asyncio.gather(feeding, return_exceptions=True)
        return True

    def _note_reader(self, job: Job, outcome: Outcome, pid: int) -> None:
        if isinstance(job, FileJob) and outcome.parsed is not None and outcome.parsed.graph_pending:
            self._readers.pop((job.root, job.path), None)
            self._readers[job.root, job.path] = pid
            if len(self._readers) > READERS:
                del self._readers[next(iter(self._readers))]

    async def _wait_to_start(self, waiting: deque[Ticket], why: str) -> None:
        """A worker that ended before it began, for want of memory for example: no job is at fault,
        and all are done by the next one, a while later. When that goes on, all are given back."""
        pause = START_PAUSE_S * 2 ** min(self._start_failures, MAX_START_FAILURES - 1)
        self._start_failures += 1
        self._start_problem = f"an index worker {why}"
        log.warning("an index worker %s: tried again in %g s", why, pause)
        self._waiting.extendleft(reversed(waiting))
        waiting.clear()
        if self._start_failures >= MAX_START_FAILURES:
            for line in (self._waiting, self._later, *self._own.values()):
                while line:
                    _, future = line.popleft()
                    if not future.done():
                        future.set_exception(
                            NoWorkerError(
                                f"index workers cannot be started: {self._start_problem}",
                                "It is tried again by itself; is memory short, or are there too"
                                " many processes?",
                            )
                        )
        await asyncio.sleep(pause)

    def _blame(self, waiting: deque[Ticket], why: str, reason: str) -> None:
        """The first unanswered job is at fault; those behind it are innocent."""
        job, future = waiting.popleft()
        log.warning("an index worker is replaced: %s: %s", _named(job), why)
        if not future.done():
            future.set_result(Outcome("failed", reason=reason, detail=why))
        self._waiting.extendleft(reversed(waiting))

    def _blame_disk(self, waiting: deque[Ticket], process: asyncio.subprocess.Process) -> None:
        """No file is at fault; those beside it would be waited for in the same way."""
        job = waiting[0].job
        if not isinstance(job, FileJob):
            self._blame(waiting, "waited for a disk that does not answer", KILLED)
            return
        log.warning("an index worker is replaced: the disk of %s does not answer", job.root)
        _, outcome = waiting.popleft()
        if not outcome.done():
            outcome.set_result(_of_a_silent_disk())
        self._held[job.root] = process
        left = [*waiting, *self._waiting]
        self._waiting.clear()
        for ticket in left:
            if not self._is_held(ticket.job):
                self._waiting.append(ticket)
            elif not ticket.outcome.done():
                ticket.outcome.set_result(_of_a_silent_disk())


def _of_a_silent_disk() -> Outcome:
    return Outcome("unseen", detail="its disk does not answer")


async def _killed(process: asyncio.subprocess.Process) -> bool:
    """Kill a worker; whether it has ended, which it may not as long as a file system is silent."""
    with contextlib.suppress(ProcessLookupError):
        process.kill()
    try:
        await asyncio.wait_for(process.wait(), GONE_S)
    except TimeoutError:
        log.warning("index worker %d waits for a disk, and ends when that answers", process.pid)
        return False
    return True


def _ended(code: int) -> str:
    """How a process ended, in words."""
    if code >= 0:
        return f"ended with {code}"
    try:
        name = signal.Signals(-code).name
        if -code == KILL:
            return f"was killed ({name}, by the system for want of memory perhaps)"
        return f"crashed ({name})"
    except ValueError:
        return f"ended with {code}"


def _named(job: Job) -> str:
    """What a job is about, for the log."""
    return str(getattr(job, "path", "") or getattr(job, "kind", "") or type(job).__name__)


async def _feed(stream: asyncio.StreamWriter, jobs: Sequence[Job]) -> None:
    for job in jobs:
        _write(stream, msgspec.msgpack.encode(job))
        await stream.drain()


def _write(stream: asyncio.StreamWriter, body: bytes) -> None:
    stream.write(LENGTH.pack(len(body)) + body)


__all__ = ["BrokenJobError", "FileJob", "NoWorkerError", "TextJob", "WorkerPool"]
