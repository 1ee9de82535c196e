"""`rename`: another name for a definition, by a language server where one is there."""

from __future__ import annotations

import asyncio
import codecs
import contextlib
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from surveyor.engine.edits.editing import CurrentText, Editing
from surveyor.engine.edits.file_text import FileText
from surveyor.engine.edits.renaming import (
    NamePlace,
    checked_name,
    has_name,
    is_like_code,
    places_of_edit,
    renamed,
    why_left,
    without_mark,
)
from surveyor.engine.exact_servers import ServerReply
from surveyor.engine.operations import Caller, operation
from surveyor.engine.operations.edits import EditOperations
from surveyor.engine.operations.engine_callables import ResolveCheckout, Search
from surveyor.engine.projects import boundary
from surveyor.engine.projects.checkouts import Checkout
from surveyor.errors import SurveyorError, UsageError
from surveyor.files.contained_paths import read_below
from surveyor.graph.queries import questions
from surveyor.graph.queries.lookup import Node, language_of_path
from surveyor.graph.queries.names import NameMeaning
from surveyor.graph.queries.query_context import QueryContext
from surveyor.graph.queries.structure import overridden
from surveyor.graph.queries.type_hierarchy import implementations
from surveyor.graph.resolve.certainty import CERTAIN
from surveyor.graph.service import GraphService
from surveyor.protocol.edits import EditedPlace, EditResponse, RenameRequest
from surveyor.protocol.graph import DefinitionRequest
from surveyor.protocol.search import SearchRequest

__all__ = ["RenameOperations", "ServerRename", "require_settled"]

MAX_LEFT = 100
"""Places with the old name that are named."""
MAX_LOOKED_AT = 1000
"""Places with the old name that are looked at."""
WAIT_MS = 12_000
"""How long the index may take to know what was saved last, and who uses what: of some of the uses a
rename breaks the others."""

ServerRename = Callable[[str, str, int, int, str], Awaitable[ServerReply | None]]
"""Asks a language server: root, path, line, column, new name."""


class RenameOperations:
    """Renames definitions with all their uses."""

    def __init__(
        self,
        resolve: ResolveCheckout,
        graph: GraphService,
        editing: Editing,
        edits: EditOperations,
        ask_server: ServerRename,
        search: Search,
    ) -> None:
        self._resolve = resolve
        self._graph = graph
        self._editing = editing
        self._edits = edits
        self._ask_server = ask_server
        self._search = search

    @operation(RenameRequest)
    async def rename(self, request: RenameRequest, call: Caller) -> EditResponse:
        """Rename what a name or a place means, in all files or in none."""
        self._edits.require_writable()
        checkout = await self._resolve(request.cwd, request.project)
        boundary.check_open(checkout.root, checkout.name, "edited")
        context = await self._graph.query_context(checkout.root, None, WAIT_MS)
        meant = await context.meant(
            DefinitionRequest(
                name=request.name or "", path=request.path, line=request.line, column=request.column
            )
        )
        node = _one(meant)
        new = checked_name(node.name, request.new_name)
        known = await self._known_places(context, meant, new)
        answered = await self._of_server(checkout, node, new)
        places, complete = answered or (known, False)
        if not complete:
            await require_settled(context)
            places = sorted({*places, *(each for each in known if not _is_in(each, places))})
        left = await self._left(context, meant, places, known, call)
        taken = await self._taken(context, node, new)
        edits = await self._editing.run(
            checkout,
            list(dict.fromkeys(place.path for place in places)),
            partial(self._plan, checkout, places, answered[0] if answered else (), node.name, call),
            label=f"Surveyor: rename {node.name} to {new}",
            generated=request.generated,
            preview=request.preview,
        )
        answer = await self._edits.answer(checkout, edits, call, preview=request.preview)
        answer.left = left
        answer.precision = "exact" if complete else "partial" if answered else "syntax"
        if taken:
            answer.notice = f"another {new} is defined at {taken}"
        return answer

    async def _plan(
        self,
        checkout: Checkout,
        places: Sequence[NamePlace],
        sure: Sequence[NamePlace],
        old: str,
        call: Caller,
        current: Mapping[str, CurrentText],
    ) -> dict[str, FileText]:
        """The files as they are to be; where only the graph knows a use, if the name is there."""
        self._edits.check_read(checkout, current.values(), call)
        there = [
            place for place in places if place in sure or has_name(current[place.path], place, old)
        ]
        return renamed(current, there, old)

    async def _known_places(
        self, context: QueryContext, meant: NameMeaning, new: str
    ) -> list[NamePlace]:
        """Where the graph is certain: the definitions, and what uses them by their name."""
        defined = await questions.definition(context.stored, meant, context.lines)
        used = await questions.references(context.stored, meant, [])
        name = meant.nodes[0].name
        length = len(name.encode("utf-16-le")) // 2
        items = [*defined.items, *(item for item in used.items if item.score >= CERTAIN)]
        found = {
            NamePlace(
                item.path, item.line - 1, item.column, item.line - 1, item.column + length, new
            )
            for item in items
            if item.end_column - item.column == length
        }
        return sorted(found)

    async def _of_server(
        self, checkout: Checkout, node: Node, new: str
    ) -> tuple[list[NamePlace], bool] | None:
        """What a language server would change, and whether it was ready; None without one."""
        answer = await self._ask_server(checkout.root, node.path, node.line, node.column, new)
        if answer is None or answer.value is None:
            return None
        try:
            places, more = places_of_edit(answer.value, Path(checkout.root))
        except (KeyError, TypeError) as error:
            raise SurveyorError(f"{answer.server} answered what is no edit: {error!r}") from error
        if more:
            raise UsageError(
                f"{answer.server} wants to rename files, too", "Rename it in the editor."
            )
        root = Path(checkout.root)
        places = await asyncio.to_thread(_behind_links, root, places)
        marked = await asyncio.to_thread(_first_lines_behind_marks, root, places)
        places = without_mark(places, marked, node.name)
        return (places, answer.complete) if places else None

    async def _left(
        self,
        context: QueryContext,
        meant: NameMeaning,
        places: Sequence[NamePlace],
        known: Sequence[NamePlace],
        call: Caller,
    ) -> list[EditedPlace]:
        """Places that have the old name, are not touched, and may mean it."""
        node = meant.nodes[0]
        found = await self._search(
            SearchRequest(
                query=rf"\b{re.escape(node.name)}\b",
                mode="regex",
                cwd=context.checkout.root,
                limit=MAX_LOOKED_AT + len(places),
            ),
            call,
        )
        related = await _related(context, meant)
        left = []
        for item in found.results:
            line, column = item.line or item.start_line, item.column or 0
            at = NamePlace(item.path, line - 1, column, line - 1, column + len(node.name), "")
            if _is_in(at, places):
                continue
            shown = item.snippet.split("\n")[0]
            other = language_of_path(item.path) != language_of_path(node.path)
            reason = why_left(shown, column, other_language=other)
            if _is_in(at, known):
                reason = "a use by the graph, not by the language server"
            elif reason and not is_like_code(shown, column, node.name):
                continue  # an ordinary word
            elif not reason:
                another = await self._meant_there(context, meant, item.path, line, column)
                if another and not (linked := related.keys() & another):
                    continue
                reason = f"of {related[linked.pop()]}, with which it belongs" if another else ""
            left.append(
                EditedPlace(
                    path=item.path, line=line, column=column, text=shown.strip(), reason=reason
                )
            )
        return left[:MAX_LEFT]

    async def _meant_there(
        self, context: QueryContext, meant: NameMeaning, path: str, line: int, column: int
    ) -> set[int]:
        """The other definitions that a place certainly is, or uses."""
        ours = {node.node_id for node in meant.nodes}
        edges = await context.stored.at(path, line, column)
        used = {edge.target for edge in edges if edge.score >= CERTAIN}
        defined = await context.stored.inside(path)
        return (used | {n.node_id for n in defined if (n.line, n.column) == (line, column)}) - ours

    async def _taken(self, context: QueryContext, node: Node, new: str) -> str:
        """Where the new name is defined beside the old one already."""
        owner = node.qualname.rpartition(".")[0]
        qualname = f"{owner}.{new}" if owner else new
        there = await context.stored.qualified(node.path, qualname)
        return f"{there[0].path}:{there[0].line}" if there else ""


async def require_settled(context: QueryContext) -> None:
    """Raises `UsageError` while it is not known who uses what, as after a start of the engine."""
    fresh = await context.freshen(EditResponse(files=[], applied=False, root=context.checkout.root))
    if context.pending or fresh.files_behind:
        raise UsageError(
            "who uses it is still being worked out: nothing was renamed", "Ask again in a moment."
        )


def _one(meant: NameMeaning) -> Node:
    """The definition that is meant. Raises `UsageError` for several, or a file."""
    named = {(node.name, node.qualname) for node in meant.nodes}
    if len(named) != 1 or (meant.candidates and meant.place is None):
        every = [*meant.nodes, *meant.candidates]
        raise UsageError(
            f"several definitions have that name: {', '.join(node.key for node in every[:5])}",
            "Give path, line and column of the one that is meant.",
        )
    node = next((each for each in meant.nodes if not each.gone), meant.nodes[0])
    if not node.qualname:
        raise UsageError(f"{node.path} is a file", "Name a definition.")
    return node


def _behind_links(root: Path, places: Sequence[NamePlace]) -> list[NamePlace]:
    """The places in the files themselves that are named by links within the project: a server names
    both, and what is one file is changed once."""
    real = root.resolve()
    paths: dict[str, str] = {}
    for path in dict.fromkeys(place.path for place in places):
        file = (root / path).resolve()
        paths[path] = file.relative_to(real).as_posix() if file.is_relative_to(real) else path
    return sorted({replace(place, path=paths[place.path]) for place in places})


def _first_lines_behind_marks(root: Path, places: Sequence[NamePlace]) -> dict[str, str]:
    """First lines of those files that begin with a byte order mark, without it."""
    found = {}
    for path in dict.fromkeys(place.path for place in places if place.line == 0):
        with contextlib.suppress(OSError):
            line = read_below(root, path).partition(b"\n")[0]
            if line.startswith(codecs.BOM_UTF8):
                found[path] = line.decode("utf-8-sig", "replace")
    return found


async def _related(context: QueryContext, meant: NameMeaning) -> dict[int, str]:
    """Methods that have to have the same name: those above that it overrides or stands for, and
    those below."""
    if not any(node.kind == "method" for node in meant.nodes):
        return {}
    stored = context.stored
    above = await overridden(stored, meant.nodes)
    below = await implementations(stored, meant, context.lines)
    found = {node.node_id: node.key for node in above}
    for item in below.items:
        for node in await stored.qualified(item.path, item.symbol):
            found[node.node_id] = node.key
    return found


def _is_in(place: NamePlace, places: Sequence[NamePlace]) -> bool:
    """Whether a place is one of others, or begins within one."""
    return any(
        (each.path, each.line) == (place.path, place.line)
        and each.column <= place.column <= max(each.column, each.end_column - 1)
        for each in places
    )
