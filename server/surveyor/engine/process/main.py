"""The engine's process: take the lock, then load the rest and serve until told to end.

Loading takes the better part of a second. Whoever starts an engine while another one starts learns
of it from the lock before that, and ends: several of them would take that time from each other.
"""

from __future__ import annotations

import contextlib
import gc
import json
import logging
import os
import socket
import sys
import time
from pathlib import Path

from surveyor import paths, process_memory
from surveyor.engine.process import activation
from surveyor.engine_lock import EngineLock, data_unusable
from surveyor.errors import SurveyorError
from surveyor.units import format_size

log = logging.getLogger(__name__)

LOG_LIMIT_BYTES = 5 << 20
"""A log longer than this is set aside at the next start; one older log is kept."""

PRIVATE_UMASK = 0o077
"""What is made by the engine, its workers and the libraries in them is for the user only."""

GC_ALLOCATIONS = 10_000
"""Container objects made before cycles are looked for: a query makes thousands that die by their
count, and with the default of 700 looking took a twentieth of the engine's time."""

SWITCH_INTERVAL_S = 0.001
"""Answers wait for other threads' Python (commits, points) no longer than this; the default is
5 ms, paid at each of the handful of changes of thread that a query takes."""

LEAST_ADDRESS_SPACE = 800 << 20
"""Bytes of address space that an engine needs for its libraries and a small index."""

BYTECODE = "bytecode"
"""The folder of compiled modules, in the data folder."""

LOCK_TRIES = 5
LOCK_PAUSE_S = 0.01
"""Clients hold the lock for a moment when they look whether it is held."""
ACTIVATED_PAUSE_S = 0.2
"""How often an engine that systemd has started looks for a lock that another holds (an engine that
is ending, a repair): ended, it would be started again at once for the same caller."""


def run() -> int:
    """Serve in this process; returns its exit code. Another engine's lock ends it at once, unless
    systemd has given it the sockets: then it waits for the lock."""
    data = paths.data_dir()
    given = activation.take_over()
    logging.basicConfig(stream=sys.stderr, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    logging.getLogger("surveyor").setLevel(logging.INFO)
    try:
        paths.user_umask = os.umask(PRIVATE_UMASK)
        folder = paths.make_folders(data)
        paths.close_to_others(data)
        _rotate(paths.log_file(data))
        _keep_bytecode(data)
        _fit_into_limit()
        gc.disable()  # what is loaded stays; looking for cycles in it is a tenth of the time
        sys.setswitchinterval(SWITCH_INTERVAL_S)
        gc.set_threshold(GC_ALLOCATIONS, 10, 10)
        lock = EngineLock(folder / "engine.lock", data)
        while not _take(lock):
            if not given:
                return 0
            time.sleep(ACTIVATED_PAUSE_S)
        _serve(data, folder, lock, given)
    except (SurveyorError, OSError) as error:
        failure = error if isinstance(error, SurveyorError) else data_unusable(data, error)
        traced = error is not failure and not sys.stderr.isatty()
        log.error("%s\n  %s", failure.message, failure.hint, exc_info=traced)
        said = {"message": failure.message, "hint": failure.hint}
        with contextlib.suppress(OSError, SurveyorError):
            (paths.runtime_dir(data) / "start-error.json").write_text(json.dumps(said))
        return failure.exit_code
    return 0


def _keep_bytecode(data: Path) -> None:
    """Have this process keep its compiled modules in the data folder, where Python is forbidden to
    write them beside the source: compiling is a third of the time of a start, and what somebody
    else has left there may be out of date.
    """
    if sys.dont_write_bytecode and sys.pycache_prefix is None:
        sys.pycache_prefix = str(data / BYTECODE)
        sys.dont_write_bytecode = False


def _fit_into_limit() -> None:
    """Raises `SurveyorError` where the engine could start no thread before long."""
    limit = process_memory.address_space_limit()
    if limit is None:
        return
    process_memory.reserve_less()
    if limit < LEAST_ADDRESS_SPACE:
        raise SurveyorError(
            f"this process may have {format_size(limit)} of address space (`ulimit -v`), and the"
            f" engine needs {format_size(LEAST_ADDRESS_SPACE)}",
            "Start it without this limit, or with a limit of memory in its place (a control"
            " group's): what is reserved counts here as if it were used.",
        )


def _serve(data: Path, folder: Path, lock: EngineLock, given: dict[str, socket.socket]) -> None:
    import asyncio

    # Not before the lock is taken: see above.
    from surveyor.engine.process import read_only
    from surveyor.engine.process.data_folder import DataFolderHold
    from surveyor.engine.process.loop_watchdog import watched_loop
    from surveyor.engine.process.server import serve

    leaving = contextlib.ExitStack()

    def release() -> None:
        leaving.close()
        lock.release()
        paths.leave(data)

    try:
        served, refusal = data, None
        if paths.is_read_only(data):
            served = leaving.enter_context(read_only.copied(data))
            refusal = read_only.refusal(data)
        with asyncio.Runner(loop_factory=watched_loop) as runner:
            hold = DataFolderHold(data, lock, folder)
            runner.run(serve(served, folder, hold, release, refusal, given))
    finally:
        release()


def _take(lock: EngineLock) -> bool:
    for _ in range(LOCK_TRIES):
        if lock.acquire():
            return True
        time.sleep(LOCK_PAUSE_S)
    return False


def _rotate(path: Path) -> None:
    with contextlib.suppress(OSError):
        if path.stat().st_size > LOG_LIMIT_BYTES:
            path.replace(path.with_suffix(".log.1"))
