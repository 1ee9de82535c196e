"""What C# binds names to."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from surveyor.graph.extract.bindings import bindings_of as common_bindings
from surveyor.graph.extract.written_types import declared_type, expression_of
from surveyor.graph.languages.readers import Binding

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["bindings_of"]


def bindings_of(node: Node) -> Iterator[Binding]:
    """The names that a `@bind` node gives a type or a value: `Type a = 1, b;`."""
    if node.type != "variable_declaration":
        yield from common_bindings(node)
        return
    declared = declared_type(node.child_by_field_name("type"))
    is_field = node.parent is not None and node.parent.type == "field_declaration"
    for child in node.named_children:
        name = child.child_by_field_name("name") if child.type == "variable_declarator" else None
        if name is not None:
            value = child.named_children[-1] if len(child.named_children) > 1 else None
            yield Binding(name, declared or expression_of(value), is_field=is_field)
