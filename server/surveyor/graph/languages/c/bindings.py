"""What C and C++ bind names to."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from surveyor.graph.extract.bindings import bindings_of as common_bindings
from surveyor.graph.extract.bindings import declarator_binding, declared
from surveyor.graph.extract.written_types import declared_type, expression_of
from surveyor.graph.languages.readers import Binding

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["bindings_of", "bindings_of_cpp"]


def bindings_of(node: Node) -> Iterator[Binding]:
    """The names that a `@bind` node gives a type or a value; parameters are declarations."""
    return declared(node) if node.type == "parameter_declaration" else common_bindings(node)


def bindings_of_cpp(node: Node) -> Iterator[Binding]:
    """The same of C++, where variables are made with names too: `Order order(amount)`."""
    if node.type not in ("field_declaration", "declaration", "parameter_declaration"):
        yield from common_bindings(node)
        return
    whole = declared_type(node.child_by_field_name("type"))
    is_field = node.type == "field_declaration"
    for declarator in node.children_by_field_name("declarator"):
        if declarator.type != "function_declarator":
            yield from declarator_binding(declarator, whole, is_field=is_field)
            continue
        inner = declarator.child_by_field_name("declarator")
        if inner is not None and inner.type == "identifier" and not is_field:
            value = whole or expression_of(declarator.child_by_field_name("value"))
            yield Binding(inner, value)
