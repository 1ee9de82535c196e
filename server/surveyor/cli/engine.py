"""`surveyor engine`: the background process, for those who want to see it."""

from __future__ import annotations

import contextlib
import os
import time
from pathlib import Path
from typing import Annotated

import typer

from surveyor.cli import output

app = output.group("The background engine.")

ANSWER_S = 1.5
"""How long an engine that is to end may take to say so."""
LOG_TAIL_BYTES = 20_000


@app.command()
def start() -> None:
    """Start the engine if none runs."""
    from surveyor.client.blocking import connect

    with output.friendly_errors(), connect() as client:
        assert client.welcome is not None
        output.say(f"engine {client.welcome.version} runs, pid {client.welcome.pid}")


@app.command()
def stop() -> None:
    """End the engine; what is queued is kept and goes on at the next start."""
    with output.friendly_errors():
        if not end_engine():
            output.say("No engine is running.")


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


@app.command()
def restart() -> None:
    """End the engine and start it again."""
    end_engine()
    start()


@app.command()
def status(json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False) -> None:
    """Whether an engine runs. Exit code 3 when none does."""
    from surveyor.client.blocking import SilentEngineError, connect
    from surveyor.errors import EngineUnavailableError

    try:
        with output.friendly_errors(EngineUnavailableError), connect(start=False) as client:
            running = client.welcome
    except SilentEngineError as error:
        if json:
            output.print_json({"running": False, "problem": error.message})
        else:
            output.say(f"not answering: {error.message}\n{error.hint}")
        raise typer.Exit(4) from None
    except EngineUnavailableError:
        output.say('{"running": false}' if json else "not running")
        raise typer.Exit(3) from None
    assert running is not None
    if json:
        output.print_json({"running": True, "pid": running.pid, "version": running.version})
        return
    output.say(f"running, pid {running.pid}, version {running.version}")


@app.command()
def run() -> None:
    """Run the engine in the foreground."""
    from surveyor import paths
    from surveyor.engine.process.main import run as serve
    from surveyor.engine_lock import is_held
    from surveyor.errors import SurveyorError

    data = paths.data_dir()
    with output.friendly_errors():
        if is_held(paths.runtime_dir(data) / "engine.lock"):
            raise SurveyorError(
                f"an engine already serves {data}", "End it first: `surveyor engine stop`."
            )
    if code := serve():
        raise typer.Exit(code)


@app.command()
def pause() -> None:
    """Stop taking work from the queue; searches go on."""
    _control("pause")


@app.command()
def resume() -> None:
    """Take work from the queue again."""
    _control("resume")


def _control(action: str) -> None:
    import msgspec

    from surveyor.client.blocking import call
    from surveyor.protocol.projects import ControlRequest

    with output.friendly_errors():
        output.say(call(msgspec.convert({"action": action}, ControlRequest)).message)


@app.command()
def logs(
    follow: Annotated[bool, typer.Option("--follow", "-f", help="Keep printing.")] = False,
) -> None:
    """Print the end of the engine's log."""
    from surveyor import paths

    path = paths.log_file(paths.data_dir())
    try:
        _print_log(path, follow)
    except FileNotFoundError:
        output.note("There is no log yet.")
    except KeyboardInterrupt:
        raise typer.Exit(130) from None


def _print_log(path: Path, follow: bool) -> None:
    with path.open("rb") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - LOG_TAIL_BYTES))
        while True:
            if text := file.read():
                typer.echo(text.decode(errors="replace"), nl=False)
            if not follow:
                return
            time.sleep(0.3)
