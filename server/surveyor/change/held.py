"""Calls of functions by variables that hold them."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from operator import attrgetter
from typing import TYPE_CHECKING

from msgspec.structs import replace

from surveyor.change.arguments import (
    LINKS,
    identifiers,
    is_member,
    passed_at,
    receiver_of,
    text_before,
)
from surveyor.change.jobs import HeldCalls
from surveyor.change.languages.reader import CallReader, child_of, text
from surveyor.change.signatures import Arguments
from surveyor.parsing.source import Utf16Columns

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["CLASSES", "Variables", "held_calls"]

CLASSES = frozenset(
    {"class", "class_declaration", "class_definition", "enum_declaration", "record_declaration",
     "struct_declaration", "record_struct_declaration"}
)  # fmt: skip
"""Nodes that define what has constructors."""
_BINDINGS = frozenset(
    {"assignment", "assignment_expression", "variable_declarator", "short_var_declaration",
     "var_spec", "let_declaration", "init_declarator", "property_declaration"}
)  # fmt: skip
"""Nodes that give a variable its value."""
_LISTS = frozenset({"expression_list"})
"""Nodes around the sides of an assignment, which have one child where there is one."""
_IN_VARIABLES = frozenset({"variable_name"})
"""Nodes around the leaf of a variable's name."""
_NAMES = ("identifier", "constant", "name")
"""How the types of nodes end that are variables."""
_BODY = re.compile(r"function|method|lambda|closure|func_literal|constructor|accessor")
_NO_BODY = re.compile(r"call|invocation|type|signature")
"""What nodes that are functions are called, and others that have such a word in their names."""
_CLASS_BODIES = CLASSES | {"class_body"}
_EXPORTED = frozenset({"export_specifier"})
_REFERENCES = frozenset({"method_reference", "callable_reference", "pointer_expression"})
"""Nodes that make a value of a function."""
_ARGUMENT_LISTS = frozenset({"argument_list", "value_argument", "value_arguments", "call_suffix"})
_DECLARING = frozenset({"variable_declarator", "property_declaration"})
_WORDS = re.compile(r"[\w$]+")


class Variables:
    """The names in a text, each with the places where it stands: read when the first is asked
    for."""

    def __init__(self, root: Node, data: bytes) -> None:
        self.data = data
        self._root: Node | None = root
        self._named: dict[str, list[Node]] = {}

    def within(self, node: Node, name: str, first_byte: int) -> Iterator[Node]:
        """Leaves in a node, in order and from a byte on, that may be the name of a variable,
        whatever sign it has."""
        if self._root is not None:
            for leaf in identifiers(self._root):
                self._named.setdefault(text(leaf).lstrip("$"), []).append(leaf)
            self._root = None
        leaves = self._named.get(name.lstrip("$"), [])
        first = bisect_left(leaves, max(first_byte, node.start_byte), key=attrgetter("start_byte"))
        for index in range(first, len(leaves)):
            if leaves[index].start_byte >= node.end_byte:
                break
            yield leaves[index]


class _Scope:
    """Where a variable is known."""

    def __init__(self, binding: Node, reader: CallReader) -> None:
        self.node: Node | None = binding
        self.is_module = False
        around = binding.parent
        hoisted = (
            around is not None
            and around.type == "variable_declaration"
            and (first := around.child(0)) is not None
            and first.type == "var"
        )
        blocks = frozenset[str]() if hoisted else reader.blocks
        self.first_byte = binding.end_byte if blocks and reader.is_known_from_binding else 0
        while self.node is not None:
            outer = self.node.parent
            if outer is None:
                self.is_module = True
                self.first_byte = 0
                return
            self.node = outer
            if outer.type in _CLASS_BODIES:
                self.node = None  # what a class has is reached through receivers
                return
            if outer.type in blocks:
                return
            if _BODY.search(outer.type) and not _NO_BODY.search(outer.type):
                return


def held_calls(
    name: Node | None, variables: Variables, columns: Utf16Columns, reader: CallReader
) -> HeldCalls:
    """What is done with what is named and not called: the calls of the variable that holds it, or
    who takes it."""
    if name is None:
        return HeldCalls()
    if reader.hands_by_arity and (takers := _takers(name)):
        return HeldCalls(takers=takers, taken_with=reader.taken_with(takers[0]))
    return _calls_of_variable(name, variables, columns, reader)


def _calls_of_variable(
    name: Node, variables: Variables, columns: Utf16Columns, reader: CallReader
) -> HeldCalls:
    data = variables.data
    value: Node | None = reader.function_value(name)
    while value is not None and value.parent is not None and value.parent.type not in _BINDINGS:
        around = value.parent
        before = data[around.start_byte : value.start_byte].rstrip()
        if around.end_byte != value.end_byte or (before and not before.endswith(LINKS)):
            return HeldCalls()  # an argument, a choice, what a key stands for
        value = around
    binding = value.parent if value is not None else None
    if value is None or binding is None:
        return HeldCalls()
    bound = _bound(binding, value)
    scope = _Scope(binding, reader)
    if bound is None or scope.node is None:
        return HeldCalls()
    receiver, calls = receiver_of(value, name, reader), []
    for node in variables.within(scope.node, text(bound), scope.first_byte):
        if is_member(data, node) or text(_variable(node)) != text(bound) or _is_within(node, bound):
            continue
        if scope.is_module and node.parent is not None and node.parent.type in _EXPORTED:
            continue
        arguments = _passed_to(node, reader)
        if arguments is None:
            return HeldCalls()  # read, handed on or bound anew
        row, byte = node.start_point
        column = columns.of(node.start_byte, byte)
        calls.append((row + 1, column, replace(arguments, receiver=receiver)))
    variable = text(bound) if scope.is_module else ""
    return HeldCalls(calls, are_all=True, variable=variable, receiver=receiver)


def _bound(binding: Node, value: Node) -> Node | None:
    """The variable that gets a value, where it is one, and gets nothing else."""
    field = binding.child_by_field_name
    left = field("left") or field("name") or field("pattern") or field("declarator")
    left = left or child_of(binding, "variable_declaration")
    if left is None or left.end_byte > value.start_byte:
        return None
    if binding.type == "assignment_expression" and left.type not in _IN_VARIABLES:
        return None  # what may be known outside
    while left is not None and left.type in _LISTS:
        left = left.named_children[0] if left.named_child_count == 1 else None
    if left is not None and left.type == "variable_declaration":
        left = left.named_children[0] if left.named_child_count == 1 else None
    return left if left is not None and left.type.endswith(_NAMES) else None


def _variable(leaf: Node) -> Node:
    """The variable that a leaf is the name of, with its sign."""
    around = leaf.parent
    return around if around is not None and around.type in _IN_VARIABLES else leaf


def _is_within(node: Node, outer: Node) -> bool:
    return outer.start_byte <= node.start_byte and node.end_byte <= outer.end_byte


def _passed_to(name: Node, reader: CallReader) -> Arguments | None:
    """What is passed to the function in a variable: `run(1)`, `run.invoke(1)`."""
    around = name.parent
    if around is None or around.start_byte != name.start_byte:
        return passed_at(name, reader)
    suffix = child_of(around, "navigation_suffix")
    member = suffix.named_children[-1] if suffix is not None and suffix.named_children else None
    if suffix is None and around.child_by_field_name("receiver") == name:
        member = around.child_by_field_name("method")
    elif suffix is None and around.child_by_field_name("expression") == name:
        member = around.child_by_field_name("name")
    if member is None:
        return passed_at(name, reader)
    return passed_at(member, reader) if text(member) in reader.invokers else None


def _takers(name: Node) -> tuple[str, ...]:
    """The function that takes what is named as an argument, or the type of the variable that it is
    put into."""
    value = name
    if value.parent is not None and value.parent.type in _REFERENCES:
        value = value.parent
    around = value.parent
    if around is not None and around.type in _DECLARING:
        declared = around if around.type == "property_declaration" else around.parent
        if declared is None:
            return ()
        kind = declared.child_by_field_name("type")
        if kind is None and (variable := child_of(around, "variable_declaration")) is not None:
            kind = variable.named_children[-1] if variable.named_child_count > 1 else None
        said = text(kind)
        base = said if "->" in said else said.partition("<")[0].rpartition(".")[2]
        return (base,) if base else ()
    is_passed = False
    while around is not None and around.type in _ARGUMENT_LISTS:
        value, around, is_passed = around, around.parent, True
    if around is None or not is_passed:
        return ()
    return tuple(_WORDS.findall(text_before(around, value))[-1:])
