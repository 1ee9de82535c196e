"""What Rust binds names to."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from surveyor.graph.expressions.model import Element, Expression
from surveyor.graph.extract.bindings import bindings_of as common_bindings
from surveyor.graph.extract.written_types import declared_type, expression_of, text_of
from surveyor.graph.languages.readers import Binding

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["bindings_of"]

_MAX_NESTING = 4
"""Patterns within patterns."""
_AROUND = frozenset({"mut_pattern", "ref_pattern", "reference_pattern", "match_pattern"})
_WRAPPING = frozenset({"Some", "Ok", "Ready"})
"""Variants that hold what an access goes through to (`extract.type_names`)."""
_WALKING = frozenset(
    {"for_each", "map", "filter", "filter_map", "flat_map", "find", "find_map", "any", "all",
     "position", "inspect", "take_while", "skip_while", "and_then", "map_or", "is_some_and",
     "is_ok_and", "retain", "partition", "max_by_key", "min_by_key", "sort_by_key", "map_while"}
)  # fmt: skip
"""Methods of iterators, options and results that hand what is inside to a closure."""


def bindings_of(node: Node) -> Iterator[Binding]:
    """The names that a `@bind` node gives a type or a value; fields have a name, no declarator."""
    field = node.child_by_field_name
    kind = node.type
    if kind == "field_declaration":
        whole = declared_type(field("type"))
        for name in node.children_by_field_name("name"):
            yield Binding(name, whole, is_field=True)
    elif kind in ("let_declaration", "let_condition"):
        pattern, value = field("pattern"), field("value")
        if pattern is not None:
            whole = declared_type(field("type")) or expression_of(value)
            yield from _matched(pattern, whole, value)
    elif kind == "match_arm":
        pattern, around = field("pattern"), node.parent and node.parent.parent
        if pattern is not None and around is not None:
            value = around.child_by_field_name("value")
            yield from _matched(pattern, expression_of(value), value)
    elif kind == "for_expression":
        pattern, value = field("pattern"), field("value")
        whole = expression_of(value)
        if pattern is not None and whole is not None:
            yield from _matched(pattern, whole.then(Element()), None)
    elif kind == "closure_expression":
        yield from _handed(node)
    else:
        yield from common_bindings(node)


def _matched(
    pattern: Node, whole: Expression | None, value: Node | None, depth: int = 0
) -> Iterator[Binding]:
    """`Some((a, mut b))`, `Point { x, y: z }`, or one name."""
    kind = pattern.type
    if depth > _MAX_NESTING:
        return
    if kind == "identifier":
        yield Binding(pattern, whole)
    elif kind in _AROUND:
        if pattern.named_children:
            inner = pattern.named_children[0 if kind == "match_pattern" else -1]
            yield from _matched(inner, whole, value, depth + 1)
    elif kind == "captured_pattern":
        yield from _matched(pattern.named_children[0], whole, value, depth + 1)
    elif kind == "tuple_pattern":
        yield from _taken_apart(pattern, whole, value, depth)
    elif kind == "tuple_struct_pattern":
        called = pattern.child_by_field_name("type")
        inside = [each for each in pattern.named_children if each != called]
        if called is None or len(inside) != 1:
            return
        if text_of(called).rpartition("::")[2] in _WRAPPING:
            yield from _matched(inside[0], whole, None, depth + 1)
    elif kind == "struct_pattern":
        yield from _fields(pattern, depth)


def _taken_apart(
    pattern: Node, whole: Expression | None, value: Node | None, depth: int
) -> Iterator[Binding]:
    values = value.named_children if value is not None and value.type == "tuple_expression" else []
    for index, child in enumerate(pattern.named_children):
        if child.type == "remaining_field_pattern":
            return
        if values:
            if index < len(values):
                found = expression_of(values[index])
                yield from _matched(child, found, values[index], depth + 1)
        elif whole is not None:
            yield from _matched(child, whole.then(Element(str(index))), None, depth + 1)


def _fields(pattern: Node, depth: int) -> Iterator[Binding]:
    """`Point { x, y: z }`: members of an instance of the type."""
    owner = declared_type(pattern.child_by_field_name("type"))
    for child in pattern.named_children if owner is not None else ():
        name = child.child_by_field_name("name")
        if child.type != "field_pattern" or name is None or owner is None:
            continue
        member = owner.member(text_of(name))
        inner = child.child_by_field_name("pattern")
        if inner is not None:
            yield from _matched(inner, member, None, depth + 1)
        else:
            yield Binding(name, member)


def _handed(closure: Node) -> Iterator[Binding]:
    """`many.iter().map(|each| …)`: what a closure is handed by the methods that walk."""
    arguments = closure.parent
    call = arguments.parent if arguments is not None else None
    function = call.child_by_field_name("function") if call is not None else None
    if function is None or function.type != "field_expression":
        return
    name = function.child_by_field_name("field")
    listed = closure.child_by_field_name("parameters")
    if name is None or text_of(name) not in _WALKING or listed is None:
        return
    whole = expression_of(function.child_by_field_name("value"))
    if whole is not None and len(listed.named_children) == 1:
        yield from _matched(listed.named_children[0], whole.then(Element()), None)
