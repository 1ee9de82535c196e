"""Java."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from surveyor.change.languages.reader import (
    CallReader,
    HandedTo,
    Passed,
    child_of,
    field_text,
    is_marked_private,
    text,
)
from surveyor.change.languages.results import ResultUses
from surveyor.change.signatures import CallParameter

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["READER"]


def _parameters(listed: Node) -> Iterator[CallParameter]:
    for child in listed.named_children:
        if child.type == "formal_parameter":
            written = "".join(field_text(child, "type").split())
            yield CallParameter(field_text(child, "name"), "positional", type_name=written)
        elif child.type == "spread_parameter":
            name = child_of(child, "variable_declarator")
            said = [
                c
                for c in child.named_children
                if c.type not in ("modifiers", "variable_declarator")
            ]
            written = "".join(text(said[0]).split()) if said else ""
            named = field_text(name, "name") if name is not None else ""
            yield CallParameter(named, "rest", type_name=written)


def _argument(node: Node) -> Passed | None:
    return Passed()


def _results(method: Node) -> int:
    return 0 if field_text(method, "type") == "void" else -1


def _handed_to(call: Node) -> HandedTo:
    """`this(1)`, `super(1)`, and the constants of an enum."""
    return "above" if field_text(call, "constructor") == "super" else "own"


_TWO = re.compile(r"Comparator$|(?:To\w+)?Bi[A-Z]|Binary|\w+BinaryOperator$|Obj[A-Z]\w+Consumer$")
_NONE = re.compile(r"Runnable$|Callable$|\w*Supplier$")
_ONE = re.compile(r"\w*(?:Function|Predicate|Consumer|UnaryOperator)$")


def _taken_with(type_name: str) -> int:
    """Of the interfaces of `java.util.function` and their like."""
    for count, pattern in ((2, _TWO), (0, _NONE), (1, _ONE)):
        if pattern.match(type_name):
            return count
    return -1


READER = CallReader(
    _parameters,
    _argument,
    is_private=is_marked_private,
    wrappers=frozenset({"generic_type"}),
    results=_results,
    result_uses=ResultUses(
        using=frozenset({"return_statement"}),
    ),
    handing_on=frozenset({"explicit_constructor_invocation", "enum_constant"}),
    handed_to=_handed_to,
    blocks=frozenset({"block", "constructor_body", "for_statement", "switch_block"}),
    is_known_from_binding=True,
    hands_by_arity=True,
    taken_with=_taken_with,
)  # fmt: skip
