"""What Go binds names to."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from surveyor.graph.expressions.keys import CALLED
from surveyor.graph.expressions.model import UNKNOWN, Element, Expression
from surveyor.graph.extract.bindings import assigned
from surveyor.graph.extract.bindings import bindings_of as common_bindings
from surveyor.graph.extract.written_types import declared_type, expression_of
from surveyor.graph.languages.go.values import declared, type_of
from surveyor.graph.languages.readers import Binding

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["bindings_of"]


def bindings_of(node: Node) -> Iterator[Binding]:
    """The names that a `@bind` node gives a type or a value: `a, b int`."""
    if node.type == "field_declaration":
        whole = type_of(node.child_by_field_name("type"))
        for name in node.children_by_field_name("name"):
            yield Binding(name, whole, is_field=True)
        return
    if node.type == "type_alias":
        alias = node.child_by_field_name("name")
        if alias is not None:
            yield Binding(alias, declared_type(node.child_by_field_name("type")))
        return
    if node.type == "type_spec":
        yield from _named_type(node)
        return
    if node.type == "var_spec" and node.child_by_field_name("type") is None:
        yield from _given(node)
        return
    if node.type == "const_declaration":
        yield from _constants(node)
        return
    if given := _received(node):
        yield from given
        return
    said = node.child_by_field_name("type")
    if said is not None and said.type == "interface_type" and node.type in _DECLARING:
        for name in node.children_by_field_name("name"):
            yield Binding(name, UNKNOWN)  # whatever has its methods
        return
    if said is not None and said.type == "channel_type":
        held = type_of(said)
        for name in node.children_by_field_name("name"):
            yield Binding(name, held)
        return
    last: Binding | None = None
    for last in common_bindings(node):
        yield last
    if last is not None and node.type in _DECLARING:
        for other in node.children_by_field_name("name")[1:]:
            yield Binding(other, last.value)


def _constants(declaration: Node) -> Iterator[Binding]:
    """What constants are declared to be; one with nothing behind its name is what the one before
    it is (`Red Color = iota`, then `Green`)."""
    whole: Expression | None = None
    for spec in declaration.named_children:
        if spec.child_by_field_name("value") is not None:
            whole = declared_type(spec.child_by_field_name("type"))
        for name in spec.children_by_field_name("name") if whole is not None else ():
            yield Binding(name, whole)


_DECLARING = frozenset({"parameter_declaration", "var_spec"})


def _named_type(spec: Node) -> Iterator[Binding]:
    """`type Boxes map[string]*Box`: what it holds; `type Make func() *Box`: what calling it
    gives."""
    name, of = spec.child_by_field_name("name"), spec.child_by_field_name("type")
    if name is None or of is None:
        return
    if of.type == "function_type":
        result = of.child_by_field_name("result")
        gives = declared(result) if result is not None else None
        if gives is not None:
            yield Binding(name, gives, place=CALLED)
    elif of.type in _HOLDING:
        yield Binding(name, type_of(of))


_HOLDING = frozenset({"map_type", "slice_type", "array_type", "channel_type"})


def _received(node: Node) -> list[Binding]:
    """Of an assignment with what a channel or an assertion gives, beside which may stand whether
    there is one: `event, ok := <-events`, `box := it.(Box)`; nothing of any other."""
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if left is None or right is None:
        return []
    values = right.named_children if right.type == "expression_list" else [right]
    known = [_of_one(value) for value in values]
    if not any(known) or (len(values) > 1 and len(values) != len(left.named_children)):
        return []
    return [
        binding
        for target, value, told in zip(left.named_children, values, known, strict=False)
        for binding in assigned(target, told or expression_of(value))
    ]


def _of_one(value: Node) -> Expression | None:
    """What `<-events`, `it.(Box)` and `make(Boxes)` give."""
    if value.type == "type_assertion_expression":
        to = value.child_by_field_name("type")
        if to is not None and to.type == "interface_type":
            return UNKNOWN
        return declared_type(to)
    if value.type == "call_expression":
        return _made(value)
    operator = value.child_by_field_name("operator")
    if value.type != "unary_expression" or operator is None or operator.type != "<-":
        return None
    sent = expression_of(value.child_by_field_name("operand"))
    return sent.then(Element()) if sent is not None else None


def _made(call: Node) -> Expression | None:
    """What `make(Boxes)` and `new(Box)` give."""
    called, given = call.child_by_field_name("function"), call.child_by_field_name("arguments")
    if called is None or called.text not in (b"make", b"new") or given is None:
        return None
    return type_of(given.named_children[0]) if given.named_children else None


def _given(spec: Node) -> Iterator[Binding]:
    """`var a, b = f(), g()`: each has its own value; of one call that gives several only the
    first's is known."""
    names, listed = spec.children_by_field_name("name"), spec.child_by_field_name("value")
    values = listed.named_children if listed is not None else []
    for name, value in zip(names, values, strict=False):
        yield Binding(name, _of_one(value) or expression_of(value))
