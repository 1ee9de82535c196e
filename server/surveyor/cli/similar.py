"""`surveyor similar`: code that does the same, in other words.

Exit codes: as of `surveyor search`.
"""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer

from surveyor.cli import output
from surveyor.cli.completion import language_names
from surveyor.cli.project_option import ProjectOption, project_fields
from surveyor.cli.search import FileTypesOption, JsonOption, LimitOption, show_answer
from surveyor.paths import is_there
from surveyor.protocol.wire import one_based

_PLACE = re.compile(r"(?P<path>.+?):(?P<first>\d+)(?:-(?P<last>\d+)|:\d+)?:?")
"""`file:line`, `file:first-last`, or `file:line:column` as other tools print it."""


def similar(
    place: Annotated[
        str | None,
        typer.Argument(
            metavar="FILE:LINE",
            help="The definition around a line, or FILE:FIRST-LAST: these lines.",
            show_default=False,
        ),
    ] = None,
    text: Annotated[
        str | None, typer.Option("--text", help="Code in place of a file; `-` reads it from stdin.")
    ] = None,
    project: ProjectOption = None,
    limit: LimitOption = 10,
    language: Annotated[
        list[str],
        typer.Option(
            "--language",
            "--lang",
            "-l",
            help="Only these; one alone is also the text's.",
            autocompletion=language_names,
        ),
    ] = [],  # noqa: B006
    path: Annotated[
        list[str], typer.Option("--path", help="Only paths matching a glob; `!glob` excludes.")
    ] = [],  # noqa: B006
    type_: FileTypesOption = [],  # noqa: B006
    kind: Annotated[
        list[str], typer.Option("--kind", help="function, class, method, struct …")
    ] = [],  # noqa: B006
    threshold: Annotated[float, typer.Option(min=0, max=1, help="Least certainty.")] = 0.0,
    tokens: Annotated[
        int | None, typer.Option(min=0, max=10_000_000, help="Budget for all snippets together.")
    ] = None,
    full: Annotated[bool, typer.Option("--full", help="Show whole snippets.")] = False,
    json: JsonOption = False,
) -> None:
    """Find code that does what a definition, some lines or a text does, in other words.

    Compares what is called, the literals, the shape of the syntax tree and the words, unsaved
    buffers included, and says what is the same.
    """
    from surveyor.client.blocking import call
    from surveyor.protocol.search import SimilarRequest

    asked: dict[str, Any] = {
        **project_fields(project),
        **_what(place, text, project),
        "limit": limit,
        "languages": language,
        "paths": path,
        "types": type_,
        "kinds": kind,
        "score_threshold": threshold,
        "token_budget": tokens,
    }
    with output.friendly_errors():
        answer = call(msgspec.convert(asked, SimilarRequest))
    if json:
        typer.echo(msgspec.json.encode(one_based(msgspec.to_builtins(answer))))
    else:
        show_answer(answer, full=full)
    if not answer.results:
        raise typer.Exit(1)


def _what(place: str | None, text: str | None, project: str | None) -> dict[str, Any]:
    """The part of the request that says what is compared."""
    if (place is None) == (text is None):
        raise typer.BadParameter("give either FILE:LINE or --text")
    if text is not None:
        given = sys.stdin.buffer.read() if text == "-" else text.encode("utf-8", "surrogateescape")
        return {"text": given.decode("utf-8", "replace")}
    found = _PLACE.fullmatch(place or "")
    if found is None:
        raise typer.BadParameter(f"{place!r} is not FILE:LINE or FILE:FIRST-LAST")
    path, last = Path(os.path.expanduser(found["path"])), found["last"]  # noqa: PTH111
    if project is not None and not is_there(path):
        path = Path(os.path.expanduser(project)) / path  # noqa: PTH111
    path = path.absolute()
    where = {"cwd": str(path)} if project is None else {}
    return where | {
        "path": str(path),
        "start_line": int(found["first"]),
        "end_line": int(last) if last else None,
    }
