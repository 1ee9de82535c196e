"""`surveyor check`: what a change leaves behind.

Exit codes: 0 nothing found, 1 something found, 2 it could not be looked at.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import msgspec
import typer

from surveyor.cli import output
from surveyor.cli.project_option import (
    MOST_WAIT_S,
    DiffOption,
    ProjectOption,
    RangeOption,
    StagedOption,
    project_folder,
)
from surveyor.paths import is_there

if TYPE_CHECKING:
    from surveyor.protocol.check import CheckResponse

FOUND, CANNOT = 1, 2
RUN_LIMIT_S = 600
WAIT_S = 10.0
"""How long the index may take to know what was saved last."""


def check(
    what: Annotated[
        list[str] | None,
        typer.Argument(
            help="Files and folders to look at, or a git range (main..HEAD); both may be given."
        ),
    ] = None,
    project: ProjectOption = None,
    diff: DiffOption = False,
    staged: StagedOption = False,
    revisions: RangeOption = None,
    limit: Annotated[
        int, typer.Option("--limit", "-n", min=1, max=10_000, help="Most places.")
    ] = 100,
    run: Annotated[
        bool, typer.Option("--run", help="Run the tests that reach it; in trusted folders only.")
    ] = False,
    timeout: Annotated[
        int, typer.Option(min=1, help="Seconds that the tests may take together.")
    ] = RUN_LIMIT_S,
    diagnostics: Annotated[
        bool,
        typer.Option(
            "--diagnostics/--no-diagnostics", help="Ask language servers what is wrong now."
        ),
    ] = True,
    hook: Annotated[
        bool,
        typer.Option(
            "--hook",
            help="For hooks: only what the agent's session was not told yet; 2 s at most, then"
            " silent; starts no engine and no server.",
        ),
    ] = False,
    wait: Annotated[
        float | None,
        typer.Option(
            min=0,
            max=MOST_WAIT_S,
            help="Seconds to wait for a fresh index, and for the uses of what changed in all"
            " other files.",
            show_default=f"{WAIT_S:g} and 1.5",
        ),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """What a change leaves behind: calls that do not fit any more, names that are gone, overrides
    with the old parameters; and which tests to run, or with `--run` what became of them.

    The change is the working tree with editors' unsaved buffers against HEAD, what is staged, or
    a git range. Silent, with exit code 0, where nothing is wrong; 1 where something is; 2 where it
    cannot be looked at.
    """
    from surveyor.cli.check_hook import ask_in_time
    from surveyor.client.blocking import call
    from surveyor.errors import SurveyorError, UsageError
    from surveyor.protocol.check import CheckRequest
    from surveyor.protocol.test_runs import RunTestsRequest

    try:
        folder = project_folder(project)
        named = [(each, Path(each) if project is None else folder / each) for each in what or []]
        paths = [str(path.absolute()) for _, path in named if is_there(path)]
        ranges = [text for text, path in named if not is_there(path)]
        ranges += [revisions] if revisions else []
        if len(ranges) + diff + staged > 1:
            raise UsageError(
                f"{' '.join(ranges) or '--diff'}: several things to compare",
                "Give one git range, --staged or --diff; files and folders have to exist.",
            )
        request = CheckRequest(
            diff=ranges[0] if ranges else "staged" if staged else "working",
            paths=paths,
            diagnostics=diagnostics and not hook,
            cwd=str(folder),
            limit=limit,
            wait_until_fresh_ms=int((WAIT_S if wait is None else wait) * 1000),
        )
        if wait is not None:
            request.wait_users_ms = request.wait_until_fresh_ms
        answer = ask_in_time(request) if hook else call(request)
        if answer is None or (hook and not answer.results):
            return  # an agent's hook speaks only of what is wrong
    except SurveyorError as error:
        output.fail(error, CANNOT)
    ran = None
    if not json:
        show(answer)
    if run and answer.tests:
        from surveyor.cli.test_runs import run_and_follow

        asked = RunTestsRequest(targets=answer.tests, cwd=answer.root, timeout_s=timeout)
        try:
            ran = run_and_follow(asked, quiet=json)
        except typer.Exit as ended:
            if json:  # what was found is known all the same
                output.print_json(answer)
            raise typer.Exit(ended.exit_code) from None
    if json:
        output.print_json({**msgspec.to_builtins(answer), "run": ran} if run else answer)
    if answer.results or (ran is not None and not ran.ok):
        raise typer.Exit(FOUND)
    if answer.notice and not answer.changed_files:
        raise typer.Exit(CANNOT)


def show(answer: CheckResponse) -> None:
    """Print what is wrong, a line a place, and beside it what there is to do."""
    from surveyor.cli.check_hook import said_of

    lines, notes = said_of(answer)
    for line in lines:
        output.say(line)
    for note in notes:
        output.note(note)
