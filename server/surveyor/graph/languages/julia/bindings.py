"""What Julia binds names to."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from surveyor.graph.expressions.model import Element
from surveyor.graph.languages.julia.values import declared, value
from surveyor.graph.languages.readers import Binding

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["bindings_of"]


def bindings_of(node: Node) -> Iterator[Binding]:
    """`x = y`, `x::T`, `for x in xs`."""
    children = node.named_children
    if not children or children[0].type != "identifier":
        return
    if node.type == "typed_expression":
        around = node.parent.parent if node.parent is not None else None
        is_field = around is not None and around.type == "struct_definition"
        yield Binding(children[0], declared(children[-1]), is_field=is_field)
    elif node.type == "for_binding":
        whole = value(children[-1])
        yield Binding(children[0], whole.then(Element()) if whole is not None else None)
    else:
        yield Binding(children[0], value(children[-1]))
