"""What C# binds names to."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from surveyor.graph.expressions.model import Element, Expression
from surveyor.graph.extract.bindings import bindings_of as common_bindings
from surveyor.graph.extract.written_types import declared_type, expression_of
from surveyor.graph.languages.readers import Binding

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["bindings_of"]


def bindings_of(node: Node) -> Iterator[Binding]:
    """The names that a `@bind` node gives a type or a value: `Type a = 1, b;`."""
    if node.type == "foreach_statement":
        yield from _walked(node)
        return
    if node.type == "declaration_expression":
        name = node.child_by_field_name("name")
        if name is not None:
            yield Binding(name, declared_type(node.child_by_field_name("type")) or _tried(node))
        return
    if node.type == "parameter" and _is_of_type(node):
        name = node.child_by_field_name("name")
        if name is not None:
            yield Binding(name, declared_type(node.child_by_field_name("type")), is_attribute=True)
        return
    if node.type != "variable_declaration":
        yield from common_bindings(node)
        return
    declared = declared_type(node.child_by_field_name("type"))
    is_field = node.parent is not None and node.parent.type == "field_declaration"
    for child in node.named_children:
        name = child.child_by_field_name("name") if child.type == "variable_declarator" else None
        if name is not None:
            value = child.named_children[-1] if len(child.named_children) > 1 else None
            yield Binding(name, declared or expression_of(value), is_field=is_field)


_TYPES = frozenset({"class_declaration", "record_declaration", "struct_declaration"})


def _is_of_type(parameter: Node) -> bool:
    """Whether a parameter is a primary constructor's: the whole type has it, as it has a field."""
    listed = parameter.parent
    return listed is not None and listed.parent is not None and listed.parent.type in _TYPES


def _tried(declaration: Node) -> Expression | None:
    """`boxes.TryGetValue(key, out var box)`: one of what is held by what is asked."""
    listed = declaration.parent.parent if declaration.parent is not None else None
    call = listed.parent if listed is not None else None
    called = call.child_by_field_name("function") if call is not None else None
    if called is None or called.type != "member_access_expression":
        return None
    name, owner = called.child_by_field_name("name"), called.child_by_field_name("expression")
    if name is None or not (name.text or b"").startswith(b"Try"):
        return None
    asked = expression_of(owner)
    return asked.then(Element()) if asked is not None else None


def _walked(loop: Node) -> Iterator[Binding]:
    """`foreach (var box in boxes)`: what the collection holds, or what the loop declares."""
    name, whole = loop.child_by_field_name("left"), loop.child_by_field_name("right")
    if name is None or name.type != "identifier":
        return
    value = declared_type(loop.child_by_field_name("type"))
    if value is None and (walked := expression_of(whole)) is not None:
        value = walked.then(Element())
    yield Binding(name, value)
