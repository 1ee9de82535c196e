"""`surveyor def|refs|callers|callees|implementations|supertypes|subtypes|outline|deps|impact|map`.

Exit codes as for `search`: 0 something found, 1 nothing found or an error, 2 a bad argument, 3 no
such name or project, 4 no engine.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from inspect import Parameter, Signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from surveyor.cli import output
from surveyor.cli.completion import among
from surveyor.cli.project_option import (
    DiffOption,
    ProjectOption,
    RangeOption,
    StagedOption,
    WaitOption,
    change_of,
    project_fields,
    project_folder,
)
from surveyor.paths import is_file, is_folder, is_there, named_path
from surveyor.protocol.enumerations import REFERENCE_KINDS, Exact, Picture
from surveyor.units import counted

if TYPE_CHECKING:
    from surveyor.protocol.graph import (
        Drawing,
        GraphItem,
        GraphResponse,
        ImpactItem,
        ImpactResponse,
        MapResponse,
    )


NAME = "func, Class.method, package.module.func, path:func or path:line[:column]."
NameArgument = Annotated[str, typer.Argument(help=NAME)]
FileArgument = Annotated[str, typer.Argument(help="Path of a file.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON.")]
LimitOption = Annotated[int, typer.Option("--limit", "-n", min=1, max=100_000, help="Most items.")]
DepthOption = Annotated[int, typer.Option("--depth", "-d", min=1, max=20, help="Steps to follow.")]
PictureOption = Annotated[
    Picture | None, typer.Option("--picture", help="Print a picture: Graphviz DOT or Mermaid.")
]
ExactOption = Annotated[
    Exact,
    typer.Option(help="auto: ask a language server that is ready; always: start one and wait."),
]


def _common(project: str | None, wait: float) -> dict[str, Any]:
    return {**project_fields(project), "wait_until_fresh_ms": int(wait * 1000)}


def _ask(kind: str, json: bool, **asked: Any) -> None:
    """Send a request of `graph.models` and show the answer."""
    from surveyor.client.blocking import call
    from surveyor.protocol import graph

    with output.friendly_errors():
        answer: GraphResponse = call(getattr(graph, kind)(**asked))
    if json:
        output.print_json(answer)
    elif answer.picture is not None:
        _draw(answer.picture)
    elif kind == "DependenciesRequest":
        _show(answer, _dependency_line, by_path=False)
    else:
        _show(answer, _outline_line if kind == "OutlineRequest" else _line)
    if not answer.results:
        raise typer.Exit(1)


def _draw(picture: str) -> None:
    for line in picture.rstrip().split("\n"):
        output.say(line)


def _show(answer: GraphResponse, line: Callable[[GraphItem], str], *, by_path: bool = True) -> None:
    output.say_freshness(answer)
    if answer.notice:
        output.note(answer.notice)
    path = ""
    for item in answer.results:
        if by_path and item.path != path:
            path = item.path
            output.say(path)
        output.say(line(item))
    if not answer.results:
        output.note("Nothing found.")
    for other in answer.candidates:
        output.note(f"also: {other.path}:{other.line} {other.symbol}")
    if answer.omitted:
        output.note(f"{answer.omitted} more; --limit shows more.")
    if answer.unlikely:
        alike = counted(
            answer.unlikely,
            "place that only shares the name is",
            "places that only share the name are",
        )
        output.note(f"{alike} left out.")
    server = f" ({answer.server})" if answer.server else ""
    output.note(f"[{answer.precision}{server}{_how_many(answer, len(answer.results))}]")


def _how_many(answer: GraphResponse | ImpactResponse, shown: int) -> str:
    """That an answer may lack something, or that it has no more than the limit let through."""
    if answer.limited:
        return f", {shown} of {shown + answer.omitted}"
    return "" if answer.complete else ", not complete"


def _dependency_line(item: GraphItem) -> str:
    indent = "  " * (item.depth - 1)
    return f"{indent}{item.path}  {item.kind} at line {item.line}: {item.text}"


def _outline_line(item: GraphItem) -> str:
    name = re.split(r"\.(?![^\[]*\])", item.symbol)[-1]  # [Symbol.iterator] is one name
    where = f"{item.line}-{item.end_line}"
    return f"{'  ' * item.depth}{where} {item.symbol_kind} {name}{_unsaved(item)}"


def _unsaved(item: GraphItem | ImpactItem) -> str:
    version = item.unsaved_version
    return f"  [unsaved, version {version}]" if version is not None else ""


def _line(item: GraphItem) -> str:
    indent = "  " * item.depth
    where = f"{item.line}:{item.column + 1}"
    around = f" in {item.symbol}" if item.kind != "definition" and item.symbol else ""
    if item.kind == "definition":
        around = f" {item.symbol_kind} {item.symbol}"
    sure = "" if item.precision in ("syntax", "exact") else f" [{item.precision} {item.score:.2f}]"
    via = f" via {' → '.join(item.via)}" if item.via else ""
    test = " (test)" if item.is_test else ""
    return f"{indent}{where} {item.kind}{around}{test}{sure}{via}  {item.text}".rstrip() + _unsaved(
        item
    )


def _question(kind: str, about: str, *options: str, **preset: Any) -> Callable[..., None]:
    """A command that sends one request: a name, these of `_OPTIONS`, and what all commands take.

    `preset` are fields of the request that the command decides, or another default of an option.
    """
    taken = {each: _OPTIONS[each] for each in (*options, "wait", "json")}
    fixed = {each: value for each, value in preset.items() if each not in taken}

    def command(
        name: str, project: str | None = None, wait: float = 0.0, json: bool = False, **given: Any
    ) -> None:
        _ask(kind, json, name=name, **fixed, **given, **_common(project, wait))

    parameters = [("name", NameArgument, Parameter.empty), ("project", ProjectOption, None)]
    parameters += [
        (each, annotation, preset.get(each, default))
        for each, (annotation, default) in taken.items()
    ]
    command.__doc__ = about
    command.__annotations__ = {each: annotation for each, annotation, _ in parameters}
    command.__signature__ = Signature(  # type: ignore[attr-defined]
        [
            Parameter(each, Parameter.KEYWORD_ONLY, default=default, annotation=annotation)
            for each, annotation, default in parameters
        ]
    )
    return command


_OPTIONS: dict[str, tuple[Any, Any]] = {
    "depth": (DepthOption, 1),
    "picture": (PictureOption, None),
    "exact": (ExactOption, "auto"),
    "limit": (LimitOption, 500),
    "wait": (WaitOption, 0.0),
    "json": (JsonOption, False),
}
"""Annotation and default of what several commands take."""

definition = _question(
    "DefinitionRequest", "Where something is defined.", "exact", "limit", limit=100
)
callers = _question(
    "CallersRequest", "What calls something, directly and through others.",
    "depth", "picture", "exact", "limit",
)  # fmt: skip
callees = _question(
    "CalleesRequest", "What something calls, directly and through others.",
    "depth", "picture", "limit",
)  # fmt: skip
implementations = _question(
    "ImplementationsRequest",
    "What implements an interface, extends a class or overrides a method.", "exact", "limit",
)  # fmt: skip
supertypes = _question(
    "HierarchyRequest", "What a type extends.", "depth", depth=10, direction="super"
)
subtypes = _question("HierarchyRequest", "What extends a type.", "depth", depth=10, direction="sub")


def references(
    name: NameArgument,
    project: ProjectOption = None,
    kind: Annotated[
        list[str],
        typer.Option(
            "--kind",
            help=f"{', '.join(REFERENCE_KINDS)}.",
            autocompletion=among(REFERENCE_KINDS),
        ),
    ] = [],  # noqa: B006
    min_score: Annotated[
        float, typer.Option(min=0, max=1, help="0 keeps places that only share the name.")
    ] = 0.25,
    exact: ExactOption = "auto",
    limit: LimitOption = 500,
    wait: WaitOption = 0.0,
    json: JsonOption = False,
) -> None:
    """Where something is used, by file and line."""

    for one in kind:
        if one not in REFERENCE_KINDS:
            raise typer.BadParameter(f"no kind {one!r}; one of {', '.join(REFERENCE_KINDS)}")
    _ask(
        "ReferencesRequest", json, name=name, kinds=kind, min_score=min_score,
        exact=exact, limit=limit, **_common(project, wait),
    )  # fmt: skip


def _as_path(text: str, project: str | None) -> str:
    """A file as the caller sees it: from the working folder when it is there."""
    here = named_path(text)
    return str(here) if project is None and is_there(here) else text


def outline(
    file: FileArgument,
    project: ProjectOption = None,
    limit: LimitOption = 5000,
    wait: WaitOption = 0.0,
    json: JsonOption = False,
) -> None:
    """What a file defines."""
    _ask(
        "OutlineRequest", json, path=_as_path(file, project), limit=limit,
        **_common(project, wait),
    )  # fmt: skip


def dependencies(
    file: FileArgument,
    project: ProjectOption = None,
    reverse: Annotated[
        bool, typer.Option("--reverse", "-r", help="Files that import it instead.")
    ] = False,
    depth: DepthOption = 1,
    limit: LimitOption = 1000,
    wait: WaitOption = 0.0,
    json: JsonOption = False,
) -> None:
    """Files that a file imports, or that import it."""
    _ask(
        "DependenciesRequest", json, path=_as_path(file, project),
        direction="in" if reverse else "out", depth=depth, limit=limit, **_common(project, wait),
    )  # fmt: skip


def impact(
    name: Annotated[str, typer.Argument(help=f"A file, or {NAME}")] = "",
    project: ProjectOption = None,
    diff: DiffOption = False,
    staged: StagedOption = False,
    revisions: RangeOption = None,
    path: Annotated[
        str | None, typer.Option("--path", help="Of a change: only this file or folder.")
    ] = None,
    depth: DepthOption = 3,
    limit: LimitOption = 200,
    picture: PictureOption = None,
    wait: WaitOption = 0.0,
    json: JsonOption = False,
) -> None:
    """What depends on a file, a symbol or a diff, and what that depends on.

    With --diff the argument, where there is one, is a git range or a commit.
    """
    from surveyor.client.blocking import call
    from surveyor.protocol.graph import ImpactRequest

    change = change_of(diff, staged, revisions)
    if not name and change is None:
        raise typer.BadParameter("give a file, a symbol, or --diff")
    if name and revisions:
        raise typer.BadParameter(f"{name!r} and {revisions}: give one of them")
    asked = {
        # A folder is no answer, and a symbol may be called as one.
        "name": "" if change else name if is_folder(name) else _as_path(name, project),
        "diff": (name or change) if change else None,
        "diff_path": path,
        "depth": depth,
        "limit": limit,
        "picture": picture,
        **_common(project, wait),
    }
    with output.friendly_errors():
        answer = call(ImpactRequest(**asked))
    if json:
        output.print_json(answer)
    elif answer.picture is not None:
        _draw(answer.picture)
    else:
        _show_impact(answer, depth)
    if not answer.subjects:
        raise typer.Exit(1)


def _show_impact(answer: ImpactResponse, depth: int) -> None:
    output.say_freshness(answer)
    if answer.notice:
        output.note(answer.notice)
    for subject in answer.subjects[:20]:
        gone = " (removed)" if subject.kind == "removed" else ""
        output.say(f"{subject.path}:{subject.line} {subject.symbol or '(the file)'}{gone}")
    if len(answer.subjects) > 20:
        output.say(f"… and {len(answer.subjects) - 20} more")
    code = [item for item in answer.inbound if not item.is_test]
    tests = [item for item in answer.inbound if item.is_test]
    for title, items in (
        ("Depends on it", code), ("Tests", tests), ("It depends on", answer.outbound),
    ):  # fmt: skip
        if items:
            output.say()
            output.say(f"{title} ({len(items)})")
            for item in items:
                output.say(_impact_line(item))
    if answer.unresolved:
        output.say()
        output.say(f"Imports without a file ({len(answer.unresolved)})")
        for missing in answer.unresolved:
            output.say(f"  {missing.path}:{missing.line} {missing.module}: {missing.reason}")
    if answer.unresolved_elsewhere:
        output.note(
            f"{counted(answer.unresolved_elsewhere, 'import')} by call elsewhere cannot be"
            " computed; each may"
            " mean any file (`surveyor.import_map.json` can say which)."
        )
    if answer.omitted:
        output.note(f"{answer.omitted} more; --limit shows more.")
    if any(item.depth >= depth for item in answer.inbound):
        output.note(f"What is more than {depth} away is not followed; --depth follows more.")
    shown = len(answer.inbound) + len(answer.outbound)
    output.note(f"[{answer.precision}{_how_many(answer, shown)}]")


def _impact_line(item: ImpactItem) -> str:
    name = f" {item.name}" if item.name else ""
    steps = [step.rpartition("::")[2] for step in item.via]
    via = f"  via {' → '.join(steps)}" if steps else ""
    sure = "" if item.precision == "syntax" else f" [{item.precision}]"
    said = f"  {item.path}:{item.line}{name}  {item.edge}, {item.depth} away{sure}{via}"
    return said + _unsaved(item)


def map_(
    path: Annotated[
        Path | None, typer.Argument(help="Only this folder.", show_default="the whole project")
    ] = None,
    project: ProjectOption = None,
    tokens: Annotated[
        int, typer.Option("--tokens", "-t", min=50, max=200_000, help="Budget.")
    ] = 2000,
    query: Annotated[
        str | None, typer.Option("--query", "-q", help="Count more what is near this.")
    ] = None,
    file: Annotated[
        list[str], typer.Option("--file", help="Count more what is near this file.")
    ] = [],  # noqa: B006
    html: Annotated[
        Path | None,
        typer.Option("--html", help="Write it as a graph into this file, for a browser."),
    ] = None,
    wait: WaitOption = 0.0,
    json: JsonOption = False,
) -> None:
    """The most important files and definitions, for a number of tokens."""
    from surveyor.client.blocking import call
    from surveyor.protocol.graph import MapRequest

    common = _common(project, wait)
    if path is not None:
        with output.friendly_errors():
            folder = named_path(project_folder(project) / os.path.expanduser(path))  # noqa: PTH111
        if is_file(folder):
            raise typer.BadParameter(f"{path} is a file; --file counts more what is near it")
        common |= {"folder": str(folder)} | ({} if project else {"cwd": str(folder)})
    with output.friendly_errors():
        answer = call(
            MapRequest(
                tokens=tokens,
                query=query,
                files=[_as_path(one, project) for one in file],
                drawing=html is not None,
                **common,
            )
        )
    if html is not None and answer.drawing is not None:
        _write_page(html.expanduser(), answer, answer.drawing, json=json)
    elif json:
        output.print_json(answer)
    else:
        output.say_freshness(answer)
        for line in answer.text.split("\n"):
            output.say(line)
        output.note(
            f"[{len(answer.results)} of {counted(answer.files_total, 'file')}, about"
            f" {answer.tokens} tokens]"
        )
    if not answer.results:
        raise typer.Exit(1)


def _write_page(file: Path, answer: MapResponse, drawing: Drawing, *, json: bool) -> None:
    from surveyor.cli.graph_page import map_page

    output.say_freshness(answer)
    try:
        file.write_text(map_page(answer, drawing), encoding="utf-8")
    except OSError as error:
        raise typer.BadParameter(f"{file} cannot be written: {error.strerror}") from error
    files, arrows = len(drawing.nodes), len(drawing.edges)
    if json:
        output.print_json({"html": str(file), "files": files, "arrows": arrows})
    else:
        output.say(f"{file}: {counted(files, 'file')}, {counted(arrows, 'arrow')}")
