"""Members by name in initializers of C#: `new Options { Name = 1 }`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from surveyor.graph.expressions.model import Expression
from surveyor.graph.extract.written_types import declared_type, expression_of, text_of

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["initialized"]

MAX_DEPTH = 8
"""Braces in braces."""


def initialized(key: Node) -> Expression | None:
    """What a name is a member of: what is made before the braces, or assigned them."""
    around = key.parent
    if around is not None and around.type == "with_initializer":
        whole = around.parent
        return expression_of(whole.named_child(0)) if whole is not None else None
    return _braces(around.parent, 0) if around is not None else None


def _braces(braces: Node | None, depth: int) -> Expression | None:
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
        outer = _braces(around.parent, depth + 1)
        left = around.child_by_field_name("left")
        return outer.member(text_of(left)) if outer is not None and left is not None else None
    return None
