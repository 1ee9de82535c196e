"""What a language server says, put into an answer from the stored graph."""

from __future__ import annotations

from surveyor.graph.exact.servers import Answered, Place
from surveyor.graph.facts import KIND_NAMES, decode_references
from surveyor.graph.queries.items import language_of_path
from surveyor.graph.queries.query_context import Asking
from surveyor.protocol.enumerations import Precision
from surveyor.protocol.graph import GraphItem, GraphResponse
from surveyor.store.state.graph.documents import encoded_references
from surveyor.store.state.graph.edges import kinds_in_file

__all__ = ["merge_exact"]


async def merge_exact(
    asking: Asking, response: GraphResponse, answered: Answered, *, definitions: bool
) -> GraphResponse:
    """A server's places in place of ours when it was ready, beside ours when it was not."""
    places = await _place_items(asking, answered, definitions=definitions)
    response.server = answered.server
    response.unsaved_version = answered.unsaved_version
    if answered.complete:
        response.results = places
        response.precision, response.complete, response.omitted = "exact", True, 0
        return response
    known = {(item.path, item.line, item.column) for item in response.results}
    response.results += [p for p in places if (p.path, p.line, p.column) not in known]
    response.precision, response.complete = "partial", False
    response.notice = f"{answered.server} was not ready: its answer is partial"
    return response


async def _place_items(asking: Asking, answered: Answered, *, definitions: bool) -> list[GraphItem]:
    """Items for places, with kind and enclosing definition from the index."""
    precision: Precision = "exact" if answered.complete else "partial"
    by_path: dict[str, list[Place]] = {}
    for place in answered.places:
        by_path.setdefault(place[0], []).append(place)
    items: list[GraphItem] = []
    for path, places in by_path.items():
        kinds = await _kinds(asking, path)
        inside = await asking.stored.inside(path)
        file = await asking.stored.file(path)
        for _, line, column, end_column in places:
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
                    kind="definition" if definitions else kinds.get((line, column), "read"),
                    symbol=node.qualname if node else "",
                    symbol_kind=node.kind if node else "file",
                    start_line=node.start_line if node else 0,
                    end_line=node.end_line if node else 0,
                    precision=precision,
                    is_test=bool(file and file.is_test),
                    language=language_of_path(path),
                    text=asking.lines.get(path, line),
                )
            )
    return items


async def _kinds(asking: Asking, path: str) -> dict[tuple[int, int], str]:
    where = (asking.stored.state, asking.checkout.checkout_id, path)
    encoded = await encoded_references(*where)
    if encoded is None:
        return {}
    kinds: dict[tuple[int, int], str] = {
        (r[2], r[3]): KIND_NAMES[r[1]] for r in decode_references(encoded)
    }
    # What is known of the target says more: a call of a class makes one.
    known = await kinds_in_file(*where)
    return kinds | {place: KIND_NAMES[kind] for place, kind in known.items()}
