"""Rust."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from surveyor.change.languages.reader import CallReader, Passed, field_text
from surveyor.change.signatures import CallParameter

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["READER"]


def _parameters(listed: Node) -> Iterator[CallParameter]:
    for child in listed.named_children:
        if child.type == "parameter":
            yield CallParameter(field_text(child, "pattern").removeprefix("mut "), "positional")
        elif child.type == "variadic_parameter":
            yield CallParameter("", "rest")


def _argument(node: Node) -> Passed | None:
    return None if node.type == "attribute_item" else Passed()


def _takes_instance(function: Node, listed: Node) -> bool:
    return any(child.type == "self_parameter" for child in listed.named_children)


READER = CallReader(
    _parameters,
    _argument,
    takes_instance=_takes_instance,
    wrappers=frozenset({"generic_function"}),
)
