"""Zig: `@import("file.zig")`, `@import("package")`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from surveyor.graph.languages.readers import NOT_CONSTANT, Found, line, text
from surveyor.graph.languages.zig.values import alias_of, imported
from surveyor.parsing.types import Import

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["read"]


def read(node: Node) -> Found:
    """The call of `@import`: under a name that stands for it, and under that of the constant.

    `const Box = @import("box.zig").Box` binds what the file has of that name, and
    `usingnamespace @import("box.zig")` all of it.
    """
    module = imported(node)
    if not module:
        source = text(node.next_named_sibling).strip("()")
        found = Import(source, line=line(node), kind="dynamic", unresolved_reason=NOT_CONSTANT)
        return [found], []
    where = line(node)
    whole = Import(module, alias=alias_of(module), line=where)
    chain = node.parent
    around = chain.parent.parent if chain is not None and chain.parent is not None else None
    if chain is None or around is None:
        return [whole], []
    members = [child for child in chain.named_children if child.type == "FieldOrFnCall"]
    bound = around.child_by_field_name("variable_type_function")
    if around.type == "VarDecl" and bound is not None and len(members) <= 1:
        if not members:
            return [whole, Import(module, alias=text(bound), line=where)], []
        name = members[0].child_by_field_name("field_access")
        if name is not None:
            pairs = ((text(name), text(bound)),)
            return [whole, Import(module, pairs, line=where)], [(name, module)]
    if around.type == "Decl" and text(around).lstrip().startswith(("usingnamespace", "pub using")):
        return [whole, Import(module, (("*", "*"),), line=where)], []
    return [whole], []
