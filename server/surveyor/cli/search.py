"""`surveyor search` and `surveyor symbols`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
import typer

from surveyor.cli import completion, output
from surveyor.cli.project_option import (
    EVERY,
    AnyProjectOption,
    DiffOption,
    RangeOption,
    StagedOption,
    WaitOption,
    change_of,
    project_fields,
)
from surveyor.protocol.enumerations import CORPORA, FILE_TYPES, TEXT_MODES, Mode, one_of
from surveyor.protocol.wire import one_based
from surveyor.terminal_text import written_out

if TYPE_CHECKING:
    from surveyor.protocol.search import SearchResponse, SearchResult

SNIPPET_LINES = 8
"""Lines shown of each result; `--json` and `--full` have all."""


AllOption = Annotated[bool, typer.Option("--all", help="Every registered project.")]
LanguagesOption = Annotated[
    list[str],
    typer.Option(
        "--language", "--lang", "-l",
        help="Only these.", autocompletion=completion.language_names,
    ),
]  # fmt: skip
FileTypesOption = Annotated[
    list[str],
    typer.Option(
        "--type", help=f"{one_of(FILE_TYPES)}.", autocompletion=completion.among(FILE_TYPES)
    ),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON.")]
LimitOption = Annotated[int, typer.Option("--limit", "-n", min=1, max=1000, help="Most results.")]


def search(
    query: Annotated[
        str,
        typer.Argument(
            help="Words, a question, a name, an error message …",
        ),
    ],
    project: AnyProjectOption = None,
    everywhere: AllOption = False,
    mode: Annotated[
        Mode,
        typer.Option(
            help="How to search; literal, regex and pattern list every match, as grep does."
        ),
    ] = "hybrid",
    limit: LimitOption = 10,
    language: LanguagesOption = [],  # noqa: B006
    path: Annotated[
        list[str], typer.Option("--path", help="Only paths matching a glob; `!glob` excludes.")
    ] = [],  # noqa: B006
    type_: FileTypesOption = [],  # noqa: B006
    kind: Annotated[
        list[str], typer.Option("--kind", help="function, class, method, struct …")
    ] = [],  # noqa: B006
    branch: Annotated[str | None, typer.Option(help="A branch, or `*` for all known.")] = None,
    corpora: Annotated[
        str,
        typer.Option(
            "--in",
            help=f"{', '.join(CORPORA)}; comma-separated.",
            autocompletion=completion.listed(CORPORA),
        ),
    ] = "code",
    threshold: Annotated[
        float | None,
        typer.Option(
            min=0,
            max=1,
            help="Least confidence; 0 shows all even where nothing matches well.",
        ),
    ] = None,
    tokens: Annotated[
        int | None, typer.Option(min=0, max=10_000_000, help="Budget for all snippets together.")
    ] = None,
    explain: Annotated[
        bool, typer.Option("--explain", help="Show how each score came about.")
    ] = False,
    diff: DiffOption = False,
    staged: StagedOption = False,
    revisions: RangeOption = None,
    full: Annotated[bool, typer.Option("--full", help="Show whole snippets.")] = False,
    ignore_case: Annotated[
        bool, typer.Option("--ignore-case", "-i", help="With literal and regex: in any case.")
    ] = False,
    context: Annotated[
        int,
        typer.Option(
            "--context", min=0, max=20, help="With them and pattern: lines around a match."
        ),
    ] = 0,
    offset: Annotated[
        int, typer.Option(min=0, max=10_000_000, help="With them and pattern: matches to skip.")
    ] = 0,
    wait: WaitOption = 0.0,
    json: JsonOption = False,
) -> None:
    """Find code by what it does, by name, or by what it prints.

    Exit codes: 0 something found, 1 nothing found or an error, 2 a bad argument,
    3 no such project, 4 no engine.
    """
    from surveyor.client.blocking import call
    from surveyor.protocol.search import SearchRequest

    if mode not in TEXT_MODES and (offset or context or ignore_case):
        raise typer.BadParameter(
            "`--offset`, `--context` and `--ignore-case` go with `--mode literal`, `regex` and"
            " `pattern`; what is ranked has no further pages: raise `--limit`"
        )
    every = everywhere or project == EVERY
    asked: dict[str, Any] = {
        "query": _as_text(query),
        **project_fields(None if every else project),
        "scope": "all" if every else "current",
        "mode": mode,
        "limit": limit,
        "languages": language,
        "paths": path,
        "types": type_,
        "kinds": kind,
        "branch": branch,
        "corpora": [part.strip() for part in corpora.split(",") if part.strip()],
        "score_threshold": threshold,
        "token_budget": tokens,
        "explain": explain,
        "diff": change_of(diff, staged, revisions),
        "ignore_case": ignore_case,
        "context_lines": context,
        "offset": offset,
        "wait_until_fresh_ms": int(wait * 1000),
    }
    with output.friendly_errors():
        try:
            request = msgspec.convert(asked, SearchRequest)
        except msgspec.ValidationError as error:
            raise typer.BadParameter(
                f"`--in` is {', '.join(CORPORA)} or several, not {corpora!r}"
            ) from error
        answer = call(request)
    if json:
        typer.echo(msgspec.json.encode(one_based(msgspec.to_builtins(answer))))
    else:
        show_answer(answer, full=full)
    if not answer.results:
        raise typer.Exit(1)


def _as_text(query: str) -> str:
    """A query is data, whatever bytes it was typed in."""
    return query.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def show_answer(answer: SearchResponse, *, full: bool) -> None:
    """Results as a terminal or a pipe takes them."""
    output.say_freshness(answer)
    if answer.notice:
        output.note(answer.notice)
    draw = _draw if output.is_terminal() else _print
    for result in answer.results:
        draw(result, full, answer.branch)
    if not answer.results and not answer.notice:
        output.note("Nothing found.")
    if answer.omitted:
        hint = (answer.omitted_hint or "").replace("with offset", "with --offset")
        output.note(f"{answer.omitted} left out. {hint}".rstrip())


def _title(result: SearchResult, here: str | None) -> str:
    if result.column is not None:
        name = ".".join(part for part in (result.container, result.symbol) if part)
        return f"{_place(result)}  {f'{result.kind} {name}' if name else ''}".rstrip()
    if result.source != "code":
        return f"{_origin(result)}  from {result.source}  [{result.confidence:.2f}]"
    name = ".".join(part for part in (result.container, result.symbol) if part)
    where = f"{result.path}:{result.start_line}"
    what = " ".join(part for part in (result.kind, name or result.title) if part)
    other = f"  on {result.branch}" if here and result.branch not in (None, here) else ""
    return f"{where}-{result.end_line}  {what}{other}  [{result.confidence:.2f}]"


def _place(result: SearchResult) -> str:
    """Where a match of exact text begins, the column counted from 1 as editors show it."""
    return f"{result.path}:{result.line}:{(result.column or 0) + 1}"


def _origin(result: SearchResult) -> str:
    """Where knowledge comes from, and what it is."""
    lines = f":{result.start_line}-{result.end_line}" if result.end_line > 1 else ""
    if result.source == "history":
        where = result.symbol or ""
    elif result.source == "rules" and not result.root:
        where = result.path
    else:
        where = f"{result.path}{lines}"
    title, inside = result.title or "", result.container or ""
    what = inside if inside.startswith(title) else " > ".join(p for p in (title, inside) if p)
    return f"{where}  {result.kind} {what}".rstrip()


def _lines(result: SearchResult, full: bool) -> list[str]:
    """The snippet, or a few lines of it from the signature on: comments and decorators above it,
    and the middle of a statement, say less."""
    lines = [written_out(line) for line in result.snippet.splitlines()]
    if full or len(lines) <= SNIPPET_LINES:
        return lines
    first = 0 if result.truncated else max(result.line - result.start_line, 0)
    head: list[str] = []
    name = (result.symbol or "").rpartition(".")[2]
    if (
        result.source == "code"
        and result.signature
        and name not in lines[min(first, len(lines) - 1)]
    ):
        head = [written_out(result.signature), "…"]
    most = SNIPPET_LINES - len(head)
    shown = lines[first : first + most]
    return [*head, *shown] if first + most >= len(lines) else [*head, *shown[:-1], "…"]


def _said(result: SearchResult) -> list[str]:
    """What is said of a result: why it is similar, and the rules at it."""
    reasons = [f"  {', '.join(result.reasons)}"] if result.reasons else []
    return reasons + [f"  rule {said}" for said in result.rules]


def _also(result: SearchResult) -> list[str]:
    """Where else in its file to look."""
    places = [
        f"{place.symbol}:{place.start_line}"
        if place.symbol
        else f"lines {place.start_line}-{place.end_line}"
        for place in result.also
    ]
    return [f"    also: {written_out(', '.join(places))}"] if places else []


def _captures(result: SearchResult) -> list[str]:
    """What the holes of a pattern matched, where it is one line."""
    return [
        f"  {hole} = {written_out(value)}"
        for hole, value in result.captures.items()
        if value and "\n" not in value
    ]


def _explain(result: SearchResult) -> list[str]:
    return [
        f"      {part.name:<24} {'+' if part.operation == 'add' else '×'} {part.value:<9.4f}"
        f" = {part.score:.5f}"
        for part in result.explain or []
    ]


def _print(result: SearchResult, full: bool, here: str | None) -> None:
    output.say(_title(result, here))
    for line in [*_said(result), *_captures(result)]:
        output.say(line)
    for line in _lines(result, full):
        output.say(f"    {line}")
    for line in [*_also(result), *_explain(result)]:
        output.say(line)
    output.say()


def _draw(result: SearchResult, full: bool, here: str | None) -> None:
    from rich.padding import Padding
    from rich.syntax import Syntax
    from rich.text import Text

    console = output.console()
    if result.source != "code":
        console.print(Text(written_out(_title(result, here)), "bold"))
        console.print(Padding(Text("\n".join(_lines(result, full))), (0, 0, 1, 2)))
        return
    place = (Path(result.root) / result.path).as_uri()
    title = Text()
    exact = result.column is not None
    title.append(
        written_out(_place(result) if exact else f"{result.path}:{result.start_line}"),
        f"bold cyan link {place}#{result.line or result.start_line}",
    )
    title.append(f"  {result.kind} ", "dim")
    title.append(written_out(".".join(p for p in (result.container, result.symbol) if p)), "bold")
    if not exact:
        title.append(f"  {result.confidence:.2f}", "green" if result.confidence > 0.8 else "dim")
    console.print(title)
    for line in [*_said(result), *_captures(result)]:
        console.print(Text(written_out(line), "yellow"))
    code = Syntax(
        "\n".join(_lines(result, full)),
        result.language or "text",
        line_numbers=True,
        start_line=result.start_line,
        background_color="default",
    )
    console.print(Padding(code, (0, 0, 0 if result.also else 1, 2)))
    for line in _also(result):
        console.print(Padding(Text(line, "dim"), (0, 0, 1, 0)))
    for line in _explain(result):
        console.print(Text(line, "dim"))


def symbols(
    query: Annotated[
        str,
        typer.Argument(
            help="A name or a part of one; humps work: gUBI.",
        ),
    ],
    project: AnyProjectOption = None,
    everywhere: AllOption = False,
    kind: Annotated[list[str], typer.Option("--kind", help="Only these kinds.")] = [],  # noqa: B006
    limit: LimitOption = 20,
    json: JsonOption = False,
) -> None:
    """Find definitions by name: exact, prefix, camel humps, fuzzy, substring."""
    from surveyor.client.blocking import call
    from surveyor.protocol.search import SymbolsRequest

    every = everywhere or project == EVERY
    with output.friendly_errors():
        answer = call(
            SymbolsRequest(
                query=_as_text(query),
                scope="all" if every else "current",
                kinds=kind,
                limit=limit,
                **project_fields(None if every else project),
            )
        )
    if json:
        typer.echo(msgspec.json.encode(answer))
    else:
        output.say_freshness(answer)
        for item in answer.results:
            name = ".".join(part for part in (item.container, item.name) if part)
            output.say(f"{item.path}:{item.line}  {item.kind} {name}")
        if not answer.results:
            output.note("No symbol with such a name.")
    if not answer.results:
        raise typer.Exit(1)
