"""Methods of Ruby that are called, or handed over, by a symbol that is written out, and those that
`super` runs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from surveyor.graph.expressions.model import Expression, Name
from surveyor.graph.extract.written_types import expression_of
from surveyor.graph.languages.readers import text

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["read"]

_ALIASING = "alias_method"
"""What is called second here is the method that there is."""


_BY_SYMBOL = frozenset(
    {"alias_method", "autoload", "const_get", "instance_method", "method", "public_send",
     "send", "__send__"}
)  # fmt: skip
_CALLBACK = re.compile(
    r"(?:(?:skip|prepend|append)_)*(?:before|after|around)_[a-z_]+$|(?:validate|helper_method)$"
)
_SELF = Expression(Name("self"))
_METHODS = ("method", "singleton_method")
_CLASSES = ("class", "module", "singleton_class")


def read(call: Node) -> Iterator[tuple[Node, Expression, str]]:
    """`box.send(:open)`, `&method(:open)`, `alias_method :unlock, :open`, `delegate :lid, to: :b`,
    `before_action :load, if: :open?`: (the symbol, what has the method, the method); `super`: (the
    word, the object as its base, the method around)."""
    if call.type == "super":
        yield from _overridden(call)
        return
    field = call.child_by_field_name
    called, listed, receiver = text(field("method")), field("arguments"), field("receiver")
    given = listed.named_children if listed is not None else []
    owner = expression_of(receiver) if receiver is not None else _SELF
    if called == "delegate" or called.startswith("def_"):
        yield from _delegated(called, given)
    elif called in _BY_SYMBOL:
        place = 1 if called == _ALIASING else 0
        if owner is not None and len(given) > place and given[place].type == "simple_symbol":
            yield given[place], owner, _name(given[place])
    else:
        for each in given:
            if each.type == "simple_symbol" and _CALLBACK.match(called):
                yield each, _SELF, _name(each)
            elif each.type == "pair" and (value := _chosen(each)) is not None:
                yield value, _SELF, _name(value)


_CHOOSING = frozenset({"if", "unless", "with"})


def _chosen(pair: Node) -> Node | None:
    """The symbol of a method that decides, or is run: `if: :open?`."""
    key, value = pair.child_by_field_name("key"), pair.child_by_field_name("value")
    is_one = value is not None and value.type == "simple_symbol"
    return value if is_one and text(key).strip(":") in _CHOOSING else None


def _delegated(called: str, given: list[Node]) -> Iterator[tuple[Node, Expression, str]]:
    """What is handed on to another object, and the method that gives that."""
    symbols = [each for each in given if each.type == "simple_symbol"]
    if called == "delegate":
        pairs = (each for each in given if each.type == "pair")
        values = {text(p.child_by_field_name("key")): p.child_by_field_name("value") for p in pairs}
        to = values.get("to")
    else:
        to, symbols = (symbols[0], symbols[1:]) if symbols else (None, [])
        symbols = symbols[:1] if called.endswith("delegator") else symbols
    if to is None or to.type != "simple_symbol":
        return
    name = _name(to)
    if name.startswith("@"):
        whole = Expression(Name("self")).member(name[1:])
    else:
        whole = _SELF.member(name)
        yield to, _SELF, name
    for symbol in symbols:
        yield symbol, whole, _name(symbol)


def _name(symbol: Node) -> str:
    return text(symbol).removeprefix(":")


def _overridden(word: Node) -> Iterator[tuple[Node, Expression, str]]:
    around = word.parent
    while around is not None and around.type not in (*_METHODS, *_CLASSES):
        around = around.parent
    name = around.child_by_field_name("name") if around is not None else None
    if around is not None and around.type in _METHODS and name is not None:
        yield word, Expression(Name("super")), text(name)
