"""What fields of Django's models give that name another model, and what they give to that."""

from __future__ import annotations

from typing import TYPE_CHECKING

from surveyor.graph.expressions.model import Expression, instance, type_called
from surveyor.graph.extract.written_types import text_of
from surveyor.graph.languages.readers import Binding, collection_of, literal

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["related", "reversed_relation"]

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


def reversed_relation(name: Node, value: Node | None) -> Binding | None:
    """What a field gives the model that it names, under `related_name` or a name that is made of
    the field's own model: `shop.orders`, `shop.order_set`, `shop.profile`; None of others."""
    function = value.child_by_field_name("function") if value is not None else None
    field = text_of(function).rpartition(".")[2] if function is not None else ""
    if value is None or field not in _ONE | _MANY:
        return None
    given = value.child_by_field_name("arguments")
    listed = given.named_children if given is not None else []
    if not listed or listed[0].type not in ("identifier", "attribute", "string"):
        return None
    own = _class_around(name)
    target = literal(listed[0]) if listed[0].type == "string" else text_of(listed[0])
    owner = own if target == "self" else target.rpartition(".")[2]
    place, called = _related_name(listed)
    is_one = field == "OneToOneField"
    if place is None or not called:
        place, called = name, own.lower() if is_one else f"{own.lower()}_set"
    if not owner or not own or not called.isidentifier():
        return None  # `related_name="+"`: none
    row, column = place.start_point
    if place is not name:
        column += text_of(place).find(called)
    held = instance(type_called(own))
    return Binding(
        name,
        held if is_one else collection_of(held),
        is_attribute=True,
        said_of=f"{owner}.{called}",
        written_at=(row, column, len(called.encode())),
    )


def _related_name(arguments: list[Node]) -> tuple[Node | None, str]:
    for each in arguments:
        key = each.child_by_field_name("name") if each.type == "keyword_argument" else None
        value = each.child_by_field_name("value")
        if key is not None and text_of(key) == "related_name" and value is not None:
            return value, literal(value) if value.type == "string" else "+"
    return None, ""


def _class_around(node: Node) -> str:
    around = node.parent
    while around is not None and around.type != "class_definition":
        around = around.parent
    name = around.child_by_field_name("name") if around is not None else None
    return text_of(name) if name is not None else ""
