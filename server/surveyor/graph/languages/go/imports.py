"""Go: `import name "path"`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from surveyor.graph.languages.readers import Found, line, string_value, text
from surveyor.parsing.types import Import

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["read"]


def read(node: Node) -> Found:
    """`import name "path"`; a dot imports all names, an underscore none."""
    module = string_value(node.child_by_field_name("path"))
    alias = text(node.child_by_field_name("name"))
    names = (("*", "*"),) if alias == "." else ()
    return [
        Import(
            module=module, alias="" if alias in (".", "_") else alias, names=names, line=line(node)
        )
    ], []
