"""What calls of Elixir are members of: modules, by their names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from surveyor.graph.expressions.grammar import parse
from surveyor.graph.expressions.model import UNKNOWN, Expression, Name
from surveyor.graph.languages.readers import text

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["module_name", "receiver"]

_HERE = "__MODULE__"
_DEFINE = frozenset({"defmodule", "defprotocol", "defimpl"})


def receiver(name: Node) -> Expression | None:
    """What a function after a dot belongs to; nothing is known of what a variable holds."""
    dot = name.parent
    left = dot.child_by_field_name("left") if dot is not None else None
    if left is None:
        return None
    if left.type == "call":  # unquote(__MODULE__).run()
        arguments = left.named_children[-1]
        if text(left.child_by_field_name("target")) == "unquote" and arguments.named_children:
            left = arguments.named_children[0]
    if text(left) == _HERE:
        return Expression(Name(_HERE))
    module = module_name(left)
    return parse(module) if module else UNKNOWN


def module_name(node: Node) -> str:
    """The full name that is written at a node, with that of the module around for `__MODULE__`."""
    if node.type == "alias":
        return "".join(text(node).split())
    if node.type == "identifier" and text(node) == _HERE:
        return _around(node)
    if node.type == "dot":
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        before = module_name(left) if left is not None else ""
        after = module_name(right) if right is not None else ""
        return f"{before}.{after}" if before and after else ""
    return ""


def _around(node: Node) -> str:
    names: list[str] = []
    above = node.parent
    while above is not None:
        if above.type == "call" and text(above.child_by_field_name("target")) in _DEFINE:
            arguments = next((c for c in above.named_children if c.type == "arguments"), None)
            first = arguments.named_children[0] if arguments and arguments.named_children else None
            if first is not None and first.type == "alias":
                names.append(text(first))
        above = above.parent
    return ".".join(reversed(names))
