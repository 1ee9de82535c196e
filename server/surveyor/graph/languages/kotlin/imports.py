"""Kotlin: `import a.b.C as D`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from surveyor.graph.languages.readers import Found, line, text
from surveyor.parsing.types import Import

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["read"]

_COMPANION = "Companion"
"""What an object in a class is called that has no name: what it has is the class's."""


def read(node: Node) -> Found:
    """`import a.b.c`, `import a.b.c as d`, `import a.b.*`."""
    path = next((c for c in node.named_children if c.type == "identifier"), None)
    if path is None:
        return [], []
    parts = [text(part).strip("`") for part in path.named_children]
    parts = [part for part in parts[:-1] if part != _COMPANION] + parts[-1:]
    types = _types_in(path)
    if any(child.type == "wildcard_import" for child in node.children):
        return [Import(module=".".join(parts), names=(("*", "*"),), line=line(node))], types
    types = [each for each in types if each[0] != path.named_children[-1]]
    *package, name = parts
    alias = next((c for c in node.named_children if c.type == "import_alias"), None)
    local = text(alias.named_children[0]) if alias is not None else name
    module = ".".join(package)
    found = Import(module=module, names=((name, local),), line=line(node))
    return [found], [(path.named_children[-1], module), *types]


def _types_in(path: Node) -> list[tuple[Node, str]]:
    """The types that a path leads through, by their capitals, each with what it is in."""
    parts = path.named_children
    names = [text(part).strip("`") for part in parts]
    return [
        (part, ".".join(names[:index]))
        for index, part in enumerate(parts)
        if names[index][:1].isupper() and names[index] != _COMPANION
    ]
