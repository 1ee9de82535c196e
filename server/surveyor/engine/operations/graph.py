"""Questions about the code graph."""

from __future__ import annotations

import posixpath
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from surveyor.engine.file_versions import ReadCalls
from surveyor.engine.operations import Caller, operation
from surveyor.engine.operations.engine_callables import Search
from surveyor.engine.overloads import tell_apart
from surveyor.engine.projects.checkouts import Checkout
from surveyor.errors import NotFoundError, UsageError
from surveyor.graph.exact.merge import merge_exact
from surveyor.graph.exact.servers import ExactReply
from surveyor.graph.queries import questions, type_hierarchy
from surveyor.graph.queries.diagrams import picture
from surveyor.graph.queries.diff import FileDiff, changed_nodes, read_diff
from surveyor.graph.queries.impact import impact_of, nearest, tests_beyond
from surveyor.graph.queries.items import definition_item
from surveyor.graph.queries.lookup import StoredGraph
from surveyor.graph.queries.names import NO_FILE, NameMeaning, find_file
from surveyor.graph.queries.query_context import QueryContext
from surveyor.graph.queries.questions import MatchedItems
from surveyor.graph.queries.removed import (
    MAX_REMOVED,
    RemovedDefinition,
    TakenAway,
    still_used,
    unsought,
)
from surveyor.graph.queries.repository_map import CANDIDATES, draw_map, map_drawing
from surveyor.graph.queries.traverse import WALK_CUT
from surveyor.graph.queries.unfollowed import is_partly_unparsed
from surveyor.graph.service import GraphService
from surveyor.protocol.graph import (
    CalleesRequest,
    CallersRequest,
    DefinitionRequest,
    DependenciesRequest,
    Drawing,
    GraphRequest,
    GraphResponse,
    HierarchyRequest,
    ImpactItem,
    ImpactRequest,
    ImpactResponse,
    ImplementationsRequest,
    MapRequest,
    MapResponse,
    OutlineRequest,
    ReferencesRequest,
)
from surveyor.protocol.search import SearchRequest
from surveyor.units import counted

MAX_DEPTH = 20
UNRESOLVED_SHOWN = 50
"""Imports without a file that are listed with an impact."""
CALLS = ("call", "instantiation", "implicit")
EVERY = 1 << 31
"""Items, where an answer is cut later."""

RemovedBy = Callable[[Checkout, StoredGraph, Sequence[FileDiff]], Awaitable[TakenAway]]
"""What a diff takes away from the definitions of a checkout."""


def _depth(depth: int) -> int:
    if not 1 <= depth <= MAX_DEPTH:
        raise UsageError(f"depth must be from 1 to {MAX_DEPTH}")
    return depth


Drawn = TypeVar("Drawn", GraphResponse, ImpactResponse)


def _draws(request: CallersRequest | CalleesRequest | ImpactRequest) -> bool:
    return request.drawing or request.picture is not None


def _drawn(
    response: Drawn,
    request: CallersRequest | CalleesRequest | ImpactRequest,
    drawing: Drawing | None,
) -> Drawn:
    """The response with the picture in the forms that were asked for."""
    if drawing is not None:
        response.drawing = drawing if request.drawing else None
        response.picture = picture(request.picture, drawing) if request.picture else None
    return response


class GraphOperations:
    """Questions about the code graph."""

    def __init__(
        self,
        graph: GraphService,
        search: Search,
        removed_by: RemovedBy,
        read_calls: ReadCalls,
    ) -> None:
        self._graph = graph
        self._read_calls = read_calls
        self._search = search
        self._removed_by = removed_by

    async def _query_context(
        self, request: GraphRequest | ImpactRequest | MapRequest
    ) -> QueryContext:
        about = ""
        if not isinstance(request, MapRequest) and request.line is None:
            about = request.name or request.path or ""
        return await self._graph.query_context(
            request.cwd,
            request.project,
            request.wait_until_fresh_ms,
            saved=request.saved,
            about=about,
            only_ranks=isinstance(request, MapRequest),
        )

    async def _meant(self, request: GraphRequest) -> tuple[QueryContext, NameMeaning]:
        context = await self._query_context(request)
        return context, await context.meant(request)

    async def _asked_exactly(
        self,
        context: QueryContext,
        meant: NameMeaning,
        request: GraphRequest,
        question: str,
        response: GraphResponse,
    ) -> ExactReply | None:
        """What a language server says; where none is asked, the response says so."""
        answered = await self._graph.exactly(context, meant, question, request.exact)
        _say_unasked(context, response, request, answered)
        return answered

    @operation(DefinitionRequest)
    async def definition(self, request: DefinitionRequest, _: Caller) -> GraphResponse:
        """Where something is defined."""
        service = self._graph
        context, meant = await self._meant(request)
        found = await questions.definition(context.stored, meant, context.lines)
        response = await service.respond(context, meant, found, request.limit, request.min_score)
        answered = await self._asked_exactly(context, meant, request, "definition", response)
        if answered is not None and answered.places:
            response.results = []  # a name has one meaning, and the server's is surer
            await merge_exact(context, response, answered, definitions=True)
            await context.lines.fill(response.results)
        return response

    @operation(ReferencesRequest)
    async def references(self, request: ReferencesRequest, _: Caller) -> GraphResponse:
        """Where something is used."""
        service, least = self._graph, request.min_score
        context, meant = await self._meant(request)
        answered = await service.exactly(context, meant, "references", request.exact)
        found = await context.in_one_thread(
            questions.references(
                context.stored,
                meant,
                request.kinds,
                # Else all are compared, with a server's or with what overloads take.
                most=None if answered is not None or meant.overloads else request.limit,
                min_score=least,
            )
        )
        await tell_apart(context, meant, found, self._read_calls)
        response = await service.respond(context, meant, found, EVERY, least)
        _say_unasked(context, response, request, answered)
        if answered is not None and (answered.complete or request.exact == "always"):
            await merge_exact(context, response, answered, kinds=request.kinds, nodes=meant.nodes)
        await service.say_unfollowed(context, meant, found, response)
        _cut(response, request.limit)
        await context.lines.fill(response.results)
        if request.declaration and response.symbol is not None:
            response.results.insert(0, response.symbol)
        return response

    @operation(CallersRequest)
    async def callers(self, request: CallersRequest, _: Caller) -> GraphResponse:
        """What calls something."""
        service, depth = self._graph, _depth(request.depth)
        context, meant = await self._meant(request)
        found = await context.in_one_thread(
            questions.callers(context.stored, meant, depth, context.lines, draws=_draws(request))
        )
        await tell_apart(context, meant, found, self._read_calls)
        response = await service.respond(context, meant, found, EVERY, request.min_score)
        if depth == 1:  # a server's references that are calls
            answered = await self._asked_exactly(context, meant, request, "references", response)
            if answered is not None and answered.complete:
                await merge_exact(context, response, answered, kinds=CALLS, nodes=meant.nodes)
        await service.say_unfollowed(context, meant, found, response)
        _cut(response, request.limit)
        await context.lines.fill(response.results)
        return _drawn(response, request, found.drawing)

    @operation(CalleesRequest)
    async def callees(self, request: CalleesRequest, _: Caller) -> GraphResponse:
        """What something calls."""
        service, depth = self._graph, _depth(request.depth)
        context, meant = await self._meant(request)
        found = await context.in_one_thread(
            questions.callees(context.stored, meant, depth, draws=_draws(request))
        )
        response = await service.respond(context, meant, found, request.limit, request.min_score)
        await service.say_unresolved_calls(context, found, response)
        await context.lines.fill(response.results)
        return _drawn(response, request, found.drawing)

    @operation(ImplementationsRequest)
    async def implementations(self, request: ImplementationsRequest, _: Caller) -> GraphResponse:
        """What implements a type or overrides a method."""
        service = self._graph
        context, meant = await self._meant(request)
        found = await type_hierarchy.implementations(context.stored, meant, context.lines)
        response = await service.respond(context, meant, found, request.limit, request.min_score)
        answered = await self._asked_exactly(context, meant, request, "implementation", response)
        if answered is None or not answered.complete:
            return await service.say_left_out(context, meant, response)
        # Some servers know no implementations and give the definition itself.
        own = {(node.path, node.line) for node in meant.nodes}
        others = [place for place in answered.places if place[:2] not in own]
        if not others:
            return await service.say_left_out(context, meant, response)
        answered = replace(answered, places=others)
        await merge_exact(context, response, answered, definitions=True)
        await context.lines.fill(response.results)
        return response

    @operation(HierarchyRequest)
    async def hierarchy(self, request: HierarchyRequest, _: Caller) -> GraphResponse:
        """Types above or below a type."""
        depth = _depth(request.depth)

        async def answer(context: QueryContext, meant: NameMeaning) -> MatchedItems:
            return await type_hierarchy.hierarchy(
                context.stored, meant, context.lines, request.direction, depth
            )

        return await self._graph.ask(request, answer, uses=request.direction == "sub")

    @operation(OutlineRequest)
    async def outline(self, request: OutlineRequest, _: Caller) -> GraphResponse:
        """What a file defines."""
        service = self._graph
        context = await self._query_context(request)
        text = request.path or request.name
        if not text or await find_file(context.stored, context.relative(text)) is not None:
            path, node = await _file(context, text), None
        else:  # the name of a definition: what is inside of it
            try:
                node = (await context.meant(DefinitionRequest(name=text))).nodes[0]
            except NotFoundError:
                await _file(context, text)
                raise
            path = node.path
        found = await questions.outline(context.stored, path, context.lines, node)
        response = await service.respond(context, None, found, request.limit)
        if await is_partly_unparsed(context.stored, path):
            response.complete = response.limited = False
            said = f"a part of {path} could not be parsed: what it defines may be missing"
            response.notice = "; ".join(filter(None, (response.notice, said)))
        return response

    @operation(DependenciesRequest)
    async def dependencies(self, request: DependenciesRequest, _: Caller) -> GraphResponse:
        """Files that a file imports, or that import it."""
        service, depth = self._graph, _depth(request.depth)
        context = await self._query_context(request)
        node = await context.file(await _file(context, request.path or request.name))
        found = await questions.dependencies(
            context.stored, node, context.lines, request.direction, depth
        )
        notice = context.with_hint_problems(None)
        response = await service.respond(
            context, NameMeaning([node], notice=notice), found, request.limit
        )
        if request.direction == "out":
            asked = questions.unresolved_imports(context.stored, [node.path], UNRESOLVED_SHOWN)
            nowhere = (await context.in_one_thread(asked))[0]
            if nowhere:
                response.complete = response.limited = False
                first = nowhere[0]
                count = counted(len(nowhere), "import leads", "imports lead")
                said = (
                    f"{count} to no file here ({first.module}, line {first.line}: {first.reason})"
                )
                response.notice = "; ".join(filter(None, (response.notice, said)))
        return response

    @operation(ImpactRequest)
    async def impact(self, request: ImpactRequest, _: Caller) -> ImpactResponse:
        """What depends on a file, a symbol or a diff."""
        service, depth = self._graph, _depth(request.depth)
        context = await self._query_context(request)
        stored, notice = context.stored, None
        removed: list[RemovedDefinition] = []
        unread: list[str] = []
        overloads = 0
        if request.diff:
            diff = await read_diff(Path(context.checkout.root), request.diff, request.diff_path)
            subjects = await changed_nodes(stored, diff)
            removed = (await self._removed_by(context.checkout, stored, diff)).definitions
            known = {node.path for node in subjects} | {gone.path for gone in removed}
            unknown = [
                file.path
                for file in diff
                if file.path not in known and (file.deleted or not await stored.file(file.path))
            ]
            unread = [file.path for file in diff if file.is_unread]
            if not diff:
                notice = "The diff is empty."
            elif unread:
                notice = (
                    f"This is a partial clone: of {counted(len(unread), 'changed file')}"
                    " the text before is"
                    f" not there, and they were not looked at ({', '.join(unread[:5])})"
                )
            elif unknown:
                notice = f"Without a graph: {', '.join(unknown[:5])}" + (
                    f" and {len(unknown) - 5} more" if len(unknown) > 5 else ""
                )
        else:
            meant = await context.meant(request)
            subjects, notice = meant.nodes, meant.notice
            overloads = meant.overloads
        notice = "; ".join(filter(None, (context.said_gone(subjects), notice))) or None
        found = await context.in_one_thread(
            impact_of(stored, subjects, depth, draws=_draws(request), whole_files=not request.diff)
        )
        cut = WALK_CUT if found.cut else None
        left = unsought(removed)
        unread_uses = f"the uses of {counted(left, 'removed definition')} were not looked for"
        lacking = (
            notice,
            _only_by_class(found.inbound),
            cut,
            unread_uses if left else None,
            tests_beyond(found.inbound, depth),
        )
        notice = "; ".join(filter(None, lacking)) or None
        former = await service.former_uses(context, removed)
        found.inbound[:0] = [use.item for use in await still_used(stored, removed, former)]
        tests = dict.fromkeys(item.path for item in found.inbound if item.is_test)
        inbound, outbound = nearest(found.inbound, request.limit), found.outbound[: request.limit]
        paths = [*(node.path for node in subjects), *(item.path for item in inbound)]
        unresolved, elsewhere = await context.in_one_thread(
            questions.unresolved_imports(stored, paths, UNRESOLVED_SHOWN)
        )
        omitted = len(found.inbound) - len(inbound) + len(found.outbound) - len(outbound)
        lacks = bool(found.cut or context.pending or left or unread)
        await context.lines.load(node.path for node in subjects)
        response = await context.freshen(
            ImpactResponse(
                results=inbound,
                inbound=inbound,
                outbound=outbound,
                tests=list(tests),
                subjects=[
                    *(definition_item(node, context.lines) for node in subjects),
                    *(gone.item() for gone in removed[:MAX_REMOVED]),
                ],
                unresolved=unresolved,
                unresolved_elsewhere=elsewhere,
                precision="syntax",
                complete=not lacks and not omitted,
                limited=omitted > 0 and not lacks,
                omitted=omitted,
                notice=context.with_hint_problems(notice),
                root=context.checkout.root,
            )
        )
        if response.files_behind:
            response.complete = response.limited = False
        reasons = await self._graph.unfollowed(context, subjects[:1], 0) if subjects else []
        if overloads:
            reasons.append(f"{overloads} overloads have its name: what depends on any is given")
        if elsewhere:
            imports = counted(elsewhere, "import")
            reasons.append(f"{imports} by call elsewhere may mean any file")
        if reasons:
            response.complete = response.limited = False
            response.notice = "; ".join(filter(None, (response.notice, *reasons)))
        for reached in (*inbound, *outbound):
            reached.unsaved_version = context.unsaved.get(reached.path)
        for subject in response.subjects:
            subject.unsaved_version = context.unsaved.get(subject.path)
        response.took_ms = context.took_ms()
        return _drawn(response, request, found.drawing)

    @operation(MapRequest)
    async def map_(self, request: MapRequest, _: Caller) -> MapResponse:
        """The most important files and definitions for a number of tokens."""
        if not 50 <= request.tokens <= 200_000:
            raise UsageError("tokens must be from 50 to 200000")
        service = self._graph
        context = await self._query_context(request)
        start = await self._personal(context, request)
        folder = await _folder(context, request.folder) if request.folder else ""
        ranks = await service.personal_ranks(context.checkout, start, folder, CANDIDATES)
        drawn = await context.in_one_thread(
            draw_map(context.stored, request.tokens, ranks, below=folder)
        )
        for file in drawn.files:
            file.unsaved_version = context.unsaved.get(file.path)
        response = await context.freshen(
            MapResponse(
                results=drawn.files,
                text=drawn.text,
                tokens=drawn.tokens,
                files_total=await context.stored.count_files(folder),
                symbols_total=drawn.definitions,
                omitted=drawn.omitted,
                complete=drawn.is_ranked and not context.pending,
                drawing=await map_drawing(context.stored, drawn.files) if request.drawing else None,
                root=context.checkout.root,
            )
        )
        response.took_ms = context.took_ms()
        return response

    async def _personal(self, context: QueryContext, request: MapRequest) -> dict[int, float]:
        """Where ranking begins: open files, and what a query finds."""
        start: dict[int, float] = {}
        for text in request.files:
            path = await find_file(context.stored, context.relative(text))
            node = await context.stored.file(path) if path else None
            if node is not None:
                start[-node.file_id] = 1.0
                inside = await context.stored.inside(node.path)
                for inner in inside:
                    start[inner.node_id] = 1.0 / len(inside)
        if request.query:
            found = await self._search(
                SearchRequest(
                    query=request.query,
                    cwd=context.checkout.root,
                    limit=20,
                    score_threshold=0.0,
                ),
                Caller(),
            )
            for position, result in enumerate(found.results):
                node = await context.stored.file(result.path)
                if node is None:
                    continue
                weight = 1.0 / (position + 1)
                start[-node.file_id] = start.get(-node.file_id, 0.0) + weight / 2
                for inner in await context.stored.inside(result.path):
                    if inner.start_line <= result.end_line and inner.end_line >= result.start_line:
                        start[inner.node_id] = start.get(inner.node_id, 0.0) + weight
        return start


def _say_unasked(
    context: QueryContext,
    response: GraphResponse,
    request: GraphRequest,
    answered: ExactReply | None,
) -> None:
    """Tell of a server that is held back, of an exact answer that is stale, and a caller who
    insists on one that there is none."""
    if answered is not None:
        return
    said = context.held_back.rstrip(".")
    if not said and request.exact == "always":
        path = response.symbol.path if response.symbol else "this file"
        said = f"No language server answered for {path}; `surveyor servers` says which there are."
    elif not said and context.outdated:
        said = f"The exact answer of {context.outdated} is stale: files that name it changed since."
    if said:
        response.notice = f"{response.notice}. {said}" if response.notice else said


def _cut(response: GraphResponse, limit: int) -> None:
    """Keep a server's answer within the limit."""
    left = len(response.results) - limit
    if left > 0:
        response.results = response.results[:limit]
        response.limited = response.limited or response.complete
        response.omitted, response.complete = response.omitted + left, False


async def _file(context: QueryContext, text: str) -> str:
    if not text:
        raise UsageError("no file given", "Give the path of a file from the project's root.")
    return await context.indexed_file(text)


async def _folder(context: QueryContext, text: str) -> str:
    """A folder from the root, with a slash at its end; '' for the root itself."""
    root = context.checkout.root.rstrip("/")
    path = posixpath.normpath(context.relative(text) if text.rstrip("/") != root else ".")
    if path == ".":
        return ""
    if await context.stored.count_files(path + "/"):
        return path + "/"
    raise NotFoundError(
        f"no file below {text} is in the graph of {root}",
        NO_FILE,
    )


def _only_by_class(items: Sequence[ImpactItem]) -> str | None:
    """What to say of those that use the class of a method which nothing names."""
    climbed = [item for item in items if item.through]
    if not climbed:
        return None
    classes = ", ".join(dict.fromkeys(item.through.rpartition("::")[2] for item in climbed))
    count = "All" if len(climbed) == len(items) else f"{len(climbed)} of {len(items)}, the last,"
    return f"{count} use the class {classes} only: nothing there names what was asked about"
