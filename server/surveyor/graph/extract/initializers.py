"""Members by name in initializers: `Options{Name: 1}`, `{ .name = 1 }`, `new Options { Name = 1 }`.

What such a name is a member of is written around it: beside the braces, in the declaration, or by
the member whose value the braces are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from surveyor.graph.expressions.model import Expression, Many, instance
from surveyor.graph.extract.type_names import held_type
from surveyor.graph.extract.written import declared_type, text_of

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["initialized"]

MAX_DEPTH = 8
"""Braces in braces."""


def initialized(key: Node, language: str) -> Expression | None:
    """What a name in an initializer is a member of, as an expression; None if nothing says it."""
    parent = key.parent
    if parent is None:
        return None
    if language == "go":
        while parent is not None and parent.type != "literal_value":
            parent = parent.parent
        return _go(parent, 0)
    if language == "rust":
        while parent is not None and parent.type not in ("struct_expression", "struct_pattern"):
            parent = parent.parent
        if parent is None:
            return None
        return declared_type(
            parent.child_by_field_name("name") or parent.child_by_field_name("type")
        )
    if language == "csharp":
        return _csharp(parent.parent, 0)
    while parent is not None and parent.type != "initializer_list":
        parent = parent.parent
    return _c(parent, 0)


def _go(literal: Node | None, depth: int) -> Expression | None:
    around = literal.parent if literal is not None else None
    if around is None or depth > MAX_DEPTH:
        return None
    if around.type == "composite_literal":
        declared = around.child_by_field_name("type")
        element = declared.child_by_field_name("element") if declared is not None else None
        if element is not None:  # an array of any length
            held = declared_type(element)
            if held is None or held_type(held) is not None:
                return None
            return instance(next(held.types()).then(Many()))
        return declared_type(declared)
    while around is not None and around.type in ("literal_element", "keyed_element"):
        around = around.parent
    if around is None or around.type != "literal_value":
        return None
    held_by = held_type(_go(around, depth + 1))
    return instance(held_by) if held_by is not None else None


def _c(braces: Node | None, depth: int) -> Expression | None:
    around = braces.parent if braces is not None else None
    if around is None or depth > MAX_DEPTH:
        return None
    if around.type == "compound_literal_expression":
        return declared_type(around.child_by_field_name("type"))
    if around.type == "init_declarator":
        holder = around.parent
        return declared_type(holder.child_by_field_name("type")) if holder is not None else None
    if around.type == "initializer_list":  # one of an array
        return _c(around, depth + 1)
    if around.type != "initializer_pair":
        return None
    outer = _c(around.parent, depth + 1)
    designator = around.child_by_field_name("designator")
    if outer is None or designator is None or designator.type != "field_designator":
        return outer
    return outer.member(text_of(designator).lstrip(". "))


def _csharp(braces: Node | None, depth: int) -> Expression | None:
    around = braces.parent if braces is not None else None
    if around is None or depth > MAX_DEPTH:
        return None
    if around.type == "object_creation_expression":
        return declared_type(around.child_by_field_name("type"))
    if around.type == "implicit_object_creation_expression":
        holder = around.parent
        while holder is not None and holder.type in ("equals_value_clause", "variable_declarator"):
            holder = holder.parent
        return declared_type(holder.child_by_field_name("type")) if holder is not None else None
    if around.type == "assignment_expression":
        outer = _csharp(around.parent, depth + 1)
        left = around.child_by_field_name("left")
        return outer.member(text_of(left)) if outer is not None and left is not None else None
    return None
