"""What Python binds names to."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from surveyor.graph.extract.bindings import LOOPS, assigned, looped
from surveyor.graph.extract.written import declared_type, expression_of
from surveyor.graph.languages.readers import Binding

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["bindings_of"]


def bindings_of(node: Node) -> Iterator[Binding]:
    """The names that a `@bind` node gives a type or a value."""
    kind = node.type
    field = node.child_by_field_name
    if kind in LOOPS:
        yield from looped(node)
    elif kind == "assignment":
        left = field("left")
        if left is None:
            return
        value = declared_type(field("type")) or expression_of(field("right"))
        parent = node.parent
        if parent is not None and parent.type == "expression_statement":
            parent = parent.parent
        holder = parent.parent if parent is not None and parent.type == "block" else None
        if left.type == "identifier" and holder is not None and holder.type == "class_definition":
            yield Binding(left, value, is_field=True)
        else:
            yield from assigned(left, value)
    elif kind == "as_pattern":
        alias = field("alias")
        if alias is not None and alias.named_children:
            yield Binding(alias.named_children[0], expression_of(node.named_children[0]))
    else:
        name = field("name") or (node.named_children[0] if node.named_children else None)
        if name is not None and name.type == "identifier":
            yield Binding(name, declared_type(field("type")))
