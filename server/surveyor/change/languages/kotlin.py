"""Kotlin, whose grammar names no parts of its nodes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from surveyor.change.languages.reader import CallReader, Passed, child_of, text
from surveyor.change.signatures import CallParameter

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["READER"]

_ONE = frozenset({"parameter", "class_parameter"})


def _parameters(listed: Node) -> Iterator[CallParameter]:
    rest = False
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
            yield CallParameter(name, "rest" if rest else "any", is_required=not has_default)
            rest = False


def _argument(node: Node) -> Passed | None:
    if node.type != "value_argument":
        return None
    if any(child.type == "=" for child in node.children):
        return Passed(text(node.named_children[0]))
    return Passed(is_spread=child_of(node, "spread_expression") is not None)


READER = CallReader(
    _parameters,
    _argument,
    lists=("function_value_parameters", "primary_constructor"),
    grammar_has_gaps=True,
)
