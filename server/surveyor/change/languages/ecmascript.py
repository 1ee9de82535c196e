"""JavaScript and TypeScript."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from surveyor.change.languages.reader import CallReader, Passed, text
from surveyor.change.signatures import CallParameter

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["READER"]


def _parameters(listed: Node) -> Iterator[CallParameter]:
    if listed.type == "identifier":  # a => a
        yield CallParameter(text(listed), "positional")
        return
    for child in listed.named_children:
        if child.type == "comment":
            continue
        pattern = child.child_by_field_name("pattern") or child
        if pattern.type == "this":
            continue
        if pattern.type == "rest_pattern":
            yield CallParameter(text(pattern.named_children[0]), "rest")
            continue
        has_default = child.type in ("optional_parameter", "assignment_pattern")
        has_default = has_default or child.child_by_field_name("value") is not None
        if child.type == "assignment_pattern":
            pattern = child.child_by_field_name("left") or pattern
        name = text(pattern) if pattern.type == "identifier" else ""
        yield CallParameter(name, "positional", is_required=not has_default)


def _argument(node: Node) -> Passed | None:
    return Passed(is_spread=node.type == "spread_element")


READER = CallReader(
    _parameters, _argument, constructor="constructor", bare_calls=frozenset({"new_expression"})
)
