"""`surveyor memory`: rules that hold everywhere or in one project."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from surveyor.cli import output
from surveyor.cli.writes import WaitOption, carried_out, say_written
from surveyor.errors import SurveyorError, UsageError

if TYPE_CHECKING:
    from surveyor.knowledge.models import RuleItem

app = typer.Typer(help="Rules that you and your agents remember.", no_args_is_help=True)

LabelOption = Annotated[
    str, typer.Option("--label", "-l", help="Lower-case words joined by hyphens: prefer-uv.")
]
GlobalOption = Annotated[bool, typer.Option("--global", "-g", help="The rule holds everywhere.")]
ProjectOption = Annotated[
    Path | None, typer.Option("--project", "-C", help="The rule belongs to this folder's project.")
]
TitleOption = Annotated[str | None, typer.Option("--title", help="At most 50 characters.")]
TagOption = Annotated[
    list[str], typer.Option("--tag", "-t", help="At most 5, of 20 characters; repeat it.")
]
TypeOption = Annotated[
    str | None,
    typer.Option("--type", help="preference, behaviour, constraint or pattern."),
]
PriorityOption = Annotated[int | None, typer.Option("--priority", help="1 to 10.")]
AnchorOption = Annotated[
    str | None,
    typer.Option("--anchor", help="The code it is about: PATH, PATH:LINE, PATH#SYMBOL or SYMBOL."),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON.")]


class Format(StrEnum):
    """How rules are written to a file."""

    markdown = "markdown"
    json = "json"


Scope = Literal["global", "project"]


def _scope(everywhere: bool, project: Path | None) -> tuple[Scope, str | None]:
    """Whose rule it is. Exactly one of the two must be said."""
    if everywhere == (project is not None):
        output.fail(
            UsageError("whose rule is it?", "Give either --global or --project PATH (`.` is here).")
        )
    return ("global", None) if everywhere else ("project", _folder(project))


def _folder(project: Path | None) -> str:
    return str(project.expanduser().resolve() if project else Path.cwd())


def _write(
    action: Literal["add", "update", "remove", "review"],
    label: str,
    everywhere: bool,
    project: Path | None,
    wait: float,
    json: bool,
    *,
    content: str | None = None,
    title: str | None = None,
    tags: list[str] | None = None,
    type_: str | None = None,
    priority: int | None = None,
    anchor: str | None = None,
) -> None:
    from surveyor.engine.client import call
    from surveyor.knowledge.models import MemoryWriteRequest

    scope, folder = _scope(everywhere, project)
    with output.friendly_errors():
        written = call(
            MemoryWriteRequest(
                action=action,
                label=label,
                scope=scope,
                cwd=folder,
                content=content,
                title=title,
                tags=tags,
                type=type_,
                priority=priority,
                anchor=anchor,
            )
        )
        say_written(carried_out(written, wait), json)


@app.command()
def add(
    label: LabelOption,
    content: Annotated[str, typer.Option("--content", "-c", help="The rule; `-` reads stdin.")],
    everywhere: GlobalOption = False,
    project: ProjectOption = None,
    title: TitleOption = None,
    tag: TagOption = [],  # noqa: B006
    type_: TypeOption = None,
    priority: PriorityOption = None,
    anchor: AnchorOption = None,
    wait: WaitOption = 5.0,
    json: JsonOption = False,
) -> None:
    """Add a rule."""
    text = sys.stdin.read() if content == "-" else content
    _write(
        "add", label, everywhere, project, wait, json, content=text, title=title, tags=tag,
        type_=type_, priority=priority, anchor=anchor,
    )  # fmt: skip


@app.command()
def update(
    label: LabelOption,
    content: Annotated[
        str | None, typer.Option("--content", "-c", help="The new text; `-` reads stdin.")
    ] = None,
    everywhere: GlobalOption = False,
    project: ProjectOption = None,
    title: TitleOption = None,
    tag: TagOption = [],  # noqa: B006
    type_: TypeOption = None,
    priority: PriorityOption = None,
    anchor: AnchorOption = None,
    wait: WaitOption = 5.0,
    json: JsonOption = False,
) -> None:
    """Change what is given of a rule; the rest stays."""
    text = sys.stdin.read() if content == "-" else content
    _write(
        "update", label, everywhere, project, wait, json, content=text, title=title,
        tags=tag or None, type_=type_, priority=priority, anchor=anchor,
    )  # fmt: skip


@app.command()
def remove(
    label: LabelOption,
    everywhere: GlobalOption = False,
    project: ProjectOption = None,
    wait: WaitOption = 5.0,
    json: JsonOption = False,
) -> None:
    """Remove a rule."""
    _write("remove", label, everywhere, project, wait, json)


@app.command()
def review(
    label: LabelOption,
    project: ProjectOption = None,
    wait: WaitOption = 5.0,
    json: JsonOption = False,
) -> None:
    """Accept the code under a rule's anchor as it is now."""
    _write("review", label, False, project or Path(), wait, json)


@app.command("list")
def list_(
    everywhere: Annotated[bool, typer.Option("--global", "-g", help="Only global rules.")] = False,
    project: Annotated[
        Path | None, typer.Option("--project", "-C", help="Only this project's rules.")
    ] = None,
    all_: Annotated[bool, typer.Option("--all", help="Rules of every project.")] = False,
    json: JsonOption = False,
) -> None:
    """List rules: global ones and those of the project here."""
    from surveyor.engine.client import call
    from surveyor.knowledge.models import MemoryListRequest

    if everywhere and project is not None:
        output.fail(UsageError("--global and --project exclude each other"))
    scope: Literal["current", "global", "project", "all"] = "current"
    if all_:
        scope = "all"
    elif everywhere:
        scope = "global"
    elif project is not None:
        scope = "project"
    with output.friendly_errors():
        answer = call(MemoryListRequest(cwd=_folder(project), scope=scope))
    if json:
        output.print_json(answer)
        return
    for item in answer.rules:
        _show(item)
    if not answer.rules:
        output.note("No rules yet: `surveyor memory add --label … --content … --global`.")


@app.command()
def recall(
    query: Annotated[str, typer.Argument(help="What the rules should be about.")],
    everywhere: Annotated[bool, typer.Option("--global", "-g", help="Only global rules.")] = False,
    project: ProjectOption = None,
    all_: Annotated[bool, typer.Option("--all", help="Rules of every project.")] = False,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1)] = 10,
    json: JsonOption = False,
) -> None:
    """Find rules by meaning."""
    from surveyor.engine.client import call
    from surveyor.knowledge.models import MemoryRecallRequest

    scope: Literal["current", "global", "all"] = "current"
    if all_ or everywhere:
        scope = "all" if all_ else "global"
    with output.friendly_errors():
        answer = call(
            MemoryRecallRequest(query=query, cwd=_folder(project), scope=scope, limit=limit)
        )
    if json:
        output.print_json(answer)
    else:
        for item in answer.rules:
            _show(item)
    if not answer.rules:
        output.note("No rule is about that.")
        raise typer.Exit(1)


@app.command()
def export(
    file: Annotated[Path | None, typer.Argument(help="Where to; stdout without.")] = None,
    format_: Annotated[
        Format | None, typer.Option("--format", help="By the file's ending without.")
    ] = None,
    everywhere: Annotated[bool, typer.Option("--global", "-g", help="Only global rules.")] = False,
    project: Annotated[
        Path | None, typer.Option("--project", "-C", help="Only this project's rules.")
    ] = None,
) -> None:
    """Write rules as Markdown or JSON, for review in git."""
    from surveyor.engine.client import call
    from surveyor.knowledge.models import MemoryExportRequest

    by_name = Format.json if file is not None and file.suffix == ".json" else Format.markdown
    scope: Literal["current", "global", "project"] = "current"
    if everywhere or project is not None:
        scope = "global" if everywhere else "project"
    with output.friendly_errors():
        answer = call(
            MemoryExportRequest(
                format=(format_ or by_name).value, cwd=_folder(project), scope=scope
            )
        )
    if file is None:
        typer.echo(answer.text, nl=False)
    else:
        file.write_text(answer.text, encoding="utf-8")
        output.note(f"written: {file}")


@app.command("import")
def import_(
    file: Annotated[Path, typer.Argument(help="An export, Markdown or JSON; `-` reads stdin.")],
    everywhere: Annotated[
        bool, typer.Option("--global", "-g", help="All of them become global.")
    ] = False,
    project: Annotated[
        Path | None, typer.Option("--project", "-C", help="All of them become this project's.")
    ] = None,
    wait: WaitOption = 5.0,
    json: JsonOption = False,
) -> None:
    """Read rules; those whose label exists are updated. Without an option each keeps its scope."""
    from surveyor.engine.client import call
    from surveyor.knowledge.models import MemoryImportRequest, Written

    if everywhere and project is not None:
        output.fail(UsageError("--global and --project exclude each other"))
    scope: Scope | None = "global" if everywhere else "project" if project else None
    with output.friendly_errors():
        try:
            text = sys.stdin.read() if str(file) == "-" else file.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise SurveyorError(f"{file} cannot be read: {error}") from error
        answer = call(MemoryImportRequest(text=text, cwd=_folder(project), scope=scope))
        if answer.queue_ids:
            written = Written(status=answer.status, queue_id=answer.queue_ids[0])
            answer.status = carried_out(written, wait, answer.queue_ids).status
    if json:
        output.print_json(answer)
        return
    for name in ("added", "updated", "unchanged"):
        labels = getattr(answer, name)
        if labels:
            output.say(f"{name}: {', '.join(labels)}")
    for warning in answer.warnings:
        output.note(f"warning: {warning}")
    output.say(answer.status)


@app.command()
def inject(
    project: ProjectOption = None,
    max_chars: Annotated[int | None, typer.Option(help="Longest text.")] = None,
    json: JsonOption = False,
) -> None:
    """Print the rules that apply here, for an agent's session-start hook."""
    from surveyor.engine.client import call
    from surveyor.knowledge.models import MemoryInjectRequest

    with output.friendly_errors():
        answer = call(MemoryInjectRequest(cwd=_folder(project), max_chars=max_chars))
    if json:
        output.print_json(answer)
    else:
        typer.echo(answer.text, nl=False)


def _show(item: RuleItem) -> None:
    where = item.project if item.scope == "project" else "global"
    facts = [f"[{where}]", *(f"#{tag}" for tag in item.tags)]
    if item.type:
        facts.append(item.type)
    if item.priority:
        facts.append(f"priority {item.priority}")
    output.say(f"{item.label}  {' '.join(facts)}")
    if item.title:
        output.say(f"    {item.title}")
    for line in item.content.split("\n"):
        output.say(f"    {line}")
    if item.anchor:
        place = item.place
        here = item.anchor
        if place is not None:
            here = f"{place.path}" + (f":{place.start_line}" if place.start_line else "")
            here += f" {place.symbol}" if place.symbol else ""
        output.say(f"    at {here}")
    if item.needs_review and item.place is not None:
        output.say(f"    REVIEW: {item.place.reason} (`surveyor memory review`)")
