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
        return [Import(module=full, names=(("*", "*"),), line=line(node))], _types_in(path)
    module, _, name = full.rpartition(".")
    name_node = path.child_by_field_name("name") if path is not None else None
    named = [(name_node, module)] if name_node is not None else []
    named += _types_in(path.child_by_field_name("scope")) if path is not None else []
    return [Import(module=module, names=((name, name),), line=line(node))], named


def _types_in(path: Node | None) -> list[tuple[Node, str]]:
    """The types that a path leads through, by their capitals, each with what it is in."""
    found: list[tuple[Node, str]] = []
    while path is not None:
        name, scope = path.child_by_field_name("name"), path.child_by_field_name("scope")
        if name is None or not text(name)[:1].isupper():
            break
        found.append((name, text(scope)))
        path = scope
    return found
