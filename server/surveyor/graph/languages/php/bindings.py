"""What PHP binds names to."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from surveyor.graph.extract.bindings import bindings_of as common_bindings
from surveyor.graph.extract.bindings import named
from surveyor.graph.languages.readers import Binding

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["bindings_of"]


def bindings_of(node: Node) -> Iterator[Binding]:
    """The names that a `@bind` node gives a type or a value; a property's is in an element."""
    if node.type != "property_declaration":
        yield from common_bindings(node)
        return
    element = next((c for c in node.named_children if c.type == "property_element"), None)
    name = element.child_by_field_name("name") if element else None
    if name is not None:
        yield from named(node, name)
