"""What Dart binds names to."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from surveyor.graph.expressions.model import Element, instance, type_called
from surveyor.graph.languages.dart.values import chain, declared, handed
from surveyor.graph.languages.readers import Binding, text

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["bindings_of"]


def bindings_of(node: Node) -> Iterator[Binding]:
    """The names that a `@bind` node gives a type or a value."""
    kind = node.type
    name = node.child_by_field_name("name")
    if kind == "formal_parameter":
        name = name or next((c for c in node.named_children if c.type == "identifier"), None)
        if name is not None:
            yield Binding(name, declared(node) or handed(node))
    elif kind == "initialized_variable_definition" and name is not None:
        after = [c for c in node.named_children if c.start_byte >= name.end_byte]
        after = [c for c in after if c.type != "initialized_identifier"]
        yield Binding(name, declared(node) or chain(after))
    elif kind in ("initialized_identifier", "static_final_declaration"):
        yield from _variable(node)
    elif kind == "for_loop_parts" and name is not None:
        whole = chain([c for c in node.named_children if c.start_byte >= name.end_byte])
        yield Binding(name, declared(node) or (whole.then(Element()) if whole else None))
    elif kind == "type_alias":
        alias, *after = node.named_children
        names = [text(child) for child in after if child.type == "type_identifier"]
        if alias.type == "type_identifier" and names:
            yield Binding(alias, instance(type_called(".".join(names))))
    elif kind == "object_pattern":
        yield from _matched(node)
    elif kind == "variable_pattern":
        held = next((c for c in node.named_children if c.type == "identifier"), None)
        in_object = node.parent is not None and node.parent.type == "object_pattern"
        if held is not None and not in_object:
            yield Binding(held, declared(node))
    elif kind == "getter_signature" and name is not None:
        yield Binding(name, declared(node), is_field=_in_class(node))


_HOLDING = frozenset({"variable_pattern", "constant_pattern"})


def _matched(pattern: Node) -> Iterator[Binding]:
    """`Box(lid: final shown, :size)`: members of a type, and what they are called here."""
    first, *parts = pattern.named_children
    owner = declared(first)
    key: Node | None = None
    for part in parts if owner is not None else ():
        if part.type == "identifier":
            key = part
            continue
        held = next((c for c in part.named_children if c.type == "identifier"), None)
        key = key or held
        if key is not None and owner is not None:
            is_name = part.type in _HOLDING and held is not None
            value = declared(part) or owner.member(text(key)) if is_name else None
            yield Binding(held if held and is_name else key, value, key=key, owner=owner)
        key = None


def _variable(node: Node) -> Iterator[Binding]:
    """A field, or a variable of the library; the type stands before the list of its names."""
    name, *after = node.named_children
    listed = node.parent
    around = listed.parent if listed is not None else None
    if listed is None or around is None or name.type != "identifier":
        return
    bound = declared(around) if around.type == "declaration" else None
    yield Binding(name, bound or chain(after), is_field=around.type == "declaration")


def _in_class(node: Node) -> bool:
    around = node.parent
    return around is not None and around.type in ("method_signature", "declaration")
