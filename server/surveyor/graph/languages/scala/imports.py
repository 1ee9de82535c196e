"""Scala: `import a.b.{C, D => E, _}`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from surveyor.graph.languages.readers import Found, line, text
from surveyor.parsing.types import Import

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["read"]

ALL = (("*", "*"),)


def read(node: Node) -> Found:
    """The imports of a statement; several may stand in one, after commas."""
    imports: list[Import] = []
    named: list[tuple[Node, str]] = []
    path: list[Node] = []
    for child in node.children:
        if child.type == "identifier":
            path.append(child)
        elif child.type == ",":
            _one(node, path, imports, named)
            path = []
        elif child.type in ("namespace_wildcard", "namespace_selectors"):
            module = ".".join(text(part) for part in path)
            if path:  # an object, whose names are imported
                named.append((path[-1], ".".join(text(part) for part in path[:-1])))
            path = []
            if child.type == "namespace_wildcard":
                imports.append(Import(module, ALL, line=line(node)))
            else:
                _selected(child, module, imports, named)
        elif child.type == "as_renamed_identifier":
            module = ".".join(text(part) for part in path)
            path = []
            _renamed(child, module, imports, named)
    _one(node, path, imports, named)
    return imports, named


def _one(
    node: Node, path: list[Node], imports: list[Import], named: list[tuple[Node, str]]
) -> None:
    if path:
        *above, last = path
        module = ".".join(text(part) for part in above)
        imports.append(Import(module, ((text(last), text(last)),), line=line(node)))
        named.append((last, module))


def _selected(
    selectors: Node, module: str, imports: list[Import], named: list[tuple[Node, str]]
) -> None:
    for child in selectors.named_children:
        if child.type == "identifier":
            name = text(child)
            imports.append(Import(module, ((name, name),), line=line(child)))
            named.append((child, module))
        elif child.type == "namespace_wildcard":
            imports.append(Import(module, ALL, line=line(child)))
        else:
            _renamed(child, module, imports, named)


def _renamed(
    renamed: Node, module: str, imports: list[Import], named: list[tuple[Node, str]]
) -> None:
    name, alias = renamed.child_by_field_name("name"), renamed.child_by_field_name("alias")
    if name is not None and alias is not None and text(alias) != "_":
        imports.append(Import(module, ((text(name), text(alias)),), line=line(renamed)))
        named.append((name, module))
