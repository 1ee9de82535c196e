"""PHP: use, require and include."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from surveyor.graph.languages.readers import NOT_CONSTANT, Found, line, text
from surveyor.parsing.types import Import

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["read"]

_LEVELS = re.compile(r",\s*(\d+)\s*\)")
"""The second argument of `dirname`."""


def read(node: Node) -> Found:
    """`use A\\B as C`, groups of it, and require/include with `__DIR__ . 'path'`."""
    if node.type != "namespace_use_declaration":
        source = text(node)
        literals = re.findall(r"['\"]([^'\"]+)['\"]", source)
        if not literals or re.search(r"\$", source):
            return [
                Import(
                    module=source, line=line(node), kind="dynamic", unresolved_reason=NOT_CONSTANT
                )
            ], []
        module = "".join(literals)
        if "__DIR__" in source or "dirname(" in source:
            ups = source.count("dirname(") - ("__FILE__" in source)
            ups += sum(int(levels) - 1 for levels in _LEVELS.findall(source))
            module = "./" + "../" * max(ups, 0) + module.lstrip("/")
        return [Import(module=module, names=(("*", "*"),), line=line(node))], []
    imports: list[Import] = []
    named: list[tuple[Node, str]] = []
    prefix = ""
    group = node.child_by_field_name("body")
    if group is not None:
        prefix = text(next((c for c in node.named_children if c.type == "namespace_name"), None))
    for clause in (group or node).named_children:
        if clause.type != "namespace_use_clause":
            continue
        alias = text(clause.child_by_field_name("alias"))
        target = next(
            (c for c in clause.named_children if c.type in ("qualified_name", "name")), None
        )
        full = "\\".join(part for part in (prefix, text(target).lstrip("\\")) if part)
        module, _, name = full.replace("\\", ".").rpartition(".")
        imports.append(Import(module=module, names=((name, alias or name),), line=line(node)))
        if target is not None:
            last = target.named_children[-1] if target.type == "qualified_name" else target
            named.append((last, module))
    return imports, named
