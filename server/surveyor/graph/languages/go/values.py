"""Types that functions of Go are declared to give."""

from __future__ import annotations

from typing import TYPE_CHECKING

from surveyor.graph.expressions.model import Expression
from surveyor.graph.extract.written_types import declared_type

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["declared"]


def declared(node: Node) -> Expression | None:
    """An instance of a type; of several results, which may have names, the first's."""
    if node.type == "parameter_list":
        first = next(iter(node.named_children), None)
        return declared_type(first.child_by_field_name("type")) if first is not None else None
    return declared_type(node)
