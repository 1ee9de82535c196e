"""Types that Go's fields and variables are declared with, and functions to give."""

from __future__ import annotations

from typing import TYPE_CHECKING

from surveyor.graph.expressions.model import Expression
from surveyor.graph.extract.type_names import instance_of
from surveyor.graph.extract.written_types import declared_type, text_of

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["declared", "type_of"]


def declared(node: Node) -> Expression | None:
    """An instance of a type; of several results, which may have names, the first's."""
    if node.type == "parameter_list":
        first = next(iter(node.named_children), None)
        return type_of(first.child_by_field_name("type")) if first is not None else None
    return type_of(node)


def type_of(node: Node | None) -> Expression | None:
    """An instance of a type; what is sent through a channel are its elements."""
    sent = node.child_by_field_name("value") if node is not None else None
    if sent is not None and node is not None and node.type == "channel_type":
        return instance_of(f"[]{text_of(sent)}")
    return declared_type(node)
