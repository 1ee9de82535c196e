"""Haskell: `import qualified A.B as C (d)`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from surveyor.graph.languages.haskell.values import alias_of
from surveyor.graph.languages.readers import PRIVATE, Found, line, once_a_file, text
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
        named += [(member, module) for member in _members(item)]
    known_as = text(given) if given else module
    kind = "static" if _is_given_on(node, {known_as, module}, shown) else PRIVATE
    found = [Import(module, alias=alias_of(known_as), line=line(node), kind=kind)]
    if "qualified" not in words:
        brings = ALL if listed is None or "hiding" in words else tuple(shown)
        if any(c.type == "children" for item in (listed.named_children if listed else ())
               for c in item.named_children):  # fmt: skip
            brings = ALL  # Box(..): constructors, fields and methods that are not named
        if brings:
            found.append(Import(module, brings, line=line(node), kind=kind))
    return found, named


def _is_given_on(node: Node, known_as: set[str], shown: list[tuple[str, str]]) -> bool:
    """Whether who imports this module may find there what an import brings to it: where it offers
    that as a whole, or a name that it does not define itself."""
    root = node
    while root.parent is not None:
        root = root.parent
    offered = _offered(root)
    if offered is None:
        return False
    modules, names = offered
    if known_as & modules:
        return True
    return any(name in names for name, _ in shown) if shown else bool(names)


@once_a_file
def _offered(root: Node) -> tuple[frozenset[str], frozenset[str]] | None:
    """The modules that a file offers as a whole, and the names that it offers and does not define;
    None where it offers what it defines, and that alone."""
    header = next((child for child in root.children if child.type == "header"), None)
    listed = header.child_by_field_name("exports") if header is not None else None
    if listed is None:
        return None
    modules: set[str] = set()
    names: set[str] = set()
    for item in listed.named_children:
        if item.type == "module_export" and (module := item.child_by_field_name("module")):
            modules.add(text(module))
        elif item.type == "export":
            given = item.child_by_field_name("variable") or item.child_by_field_name("type")
            given = given or item.child_by_field_name("operator")
            names.update((text(given),) if given is not None else ())
    return frozenset(modules), frozenset(names - _defined(root))


def _defined(root: Node) -> set[str]:
    """What a module defines at its top level."""
    found: set[str] = set()
    for part in root.children:
        for each in part.named_children if part.type == "declarations" else ():
            one = each.child_by_field_name("name")
            several = each.child_by_field_name("names")
            listed = several.named_children if several is not None else ()
            found.update(text(name) for name in ([one] if one is not None else listed))
    return found


def _names(item: Node) -> list[Node]:
    """What an item of an import names: itself, as `(<+>)` too."""
    found = [c for c in item.named_children if c.type in ("variable", "name", "operator")]
    for each in item.named_children:
        if each.type == "prefix_id":
            found += [c for c in each.named_children if c.type == "operator"]
    return found


def _members(item: Node) -> list[Node]:
    """The constructors, fields and methods that an item names in brackets: `Box(open, Wide)`."""
    found: list[Node] = []
    for each in item.named_children:
        if each.type == "children":
            found += [c for c in each.named_children if c.type in ("variable", "constructor")]
    return found
