"""What a file says that it belongs to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from surveyor.graph.extract.written_types import text_of
from surveyor.graph.languages.traits import Traits

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["packages"]


def packages(clauses: Sequence[Node], traits: Traits) -> str:
    """What a file says that it belongs to, by its package clauses."""
    if traits.package_blocks:
        return ";".join(dict.fromkeys(_in_blocks(node, traits.package_blocks) for node in clauses))
    names = [_package(node) for node in clauses]
    return ".".join(names) if traits.nested_packages else next(filter(None, names), "")


def _in_blocks(clause: Node, blocks: tuple[str, ...]) -> str:
    """The full name of a package, with those of the blocks around it."""
    parts = [_package(clause)]
    around = clause.parent.parent if clause.parent is not None else None
    while around is not None:
        if around.type in blocks and (name := around.child_by_field_name("name")) is not None:
            parts.insert(0, _package(name))
        around = around.parent
    return ".".join(parts)


def _package(node: Node) -> str:
    """The dotted name in a package clause or namespace declaration."""
    words = text_of(node).replace("package", " ", 1).strip().rstrip(";").split()
    return words[-1].replace("\\", ".").replace("::", ".") if words else ""
