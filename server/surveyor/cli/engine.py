"""`surveyor engine`: the background process, for those who want to see it."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Annotated

import typer

from surveyor.cli import output, service
from surveyor.cli.engine_end import end_engine

app = output.group("The background engine.")
app.add_typer(service.app, name="service")

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
