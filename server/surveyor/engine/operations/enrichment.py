"""What the graph knows of one definition, for hovers and beside search results."""

from __future__ import annotations

from surveyor.engine.operations import Caller, operation
from surveyor.errors import NotFoundError
from surveyor.graph.exact.answers import known_answer
from surveyor.graph.facts import decode_facts
from surveyor.graph.queries.items import definition_item, use_item
from surveyor.graph.queries.lookup import Node
from surveyor.graph.queries.query_context import QueryContext
from surveyor.graph.resolve.certainty import CERTAIN
from surveyor.graph.service import GraphService
from surveyor.protocol.graph import EnrichmentRequest, EnrichmentResponse, GraphItem
from surveyor.store.state.definition_facts import was_asked


class EnrichmentOperations:
    """What the graph knows of one definition, for hovers and beside search results."""

    def __init__(self, graph: GraphService) -> None:
        self._graph = graph

    @operation(EnrichmentRequest)
    async def enrichment(self, request: EnrichmentRequest, _: Caller) -> EnrichmentResponse:
        """References, type and imports of one definition, for hovers and results."""
        context = await self._graph.query_context_at_once(
            request.cwd, request.project, saved=request.saved
        )
        try:
            nodes = await _meant_nodes(context, request)
        except NotFoundError:
            unknown = EnrichmentResponse(
                found=False, complete=not context.pending, took_ms=context.took_ms()
            )
            return await context.freshen(unknown)
        uses = await context.stored.summary([node.node_id for node in nodes], request.callers)
        response = EnrichmentResponse(
            found=True,
            symbol=_subject(context, nodes[0]),
            references=uses.references,
            files=uses.files,
            test_references=uses.test_references,
            callers=[use_item(edge, node) for edge, node in uses.callers],
            caller_count=uses.caller_count,
            type_info=await _type_info(context, nodes) if request.details else "",
            resolved_imports=await _used_files(context, nodes) if request.details else [],
            complete=not context.pending,
        )
        known = None
        if not context.unsaved and _was_asked(context, nodes[0]):
            known = await known_answer(context.stored, nodes[0], "references")
        if known is not None and known[1]:
            response.precision = "exact"
            if len(known[0].places) < uses.references:
                response.precision = "partial"  # it does not name all that the graph is certain of
            else:
                response.references = len(known[0].places)
                response.files = len({place[0] for place in known[0].places})
        response = await context.freshen(response)
        response.took_ms = context.took_ms()
        return response


def _subject(context: QueryContext, node: Node) -> GraphItem:
    item = definition_item(node)
    item.unsaved_version = context.unsaved.get(node.path)
    return item


def _was_asked(context: QueryContext, node: Node) -> bool:
    """Whether a language server has ever been asked for a definition's references."""
    return was_asked(context.stored.state, node.node_id, "references")


async def _meant_nodes(context: QueryContext, request: EnrichmentRequest) -> list[Node]:
    """The definitions that are meant. Raises `NotFoundError`."""
    if request.path is not None and request.line is not None and request.column is not None:
        path = context.relative(request.path)
        nodes = context.stored.pointed_at(path, request.line, request.column)
        if nodes:
            return nodes
    return (await context.meant(request)).nodes


async def _type_info(context: QueryContext, nodes: list[Node]) -> str:
    """What the source says a definition is, or what it returns."""
    node = nodes[0]
    stored = await context.stored.facts(node.path)
    if stored is None:
        return ""
    facts = decode_facts(stored)
    found = facts.types.get(node.qualname) or facts.types.get(node.qualname + "()") or ""
    bases = facts.bases.get(node.qualname)
    if bases:
        return "extends " + ", ".join(bases)
    if found.startswith("?") or not {"{", "#"}.isdisjoint(found):  # nothing that has a name
        return ""
    return _type_said(found)


def _type_said(expression: str) -> str:
    """The type that a type fact ends with, or the expression without its marks."""
    if expression.endswith(">"):
        return expression[expression.rindex("<") + 1 : -1]
    return expression.replace("<", "").replace(">", "")


async def _used_files(context: QueryContext, nodes: list[Node]) -> list[str]:
    """Files of the project that a definition uses things of."""
    edges = await context.stored.used([node.node_id for node in nodes])
    targets = await context.stored.by_id(e.target for e in edges if e.score >= CERTAIN)
    own = {node.path for node in nodes}
    return sorted({node.path for node in targets.values()} - own)
