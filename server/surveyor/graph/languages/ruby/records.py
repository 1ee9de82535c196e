"""What associations of Active Record give: the class that they name, or that their name means."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from surveyor.graph.expressions.model import Expression, instance, type_called
from surveyor.graph.extract.written_types import text_of
from surveyor.graph.languages.readers import collection_of, string_value

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["all_of_class", "associated"]

_MANY = "many"
_PLURALS = (("ies", "y"), ("sses", "ss"), ("xes", "x"), ("ches", "ch"), ("shes", "sh"),
            ("uses", "us"), ("ss", "ss"), ("s", ""))  # fmt: skip
_IRREGULAR = {"people": "person", "children": "child", "men": "man", "women": "woman"}


def associated(macro: str, name: str, given: Sequence[Node]) -> Expression | None:
    """What `has_many :orders, class_name: "Order"` gives: one, or a collection of many."""
    said = _said(given)
    is_many = _MANY in macro
    if not said:
        parts = (_singular(name) if is_many else name).split("_")
        said = "".join(part[:1].upper() + part[1:] for part in parts)
    held = instance(type_called(said.strip(":").replace("::", ".")))
    return collection_of(held) if is_many else held


def all_of_class(scope: Node) -> Expression | None:
    """What `scope :open, -> { … }` gives: many of the class around it."""
    around = scope.parent
    while around is not None and around.type != "class":
        around = around.parent
    name = around.child_by_field_name("name") if around is not None else None
    return collection_of(instance(type_called(text_of(name).replace("::", ".")))) if name else None


def _said(given: Sequence[Node]) -> str:
    for each in given:
        key = each.child_by_field_name("key") if each.type == "pair" else None
        if key is not None and text_of(key) == "class_name":
            return string_value(each.child_by_field_name("value"))
    return ""


def _singular(name: str) -> str:
    first, _, last = name.rpartition("_")
    before = f"{first}_" if first else ""
    if last in _IRREGULAR:
        return before + _IRREGULAR[last]
    for plural, one in _PLURALS:
        if last.endswith(plural):
            return before + last.removesuffix(plural) + one
    return name
