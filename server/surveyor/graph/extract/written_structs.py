"""Structs of Go that are written out where they are used: `[]struct{ box *Box }`.

Their fields are no definitions that others could name: what a value of such a type has is followed
within its function.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from surveyor.graph.expressions.model import (
    CollectionOf,
    Element,
    Expression,
    Instance,
    Member,
    Shape,
    Type,
    TypeAtPlace,
    TypePart,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tree_sitter import Node

__all__ = ["FieldsByStruct", "field_types", "follow_fields", "struct_type"]

FieldsByStruct = Mapping[str, Mapping[str, Expression]]
"""What the fields of such structs are, by the names that the structs go by in their file."""

STRUCT = "struct_type"
_HELD_BY = {
    "slice_type": "element",
    "array_type": "element",
    "implicit_length_array_type": "element",
    "map_type": "value",
    "channel_type": "value",
}
_MAX_DEPTH = 6


def field_types(struct: Node) -> Iterator[tuple[Node, Node]]:
    """(name, declared type) of the fields that a struct names."""
    for listed in struct.named_children:
        for declared in listed.named_children:
            type_ = declared.child_by_field_name("type")
            for name in declared.children_by_field_name("name"):
                if type_ is not None:
                    yield name, type_


def struct_type(written: Node) -> Type | None:
    """A struct that is written out, or a collection of such, known by the place of its first field;
    None of any other type."""
    node, held = written, 0
    for _ in range(_MAX_DEPTH):
        if node.type == STRUCT:
            first = next(field_types(node), None)
            if first is None:
                return None
            place = TypeAtPlace(*first[0].start_point)
            return Type((TypePart(place, (), (CollectionOf(),) * held),))
        if node.type == "pointer_type":
            inner = node.named_children[0] if node.named_children else None
        else:
            inner = node.child_by_field_name(_HELD_BY.get(node.type, "")) or None
            held += 1
        if inner is None:
            return None
        node = inner
    return None


def follow_fields(value: Expression, known: FieldsByStruct) -> Expression:
    """What a value is whose first steps lead through fields of such structs; unknown where these
    have no such field."""
    for _ in range(_MAX_DEPTH):
        head = value.head
        parts = head.type.parts if type(head) is Instance else ()
        shape = parts[0].head if len(parts) == 1 else None
        if type(shape) is not Shape or (fields := known.get(shape.qualname)) is None:
            return value
        steps, held = list(value.steps), len(parts[0].steps)
        while held and steps and type(steps[0]) is Element:
            steps, held = steps[1:], held - 1
        if held or not steps:
            return value
        first = steps[0]
        field = fields.get(first.name) if type(first) is Member else None
        if field is None:
            return value.unknown()
        value = field.then(*steps[1:])
    return value
