"""What Kotlin binds names to."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from surveyor.graph.expressions.model import Element, Expression, Parameter
from surveyor.graph.languages.kotlin.values import TYPES, called_with, declared, value
from surveyor.graph.languages.readers import Binding, descend, text

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["bindings_of"]

_IDENTIFIERS = frozenset({"simple_identifier"})
_SAME = frozenset({"let", "also", "takeIf", "takeUnless", "use"})
"""They hand a lambda what they are called on …"""
_EACH = frozenset(
    {"all", "any", "associateBy", "count", "filter", "filterNot", "find", "first", "firstOrNull",
     "flatMap", "forEach", "groupBy", "last", "lastOrNull", "map", "mapNotNull", "maxByOrNull",
     "minByOrNull", "none", "onEach", "partition", "single", "sortedBy", "sumOf"}
)  # fmt: skip
"""… or each of what that holds."""


def bindings_of(node: Node) -> Iterator[Binding]:
    """The names that a `@bind` node gives a type or a value."""
    kind = node.type
    if kind == "property_declaration":
        yield from _property(node)
    elif kind == "type_alias":
        alias, *_, whole = node.named_children
        if alias.type == "type_identifier" and whole.type in TYPES:
            yield Binding(alias, declared(whole))
    elif kind in ("parameter", "class_parameter", "catch_block", "parameter_with_optional_type"):
        yield from _parameter(node)
    elif kind == "for_statement":
        yield from _loop(node)
    elif kind == "lambda_literal":
        yield from _lambda(node)


def _property(node: Node) -> Iterator[Binding]:
    children = node.named_children
    held = next((c for c in children if c.type == "variable_declaration"), None)
    if held is None:
        yield from _taken_apart(children)
    name = _name(held)
    if held is None or name is None:
        return
    after = [c for c in children if c.start_byte >= held.end_byte]
    bound = declared(_type(held))
    for child in after:
        if bound is not None:
            break
        if child.type == "property_delegate":  # by lazy { … }
            bound = _given_lazily(child)
        elif child.type == "getter":
            body = next((c for c in child.named_children if c.type == "function_body"), None)
            bound = value(body)
        else:
            bound = value(child)
    in_class = node.parent is not None and node.parent.type == "class_body"
    yield Binding(name, bound, is_field=in_class)


def _is_data(of_class: Node) -> bool:
    first = of_class.named_children[0]
    return first.type == "modifiers" and "data" in text(first).split()


def _taken_apart(children: list[Node]) -> Iterator[Binding]:
    """`val (width, lid) = box`: what a data class has in its constructor, in its order."""
    names = next((c for c in children if c.type == "multi_variable_declaration"), None)
    if names is None or children[-1] == names or (whole := value(children[-1])) is None:
        return
    for number, each in enumerate(names.named_children):
        if (name := _name(each)) is not None:
            yield Binding(name, declared(_type(each)) or whole.member(str(number)))


def _given_lazily(delegate: Node) -> Expression | None:
    literal = next(descend(delegate, frozenset({"lambda_literal"})), None)
    last = literal.named_children[-1] if literal is not None and literal.named_children else None
    if last is None or last.type != "statements":
        return None
    return value(last.named_children[-1]) if last.named_children else None


def _parameter(node: Node) -> Iterator[Binding]:
    name = _name(node)
    if name is None:
        return
    is_field = node.type == "class_parameter"
    yield Binding(name, declared(_type(node)), is_field=is_field, is_attribute=is_field)
    constructor = node.parent if is_field else None
    around = constructor.parent if constructor is not None else None
    if constructor is None or around is None or not _is_data(around):
        return
    of_class = next((c for c in around.named_children if c.type == "type_identifier"), None)
    listed = [each for each in constructor.named_children if each.type == node.type]
    if of_class is not None:
        yield Binding(of_class, declared(_type(node)), place=str(listed.index(node)))


def _loop(node: Node) -> Iterator[Binding]:
    children = node.named_children
    held = next((c for c in children if c.type == "variable_declaration"), None)
    name = _name(held)
    if held is None or name is None:
        return
    over = next((c for c in children if c.start_byte >= held.end_byte), None)
    whole = value(over)
    element = whole.then(Element()) if whole is not None else None
    yield Binding(name, declared(_type(held)) or element)


def _lambda(node: Node) -> Iterator[Binding]:
    parameters = next((c for c in node.named_children if c.type == "lambda_parameters"), None)
    named: list[tuple[Node | None, Expression | None]]
    if parameters is None:
        named = [(next(_its(node), None), None)]
    else:
        named = [(_name(each), declared(_type(each))) for each in parameters.named_children]
    for number, (name, told) in enumerate(named, 1):
        if name is not None:
            yield Binding(name, told or (number == 1 and _handed(node)) or _taken(node, number))


def _taken(node: Node, number: int) -> Expression | None:
    """What a function of the project calls the lambda with."""
    called = called_with(node)
    return called.then(Parameter((0, number))) if called is not None else None


def _its(node: Node) -> Iterator[Node]:
    """Where a lambda names its only parameter."""
    for child in node.named_children:
        if child.type == "simple_identifier" and text(child) == "it":
            yield child
        elif child.type != "lambda_literal":
            yield from _its(child)


def _handed(node: Node) -> Expression | None:
    """What a function of the standard library hands the lambda behind it."""
    call = node.parent
    while call is not None and call.type in ("annotated_lambda", "call_suffix"):
        call = call.parent
    called = call.named_children[0] if call is not None and call.named_children else None
    if called is None or called.type != "navigation_expression":
        return None
    suffix = called.named_children[-1]
    name = text(suffix.named_children[-1]) if suffix.named_children else ""
    owner = value(called.named_children[0])
    if owner is None:
        return None
    if name in _SAME:
        return owner
    return owner.then(Element()) if name in _EACH else None


def _name(node: Node | None) -> Node | None:
    children = node.named_children if node is not None else []
    return next((c for c in children if c.type in _IDENTIFIERS), None)


def _type(node: Node | None) -> Node | None:
    children = node.named_children if node is not None else []
    return next((c for c in children if c.type in TYPES), None)
