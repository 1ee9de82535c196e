"""Members by name in literals of Go: `Options{Name: 1}`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from surveyor.graph.expressions.model import CollectionOf, Element, Expression, instance
from surveyor.graph.extract.type_names import held_type
from surveyor.graph.extract.written_types import declared_type
from surveyor.graph.languages.readers import NO_MEMBER

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["initialized"]

MAX_DEPTH = 8
"""Braces in braces."""


def initialized(key: Node) -> Expression | None:
    """What a name in a literal is a member of: the type that the literal is of. `NO_MEMBER` where
    it is an index, or the key of a map."""
    around = key.parent
    while around is not None and around.type != "literal_value":
        around = around.parent
    written = _written_type(around, 0)
    if written is None:
        return _literal(around, 0)
    return NO_MEMBER if written.type in _HOLDING else declared_type(written)


def _written_type(literal: Node | None, depth: int) -> Node | None:
    """The type of a literal as it is written, behind any `*`; None where a name hides it."""
    around = literal.parent if literal is not None else None
    if around is None or depth > MAX_DEPTH:
        return None
    if around.type == "composite_literal":
        return _pointed_at(around.child_by_field_name("type"))
    is_key = False
    while around is not None and around.type in ("literal_element", "keyed_element"):
        outer = around.parent
        if outer is not None and outer.type == "keyed_element":
            is_key = outer.child_by_field_name("key") == around
        around = outer
    holder = _written_type(around, depth + 1)
    if holder is None or holder.type not in _HOLDING:
        return None
    field = holder.child_by_field_name
    held = field("key" if is_key else "value") if holder.type == "map_type" else field("element")
    return _pointed_at(held)


def _pointed_at(type_: Node | None) -> Node | None:
    if type_ is not None and type_.type == "pointer_type" and type_.named_children:
        return type_.named_children[0]
    return type_


_HOLDING = frozenset({"slice_type", "array_type", "implicit_length_array_type", "map_type"})


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
    whole = _literal(around, depth + 1)
    if whole is None:
        return None
    held_by = held_type(whole)
    return instance(held_by) if held_by is not None else whole.then(Element())
