"""Values, types and receivers of Julia, where what is called first decides which method runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from surveyor.graph.expressions.model import (
    UNKNOWN,
    Call,
    Element,
    Expression,
    Name,
    instance,
    type_called,
)
from surveyor.graph.languages.readers import MAX_DEPTH, collection_of, text

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["declared", "receiver", "value"]

_COLLECTIONS = frozenset({"Vector", "Array", "Set", "AbstractVector", "Tuple"})


def declared(node: Node | None) -> Expression | None:
    """An instance of the type that is written at a node, or a collection of such."""
    if node is None:
        return None
    if node.type == "typed_expression":
        return declared(node.named_children[-1])
    if node.type in ("identifier", "field_expression"):
        return instance(type_called(text(node)))
    if node.type != "parametrized_type_expression":
        return None
    name, given = node.named_children[0], node.named_children[-1]
    if text(name) not in _COLLECTIONS:
        return declared(name)
    return collection_of(declared(given.named_children[0]) if given.named_children else None)


def value(node: Node | None, depth: int = 0) -> Expression | None:
    """A value as an expression; None when it says nothing about a type."""
    if node is None or depth > MAX_DEPTH or (node.type != "identifier" and not node.named_children):
        return None
    children = node.named_children
    kind = node.type
    if kind == "identifier":
        return Expression(Name(text(node)))
    if kind == "field_expression":
        owner = value(children[0], depth + 1)
        return owner.member(text(children[-1])) if owner is not None else None
    if kind == "call_expression":
        called = value(children[0], depth + 1)
        return called.then(Call()) if called is not None else None
    if kind == "parametrized_type_expression":  # Box{Int}(1)
        return value(children[0], depth + 1)
    if kind == "index_expression":
        held = value(children[0], depth + 1)
        return held.then(Element()) if held is not None else None
    if kind == "typed_expression":
        return declared(node)
    if kind in ("return_statement", "parenthesized_expression"):
        return value(children[0], depth + 1)
    return None


def receiver(name: Node) -> Expression | None:
    """What stands before a dot; of a function that many types have, its first argument."""
    around = name.parent
    if around is None:
        return None
    if around.type == "field_expression":
        return value(around.named_children[0]) or UNKNOWN
    arguments = around.named_children[-1]
    first = arguments.named_children[0] if arguments.named_children else None
    return value(first) or UNKNOWN
