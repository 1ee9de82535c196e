"""Julia: using, import and include."""

from __future__ import annotations

from typing import TYPE_CHECKING

from surveyor.graph.languages.readers import NOT_CONSTANT, Found, descend, line, text
from surveyor.parsing.types import Import

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["read"]

ALL = (("*", "*"),)


def read(node: Node) -> Found:
    """`using A, B.C`, `import A: f, g`, `import A as B`, `include("a.jl")`."""
    if node.type == "call_expression":
        return _included(node)
    found: list[Import] = []
    said: list[tuple[Node, str]] = []
    for child in node.named_children:
        if child.type == "selected_import":
            module, *names = child.named_children
            pairs = tuple((text(_first(name)), text(_last(name))) for name in names)
            found.append(Import(text(module), pairs, line=line(node)))
            said += [(_first(name), text(module)) for name in names]
        elif child.type == "import_alias":
            module, alias = child.named_children[0], child.named_children[-1]
            found.append(Import(text(module), alias=text(alias), line=line(node)))
        elif child.type in ("identifier", "import_path", "scoped_identifier"):
            found.append(Import(text(child), ALL, line=line(node)))
            if child.type == "import_path" and (name := _last(child)).type == "identifier":
                said.append((name, text(child)[: -len(text(name))].rstrip(".") or "."))
    return found, said


def _first(named: Node) -> Node:
    """The name that `f as g` imports."""
    return named.named_children[0] if named.type == "import_alias" else named


def _last(named: Node) -> Node:
    return named.named_children[-1] if named.named_children else named


def _included(node: Node) -> Found:
    literal = next(descend(node, frozenset({"content"})), None)
    if literal is None:
        source = text(node.named_children[-1]).strip("()")
        return [Import(source, line=line(node), kind="dynamic", unresolved_reason=NOT_CONSTANT)], []
    return [Import(text(literal), ALL, line=line(node))], []
