"""What Julia binds names to."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from surveyor.graph.expressions.model import Element
from surveyor.graph.languages.julia.values import declared, value
from surveyor.graph.languages.readers import Binding, text

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["bindings_of"]


def bindings_of(node: Node) -> Iterator[Binding]:
    """`x = y`, `x::T`, `for x in xs`, `(; lid, size) = box`."""
    children = node.named_children
    if children and children[0].type == "tuple_expression":
        yield from _taken_apart(children[0], children[-1])
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


def _taken_apart(names: Node, whole: Node) -> Iterator[Binding]:
    """Members of a value by their names."""
    taken = value(whole) if names.child_count > 1 and names.children[1].type == ";" else None
    for name in names.named_children if taken is not None else ():
        if name.type == "identifier" and taken is not None:
            yield Binding(name, taken.member(text(name)), key=name, owner=taken)
