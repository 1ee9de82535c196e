"""Methods of Ruby that are called, or handed over, by a symbol that is written out."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from surveyor.graph.expressions.model import Expression, Name
from surveyor.graph.extract.written_types import expression_of, text_of

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["read"]

_ALIASING = "alias_method"
"""What is called second here is the method that there is."""


def read(call: Node) -> Iterator[tuple[Node, Expression, str]]:
    """`box.send(:open)`, `&method(:open)`, `alias_method :unlock, :open`: (the symbol, what has the
    method, the method)."""
    field = call.child_by_field_name
    called, listed, receiver = field("method"), field("arguments"), field("receiver")
    symbols = listed.named_children if listed is not None else []
    place = 1 if called is not None and text_of(called) == _ALIASING else 0
    if len(symbols) <= place or symbols[place].type != "simple_symbol":
        return
    owner = expression_of(receiver) if receiver is not None else Expression(Name("self"))
    if owner is not None:
        yield symbols[place], owner, text_of(symbols[place]).removeprefix(":")
