"""What YARD's comments say of the types of parameters and results.

`@param box [Box]`, `@param [Box] box`, `@return [Array<Lid>]`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from surveyor.graph.expressions.keys import CALLED
from surveyor.graph.expressions.model import Expression, instance, type_called
from surveyor.graph.extract.written_types import text_of
from surveyor.graph.languages.readers import Binding, collection_of

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["said"]

MAX_LINES = 200
"""Of a comment behind one that says a type: each that does looks through those behind it."""
_SAYS = re.compile(
    r"@(?P<of>param|return)[ \t]+(?:(?P<name>[*&]*\w+)[ \t]+)?\[(?P<type>[^\]]+)\]"
    r"(?:[ \t]+(?P<behind>\w+))?"
)
_MANY = re.compile(r"(?:Array|Set|Enumerable|Enumerator|Enumerator::Lazy|\w*Relation)<([^<>]+)>")
_CLASS = re.compile(r"(?:::)?[A-Z]\w*(?:::[A-Z]\w*)*")
_NOTHING = frozenset({"nil", "false", "undefined", "void", "Object", "BasicObject"})
_OWN = frozenset({"self", "Class"})
_METHODS = frozenset({"method", "singleton_method"})
_READERS = frozenset({"attr_reader", "attr_accessor"})
_VISIBILITY = frozenset({"private", "protected", "public", "private_class_method", "memoize"})


def said(comment: Node) -> Iterator[Binding]:
    """What a line of a comment says of the definition that stands behind the comment."""
    match = _SAYS.search(text_of(comment))
    held = _type(match["type"]) if match is not None else None
    if match is None or held is None:
        return
    about = _about(comment)
    if about is None:
        return
    if match["of"] == "return":
        yield from _result(about, held)
    elif about.type in _METHODS:
        name = (match["name"] or match["behind"] or "").lstrip("*&")
        parameters = about.child_by_field_name("parameters")
        for each in parameters.named_children if parameters is not None else ():
            declared = each if each.type == "identifier" else each.child_by_field_name("name")
            takes_one = each.type in ("identifier", "optional_parameter", "keyword_parameter")
            if declared is not None and takes_one and text_of(declared) == name:
                yield Binding(declared, held)


def _result(about: Node, held: Expression) -> Iterator[Binding]:
    name = about.child_by_field_name("name") if about.type in _METHODS else None
    if name is not None:
        yield Binding(name, held, place=CALLED)
        return
    method, listed = about.child_by_field_name("method"), about.child_by_field_name("arguments")
    if method is not None and listed is not None and text_of(method) in _READERS:
        for each in listed.named_children:
            if each.type == "simple_symbol":
                yield Binding(each, held, is_field=True)


def _behind(comment: Node) -> Node | None:
    """What follows the comment that a line of it belongs to, in the next line."""
    around = comment.parent
    if around is None:
        return None
    # Siblings are counted from the first one wherever a node is asked for the next: a class may
    # have tens of thousands of lines of comments.
    cursor = around.walk()
    cursor.goto_first_child_for_byte(comment.start_byte)
    last = comment
    for _ in range(MAX_LINES):
        if not cursor.goto_next_sibling():
            break
        node = cursor.node
        if node is None or not node.is_named:
            continue
        if node.start_point[0] - last.end_point[0] > 1:
            return None
        if node.type != "comment":
            return node
        last = node
    return None


def _about(comment: Node) -> Node | None:
    """The definition that a comment stands before."""
    node = _behind(comment)
    if node is not None and node.type == "body_statement":  # the first comment of a class
        node = node.named_children[0] if node.named_children else None
    method = node.child_by_field_name("method") if node is not None else None
    if node is not None and method is not None and text_of(method) in _VISIBILITY:
        listed = node.child_by_field_name("arguments")
        inner = listed.named_children[0] if listed is not None and listed.named_children else None
        return inner if inner is not None and inner.type in _METHODS else None
    return node


def _type(written: str) -> Expression | None:
    """What is said: one class, or many of one; None of several, and of the language's own."""
    parts = [part.strip() for part in re.split(r",(?![^<{(]*[>})])", written)]
    parts = [part for part in parts if part and part not in _NOTHING]
    if len(parts) != 1:
        return None
    if many := _MANY.fullmatch(parts[0]):
        held = _type(many[1])
        return collection_of(held) if held is not None and not held.steps else None
    if parts[0] in _OWN or not _CLASS.fullmatch(parts[0]):
        return instance(type_called("self")) if parts[0] == "self" else None
    return instance(type_called(parts[0].removeprefix("::").replace("::", ".")))
