"""What fields of Django's models give that name another model."""

from __future__ import annotations

from typing import TYPE_CHECKING

from surveyor.graph.expressions.model import Expression, instance, type_called
from surveyor.graph.extract.written_types import text_of
from surveyor.graph.languages.readers import collection_of, literal

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["related"]

_ONE = frozenset({"ForeignKey", "OneToOneField"})
_MANY = frozenset({"ManyToManyField"})


def related(value: Node | None) -> Expression | None:
    """What `models.ForeignKey(Box)` or `ManyToManyField("shop.Box")` gives; None of others."""
    function = value.child_by_field_name("function") if value is not None else None
    name = text_of(function).rpartition(".")[2] if function is not None else ""
    if value is None or name not in _ONE | _MANY:
        return None
    given = value.child_by_field_name("arguments")
    first = given.named_children[0] if given is not None and given.named_children else None
    if first is None or first.type not in ("identifier", "attribute", "string"):
        return None
    # "shop.Box" is of an application, which no module need be called as
    told = literal(first).rpartition(".")[2] if first.type == "string" else text_of(first)
    held = instance(type_called("Self" if told == "self" else told)) if told else None
    return collection_of(held) if name in _MANY else held
