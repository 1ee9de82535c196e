"""What JavaScript and TypeScript run without naming it: iterators, and the base's constructor; what
they name as text; and what components are told."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from surveyor.graph.expressions.model import Expression, Name, Parameter
from surveyor.graph.extract.written_types import declared_type, expression_of, text_of
from surveyor.parsing.children import first_named

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["ITERATOR", "given_to", "read"]

ITERATOR = "[Symbol.iterator]"
_ASYNC_ITERATOR = "[Symbol.asyncIterator]"
_SUPER = Expression(Name("super"))


def read(node: Node) -> Iterator[tuple[Node, Expression, str]]:
    """(where it stands, the object, the method) of each method that a node runs."""
    if node.type == "string_fragment":
        yield from _named(node)
        return
    if node.type == "super":
        yield node, _SUPER, "constructor"
        return
    right, operator = node.child_by_field_name("right"), node.child_by_field_name("operator")
    if right is None or operator is None or text_of(operator) != "of":
        return
    walked = expression_of(right)
    if walked is not None:
        is_async = any(child.type == "await" for child in node.children)
        yield right, walked, f"{_ASYNC_ITERATOR}/{ITERATOR}" if is_async else ITERATOR


def _named(fragment: Node) -> Iterator[tuple[Node, Expression, str]]:
    """`Kind["Wide"]`, `Box["lid"]` as a type, `jest.spyOn(core, "load")`."""
    string = fragment.parent
    around = string.parent if string is not None else None
    if around is None or not text_of(fragment).isidentifier():
        return
    if around.type == "literal_type":
        whole = around.parent
        owner = declared_type(first_named(whole))
    else:
        owner = expression_of(first_named(around))
    if owner is not None:
        yield fragment, owner, text_of(fragment)


def given_to(attribute: Node) -> Expression | None:
    """What a component is called with, of which an attribute is a member: `<Box size={1} />`."""
    element = attribute.parent.parent if attribute.parent is not None else None
    component = element.child_by_field_name("name") if element is not None else None
    if component is None or (text_of(component)[:1].islower() and "." not in text_of(component)):
        return None
    found = expression_of(component)
    return found.then(Parameter((0,))) if found is not None else None
