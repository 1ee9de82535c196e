"""What Scala binds names to."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from surveyor.graph.expressions.keys import SELF_TYPE
from surveyor.graph.expressions.model import Element, Expression, Name, Type, instance
from surveyor.graph.languages.readers import Binding, text
from surveyor.graph.languages.scala.values import declared, handed, value

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["bindings_of"]


def _in_case_class(parameter: Node, bound: Expression | None) -> Iterator[Binding]:
    """What a pattern takes out of a class, by its place in the constructor."""
    listed = parameter.parent if parameter.type == "class_parameter" else None
    around = listed.parent if listed is not None else None
    name = around.child_by_field_name("name") if around is not None else None
    if listed is not None and name is not None:
        place = [each for each in listed.named_children if each.type == parameter.type]
        yield Binding(name, bound, place=str(place.index(parameter)))


def _taken_apart(pattern: Node) -> Iterator[Binding]:
    """`case Box(width, lid)`: what the class has in its constructor, in its order."""
    whole = declared(pattern.child_by_field_name("type"))
    parts = [each for each in pattern.children_by_field_name("pattern") if each.is_named]
    for number, part in enumerate(parts):
        if part.type == "identifier" and whole is not None:
            yield Binding(part, whole.member(str(number)))


def _said_of_itself(said: Node) -> Iterator[Binding]:
    """`self: Store with Log =>`: what objects of the type around are, too, and what they are called
    in it."""
    around = said.parent.parent if said.parent is not None else None
    name = around.child_by_field_name("name") if around is not None else None
    own = said.named_children[0] if said.named_children else None
    if name is None or own is None:
        return
    if own.type == "identifier" and text(own) not in _OWN:
        yield Binding(own, Expression(Name("this")), is_attribute=True)
    if len(said.named_children) > 1:
        listed = said.named_children[1]
        each = listed.named_children if listed.type == "compound_type" else [listed]
        types = [t for part in each if (held := declared(part)) is not None for t in held.types()]
        whole = instance(Type(part for t in types for part in t.parts))
        yield Binding(name, whole, place=SELF_TYPE)


_OWN = frozenset({"this", "self", "_"})


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
            yield from _in_case_class(node, bound)
    elif kind == "self_type":
        yield from _said_of_itself(node)
    elif kind == "case_class_pattern":
        yield from _taken_apart(node)
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
