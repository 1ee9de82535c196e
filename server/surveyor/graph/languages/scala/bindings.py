"""What Scala binds names to."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from surveyor.graph.expressions.model import Element
from surveyor.graph.languages.readers import Binding
from surveyor.graph.languages.scala.values import declared, handed, value

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["bindings_of"]


def bindings_of(node: Node) -> Iterator[Binding]:
    """The names that a `@bind` node gives a type or a value."""
    kind = node.type
    field = node.child_by_field_name
    if kind in ("val_definition", "var_definition", "val_declaration", "given_definition"):
        name = field("pattern") or field("name")
        if name is not None and name.type == "identifier":
            bound = declared(field("type")) or value(field("value"))
            parent = node.parent.type if node.parent is not None else ""
            yield Binding(name, bound, is_field=parent == "template_body")
    elif kind == "type_definition":
        name, bound = field("name"), declared(field("type"))
        if name is not None and bound is not None:
            yield Binding(name, bound)
    elif kind in ("parameter", "class_parameter", "binding"):
        name = field("name")
        if name is not None:
            is_field = kind == "class_parameter"
            bound = declared(field("type"))
            yield Binding(name, bound, is_field=is_field, is_attribute=is_field)
    elif kind == "typed_pattern":
        name = field("pattern")
        if name is not None and name.type == "identifier":
            yield Binding(name, declared(field("type")))
    elif kind == "enumerator":
        children = node.named_children
        if len(children) == 2 and children[0].type == "identifier":
            whole = value(children[1])
            walked = any(child.type == "<-" for child in node.children)
            yield Binding(children[0], whole.then(Element()) if whole and walked else whole)
    elif kind == "lambda_expression":
        name = field("parameters")
        if name is not None and name.type == "bindings" and len(name.named_children) == 1:
            name = name.named_children[0].child_by_field_name("name")
        if name is not None and name.type == "identifier":
            yield Binding(name, handed(node))
