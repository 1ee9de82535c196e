"""`surveyor engine service`: have the system's service manager start the engine."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from surveyor.cli import output

if TYPE_CHECKING:
    from surveyor.installation.service_managers import ServiceManager

app = output.group("The engine as a service: systemd, launchd or Windows' Task Scheduler.")

NOT_INSTALLED = 3
"""Exit code of `status` where the service is not installed, as `systemctl status` has it."""


@app.command()
def install(
    show: Annotated[bool, typer.Option("--print", help="Print the files; change nothing.")] = False,
) -> None:
    """Start the engine with your session, or, with systemd, when it is first asked.

    Without it whoever needs an engine starts one; a service also brings it back after a crash, and
    keeps it out of the terminal or editor that was there first.
    """
    from surveyor import paths
    from surveyor.cli.engine_end import end_engine
    from surveyor.installation import service_managers

    with output.friendly_errors():
        service, engine = service_managers.manager(), service_managers.engine_program()
        service_managers.check(engine)
        if show:
            for file, content in service.files(engine).items():
                output.say(f"# {file}")
                for line in content.decode(service.encoding).splitlines():
                    output.say(line)
            return
        paths.make_folders(engine.data)
        changed = service_managers.write_files(service, engine)
        for file in changed:
            output.say(f"wrote {file}")
        if not changed:
            output.say("The files are there as they should be.")
        if problem := service.problem():
            _left_to_do(service, problem)
        end_engine(quietly=True)  # it has the sockets that the manager is to listen on
        if problem := service_managers.run_all(service.enable()):
            _left_to_do(service, problem)
        output.say(f"{service.title} has the engine now.")


def _left_to_do(service: ServiceManager, problem: str) -> None:
    output.note(f"{service.title} was not told: {problem}")
    output.note("  In a session of yours where it runs:")
    for command in service.enable():
        output.note(f"    {shlex.join(command)}")
    raise typer.Exit(1)


@app.command()
def remove() -> None:
    """Take the service out; the engine is started by who needs it, as before."""
    with output.friendly_errors():
        removed = undo()
        for file in removed.files:
            output.say(f"removed {file}")
        if not removed.files:
            output.say("There is no service.")
        if removed.problem:
            output.note(removed.problem)
            raise typer.Exit(1)


class Removed(NamedTuple):
    """What was taken out, and what went wrong; empty where nothing did."""

    files: list[Path]
    problem: str


def installed_files() -> list[Path]:
    """The files of the service that are there."""
    from surveyor.installation import service_managers

    service, engine = service_managers.manager(), service_managers.engine_program()
    return [file for file in service.files(engine) if service_managers.is_ours(file)]


def undo() -> Removed:
    """Take the service out, if it is there."""
    from surveyor.installation import service_managers

    if not installed_files():
        return Removed([], "")
    service, engine = service_managers.manager(), service_managers.engine_program()
    problem = ""
    usable = not service.problem()
    if usable and service_managers.succeeds(service.asking()):
        problem = service_managers.run_all(service.disable())
    removed = service_managers.remove_files(service, engine)
    if usable:
        problem = problem or service_managers.run_all(service.after_removal())
    return Removed(removed, problem)


@app.command()
def status(json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False) -> None:
    """Whether the service is installed, and as it should be. Exit code 3 when it is not there."""
    from surveyor.installation import service_managers

    with output.friendly_errors():
        service, engine = service_managers.manager(), service_managers.engine_program()
        wanted = service.files(engine)
        ours = [file for file in wanted if service_managers.is_ours(file)]
        current = ours == list(wanted) and all(
            file.read_bytes() == content for file, content in wanted.items()
        )
        unusable = service.problem()
        active = not unusable and service_managers.succeeds(service.asking())
    if json:
        output.print_json(
            {
                "manager": service.title,
                "installed": bool(ours),
                "current": current,
                "active": active,
                "problem": unusable,
                "files": [str(file) for file in ours],
            }
        )
    elif not ours:
        output.say("not installed")
    else:
        taken_up = "taken up" if active else f"not taken up{f' ({unusable})' if unusable else ''}"
        output.say(f"installed, {taken_up} by {service.title}")
        for file in ours:
            output.say(f"  {file}")
        if not current:
            output.say(
                "  They are for another installation or data folder, or changed by hand:"
                " `surveyor engine service install` writes them anew."
            )
    if not ours:
        raise typer.Exit(NOT_INSTALLED)
