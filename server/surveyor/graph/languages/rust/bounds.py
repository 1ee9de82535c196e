"""What the type parameters of Rust's structs have to be, where their implementations say it.

`struct Rewind<T> { inner: T }` says nothing of `T`; `impl<T: Write> Write for Rewind<T>` does.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from surveyor.graph.extract.written_types import text_of

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["type_bounds"]


def type_bounds(nodes: Sequence[Node]) -> Iterator[tuple[Node, str, str]]:
    """(type, its parameter, the text of a bound) of what is generic in one file."""
    types: dict[str, tuple[Node, list[str]]] = {}
    for node in nodes:
        name, listed = node.child_by_field_name("name"), node.child_by_field_name("type_parameters")
        if node.type in ("struct_item", "enum_item") and name is not None and listed is not None:
            types.setdefault(text_of(name), (node, _names(listed)))
    for node in nodes if types else ():
        of = node.child_by_field_name("type") if node.type == "impl_item" else None
        if of is None or of.type != "generic_type":
            continue
        name, given = of.child_by_field_name("type"), of.child_by_field_name("type_arguments")
        known = types.get(text_of(name)) if name is not None else None
        if known is None or given is None:
            continue
        bounds = _bounds(node)
        arguments = [each for each in given.named_children if each.type != "lifetime"]
        for parameter, argument in zip(known[1], arguments, strict=False):
            for bound in bounds.get(text_of(argument), ()):
                yield known[0], parameter, bound


def _names(listed: Node) -> list[str]:
    named = (each.child_by_field_name("name") for each in listed.named_children
             if each.type in ("type_parameter", "const_parameter"))  # fmt: skip
    return [text_of(each) if each is not None else "" for each in named]


def _bounds(around: Node) -> dict[str, list[str]]:
    """What each type parameter of an implementation is told to be."""
    found: dict[str, list[str]] = {}
    where = next((each for each in around.children if each.type == "where_clause"), None)
    for listed in (around.child_by_field_name("type_parameters"), where):
        for each in listed.named_children if listed is not None else ():
            name = each.child_by_field_name("name") or each.child_by_field_name("left")
            bounds = each.child_by_field_name("bounds")
            if name is not None and bounds is not None:
                found.setdefault(text_of(name), []).append(text_of(bounds).lstrip(": "))
    return found
