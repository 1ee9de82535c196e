"""Members by name in struct expressions and patterns of Rust: `Options { name: 1 }`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from surveyor.graph.expressions.model import Expression
from surveyor.graph.extract.written_types import declared_type

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["initialized"]


def initialized(key: Node) -> Expression | None:
    """What a name is a member of: the struct before the braces."""
    around = key.parent
    while around is not None and around.type not in ("struct_expression", "struct_pattern"):
        around = around.parent
    if around is None:
        return None
    return declared_type(around.child_by_field_name("name") or around.child_by_field_name("type"))
