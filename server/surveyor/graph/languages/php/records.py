"""What Eloquent's models give: relations, and members that they define under longer names."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from surveyor.graph.expressions.keys import CALLED
from surveyor.graph.extract.type_names import instance_of
from surveyor.graph.languages.readers import Binding, collection_of, text

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["also_called", "related"]

_MANY = "Many"
_INNER = ("compound_statement", "argument")
"""Within which a call is not what the method gives."""
_CLASS = "::class"


def related(call: Node) -> Iterator[Binding]:
    """What a method gives that returns `$this->hasMany(Box::class)`."""
    given = call.child_by_field_name("arguments")
    first = text(given.named_children[0]) if given is not None and given.named_children else ""
    around: Node | None = call
    while around is not None and around.type != "method_declaration":
        outer = around.parent
        if around.type in _INNER and outer is not None and outer.type != "method_declaration":
            return
        around = outer
    name = around.child_by_field_name("name") if around is not None else None
    held = instance_of(first.removesuffix(_CLASS)) if first.endswith(_CLASS) else None
    if name is not None and held is not None:
        is_many = _MANY in text(call.child_by_field_name("name"))
        yield Binding(name, collection_of(held) if is_many else held, place=CALLED)


def also_called(name: str) -> Sequence[str]:
    """`active()` may be `scopeActive`, and `full_name` `getFullNameAttribute`."""
    camel = "".join(part[:1].upper() + part[1:] for part in name.split("_"))
    return (f"scope{camel}", f"get{camel}Attribute")
