"""What Swift binds names to."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from surveyor.graph.expressions.model import Element, Expression, Parameter
from surveyor.graph.languages.readers import Binding, descend, text
from surveyor.graph.languages.swift.values import TYPES, called_with, declared, value

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["bindings_of"]

_NAMES = frozenset({"simple_identifier"})
_EACH = frozenset(
    {"allSatisfy", "compactMap", "contains", "filter", "first", "flatMap", "forEach", "map", "max",
     "min", "sorted"}
)  # fmt: skip
"""Methods of collections that hand a closure what these hold."""


def bindings_of(node: Node) -> Iterator[Binding]:
    """The names that a `@bind` node gives a type or a value."""
    kind = node.type
    field = node.child_by_field_name
    if kind in ("property_declaration", "protocol_property_declaration"):
        yield from _property(node)
    elif kind == "typealias_declaration":
        name = next((c for c in node.named_children if c.type == "type_identifier"), None)
        type_node = next((c for c in node.named_children if c.type in TYPES), None)
        if name is not None:
            yield Binding(name, declared(type_node))
    elif kind in ("parameter", "lambda_parameter"):
        names = [c for c in node.named_children if c.type in _NAMES]
        type_node = next((c for c in node.named_children if c.type in TYPES), None)
        if names:
            yield Binding(names[-1], declared(type_node) or _handed(node) or _taken(node))
    elif kind == "for_statement":
        name = next(descend(field("item") or node, _NAMES), None)
        whole = value(field("collection"))
        if name is not None and whole is not None:
            yield Binding(name, whole.then(Element()))
    elif kind in ("if_statement", "guard_statement", "while_statement"):
        yield from _conditions(node)
    elif kind == "lambda_literal":
        first = next((n for n in _own(node) if text(n) == "$0"), None)
        if first is not None:
            yield Binding(first, _handed(node) or _of_call(node, 0))


def _own(closure: Node) -> Iterator[Node]:
    """The names in a closure that are not in one inside of it."""
    for child in closure.named_children:
        if child.type in _NAMES:
            yield child
        elif child.type != "lambda_literal":
            yield from _own(child)


def _property(node: Node) -> Iterator[Binding]:
    pattern = node.child_by_field_name("name")
    name = pattern.child_by_field_name("bound_identifier") if pattern is not None else None
    if name is None:
        return
    annotation = next((c for c in node.named_children if c.type == "type_annotation"), None)
    bound = declared(annotation) or value(node.child_by_field_name("value"))
    parent = node.parent.type if node.parent is not None else ""
    yield Binding(name, bound, is_field=parent.endswith("_body") and parent != "function_body")


def _conditions(node: Node) -> Iterator[Binding]:
    """`if let x = y, let z`."""
    children = node.children
    for index, child in enumerate(children):
        if node.field_name_for_child(index) != "bound_identifier":
            continue
        after = children[index + 1 : index + 4]
        if after and after[0].type == "type_annotation":
            yield Binding(child, declared(after[0]))
        elif len(after) > 1 and text(after[0]) == "=":
            yield Binding(child, value(after[1]))


def _taken(parameter: Node) -> Expression | None:
    """What the function calls a closure with that takes it."""
    closure, number = parameter, 0
    if parameter.parent is not None:
        number = [c.id for c in parameter.parent.named_children].index(parameter.id)
    while closure.parent is not None and closure.type != "lambda_literal":
        closure = closure.parent
    return _of_call(closure, number) if parameter.type == "lambda_parameter" else None


def _of_call(closure: Node, number: int) -> Expression | None:
    taken = called_with(closure)
    return taken[0].then(Parameter((taken[1], number))) if taken is not None else None


def _handed(node: Node) -> Expression | None:
    """What a method of a collection hands the closure behind it."""
    call: Node | None = node
    while call is not None and call.type != "call_expression":
        if call.type in ("function_declaration", "init_declaration", "function_body"):
            return None
        call = call.parent
    called = call.named_children[0] if call is not None and call.named_children else None
    if called is None or called.type != "navigation_expression":
        return None
    suffix = called.child_by_field_name("suffix")
    name = suffix.child_by_field_name("suffix") if suffix is not None else None
    owner = value(called.child_by_field_name("target"))
    if owner is None or name is None or text(name) not in _EACH:
        return None
    return owner.then(Element())
