"""Values, types and receivers of Solidity."""

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

_OPERATIONS = frozenset({"expression", "binary_expression", "ternary_expression"})
_INNER = frozenset({"expression", "parenthesized_expression", "return_statement"})


def declared(node: Node | None) -> Expression | None:
    """An instance of a type; of an array or a mapping, a collection of what it holds."""
    if node is None:
        return None
    if node.type == "return_type_definition":
        parameters = [c for c in node.named_children if c.type == "parameter"]
        one = parameters[0] if len(parameters) == 1 else None
        return declared(one.child_by_field_name("type")) if one is not None else None
    if node.type == "primitive_type":
        return instance(type_called(text(node)))
    if node.type == "user_defined_type":
        return instance(type_called(".".join(text(part) for part in node.named_children)))
    if node.type != "type_name":
        return None
    held = node.child_by_field_name("value_type")
    inner = node.named_children[0] if node.named_children else None
    if held is None and inner is not None and inner.type == "type_name":
        held = inner
    if held is None:
        return declared(inner)
    return collection_of(declared(held))


def value(node: Node | None, depth: int = 0) -> Expression | None:
    """A value as an expression; None when it says nothing about a type."""
    if node is None or depth > MAX_DEPTH:
        return None
    kind = node.type
    field = node.child_by_field_name
    if kind == "identifier":
        return Expression(Name(text(node)))
    if kind == "member_expression":
        owner, name = value(_object(node), depth + 1), field("property")
        return owner.member(text(name)) if owner is not None and name is not None else None
    if kind == "call_expression":
        function = field("function")
        made = function.named_children[0] if function and function.named_children else None
        if made is not None and made.type == "new_expression":
            return declared(made.child_by_field_name("name"))
        called = value(function, depth + 1)
        return called.then(Call()) if called is not None else None
    if kind == "struct_expression":  # f{value: 1}
        return value(field("type"), depth + 1)
    if kind == "array_access":
        held = value(field("base"), depth + 1)
        return held.then(Element()) if held is not None else None
    if kind in _INNER:
        return value(node.named_children[0], depth + 1) if node.named_children else None
    return None


def _object(member: Node) -> Node | None:
    """What stands before the dot: of `a ? b : c.d()` the grammar takes all of `a ? b : c`."""
    node = member.child_by_field_name("object")
    while node is not None and node.type in _OPERATIONS:
        node = node.named_children[-1] if node.named_children else None
    return node


def receiver(name: Node) -> Expression | None:
    """What a name after a dot is a member of."""
    around = name.parent
    if around is None:
        return None
    if around.type == "member_expression":
        return value(_object(around)) or UNKNOWN
    before = [c for c in around.named_children if c.end_byte < name.start_byte]
    found = value(before[0]) if before else None
    for part in before[1:]:
        found = found.member(text(part)) if found is not None else None
    return found or UNKNOWN
