"""Types as TypeScript writes them, reduced to what they have as members."""

from __future__ import annotations

from typing import TYPE_CHECKING

from surveyor.graph.expressions.grammar import parse
from surveyor.graph.expressions.model import (
    NOTHING,
    Call,
    CollectionOf,
    Key,
    KeyElement,
    Parameter,
    Result,
    Type,
    TypeAtPlace,
    TypePart,
    TypeVariable,
    ValueOf,
    type_called,
)

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["arguments_of", "bounded_type", "type_of"]

_MAX_PARTS = 6
"""Alternatives that are followed."""
_MAX_DEPTH = 8
_MAX_LENGTH = 400
_INSIDE = frozenset(
    {"type_annotation", "parenthesized_type", "readonly_type", "optional_type", "rest_type",
     "constraint", "default_type", "required_parameter"}
)  # fmt: skip
_THROUGH_WORDS = """
Awaitable Promise PromiseLike Readonly Partial Required NonNullable Omit Pick Except Simplify
Writable Mutable DeepPartial Merge Exclude Extract StrictOmit Prettify Expand SetNonNullable
DeepReadonly PartialDeep ReadonlyDeep SetOptional SetRequired Draft WritableDraft Awaited NoInfer
ThisType Immutable MaybePromise Nullable Maybe DistributedOmit Generator AsyncGenerator Uppercase
"""
_THROUGH = frozenset(_THROUGH_WORDS.split())
"""Types whose members are those of what they are given."""
_MANY = frozenset(
    {"Array", "ReadonlyArray", "Set", "ReadonlySet", "Iterable", "IterableIterator", "Iterator",
     "AsyncIterable", "AsyncIterator", "AsyncIterableIterator", "WeakSet", "ArrayLike"}
)  # fmt: skip
_KEYED = frozenset({"Record", "Map", "ReadonlyMap", "WeakMap"})
_NO_MEMBERS = frozenset({"Function", "Object", "undefined", "null", "any", "unknown", "never",
                         "const"})  # fmt: skip
_BASIC = {
    **{
        word.lower(): type_called(word)
        for word in ("Boolean", "BigInt", "Number", "String", "Symbol")
    },
    "template_literal_type": type_called("String"),
}
"""What the language's own types are called that are written in small letters, and those of text."""
_BASIC_TYPES = frozenset(_BASIC.values())


def type_of(node: Node | None, depth: int = 0) -> Type:
    """A type; `NOTHING` when it says nothing about members."""
    if node is None or depth > _MAX_DEPTH:
        return NOTHING
    kind = node.type
    if kind in _INSIDE:
        return next((found for child in node.named_children if child.type != "comment"
                     and (found := type_of(child, depth + 1)).parts), NOTHING)  # fmt: skip
    if kind in ("type_identifier", "nested_type_identifier", "identifier"):
        name = _text(node)
        return NOTHING if name in _NO_MEMBERS or not name else type_called(name)
    if kind == "this_type":
        return type_called("this")
    if kind == "generic_type":
        return _generic(node, depth)
    if kind == "array_type":
        return _first(node, depth).then(CollectionOf())
    if kind == "tuple_type":
        return _first(node, depth).then(CollectionOf())
    if kind in ("union_type", "intersection_type"):
        return _either(node.named_children, depth)
    if kind == "conditional_type":
        sides = (node.child_by_field_name("consequence"), node.child_by_field_name("alternative"))
        return _either([side for side in sides if side is not None], depth)
    if kind == "object_type":
        return _object(node, depth)
    if kind == "type_query":
        return _query(node)
    if kind == "predefined_type":
        return _BASIC.get(_text(node), NOTHING)
    if kind == "template_literal_type":
        return _BASIC[kind]
    if kind == "lookup_type":
        return _lookup(node, depth)
    return NOTHING


def _text(node: Node) -> str:
    text = node.text
    return "".join(text.decode("utf-8", "replace").split()) if text else ""


def _first(node: Node, depth: int) -> Type:
    for child in node.named_children:
        if (found := type_of(child, depth + 1)).parts:
            return found
    return NOTHING


def _either(nodes: list[Node], depth: int) -> Type:
    parts: dict[TypePart, None] = {}
    found = [type_of(node, depth + 1) for node in nodes]
    said = [each for each in found if each.parts]
    for each in [each for each in said if each not in _BASIC_TYPES] or said[:1]:
        parts.update(dict.fromkeys(each.parts))
    joined = Type(list(parts)[:_MAX_PARTS])
    return joined if len(joined.text) <= _MAX_LENGTH else Type(list(parts)[:1])


def arguments_of(node: Node | None, depth: int = 0) -> tuple[Type, ...]:
    """What a list of type arguments gives, `NOTHING` for what says nothing."""
    if node is None:
        return ()
    given = [child for child in node.named_children if child.type != "comment"]
    return tuple(type_of(child, depth + 1) for child in given)


def _generic(node: Node, depth: int) -> Type:
    named = node.child_by_field_name("name")
    name = _text(named) if named is not None else ""
    listed = node.child_by_field_name("type_arguments")
    given = arguments_of(listed, depth)
    if not name:
        return NOTHING
    if not given:
        return type_called(name)
    first = given[0]
    if name in _THROUGH:
        return first
    if name in _MANY:
        return first.then(CollectionOf())
    if name in _KEYED:
        return given[-1].then(CollectionOf())
    if name == "ReturnType":
        return _called(first) or first.then(Result())
    if name == "InstanceType":
        return _called(first) or NOTHING
    if name == "Parameters":
        return NOTHING
    plain = type_called(name)
    if not any(each.parts for each in given):
        return plain
    whole = Type((TypePart(plain.parts[0].head, given),))
    return whole if len(whole.text) <= _MAX_LENGTH else plain


def _called(found: Type) -> Type | None:
    """What calling a value gives, where a type is that of a value: `typeof create`."""
    values = [part.head for part in found.parts if type(part.head) is ValueOf]
    if not values or len(values) < len(found.parts):
        return None
    return Type(TypePart(ValueOf(value.expression.then(Call()))) for value in values)


def _object(node: Node, depth: int) -> Type:
    for member in node.named_children:
        name = member.child_by_field_name("name")
        if name is not None and member.type in ("property_signature", "method_signature"):
            return Type((TypePart(TypeAtPlace(*name.start_point)),))
    signature = next((c for c in node.named_children if c.type == "index_signature"), None)
    if signature is None:
        return NOTHING
    clause = next((c for c in signature.named_children if c.type == "mapped_type_clause"), None)
    over = clause.child_by_field_name("type") if clause is not None else None
    if over is not None and over.type == "index_type_query":  # { [K in keyof T]: … }
        return _first(over, depth)
    return type_of(signature.child_by_field_name("type"), depth + 1).then(CollectionOf())


def _query(node: Node) -> Type:
    inner = node.named_children[0] if node.named_children else None
    name = _text(inner) if inner is not None else ""
    plain = name.replace(".", "").replace("$", "").replace("_", "").isalnum()
    value = parse(name) if plain else None
    return Type((TypePart(ValueOf(value)),)) if value is not None else NOTHING


def _lookup(node: Node, depth: int) -> Type:
    parts = node.named_children
    if len(parts) < 2:
        return NOTHING
    if _text(parts[0]).startswith("Parameters<") and parts[1].type == "literal_type":
        listed = parts[0].child_by_field_name("type_arguments")
        given, number = arguments_of(listed, depth), _text(parts[1])
        known = given and number.isdigit()
        return given[0].then(Parameter((int(number),))) if known else NOTHING
    whole = type_of(parts[0], depth + 1)
    key = _text(parts[1])
    if key[:1] in ("'", '"') and key[1:-1].replace("_", "").replace("$", "").isalnum():
        return whole.then(Key(key[1:-1]))
    if key == "number" or key.isdigit():
        return whole.then(KeyElement())
    return NOTHING


def bounded_type(name: str, constraint: Node | None) -> Type:
    """A type parameter, with what it extends."""
    bound = type_of(constraint)
    says = bound.parts and len(bound.text) <= _MAX_LENGTH // 2
    return Type((TypePart(TypeVariable(name, bound if says else None)),))
