"""Members by name in struct expressions and patterns of Rust: `Options { name: 1 }`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from surveyor.graph.expressions.model import Expression
from surveyor.graph.extract.type_names import instance_of
from surveyor.graph.extract.written_types import declared_type, normal, text_of

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["holder_of", "initialized"]


def holder_of(called: Node | None) -> Expression | None:
    """What has the members that stand in braces behind a name: an instance of the struct, or the
    variant that the name is."""
    if called is not None and called.type == "scoped_type_identifier":
        path = called.child_by_field_name("path")
        before = text_of(path).rpartition("::")[2] if path is not None else ""
        if before[:1].isupper():  # a variant, it may be
            return normal(text_of(called))
    return declared_type(called)


def initialized(key: Node) -> Expression | None:
    """What a name is a member of: the struct before the braces."""
    around = key.parent
    if around is not None and around.type == "token_tree":
        return _before_tokens(around)
    while around is not None and around.type not in ("struct_expression", "struct_pattern"):
        around = around.parent
    if around is None:
        return None
    return holder_of(around.child_by_field_name("name") or around.child_by_field_name("type"))


def _before_tokens(braces: Node) -> Expression | None:
    """The same of braces in what a macro is handed, which is no syntax yet."""
    path: list[str] = []
    before = braces.prev_sibling
    while before is not None and before.type in _OF_PATHS:
        path.insert(0, text_of(before))
        before = before.prev_sibling
    if len(path) > 2 and path[-3][:1].isupper():
        return normal("".join(path))
    return instance_of("".join(path))


_OF_PATHS = frozenset({"identifier", "::", "self", "super", "crate"})
