"""What Java runs without naming it: what `try` closes and `for` walks by, and methods that
reflection finds by a class and a name that are written out."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from surveyor.graph.expressions.model import Call, Expression
from surveyor.graph.extract.written_types import declared_type, expression_of, text_of

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["read"]

_OF_CLASS = frozenset({"getMethod", "getDeclaredMethod"})
_OF_LOOKUP = frozenset({"findVirtual", "findStatic", "findSpecial"})


def read(node: Node) -> Iterator[tuple[Node, Expression, str]]:
    """(where it stands, the object, the method) of each method that a node runs."""
    if node.type == "resource":
        yield from _closed(node)
    elif node.type == "enhanced_for_statement":
        yield from _walked(node.child_by_field_name("value"))
    else:
        yield from _reflected(node)


def _closed(resource: Node) -> Iterator[tuple[Node, Expression, str]]:
    """`try (Box box = open())`, `try (var box = open())`, `try (box)`."""
    field = resource.child_by_field_name
    declared, name, value = field("type"), field("name"), field("value")
    if declared is not None and text_of(declared) != "var":
        held = declared_type(declared)
    else:
        held = expression_of(value or resource.named_children[0])
    if held is not None:
        yield name or resource.named_children[0], held, "close"


def _walked(whole: Node | None) -> Iterator[tuple[Node, Expression, str]]:
    walked = expression_of(whole)
    if whole is not None and walked is not None:
        yield whole, walked, "iterator"
        for method in ("hasNext", "next"):
            yield whole, walked.member("iterator").then(Call()), method


def _reflected(call: Node) -> Iterator[tuple[Node, Expression, str]]:
    """`Box.class.getMethod("open")`, `lookup.findVirtual(Box.class, "open", type)`: (the text, an
    instance of the class, the method)."""
    name, listed = call.child_by_field_name("name"), call.child_by_field_name("arguments")
    arguments = listed.named_children if listed is not None else []
    called = text_of(name) if name is not None else ""
    if called in _OF_CLASS and arguments:
        literal, text = call.child_by_field_name("object"), arguments[0]
    elif called in _OF_LOOKUP and len(arguments) > 1:
        literal, text = arguments[0], arguments[1]
    else:
        return
    if literal is None or literal.type != "class_literal" or len(text.named_children) != 1:
        return
    owner = declared_type(literal.named_children[0])
    if owner is not None:
        yield text.named_children[0], owner, text_of(text.named_children[0])
