"""Python."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from surveyor.change.languages.reader import CallReader, Passed, field_text, text
from surveyor.change.signatures import CallParameter, ParameterKind

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["READER"]

_SPLATS: dict[str, ParameterKind] = {
    "list_splat_pattern": "rest",
    "dictionary_splat_pattern": "keywords",
}


def _parameters(listed: Node) -> Iterator[CallParameter]:
    found: list[CallParameter] = []
    kind: ParameterKind = "any"
    for child in listed.named_children:
        inner = child
        if child.type == "typed_parameter" and child.named_children:
            inner = child.named_children[0]
        if child.type == "positional_separator":
            found = [CallParameter(each.name, "positional", each.is_required) for each in found]
        elif child.type == "keyword_separator":
            kind = "keyword"
        elif inner.type in _SPLATS:
            name = text(inner.named_children[0]) if inner.named_children else ""
            found.append(CallParameter(name, _SPLATS[inner.type]))
            kind = "keyword"
        elif inner.type == "identifier":
            found.append(CallParameter(text(inner), kind))
        elif child.type in ("default_parameter", "typed_default_parameter"):
            found.append(CallParameter(field_text(child, "name"), kind, is_required=False))
    yield from found[1:] if _is_bound(listed) and found else found


def _is_bound(listed: Node) -> bool:
    """Whether the first parameter is the instance or the class."""
    function = listed.parent
    return function is not None and _is_method(function) and "staticmethod" not in _marks(function)


def _is_method(function: Node) -> bool:
    outer = function.parent
    if outer is not None and outer.type == "decorated_definition":
        outer = outer.parent
    return (
        outer is not None and outer.parent is not None and outer.parent.type == ("class_definition")
    )


def _marks(function: Node) -> set[str]:
    outer = function.parent
    if outer is None or outer.type != "decorated_definition":
        return set()
    decorators = (child for child in outer.named_children if child.type == "decorator")
    return {text(each).lstrip("@").partition("(")[0].rpartition(".")[2] for each in decorators}


def _takes_instance(function: Node, listed: Node) -> bool:
    return _is_bound(listed) and "classmethod" not in _marks(function)


def _argument(node: Node) -> Passed | None:
    if node.type == "keyword_argument":
        return Passed(field_text(node, "name"))
    return Passed(is_spread=node.type in ("list_splat", "dictionary_splat"))


READER = CallReader(_parameters, _argument, constructor="__init__", takes_instance=_takes_instance)
