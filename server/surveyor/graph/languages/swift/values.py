"""Values, types and receivers of Swift."""

from __future__ import annotations

from typing import TYPE_CHECKING

from surveyor.graph.expressions.model import (
    UNKNOWN,
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

__all__ = ["TYPES", "declared", "implemented", "receiver", "value"]

TYPES = frozenset(
    {"user_type", "optional_type", "array_type", "dictionary_type", "opaque_type", "function_type",
     "existential_type", "tuple_type", "implicitly_unwrapped_type", "protocol_composition_type"}
)  # fmt: skip
_OUTER = frozenset(
    {"optional_type", "opaque_type", "existential_type", "type_annotation", "inheritance_specifier",
     "implicitly_unwrapped_type", "protocol_composition_type", "metatype"}
)  # fmt: skip
_COLLECTIONS = frozenset({"Array", "Set", "Sequence", "Collection", "ArraySlice", "AsyncStream",
                          "AsyncThrowingStream"})  # fmt: skip
_WRAPPERS = frozenset({"Optional", "EventLoopFuture", "Result", "Task", "Published", "Binding"})
_INNER = frozenset(
    {"try_expression", "await_expression", "postfix_expression", "tuple_expression",
     "nil_coalescing_expression", "directly_assignable_expression", "control_transfer_statement",
     "as_pattern", "ternary_expression"}
)  # fmt: skip
_IMPLIED = Expression(Unknown("_"))
"""The type that is wanted where a dot begins: of this project more often than not."""


def declared(node: Node | None) -> Expression | None:
    """An instance of the type that is written at a node, or a collection of such."""
    while node is not None and node.type in _OUTER:
        node = next((c for c in node.named_children if c.type in TYPES), None)
    if node is None:
        return None
    if node.type in ("array_type", "dictionary_type"):
        inner = [c for c in node.named_children if c.type in TYPES]
        return collection_of(declared(inner[-1]) if inner else None)
    if node.type != "user_type":
        return None
    name = ".".join(text(c) for c in node.named_children if c.type == "type_identifier")
    given = next((c for c in node.named_children if c.type == "type_arguments"), None)
    first = given.named_children[0] if given is not None and given.named_children else None
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
    field = node.child_by_field_name
    if kind in ("simple_identifier", "type_identifier"):
        return Expression(Name(text(node).strip("`")))
    if kind == "self_expression":
        return Expression(Name("self"))
    if kind == "super_expression":
        return Expression(Name("super"))
    if kind == "call_expression":
        return _called(node, depth)
    if kind == "constructor_expression":
        return declared(field("constructed_type"))
    if kind == "navigation_expression":
        owner, suffix = value(field("target"), depth + 1), field("suffix")
        name = suffix.child_by_field_name("suffix") if suffix is not None else None
        if owner is None or name is None or name.type != "simple_identifier":
            return None
        return owner if text(name) == "self" else owner.member(text(name))
    if kind == "as_expression":
        return declared(field("type") or field("name"))
    if kind == "user_type":
        return Expression(Name(text(node).partition("<")[0]))
    if kind in _INNER:
        for child in node.named_children:
            if (found := value(child, depth + 1)) is not None:
                return found
    return None


def _called(node: Node, depth: int) -> Expression | None:
    if not node.named_children:
        return None
    called = value(node.named_children[0], depth + 1)
    if called is None:
        return None
    if called.text.endswith(".init"):  # Box.init(1) is Box(1)
        return value(node.named_children[0].child_by_field_name("target"), depth + 1)
    suffix = node.named_children[-1]
    arguments = suffix.named_children[0] if suffix.named_children else None
    if arguments is not None and text(arguments).startswith("["):
        return called.then(Element())
    return called.then(Call())


def implemented(node: Node) -> tuple[str, list[Node]]:
    """The type that an extension is of, and the protocols that it adds."""
    named = node.child_by_field_name("name")
    words = text(named).partition("<")[0].rpartition(".")[2] if named is not None else ""
    bases = []
    for child in node.named_children:
        inherited = child.named_children[0] if child.type == "inheritance_specifier" else None
        if inherited is not None and inherited.type == "user_type":
            names = [c for c in inherited.named_children if c.type == "type_identifier"]
            bases += names[-1:]
    return words, bases


def receiver(name: Node) -> Expression | None:
    """What a name after a dot is a member of; nothing is known where a dot begins: `.red`."""
    around = name.parent
    if around is None:
        return None
    if around.type == "navigation_suffix" and around.parent is not None:
        return value(around.parent.child_by_field_name("target")) or UNKNOWN
    if around.type == "prefix_expression":
        return _IMPLIED
    before = [c for c in around.named_children if c.end_byte < name.start_byte]
    before = [c for c in before if c.type in ("type_identifier", "simple_identifier")]
    return member_path(before) or UNKNOWN
