"""At which priority a worker does its jobs: what somebody waits for at that of any program.

A process cannot take back that it left the processor to others, but on Linux each thread has a
priority of its own: jobs that nobody waits for are done by a second thread, which has a low one.
There is one job at a time all the same. Elsewhere the whole process has the low one.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from surveyor.platform.processes import THREADS_HAVE_NICENESS, be_nice
from surveyor.worker.messages import FileJob, Job, Outcome

__all__ = ["by_priority"]

NICENESS = 10
STACK_BYTES = 8 << 20
"""What the first thread of a process has: some systems give others too little for a deep tree."""


def by_priority(
    run: Callable[[Job], Outcome], has_model: Callable[[], bool]
) -> Callable[[Job], Outcome]:
    """`run`, at the priority that is a job's.

    `has_model`: whether the model is loaded. A low priority does that: what starts threads of its
    own, as a transformer does, gives them the priority that it has itself.
    """
    if not THREADS_HAVE_NICENESS:
        be_nice(NICENESS)
        return run
    threading.stack_size(STACK_BYTES)
    behind = ThreadPoolExecutor(1, "behind", initializer=be_nice, initargs=(NICENESS,))

    def do(job: Job) -> Outcome:
        if isinstance(job, FileJob) and job.is_awaited and has_model():
            return run(job)
        return behind.submit(run, job).result()

    return do
