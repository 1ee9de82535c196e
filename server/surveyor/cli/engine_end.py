"""Ending the engine from outside: asked first, killed where it does not answer."""

from __future__ import annotations

import contextlib
import time
from pathlib import Path

from surveyor.cli import output

ANSWER_S = 1.5
"""How long an engine that is to end may take to say so."""


def end_engine(*, quietly: bool = False) -> bool:
    """End the engine and wait until it is gone; whether there was one.

    One that does not end by itself in time is killed, with its children.
    """
    from surveyor import paths
    from surveyor.client.blocking import SilentEngineError, connect
    from surveyor.engine.process.shutdown import KILL_S
    from surveyor.engine_lock import is_released
    from surveyor.errors import EngineUnavailableError
    from surveyor.protocol.engine import StopRequest

    lock = paths.runtime_dir(paths.data_dir()) / "engine.lock"
    deadline = time.monotonic() + KILL_S
    try:
        with connect(start=False, greet_s=ANSWER_S) as client:
            client.limit(ANSWER_S)
            message = client.call(StopRequest()).message
            if not quietly:
                output.say(message)
    except (SilentEngineError, TimeoutError):
        deadline = min(deadline, time.monotonic() + ANSWER_S)
    except EngineUnavailableError:
        return False
    if not is_released(lock, deadline):
        _kill(lock, quietly)
    return True


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
