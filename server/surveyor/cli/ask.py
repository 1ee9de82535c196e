"""`surveyor ask`."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from surveyor.cli import output
from surveyor.cli.project_option import (
    DiffOption,
    ProjectOption,
    RangeOption,
    StagedOption,
    change_of,
    project_fields,
)

if TYPE_CHECKING:
    from surveyor.protocol.ask import AskPiece, AskRequest, AskResponse, AskStep

Dag = Literal["text", "dot", "mermaid"]
PIECE_LINES = 12
"""Lines shown of a piece where no model has read it."""


def ask(
    question: Annotated[
        str | None,
        typer.Argument(
            help="What you want to know of the project; none: asked for, one after the other."
        ),
    ] = None,
    project: ProjectOption = None,
    diff: DiffOption = False,
    staged: StagedOption = False,
    revisions: RangeOption = None,
    tokens: Annotated[
        int | None,
        typer.Option(min=200, max=10_000_000, help="Budget for the pieces; else `ask.tokens`."),
    ] = None,
    pieces_only: Annotated[
        bool, typer.Option("--pieces", help="Ask no model, also where one is set.")
    ] = False,
    dag: Annotated[Dag | None, typer.Option(help="Show the steps and their scores.")] = None,
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Answer a question from the project's code, rules, documents, notes and history.

    A model reads them only where you have set one (`ask.endpoint`, `ask.model`); without, the cited
    pieces are the answer. Exit codes: 0 answered, 1 nothing matches or the model failed,
    2 a bad argument.
    """
    from surveyor.protocol.ask import AskRequest

    request = AskRequest(
        question=question or "",
        diff=change_of(diff, staged, revisions),
        tokens=tokens,
        pieces_only=pieces_only,
        **project_fields(project),
    )
    if question is None and sys.stdin.isatty():
        _converse(request, dag, json)
        return
    if question is None:
        request.question = sys.stdin.read().strip()
    answer = _ask(request, dag, json)
    if not answer.known or answer.failed:
        raise typer.Exit(1)


def _converse(request: AskRequest, dag: Dag | None, json: bool) -> None:
    """Ask what a person types until they have no more questions; a model is told what was said."""
    from surveyor.protocol.ask import ChatMessage

    output.note("Ask about the project; Ctrl-D ends.")
    while True:
        try:
            request.question = input("> ").strip()
        except (EOFError, KeyboardInterrupt):
            output.note("")
            return
        if not request.question:
            continue
        answer = _ask(request, dag, json)
        if answer.answer:
            asked = ChatMessage(role="user", content=request.question)
            said = ChatMessage(role="assistant", content=answer.answer)
            request.earlier = [*request.earlier, asked, said]


def _ask(request: AskRequest, dag: Dag | None, json: bool) -> AskResponse:
    """Ask, and print the answer."""
    from surveyor.client.blocking import call

    with output.friendly_errors():
        answer = call(request)
    if json:
        output.print_json(answer)
    elif dag in ("dot", "mermaid"):
        for line in _graph(answer.steps, dag):
            output.say(line)
    else:
        _show(answer, steps=dag is not None)
    return answer


def _show(answer: AskResponse, *, steps: bool) -> None:
    output.say_freshness(answer)
    if steps:
        for step in answer.steps:
            output.note(f"{step.name}: {step.in_words()}")
    if answer.web:
        output.note(f"Looked for pages at {answer.web}.{_why_none(answer.steps)}")
    if answer.notice:
        output.note(answer.notice)
    if answer.model is not None:
        output.note(f"Asked {answer.model.name} at {answer.model.endpoint}.")
    if answer.answer:
        for line in answer.answer.splitlines():
            output.say(line)
        output.say()
    for piece in answer.pieces:
        title = f"  {piece.title}" if piece.corpus == "web" and piece.title else ""
        output.say(f"[{piece.number}] {piece.cited}{title}  [{piece.confidence:.2f}]")
        if not answer.answer:
            for line in _lines(piece):
                output.say(f"    {line}")
            output.say()


def _why_none(steps: list[AskStep]) -> str:
    """What came of looking for pages, where none is among the pieces."""
    step = next((each for each in steps if each.name == "web" and not each.kept), None)
    return f" None helps: {step.note}." if step else ""


def _lines(piece: AskPiece) -> list[str]:
    lines = piece.text.splitlines()
    return lines if len(lines) <= PIECE_LINES else [*lines[: PIECE_LINES - 1], "…"]


def _graph(steps: list[AskStep], language: Dag) -> Iterator[str]:
    """The steps as a picture, in their order."""
    arrow = "->" if language == "dot" else "-->"
    yield "digraph ask {" if language == "dot" else "flowchart LR"
    for number, step in enumerate(steps):
        label = f"{step.name}: {step.in_words()}".replace('"', "'")
        shape = f'[label="{label}"];' if language == "dot" else f'["{label}"]'
        yield f"  s{number} {shape}" if language == "dot" else f"  s{number}{shape}"
    for number in range(len(steps) - 1):
        yield f"  s{number} {arrow} s{number + 1}{';' if language == 'dot' else ''}"
    if language == "dot":
        yield "}"
