"""Lists and dictionaries that are written out, as far as they may hold functions and objects.

Each is a shape by a name of its own, and what it holds are facts of that (`keys.element_of`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from surveyor.graph.extract.written_types import text_of

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["ANY", "element_key", "elements_of", "is_table", "table_elements"]

ANY = ""
"""The key of what may stand under any."""
MAX_ELEMENTS = 40
"""Of one table: with more it is data."""
_TELLING = frozenset(
    {"identifier", "attribute", "call", "dictionary", "list", "tuple", "subscript", "array",
     "object", "member_expression", "call_expression", "new_expression", "subscript_expression"}
)  # fmt: skip
_HOLDERS = frozenset(
    {"assignment", "pair", "list", "tuple", "return_statement", "argument_list",
     "keyword_argument", "parenthesized_expression", "default_parameter", "variable_declarator",
     "assignment_expression", "array", "arguments", "assignment_pattern", "field_definition"}
)  # fmt: skip
_NUMBERS = frozenset({"integer", "number"})
_FILLED = frozenset({"assignment", "variable_declarator"})
"""What names a list that may be filled later."""
_STRING = re.compile(r"""^['"]([\w-]+)['"]$""")


def element_key(key: Node) -> str:
    """The key that a subscript or a pair names; `ANY` where it is computed."""
    text = text_of(key)
    if key.type in _NUMBERS and text.isdecimal():
        return text
    match = _STRING.match(text) if key.type == "string" else None
    if match is None:
        return ANY
    # In JavaScript `1` and "1" are one key.
    is_number = match[1].isdecimal() and key.named_children[0].type == "string_fragment"
    return match[1] if is_number else f"'{match[1]}"


def elements_of(sequence: Node) -> list[Node]:
    """What a list or tuple holds, in order."""
    return [child for child in sequence.named_children if child.type != "comment"]


def is_table(literal: Node) -> bool:
    """Whether a literal may be looked up for something that it holds."""
    parent = literal.parent
    if parent is None or parent.type not in _HOLDERS:
        return False
    if parent.type in _FILLED and literal.type != "tuple":
        return len(literal.named_children) <= MAX_ELEMENTS
    found = list(table_elements(literal))
    return 0 < len(found) <= MAX_ELEMENTS


def table_elements(literal: Node) -> Iterator[tuple[str, Node]]:
    """(key, value) of what a literal holds, where the value may be anything but data."""
    for index, child in enumerate(elements_of(literal)):
        if literal.type == "dictionary":
            key = child.child_by_field_name("key") if child.type == "pair" else None
            value = child.child_by_field_name("value") if child.type == "pair" else None
            if key is None or value is None:
                continue
            where = element_key(key)
        else:
            value, where = child, str(index)
        if value.type in _TELLING:
            yield where, value
