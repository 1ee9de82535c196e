"""What a hover says of a definition: read in two looks, however often it is used.

`questions` reads every use and the definition around each; here SQLite counts them and picks the
few that are shown, beside the event loop.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from surveyor.graph.queries.lookup import CALL_KINDS, EdgeAt, Node, StoredGraph, edge_of, node_of
from surveyor.graph.resolve.resolver import CERTAIN
from surveyor.store.state.graph.edges import count_uses
from surveyor.store.state.graph.nodes import named_at, used_at

__all__ = ["HoverFacts", "hover_facts_of", "pointed_at"]


@dataclass(frozen=True, slots=True)
class HoverFacts:
    """How often definitions are used for certain, and by whom."""

    references: int
    files: int
    test_references: int
    callers: list[tuple[EdgeAt, Node]]
    """The most important callers, each with its first call."""


def pointed_at(stored: StoredGraph, path: str, line: int, column: int) -> list[Node]:
    """The definition that is named at a position, else what is used there; empty: neither.

    `line` is 1-based, `column` 0-based. Looked up by key, on the event loop's thread.
    """
    where = (stored.checkout_id, path, line, column)
    found = named_at(stored.state, *where) or used_at(stored.state, *where)
    return [node_of(record) for record in found]


async def hover_facts_of(stored: StoredGraph, nodes: Sequence[Node], callers: int) -> HoverFacts:
    """Certain uses of definitions that are one thing, and the first `callers` of its callers."""
    ids = [node.node_id for node in nodes]
    counted = await count_uses(stored.state, ids, CALL_KINDS, CERTAIN, callers)
    return HoverFacts(
        counted.references,
        counted.files,
        counted.test_references,
        [(edge_of(edge), node_of(node)) for edge, node in counted.callers],
    )
