"""Interfaces of one method, which lambdas and references to methods implement without naming them:
those have no definition, and an answer about such an interface says that it lacks them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from surveyor.graph.facts import KIND_CODES
from surveyor.graph.queries.items import LineReader
from surveyor.graph.queries.lookup import Node, StoredGraph

__all__ = ["lambdas_missing"]

_USED_AS_TYPE = (KIND_CODES["type"], KIND_CODES["call"], KIND_CODES["instantiation"])
_LAMBDA_KINDS = frozenset({"interface", "trait"})
_METHODS = frozenset({"method", "function"})
_FUN = re.compile(r"\bfun\s+interface\b")
_WITH_BODY = {
    ".java": re.compile(r"\b(?:default|static|private)\b"),
    ".scala": re.compile(r"\bdef\b[^{]*=|\{"),
}
"""What says that a method of an interface has a body, by the ending of the file."""
_SAID = "lambdas and references to methods that implement it are not among these"


async def lambdas_missing(stored: StoredGraph, nodes: Sequence[Node], lines: LineReader) -> str:
    """What an answer about what implements an interface of one method, or that method, lacks;
    empty where nothing but types can implement it, or nothing takes it."""
    for node in nodes:
        if not node.path.endswith((".java", ".kt", ".scala")):
            continue
        asked = node
        if node.kind in _METHODS:
            around = await stored.qualified(node.path, node.qualname.rpartition(".")[0])
            if not around:
                continue
            asked = around[0]
        if asked.kind in _LAMBDA_KINDS and await _takes_lambdas(stored, asked, node, lines):
            edges = await stored.uses([asked.node_id], _USED_AS_TYPE)
            if any(edge.line != asked.line or edge.path != asked.path for edge in edges):
                return _SAID
    return ""


async def _takes_lambdas(
    stored: StoredGraph, interface: Node, asked: Node, lines: LineReader
) -> bool:
    """Whether a lambda may stand for an interface, and for the member that is asked about."""
    await lines.load([interface.path])
    if interface.path.endswith(".kt"):
        return bool(_FUN.search(lines.get(interface.path, interface.line) or ""))
    body = _WITH_BODY[interface.path[interface.path.rfind(".") :]]
    prefix = f"{interface.qualname}."
    abstract = [
        node
        for node in await stored.inside(interface.path)
        if node.qualname == prefix + node.name
        and node.kind in _METHODS
        and not body.search(_declared(lines, node))
    ]
    return len(abstract) == 1 and (asked is interface or abstract[0].node_id == asked.node_id)


def _declared(lines: LineReader, node: Node) -> str:
    """A method's declaration in the line of its name, without what else stands there."""
    text = lines.get(node.path, node.line) or ""
    before = re.split(r"[;{}]", text[: node.column])[-1]
    return before + re.split(r"[;}]", text[node.column :])[0]
