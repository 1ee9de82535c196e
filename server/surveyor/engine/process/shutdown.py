"""Ending for certain: an engine that is told to end is gone seconds later, with its children.

What is promised is in SQLite's and the store's logs by then; a process may end at any place.
"""

from __future__ import annotations

import contextlib
import logging
import os
import threading
from collections.abc import Callable, Sequence

import psutil

from surveyor.git import leftovers, watchdog
from surveyor.platform.processes import end_led_group

log = logging.getLogger(__name__)

GRACE_S = 3.0
"""So long an engine has to close what is open."""
KILL_S = 4.5
"""So long its client waits before it ends it from outside; within the five seconds promised."""


def children_of(pid: int) -> list[psutil.Process]:
    """All processes below one; none when it is gone."""
    try:
        return psutil.Process(pid).children(recursive=True)
    except psutil.Error:
        return []


def named(processes: Sequence[psutil.Process]) -> list[str]:
    """Processes as a person knows them: the program and its id."""
    found = []
    for process in processes:
        with contextlib.suppress(psutil.Error):
            words = process.cmdline()
            if "surveyor.worker.main" in words:
                name = "index worker"
            elif "surveyor.store.vectors.compact" in words:
                name = "compaction"
            else:
                name = process.name()
            found.append(f"{name} ({process.pid})")
    return found


def end_all(processes: Sequence[psutil.Process]) -> None:
    """SIGKILL to processes, to the groups that some of them lead, and to what git left of them."""
    for process in processes:
        end_led_group(process)
    leftovers.end_of({process.pid for process in processes})


def leave(code: int = 0) -> None:
    """End this process now, with its children: no thread is waited for."""
    watchdog.start_no_more()
    end_all(children_of(os.getpid()))
    leftovers.end_of({os.getpid()})
    logging.shutdown()
    os._exit(code)


def leave_after(clean_up: Callable[[], None], grace_s: float = GRACE_S) -> None:
    """End this process in a few seconds, whatever it does then; first calls `clean_up`."""

    def end() -> None:
        log.warning("what is open is not closed within %g s: ending all the same", grace_s)
        with contextlib.suppress(Exception):
            clean_up()
        leave()

    timer = threading.Timer(grace_s, end)
    timer.daemon = True
    timer.start()
