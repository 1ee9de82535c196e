"""From a syntax tree to the signatures that it defines and the arguments that it passes."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING

from msgspec.structs import replace

from surveyor.change.arguments import (
    MAX_CLIMB,
    call_of,
    called_with,
    identifiers,
    is_member,
    passed_at,
    walked,
)
from surveyor.change.choices import choice_around, sealed_members
from surveyor.change.exports import exports_of
from surveyor.change.held import CLASSES, Variables, held_calls
from surveyor.change.jobs import (
    CallsJob,
    Choice,
    DeclaredType,
    DefinedReach,
    DefinedSignature,
    EnumMember,
    FileCalls,
    HandedOn,
    HeldCalls,
)
from surveyor.change.languages import OVERLOAD_READERS, READERS
from surveyor.change.languages.reader import CallReader, child_of, text
from surveyor.change.signatures import Arguments, CallParameter, Signature
from surveyor.change.static_members import with_static
from surveyor.change.type_members import declared_type, is_left_to_others
from surveyor.change.visibility import export_lists, reach_of
from surveyor.parsing.parse import FileTree, parse_with_tree
from surveyor.parsing.source import Utf16Columns, utf16_length
from surveyor.parsing.types import Symbol

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["read_calls"]

MAX_ERRORS = 20
_FUNCTIONS = frozenset({"function", "method", "constructor", "class", "struct", "record",
                        "variable", "constant", "field", "property", "declaration",
                        "enum", "enum_member"})  # fmt: skip
"""Kinds of symbols that may have parameters: classes by their primary constructors, variables by
the functions that they hold."""
_TYPE_PLACES = frozenset(
    {"type", "type_annotation", "extends_clause", "extends_type_clause", "implements_clause",
     "class_heritage", "superclass", "super_interfaces", "type_list", "base_list", "generic_type"}
)  # fmt: skip
"""Nodes that have the name of a type as a child, and bind none."""
_LOCAL = frozenset({"function", "method", "constructor"})
_PARTNERS = {")": "(", "]": "[", "}": "{"}
_FUNCTIONS_WITHOUT_NAME = frozenset({"do_block", "block_argument", "lambda"})


def read_calls(job: CallsJob) -> FileCalls:
    """What a text defines and passes; empty where its language is not read."""
    parsed, tree = parse_with_tree(job.path, job.data)
    readers = OVERLOAD_READERS if job.for_overloads else READERS
    reader = readers.get(tree.language.family) if tree is not None else None
    if tree is None or reader is None:
        return FileCalls.unread(job)
    names = _Names(tree)
    definitions = []
    for symbol in parsed.symbols:
        if symbol.kind not in _FUNCTIONS:
            continue
        name = names.at(symbol.line, symbol.column)
        signature = _signature(name, reader, job.for_overloads) if name is not None else None
        if name is not None and signature is not None:
            if symbol.kind == "method":
                signature = with_static(signature, name, tree.language.family)
            qualname = _qualname(symbol)
            place = (symbol.line, symbol.column, symbol.end_column)
            wrapped = reader.wrapped_by(name)
            is_left = is_left_to_others(name, tree.language.family)
            is_outside = name.parent is not None and name.parent.type == "qualified_identifier"
            further = [] if job.for_overloads else reader.further_lists(name)
            definitions += [
                DefinedSignature(qualname, symbol.kind, *place, each, wrapped, is_left, is_outside)
                for each in (
                    signature,
                    *(
                        replace(signature, parameters=_parameters(f, reader, False))
                        for f in further
                    ),
                )
            ]
    columns, variables = Utf16Columns(tree.data), Variables(tree.tree.root_node, tree.data)
    arguments: list[Arguments | None] = []
    not_called: list[HeldCalls | None] = []
    for line, column in job.places:
        name = names.at(line, column)
        passed = passed_at(name, reader) if name is not None else None
        arguments.append(passed)
        is_called = passed is not None
        not_called.append(None if is_called else held_calls(name, variables, columns, reader))
    root = tree.tree.root_node
    named = list(_free_calls(root, tree.data, frozenset(job.names), reader)) if job.names else []
    errors = _error_lines(root)
    may_be_gap = bool(errors) and reader.grammar_has_gaps and _is_balanced(root)
    handed_on = list(_handed_on(root, tree.data, reader)) if job.handed_on else []
    held = [held_calls(names.at(*place), variables, columns, reader) for place in job.held]
    types: list[DeclaredType | None] = []
    for line, column in job.bases:
        base = names.at(line, column)
        found = None if base is None else declared_type(base, tree.language.family, columns)
        types.append(found)
    choices: list[Choice | None] = []
    for line, column in job.choices:
        member = names.at(line, column)
        choices.append(None if member is None else choice_around(member, columns))
    enumerated = [
        EnumMember(each.container, each.name, each.line, f"{each.container}.{each.name}")
        for each in parsed.symbols
        if each.kind == "enum_member"
    ]
    if tree.language.family == "kotlin":
        enumerated += sealed_members(parsed.symbols, names.at)
    reaches = list(_reaches(parsed.symbols, tree, names)) if job.reaches else []
    family = tree.language.family
    exports = exports_of(root, tree.data, job.path, family) if job.reaches else None
    namespaces = [_qualname(each) for each in parsed.symbols if each.kind == "namespace"]
    return FileCalls(
        definitions, arguments, named, errors, parsed.imported_modules, may_be_gap, handed_on,
        held, not_called, types, choices, enumerated, reaches,
        namespaces, exports,
    )  # fmt: skip


def _reaches(symbols: Sequence[Symbol], tree: FileTree, names: _Names) -> Iterator[DefinedReach]:
    """From where definitions are seen that are in no function."""
    family = tree.language.family
    exported, is_module = frozenset[str](), True
    if family in ("typescript", "javascript"):
        exported, is_module = export_lists(tree.tree.root_node)
    local = {_qualname(each) for each in symbols if each.kind in _LOCAL}
    for symbol in symbols:
        if symbol.container in local or not (is_module or symbol.container):
            continue
        name = names.at(symbol.line, symbol.column)
        reach = reach_of(name, symbol, family, exported) if name is not None else None
        if reach is not None:
            yield DefinedReach(_qualname(symbol), symbol.line, reach)


def _qualname(symbol: Symbol) -> str:
    return f"{symbol.container}.{symbol.name}" if symbol.container else symbol.name


class _Names:
    """The nodes of names by their places."""

    def __init__(self, tree: FileTree) -> None:
        self._root = tree.tree.root_node
        self._lines = tree.data.split(b"\n")
        self._is_ascii = tree.data.isascii()
        self._wide: tuple[int, list[int], list[int]] = (-1, [], [])
        """The last row that was asked for and is not ASCII: where its characters begin, in UTF-16
        code units and in bytes."""

    def _byte_column(self, row: int, column: int) -> int:
        if row != self._wide[0]:
            text = self._lines[row].decode("utf-8", "replace")
            units = [0, *accumulate(map(utf16_length, text))]
            bytes_ = [0, *accumulate(len(character.encode()) for character in text)]
            self._wide = (row, units, bytes_)
        _, units, bytes_ = self._wide
        return bytes_[min(bisect_left(units, column), len(bytes_) - 1)]

    def at(self, line: int, column: int) -> Node | None:
        """The innermost node at a place; `line` 1-based, `column` in UTF-16 code units."""
        if not 0 < line <= len(self._lines):
            return None
        is_plain = self._is_ascii or self._lines[line - 1].isascii()
        byte = column if is_plain else self._byte_column(line - 1, column)
        return self._root.named_descendant_for_point_range((line - 1, byte), (line - 1, byte + 1))


def _signature(name: Node, reader: CallReader, with_types: bool) -> Signature | None:
    """What the function or class of this name takes."""
    node = name
    for _ in range(MAX_CLIMB):
        definition = node if node.type in reader.own_lists else node.parent
        if definition is None:
            return None
        if definition.type in reader.own_lists:
            return Signature(
                _parameters(definition, reader, with_types),
                is_private=with_types and reader.is_private(definition),
            )
        if definition.child_by_field_name("name") == name:
            fields = reader.fields(definition)
            if fields is not None:
                return Signature(
                    tuple(fields), is_private=with_types and reader.is_private(definition)
                )
        listed = definition.child_by_field_name("parameters") or child_of(definition, *reader.lists)
        if listed is None:
            field = definition.child_by_field_name
            held = field("value") or field("right") or _written_type(definition)
            if held is not None and held.start_byte >= name.end_byte:
                definition, field = held, held.child_by_field_name
                listed = field("parameters") or field("parameter")
                if listed is None:
                    return None  # a variable that holds no function
        if listed is not None:
            if listed.start_byte < name.end_byte:
                return None  # the name is of something inside
            return Signature(
                _parameters(listed, reader, with_types),
                reader.takes_instance(definition, listed),
                reader.shares_names,
                reader.results(definition),
                *reader.kind_of(definition),
                with_types and reader.is_private(definition),
                reader.extends(definition) if with_types else "",
            )
        node = definition
    return None


def _written_type(definition: Node) -> Node | None:
    """The type of functions that an interface says a member has: `put: (a: A) => void`."""
    if definition.type != "property_signature":
        return None
    annotation = child_of(definition, "type_annotation")
    return child_of(annotation, "function_type") if annotation is not None else None


def _parameters(listed: Node, reader: CallReader, with_types: bool) -> tuple[CallParameter, ...]:
    """Without their types, what takes the same is the same: a call that fits one fits the other."""
    found = reader.parameters(listed)
    return tuple(found if with_types else (replace(each, type_name="") for each in found))


def _handed_on(root: Node, data: bytes, reader: CallReader) -> Iterator[HandedOn]:
    """Calls of constructors by what is no name of them."""
    columns = Utf16Columns(data)
    for node in walked(root) if reader.handing_on else ():
        to = reader.handed_to(node) if node.type in reader.handing_on else ""
        owner = _class_around(node) if to else ""
        if not owner:
            continue
        fields = "body" if node.type in reader.literals else "arguments"
        listed = node.child_by_field_name(fields) or child_of(node, *reader.arguments)
        arguments = called_with(node, listed, "", reader)
        if arguments is not None:
            row, byte = node.start_point
            column = columns.of(node.start_byte, byte)
            yield HandedOn(owner, to == "above", row + 1, column, arguments)


def _class_around(node: Node) -> str:
    """The name of the class that a node is in; empty where a function without a name is between."""
    outer = node.parent
    while outer is not None and outer.type not in CLASSES and outer.type != "impl_item":
        if outer.type in _FUNCTIONS_WITHOUT_NAME:
            return ""
        outer = outer.parent
    if outer is None:
        return ""
    if outer.type == "impl_item":
        named = outer.child_by_field_name("type")
        generic = named.child_by_field_name("type") if named is not None else None
        return text(generic or named).rpartition("::")[2]
    return text(outer.child_by_field_name("name") or child_of(outer, "type_identifier"))


def _free_calls(
    root: Node, data: bytes, names: frozenset[str], reader: CallReader
) -> Iterator[tuple[str, int, int]]:
    """Calls of bare names that nothing in the text binds, and types that are named so."""
    columns = Utf16Columns(data)
    calls, bound = [], set[str]()
    for node in identifiers(root):
        name = text(node)
        if name not in names:
            continue
        if call_of(node, reader) is None and not _names_type(node):
            if not is_member(data, node):
                bound.add(name)  # or read: whatever it is, it may be given a meaning there
        elif not is_member(data, node):
            row, byte = node.start_point
            calls.append((name, row + 1, columns.of(node.start_byte, byte)))
    return (call for call in calls if call[0] not in bound)


def _names_type(name: Node) -> bool:
    """Whether a name stands where only a type does: what a class extends, an annotation."""
    parent = name.parent
    if parent is None:
        return False
    around = parent.parent
    if parent.type == "argument_list":  # Python's base classes
        return around is not None and around.type == "class_definition"
    return parent.type in _TYPE_PLACES


def _error_lines(root: Node) -> list[int]:
    return list(dict.fromkeys(_errors(root)))[:MAX_ERRORS]


def _is_balanced(root: Node) -> bool:
    """Whether every bracket of the code has its partner; those of texts and comments are no leaves
    of their own."""
    opened: list[str] = []
    waiting = [root]
    while waiting:
        node = waiting.pop()
        token = "" if node.is_missing else node.type.removeprefix("$")  # Kotlin's "${it}"
        if token in _PARTNERS.values():
            opened.append(token)
        elif token in _PARTNERS and (not opened or opened.pop() != _PARTNERS[token]):
            return False
        waiting.extend(reversed(node.children))
    return not opened


def _errors(root: Node) -> Iterator[int]:
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if not node.has_error:
            continue
        if node.is_error or node.is_missing:
            yield node.start_point[0] + 1
        else:
            waiting.extend(reversed(node.children))
