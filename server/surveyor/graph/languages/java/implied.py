"""Methods of Java that reflection finds by a class and a name that are written out."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from surveyor.graph.expressions.model import Expression
from surveyor.graph.extract.written_types import declared_type, text_of

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["read"]

_OF_CLASS = frozenset({"getMethod", "getDeclaredMethod"})
_OF_LOOKUP = frozenset({"findVirtual", "findStatic", "findSpecial"})


def read(call: Node) -> Iterator[tuple[Node, Expression, str]]:
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
