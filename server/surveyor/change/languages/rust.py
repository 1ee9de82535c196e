"""Rust."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from surveyor.change.languages.reader import CallReader, Passed, field_text, text
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


_UNCOUNTED = frozenset({"|", "<", "||"})
"""Commas behind these separate parameters of a closure or types, not arguments."""


def _in_tokens(name: Node) -> int:
    """`assert!(f(1, 2))`: what a macro is given are tokens, brackets within brackets."""
    given = name.next_sibling
    if name.parent is None or name.parent.type != "token_tree" or given is None:
        return -1
    tokens = given.children
    if given.type != "token_tree" or len(tokens) < 2 or tokens[0].type != "(":
        return -1
    inside = tokens[1:-1]
    if any(text(token) in _UNCOUNTED for token in inside):
        return -1
    while inside and text(inside[-1]) == ",":
        inside.pop()
    return sum(text(token) == "," for token in inside) + 1 if inside else 0


READER = CallReader(
    _parameters,
    _argument,
    takes_instance=_takes_instance,
    in_tokens=_in_tokens,
    wrappers=frozenset({"generic_function"}),
)
