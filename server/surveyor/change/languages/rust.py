"""Rust."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from surveyor.change.languages.reader import (
    CallReader,
    DefinitionKind,
    HandedTo,
    Passed,
    child_of,
    field_text,
    text,
)
from surveyor.change.languages.results import ResultUses
from surveyor.change.signatures import CallParameter

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["READER"]


def _parameters(listed: Node) -> Iterator[CallParameter]:
    for child in listed.named_children:
        if child.type == "parameter":
            yield CallParameter(field_text(child, "pattern").removeprefix("mut "), "positional")
        elif child.type == "variadic_parameter":
            yield CallParameter("", "rest")


def _argument(node: Node) -> Passed | None:
    if node.type == "field_initializer":
        return Passed(field_text(node, "field"))
    if node.type == "shorthand_field_initializer":
        return Passed(text(child_of(node, "identifier")))  # attributes may stand before it
    if node.type == "base_field_initializer":
        return Passed(is_spread=True)
    return None if node.type == "attribute_item" else Passed()


def _fields(definition: Node) -> list[CallParameter] | None:
    """The fields of a struct or of an enum's variant: by position, or by name."""
    body = definition.child_by_field_name("body")
    if definition.type not in ("struct_item", "enum_variant") or body is None:
        return None
    if body.type == "ordered_field_declaration_list":
        return [CallParameter("", "positional") for _ in body.children_by_field_name("type")]
    found: list[CallParameter] = []
    is_conditional = False
    for each in body.named_children:
        if each.type == "field_declaration":
            name = field_text(each, "name")
            found.append(CallParameter(name, "keyword", is_required=not is_conditional))
            is_conditional = False
        elif each.type == "attribute_item":
            is_conditional = is_conditional or text(each).startswith("#[cfg(")
    return found


def _results(function: Node) -> int:
    """By the type that is written; without one nothing is returned."""
    if function.type not in ("function_item", "function_signature_item"):
        return -1
    said = function.child_by_field_name("return_type")
    if said is None:
        is_async = any(text(child).startswith("async") for child in function.children[:3])
        return -1 if is_async else 0
    return len(said.named_children) if said.type == "tuple_type" else -1


def _kind_of(function: Node) -> DefinitionKind:
    return DefinitionKind(any(text(child).startswith("async") for child in function.children[:3]))


def _parts(around: Node, value: Node) -> int:
    """The names of `let (a, b) = f()`."""
    pattern = around.child_by_field_name("pattern")
    if around.type != "let_declaration" or pattern is None or pattern.type != "tuple_pattern":
        return -1
    if any(text(child) == ".." for child in pattern.children):
        return -1
    return len(pattern.named_children)


def _handed_to(made: Node) -> HandedTo:
    """`Self { size }` and `Self(size)`, in what is implemented for a struct."""
    named = made.child_by_field_name("name") or made.child_by_field_name("function")
    return "own" if text(named) == "Self" else ""


def _takes_instance(function: Node, listed: Node) -> bool:
    return any(child.type == "self_parameter" for child in listed.named_children)


_UNCOUNTED = frozenset({"|", "<", "||"})
"""Commas behind these separate parameters of a closure or types, not arguments."""


def _in_tokens(name: Node) -> int:
    """`assert!(f(1, 2))`: what a macro is given are tokens, brackets within brackets."""
    given = name.next_sibling
    if name.parent is None or name.parent.type != "token_tree" or given is None:
        return -1
    tokens = given.children
    if given.type != "token_tree" or len(tokens) < 2 or tokens[0].type != "(":
        return -1
    inside = tokens[1:-1]
    if any(text(token) in _UNCOUNTED for token in inside):
        return -1
    while inside and text(inside[-1]) == ",":
        inside.pop()
    return sum(text(token) == "," for token in inside) + 1 if inside else 0


READER = CallReader(
    _parameters,
    _argument,
    takes_instance=_takes_instance,
    in_tokens=_in_tokens,
    wrappers=frozenset({"generic_function"}),
    results=_results,
    fields=_fields,
    literals=frozenset({"struct_expression"}),
    result_uses=ResultUses(
        as_one=frozenset({"binary_expression"}),
        parts=_parts,
        needing_value=frozenset({"binary_expression", "expression_statement", "try_expression"}),
    ),
    kind_of=_kind_of,
    methods_by_path=True,
    blocks=frozenset({"block"}),
    handing_on=frozenset({"struct_expression", "call_expression"}),
    handed_to=_handed_to,
    is_known_from_binding=True,
)
