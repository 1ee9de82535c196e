"""`surveyor history`: when and why code changed."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated

import typer

from surveyor.cli import output
from surveyor.cli.project_option import ProjectOption, project_fields
from surveyor.units import counted

if TYPE_CHECKING:
    from surveyor.protocol.history import CommitItem, HistoryResponse

app = output.group("When and why code changed.")

JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON.")]
LimitOption = Annotated[int, typer.Option("--limit", "-n", min=1, max=1000, help="Most commits.")]

SHOWN_FILES = 5


@app.command()
def search(
    query: Annotated[
        str, typer.Argument(help="What a commit should be about; empty lists the newest.")
    ] = "",
    author: Annotated[str | None, typer.Option(help="Part of a name or address.")] = None,
    since: Annotated[str | None, typer.Option(help="2026-03-01, 90d, 2 weeks ago.")] = None,
    until: Annotated[str | None, typer.Option(help="2026-03-01, 90d, 2 weeks ago.")] = None,
    path: Annotated[str | None, typer.Option(help="A file, folder or glob.")] = None,
    project: ProjectOption = None,
    limit: LimitOption = 10,
    json: JsonOption = False,
) -> None:
    """Find commits by meaning."""
    from surveyor.client.blocking import call
    from surveyor.protocol.history import HistorySearchRequest

    with output.friendly_errors():
        answer = call(
            HistorySearchRequest(
                query=query,
                **project_fields(project),
                author=author,
                since=since,
                until=until,
                path=path,
                limit=limit,
            )
        )
    _print(answer, json)


@app.command()
def symbol(
    name: Annotated[
        str, typer.Argument(help="A symbol, PATH#SYMBOL, PATH:LINE or PATH:FIRST-LAST.")
    ],
    project: ProjectOption = None,
    limit: LimitOption = 20,
    patch: Annotated[
        bool, typer.Option("--patch", "-p", help="Show what each commit did to it.")
    ] = False,
    json: JsonOption = False,
) -> None:
    """When and why a symbol or a range of lines changed, through renames and moves."""
    from surveyor.client.blocking import call
    from surveyor.protocol.history import HistorySymbolRequest

    lines = re.fullmatch(r"(.+):(\d+)-(\d+)", name)
    with output.friendly_errors():
        answer = call(
            HistorySymbolRequest(
                symbol=None if lines else name,
                path=lines[1] if lines else None,
                start_line=int(lines[2]) if lines else None,
                end_line=int(lines[3]) if lines else None,
                **project_fields(project),
                limit=limit,
                diffs=patch,
            )
        )
    if not json:
        what = f"{answer.symbol}  " if answer.symbol else ""
        output.say(f"{what}{answer.path}:{answer.start_line}-{answer.end_line}")
    _print(answer, json)


@app.command()
def file(
    path: Annotated[str, typer.Argument(help="A file.")],
    project: ProjectOption = None,
    limit: LimitOption = 20,
    json: JsonOption = False,
) -> None:
    """Commits that changed a file, through its renames."""
    from surveyor.client.blocking import call
    from surveyor.protocol.history import HistoryFileRequest

    with output.friendly_errors():
        answer = call(HistoryFileRequest(path=path, **project_fields(project), limit=limit))
    _print(answer, json)


@app.command()
def index(
    project: ProjectOption = None,
    all_: Annotated[
        bool, typer.Option("--all", help="Every commit, not only the newest 5,000.")
    ] = False,
    json: JsonOption = False,
) -> None:
    """Bring the index of commits up to date, now."""
    from surveyor.client.blocking import call
    from surveyor.protocol.history import HistoryIndexRequest

    with output.friendly_errors():
        answer = call(HistoryIndexRequest(**project_fields(project), all=all_))
    if json:
        output.print_json(answer)
        return
    known = answer.commits_total
    of = f"{answer.commits_indexed} of " if known is not None else ""
    commits = counted(answer.commits_indexed if known is None else known, "commit")
    output.say(f"{of}{commits} indexed, {answer.took_ms / 1000:.1f} s")


def _print(answer: HistoryResponse, json: bool) -> None:
    if json:
        output.print_json(answer)
    else:
        for item in answer.results:
            _show(item)
        if answer.notice:
            output.note(answer.notice)
    if not answer.results:
        output.note("No commit found.")
        raise typer.Exit(1)


def _show(item: CommitItem) -> None:
    sure = f"  [{item.confidence:.2f}]" if item.confidence is not None else ""
    output.say(f"{item.commit[:12]}  {item.date[:10]}  {item.author}  {item.subject}{sure}")
    if item.start_line is not None:
        output.say(
            f"    {item.path}:{item.start_line}-{item.end_line}  +{item.added} -{item.removed}"
            + (
                f"  {'taken' if item.introduced else 'moved'} from {item.moved_from}"
                if item.moved_from
                else ""
            )
            + (f"  renamed from {item.renamed_from}" if item.renamed_from else "")
            + ("  introduced here" if item.introduced else "")
        )
    elif item.path is not None:
        output.say(f"    {item.path}")
    elif item.summary:
        for line in item.summary[:SHOWN_FILES]:
            output.say(f"    {line}")
    else:
        for one in item.files[:SHOWN_FILES]:
            arrow = f"{one.old_path} -> " if one.old_path else ""
            output.say(f"    {one.status} {arrow}{one.path}")
    more = max(len(item.files), len(item.summary)) - SHOWN_FILES
    if more > 0 and item.path is None:
        output.say(f"    … {counted(more, 'more file')}")
    if item.diff:
        for line in item.diff.split("\n"):
            output.say(f"    | {line}")
