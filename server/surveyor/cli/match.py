"""`surveyor match`: structural search."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import msgspec
import typer

from surveyor.cli import output
from surveyor.cli.project_option import EVERY, AnyProjectOption, project_fields
from surveyor.cli.search import AllOption, FileTypesOption, JsonOption, LanguagesOption, show_answer
from surveyor.protocol.wire import one_based
from surveyor.units import counted

if TYPE_CHECKING:
    from surveyor.client.blocking import OnNotification
    from surveyor.protocol.edits import EditStep
    from surveyor.protocol.search import FileRewrite, SearchResponse


def match(
    pattern: Annotated[
        str, typer.Argument(help="Code with holes: $NAME is any one node, $$$NAME any number.")
    ] = "",
    project: AnyProjectOption = None,
    everywhere: AllOption = False,
    language: LanguagesOption = [],  # noqa: B006
    rule: Annotated[
        Path | None,
        typer.Option(help="An ast-grep rule in YAML in place of a pattern; `-` reads stdin."),
    ] = None,
    rewrite: Annotated[
        str | None,
        typer.Option(help="What each match becomes, shown as a diff."),
    ] = None,
    apply: Annotated[
        bool, typer.Option("--apply", help="With --rewrite: make the edit, as `surveyor edit`.")
    ] = False,
    path: Annotated[
        list[str], typer.Option("--path", help="Only paths matching a glob; `!glob` excludes.")
    ] = [],  # noqa: B006
    type_: FileTypesOption = [],  # noqa: B006
    kind: Annotated[
        list[str], typer.Option("--kind", help="Inside these: function, class, method …")
    ] = [],  # noqa: B006
    branch: Annotated[str | None, typer.Option(help="A branch, or `*` for all known.")] = None,
    context: Annotated[
        int, typer.Option("--context", min=0, max=20, help="Lines around a match.")
    ] = 0,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=1000, help="Most shown.")] = 50,
    offset: Annotated[int, typer.Option(min=0, max=10_000_000, help="Matches to skip.")] = 0,
    json: JsonOption = False,
) -> None:
    """Find code by its syntax: `surveyor match 'except $E: pass' --lang python`.

    Exit codes: 0 something matches, 1 nothing does or an error, 2 a bad pattern,
    3 no such project, 4 no engine.
    """
    from surveyor.client.blocking import connect
    from surveyor.protocol.search import SearchRequest

    if bool(pattern) == (rule is not None):
        raise typer.BadParameter("give a pattern, or a rule with --rule")
    if apply and rewrite is None and rule is None:
        raise typer.BadParameter(
            "--apply makes the edit that --rewrite or a rule's `fix` describes"
        )
    every = everywhere or project == EVERY
    with output.friendly_errors(), _progress() as told, connect() as client:
        answer = client.call(
            SearchRequest(
                query=pattern if rule is None else _text_of(rule),
                mode="pattern",
                **project_fields(None if every else project),
                scope="all" if every else "current",
                rewrite=rewrite,
                languages=language,
                paths=path,
                types=type_,
                kinds=kind,
                branch=branch,
                context_lines=context,
                limit=limit,
                offset=offset,
                token="match",
            ),
            told,
        )
    if apply:
        _apply(answer, json=json)
        return
    if json:
        typer.echo(msgspec.json.encode(one_based(msgspec.to_builtins(answer))))
    elif answer.diffs:
        _show_diffs(answer)
    else:
        show_answer(answer, full=False)
    if not answer.results:
        raise typer.Exit(1)


@contextmanager
def _progress() -> Iterator[OnNotification | None]:
    """What hears how far it is."""
    from surveyor.cli.progress import changing_line
    from surveyor.protocol.search import SEARCH_PROGRESS, SearchProgress

    with changing_line("") as say:

        def told(method: str, params: msgspec.Raw) -> None:
            if method == SEARCH_PROGRESS:
                now = msgspec.json.decode(params, type=SearchProgress)
                say(f"{now.done:,} of {counted(now.total, 'file')} read")

        yield told


def _text_of(rule: Path) -> str:
    from surveyor.errors import UsageError, reason_of

    try:
        is_piped = str(rule) == "-"
        text = typer.get_text_stream("stdin").read() if is_piped else rule.read_text("utf-8")
    except (OSError, ValueError) as error:
        raise UsageError(f"{rule} cannot be read: {reason_of(error)}") from None
    if "rule:" not in text:  # it would be taken for a pattern
        raise UsageError(
            f"{rule} is no rule: it has no `rule:`",
            "A rule is YAML as ast-grep has it; a pattern is given without --rule.",
        )
    return text


def _show_diffs(answer: SearchResponse) -> None:
    """A diff as `git apply` takes it."""
    output.say_freshness(answer)
    if answer.notice:
        output.note(answer.notice)
    for each in answer.diffs:
        if each.unsaved_version is not None:
            output.note(f"{each.path}: of the unsaved text, version {each.unsaved_version}.")
        if output.is_terminal():
            for line in each.diff.splitlines():
                output.say(line)
        else:
            typer.echo(each.diff, nl=False)
    output.note("Nothing was written; --apply does it.")


def _apply(answer: SearchResponse, *, json: bool) -> None:
    """Make the edit that the diffs are: in editors where the files are open, all of it or none."""
    from surveyor.cli.edit import make_edit
    from surveyor.errors import UsageError
    from surveyor.protocol.edits import EditRequest

    with output.friendly_errors():
        roots = {each.root for each in answer.diffs}
        if not roots:
            raise UsageError("nothing matches, and nothing was changed")
        if len(roots) > 1:
            raise UsageError(
                "an edit is of one project", "Nothing was changed; choose one with -C."
            )
    steps = [step for each in answer.diffs for step in _steps(each)]
    output.note(answer.notice or "")
    make_edit(EditRequest(steps=steps, cwd=roots.pop()), json=json)


NOT_AS_IT_IS = ("****", "\ufffd")
"""What a diff shows in place of a secret, and of bytes that are no UTF-8."""


def _steps(file: FileRewrite) -> list[EditStep]:
    """The hunks of a diff, each as one replacement; without lines around it that are not shown as
    they are."""
    from surveyor.protocol.edits import EditStep

    steps: list[EditStep] = []
    begins = True
    sign = ""
    for line in StringIO(file.diff, "\n"):
        if line.startswith(("--- ", "+++ ")) and begins and not steps:
            continue
        if line.startswith("@@") or (line[0] == " " and any(each in line for each in NOT_AS_IT_IS)):
            begins = True  # what lies on either side of a secret is two replacements
            continue
        is_cut = line.startswith("\\")  # the line before has no end
        if is_cut and begins:
            continue
        if begins:
            steps.append(EditStep(path=f"{file.root}/{file.path}"))
            begins = False
        step = steps[-1]
        sign = sign if is_cut else line[0]
        if sign in " -":
            step.old = step.old[:-1] if is_cut else step.old + line[1:]
        if sign in " +":
            step.new = step.new[:-1] if is_cut else step.new + line[1:]
    return [step for step in steps if step.old != step.new]
