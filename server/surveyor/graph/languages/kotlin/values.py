"""Values, types and receivers of Kotlin, whose grammar names no parts of its nodes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from surveyor.graph.expressions.model import (
    Call,
    Element,
    Expression,
    Name,
    Unknown,
    instance,
    type_called,
)
from surveyor.graph.languages.readers import MAX_DEPTH, collection_of, member_path, text

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["TYPES", "declared", "receiver", "value"]

TYPES = frozenset({"user_type", "nullable_type", "function_type", "parenthesized_type"})
_COLLECTIONS = frozenset(
    {"List", "MutableList", "Set", "MutableSet", "Collection", "MutableCollection", "Iterable",
     "Sequence", "Array", "ArrayList", "ArrayDeque", "LinkedHashSet", "HashSet", "Flow"}
)  # fmt: skip
_WRAPPERS = frozenset({"Lazy", "Result", "Deferred", "StateFlow", "MutableStateFlow"})
"""What an access usually goes through to what they hold."""
_INNER = frozenset(
    {"parenthesized_expression", "postfix_expression", "elvis_expression", "annotated_expression",
     "directly_assignable_expression", "control_structure_body", "if_expression",
     "try_expression", "prefix_expression", "spread_expression"}
)  # fmt: skip
_CASTS = frozenset({"as_expression"})
_MAKE = frozenset({"listOf", "mutableListOf", "setOf", "mutableSetOf", "arrayOf", "sequenceOf"})
_NAMES = frozenset({"simple_identifier", "type_identifier", "interpolated_identifier"})


def declared(node: Node | None) -> Expression | None:
    """An instance of the type that is written at a node, or a collection of such."""
    while node is not None and node.type in ("nullable_type", "parenthesized_type",
                                             "receiver_type", "type_projection"):  # fmt: skip
        node = next((c for c in node.named_children if c.type in TYPES), None)
    if node is None or node.type != "user_type":
        return None
    name = ".".join(text(c) for c in node.named_children if c.type == "type_identifier")
    given = [c for c in node.named_children if c.type == "type_arguments"]
    first = given[0].named_children[0] if given and given[0].named_children else None
    if name in _WRAPPERS:
        return declared(first)
    if name in _COLLECTIONS:
        return collection_of(declared(first))
    return instance(type_called(name)) if name else None


def value(node: Node | None, depth: int = 0) -> Expression | None:
    """A value as an expression; None when it says nothing about a type."""
    if node is None or depth > MAX_DEPTH:
        return None
    kind = node.type
    children = node.named_children
    if kind in _NAMES:
        return Expression(Name(text(node).strip("`")))
    if kind in ("this_expression", "super_expression"):
        words = text(node)
        if "@" in words:  # of the class around that is named so
            return instance(type_called(words.partition("@")[2]))
        return Expression(Name("this" if kind[0] == "t" else "super"))
    if not children:
        return None
    if kind == "call_expression":
        called = value(children[0], depth + 1)
        return called.then(Call()) if called is not None else None
    if kind == "navigation_expression":
        return _member(value(children[0], depth + 1), children[-1])
    if kind == "indexing_expression":
        held = value(children[0], depth + 1)
        return held.then(Element()) if held is not None else None
    if kind in _CASTS:
        return declared(children[-1])
    if kind == "object_literal":
        base = next((c for c in children if c.type == "delegation_specifier"), None)
        return declared(_base(base)) if base is not None else None
    if kind == "jump_expression":
        return value(children[0], depth + 1) if text(node).startswith("return") else None
    if kind == "function_body":
        return value(children[0], depth + 1) if text(node).startswith("=") else None
    if kind in _INNER:
        for child in children:
            if (found := value(child, depth + 1)) is not None:
                return found
    return None


def _base(specifier: Node) -> Node | None:
    inner = specifier.named_children[0] if specifier.named_children else None
    while inner is not None and inner.type not in TYPES:
        inner = inner.named_children[0] if inner.named_children else None
    return inner


def _member(owner: Expression | None, suffix: Node) -> Expression | None:
    name = suffix.named_children[-1] if suffix.named_children else None
    if owner is None or name is None or suffix.type != "navigation_suffix":
        return None
    return owner.member(text(name))


def receiver(name: Node) -> Expression | None:
    """What a name after a dot, or after `::`, is a member of."""
    around = name.parent
    if around is None:
        return None
    if around.type == "navigation_suffix":
        whole = around.parent
        owner = whole.named_children[0] if whole is not None else None
        found = value(owner)
        if found is None and owner is not None and owner.type in _NAMES:
            return Expression(Unknown(text(owner)))
        return found
    before = [child for child in around.named_children if child.end_byte < name.start_byte]
    return member_path([child for child in before if child.type in _NAMES])
