"""What JavaScript and TypeScript run without naming it: iterators, and the base's constructor."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from surveyor.graph.expressions.model import Expression, Name
from surveyor.graph.extract.written_types import expression_of, text_of

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["ITERATOR", "read"]

ITERATOR = "[Symbol.iterator]"
_ASYNC_ITERATOR = "[Symbol.asyncIterator]"
_SUPER = Expression(Name("super"))


def read(node: Node) -> Iterator[tuple[Node, Expression, str]]:
    """(where it stands, the object, the method) of each method that a node runs."""
    if node.type == "super":
        yield node, _SUPER, "constructor"
        return
    right, operator = node.child_by_field_name("right"), node.child_by_field_name("operator")
    if right is None or operator is None or text_of(operator) != "of":
        return
    walked = expression_of(right)
    if walked is not None:
        is_async = any(child.type == "await" for child in node.children)
        yield right, walked, f"{_ASYNC_ITERATOR}/{ITERATOR}" if is_async else ITERATOR
