"""`surveyor index` and `surveyor reindex`."""

from __future__ import annotations

import math
import shlex
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from surveyor.cli import output
from surveyor.paths import is_folder
from surveyor.units import counted

if TYPE_CHECKING:
    from surveyor.client.blocking import Client

SILENT_MS = 2000
"""How long who uses what is waited for before a word is said."""

PathArgument = Annotated[
    Path,
    # Whether it can be read is said by the engine, with what to do about it.
    typer.Argument(help="A folder; it becomes the project.", show_default="here", readable=False),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print the report as JSON.")]
NoWaitOption = Annotated[bool, typer.Option("--no-wait", help="Return once the work is queued.")]


def index(
    path: PathArgument = Path(),
    force: Annotated[
        bool, typer.Option("--force", help="Allow the home folder and the one for temporary files.")
    ] = False,
    no_wait: NoWaitOption = False,
    at_most: Annotated[
        float | None,
        typer.Option(
            "--at-most", metavar="SECONDS", min=0, help="Wait no longer; indexing goes on."
        ),
    ] = None,
    json: JsonOption = False,
) -> None:
    """Index a folder and keep following it.

    Exit codes: 0 done, 1 an error, 2 a folder that cannot be indexed, 3 no such folder
    (any more), 4 no engine, 124 the time of --at-most was up, 130 stopped waiting (in both cases
    indexing goes on).
    """
    limit_s = math.inf if at_most is None else at_most
    _run(path, clean=False, force=force, wait=not no_wait, json=json, limit_s=limit_s)


def reindex(
    path: PathArgument = Path(),
    clean: Annotated[
        bool, typer.Option("--clean", help="Make it all anew; the old index answers until then.")
    ] = False,
    no_wait: NoWaitOption = False,
    json: JsonOption = False,
) -> None:
    """Bring the index of a registered folder up to date, now.

    Ctrl-C gives a clean reindexing up, and the index stays as it was; any other goes on in the
    background. Exit codes as those of `index`.
    """
    _run(path, clean=clean, force=False, wait=not no_wait, json=json, explicit=False)


def _run(
    path: Path,
    *,
    clean: bool,
    force: bool,
    wait: bool,
    json: bool,
    explicit: bool = True,
    limit_s: float = math.inf,
) -> None:
    from surveyor.cli.progress import follow
    from surveyor.client.blocking import connect
    from surveyor.errors import NotFoundError, SurveyorError
    from surveyor.protocol.projects import IndexRequest

    with output.friendly_errors(), connect() as client:
        request = IndexRequest(
            path=str(Path.cwd() / path), clean=clean, force=force, explicit=explicit
        )
        started = client.call(request)
        if not wait:
            if json:
                output.print_json(started)
            else:
                output.say(f"{started.root}: queued; follow it with `surveyor status`.")
            return
        try:
            began = time.monotonic()
            report = follow(client, started.root, quiet=json, limit_s=limit_s)
            left_ms = 1000 * (limit_s - (time.monotonic() - began))
            _await_edges(client, started.root, quiet=json, limit_ms=left_ms)
        except KeyboardInterrupt:
            output.note(_interrupted(started.root, clean=clean))
            raise typer.Exit(130) from None
        gone = not is_folder(started.root)
        if json:
            output.print_json(report)
            if gone or report.failure:
                raise typer.Exit(NotFoundError.exit_code if gone else SurveyorError.exit_code)
            return
        for error in report.errors:
            output.note(f"  {error}")
        failed = f", {report.files_failed} failed" if report.files_failed else ""
        removed = f", {report.files_removed} removed" if report.files_removed else ""
        made = (
            f" {counted(report.chunks_created, 'chunk')}, {report.embeddings_generated:,} embedded,"
        )
        chunks = made if report.files_indexed else ""  # that no others were made is no count
        output.say(
            f"{started.root}: {counted(report.files_indexed, 'file')} indexed,"
            f" {report.files_unchanged:,}"
            f" unchanged{removed}, {report.files_skipped:,} skipped{failed};{chunks}"
            f" {report.duration_ms / 1000:.1f} s"
        )
        if report.nothing_indexed:
            output.note(report.nothing_indexed)
        if gone:
            raise NotFoundError(
                f"{started.root} is gone: what is known of it is kept for a while",
                "Index it again when it is back; `surveyor projects remove` forgets it at once.",
            )
        if report.failure:
            raise SurveyorError(
                f"{started.root} could not be looked through: {report.failure}",
                "What was indexed of it before is kept, and it is tried again by itself.",
            )


def _await_edges(client: Client, root: str, *, quiet: bool, limit_ms: float) -> None:
    """Until who uses what is known as well, or time is up: what is asked next may be that."""
    from surveyor.errors import NotFoundError
    from surveyor.protocol.projects import EDGES_MS, IndexProgressRequest

    def pending(wait_ms: float) -> bool:
        request = IndexProgressRequest(root=root, edges=True, wait_ms=max(int(wait_ms), 0))
        return client.call(request).edges_pending

    with suppress(NotFoundError):
        if not pending(min(SILENT_MS, limit_ms)):
            return
        if not quiet:
            output.note("All files can be searched; working out who uses what …")
        if pending(min(EDGES_MS, limit_ms) - SILENT_MS) and not quiet:
            output.note("That goes on in the background: `surveyor status` says how far it is.")


def _interrupted(root: str, *, clean: bool) -> str:
    """Give a clean reindexing up; returns what goes on after Ctrl-C, and what does not."""
    from surveyor.client.blocking import call
    from surveyor.protocol.projects import ControlRequest

    if clean:  # on a session of its own: the other one may have half an answer in it
        return call(ControlRequest(action="cancel", project=root), start=False).message
    return (
        "Stopped waiting; indexing goes on in the background: `surveyor status` says how far it is,"
        f" and `surveyor projects remove {shlex.quote(root)}` ends it and forgets the folder."
    )
