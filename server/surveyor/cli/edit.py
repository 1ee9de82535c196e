"""`surveyor edit`: the changes of agents' `edit`, for scripts.

Exit codes: 0 done and nothing left behind, 1 done but something does not fit any more, 2 not done.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from surveyor.cli import output
from surveyor.cli.project_option import ProjectOption, project_folder

if TYPE_CHECKING:
    from surveyor.protocol.edits import (
        CodeActionRequest,
        EditRequest,
        EditResponse,
        EditStep,
        RenameRequest,
    )

    AnyEdit = EditRequest | RenameRequest | CodeActionRequest

FOUND, CANNOT = 1, 2
OPTIONS = {"path": "FILE", **{name: f"--{name}" for name in ("old", "new", "name", "count")}}
"""What the arguments of agents are called here."""


def edit(
    path: Annotated[
        str | None, typer.Argument(help="The file; none with --name, --rename or --steps.")
    ] = None,
    old: Annotated[str | None, typer.Option(help="Text to be replaced; - reads stdin.")] = None,
    new: Annotated[str | None, typer.Option(help="The new text; - reads stdin.")] = None,
    count: Annotated[int, typer.Option(min=1, help="How often the file has --old.")] = 1,
    name: Annotated[str | None, typer.Option(help="A definition to be replaced.")] = None,
    before: Annotated[
        bool, typer.Option("--before", help="Insert before the definition --name.")
    ] = False,
    after: Annotated[
        bool, typer.Option("--after", help="Insert after the definition --name.")
    ] = False,
    version: Annotated[
        str | None,
        typer.Option(help="Refuse another version: its SHA-256 or git blob, 7 characters or more."),
    ] = None,
    rename: Annotated[
        str | None, typer.Option(help="Rename the definition --name to this, everywhere.")
    ] = None,
    action: Annotated[
        str | None,
        typer.Option(
            help="Apply the language server's code action of this title, at --line, --old or"
            " --name; an empty one lists the titles."
        ),
    ] = None,
    line: Annotated[int | None, typer.Option(min=1, help="Of the file, for --action.")] = None,
    column: Annotated[int | None, typer.Option(min=1, help="In that line.")] = None,
    steps: Annotated[
        Path | None,
        typer.Option(help="Several changes as a JSON array of {path, action, name, old, new, …}."),
    ] = None,
    preview: Annotated[bool, typer.Option("--preview", help="Only show the diff.")] = False,
    generated: Annotated[
        bool, typer.Option("--generated", help="Edit generated files, too.")
    ] = False,
    project: ProjectOption = None,
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Change files, in the editor where they are open there and on disk otherwise: all or none.

    Answers as `surveyor check` does with what the change leaves behind. Exit code 0: done; 1: done,
    and something does not fit any more; 2: not done, and nothing was changed.
    """
    from surveyor.errors import UsageError
    from surveyor.protocol.edits import CodeActionRequest, EditRequest, EditStep, RenameRequest

    with _refused():
        folder = project_folder(project)
        where = str(folder / path) if path and project is None else path or ""
        if before and after:
            raise UsageError("--before and --after", "Give one of them.")
        if action is not None:
            request: AnyEdit = CodeActionRequest(
                title=action,
                path=where or None,
                name=name,
                line=line,
                column=column - 1 if column else None,
                old=_text(old),
                preview=preview,
                generated=generated,
                cwd=str(folder),
            )
        elif rename is not None:
            request = RenameRequest(
                name=name,
                path=where or None,
                new_name=rename,
                preview=preview,
                generated=generated,
                cwd=str(folder),
            )
        else:
            one = EditStep(
                path=where,
                action="before" if before else "after" if after else "replace",
                name=name or "",
                old=_text(old),
                new=_text(new),
                count=count,
                version=version,
            )
            request = EditRequest(
                steps=_steps(steps, folder) if steps else [one],
                preview=preview,
                generated=generated,
                cwd=str(folder),
            )
    make_edit(request, json=json)


def make_edit(request: AnyEdit, *, json: bool) -> None:
    """Make an edit, show what it did, and exit as `surveyor edit` does."""
    from surveyor.client.blocking import call

    with _refused():
        answer = call(request)
    if json:
        output.print_json(answer)
    else:
        _show(answer)
    if answer.receipt is not None and answer.receipt.results:
        raise typer.Exit(FOUND)
    if answer.actions and answer.notice:  # what was wanted is none of those
        raise typer.Exit(CANNOT)


@contextmanager
def _refused() -> Iterator[None]:
    """An error as lines, and the exit code of an edit that was not made."""
    from surveyor.errors import SurveyorError

    try:
        yield
    except SurveyorError as error:
        # The engine says what an agent would give; here an argument has another name.
        error.hint = re.sub(
            r"`(\w+)`", lambda named: f"`{OPTIONS.get(named[1], named[1])}`", error.hint
        )
        output.fail(error, CANNOT)


def _text(given: str | None) -> str:
    return sys.stdin.read() if given == "-" else given or ""


def _steps(file: Path, folder: Path) -> list[EditStep]:
    """Steps of a file, whose paths are from the folder of the command. Raises `UsageError`."""
    import msgspec

    from surveyor.errors import UsageError, reason_of
    from surveyor.files.safe_read import LARGE_FILE_BYTES, read_bytes
    from surveyor.protocol.edits import EditStep

    try:
        data = sys.stdin.buffer.read() if str(file) == "-" else read_bytes(file, LARGE_FILE_BYTES)
        found = msgspec.json.decode(data, type=list[EditStep])
    except (OSError, msgspec.MsgspecError) as error:
        raise UsageError(
            f"{file}: {reason_of(error)}", 'For example [{"path": …, "old": …}].'
        ) from error
    for step in found:
        step.path = str(folder / step.path) if step.path else ""
    return found


def _show(answer: EditResponse) -> None:
    from surveyor.cli import check

    for each in answer.files:
        if not answer.applied:
            output.say(each.path)
            for line in each.diff.split("\n"):
                output.say(line)
            continue
        spans = ",".join(f"{a}-{b}" if b > a else f"{a}" for a, b in each.lines)
        held = " (in the editor, not saved)" if each.where == "editor" else ""
        output.note(f"edited {each.path}:{spans} {each.version}{held}")
    for title in dict.fromkeys(each.title for each in answer.actions if not each.disabled):
        output.say(title)
    for place in answer.left:
        reason = f" ({place.reason})" if place.reason else ""
        output.note(f"left {place.path}:{place.line}:{place.column + 1} {place.text}{reason}")
    if answer.notice:
        output.note(f"{answer.notice[:1].upper()}{answer.notice[1:]}.")
    if answer.receipt is not None:
        check.show(answer.receipt)
