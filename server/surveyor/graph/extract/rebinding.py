"""Names that are given another value: from where on, and how far, they have it.

A name that a function binds once has its value everywhere in it. One that is bound again, by a
declaration in another block or by an assignment, has the new value in what is left of the block.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from surveyor.graph.expressions.model import Expression, Instance, Type, instance
from surveyor.graph.extract.written_types import declared_type

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["Narrowed", "Rest", "narrowed", "rest_of_block"]

_MAX_CLIMB = 12
_BLOCKS = frozenset(
    {"block", "statement_block", "compound_statement", "statement_list", "statements",
     "function_body", "body_statement", "constructor_body", "do_block", "then", "else", "begin",
     "class_body", "switch_case", "switch_block_statement_group"}
)  # fmt: skip
_FILES = frozenset({"program", "module", "source_file", "translation_unit", "compilation_unit"})
_LOOPS = frozenset(
    {"for_statement", "for_in_statement", "for_expression", "enhanced_for_statement",
     "foreach_statement", "for_range_loop", "for_in_clause", "for"}
)  # fmt: skip
_ASSIGNMENTS = frozenset({"assignment", "assignment_expression", "augmented_assignment"})
_NO_STATEMENTS = frozenset(
    {"parameters", "formal_parameters", "parameter", "match_arm", "closure_parameters",
     "catch_clause", "except_clause", "with_statement", "let_condition", "let_chain"}
)  # fmt: skip


class Rest(NamedTuple):
    """Where a name that is bound again has its new value."""

    start: int
    end: int
    is_assigned: bool
    """It is no declaration: the variable is the one that it was."""
    is_top: bool
    """The statement stands in the file itself, in no block."""


def rest_of_block(name: Node) -> Rest | None:
    """What is left of the block behind the statement that binds a name; None where that is not
    said by where it stands."""
    is_assigned = False
    child, parent = name, name.parent
    for _ in range(_MAX_CLIMB):
        if parent is None or parent.type in _NO_STATEMENTS:
            return None
        if parent.type in _LOOPS:
            return Rest(child.end_byte, parent.end_byte, is_assigned, False)
        if parent.type in _BLOCKS or parent.type in _FILES:
            is_top = parent.type in _FILES
            return Rest(child.end_byte, parent.end_byte, is_assigned, is_top)
        is_assigned = is_assigned or parent.type in _ASSIGNMENTS
        child, parent = parent, parent.parent
    return None


def _of_class(condition: Node) -> list[Node | None]:
    """`it.getClass() == Car.class`, `Car.class.isInstance(it)`, `Car.class.isAssignableFrom(
    it.getClass())`: the name and the type; empty for anything else."""
    field = condition.child_by_field_name
    literal, tested = field("right"), field("left")
    name, listed = field("name"), field("arguments")
    if literal is None and name is not None and listed is not None and listed.named_children:
        if name.text not in (b"isInstance", b"isAssignableFrom"):
            return []
        literal, tested = field("object"), listed.named_children[0]
    if tested is not None and tested.type == "method_invocation":
        asked = tested.child_by_field_name("name")
        is_class = asked is not None and asked.text == b"getClass"
        tested = tested.child_by_field_name("object") if is_class else None
    if literal is None or literal.type != "class_literal" or tested is None:
        return []
    return [tested, literal.named_children[0]] if tested.type == "identifier" else []


class Narrowed(NamedTuple):
    """A name that a test says the type of, and the part of the file where that holds."""

    name: Node
    value: Expression
    body: Node


def _of_case(case: Node) -> Narrowed | None:
    """A case of one type: with several the name has that of what is switched over."""
    switch, types = case.parent, case.children_by_field_name("type")
    alias = switch.child_by_field_name("alias") if switch is not None else None
    value = declared_type(types[0]) if len(types) == 1 else None
    if alias is None or value is None:
        return None
    return Narrowed(alias.named_children[0], value, case)


def narrowed(test: Node) -> Narrowed | None:
    """`if (it instanceof Car) …`, `if isinstance(it, (Car, Van)): …`, Java's by `Car.class`, and
    `case Car:` of Go's `switch it := any.(type)`."""
    if test.type == "type_case":
        return _of_case(test)
    condition, body = test.child_by_field_name("condition"), test.child_by_field_name("consequence")
    if condition is not None and condition.type == "parenthesized_expression":
        condition = condition.named_children[0]
    if condition is None or body is None:
        return None
    given: list[Node | None] = [
        condition.child_by_field_name("left"), condition.child_by_field_name("right")
    ]  # fmt: skip
    if given[0] is None or given[0].type == "method_invocation":
        given = _of_class(condition) or given
    if condition.type == "call":
        arguments = condition.child_by_field_name("arguments")
        given = [*arguments.named_children] if arguments is not None else []
    if len(given) != 2 or given[0] is None or given[1] is None:
        return None
    types = given[1].named_children if given[1].type == "tuple" else [given[1]]
    parts = [
        part
        for each in types
        if (found := declared_type(each)) is not None and type(found.head) is Instance
        for part in found.head.type.parts
    ]
    value = instance(Type(tuple(parts))) if parts else None
    return Narrowed(given[0], value, body) if value is not None else None
