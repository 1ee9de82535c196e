"""Ends processes that take too long or stand still, and all that they have started.

One thread watches all that run. A process that is waited for stands still when neither it nor a
child of it has used the processor for a while: it has opened a FIFO, or waits for a file system
that does not answer. A deadline alone would have to be as long as the longest honest answer.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import IO

import psutil

from surveyor.git.errors import GitError
from surveyor.platform.processes import end_group, processor_ns, wait_unreaped
from surveyor.platform.streams import is_readable

STANDING_STILL_S = 5.0
LOOK_S = 0.25
STARTED_S = 0.3
"""A program is started sooner than this, or hangs before it is one."""
_MEASURE_AFTER_S = 1.0
"""Answers that come sooner are not looked into: measuring reads the table of processes."""
_MEASURE_EVERY_S = 1.0


class WatchedChild:
    """A process with a group of its own, and how long it may be waited for."""

    def __init__(
        self, process: subprocess.Popen[bytes], timeout: float, mark: tuple[str, str]
    ) -> None:
        """`mark` is a variable of its environment that no other process has."""
        self.process = process
        self._mark = mark
        self.killed_because = ""
        self.is_late = False
        self.stood_still = False
        self._timeout = timeout
        self._lock = threading.Lock()
        self._is_at_end = False
        self._is_reaped = False
        self._waits_since: float | None = None
        self._waited_s = 0.0
        self._measured_at = self._moved_at = 0.0
        self._used_s = -1.0

    def read(self, stream: IO[bytes], size: int) -> bytes:
        """The next part of the answer; empty at its end."""
        with self._waiting():
            # One that has left the group may hold the pipe open when all others are dead.
            while not is_readable(stream.fileno(), LOOK_S):
                if self.killed_because:
                    return b""
            block = os.read(stream.fileno(), size)
        self._is_at_end = not block
        return block

    def end(self) -> int:
        """Have it ended, and with it all that it leaves behind; returns its exit status."""
        if not self._is_at_end:  # the rest of its answer is not wanted
            with self._lock:
                self._kill_group()
        with self._waiting():
            wait_unreaped(self.process)
        with self._lock:
            self._kill_group()
            code = self.process.wait()
            self._is_reaped = True
        if self.process.stdout is not None:
            self.process.stdout.close()
        return code

    @contextmanager
    def _waiting(self) -> Iterator[None]:
        """Only while somebody waits does its time run: who reads slowly may."""
        started = self._moved_at = time.monotonic()
        self._used_s = -1.0
        self._waits_since = started
        try:
            yield
        finally:
            self._waits_since = None
            self._waited_s += time.monotonic() - started

    def check(self, now: float) -> None:
        """Kill it when it is late or stands still."""
        since = self._waits_since
        if since is None or self.killed_because:
            return
        if self._waited_s + now - since > self._timeout:
            self.is_late = True
            self.kill(f"it took longer than {self._timeout:g} s")
        elif now - since > _MEASURE_AFTER_S and now - self._measured_at > _MEASURE_EVERY_S:
            self._measured_at = now
            used = _processor_s(self.process.pid)
            if used != self._used_s:
                self._used_s, self._moved_at = used, now
            elif now - self._moved_at > STANDING_STILL_S - _MEASURE_AFTER_S:
                self.stood_still = True
                self.kill(f"it stood still for {STANDING_STILL_S:g} s")

    def kill(self, why: str) -> None:
        """Kill it and all that it has started."""
        with self._lock:
            if not self._is_reaped:
                self.killed_because = self.killed_because or why
                self._kill_group()
                self._kill_marked()

    def _kill_marked(self) -> None:
        """Those that have left the group; they have the environment that only it was given."""
        name, value = self._mark
        for process in psutil.process_iter():
            with contextlib.suppress(psutil.Error, OSError):
                if value and process.environ().get(name) == value:
                    process.kill()

    def _kill_group(self) -> None:
        with contextlib.suppress(OSError):
            end_group(self.process.pid)


def _processor_s(pid: int) -> float:
    """Seconds of the processor that a process and its children have used so far."""
    used = 0.0
    with contextlib.suppress(psutil.Error):
        leader = psutil.Process(pid)
        for process in (leader, *leader.children(recursive=True)):
            with contextlib.suppress(psutil.Error):
                times = process.cpu_times()
                used += times.user + times.system
            used += processor_ns(process.pid) / 1e9  # the above counts hundredths
    return used


class _Watch:
    """The thread; it lives as long as there is something to watch."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._children: set[WatchedChild] = set()
        self._thread: threading.Thread | None = None
        self._is_over = False

    def start(self, start: Callable[[], WatchedChild]) -> WatchedChild:
        with self._lock:  # none is started beside `stop_all`, and missed by it
            if self._is_over:
                raise GitError("Surveyor is ending")
            child = start()
            self._children.add(child)
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="git-watch", daemon=True)
                self._thread.start()
            return child

    def remove(self, child: WatchedChild) -> None:
        with self._lock:
            self._children.discard(child)

    def _run(self) -> None:
        while True:
            time.sleep(LOOK_S)
            with self._lock:
                children = list(self._children)
                if not children:
                    self._thread = None
                    return
            for child in children:
                child.check(time.monotonic())

    def start_no_more(self) -> None:
        self._is_over = True
        if self._lock.acquire(timeout=STARTED_S):  # what is just being started is there
            self._lock.release()

    def stop_all(self) -> None:
        with self._lock:
            children = list(self._children)
        for child in children:
            child.kill("Surveyor is ending")


_watch = _Watch()


@contextmanager
def watched(start: Callable[[], WatchedChild]) -> Iterator[WatchedChild]:
    """Start a process, and watch it for as long as its answer is read."""
    child = _watch.start(start)
    try:
        yield child
    finally:
        _watch.remove(child)


def stop_all() -> None:
    """Kill every git that this process has started, with its children: who waits gets an error."""
    _watch.stop_all()


def start_no_more() -> None:
    """Have every further start raise `GitError`, for a process that is about to be gone."""
    _watch.start_no_more()
