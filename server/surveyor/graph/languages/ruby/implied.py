"""Methods of Ruby that are called, or handed over, by a symbol that is written out, and those that
`super` runs."""

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


_METHODS = ("method", "singleton_method")
_CLASSES = ("class", "module", "singleton_class")


def read(call: Node) -> Iterator[tuple[Node, Expression, str]]:
    """`box.send(:open)`, `&method(:open)`, `alias_method :unlock, :open`: (the symbol, what has the
    method, the method); `super`: (the word, the object as its base, the method around)."""
    if call.type == "super":
        yield from _overridden(call)
        return
    field = call.child_by_field_name
    called, listed, receiver = field("method"), field("arguments"), field("receiver")
    symbols = listed.named_children if listed is not None else []
    place = 1 if called is not None and text_of(called) == _ALIASING else 0
    if len(symbols) <= place or symbols[place].type != "simple_symbol":
        return
    owner = expression_of(receiver) if receiver is not None else Expression(Name("self"))
    if owner is not None:
        yield symbols[place], owner, text_of(symbols[place]).removeprefix(":")


def _overridden(word: Node) -> Iterator[tuple[Node, Expression, str]]:
    around = word.parent
    while around is not None and around.type not in (*_METHODS, *_CLASSES):
        around = around.parent
    name = around.child_by_field_name("name") if around is not None else None
    if around is not None and around.type in _METHODS and name is not None:
        yield word, Expression(Name("super")), text_of(name)
