"""What Go binds names to."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from surveyor.graph.extract.bindings import bindings_of as common_bindings
from surveyor.graph.extract.written_types import declared_type, expression_of
from surveyor.graph.languages.readers import Binding

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["bindings_of"]


def bindings_of(node: Node) -> Iterator[Binding]:
    """The names that a `@bind` node gives a type or a value: `a, b int`."""
    if node.type == "field_declaration":
        whole = declared_type(node.child_by_field_name("type"))
        for name in node.children_by_field_name("name"):
            yield Binding(name, whole, is_field=True)
        return
    if node.type == "type_alias":
        alias = node.child_by_field_name("name")
        if alias is not None:
            yield Binding(alias, declared_type(node.child_by_field_name("type")))
        return
    if node.type == "var_spec" and node.child_by_field_name("type") is None:
        yield from _given(node)
        return
    last: Binding | None = None
    for last in common_bindings(node):
        yield last
    if last is not None and node.type in ("parameter_declaration", "var_spec"):
        for other in node.children_by_field_name("name")[1:]:
            yield Binding(other, last.value)


def _given(spec: Node) -> Iterator[Binding]:
    """`var a, b = f(), g()`: each has its own value; of one call that gives several only the
    first's is known."""
    names, listed = spec.children_by_field_name("name"), spec.child_by_field_name("value")
    values = listed.named_children if listed is not None else []
    for name, value in zip(names, values, strict=False):
        yield Binding(name, expression_of(value))
