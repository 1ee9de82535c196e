"""What Lua binds names to."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from surveyor.graph.languages.lua.values import value
from surveyor.graph.languages.readers import Binding

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["bindings_of"]


def bindings_of(node: Node) -> Iterator[Binding]:
    """`a, b = x, y`: each name with its value; fields of tables have none of their own."""
    listed = {child.type: child for child in node.named_children}
    names, values = listed.get("variable_list"), listed.get("expression_list")
    if names is None or values is None:
        return
    for name, given in zip(names.named_children, values.named_children, strict=False):
        if name.type == "identifier":
            yield Binding(name, value(given))
