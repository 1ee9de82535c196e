"""Methods of PHP that an array of an owner and a name stands for, which runs as a function does."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from surveyor.graph.expressions.model import Expression, Name
from surveyor.graph.extract.written_types import declared_type, expression_of, text_of

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["read"]


def read(array: Node) -> Iterator[tuple[Node, Expression, str]]:
    """`[$this, 'open']`, `[Box::class, 'open']`: (the text, what has the method, the method)."""
    held, text = (element.named_children[0] for element in array.named_children)
    name = text.named_children[0] if len(text.named_children) == 1 else None
    if name is None or not text_of(name).isidentifier():
        return
    owner = _owner(held)
    if owner is not None:
        yield name, owner, text_of(name)


def _owner(held: Node) -> Expression | None:
    if held.type == "variable_name":
        return expression_of(held)
    of, constant = held.named_children[0], held.named_children[-1]
    if text_of(constant) != "class":
        return None
    # self::class, static::class
    return Expression(Name("self")) if of.type == "relative_scope" else declared_type(of)
