"""Java: `import a.b.C`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from surveyor.graph.languages.readers import Found, line, text
from surveyor.parsing.types import Import

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["read"]


def read(node: Node) -> Found:
    """`import a.b.C`, `import static a.B.c`, `import a.*`."""
    path = next(
        (c for c in node.named_children if c.type in ("scoped_identifier", "identifier")), None
    )
    full = text(path)
    if any(child.type == "asterisk" for child in node.children):
        return [Import(module=full, names=(("*", "*"),), line=line(node))], []
    module, _, name = full.rpartition(".")
    name_node = path.child_by_field_name("name") if path is not None else None
    named = [(name_node, module)] if name_node is not None else []
    return [Import(module=module, names=((name, name),), line=line(node))], named
