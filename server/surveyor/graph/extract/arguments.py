"""What calls are handed, as far as it can say what a function's type parameters stand for.

Written behind a call, `produce()(base;)`: expressions in their order, empty where they say nothing;
`=>x` is a function that gives x.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from surveyor.graph.extract.type_names import split

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = [
    "MAX_ARGUMENTS",
    "NONE",
    "arguments_at",
    "handed",
    "split_arguments",
    "without_arguments",
]

MAX_ARGUMENTS = 3
"""Of one call."""
_MAX_LENGTH = 80
"""Of one argument's expression."""
_TELLING = frozenset(
    {"identifier", "member_expression", "call_expression", "new_expression", "object", "array",
     "await_expression", "as_expression", "subscript_expression", "arrow_function"}
)  # fmt: skip
_RESULTS = frozenset(
    {"new_expression", "call_expression", "parenthesized_expression", "await_expression",
     "as_expression"}
)  # fmt: skip
NONE = "0"
"""Stands for the arguments of a call that has none."""
_OPEN = "("
_NO_FUNCTIONS = frozenset({"require", "import", "describe", "it", "test", "expect"})


def handed(call: Node, expression_of: Callable[[Node], str]) -> str:
    """The arguments of a call of JavaScript; empty where they say nothing."""
    listed = call.child_by_field_name("arguments")
    called = call.child_by_field_name("function")
    if listed is None or listed.type != "arguments" or called is None:
        return ""
    if called.type not in ("identifier", "member_expression", "call_expression"):
        return ""
    text = called.text
    if text is None or text.decode("utf-8", "replace") in _NO_FUNCTIONS:
        return ""
    found = []
    for argument in listed.named_children[:MAX_ARGUMENTS]:
        value = ""
        if argument.type in ("arrow_function", "function_expression"):
            body = argument.child_by_field_name("body")
            if body is not None and body.type in _RESULTS:
                value = without_arguments(expression_of(body))
            value = f"=>{value}"
        elif argument.type in _TELLING:
            value = without_arguments(expression_of(argument))
        found.append(value if len(value) <= _MAX_LENGTH else "=>" if value[:2] == "=>" else "")
    if not found and call.child_by_field_name("type_arguments") is not None:
        return f"({NONE};)"
    return f"({';'.join(found)};)" if any(found) else ""


def arguments_at(expression: str, start: int) -> int:
    """The end of the arguments that begin at `start`; -1 where none do."""
    if expression[start : start + 1] != _OPEN or expression[start + 1 : start + 2] == ")":
        return -1
    depth = 0
    for index in range(start, len(expression)):
        if expression[index] == "(":
            depth += 1
        elif expression[index] == ")":
            depth -= 1
            if not depth:
                return index + 1
    return -1


def split_arguments(token: str) -> list[str]:
    """The expressions in `(a;b;)`."""
    return split(token[1:-1], ";")[:-1]


def without_arguments(expression: str) -> str:
    """An expression without what its calls are handed."""
    position = expression.find(_OPEN)
    if position < 0 or ";" not in expression:
        return expression
    while position >= 0:
        end = arguments_at(expression, position)
        if end > 0 and expression[position - 1] != "=" and expression[end - 2] == ";":
            expression = expression[:position] + expression[end:]
            position = expression.find(_OPEN, position)
        else:
            position = expression.find(_OPEN, position + 1)
    return expression
