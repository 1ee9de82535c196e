"""What a language server says, put into an answer from the stored graph."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from surveyor.graph.exact.servers import ExactReply, Place
from surveyor.graph.queries.items import use_order
from surveyor.graph.queries.lookup import Node, language_of_path
from surveyor.graph.queries.query_context import QueryContext
from surveyor.graph.queries.structure import overridden
from surveyor.graph.resolve.certainty import CERTAIN, FOLLOWED_SCORE
from surveyor.protocol.enumerations import Precision
from surveyor.protocol.graph import GraphItem, GraphResponse
from surveyor.units import counted

__all__ = ["OF_BASES", "merge_exact"]

OF_BASES = "as which it may run"
"""What an answer says of the uses of bases that a server named with it."""
SHOWN_MISSED = 3
"""Places that a server does not name which are said one by one."""


async def merge_exact(
    context: QueryContext,
    response: GraphResponse,
    answered: ExactReply,
    *,
    kinds: Sequence[str] = (),
    definitions: bool = False,
    nodes: Sequence[Node] = (),
) -> GraphResponse:
    """A server's places in place of ours, and what it does not name but the graph is certain of.

    Only what both agree on is `exact`. What merely shares the name is dropped when the server was
    ready. An empty answer is not exact while files wait to be indexed: the server may know as
    little of them as we do. What is used without a name (`implicit`) no server is expected to
    name. Of a server's places only those of these `kinds` count, if any; their lines are filled in
    when it is known which are shown. Where the uses of `nodes` are asked for, those are left out,
    and said, of which the graph is certain that they are of what these override or implement.
    """
    places = await _place_items(context, answered, definitions=definitions)
    apart, bases = await _of_bases(context, nodes, places, response.results) if nodes else ([], [])
    places = [item for item in places if item not in apart] if apart else places
    if kinds:
        places = [item for item in places if item.kind in kinds]
    response.server = answered.server
    response.unsaved_version = answered.unsaved_version
    ours = [item for item in response.results if item.score >= CERTAIN or not answered.complete]
    missed = _not_among(ours, places)
    response.results = [*places, *missed]
    if not answered.complete:
        response.precision, response.complete = "partial", False
        _also(response, f"{answered.server} was not ready: its answer is partial")
    elif unnamed := [item for item in missed if item.kind != "implicit"]:
        response.precision = "partial"
        _also(response, _difference(answered.server, unnamed, len(response.results)))
    elif not places and (context.pending or response.files_behind):
        response.complete = False
    else:
        response.precision, response.complete = "exact", True
    if apart:
        first = ", ".join(f"{item.path}:{item.line}" for item in apart[:SHOWN_MISSED])
        said = counted(len(apart), "use is", "uses are")
        _also(response, f"{said} of {bases[0].key}, {OF_BASES}: {first}")
        response.complete = False
    response.omitted = response.unlikely = 0
    response.limited = False
    response.results.sort(key=use_order)
    context.mark_unsaved(response)
    return response


async def _of_bases(
    context: QueryContext,
    nodes: Sequence[Node],
    places: Sequence[GraphItem],
    ours: Sequence[GraphItem],
) -> tuple[list[GraphItem], list[Node]]:
    """Of a server's places those of which the graph is certain that they name a member of a base of
    some definitions, and not these; and the members."""
    own = {node.node_id for node in nodes}
    above = await overridden(context.stored, nodes)
    above = [each for each in above if each.node_id not in own]
    if not above:
        return [], []
    edges = await context.stored.uses([each.node_id for each in above])
    certain = {(e.path, e.line, e.column): e.target for e in edges if e.score >= FOLLOWED_SCORE}
    known = {(item.path, item.line, item.column) for item in ours}
    apart = [
        item
        for item in places
        if (place := (item.path, item.line, item.column)) in certain and place not in known
    ]
    meant = {certain[item.path, item.line, item.column] for item in apart}
    return apart, [each for each in above if each.node_id in meant]


def _not_among(ours: Sequence[GraphItem], places: Sequence[GraphItem]) -> list[GraphItem]:
    """Items of the graph that no place of a server is at: a server may name more of a line."""
    by_line: dict[tuple[str, int], list[GraphItem]] = {}
    for place in places:
        by_line.setdefault((place.path, place.line), []).append(place)
    return [
        item
        for item in ours
        if not any(
            place.column < max(item.end_column, item.column + 1)
            and item.column < max(place.end_column, place.column + 1)
            for place in by_line.get((item.path, item.line), ())
        )
    ]


def _difference(server: str, missed: Sequence[GraphItem], total: int) -> str:
    first = ", ".join(f"{item.path}:{item.line} ({item.kind})" for item in missed[:SHOWN_MISSED])
    more = f" and {len(missed) - SHOWN_MISSED} more" if len(missed) > SHOWN_MISSED else ""
    return f"{server} does not name {len(missed)} of these {total}: {first}{more}"


def _also(response: GraphResponse, notice: str) -> None:
    response.notice = f"{response.notice}; {notice}" if response.notice else notice


async def _place_items(
    context: QueryContext, answered: ExactReply, *, definitions: bool
) -> list[GraphItem]:
    """Items for places, with kind and enclosing definition from the index."""
    precision: Precision = "exact" if answered.complete else "partial"
    by_path: dict[str, list[Place]] = {}
    for place in answered.places:
        by_path.setdefault(place[0], []).append(place)
    items: list[GraphItem] = []
    for path, places in by_path.items():
        kinds = await context.stored.kinds(path)
        inside = await context.stored.inside(path)
        file = await context.stored.file(path)
        for _, line, column, end_column in places:
            kind = kind_at(kinds, line, column, end_column)
            around = [n for n in inside if n.start_line <= line <= n.end_line]
            named = [n for n in inside if (n.line, n.column) == (line, column)]
            chosen = (named if definitions else []) or around[-1:]
            node = chosen[0] if chosen else None
            items.append(
                GraphItem(
                    path=path,
                    line=line,
                    column=column,
                    end_column=end_column,
                    kind="definition" if definitions else kind,
                    symbol=node.qualname if node else "",
                    symbol_kind=node.kind if node else "file",
                    start_line=node.start_line if node else 0,
                    end_line=node.end_line if node else 0,
                    precision=precision,
                    is_test=bool(file and file.is_test),
                    language=language_of_path(path),
                )
            )
    return items


def kind_at(kinds: Mapping[tuple[int, int], str], line: int, column: int, end_column: int) -> str:
    """How a name is used where a server names it: servers whose places have all of a qualified
    name (`League\\Csv\\Reader`) mean its last part, which is what the index has."""
    if (line, column) in kinds:
        return kinds[line, column]
    inside = range(end_column - 1, column, -1)
    return next((kinds[line, at] for at in inside if (line, at) in kinds), "read")
