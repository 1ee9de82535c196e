"""What functions give back: the type that they declare, or what their bodies return."""

from __future__ import annotations

from typing import TYPE_CHECKING

from surveyor.graph.expressions.model import Expression
from surveyor.graph.extract.written_types import FUNCTIONS, NO_VALUES, expression_of

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["choices", "function_of", "functions_of_block", "returned", "tuple_of"]


_CHOOSING = frozenset({b"||", b"or"})


def choices(value: Node) -> list[Node]:
    """The values that one of Ruby's may be: `a || b`, `a ? b : c`."""
    operator = value.child_by_field_name("operator")
    if value.type == "binary" and operator is not None and operator.text in _CHOOSING:
        fields = ("left", "right")
    elif value.type == "conditional":
        fields = ("consequence", "alternative")
    else:
        return [value]
    parts = [value.child_by_field_name(field) for field in fields]
    return [each for part in parts if part is not None for each in choices(part)]


def returned(value: Node) -> Expression | None:
    """The expression of a returned value; None when it says nothing."""
    found = expression_of(value)
    return None if found is None or found in NO_VALUES else found


def functions_of_block(parameters: Node | None) -> list[Node]:
    """The names of the functions that are extensions of what stands before their block: in Scala
    `extension (text: String)`, in C# `extension(string text) { … }`, which the grammar takes for a
    constructor."""
    around = parameters.parent if parameters is not None else None
    if around is None or around.type not in _EXTENSIONS:
        return []
    body = around.child_by_field_name("body")
    if around.type == "extension_definition":
        body = around
    names = [
        child.child_by_field_name("name")
        for child in (body.named_children if body is not None else ())
        if child.type in _EXTENDING
    ]
    return [name for name in names if name is not None]


def function_of(value: Node) -> Node | None:
    """The name of the function that a value is returned from, or that a result is declared of.

    In JavaScript; None where it has no name.
    """
    node: Node | None = value.parent
    while node is not None and node.type not in FUNCTIONS:
        if node.type in _SIGNATURES:
            return node.child_by_field_name("name")
        node = node.parent
    if node is None:
        return None
    name = node.child_by_field_name("name")
    if name is not None and node.type != "function_expression":
        return name
    parent = node.parent
    if parent is None or parent.type not in _HOLDERS:
        return None
    return (
        parent.child_by_field_name("name")
        or parent.child_by_field_name("key")
        or parent.child_by_field_name("property")
    )


def tuple_of(declared: Node) -> list[Node]:
    """The types of a declared tuple's places, through what wraps it: `Result<(A, B)>`."""
    if declared.type == "parameter_list":
        return _results_of_go(declared)
    for _ in range(_MAX_WRAPPERS):
        if declared.type == "tuple_type":
            return declared.named_children
        inner = declared.named_children
        if declared.type in ("type_annotation", "type") and len(inner) == 1:
            declared = inner[0]
            continue
        if declared.type not in ("generic_type", "subscript") or len(inner) < 2:
            return []
        if inner[0].text in _TUPLES:
            return inner[1].named_children if declared.type == "generic_type" else inner[1:]
        given = inner[1].named_children if declared.type == "generic_type" else inner[1:]
        if not given:
            return []
        declared = given[0]
    return []


def _results_of_go(listed: Node) -> list[Node]:
    """`(*Box, error)`, `(a, b *Box, err error)`: the type of each."""
    found: list[Node] = []
    for result in listed.named_children:
        declared = result.child_by_field_name("type")
        if declared is not None:
            found += [declared] * max(1, len(result.children_by_field_name("name")))
    return found


_MAX_WRAPPERS = 6
_EXTENSIONS = frozenset({"constructor_declaration", "extension_definition"})
_EXTENDING = frozenset({"local_function_statement", "function_definition", "function_declaration"})
_TUPLES = frozenset({b"tuple", b"Tuple", b"typing.Tuple"})
_SIGNATURES = frozenset({"method_signature", "abstract_method_signature", "function_signature"})
_HOLDERS = frozenset({"variable_declarator", "pair", "public_field_definition", "field_definition"})
