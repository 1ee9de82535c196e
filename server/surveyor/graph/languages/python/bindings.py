"""What Python binds names to."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from surveyor.graph.expressions.model import Element, Expression
from surveyor.graph.extract.bindings import LOOPS, assigned, looped
from surveyor.graph.extract.tables import element_key, elements_of
from surveyor.graph.extract.written_types import declared_type, expression_of, text_of
from surveyor.graph.languages.python.records import related, reversed_relation
from surveyor.graph.languages.readers import Binding
from surveyor.parsing.children import first_named

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["bindings_of"]

_PATTERNS = frozenset({"pattern_list", "tuple_pattern", "list_pattern"})
_SEQUENCES = frozenset({"expression_list", "tuple", "list"})
_MAX_NESTING = 4
"""Patterns within patterns."""


def bindings_of(node: Node) -> Iterator[Binding]:
    """The names that a `@bind` node gives a type or a value."""
    kind = node.type
    field = node.child_by_field_name
    if kind in LOOPS:
        yield from looped(node)
    elif kind == "assignment":
        left, right = field("left"), field("right")
        if left is None:
            return
        written = field("type")
        if written is not None and text_of(written).endswith("TypeAlias"):
            written = None
        value = declared_type(written) or expression_of(right)
        if left.type == "identifier" and _is_in_class(node):
            held = related(right)
            yield Binding(left, held or value, is_field=True)
            if held is not None and (given := reversed_relation(left, right)) is not None:
                yield given
        else:
            yield from _assigned(left, right, value)
    elif kind == "type_alias_statement":
        name, whole = _alias(field("left")), field("right")
        if name is not None:
            yield Binding(name, declared_type(whole))
    elif kind == "as_pattern":
        alias = field("alias")
        if alias is not None and alias.named_children:
            yield Binding(alias.named_children[0], expression_of(node.named_children[0]))
        elif alias is None:
            yield from _captured(node)
    elif kind == "keyword_pattern":
        yield from _matched(node)
    elif kind == "named_expression":
        name = field("name")
        if name is not None:
            yield Binding(name, expression_of(field("value")))
    elif kind == "call":
        yield from _filled(node)
    else:
        name = field("name") or (node.named_children[0] if node.named_children else None)
        if name is not None and name.type == "identifier":
            yield Binding(name, declared_type(field("type")))


def _captured(pattern: Node) -> Iterator[Binding]:
    """`case Box() as box`."""
    first, name = pattern.named_children[0], pattern.named_children[-1]
    if first.type == "case_pattern" and name.type == "identifier":
        yield Binding(name, _class_of(first_named(first)))


def _matched(pattern: Node) -> Iterator[Binding]:
    """`case Box(lid=name)`: a member of the class, and what it is called here."""
    around = pattern.parent
    while around is not None and around.type in ("case_pattern", "as_pattern"):
        around = around.parent
    owner = _class_of(around)
    key, held = pattern.named_children[0], pattern.named_children[-1]
    if owner is None or key.type != "identifier":
        return
    name = first_named(held) if held.type == "dotted_name" else None
    if name is None or held.named_child_count > 1:
        yield Binding(key, None, key=key, owner=owner)
    else:
        yield Binding(name, owner.member(text_of(key)), key=key, owner=owner)


def _class_of(pattern: Node | None) -> Expression | None:
    """An instance of the class that a pattern matches."""
    if pattern is None or pattern.type != "class_pattern":
        return None
    return declared_type(first_named(pattern))


def _is_in_class(assignment: Node) -> bool:
    parent = assignment.parent
    if parent is not None and parent.type == "expression_statement":
        parent = parent.parent
    holder = parent.parent if parent is not None and parent.type == "block" else None
    return holder is not None and holder.type == "class_definition"


def _assigned(
    left: Node, right: Node | None, value: Expression | None, depth: int = 0
) -> Iterator[Binding]:
    """`a, (b, c) = f, pair`, `table["key"] = f`, or one name."""
    if left.type in _PATTERNS:
        if depth < _MAX_NESTING:
            yield from _taken_apart(left, right, value, depth)
    elif left.type == "subscript":
        whole, key = left.child_by_field_name("value"), left.child_by_field_name("subscript")
        if whole is not None and key is not None:
            yield Binding(whole, value, element=element_key(key))
    else:
        yield from assigned(left, value)


def _taken_apart(
    pattern: Node, right: Node | None, value: Expression | None, depth: int
) -> Iterator[Binding]:
    targets = pattern.named_children
    values = elements_of(right) if right is not None and right.type in _SEQUENCES else []
    starred = next((i for i, t in enumerate(targets) if t.type == "list_splat_pattern"), -1)
    for index, target in enumerate(targets):
        if starred >= 0 and index >= starred:
            index = index - len(targets) + (len(values) or len(targets))
            if target.type == "list_splat_pattern" or not values:
                continue
        if values:
            if 0 <= index < len(values):
                yield from _assigned(target, values[index], expression_of(values[index]), depth + 1)
        elif value is not None:
            yield from _assigned(target, None, value.then(Element(str(index))), depth + 1)


def _filled(call: Node) -> Iterator[Binding]:
    """`handlers.append(f)`: what is put into a list."""
    function, arguments = (
        call.child_by_field_name("function"),
        call.child_by_field_name("arguments"),
    )
    whole = function.child_by_field_name("object") if function is not None else None
    given = arguments.named_children if arguments is not None else []
    if whole is not None and len(given) == 1:
        yield Binding(whole, expression_of(given[0]), element="")


def _alias(written: Node | None) -> Node | None:
    """The name of `type Pair[T] = …`."""
    name = written.named_children[0] if written is not None else None
    if name is not None and name.type == "generic_type":
        name = name.named_children[0]
    return name if name is not None and name.type == "identifier" else None
