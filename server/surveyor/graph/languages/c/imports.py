"""C and C++: `#include`, `using`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from surveyor.graph.languages.readers import NOT_CONSTANT, Found, descend, line, text
from surveyor.parsing.types import Import

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["read"]


def read(node: Node) -> Found:
    """`#include`, and C++'s `using a::b`, `using namespace a` and `namespace b = a`."""
    if node.type == "preproc_include":
        path = text(node.child_by_field_name("path"))
        if path[:1] not in ('"', "<"):
            return [_by_macro(node, path)], []
        return [Import(module=path, names=(("*", "*"),), line=line(node))], []
    target = node.named_children[-1] if node.named_children else None
    full = text(target)
    if node.type == "namespace_alias_definition":
        alias = text(node.child_by_field_name("name"))
        return [Import(module=full, alias=alias, line=line(node), kind="namespace")], []
    if any(child.type == "namespace" for child in node.children):
        return [Import(module=full, names=(("*", "*"),), line=line(node), kind="namespace")], []
    module, _, name = full.rpartition("::")
    leaf = target
    while leaf is not None and leaf.type == "qualified_identifier":
        leaf = leaf.child_by_field_name("name")
    named = [(leaf, module)] if leaf is not None and module else []
    return [Import(module=module, names=((name, name),), line=line(node), kind="namespace")], named


def _by_macro(node: Node, macro: str) -> Import:
    """`#include IMPL_HEADER`: what the file says that the macro stands for."""
    root = node
    while root.parent is not None:
        root = root.parent
    for each in descend(root, frozenset({"preproc_def"})):
        said = text(each.child_by_field_name("value")).strip()
        if text(each.child_by_field_name("name")) == macro and said[:1] in ('"', "<"):
            return Import(module=said, names=(("*", "*"),), line=line(node))
    return Import(macro, line=line(node), kind="dynamic", unresolved_reason=NOT_CONSTANT)
