"""What calls pass, read from where they stand in a syntax tree."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from msgspec.structs import replace

from surveyor.change.languages.reader import CallReader, child_of
from surveyor.change.languages.results import use_of
from surveyor.change.signatures import Arguments
from surveyor.parsing.depth import MAX_TREE_DEPTH

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = [
    "LINKS",
    "MAX_CLIMB",
    "call_of",
    "called_with",
    "identifiers",
    "is_member",
    "passed_at",
    "receiver_of",
    "text_before",
    "walked",
]

MAX_CLIMB = 5
"""Nodes between a name and the function or call that it names."""
LINKS = (b".", b"->", b"::", b"?.")
"""What stands before the name of a member."""
_MAX_BEFORE = 400
"""Bytes before a name in which the word before it is looked for."""
_NO_LIST = frozenset({"template_string"})
_IDENTIFIERS = ("identifier", "constant", "name")
"""How the types of leaves end that are names."""
_BLOCKS = ("annotated_lambda", "lambda_literal")
_LAST_WORD = re.compile(r"([\w$]+)\W*$")
_POINTER_TYPE = re.compile(r"^\(\*(?:\w+\.)?(\w+)\)\.$")


def passed_at(name: Node, reader: CallReader) -> Arguments | None:
    """What is passed where a name is called."""
    if reader.function_value(name) != name:
        return None
    if _takes_one(name, reader):
        return Arguments(positional=1, end_line=name.end_point[0] + 1)
    found = call_of(name, reader)
    if found is None and (made := reader.made_in_declaration(name)) is not None:
        return called_with(*made, "", reader)
    if found is None:
        hidden = reader.in_tokens(name)
        if hidden < 0 or name.parent is None:
            return None
        receiver, last = receiver_of(name.parent, name, reader), name.end_point[0] + 1
        return Arguments(hidden, receiver=receiver, end_line=last)
    call, listed = found
    return called_with(call, listed, receiver_of(call, name, reader), reader)


def _takes_one(name: Node, reader: CallReader) -> bool:
    """`@f` hands over what stands below it, `a put b` what is behind the name."""
    around = name.parent
    if around is not None and around.type == "attribute":
        around = around.parent if around.end_byte == name.end_byte else None
    if around is None or around.type not in reader.one_passed:
        return False
    return around.type != "infix_expression" or around.named_children[1] == name


def called_with(
    call: Node, listed: Node | None, receiver: str, reader: CallReader
) -> Arguments | None:
    """What a call passes; None where it cannot be read."""
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
        block = child_of(listed, *_BLOCKS) is not None
        taken = replace(taken, block=block or (reader.block_outside and _has_block_around(call)))
        listed = child_of(listed, "value_arguments")
        if listed is None:
            return taken
    if listed.type == "generator_expression" or listed.type in reader.block_arguments:
        return replace(taken, positional=1)
    values = _values(listed)
    if not values and reader.empty_literals and call.type in reader.literals:
        return replace(taken, is_open=True)
    return _passed(taken, values, reader)


def _has_block_around(call: Node) -> bool:
    """`f(1) { }` in Swift: the call with a function is around the one with the brackets."""
    outer = call.parent
    if outer is None or outer.type != "call_expression" or outer.start_byte != call.start_byte:
        return False
    suffix = child_of(outer, "call_suffix")
    return suffix is not None and child_of(suffix, *_BLOCKS) is not None


def _passed(taken: Arguments, values: Sequence[Node], reader: CallReader) -> Arguments:
    positional, names, is_open = 0, [], False
    kinds: list[str] = []
    for value in values:
        passed = reader.argument(value)
        if passed is None:
            continue
        is_open = is_open or passed.is_spread or passed.leaves_out
        if passed.name:
            names.append(passed.name)
        elif not passed.is_spread:
            positional += 1
            kinds.append(_kind(value))
    if reader.single_call_is_open and len(values) == 1 and values[0].type == "call_expression":
        return replace(taken, is_open=True, of_one_call=True)
    copies = reader.copies and len(values) == 1 and not values[0].type.endswith("literal")
    return replace(
        taken,
        positional=positional,
        names=tuple(names),
        is_open=is_open,
        may_copy=copies,
        kinds=tuple(kinds) if any(kinds) else (),
    )


_KINDS = {
    "true": "bool", "false": "bool", "boolean_literal": "bool", "null": "null", "nil": "null",
    "null_literal": "null", "nullptr": "null", "lambda_expression": "function",
    "anonymous_method_expression": "function", "lambda_literal": "function",
    "annotated_lambda": "function", "method_reference": "function", "number_literal": "number",
    "integer_literal": "number", "real_literal": "number", "decimal_integer_literal": "number",
    "hex_integer_literal": "number", "decimal_floating_point_literal": "number",
    "interpolated_string_expression": "string",
}  # fmt: skip
_WRAPPED = frozenset({"argument", "value_argument"})
_MADE = frozenset({"object_creation_expression", "new_expression"})
_MEMBERS = frozenset({"member_access_expression", "field_access", "qualified_identifier"})


def _kind(value: Node) -> str:
    """What an argument shows of its type, as `Arguments.kinds` says it."""
    if value.type in _WRAPPED and value.named_children:
        value = value.named_children[-1]
    if value.type in _KINDS:
        return _KINDS[value.type]
    if value.type.endswith(("string_literal", "string")):
        return "string"
    if value.type in _MADE:
        made = value.child_by_field_name("type")
        name = made.text.decode("utf-8", "replace") if made is not None and made.text else ""
        return f"new {''.join(name.split())}" if name else ""
    if value.type in _MEMBERS and value.named_children:
        holder = value.named_children[0]
        if holder.type in _MEMBERS and holder.named_children:
            holder = holder.named_children[-1]
        if holder.type.endswith("identifier") and not holder.child_count and holder.text:
            return f"{holder.text.decode('utf-8', 'replace')}."
    return ""


def _values(listed: Node) -> list[Node]:
    return [child for child in listed.named_children if "comment" not in child.type]


def call_of(name: Node, reader: CallReader) -> tuple[Node, Node | None] | None:
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


def receiver_of(call: Node, name: Node, reader: CallReader) -> str:
    """The last name before a called one, as `Arguments.receiver` says it."""
    before = text_before(call, name)
    if reader.methods_by_path and before.rstrip().endswith("::"):
        return "::"
    if (pointer := _POINTER_TYPE.search(before)) is not None:
        return f"*{pointer[1]}"
    match = _LAST_WORD.search(before)
    return match[1] if match else ""


def text_before(whole: Node, part: Node) -> str:
    """What stands in a node before a part of it: the end of that, where it is long."""
    before = (whole.text or b"")[: max(0, part.start_byte - whole.start_byte)]
    return before[-_MAX_BEFORE:].decode("utf-8", "replace")


def identifiers(root: Node) -> Iterator[Node]:
    """Every leaf that is a name, in order."""
    for node in walked(root):
        if not node.child_count and node.is_named and node.type.endswith(_IDENTIFIERS):
            yield node


def walked(root: Node) -> Iterator[Node]:
    """A node and those below it, in order, as deep as trees are read."""
    waiting = [(root, MAX_TREE_DEPTH)]
    while waiting:
        node, levels = waiting.pop()
        yield node
        if levels and node.child_count:
            levels -= 1
            waiting += [(child, levels) for child in reversed(node.children)]


def is_member(data: bytes, name: Node) -> bool:
    """Whether a name stands behind a dot or its like."""
    return data[max(0, name.start_byte - 80) : name.start_byte].rstrip().endswith(LINKS)
