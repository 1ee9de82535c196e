"""What calls are handed, as far as it can say what a function's type parameters stand for."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from surveyor.graph.expressions.model import Argument, Expression, GivenArguments

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["MAX_ARGUMENTS", "handed"]

MAX_ARGUMENTS = 3
"""Of one call."""
_MAX_LENGTH = 80
"""Of one argument's expression, as text."""
_TELLING = frozenset(
    {"identifier", "member_expression", "call_expression", "new_expression", "object",
     "await_expression", "as_expression", "subscript_expression", "arrow_function"}
)  # fmt: skip
_RESULTS = frozenset(
    {"new_expression", "call_expression", "parenthesized_expression", "await_expression",
     "as_expression"}
)  # fmt: skip
_NO_FUNCTIONS = frozenset({b"require", b"import", b"describe", b"it", b"test", b"expect"})

ExpressionOf = Callable[["Node"], Expression | None]


def handed(call: Node, expression_of: ExpressionOf) -> tuple[GivenArguments, ...]:
    """The arguments of a call of JavaScript as a step; no step where they say nothing."""
    listed = call.child_by_field_name("arguments")
    called = call.child_by_field_name("function")
    if listed is None or listed.type != "arguments" or called is None:
        return ()
    if called.type not in ("identifier", "member_expression", "call_expression"):
        return ()
    if called.type == "identifier" and called.text in _NO_FUNCTIONS:
        return ()
    found = tuple(_argument(each, expression_of) for each in listed.named_children[:MAX_ARGUMENTS])
    if not found and call.child_by_field_name("type_arguments") is not None:
        return (GivenArguments(()),)
    says = any(each.is_function or each.expression is not None for each in found)
    return (GivenArguments(found),) if says else ()


def _argument(argument: Node, expression_of: ExpressionOf) -> Argument:
    value: Expression | None = None
    is_function = argument.type in ("arrow_function", "function_expression")
    if is_function:
        body = argument.child_by_field_name("body")
        if body is not None and body.type in _RESULTS:
            value = expression_of(body)
    elif argument.type in _TELLING:
        value = expression_of(argument)
    if value is not None:
        value = value.without_arguments()
    if value is not None and len(value.text) + 2 * is_function > _MAX_LENGTH:
        value = None
    return Argument(value, is_function)
