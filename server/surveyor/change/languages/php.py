"""PHP."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from surveyor.change.languages.reader import (
    CallReader,
    HandedTo,
    Passed,
    child_of,
    field_text,
    text,
)
from surveyor.change.languages.results import ResultUses
from surveyor.change.signatures import CallParameter

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["READER"]

_ONE = frozenset({"simple_parameter", "property_promotion_parameter"})


def _parameters(listed: Node) -> Iterator[CallParameter]:
    for child in listed.named_children:
        name = field_text(child, "name").lstrip("$")
        if child.type in _ONE:
            has_default = child.child_by_field_name("default_value") is not None
            yield CallParameter(name, is_required=not has_default)
        elif child.type == "variadic_parameter":
            yield CallParameter(name, "rest")
    function = listed.parent
    if function is not None and "func_get_arg" in field_text(function, "body"):
        yield CallParameter("", "rest")


def _argument(node: Node) -> Passed | None:
    if node.type != "argument":
        return Passed(is_spread=True)  # f(...), a function made of f
    spread = child_of(node, "variadic_unpacking") is not None
    return Passed(field_text(node, "name"), is_spread=spread)


def _results(function: Node) -> int:
    return 0 if field_text(function, "return_type") == "void" else -1


def _handed_to(call: Node) -> HandedTo:
    """`new static(1)`, which is of the class itself or of one below it."""
    return "own" if text(child_of(call, "name")) == "static" else ""


def _function_value(name: Node) -> Node:
    """`f(...)`, `$box->put(...)`."""
    call = name.parent
    listed = call.child_by_field_name("arguments") if call is not None else None
    if call is None or listed is None or child_of(listed, "variadic_placeholder") is None:
        return name
    return call


READER = CallReader(
    _parameters,
    _argument,
    results=_results,
    result_uses=ResultUses(),
    arguments=("arguments",),
    constructor="__construct",
    bare_calls=frozenset({"object_creation_expression"}),
    handing_on=frozenset({"object_creation_expression"}),
    handed_to=_handed_to,
    inherits_constructor=True,
    function_value=_function_value,
)
