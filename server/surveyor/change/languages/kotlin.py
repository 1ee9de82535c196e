"""Kotlin, whose grammar names no parts of its nodes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from surveyor.change.languages.reader import (
    CallReader,
    HandedTo,
    Passed,
    child_of,
    is_marked_private,
    text,
)
from surveyor.change.languages.results import ResultUses
from surveyor.change.signatures import CallParameter, ParameterKind

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["READER"]

_ONE = frozenset({"parameter", "class_parameter"})


def _parameters(listed: Node) -> Iterator[CallParameter]:
    rest, is_behind = False, False
    children = listed.children
    for number, child in enumerate(children):
        if child.type == "parameter_modifiers":
            rest = "vararg" in text(child).split()
        elif child.type in _ONE:
            following = children[number + 1].type if number + 1 < len(children) else ""
            has_default = "=" in (following, *(each.type for each in child.children))
            name = text(child_of(child, "simple_identifier"))
            modifiers = child_of(child, "modifiers", "parameter_modifiers")
            rest = rest or "vararg" in text(modifiers).split()
            kind: ParameterKind = "rest" if rest else "keyword" if is_behind else "any"
            written = text(child.named_children[-1]) if child.named_children else ""
            yield CallParameter(name, kind, not has_default, "".join(written.split()))
            rest, is_behind = False, is_behind or rest


def _argument(node: Node) -> Passed | None:
    if node.type != "value_argument":
        return None
    if any(child.type == "=" for child in node.children):
        return Passed(text(node.named_children[0]))
    return Passed(is_spread=child_of(node, "spread_expression") is not None)


def _results(function: Node) -> int:
    """Nothing where a body in braces has no type before it."""
    body = child_of(function, "function_body")
    if function.type != "function_declaration" or body is None or text(body)[:1] != "{":
        return -1
    listed = child_of(function, "function_value_parameters")
    said = [
        child for child in function.children
        if listed is not None and listed.end_byte <= child.start_byte < body.start_byte
        and (child.is_named or child.type == "dynamic") and child.type != "type_constraints"
    ]  # fmt: skip
    return 0 if not said or text(said[0]) == "Unit" else -1


def _handed_to(call: Node) -> HandedTo:
    """`this(1)`, `super(1)`, and the entries of an enum."""
    return "above" if any(child.type == "super" for child in call.children) else "own"


def _further_lists(name: Node) -> list[Node]:
    """Those of `constructor(a: Int) : this(a, 1)`."""
    body = child_of(name.parent, "class_body") if name.parent is not None else None
    constructors = [
        each
        for each in (body.named_children if body is not None else ())
        if each.type == "secondary_constructor"
    ]
    found = (child_of(each, "function_value_parameters") for each in constructors)
    return [each for each in found if each is not None]


READER = CallReader(
    _parameters,
    _argument,
    is_private=is_marked_private,
    results=_results,
    result_uses=ResultUses(),
    lists=("function_value_parameters", "primary_constructor"),
    arguments=("value_arguments",),
    further_lists=_further_lists,
    grammar_has_gaps=True,
    handing_on=frozenset({"constructor_delegation_call", "enum_entry"}),
    handed_to=_handed_to,
    blocks=frozenset({"statements"}),
    is_known_from_binding=True,
    invokers=frozenset({"invoke"}),
    one_passed=frozenset({"infix_expression"}),
    hands_by_arity=True,
)
