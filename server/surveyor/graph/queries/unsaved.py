"""Questions about what an editor holds unsaved: the stored graph does not know it yet.

A place in a buffer, or a name that only a buffer defines, goes to the editor's own language
server; without an answer from there, the buffer's own definitions answer.
"""

from __future__ import annotations

from typing import Literal

from surveyor.graph.exact.merge import merge_exact
from surveyor.graph.exact.servers import ExactQuestion, ExactServers
from surveyor.graph.queries.query_context import QueryContext
from surveyor.protocol.graph import GraphItem, GraphRequest, GraphResponse
from surveyor.protocol.search import SymbolItem

__all__ = ["Question", "answer_unsaved"]

Question = Literal["definition", "references", "implementation"]


async def answer_unsaved(
    servers: ExactServers, asking: QueryContext, request: GraphRequest, question: Question
) -> GraphResponse | None:
    """The answer where a buffer decides; None where the stored graph is to answer."""
    checkout = asking.checkout
    buffers = {each.path: each.version for each in asking.buffers.of(checkout.checkout_id)}
    if not buffers or request.exact == "never":
        return None
    path = asking.relative(request.path) if request.path else None
    subject: SymbolItem | None = None
    if path is not None and request.line is not None:
        if path not in buffers:
            return None
        at = (path, request.line, request.column or 0)
    elif request.name and path is None:
        subject = _defined(asking, request.name)
        if subject is None:
            return None
        at = (subject.path, subject.line, subject.column)
    else:
        return None
    if subject is not None and question == "definition":
        return await _response(asking, [_item(subject, asking)], subject, "syntax")
    editor = servers.editor_for(checkout.root, question)
    if editor is None:
        return None if subject is None else await _response(asking, [], subject, "syntax")
    answered = await servers.ask(ExactQuestion(question, checkout.root, *at), editor, wait_s=0.0)
    if answered is None or not (answered.places or answered.complete):
        return None if subject is None else await _response(asking, [], subject, "syntax")
    response = await _response(asking, [], subject, "syntax")
    definitions = question != "references"
    response = await merge_exact(asking, response, answered, definitions=definitions)
    response.unsaved_version = response.unsaved_version or buffers.get(at[0])
    return response


def _defined(asking: QueryContext, name: str) -> SymbolItem | None:
    """The definition of exactly this name in a buffer."""
    container, _, last = name.replace("::", ".").rpartition(".")
    found = asking.buffers.symbols(
        asking.checkout, last, [], None, lambda wanted, there: float(wanted == there)
    )
    fitting = [each for each in found if not container or each.container.endswith(container)]
    return fitting[0] if fitting else None


def _item(symbol: SymbolItem, asking: QueryContext) -> GraphItem:
    return GraphItem(
        path=symbol.path,
        line=symbol.line,
        column=symbol.column,
        end_column=symbol.end_column,
        kind="definition",
        symbol=".".join(filter(None, (symbol.container, symbol.name))),
        symbol_kind=symbol.kind,
        start_line=symbol.start_line,
        end_line=symbol.end_line,
        precision="syntax",
        language=symbol.language,
        signature=symbol.signature,
        text=symbol.signature or symbol.name,
    )


async def _response(
    asking: QueryContext,
    items: list[GraphItem],
    subject: SymbolItem | None,
    precision: Literal["syntax"],
) -> GraphResponse:
    response = await asking.freshen(
        GraphResponse(
            results=items,
            precision=precision,
            complete=bool(items),
            root=asking.checkout.root,
        )
    )
    if subject is not None:
        response.symbol = _item(subject, asking)
        response.unsaved_version = subject.unsaved_version
    response.took_ms = asking.took_ms()
    return response
