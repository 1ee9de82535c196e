"""C#: `using A.B`, `global using A.B`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from surveyor.graph.expressions.keys import of_arity
from surveyor.graph.extract.type_arity import given_types
from surveyor.graph.languages.readers import PROJECT, Found, descend, line, text
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
    for each in descend(target, frozenset({"type_argument_list"})):
        named += _types_given(each)
    return [Import(module=module, names=names, line=line(node), kind=kind)], named


def _types_given(listed: Node) -> list[tuple[Node, str]]:
    """The types that another name's type is given, with their namespaces."""
    found: list[tuple[Node, str]] = []
    for each in listed.named_children:
        name, above = each.child_by_field_name("name"), each.child_by_field_name("qualifier")
        if each.type == "identifier":
            found.append((each, ""))
        elif name is not None and above is not None and name.type == "identifier":
            found.append((name, text(above).removeprefix("global::")))
    return found
