"""Members by name in literals of Go: `Options{Name: 1}`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from surveyor.graph.expressions.model import CollectionOf, Expression, instance
from surveyor.graph.extract.type_names import held_type
from surveyor.graph.extract.written_types import declared_type

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["initialized"]

MAX_DEPTH = 8
"""Braces in braces."""


def initialized(key: Node) -> Expression | None:
    """What a name in a literal is a member of: the type that the literal is of."""
    around = key.parent
    while around is not None and around.type != "literal_value":
        around = around.parent
    return _literal(around, 0)


def _literal(literal: Node | None, depth: int) -> Expression | None:
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
            return instance(next(held.types()).then(CollectionOf()))
        return declared_type(declared)
    while around is not None and around.type in ("literal_element", "keyed_element"):
        around = around.parent
    if around is None or around.type != "literal_value":
        return None
    held_by = held_type(_literal(around, depth + 1))
    return instance(held_by) if held_by is not None else None
