"""Fields by the names of arguments: `Box(width=1)` and `box.copy(width=2)` set `Box.width`, where a
constructor takes what the type declares (data classes, records, case classes)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from surveyor.graph.expressions.grammar import parse
from surveyor.graph.expressions.model import Call, Expression
from surveyor.graph.extract.written_types import declared_type, expression_of, text_of
from surveyor.parsing.children import first_named

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["given_to"]

_AROUND = frozenset(
    {
        *("keyword_argument", "argument_list", "argument", "arguments", "assignment_expression"),
        *("value_argument_label", "value_argument", "value_arguments", "call_suffix"),
        *("element_value_pair", "annotation_argument_list", "assignment", "ERROR"),
        *("call_struct_argument", "call_argument"),
    }
)
_TYPED = frozenset(
    {"object_creation_expression", "constructor_invocation", "annotation", "attribute",
     "instance_expression", "extends_clause"}
)  # fmt: skip
"""What makes something of a type that is written there: `new Box(…)`, `: Box(…)`, `@Box(…)`, PHP's
`#[Box(…)]`."""
_CALLS = frozenset({"call", "call_expression"})
_MEMBERS = frozenset({"attribute", "field_expression", "navigation_expression"})
_COPIES = frozenset({"copy", "_replace"})
"""Methods that make another value of the type: of Kotlin and Scala, of Python's named tuples."""
_COPYING = frozenset({"replace", "evolve"})
"""Functions that make another value of the type of their first argument: of Python's dataclasses
and attrs."""
_PLAIN = re.compile(r"[\w.]+")


def given_to(name: Node) -> Expression | None:
    """What is made of a type by the call whose argument has a name; None where nothing is."""
    call = name.parent
    while call is not None and call.type in _AROUND:
        call = call.parent
    if call is None:
        return None
    if call.parent is not None and call.parent.type == "signature":
        return None  # Julia declares a parameter as it gives an argument
    if call.type in _TYPED:
        named = call.child_by_field_name("type") or call.child_by_field_name("name")
        return declared_type(named or first_named(call))
    if call.type not in _CALLS:
        return None
    called = call.child_by_field_name("function") or call.child(0)
    if called is None:
        return None
    word = text_of(called).rpartition(".")[2].strip()
    if word in _COPIES and called.type in _MEMBERS:
        return _value(called.child(0))
    if word in _COPYING:
        arguments = call.child_by_field_name("arguments")
        return _value(first_named(arguments))
    if not word[:1].isupper():
        return None
    text = text_of(called)
    if _PLAIN.fullmatch(text) and (maker := parse(text)) is not None:
        return maker.then(Call())  # whatever the length of what it is handed
    return expression_of(call, with_arguments=False)


def _value(node: Node | None) -> Expression | None:
    if node is None:
        return None
    text = text_of(node)
    return parse(text) if _PLAIN.fullmatch(text) else expression_of(node)
