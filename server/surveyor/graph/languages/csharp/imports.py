"""C#: `using A.B`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from surveyor.graph.languages.readers import Found, line, text
from surveyor.parsing.types import Import

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["read"]


def read(node: Node) -> Found:
    """`using A.B`, `using static A.B`, `using X = A.B`."""
    alias_node = node.child_by_field_name("name")
    target = next(
        (c for c in reversed(node.named_children)
         if c.type in ("qualified_name", "identifier", "alias_qualified_name", "generic_name")),
        None,
    )  # fmt: skip
    module = text(target)
    if alias_node is not None:
        scope, _, name = module.rpartition(".")
        return [Import(module=scope, names=((name, text(alias_node)),), line=line(node))], []
    return [Import(module=module, names=(("*", "*"),), line=line(node))], []
