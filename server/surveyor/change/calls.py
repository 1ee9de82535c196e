"""From a syntax tree to the signatures that it defines and the arguments that it passes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from msgspec.structs import replace

from surveyor.change.jobs import CallsJob, DefinedSignature, FileCalls, HandedOn, HeldCalls
from surveyor.change.languages import READERS
from surveyor.change.languages.reader import CallReader, child_of, text
from surveyor.change.languages.results import use_of
from surveyor.change.signatures import Arguments, Signature
from surveyor.parsing.parse import FileTree, parse_with_tree
from surveyor.parsing.source import Utf16Columns, utf16_length

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["read_calls"]

MAX_CLIMB = 5
"""Nodes between a name and the function or call that it names."""
MAX_ERRORS = 20
_FUNCTIONS = frozenset({"function", "method", "constructor", "class", "struct", "record",
                        "variable", "constant", "field", "property", "declaration",
                        "enum", "enum_member"})  # fmt: skip
"""Kinds of symbols that may have parameters: classes by their primary constructors, variables by
the functions that they hold."""
_NO_LIST = frozenset({"template_string"})
_TYPE_PLACES = frozenset(
    {"type", "type_annotation", "extends_clause", "extends_type_clause", "implements_clause",
     "class_heritage", "superclass", "super_interfaces", "type_list", "base_list", "generic_type"}
)  # fmt: skip
"""Nodes that have the name of a type as a child, and bind none."""
_LISTS = frozenset({"expression_list"})
"""Nodes around the sides of an assignment, which have one child where there is one."""
_PARTNERS = {")": "(", "]": "[", "}": "{"}
_IDENTIFIERS = ("identifier", "constant", "name")
"""How the types of leaves end that are names."""
_LINKS = (b".", b"->", b"::", b"?.")
_LAST_WORD = re.compile(r"([\w$]+)\W*$")
_POINTER_TYPE = re.compile(r"^\(\*(?:\w+\.)?(\w+)\)\.$")
_CLASSES = frozenset(
    {"class", "class_declaration", "class_definition", "enum_declaration", "record_declaration",
     "struct_declaration", "record_struct_declaration"}
)  # fmt: skip
"""Nodes that define what has constructors."""
_FUNCTIONS_WITHOUT_NAME = frozenset({"do_block", "block_argument", "lambda"})
_BINDINGS = frozenset(
    {"assignment", "variable_declarator", "short_var_declaration", "var_spec", "let_declaration",
     "init_declarator"}
)  # fmt: skip
"""Nodes that give a variable its value."""
_BODY = re.compile(r"function|method|lambda|closure|func_literal|constructor|accessor")
_NO_BODY = re.compile(r"call|invocation|type|signature")
"""What nodes that are functions are called, and others that have such a word in their names."""


def read_calls(job: CallsJob) -> FileCalls:
    """What a text defines and passes; empty where its language is not read."""
    parsed, tree = parse_with_tree(job.path, job.data)
    reader = READERS.get(tree.language.family) if tree is not None else None
    if tree is None or reader is None:
        return FileCalls.unread(job)
    names = _Names(tree)
    definitions = []
    for symbol in parsed.symbols:
        if symbol.kind not in _FUNCTIONS:
            continue
        name = names.at(symbol.line, symbol.column)
        signature = _signature(name, reader) if name is not None else None
        if name is not None and signature is not None:
            qualname = f"{symbol.container}.{symbol.name}" if symbol.container else symbol.name
            place = (symbol.line, symbol.column, symbol.end_column)
            wrapped = reader.wrapped_by(name)
            definitions.append(DefinedSignature(qualname, symbol.kind, *place, signature, wrapped))
    arguments = []
    for line, column in job.places:
        name = names.at(line, column)
        arguments.append(_arguments(name, reader) if name is not None else None)
    root = tree.tree.root_node
    named = list(_free_calls(root, tree.data, frozenset(job.names), reader)) if job.names else []
    errors = _error_lines(root)
    may_be_gap = bool(errors) and reader.grammar_has_gaps and _is_balanced(root)
    handed_on = list(_handed_on(root, tree.data, reader)) if job.handed_on else []
    columns = Utf16Columns(tree.data) if job.held else None
    held = [_held(names.at(*place), tree.data, columns, reader) for place in job.held if columns]
    return FileCalls(
        definitions, arguments, named, errors, parsed.imported_modules, may_be_gap, handed_on, held
    )


class _Names:
    """The nodes of names by their places."""

    def __init__(self, tree: FileTree) -> None:
        self._root = tree.tree.root_node
        self._lines = tree.data.split(b"\n")

    def at(self, line: int, column: int) -> Node | None:
        """The innermost node at a place; `line` 1-based, `column` in UTF-16 code units."""
        if not 0 < line <= len(self._lines):
            return None
        row = self._lines[line - 1]
        byte = column if row.isascii() else _byte_column(row, column)
        return self._root.named_descendant_for_point_range((line - 1, byte), (line - 1, byte + 1))


def _byte_column(row: bytes, column: int) -> int:
    units = 0
    decoded = row.decode("utf-8", "replace")
    for number, character in enumerate(decoded):
        if units >= column:
            return len(decoded[:number].encode())
        units += utf16_length(character)
    return len(row)


def _signature(name: Node, reader: CallReader) -> Signature | None:
    """What the function or class of this name takes."""
    node = name
    for _ in range(MAX_CLIMB):
        definition = node.parent
        if definition is None:
            return None
        if definition.child_by_field_name("name") == name:
            fields = reader.fields(definition)
            if fields is not None:
                return Signature(tuple(fields))
        listed = definition.child_by_field_name("parameters") or child_of(definition, *reader.lists)
        if listed is None:
            field = definition.child_by_field_name
            held = field("value") or field("right")
            if held is not None and held.start_byte >= name.end_byte:
                definition, field = held, held.child_by_field_name
                listed = field("parameters") or field("parameter")
                if listed is None:
                    return None  # a variable that holds no function
        if listed is not None:
            if listed.start_byte < name.end_byte:
                return None  # the name is of something inside
            return Signature(
                tuple(reader.parameters(listed)),
                reader.takes_instance(definition, listed),
                reader.shares_names,
                reader.results(definition),
                *reader.kind_of(definition),
            )
        node = definition
    return None


def _arguments(name: Node, reader: CallReader) -> Arguments | None:
    """What is passed where a name is called."""
    found = _call(name, reader)
    if found is None:
        hidden = reader.in_tokens(name)
        if hidden < 0 or name.parent is None:
            return None
        receiver, last = _receiver(name.parent, name, reader), name.end_point[0] + 1
        return Arguments(hidden, receiver=receiver, end_line=last)
    call, listed = found
    return _called_with(call, listed, _receiver(call, name, reader), reader)


def _called_with(
    call: Node, listed: Node | None, receiver: str, reader: CallReader
) -> Arguments | None:
    if call.has_error:
        return None
    use = use_of(call, reader.result_uses)
    taken = Arguments(
        names_are_one=reader.names_are_one,
        receiver=receiver,
        taken=use.taken if use.taken >= 0 else reader.taken(call),
        end_line=call.end_point[0] + 1,
        is_used=use.is_used,
        takes_fewer=use.takes_fewer,
        needs_value=use.needs_value,
    )
    if listed is None:
        return taken
    if listed.type == "call_suffix":
        block = child_of(listed, "annotated_lambda") is not None
        taken = replace(taken, block=block)
        listed = child_of(listed, "value_arguments")
        if listed is None:
            return taken
    if listed.type == "generator_expression":
        return replace(taken, positional=1)
    return _passed(taken, _values(listed), reader)


def _passed(taken: Arguments, values: Sequence[Node], reader: CallReader) -> Arguments:
    positional, names, is_open = 0, [], False
    for value in values:
        passed = reader.argument(value)
        if passed is None:
            continue
        is_open = is_open or passed.is_spread or passed.leaves_out
        if passed.name:
            names.append(passed.name)
        elif not passed.is_spread:
            positional += 1
    if reader.single_call_is_open and len(values) == 1 and values[0].type == "call_expression":
        positional, is_open = 0, True
    copies = reader.copies and len(values) == 1 and not values[0].type.endswith("literal")
    return replace(
        taken, positional=positional, names=tuple(names), is_open=is_open, may_copy=copies
    )


def _held(name: Node | None, data: bytes, columns: Utf16Columns, reader: CallReader) -> HeldCalls:
    """The calls of the variable that holds what is named, if one does."""
    value = name
    while value is not None and value.parent is not None and value.parent.type not in _BINDINGS:
        around = value.parent
        before = data[around.start_byte : value.start_byte].rstrip()
        if around.end_byte != value.end_byte or (before and not before.endswith(_LINKS)):
            return HeldCalls()  # an argument, a choice, what a key stands for
        value = around
    binding = value.parent if value is not None else None
    if name is None or value is None or binding is None:
        return HeldCalls()
    bound = _bound(binding, value)
    scope, is_function = _scope(binding)
    if bound is None or scope is None:
        return HeldCalls()
    receiver, calls, are_all = _receiver(value, name, reader), [], is_function
    for node in _identifiers(scope):
        if text(node) != text(bound) or node == bound or _is_member(data, node):
            continue
        arguments = _arguments(node, reader)
        if arguments is None:
            return HeldCalls()  # read, handed on or bound anew
        row, byte = node.start_point
        column = columns.of(node.start_byte, byte)
        calls.append((row + 1, column, replace(arguments, receiver=receiver)))
    return HeldCalls(calls, are_all)


def _bound(binding: Node, value: Node) -> Node | None:
    """The variable that gets a value, where it is one, and gets nothing else."""
    field = binding.child_by_field_name
    left = field("left") or field("name") or field("pattern") or field("declarator")
    if left is None or left.end_byte > value.start_byte:
        return None
    while left is not None and left.type in _LISTS:
        left = left.named_children[0] if left.named_child_count == 1 else None
    return left if left is not None and left.type.endswith(_IDENTIFIERS) else None


def _scope(binding: Node) -> tuple[Node | None, bool]:
    """Where a variable is known: the function around it or the whole text, and whether the first;
    None for what a class has, which is reached through receivers."""
    node = binding
    while node.parent is not None:
        node = node.parent
        if node.type in _CLASSES or node.type == "class_body":
            return None, False
        if _BODY.search(node.type) and not _NO_BODY.search(node.type):
            return node, True
    return node, False


def _handed_on(root: Node, data: bytes, reader: CallReader) -> Iterator[HandedOn]:
    """Calls of constructors by what is no name of them."""
    columns = Utf16Columns(data)
    waiting = [root] if reader.handing_on else []
    while waiting:
        node = waiting.pop()
        waiting += reversed(node.named_children)
        to = reader.handed_to(node) if node.type in reader.handing_on else ""
        owner = _class_around(node) if to else ""
        if not owner:
            continue
        listed = node.child_by_field_name("arguments") or child_of(node, *reader.arguments)
        arguments = _called_with(node, listed, "", reader)
        if arguments is not None:
            row, byte = node.start_point
            column = columns.of(node.start_byte, byte)
            yield HandedOn(owner, to == "above", row + 1, column, arguments)


def _class_around(node: Node) -> str:
    """The name of the class that a node is in; empty where a function without a name is between."""
    outer = node.parent
    while outer is not None and outer.type not in _CLASSES:
        if outer.type in _FUNCTIONS_WITHOUT_NAME:
            return ""
        outer = outer.parent
    if outer is None:
        return ""
    return text(outer.child_by_field_name("name") or child_of(outer, "type_identifier"))


def _values(listed: Node) -> list[Node]:
    return [child for child in listed.named_children if "comment" not in child.type]


def _call(name: Node, reader: CallReader) -> tuple[Node, Node | None] | None:
    """The call of a name and its list of arguments, if it has one."""
    node = name
    for _ in range(MAX_CLIMB):
        call = node.parent
        if call is None:
            return None
        if call.type in reader.wrappers:  # its arguments are types
            node = call
            continue
        if call.type in reader.literals:
            fields = call.child_by_field_name("body")
            return (
                (call, fields)
                if fields is not None and name.end_byte <= fields.start_byte
                else None
            )
        listed = call.child_by_field_name("arguments") or child_of(
            call, "call_suffix", *reader.arguments
        )
        if listed is not None and listed.start_byte >= name.end_byte:
            return None if listed.type in _NO_LIST else (call, listed)
        if listed is None and (call.type in reader.bare_calls or _is_bare(call, node)):
            return call, None
        if call.end_byte != node.end_byte:
            return None
        node = call
    return None


def _is_bare(call: Node, name: Node) -> bool:
    """`box.open` in Ruby: a call without brackets, unless something is assigned to it."""
    if call.type != "call" or call.child_by_field_name("method") != name:
        return False
    around = call.parent
    return around is None or around.child_by_field_name("left") != call


def _receiver(call: Node, name: Node, reader: CallReader) -> str:
    before = text(call).encode()[: max(0, name.start_byte - call.start_byte)].decode()
    if reader.methods_by_path and before.rstrip().endswith("::"):
        return "::"
    if (pointer := _POINTER_TYPE.search(before)) is not None:
        return f"*{pointer[1]}"
    match = _LAST_WORD.search(before)
    return match[1] if match else ""


def _free_calls(
    root: Node, data: bytes, names: frozenset[str], reader: CallReader
) -> Iterator[tuple[str, int, int]]:
    """Calls of bare names that nothing in the text binds, and types that are named so."""
    columns = Utf16Columns(data)
    calls, bound = [], set[str]()
    for node in _identifiers(root):
        name = text(node)
        if name not in names:
            continue
        if _call(node, reader) is None and not _names_type(node):
            if not _is_member(data, node):
                bound.add(name)  # or read: whatever it is, it may be given a meaning there
        elif not _is_member(data, node):
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


def _identifiers(root: Node) -> Iterator[Node]:
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if node.child_count:
            waiting += reversed(node.children)
        elif node.is_named and node.type.endswith(_IDENTIFIERS):
            yield node


def _is_member(data: bytes, name: Node) -> bool:
    return data[max(0, name.start_byte - 80) : name.start_byte].rstrip().endswith(_LINKS)


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


def _errors(node: Node) -> Iterator[int]:
    if not node.has_error:
        return
    if node.is_error or node.is_missing:
        yield node.start_point[0] + 1
        return
    for child in node.children:
        yield from _errors(child)
