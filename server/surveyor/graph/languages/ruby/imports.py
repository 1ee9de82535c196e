"""Ruby: require and autoload."""

from __future__ import annotations

from typing import TYPE_CHECKING

from surveyor.graph.languages.readers import NOT_CONSTANT, Found, line, string_value, text
from surveyor.parsing.types import Import

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["read"]


def read(node: Node) -> Found:
    """`require`, `require_relative`, `load` and `autoload` with a literal path."""
    method = text(node.child_by_field_name("method"))
    arguments = node.child_by_field_name("arguments")
    literal = next(
        (c for c in reversed(arguments.named_children) if c.type == "string"), None
    ) if arguments else None  # fmt: skip
    if literal is None or any(c.type == "interpolation" for c in literal.named_children):
        if arguments is None:
            return [], []
        module = text(arguments).strip("()")
        return [
            Import(module=module, line=line(node), kind="dynamic", unresolved_reason=NOT_CONSTANT)
        ], []
    module = string_value(literal)
    if method == "require_relative" and not module.startswith("."):
        module = "./" + module
    return [Import(module=module, names=(("*", "*"),), line=line(node))], []
