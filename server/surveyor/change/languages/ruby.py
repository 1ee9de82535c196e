"""Ruby."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from surveyor.change.languages.reader import CallReader, HandedTo, Passed, field_text, text
from surveyor.change.signatures import KEY_OF_ANY_KIND, CallParameter

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["READER"]


def _parameters(listed: Node) -> Iterator[CallParameter]:
    for child in listed.named_children:
        name = field_text(child, "name")
        if child.type in ("identifier", "destructured_parameter"):
            yield CallParameter(text(child), "positional")
        elif child.type == "optional_parameter":
            yield CallParameter(name, "positional", is_required=False)
        elif child.type == "splat_parameter":
            yield CallParameter(name, "rest")
        elif child.type == "keyword_parameter":
            has_default = child.child_by_field_name("value") is not None
            yield CallParameter(name, "keyword", is_required=not has_default)
        elif child.type == "hash_splat_parameter":
            yield CallParameter(name, "keywords")
        elif child.type == "forward_parameter":  # def f(...)
            yield CallParameter("", "rest")
            yield CallParameter("", "keywords")


def _argument(node: Node) -> Passed | None:
    if node.type in ("block_argument", "comment"):
        return None
    if node.type == "pair":
        key = node.child_by_field_name("key")
        if key is None or key.type not in ("hash_key_symbol", "simple_symbol"):
            return Passed(KEY_OF_ANY_KIND)  # "a" => 1
        return Passed(text(key).removeprefix(":"))
    spread = node.type in ("splat_argument", "hash_splat_argument", "forward_argument")
    return Passed(is_spread=spread)


def _handed_to(call: Node) -> HandedTo:
    """`super(1)` in a constructor."""
    method = call.child_by_field_name("method")
    if method is None or method.type != "super":
        return ""
    around = call.parent
    while around is not None and around.type not in ("method", "class"):
        around = around.parent
    return "above" if around is not None and field_text(around, "name") == "initialize" else ""


def _function_value(name: Node) -> Node:
    """`method(:f)`, `box.method(:put)`."""
    listed = name.parent
    call = listed.parent if listed is not None and listed.type == "argument_list" else None
    made = call is not None and field_text(call, "method") in ("method", "public_method")
    return call if made and call is not None else name


READER = CallReader(
    _parameters,
    _argument,
    constructor="initialize",
    names_are_one=True,
    handing_on=frozenset({"call"}),
    handed_to=_handed_to,
    function_value=_function_value,
    invokers=frozenset({"call"}),
)
