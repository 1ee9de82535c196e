"""Haskell: `import qualified A.B as C (d)`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from surveyor.graph.languages.haskell.values import alias_of
from surveyor.graph.languages.readers import Found, line, text
from surveyor.parsing.types import Import

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["read"]

ALL = (("*", "*"),)


def read(node: Node) -> Found:
    """What a module brings by itself, and the name that it goes by before a dot."""
    place, given = node.child_by_field_name("module"), node.child_by_field_name("alias")
    if place is None:
        return [], []
    module = text(place)
    words = {child.type for child in node.children}
    listed = node.child_by_field_name("names")
    shown: list[tuple[str, str]] = []
    named: list[tuple[Node, str]] = []
    for item in listed.named_children if listed is not None and "hiding" not in words else ():
        for name in _names(item):
            shown.append((text(name), text(name)))
            named.append((name, module))
    found = [Import(module, alias=alias_of(text(given) if given else module), line=line(node))]
    if "qualified" not in words:
        brings = ALL if listed is None or "hiding" in words else tuple(shown)
        if any(c.type == "children" for item in (listed.named_children if listed else ())
               for c in item.named_children):  # fmt: skip
            brings = ALL  # Box(..): constructors, fields and methods that are not named
        if brings:
            found.append(Import(module, brings, line=line(node)))
    return found, named


def _names(item: Node) -> list[Node]:
    return [c for c in item.named_children if c.type in ("variable", "name", "operator")]
