"""`surveyor memory`: rules that hold everywhere or in one project."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from surveyor.cli import output
from surveyor.cli.completion import among
from surveyor.cli.project_option import EVERY, ProjectFields, ProjectOption, project_fields
from surveyor.cli.write_results import WaitOption, carried_out, say_written
from surveyor.errors import UsageError, reason_of
from surveyor.protocol.enumerations import RuleAction, RuleScope, RulesFormat, RulesScope

if TYPE_CHECKING:
    from surveyor.protocol.knowledge import RuleItem

app = output.group("Rules that you and your agents remember.")
NO_RULES = "No rules yet: `surveyor memory add --label … --content … --global`."
NO_WORDS = "The query has no words: `surveyor memory list` shows all rules."

LabelOption = Annotated[
    str, typer.Option("--label", "-l", help="Lower-case words joined by hyphens: prefer-uv.")
]
GlobalOption = Annotated[bool, typer.Option("--global", "-g", help="The rule holds everywhere.")]
OnlyGlobalOption = Annotated[bool, typer.Option("--global", "-g", help="Only global rules.")]
AllOption = Annotated[bool, typer.Option("--all", help="Rules of every project.")]
OwnerOption = Annotated[
    str | None,
    typer.Option(
        "--project", "-C", metavar="PATH", help="The rule belongs to this folder's project."
    ),
]
TitleOption = Annotated[str | None, typer.Option("--title", help="At most 50 characters.")]
TagOption = Annotated[
    list[str] | None, typer.Option("--tag", "-t", help="At most 5, of 20 characters; repeat it.")
]
TypeOption = Annotated[
    str | None,
    typer.Option(
        "--type",
        help="preference, behaviour, constraint or pattern.",
        autocompletion=among(("preference", "behaviour", "constraint", "pattern")),
    ),
]
PriorityOption = Annotated[int | None, typer.Option("--priority", help="1 to 10.")]
ContentOption = Annotated[
    str | None, typer.Option("--content", "-c", help="What it says; `-` reads stdin.")
]
AnchorOption = Annotated[
    str | None,
    typer.Option("--anchor", help="The code it is about: PATH, PATH:LINE, PATH#SYMBOL or SYMBOL."),
]
OnlyProjectOption = Annotated[
    str | None,
    typer.Option(
        "--project", "-C", metavar="PATH",
        help="Only rules of this project: a folder, a name or an id.",
    ),
]  # fmt: skip
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON.")]

LOW = 0.1
"""Confidence of recalled rules below which they are only the nearest."""


def _owner(everywhere: bool, project: str | None) -> tuple[RuleScope, ProjectFields]:
    """Whose rule it is. Exactly one of the two must be said."""
    if everywhere == (project is not None):
        output.fail(
            UsageError("whose rule is it?", "Give either --global or --project PATH (`.` is here).")
        )
    return ("global" if everywhere else "project"), project_fields(project)


def _scope(
    everywhere: bool, project: str | None, all_: bool = False
) -> tuple[RulesScope, ProjectFields]:
    """Which rules are meant: without an option the global ones and those of the project here."""
    if everywhere + all_ + (project is not None) > 1:
        output.fail(
            UsageError("--global, --project and --all exclude each other", "Give one of them.")
        )
    if all_ or project == EVERY:
        return "all", project_fields(None)
    if everywhere:
        return "global", project_fields(None)
    return ("project" if project is not None else "current"), project_fields(project)


def _write(
    action: RuleAction,
    owner: tuple[RuleScope, ProjectFields],
    label: str,
    wait: float,
    json: bool,
    **fields: Any,
) -> None:
    from surveyor.client.blocking import call
    from surveyor.protocol.knowledge import MemoryWriteRequest

    scope, place = owner
    with output.friendly_errors():
        written = call(
            MemoryWriteRequest(action=action, label=label, scope=scope, **place, **fields)
        )
        say_written(carried_out(written, wait), json)


def _change(action: Literal["add", "update"], help_: str) -> None:
    """`add` and `update` take the same options; a rule that is added must say something."""

    @app.command(action, help=help_)
    def command(
        label: LabelOption,
        content: ContentOption = None,
        everywhere: GlobalOption = False,
        project: OwnerOption = None,
        title: TitleOption = None,
        tag: TagOption = None,
        type_: TypeOption = None,
        priority: PriorityOption = None,
        anchor: AnchorOption = None,
        wait: WaitOption = 5.0,
        json: JsonOption = False,
    ) -> None:
        owner = _owner(everywhere, project)
        if action == "add" and content is None:
            output.fail(
                UsageError("what does the rule say?", "Give --content TEXT; `-` reads stdin.")
            )
        text = sys.stdin.read() if content == "-" else content
        _write(
            action, owner, label, wait, json, content=text, title=title,
            tags=None if tag is None else [one for one in tag if one],
            type=type_, priority=priority, anchor=anchor,
        )  # fmt: skip


_change("add", "Add a rule.")
_change("update", "Change what is given of a rule; the rest stays.")


@app.command()
def remove(
    label: LabelOption,
    everywhere: GlobalOption = False,
    project: OwnerOption = None,
    wait: WaitOption = 5.0,
    json: JsonOption = False,
) -> None:
    """Remove a rule."""
    _write("remove", _owner(everywhere, project), label, wait, json)


@app.command()
def review(
    label: LabelOption,
    project: ProjectOption = None,
    wait: WaitOption = 5.0,
    json: JsonOption = False,
) -> None:
    """Accept the code under a rule's anchor as it is now."""
    _write("review", ("project", project_fields(project)), label, wait, json)


@app.command("list")
def list_(
    everywhere: OnlyGlobalOption = False,
    project: OnlyProjectOption = None,
    all_: AllOption = False,
    json: JsonOption = False,
) -> None:
    """List rules: global ones and those of the project here."""
    from surveyor.client.blocking import call
    from surveyor.protocol.knowledge import MemoryListRequest

    scope, place = _scope(everywhere, project, all_)
    with output.friendly_errors():
        answer = call(MemoryListRequest(scope=scope, **place))
    if json:
        output.print_json(answer)
        return
    for item in answer.rules:
        _show(item)
    if not answer.rules:
        output.note(NO_RULES)


@app.command()
def recall(
    query: Annotated[str, typer.Argument(help="What the rules should be about.")],
    everywhere: OnlyGlobalOption = False,
    project: OnlyProjectOption = None,
    all_: AllOption = False,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=1000, help="Most rules.")] = 10,
    json: JsonOption = False,
) -> None:
    """Find rules by meaning: global ones and those of the project here."""
    from surveyor.client.blocking import call
    from surveyor.protocol.knowledge import MemoryRecallRequest

    scope, place = _scope(everywhere, project, all_)
    if project is not None and scope == "project":
        scope = "current"
    with output.friendly_errors():
        answer = call(MemoryRecallRequest(query=query, scope=scope, limit=limit, **place))
    if json:
        output.print_json(answer)
    else:
        if answer.rules and (answer.rules[0].confidence or 0) < LOW:
            output.note("No rule is clearly about that; what follows is the nearest.")
        for item in answer.rules:
            _show(item)
    if answer.notice:
        output.note(answer.notice)
    elif not answer.rules:
        output.note(NO_WORDS if not any(map(str.isalnum, query)) else NO_RULES)
    if not answer.rules:
        raise typer.Exit(1)


@app.command()
def export(
    file: Annotated[Path | None, typer.Argument(help="Where to; stdout without.")] = None,
    format_: Annotated[
        RulesFormat | None, typer.Option("--format", help="By the file's ending without.")
    ] = None,
    everywhere: OnlyGlobalOption = False,
    project: OnlyProjectOption = None,
    all_: AllOption = False,
) -> None:
    """Write rules as Markdown or JSON, for review in git."""
    from surveyor.client.blocking import call
    from surveyor.files.writing import write_output
    from surveyor.protocol.knowledge import MemoryExportRequest

    by_name: RulesFormat = "json" if file is not None and file.suffix == ".json" else "markdown"
    scope, place = _scope(everywhere, project, all_)
    with output.friendly_errors():
        answer = call(MemoryExportRequest(format=format_ or by_name, scope=scope, **place))
        if file is None:
            typer.echo(answer.text, nl=False)
            return
        try:
            write_output(file, answer.text)
        except OSError as error:
            raise UsageError(
                f"{file} cannot be written: {error.strerror}", "Name a file in a folder of yours."
            ) from error
        output.note(f"written: {file}")


@app.command("import")
def import_(
    file: Annotated[Path, typer.Argument(help="An export, Markdown or JSON; `-` reads stdin.")],
    everywhere: Annotated[
        bool, typer.Option("--global", "-g", help="All of them become global.")
    ] = False,
    project: Annotated[
        str | None,
        typer.Option("--project", "-C", metavar="PATH", help="All of them become this project's."),
    ] = None,
    wait: WaitOption = 5.0,
    json: JsonOption = False,
) -> None:
    """Read rules; those whose label exists are updated. Without an option each keeps its scope."""
    from surveyor.client.blocking import call
    from surveyor.protocol.knowledge import MemoryImportRequest, Written

    if everywhere and project is not None:
        output.fail(UsageError("--global and --project exclude each other", "Give one of them."))
    scope: RuleScope | None = "global" if everywhere else "project" if project else None
    with output.friendly_errors():
        try:
            text = sys.stdin.read() if str(file) == "-" else file.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise UsageError(
                f"{file} cannot be read: {reason_of(error)}",
                "Name a file that `memory export` wrote, or `-` for stdin.",
            ) from error
        answer = call(MemoryImportRequest(text=text, scope=scope, **project_fields(project)))
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
    hook: Annotated[
        bool, typer.Option("--hook", help="Wait for 2 s at most; silent where it fails.")
    ] = False,
    json: JsonOption = False,
) -> None:
    """Print the rules that apply here, for an agent's session-start hook."""
    from surveyor.cli.agent_hooks import within_time
    from surveyor.client.blocking import call
    from surveyor.errors import SurveyorError
    from surveyor.protocol.knowledge import MemoryInjectRequest

    request = MemoryInjectRequest(max_chars=max_chars, **project_fields(project))
    if hook:
        try:
            answer = within_time(lambda client: client.call(request), start=True)
        except (SurveyorError, TimeoutError):
            return
    else:
        with output.friendly_errors():
            answer = call(request)
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
    if item.confidence is not None:
        facts.append(f"[{item.confidence:.2f}]")
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
