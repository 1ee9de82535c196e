"""What C and C++ bind names to."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from surveyor.graph.extract.bindings import bindings_of as common_bindings
from surveyor.graph.extract.bindings import declarator_binding, declared
from surveyor.graph.extract.type_names import instance_of
from surveyor.graph.extract.written_types import declared_type, expression_of, text_of
from surveyor.graph.languages.readers import Binding

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["bindings_of", "bindings_of_cpp"]

_ALIASES = frozenset({"alias_declaration", "type_definition"})


def bindings_of(node: Node) -> Iterator[Binding]:
    """The names that a `@bind` node gives a type or a value; parameters are declarations."""
    if node.type in _ALIASES:
        return _aliases(node)
    if node.type == "argument_list":
        return _member_of_argument(node)
    return declared(node) if node.type == "parameter_declaration" else common_bindings(node)


def bindings_of_cpp(node: Node) -> Iterator[Binding]:
    """The same of C++, where variables are made with names too: `Order order(amount)`."""
    if node.type in _ALIASES:
        yield from _aliases(node)
        return
    if node.type == "argument_list":
        yield from _member_of_argument(node)
        return
    if node.type == "lambda_capture_initializer":
        name = node.child_by_field_name("left")
        if name is not None:
            yield Binding(name, expression_of(node.child_by_field_name("right")))
        return
    if node.type not in ("field_declaration", "declaration", "parameter_declaration"):
        yield from common_bindings(node)
        return
    whole = declared_type(node.child_by_field_name("type"))
    is_field = node.type == "field_declaration"
    for declarator in node.children_by_field_name("declarator"):
        if declarator.type != "function_declarator":
            yield from declarator_binding(declarator, whole, is_field=is_field)
            continue
        inner = declarator.child_by_field_name("declarator")
        if inner is not None and inner.type == "identifier" and not is_field:
            value = whole or expression_of(declarator.child_by_field_name("value"))
            yield Binding(inner, value)


def _member_of_argument(arguments: Node) -> Iterator[Binding]:
    """`container_of(p, struct box, link)`: what stands behind a type may be a member of it."""
    listed = arguments.named_children
    for index in range(len(listed) - 1):
        type_, member = listed[index], listed[index + 1]
        if type_.type == "ERROR":
            type_ = type_.named_children[0] if type_.named_children else type_
        elif index + 2 != len(listed):
            continue
        if type_.type == member.type == "identifier":
            yield Binding(member, None, key=member, owner=instance_of(text_of(type_)))


def _aliases(node: Node) -> Iterator[Binding]:
    """`using Ptr = std::shared_ptr<Box>`, `typedef struct box *box_t`: other names for a type."""
    whole = declared_type(_without_body(node.child_by_field_name("type")))
    if whole is None:
        return
    names = node.children_by_field_name("name") or node.children_by_field_name("declarator")
    for declarator in names:
        name: Node | None = declarator
        while name is not None and name.type in ("pointer_declarator", "array_declarator"):
            name = name.child_by_field_name("declarator")
        if name is not None and name.type == "type_identifier":
            yield Binding(name, whole)


def _without_body(written: Node | None) -> Node | None:
    """The name of a type that is defined where it is named: `typedef struct box { … } box_t`."""
    if written is None or written.child_by_field_name("body") is None:
        return written
    return written.child_by_field_name("name")
