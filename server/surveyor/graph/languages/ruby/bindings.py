"""What Ruby binds names to, and what RSpec's `let`, `subject` and `describe` do."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from surveyor.graph.expressions.keys import DESCRIBED, SUBJECT, variable_of_file
from surveyor.graph.expressions.model import UNKNOWN, Element
from surveyor.graph.extract.bindings import assigned
from surveyor.graph.extract.bindings import bindings_of as common_bindings
from surveyor.graph.extract.tables import elements_of
from surveyor.graph.extract.written_types import expression_of, text_of
from surveyor.graph.languages.readers import Binding
from surveyor.graph.languages.ruby.documented import said
from surveyor.graph.languages.ruby.records import all_of_class, associated

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["bindings_of"]


_ASSOCIATIONS = frozenset({"belongs_to", "has_one", "has_many", "has_and_belongs_to_many", "scope"})


def bindings_of(node: Node) -> Iterator[Binding]:
    """The names that a `@bind` node gives a value."""
    if node.type == "comment":
        yield from said(node)
        return
    left = node.child_by_field_name("left")
    if left is not None and left.type in _PATTERNS:
        yield from _taken_apart(left, node.child_by_field_name("right"))
        return
    if node.type != "call":
        yield from common_bindings(node)
        return
    method = node.child_by_field_name("method")
    listed = node.child_by_field_name("arguments")
    first = listed.named_children[0] if listed is not None and listed.named_children else None
    if method is None:
        return
    if node.child_by_field_name("receiver") is not None and text_of(method) != "describe":
        yield from _walked(node)
        return
    if text_of(method) in _ASSOCIATIONS:
        if first is not None and listed is not None and first.type == "simple_symbol":
            if text_of(method) == "scope":
                held = all_of_class(node)
            else:
                name = text_of(first).lstrip(":")
                held = associated(text_of(method), name, listed.named_children)
            yield Binding(first, held, is_field=True)
        return
    if text_of(method) == "describe":
        if first is not None and first.type in ("constant", "scope_resolution"):
            value = expression_of(first)
            if value is not None and not _is_inside(node):
                yield Binding(first, value, said_of=variable_of_file(DESCRIBED))
        return
    names = [SUBJECT] if text_of(method).startswith(SUBJECT) else []
    if first is not None and first.type == "simple_symbol":
        names.append(text_of(first).lstrip(":"))
    value = expression_of(_last(node.child_by_field_name("block")))
    for name in names:  # what is not known is none of the project's methods of that name either
        yield Binding(method, value or UNKNOWN, said_of=variable_of_file(name))


def _walked(call: Node) -> Iterator[Binding]:
    """`boxes.each { |box| … }`: each has the type of what they hold."""
    block, whole = call.child_by_field_name("block"), call.child_by_field_name("receiver")
    taken = block.child_by_field_name("parameters") if block is not None else None
    first = taken.named_children[0] if taken is not None and taken.named_children else None
    held = expression_of(whole)
    if first is not None and first.type == "identifier" and held is not None:
        yield Binding(first, held.then(Element()))


_PATTERNS = frozenset({"left_assignment_list", "destructured_left_assignment"})
_SEQUENCES = frozenset({"right_assignment_list", "array"})
_MAX_NESTING = 4
"""Patterns within patterns."""


def _taken_apart(pattern: Node, right: Node | None, depth: int = 0) -> Iterator[Binding]:
    """`a, (b, *c) = f, [g, h]`: each has its own value, as far as these are written out."""
    if depth > _MAX_NESTING or right is None or right.type not in _SEQUENCES:
        return
    targets = pattern.named_children
    if len(targets) == 1 and targets[0].type in _PATTERNS:  # (a, b) = pair
        yield from _taken_apart(targets[0], right, depth + 1)
        return
    for target, value in zip(targets, elements_of(right), strict=False):
        if target.type == "rest_assignment" or value.type == "splat_argument":
            return  # how many it takes, or gives, is not known
        if target.type in _PATTERNS:
            yield from _taken_apart(target, value, depth + 1)
        else:
            yield from assigned(target, expression_of(value))


def _last(block: Node | None) -> Node | None:
    """The last expression of a block, which is what it gives."""
    body = block.child_by_field_name("body") if block is not None else None
    return body.named_children[-1] if body is not None and body.named_children else None


def _is_inside(describe: Node) -> bool:
    """Whether a `describe` stands in another one."""
    around = describe.parent
    while around is not None:
        name = around.child_by_field_name("method") if around.type == "call" else None
        if name is not None and text_of(name) == "describe":
            return True
        around = around.parent
    return False
