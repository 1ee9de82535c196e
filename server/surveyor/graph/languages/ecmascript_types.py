"""Types as TypeScript writes them, reduced to what they have as members.

The text between the brackets of `<…>` in an expression (`graph.expressions`):

- `Name`, `ns.Name`, `{a.b}` a type that is local or written out (`@row:column` until it has its
  name), `this`, `^T(Bound)` a type parameter;
- `Name<A,B>` with what it is given, `_` for what says nothing;
- `A|B` one of several or all of them: members of each are meant;
- after it `[]` many of it, `'key` its member, `()` what calling it gives, `#0` what it is called
  with; `=(x.y)` the type of a value.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from surveyor.graph.extract.type_names import split

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["NOTHING", "arguments_of", "bounded_type", "type_of", "with_suffix"]

NOTHING = "_"
"""A type that says nothing about members."""
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
_NO_MEMBERS = frozenset({"Function", "Object", "String", "Number", "Boolean", "Symbol", "undefined",
                         "null", "any", "unknown", "never", "const"})  # fmt: skip


def type_of(node: Node | None, depth: int = 0) -> str:
    """A type as above; empty when it says nothing about members."""
    if node is None or depth > _MAX_DEPTH:
        return ""
    kind = node.type
    if kind in _INSIDE:
        return next((found for child in node.named_children if child.type != "comment"
                     and (found := type_of(child, depth + 1))), "")  # fmt: skip
    if kind in ("type_identifier", "nested_type_identifier", "identifier"):
        name = _text(node)
        return "" if name in _NO_MEMBERS else name
    if kind == "this_type":
        return "this"
    if kind == "generic_type":
        return _generic(node, depth)
    if kind == "array_type":
        return with_suffix(_first(node, depth), "[]")
    if kind == "tuple_type":
        return with_suffix(_first(node, depth), "[]")
    if kind in ("union_type", "intersection_type"):
        return _either(node.named_children, depth)
    if kind == "conditional_type":
        sides = (node.child_by_field_name("consequence"), node.child_by_field_name("alternative"))
        return _either([side for side in sides if side is not None], depth)
    if kind == "object_type":
        return _object(node, depth)
    if kind == "type_query":
        return _query(node)
    if kind == "lookup_type":
        return _lookup(node, depth)
    return ""


def _text(node: Node) -> str:
    text = node.text
    return "".join(text.decode("utf-8", "replace").split()) if text else ""


def with_suffix(found: str, suffix: str) -> str:
    """A suffix for each of several types."""
    if "|" not in found:
        return found + suffix if found else ""
    return "|".join(part + suffix for part in split(found, "|"))


def _first(node: Node, depth: int) -> str:
    for child in node.named_children:
        if found := type_of(child, depth + 1):
            return found
    return ""


def _either(nodes: list[Node], depth: int) -> str:
    parts: dict[str, None] = {}
    for node in nodes:
        found = type_of(node, depth + 1)
        parts.update(dict.fromkeys(split(found, "|") if found else ()))
    joined = "|".join(list(parts)[:_MAX_PARTS])
    return joined if len(joined) <= _MAX_LENGTH else next(iter(parts))


def arguments_of(node: Node | None, depth: int = 0) -> list[str]:
    """What a list of type arguments gives, `_` for what says nothing."""
    if node is None:
        return []
    given = [child for child in node.named_children if child.type != "comment"]
    return [type_of(child, depth + 1) or NOTHING for child in given]


def _generic(node: Node, depth: int) -> str:
    named = node.child_by_field_name("name")
    name = _text(named) if named is not None else ""
    listed = node.child_by_field_name("type_arguments")
    given = arguments_of(listed, depth)
    if not given or not name:
        return name
    first = given[0]
    if name in _THROUGH:
        return "" if first == NOTHING else first
    if name in _MANY:
        return "" if first == NOTHING else with_suffix(first, "[]")
    if name in _KEYED:
        return "" if given[-1] == NOTHING else with_suffix(given[-1], "[]")
    if name == "ReturnType":
        if first.startswith("=("):
            return f"{first[:-1]}())"
        return "" if first == NOTHING else with_suffix(first, "()")
    if name == "InstanceType":
        return f"{first[:-1]}())" if first.startswith("=(") else ""
    if name == "Parameters":
        return ""
    if all(each == NOTHING for each in given):
        return name
    whole = f"{name}<{','.join(given)}>"
    return whole if len(whole) <= _MAX_LENGTH else name


def _object(node: Node, depth: int) -> str:
    for member in node.named_children:
        name = member.child_by_field_name("name")
        if name is not None and member.type in ("property_signature", "method_signature"):
            row, column = name.start_point
            return f"@{row}:{column}"
    signature = next((c for c in node.named_children if c.type == "index_signature"), None)
    if signature is None:
        return ""
    clause = next((c for c in signature.named_children if c.type == "mapped_type_clause"), None)
    over = clause.child_by_field_name("type") if clause is not None else None
    if over is not None and over.type == "index_type_query":  # { [K in keyof T]: … }
        return _first(over, depth)
    return with_suffix(type_of(signature.child_by_field_name("type"), depth + 1), "[]")


def _query(node: Node) -> str:
    inner = node.named_children[0] if node.named_children else None
    name = _text(inner) if inner is not None else ""
    plain = name.replace(".", "").replace("$", "").replace("_", "").isalnum()
    return f"=({name})" if plain else ""


def _lookup(node: Node, depth: int) -> str:
    parts = node.named_children
    if len(parts) < 2:
        return ""
    if _text(parts[0]).startswith("Parameters<") and parts[1].type == "literal_type":
        listed = parts[0].child_by_field_name("type_arguments")
        given, number = arguments_of(listed, depth), _text(parts[1])
        known = given and given[0] != NOTHING and number.isdigit()
        return with_suffix(given[0], f"#{number}") if known else ""
    whole = type_of(parts[0], depth + 1)
    key = _text(parts[1])
    if key[:1] in ("'", '"') and key[1:-1].replace("_", "").replace("$", "").isalnum():
        return with_suffix(whole, f"'{key[1:-1]}")
    if key == "number" or key.isdigit():
        return with_suffix(whole, "'[]")
    return ""


def bounded_type(name: str, constraint: Node | None) -> str:
    """A type parameter, with what it extends."""
    bound = type_of(constraint)
    return f"^{name}({bound})" if bound and len(bound) <= _MAX_LENGTH // 2 else f"^{name}"
