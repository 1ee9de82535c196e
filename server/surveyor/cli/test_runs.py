"""`surveyor test`: a project's own tests, and what failed of them.

Exit codes: 0 all passed or no test reaches the change, 1 some failed, 2 they could not be run.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import msgspec
import typer

from surveyor.cli import output
from surveyor.cli.project_option import (
    DiffOption,
    ProjectOption,
    RangeOption,
    StagedOption,
    change_of,
    project_folder,
)
from surveyor.paths import is_there

if TYPE_CHECKING:
    from surveyor.client.blocking import OnNotification
    from surveyor.protocol.test_runs import (
        FailureItem,
        RunnerResult,
        RunTestsRequest,
        RunTestsResponse,
    )

FAILED, CANNOT = 1, 2
RUN_LIMIT_S = 600
SHOWN = 50
"""Failures that are printed."""
WAIT_MS = 10_000
"""How long the index may take to know what was saved last."""


def test(
    what: Annotated[
        list[str] | None,
        typer.Argument(
            help="Test files, folders, file::test, or names of what tests reach.",
        ),
    ] = None,
    impacted: Annotated[
        bool,
        typer.Option("--impacted", help="Those that reach the change: the default."),
    ] = False,
    diff: DiffOption = False,
    staged: StagedOption = False,
    revisions: RangeOption = None,
    project: ProjectOption = None,
    timeout: Annotated[
        int, typer.Option(min=1, help="Seconds that the tests may take together.")
    ] = RUN_LIMIT_S,
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Run tests with the project's own runner, and say which failed and where.

    Without arguments those that reach the change. Nothing is installed and nothing fetched, and
    nothing is run in a folder that you do not trust (`surveyor trust`). Exit code 0 when all
    passed or no test reaches the change, which is said; 1 when some failed, 2 when they cannot be
    run or no test reaches what is named. Ctrl-C ends them.
    """
    from surveyor.errors import UsageError
    from surveyor.protocol.test_runs import RunTestsRequest

    with output.friendly_errors():
        folder = project_folder(project)
        if impacted and what:
            raise UsageError("--impacted takes no names", "Leave one of the two out.")
    asked = RunTestsRequest(
        targets=[_placed(each, folder) for each in what or []],
        diff=change_of(diff, staged, revisions) or "working",
        cwd=str(folder),
        timeout_s=timeout,
        wait_until_fresh_ms=WAIT_MS,
    )
    answer = run_and_follow(asked, quiet=json)
    if json:
        output.print_json(answer)
    if not answer.ok:
        failed = any(run.state not in ("passed", "empty") for run in answer.runs)
        raise typer.Exit(FAILED if failed else CANNOT)


def _placed(text: str, folder: Path) -> str:
    """A path as the engine takes it; what is none is a name."""
    path, separator, name = text.partition("::")
    place = folder / path
    return f"{place.absolute()}{separator}{name}" if is_there(place) else text


def run_and_follow(request: RunTestsRequest, *, quiet: bool) -> RunTestsResponse:
    """Run tests in this terminal's environment, and show progress and result unless `quiet`.

    Exits with 2 where they cannot be run, with 130 after Ctrl-C.
    """
    from surveyor.client.blocking import connect
    from surveyor.errors import SurveyorError

    request.env = {
        name: value for name, value in os.environ.items() if "\0" not in value and _is_text(value)
    }
    request.token = secrets.token_hex(4)
    try:
        with connect() as client, _progress(quiet) as told:
            answer = client.call(request, told)
    except KeyboardInterrupt:
        output.note("stopped")
        raise typer.Exit(130) from None
    except SurveyorError as error:
        output.fail(error, CANNOT)
    if not quiet:
        _show(answer)
    return answer


def _is_text(value: str) -> bool:
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


@contextmanager
def _progress(quiet: bool) -> Iterator[OnNotification | None]:
    """What hears how far it is; nobody where the answer is for programs."""
    if quiet:
        yield None
        return
    from surveyor.cli.progress import changing_line
    from surveyor.protocol.test_runs import RUN_PROGRESS, RunTestsProgress

    with changing_line("looking for tests") as say:

        def told(method: str, params: msgspec.Raw) -> None:
            if method == RUN_PROGRESS:
                now = msgspec.json.decode(params, type=RunTestsProgress)
                say(f"{now.runner} {now.done + 1}/{now.total}  {now.line}")

        yield told


def _show(answer: RunTestsResponse) -> None:
    for failure in answer.failures[:SHOWN]:
        output.say(_line(failure))
    if answer.failed > SHOWN:
        output.note(f"{answer.failed - SHOWN} more; --json has them.")
    for run in answer.runs:
        if run.state in ("broken", "timeout") or run.output:
            _show_output(run)
    for each in answer.not_run:
        output.note(f"not run: {each.path}: {each.reason}")
    seconds = answer.took_ms / 1000
    counts = f"{answer.passed} passed, {answer.failed} failed, {answer.skipped} skipped"
    runners = ", ".join(dict.fromkeys(run.runner for run in answer.runs))
    output.note(f"{counts} ({runners}, {seconds:.1f} s)" if answer.runs else "no tests were run")
    if answer.notice:
        output.note(answer.notice)


def _show_output(run: RunnerResult) -> None:
    said = {"broken": "ended with an error", "timeout": "took too long and was ended"}
    output.note(f"{run.runner} {said.get(run.state, 'says')}: {' '.join(run.command)}")
    for line in run.output.splitlines():
        output.note(f"    {line}")


def _line(failure: FailureItem) -> str:
    line = f":{failure.line}" if failure.line else ""
    where = f"{failure.path}{line}" if failure.path else "(no place)"
    inside = (
        f" in {failure.symbol} ({failure.path}:{failure.symbol_line})" if failure.symbol else ""
    )
    name = f" [{failure.test}]" if failure.test else ""
    text = f" | {failure.text}" if failure.text else ""
    return f"{where} {failure.message}{name}{inside}{text}"
