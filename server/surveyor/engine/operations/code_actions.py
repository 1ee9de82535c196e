"""`code_action`: what a language server offers at a place, applied as an edit."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from surveyor.engine.edits.editing import CurrentText, Editing
from surveyor.engine.edits.file_text import FileText
from surveyor.engine.edits.workspace_edits import changes_of, place_at, with_edits
from surveyor.engine.operations import Caller, operation
from surveyor.engine.operations.edits import ConflictError, EditOperations
from surveyor.engine.operations.engine_callables import ResolveCheckout
from surveyor.engine.projects import boundary
from surveyor.engine.projects.checkouts import Checkout
from surveyor.errors import SurveyorError, UsageError
from surveyor.files.contained_paths import below
from surveyor.graph.service import GraphService
from surveyor.protocol.edits import CodeActionRequest, EditResponse, OfferedCodeAction
from surveyor.protocol.graph import DefinitionRequest
from surveyor.units import counted

if TYPE_CHECKING:
    from surveyor.servers.code_actions import ActionsAnswer, Span

__all__ = ["CodeActionOperations"]

AskServer = Callable[[str, Mapping[str, str], "Span", str], Awaitable["ActionsAnswer"]]
"""Asks a language server: root, texts by path (the first is asked about), span, title."""


class CodeActionOperations:
    """Applies code actions by their titles."""

    def __init__(
        self,
        resolve: ResolveCheckout,
        graph: GraphService,
        editing: Editing,
        edits: EditOperations,
        ask_server: AskServer,
    ) -> None:
        self._resolve = resolve
        self._graph = graph
        self._editing = editing
        self._edits = edits
        self._ask_server = ask_server

    @operation(CodeActionRequest)
    async def code_action(self, request: CodeActionRequest, call: Caller) -> EditResponse:
        """Apply an action, or say which are offered."""
        self._edits.require_writable()
        checkout = await self._resolve(request.cwd, request.project)
        boundary.check_open(checkout.root, checkout.name, "edited")
        path, place = await self._place(checkout, request)
        current = (await self._editing.current(checkout, [path], generated=request.generated))[path]
        texts = {path: current.file.text}
        span = _span(current.file, request, place)
        answer = await self._ask_server(checkout.root, texts, span, request.title)
        if not request.title or answer.lacks:
            return _listed(checkout, answer)
        files = _files(answer, checkout.root)
        others = [each for each in files if each not in texts]
        found = await self._editing.current(checkout, others, generated=request.generated)
        texts |= {each: now.file.text for each, now in found.items()}
        if any(now.held is not None for now in found.values()):
            # It has read these from the disk: their buffers are shown as well.
            answer = await self._ask_server(checkout.root, texts, span, request.title)
            if answer.lacks:
                return _listed(checkout, answer)
            files = _files(answer, checkout.root)
        edits = await self._editing.run(
            checkout,
            list(files),
            partial(self._plan, checkout, files, texts, call),
            label=f"Surveyor: {request.title[:60]}",
            generated=request.generated,
            preview=request.preview,
        )
        made = await self._edits.answer(checkout, edits, call, preview=request.preview)
        if answer.left_out:
            made.notice = f"{answer.server} would run {answer.left_out} after it: that was not done"
        return made

    async def _place(
        self, checkout: Checkout, request: CodeActionRequest
    ) -> tuple[str, tuple[int, int] | None]:
        """The file, from the root, and line (from 0) and column of the name that was given."""
        root = Path(checkout.root)
        if not request.name:
            if not request.path:
                raise UsageError("no file is named", "Give `path`, or `name` of a definition.")
            return below(root, request.path), None
        context = await self._graph.query_context(checkout.root, None)
        nodes = (await context.meant(DefinitionRequest(name=request.name, path=request.path))).nodes
        if len(nodes) != 1:
            places = ", ".join(f"{node.path}:{node.line}" for node in nodes[:5])
            raise UsageError(
                f"{request.name} is defined {counted(len(nodes), 'time')}: {places}",
                "Give path and line.",
            )
        return below(root, nodes[0].path), (nodes[0].line - 1, nodes[0].column)

    async def _plan(
        self,
        checkout: Checkout,
        files: Mapping[str, Sequence[Any]],
        texts: Mapping[str, str],
        call: Caller,
        current: Mapping[str, CurrentText],
    ) -> dict[str, FileText]:
        """The files as they are to be. Raises `ConflictError` where one was changed meanwhile."""
        self._edits.check_read(checkout, current.values(), call)
        planned = {}
        for path, edits in files.items():
            if current[path].file.text != texts.get(path):
                raise ConflictError(
                    f"{path} is not what the language server has read",
                    "Nothing was changed: try again in a moment.",
                )
            planned[path] = with_edits(current[path].file, edits)
        return planned


def _span(file: FileText, request: CodeActionRequest, place: tuple[int, int] | None) -> Span:
    """What the action is asked for."""
    text = file.text
    if place is not None and not request.old:
        return place, place
    if request.old:
        found = file.find(request.old)
        if len(found) != 1:
            raise UsageError(
                f"the file has that text {counted(len(found), 'time')}, not once",
                "Give more of it, or line.",
            )
        start, end = found[0]
        return place_at(text, start), place_at(text, end)
    if request.line is None:
        return (0, 0), place_at(text, len(text))
    starts = file.line_starts()
    if request.line > len(starts):
        raise UsageError(f"the file has {counted(len(starts), 'line')}", "Give a line of it.")
    if request.column is not None:
        return (request.line - 1, request.column), (request.line - 1, request.column)
    first = starts[request.line - 1]
    line = text[first:].partition("\n")[0].rstrip()
    start = first + len(line) - len(line.lstrip())
    return place_at(text, start), place_at(text, first + len(line))


def _files(answer: ActionsAnswer, root: str) -> dict[str, list[Any]]:
    """The edits of an action by path. Raises `SurveyorError` for what cannot be made here."""
    if len(answer.edits) != 1:
        raise UsageError(
            f"{answer.server} sends {counted(len(answer.edits), 'edit')} one after the other",
            "Nothing was changed: apply it in the editor.",
        )
    try:
        files, more = changes_of(answer.edits[0], Path(root))
    except (KeyError, TypeError) as error:
        raise SurveyorError(f"{answer.server} answered what is no edit: {error!r}") from error
    if more:
        raise UsageError(
            f"{answer.server} wants to make, move or delete files, too", "Apply it in the editor."
        )
    return files


def _listed(checkout: Checkout, answer: ActionsAnswer) -> EditResponse:
    return EditResponse(
        files=[],
        applied=False,
        root=checkout.root,
        actions=[
            OfferedCodeAction(title=each.title, kind=each.kind, disabled=each.disabled)
            for each in answer.offered
        ],
        notice=answer.lacks
        or (None if answer.offered else f"{answer.server} offers no action there"),
    )
