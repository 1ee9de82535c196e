"""What JavaScript and TypeScript bind names to."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from surveyor.graph.expressions.model import Call, Element, Expression, Member
from surveyor.graph.extract import bindings
from surveyor.graph.extract.tables import element_key, elements_of
from surveyor.graph.extract.written_types import declared_type, expression_of, text_of
from surveyor.graph.languages.ecmascript.documented import documented, is_documented
from surveyor.graph.languages.readers import Binding

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["bindings_of"]

_MAX_NESTING = 4
"""Patterns within patterns."""
_DECLARING = frozenset({"variable_declarator", "required_parameter", "optional_parameter"})


def bindings_of(node: Node) -> Iterator[Binding]:
    """The names that a `@bind` node gives a type or a value."""
    field = node.child_by_field_name
    kind = node.type
    if kind == "call_expression":
        yield from _filled(node)
        return
    if kind == "comment":
        yield from documented(node)
        return
    if kind in ("assignment_expression", "augmented_assignment_expression"):
        left, right = field("left"), field("right")
        if left is not None:
            yield from _inherited(left, right)
            yield from _assigned(left, _other_than(left, right), None)
        return
    if kind in _DECLARING:
        pattern = field("name") or field("pattern")
        if pattern is not None and pattern.type == "array_pattern":
            yield from _assigned(pattern, field("value"), declared_type(field("type")))
            return
        value = field("value")
        if kind == "variable_declarator" and is_documented(node):
            return
        if value is not None and value.type == "assignment_expression" and pattern is not None:
            yield from _assigned(pattern, value, declared_type(field("type")))
            return
    yield from bindings.bindings_of(node)


def _other_than(left: Node, right: Node | None) -> Node | None:
    """Of `box = box || make()` what is new."""
    if right is not None and right.type == "binary_expression":
        first, operator = right.child_by_field_name("left"), right.child_by_field_name("operator")
        is_choice = operator is not None and text_of(operator) in ("||", "??")
        if is_choice and first is not None and first.text == left.text:
            return right.child_by_field_name("right")
    return right


def _assigned(
    left: Node, right: Node | None, value: Expression | None, depth: int = 0
) -> Iterator[Binding]:
    """`[a, [b]] = [f, pair]`, `table["key"] = f`, `table.key = f`, or one name."""
    if depth > _MAX_NESTING:
        return
    while right is not None and right.type == "assignment_expression":  # a = b = value
        right = right.child_by_field_name("right")
    if left.type == "array_pattern":
        yield from _taken_apart(left, right, value, depth)
        return
    if value is None:
        value = expression_of(right)
    if left.type == "object_pattern":
        yield from bindings.taken_apart(left, value)
    elif left.type == "subscript_expression":
        whole, key = left.child_by_field_name("object"), left.child_by_field_name("index")
        if whole is not None and key is not None:
            yield Binding(whole, value, element=element_key(key))
    elif left.type == "member_expression":
        whole, name = left.child_by_field_name("object"), left.child_by_field_name("property")
        if whole is not None and name is not None and whole.type == "identifier":
            if (text_of(whole), text_of(name)) == ("module", "exports"):
                yield Binding(name, value)
            yield Binding(whole, value, element=f"'{text_of(name)}")
        yield from bindings.assigned(left, value)
    elif left.type == "assignment_pattern":
        target = left.child_by_field_name("left")
        if target is not None:
            yield from _assigned(target, right, value, depth + 1)
    else:
        yield from bindings.assigned(left, value)


def _taken_apart(
    pattern: Node, right: Node | None, value: Expression | None, depth: int
) -> Iterator[Binding]:
    """The elements of an array, by their places: `[a, , ...rest]`."""
    values = elements_of(right) if right is not None and right.type == "array" else []
    if not values and value is None:
        value = expression_of(right)
    place = -1
    expects = True
    for child in pattern.children:
        if child.type == "[":
            place += 1
        elif child.type == ",":
            place += 1
            expects = True
        elif expects and child.is_named and child.type not in ("comment", "rest_pattern"):
            expects = False
            if values:
                if place < len(values):
                    yield from _assigned(child, values[place], None, depth + 1)
            elif value is not None:
                yield from _assigned(child, None, value.then(Element(str(place))), depth + 1)
        elif child.type == "rest_pattern" and value is not None and child.named_children:
            yield Binding(child.named_children[0], value.then(Member("slice"), Call()))


def _filled(call: Node) -> Iterator[Binding]:
    """`handlers.push(f)`, `table.set("key", f)`: what is put into an array or map."""
    function, arguments = (
        call.child_by_field_name("function"),
        call.child_by_field_name("arguments"),
    )
    whole = function.child_by_field_name("object") if function is not None else None
    given = arguments.named_children if arguments is not None else []
    called = text_of(function) if function is not None else ""
    if called == "Object.assign":
        yield from _mixed(given)
        return
    if called == "Object.setPrototypeOf" or called.rpartition(".")[2] == "inherits":
        if len(given) > 1:
            yield from _given_base(_prototype_of(given[0]) or given[0], given[1])
        return
    if whole is not None and 0 < len(given) <= 2:
        key = element_key(given[0]) if len(given) > 1 else ""
        yield Binding(whole, expression_of(given[-1]), element=key)


def _inherited(left: Node, right: Node | None) -> Iterator[Binding]:
    """`Dog.prototype = Object.create(Animal.prototype)`, `Dog.prototype = new Animal()`,
    `Dog.prototype.__proto__ = Animal.prototype`."""
    if right is None or left.type != "member_expression":
        return
    name = left.child_by_field_name("property")
    if name is not None and text_of(name) == "__proto__":
        whole = left.child_by_field_name("object")
        owner = _prototype_of(whole) if whole is not None else None
        base: Node | None = right
    else:
        owner, base = _prototype_of(left), None
        if right.type == "new_expression":
            base = right.child_by_field_name("constructor")
        elif right.type == "call_expression":
            function = right.child_by_field_name("function")
            arguments = right.child_by_field_name("arguments")
            is_create = function is not None and text_of(function) == "Object.create"
            if is_create and arguments is not None:
                base = next(iter(arguments.named_children), None)
    if owner is not None and base is not None:
        yield from _given_base(owner, base)


def _given_base(owner: Node, base: Node) -> Iterator[Binding]:
    base = _prototype_of(base) or base
    if owner.type == "identifier" and base.type in ("identifier", "member_expression"):
        yield Binding(owner, None, mixin=base)


def _mixed(given: list[Node]) -> Iterator[Binding]:
    """`Object.assign(Class.prototype, Mixin)`, `Object.assign(table, { key: f })`."""
    target = given[0] if given else None
    if target is None:
        return
    owner = _prototype_of(target)
    for source in given[1:]:
        if owner is not None and owner.type == "identifier":
            mixin = _prototype_of(source) or source
            if mixin.type in ("identifier", "member_expression"):
                yield Binding(owner, None, mixin=mixin)
        elif source.type == "object":
            for pair in source.named_children:
                key, value = pair.child_by_field_name("key"), pair.child_by_field_name("value")
                if pair.type == "pair" and key is not None and key.type != "computed_property_name":
                    where = f"'{text_of(key).strip(_QUOTES)}"
                    yield Binding(target, expression_of(value), element=where)


_QUOTES = "\"'"


def _prototype_of(node: Node) -> Node | None:
    """The class whose prototype an expression is."""
    name = node.child_by_field_name("property") if node.type == "member_expression" else None
    is_prototype = name is not None and text_of(name) == "prototype"
    return node.child_by_field_name("object") if is_prototype else None
