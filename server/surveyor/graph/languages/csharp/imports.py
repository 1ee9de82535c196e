"""C#: `using A.B`, `global using A.B`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from surveyor.graph.expressions.keys import of_arity
from surveyor.graph.extract.type_arity import given_types
from surveyor.graph.languages.readers import PROJECT, Found, line, text
from surveyor.parsing.types import Import

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["read"]


_NAMES = ("qualified_name", "identifier", "alias_qualified_name", "generic_name")


def read(node: Node) -> Found:
    """`using A.B`, `using static A.B`, `using X = A.B`, and the same for a whole project."""
    alias_node = node.child_by_field_name("name")
    targets = [c for c in node.named_children if c.type in _NAMES and c != alias_node]
    if not targets:  # another name for a tuple or an array
        return [], []
    module = text(targets[-1]).partition("<")[0].removeprefix("global::")
    kind = PROJECT if any(child.type == "global" for child in node.children) else "static"
    names = (("*", "*"),)
    if alias_node is not None:
        module, _, name = module.rpartition(".")
        generic = targets[-1].child_by_field_name("name") or targets[-1]
        count = given_types(generic.named_children[0]) if generic.named_children else 0
        names = ((of_arity(name, count), text(alias_node)),)
    named: list[tuple[Node, str]] = []
    is_static = any(child.type == "static" for child in node.children)
    target = targets[-1]
    if (is_static or alias_node is not None) and target.type == "qualified_name":
        name_node, above = (
            target.child_by_field_name("name"),
            target.child_by_field_name("qualifier"),
        )
        if name_node is not None and name_node.type == "identifier":
            named.append((name_node, text(above).removeprefix("global::")))
    return [Import(module=module, names=names, line=line(node), kind=kind)], named
