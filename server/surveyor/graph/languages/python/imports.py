"""Python: `import a.b as c`, `from ..a import b as c`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from surveyor.graph.languages.readers import Found, line, text
from surveyor.parsing.types import Import

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["heads", "read", "read_local"]


def read(node: Node) -> Found:
    """Imports of one statement. `__future__` is none."""
    imports: list[Import] = []
    named: list[tuple[Node, str]] = []
    if node.type == "import_statement":
        for item in node.children_by_field_name("name"):
            if item.type == "aliased_import":
                module = text(item.child_by_field_name("name"))
                alias = text(item.child_by_field_name("alias"))
            else:
                module, alias = text(item), ""
            imports.append(Import(module=module, alias=alias, line=line(node)))
    elif node.type == "import_from_statement":
        module = text(node.child_by_field_name("module_name")).replace(" ", "")
        names: list[tuple[str, str]] = []
        for item in node.children_by_field_name("name"):
            source, target = item, item
            if item.type == "aliased_import":
                source = item.child_by_field_name("name") or item
                target = item.child_by_field_name("alias") or item
            names.append((text(source), text(target)))
            named.append((source, module))
        if any(child.type == "wildcard_import" for child in node.children):
            names.append(("*", "*"))
        imports.append(Import(module=module, names=tuple(names), line=line(node)))
    return imports, named


def read_local(node: Node) -> Iterator[tuple[str, str, str]]:
    """(name here, module or nothing, name there) of each name that a statement imports."""
    module = text(node.child_by_field_name("module_name"))
    for name in node.children_by_field_name("name"):
        alias = text(name.child_by_field_name("alias") or name)
        yield alias, module, text(name.child_by_field_name("name") or name)


def heads(module: str) -> list[str]:
    """`import a.b` binds `a`."""
    return [module.split(".")[0]]
