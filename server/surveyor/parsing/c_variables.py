"""The variables and fields that a declaration of C or C++ declares, in any form that a declarator
may have."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from surveyor.parsing.children import first_named

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["DeclaredVariable", "declared_variables"]

_NAMES = frozenset({"identifier", "field_identifier"})
_AROUND = frozenset({"init_declarator", "pointer_declarator", "array_declarator"})


class DeclaredVariable(NamedTuple):
    """A name, and what it is a member of where that stands before it (`int Box::count;`)."""

    name: Node
    owners: tuple[Node, ...]
    node: Node
    """The declaration; of one that defines a type with a name, too, the declarator alone."""


def declared_variables(declaration: Node) -> Iterator[DeclaredVariable]:
    """Those of one declaration in their order; a prototype declares none."""
    held = declaration.child_by_field_name("type")
    field = held.child_by_field_name if held is not None else None
    is_alone = field is not None and None not in (field("name"), field("body"))
    for declarator in declaration.children_by_field_name("declarator"):
        name: Node | None = declarator
        owners: tuple[Node, ...] = ()
        while name is not None and name.type not in _NAMES:
            name, owners = _inner(name, owners)
        if name is not None and name.start_byte < name.end_byte:  # else the parser made it up
            yield DeclaredVariable(name, owners, declarator if is_alone else declaration)


def _inner(node: Node, owners: tuple[Node, ...]) -> tuple[Node | None, tuple[Node, ...]]:
    field = node.child_by_field_name
    if node.type in _AROUND:
        return field("declarator"), owners
    if node.type == "reference_declarator":
        return first_named(node), owners
    if node.type == "qualified_identifier":
        scope = field("scope")
        return field("name"), owners if scope is None else (*owners, scope)
    if node.type == "function_declarator":  # of a pointer, in brackets: else a prototype
        held = field("declarator")
        is_held = held is not None and held.type == "parenthesized_declarator"
        return first_named(held) if is_held else None, owners
    return None, owners
