"""Functions of Rust that run where a macro is named that they stand behind."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from surveyor.graph.expressions.keys import CALLED
from surveyor.graph.expressions.model import Expression, Name
from surveyor.graph.extract.written_types import text_of

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["read"]


def read(attribute: Node) -> Iterator[tuple[Node, Expression, str]]:
    """`#[proc_macro_derive(Draw)] pub fn derive_draw(…)`: (the macro, the function, that it is
    called)."""
    below = attribute.next_named_sibling
    while below is not None and below.type in ("attribute_item", "line_comment", "block_comment"):
        below = below.next_named_sibling
    name = below.child_by_field_name("name") if below is not None else None
    arguments = attribute.named_children[0].child_by_field_name("arguments")
    if below is None or below.type != "function_item" or name is None or arguments is None:
        return
    for macro in arguments.named_children[:1]:
        yield macro, Expression(Name(text_of(name))), CALLED
