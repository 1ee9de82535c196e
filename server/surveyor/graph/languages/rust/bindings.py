"""What Rust binds names to."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from surveyor.graph.extract.bindings import bindings_of as common_bindings
from surveyor.graph.extract.written_types import declared_type
from surveyor.graph.languages.readers import Binding

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["bindings_of"]


def bindings_of(node: Node) -> Iterator[Binding]:
    """The names that a `@bind` node gives a type or a value; fields have a name, no declarator."""
    if node.type == "field_declaration":
        whole = declared_type(node.child_by_field_name("type"))
        for name in node.children_by_field_name("name"):
            yield Binding(name, whole, is_field=True)
    else:
        yield from common_bindings(node)
