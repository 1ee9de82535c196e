"""Members by name in initializers of C#: `new Options { Name = 1 }`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from surveyor.graph.expressions.model import Expression, Member
from surveyor.graph.extract.type_names import instance_of
from surveyor.graph.extract.written_types import declared_type, expression_of, text_of
from surveyor.parsing.children import first_named

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["ATTRIBUTE", "initialized"]

MAX_DEPTH = 8
"""Braces in braces."""


def initialized(key: Node) -> Expression | None:
    """What a name is a member of: what is made before the braces, or assigned them."""
    around = key.parent
    if around is not None and around.type in ("subpattern", "member_access_expression"):
        return _matched(key, 0)
    if around is not None and around.type == "attribute_argument":
        return _attribute(around)
    if around is not None and around.type == "with_initializer":
        whole = around.parent
        return expression_of(first_named(whole))
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


def _matched(name: Node, depth: int) -> Expression | None:
    """What has the member that a pattern names: `Lid { Part: { Id: 1 } }`, `{ Next.Name: "x" }`."""
    around = name.parent
    if around is not None and around.type == "member_access_expression":
        first = around.child_by_field_name("expression")
        whole = _matched(around, depth)
        if whole is None or first is None or first == name or first.type != "identifier":
            return whole if first == name else None
        return whole.member(text_of(first))
    clause = around.parent if around is not None else None
    pattern = clause.parent if clause is not None else None
    if pattern is None or depth > MAX_DEPTH:
        return None
    declared = pattern.child_by_field_name("type")
    if declared is not None:
        return declared_type(declared)
    holder = pattern.parent
    while holder is not None and holder.type in _AROUND_PATTERNS:
        holder = holder.parent
    if holder is None:
        return None
    if holder.type == "subpattern":
        outer = holder.named_children[0]
        whole = _matched(outer, depth + 1)
        return whole.then(*_members(outer)) if whole is not None else None
    if holder.type == "switch_expression":
        return expression_of(first_named(holder))
    if holder.type == "switch_section":
        body = holder.parent
        switch = body.parent if body is not None else None
        return expression_of(switch.child_by_field_name("value")) if switch is not None else None
    return expression_of(holder.child_by_field_name("expression"))


_AROUND_PATTERNS = frozenset(
    {"and_pattern", "or_pattern", "negated_pattern", "parenthesized_pattern",
     "switch_expression_arm", "case_pattern_switch_label"}
)  # fmt: skip


def _members(path: Node) -> list[Member]:
    return [Member(each) for each in text_of(path).replace("?", "").split(".")]


def _attribute(argument: Node) -> Expression | None:
    """The class of an attribute, one of whose properties is set: `[Mark(Level = 2)]`."""
    listed = argument.parent
    attribute = listed.parent if listed is not None else None
    name = attribute.child_by_field_name("name") if attribute is not None else None
    if name is None:
        return None
    written = text_of(name)
    return instance_of(written if written.endswith(ATTRIBUTE) else written + ATTRIBUTE)


ATTRIBUTE = "Attribute"
"""What an attribute may be written without."""
