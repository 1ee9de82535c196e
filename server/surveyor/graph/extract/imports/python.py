"""Python: `import a.b as c`, `from ..a import b as c`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from surveyor.graph.extract.imports.common import Found, line, text
from surveyor.parsing.types import Import

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["read"]


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
