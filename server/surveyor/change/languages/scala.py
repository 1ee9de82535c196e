"""Scala, as far as overloads are told apart: by what their first list takes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from surveyor.change.languages.reader import (
    CallReader,
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

_FOUND = re.compile(r"\(\s*(?:implicit|using)\b")
_ONE = frozenset({"parameter", "class_parameter"})


def _parameters(listed: Node) -> Iterator[CallParameter]:
    """What the compiler finds by itself is hardly ever passed."""
    is_found = _FOUND.match(text(listed)) is not None
    for child in listed.named_children if not is_found else ():
        if child.type not in _ONE:
            continue
        type_ = child.child_by_field_name("type")
        rest = type_ is not None and type_.type == "repeated_parameter_type"
        is_required = child.child_by_field_name("default_value") is None
        yield CallParameter(
            field_text(child, "name"),
            "rest" if rest else "any",
            is_required and not rest,
            "".join(text(type_).split()).removesuffix("*"),
        )


def _argument(node: Node) -> Passed | None:
    if node.type == "assignment_expression":
        return Passed(field_text(node, "left"))
    is_typed = node.type == "ascription_expression"
    spread = child_of(node, "repeated_parameter_type") if is_typed else None
    return Passed(is_spread=spread is not None or node.type == "vararg")


def _fields(definition: Node) -> list[CallParameter] | None:
    """A method without a list takes nothing."""
    is_method = definition.type in ("function_definition", "function_declaration")
    return [] if is_method and definition.child_by_field_name("parameters") is None else None


READER = CallReader(
    _parameters,
    _argument,
    is_private=is_marked_private,
    fields=_fields,
    result_uses=ResultUses(),
    lists=("class_parameters",),
    wrappers=frozenset({"generic_function"}),
    block_arguments=frozenset({"block", "case_block", "indented_block", "colon_argument"}),
    one_passed=frozenset({"infix_expression"}),
    grammar_has_gaps=True,
)
