"""What Solidity binds names to."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from surveyor.graph.languages.readers import Binding
from surveyor.graph.languages.solidity.values import declared

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["bindings_of"]

_FIELDS = frozenset({"state_variable_declaration", "struct_member"})


def bindings_of(node: Node) -> Iterator[Binding]:
    """A name with the type that is written before it."""
    name = node.child_by_field_name("name")
    if name is not None:
        is_field = node.type in _FIELDS
        yield Binding(name, declared(node.child_by_field_name("type")), is_field=is_field)
