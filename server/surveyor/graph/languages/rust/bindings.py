"""What Rust binds names to."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from surveyor.graph.expressions.keys import CALLED
from surveyor.graph.expressions.model import Element, Expression, Name
from surveyor.graph.extract.bindings import bindings_of as common_bindings
from surveyor.graph.extract.type_names import instance_of
from surveyor.graph.extract.written_types import declared_type, expression_of, text_of
from surveyor.graph.languages.readers import Binding
from surveyor.graph.languages.rust.closures import handed_by_function
from surveyor.graph.languages.rust.initializers import holder_of
from surveyor.parsing.macro_functions import functions_of_macros

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["bindings_of"]

_MAX_NESTING = 4
"""Patterns within patterns."""
_AROUND = frozenset({"mut_pattern", "ref_pattern", "reference_pattern", "match_pattern"})
_WRAPPING = frozenset({"Some", "Ok", "Ready"})
"""Variants that hold what an access goes through to (`extract.type_names`)."""
_STANDARD = frozenset({"Err", "None", "Pending", "Break", "Continue"})
"""Variants of the standard library's types: what they hold is not looked up."""
_WALKING = frozenset(
    {"for_each", "map", "filter", "filter_map", "flat_map", "find", "find_map", "any", "all",
     "position", "inspect", "take_while", "skip_while", "and_then", "map_or", "is_some_and",
     "is_ok_and", "retain", "partition", "max_by_key", "min_by_key", "sort_by_key", "map_while",
     "sort_unstable_by_key", "sort_by_cached_key", "binary_search_by_key", "binary_search_by",
     "partition_point", "retain_mut", "is_none_or", "try_for_each",
     "rposition"}
)  # fmt: skip
"""Methods of iterators, options and results that hand what is inside to a closure."""
_COMPARING = frozenset(
    {"sort_by", "sort_unstable_by", "max_by", "min_by", "dedup_by", "is_sorted_by", "reduce"}
)
"""Methods that hand a closure two elements."""
_FOLDING = frozenset({"fold", "try_fold", "scan"})
"""Methods of iterators that hand an element to a closure behind what was made so far."""


def bindings_of(node: Node) -> Iterator[Binding]:
    """The names that a `@bind` node gives a type or a value; fields have a name, no declarator."""
    field = node.child_by_field_name
    kind = node.type
    if kind == "field_declaration":
        whole = declared_type(field("type"))
        for name in node.children_by_field_name("name"):
            yield Binding(name, whole, is_field=True)
    elif kind == "type_item":
        alias, whole = field("name"), declared_type(field("type"))
        if alias is not None and whole is not None:
            yield Binding(alias, whole)
    elif kind in ("let_declaration", "let_condition"):
        pattern, value = field("pattern"), field("value")
        if pattern is not None:
            whole = declared_type(field("type")) or _value_of(value)
            yield from _matched(pattern, whole, value)
    elif kind == "match_arm":
        pattern, around = field("pattern"), node.parent and node.parent.parent
        if pattern is not None and around is not None:
            value = around.child_by_field_name("value")
            yield from _matched(pattern, expression_of(value), value)
    elif kind == "for_expression":
        pattern = field("pattern")
        if pattern is not None:
            yield from _walked(pattern, field("value"))
    elif kind == "ordered_field_declaration_list":
        yield from _held(node)
    elif kind == "source_file":
        for made in functions_of_macros(node, node.text or b""):
            if made.result:
                yield Binding(made.name, instance_of(made.result), place=CALLED)
    elif kind == "closure_expression":
        yield from _handed(node)
    else:
        yield from common_bindings(node)


def _value_of(value: Node | None, depth: int = 0) -> Expression | None:
    """What a `let` is given: of a block what it ends with, of several the first that says it."""
    if value is None or depth > _MAX_NESTING:
        return None
    kind = value.type
    if kind == "match_expression":
        body = value.child_by_field_name("body")
        arms = body.named_children if body is not None else []
        found = (_value_of_arm(value, arm, depth + 1) for arm in arms[:_MAX_ARMS])
        return next((each for each in found if each is not None), None)
    if kind == "if_expression":
        condition = value.child_by_field_name("condition")
        consequence = value.child_by_field_name("consequence")
        if condition is not None and condition.type == "let_condition":
            pattern = condition.child_by_field_name("pattern")
            last = _last(consequence)
            if last is not None and pattern is not None and _takes_out(pattern, last):
                return expression_of(condition.child_by_field_name("value"))
        alternative = value.child_by_field_name("alternative")
        return _value_of(consequence, depth + 1) or _value_of(alternative, depth + 1)
    if kind in _BLOCKS:
        return _value_of(_last(value), depth + 1)
    return expression_of(value)


_BLOCKS = frozenset({"block", "unsafe_block", "else_clause", "async_block", "const_block"})
_MAX_ARMS = 6
"""Cases of a `match` whose values count."""


def _last(block: Node | None) -> Node | None:
    """The value of a block: what it ends with, where no `;` is behind it."""
    parts = block.named_children if block is not None else []
    last = next((each for each in reversed(parts) if not each.type.endswith("_comment")), None)
    return None if last is None or last.type in _STATEMENTS else last


_STATEMENTS = frozenset({"expression_statement", "let_declaration"})


def _value_of_arm(whole: Node, arm: Node, depth: int) -> Expression | None:
    pattern, value = arm.child_by_field_name("pattern"), arm.child_by_field_name("value")
    if pattern is None or value is None:
        return None
    inner = pattern.named_children[0] if pattern.named_children else pattern
    if _takes_out(inner, value):
        return expression_of(whole.child_by_field_name("value"))
    names = {text_of(each) for each in _identifiers(inner)}
    found = _value_of(value, depth)
    # What the pattern binds is not known around the `match`.
    head = found.head if found is not None else None
    return None if type(head) is Name and head.name in names else found


def _takes_out(pattern: Node, value: Node) -> bool:
    """`Ok(box) => box`: whether what an access goes through to is taken out and given."""
    if pattern.type != "tuple_struct_pattern" or value.type != "identifier":
        return False
    called = pattern.child_by_field_name("type")
    inside = [each for _, each in _places(pattern) if each != called]
    last = text_of(called).rpartition("::")[2] if called is not None else ""
    return last in _WRAPPING and len(inside) == 1 and inside[0].text == value.text


def _identifiers(pattern: Node) -> Iterator[Node]:
    if pattern.type in ("identifier", "shorthand_field_identifier"):
        yield pattern
    for child in pattern.named_children:
        yield from _identifiers(child)


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
        inside = [(index, each) for index, each in _places(pattern) if each != called]
        last = text_of(called).rpartition("::")[2] if called is not None else ""
        if last in _WRAPPING:
            if len(inside) == 1:
                yield from _matched(inside[0][1], whole, None, depth + 1)
        elif last not in _STANDARD:
            yield from _held_by(expression_of(called), inside, depth)
        else:
            for _, child in inside:
                if child.type in ("struct_pattern", "tuple_struct_pattern"):
                    yield from _matched(child, None, None, depth + 1)
    elif kind == "struct_pattern":
        yield from _fields(pattern, depth)


def _places(pattern: Node) -> Iterator[tuple[int, Node]]:
    """What stands at each place of a pattern: `_` is no node with a name, but takes one."""
    place = 0
    for child in pattern.children:
        if child.type == ",":
            place += 1
        elif child.is_named:
            yield place, child


def _held_by(
    variant: Expression | None, inside: list[tuple[int, Node]], depth: int
) -> Iterator[Binding]:
    """`Shape::Box(lid, ..)`: what a variant or a tuple struct holds."""
    for index, child in inside if variant is not None else ():
        if child.type == "remaining_field_pattern" or variant is None:
            return
        yield from _matched(child, variant.member(str(index)), None, depth + 1)


def _held(listed: Node) -> Iterator[Binding]:
    """`struct Meters(Length)`, `Shape::Box(Lid, Size)`: what is held at each place."""
    name = listed.parent.child_by_field_name("name") if listed.parent is not None else None
    for index, declared in enumerate(listed.children_by_field_name("type")):
        if name is not None:
            yield Binding(name, declared_type(declared), place=str(index))


def _taken_apart(
    pattern: Node, whole: Expression | None, value: Node | None, depth: int
) -> Iterator[Binding]:
    values = value.named_children if value is not None and value.type == "tuple_expression" else []
    for index, child in _places(pattern):
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
    owner = holder_of(pattern.child_by_field_name("type"))
    for child in pattern.named_children if owner is not None else ():
        name = child.child_by_field_name("name")
        if child.type != "field_pattern" or name is None or owner is None:
            continue
        member = owner.member(text_of(name))
        inner = child.child_by_field_name("pattern")
        if inner is not None:
            yield from _matched(inner, member, None, depth + 1)
        else:
            yield Binding(name, member, key=name, owner=owner)


def _handed(closure: Node) -> Iterator[Binding]:
    """`many.iter().map(|each| …)`: what a closure is handed by the methods that walk, and by the
    project's functions that say it."""
    arguments = closure.parent
    call = arguments.parent if arguments is not None else None
    function = call.child_by_field_name("function") if call is not None else None
    listed = closure.child_by_field_name("parameters")
    if function is None or listed is None:
        return
    field = function.child_by_field_name("field") if function.type == "field_expression" else None
    name = text_of(field) if field is not None else ""
    patterns, on = listed.named_children, function.child_by_field_name("value")
    if name in _WALKING and len(patterns) == 1:
        yield from _walked(patterns[0], on)
    elif name in _COMPARING:
        for pattern in patterns:
            yield from _walked(pattern, on)
    elif name in _FOLDING and len(patterns) == 2:
        yield from _walked(patterns[1], on)
    else:
        for pattern, value in handed_by_function(closure):
            yield from _matched(pattern, value, None)


def _walked(pattern: Node, value: Node | None, depth: int = 0) -> Iterator[Binding]:
    """One element of what is walked through; `enumerate` and `zip` give two things at once."""
    called = value.child_by_field_name("function") if value is not None else None
    field = called.child_by_field_name("field") if called is not None else None
    name = text_of(field) if field is not None else ""
    if pattern.type == "tuple_pattern" and name in ("enumerate", "zip") and depth < _MAX_NESTING:
        assert called is not None and value is not None
        arguments = value.child_by_field_name("arguments")
        other = arguments.named_children[0] if arguments and arguments.named_children else None
        on = called.child_by_field_name("value")
        each = (None, on) if name == "enumerate" else (on, other)
        for place, child in _places(pattern):
            if place < len(each) and (of := each[place]) is not None:
                yield from _walked(child, of, depth + 1)
        return
    whole = expression_of(value)
    if whole is not None:
        yield from _matched(pattern, whole.then(Element()), None)
