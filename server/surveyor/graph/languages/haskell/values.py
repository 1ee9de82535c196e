"""What names of Haskell are qualified with."""

from __future__ import annotations

from typing import TYPE_CHECKING

from surveyor.graph.expressions.model import Expression, Name
from surveyor.graph.languages.readers import descend, text

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["alias_of", "implemented", "receiver"]


def alias_of(module: str) -> str:
    """The name that stands for a module before a dot."""
    return "module$" + module.rstrip(".").replace(".", "$")


def receiver(name: Node) -> Expression | None:
    """The module before `M.name`."""
    around = name.parent
    module = around.child_by_field_name("module") if around is not None else None
    return Expression(Name(alias_of(text(module)))) if module is not None else None


def implemented(node: Node) -> tuple[str, list[Node]]:
    """The type that an instance is of, and the class."""
    name, patterns = node.child_by_field_name("name"), node.child_by_field_name("patterns")
    if name is None or patterns is None:
        return "", []
    if name.type == "qualified":
        name = name.child_by_field_name("id")
    of = next(descend(patterns, frozenset({"name"})), None)
    before = receiver(of) if of is not None else None
    wanted = before.member(text(of)).text if before is not None else text(of)
    return wanted, [name] if name is not None and name.type == "name" else []
