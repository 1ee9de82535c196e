"""Ending the engine from outside: asked first, killed where it does not answer."""

from __future__ import annotations

import contextlib
import time
from pathlib import Path
from typing import TYPE_CHECKING

from surveyor.cli import output

if TYPE_CHECKING:
    from collections.abc import Sequence

    import psutil

    from surveyor.engine_lock import LockHolder

CHILDREN_S = 0.5
"""How long the engine's children may take to end once it has."""
ANSWER_S = 1.5
"""How long an engine that is to end may take to say so."""


def end_engine(*, quietly: bool = False) -> bool:
    """End the engine and wait until it is gone; whether there was one.

    One that does not end by itself in time is killed, with its children.
    """
    from surveyor import paths
    from surveyor.client.blocking import SilentEngineError, connect
    from surveyor.engine.process.shutdown import KILL_S, children_of, named
    from surveyor.engine_lock import holder_of, is_released
    from surveyor.errors import EngineUnavailableError
    from surveyor.protocol.engine import StopRequest

    lock = paths.runtime_dir(paths.data_dir()) / "engine.lock"
    deadline = time.monotonic() + KILL_S
    holder = holder_of(lock)
    children = [] if holder is None else children_of(holder.pid)
    names = named(children)
    try:
        with connect(start=False, greet_s=ANSWER_S) as client:
            client.limit(ANSWER_S)
            client.call(StopRequest())
    except (SilentEngineError, TimeoutError):
        deadline = min(deadline, time.monotonic() + ANSWER_S)
    except EngineUnavailableError:
        if holder is None or not holder.is_engine:
            return False  # else it is ending, or ended before it had answered
    if not is_released(lock, deadline):
        _kill(lock, quietly)
    elif not quietly:
        output.say(_ended(holder, names, named(still_running(children))))
    return True


def still_running(processes: Sequence[psutil.Process]) -> list[psutil.Process]:
    """Those that have not ended a moment after they were told to; a zombie has."""
    import psutil

    _, alive = psutil.wait_procs(processes, timeout=CHILDREN_S)
    return [each for each in alive if each.is_running() and each.status() != psutil.STATUS_ZOMBIE]


def _ended(holder: LockHolder | None, children: Sequence[str], left: Sequence[str]) -> str:
    """What has ended, and what has not."""
    engine = "The engine" if holder is None else f"The engine ({holder.pid})"
    gone = [each for each in children if each not in left]
    with_them = f", with {', '.join(gone)}" if gone else ""
    said = f"{engine} has ended{with_them}."
    return f"{said} Still running: {', '.join(left)}." if left else said


def _kill(lock: Path, quietly: bool) -> None:
    """End who has the lock from outside, with its children."""
    import psutil

    from surveyor.engine.process.shutdown import children_of, end_all, named
    from surveyor.engine_lock import holder_of, is_held
    from surveyor.errors import SurveyorError

    holder = holder_of(lock)
    if holder is None:
        if not is_held(lock):
            return
        raise SurveyorError(
            f"a process holds {lock} and has not said which it is", f"`fuser {lock}` names it."
        )
    if not holder.is_engine:
        raise SurveyorError(
            f"{holder.sentence} holds the data folder and is no engine", "Wait until it has ended."
        )
    try:
        engine = psutil.Process(holder.pid)
        children = children_of(holder.pid)
        ended = named(children)
        end_all([engine, *children])
        with contextlib.suppress(psutil.TimeoutExpired):
            engine.wait(ANSWER_S)
    except psutil.NoSuchProcess:  # it has ended by itself after all
        return
    if not quietly:
        with_them = f", with {', '.join(ended)}" if ended else ""
        output.say(f"{holder.sentence} did not end by itself: it was killed{with_them}.")
