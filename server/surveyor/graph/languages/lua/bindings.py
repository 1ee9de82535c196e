"""What Lua binds names to."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from surveyor.graph.expressions.model import Expression
from surveyor.graph.languages.lua.values import base_of, protected, value
from surveyor.graph.languages.readers import Binding, text

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["bindings_of"]


def bindings_of(node: Node) -> Iterator[Binding]:
    """`a, b = x, y` and `a.b = x`: each with its value; `setmetatable(a, { __index = b })`: what
    `a` has too."""
    if node.type == "function_call":
        found = base_of(node)
        if found is not None and (held := value(found[1])) is not None:
            yield Binding(found[0], held, said_of=text(found[0]))
            yield Binding(found[0], None, mixin=found[1])
        return
    listed = {child.type: child for child in node.named_children}
    names, values = listed.get("variable_list"), listed.get("expression_list")
    if names is None or values is None:
        return
    is_pair = len(names.named_children) == 2 and len(values.named_children) == 1
    if is_pair and (gives := protected(values.named_children[0])) is not None:
        yield Binding(names.named_children[1], gives)
        return
    for name, given in zip(names.named_children, values.named_children, strict=False):
        if name.type == "identifier":
            yield Binding(name, value(given))
        elif name.type == "dot_index_expression" and given.type != "function_definition":
            yield from _field(name, value(given))


def _field(name: Node, held: Expression | None) -> Iterator[Binding]:
    """`self.meta = Meta.new()`: a field of the table that `self` is."""
    table, field = name.child_by_field_name("table"), name.child_by_field_name("field")
    owner = value(table)
    if field is not None and owner is not None and owner.dotted and table is not None:
        declared = owner.dotted if text(table) != "self" else _made(table) or owner.dotted
        if declared != "self":
            yield Binding(field, held, is_attribute=True, said_of=f"{declared}.{text(field)}")


def _made(own: Node) -> str:
    """What a local `self` is made as: `local self = setmetatable({}, Box)`."""
    around = own.parent
    while around is not None:
        if around.type == "block":
            for child in around.named_children:
                made = child.named_children[0] if child.type == "variable_declaration" else None
                listed = {c.type: c for c in made.named_children} if made is not None else {}
                names, values = listed.get("variable_list"), listed.get("expression_list")
                if names is None or values is None or child.start_byte > own.start_byte:
                    continue
                if text(names.named_children[0]) == "self":
                    found = value(values.named_children[0])
                    return found.dotted if found is not None else ""
        around = around.parent
    return ""
