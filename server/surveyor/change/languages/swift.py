"""Swift, as far as overloads are told apart: by labels, numbers and types of arguments."""

from __future__ import annotations

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
from surveyor.change.signatures import CallParameter, ParameterKind

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["READER"]

_UNNAMED = "_"


def _parameters(declaration: Node) -> Iterator[CallParameter]:
    children = declaration.children
    for number, child in enumerate(children):
        if child.type != "parameter":
            continue
        following = children[number + 1].type if number + 1 < len(children) else ""
        name = field_text(child, "name")
        label = field_text(child, "external_name") or name
        kind: ParameterKind = "positional" if label == _UNNAMED else "keyword"
        if any(each.type == "..." for each in child.children):
            kind = "rest" if label == _UNNAMED else "keyword"
        written = child.children[-1] if child.children else None
        yield CallParameter(
            name if label == _UNNAMED else label,
            kind,
            is_required=following != "=" and kind != "rest",
            type_name="".join(text(written).split()),
        )


def _argument(node: Node) -> Passed | None:
    if node.type != "value_argument":
        return None
    return Passed(text(child_of(node, "value_argument_label")))


READER = CallReader(
    _parameters,
    _argument,
    is_private=is_marked_private,
    result_uses=ResultUses(),
    arguments=("value_arguments",),
    own_lists=frozenset({"function_declaration", "init_declaration",
                         "protocol_function_declaration"}),
    block_outside=True,
    grammar_has_gaps=True,
)  # fmt: skip
