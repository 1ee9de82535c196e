"""Members by name in initializers of C and C++: `{ .name = 1 }`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from surveyor.graph.expressions.model import Expression
from surveyor.graph.extract.written_types import declared_type, text_of

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["initialized"]

MAX_DEPTH = 8
"""Braces in braces."""


def initialized(key: Node) -> Expression | None:
    """What a name is a member of: what is declared with the braces, or holds them."""
    around = key.parent
    if around is not None and around.type == "offsetof_expression":
        return declared_type(around.child_by_field_name("type"))
    while around is not None and around.type != "initializer_list":
        around = around.parent
    return _braces(around, 0)


def _braces(braces: Node | None, depth: int) -> Expression | None:
    around = braces.parent if braces is not None else None
    if around is None or depth > MAX_DEPTH:
        return None
    if around.type == "compound_literal_expression":
        return declared_type(around.child_by_field_name("type"))
    if around.type == "init_declarator":
        holder = around.parent
        return declared_type(holder.child_by_field_name("type")) if holder is not None else None
    if around.type == "initializer_list":  # one of an array
        return _braces(around, depth + 1)
    if around.type != "initializer_pair":
        return None
    outer = _braces(around.parent, depth + 1)
    designator = around.child_by_field_name("designator")
    if outer is None or designator is None or designator.type != "field_designator":
        return outer
    return outer.member(text_of(designator).lstrip(". "))
