"""`surveyor activity`: what agents asked, read and changed, and your questions."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Annotated

import typer

from surveyor.cli import output
from surveyor.cli.project_option import project_folder
from surveyor.units import counted

if TYPE_CHECKING:
    from surveyor.protocol.activity import ActivityCall, ActivityPlace, ActivityResponse

SHOWN_PLACES = 6


def activity(
    session: Annotated[
        str, typer.Argument(help="A session, or the beginning of its name; without: all.")
    ] = "",
    dot: Annotated[
        bool, typer.Option("--dot", help="A session's path through the code for Graphviz.")
    ] = False,
    mermaid: Annotated[bool, typer.Option("--mermaid", help="The same for Mermaid.")] = False,
    project: Annotated[
        str | None,
        typer.Option(
            "--project",
            "-C",
            metavar="PATH",
            help="Only sessions of this project: a folder, a name or an id.",
        ),
    ] = None,
    limit: Annotated[
        int, typer.Option("--limit", "-n", min=1, max=10_000, help="Most calls.")
    ] = 200,
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """What agents asked, read and changed: their sessions, and the calls of one.

    A question of `surveyor ask` is a session of its own: its steps with their scores.

    The log has questions (credentials masked) and places, no text of files; it stays on this
    machine for as long as storage.retention says. storage.agent_log = false switches it off.
    """
    from surveyor.client.blocking import call
    from surveyor.errors import NotFoundError, UsageError
    from surveyor.protocol.activity import ActivityRequest

    with output.friendly_errors():
        if dot and mermaid:
            raise UsageError("--dot and --mermaid", "Give one of them.")
        answer = call(
            ActivityRequest(
                session=session,
                cwd=str(project_folder(project)) if project else None,
                limit=limit,
                picture="dot" if dot else "mermaid" if mermaid else None,
            )
        )
        if session and not answer.sessions:
            raise NotFoundError(f"no session begins with {session}", "See `surveyor activity`.")
    if json:
        output.print_json(answer)
    elif answer.picture is not None:
        typer.echo(answer.picture, nl=False)
    else:
        _show(answer, one=bool(session))


def _show(answer: ActivityResponse, *, one: bool) -> None:
    if not answer.kept:
        output.note("Nothing is logged: storage.agent_log is false.")
    if not answer.sessions:
        output.note("Nobody has asked anything yet.")
    for each in answer.sessions:
        state = "open" if each.open else f"until {_time(each.last)}"
        counts = f"{counted(each.calls, 'call')}, {counted(each.edits, 'edit')}"
        output.say(
            f"{each.session}  {each.client}  {each.root}  {counts}, {_time(each.first)}, {state}"
        )
    if one:
        for call in answer.calls:
            output.say(_line(call))


def _line(call: ActivityCall) -> str:
    parts = [_time(call.at), f"{call.tool} {call.asked}".strip()]
    if call.outcome:
        parts.append(f"failed: {call.outcome}" if call.failed else call.outcome)
    for kind in ("edited", "read"):
        places = [each for each in call.places if each.kind == kind]
        if places:
            more = " …" if len(places) > SHOWN_PLACES else ""
            parts.append(f"{kind} {' '.join(map(_place, places[:SHOWN_PLACES]))}{more}")
    return "  ".join(parts)


def _place(each: ActivityPlace) -> str:
    return f"{each.path}:{each.first}" + (f"-{each.last}" if each.last > each.first else "")


def _time(seconds: float) -> str:
    return f"{datetime.fromtimestamp(seconds):%Y-%m-%d %H:%M:%S}"
