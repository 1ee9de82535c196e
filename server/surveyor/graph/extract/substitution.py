"""Expressions with local names replaced by what these are bound to: others can read them."""

from __future__ import annotations

from surveyor.graph.expressions.bindings import Binding, Unbound
from surveyor.graph.expressions.keys import VARIABLES_TOO
from surveyor.graph.expressions.model import (
    NOTHING,
    Argument,
    Call,
    Expression,
    GivenArguments,
    GivenTypeArguments,
    Instance,
    Local,
    Module,
    Name,
    Shape,
    Step,
    Type,
    TypeName,
    TypePart,
    TypeVariable,
    Unknown,
    ValueOf,
)
from surveyor.graph.extract.scopes import Scopes

__all__ = ["substitute"]

_MAX_DEPTH = 5
"""How many local variables are followed from one receiver to what it was bound to."""
_MAX_LENGTH = 600
"""Of an expression's text."""


def substitute(
    expression: Expression, scope: int, scopes: Scopes, receiver_keywords: frozenset[str]
) -> Expression:
    """An expression with its first name, and those of types and arguments in it, replaced.

    Unknown, where its first name is local and nothing is known of that.
    """
    return _substitute(expression, scope, scopes, receiver_keywords, keeps_arguments=True)


def _substitute(
    expression: Expression,
    scope: int,
    scopes: Scopes,
    receiver_keywords: frozenset[str],
    *,
    keeps_arguments: bool,
    depth: int = 0,
) -> Expression:
    if depth > _MAX_DEPTH:  # what it is said to be names itself
        return expression.unknown()
    for _ in range(_MAX_DEPTH):
        head = expression.head
        if type(head) is Name and head.name[:1] == "$":
            plain = head.name[1:]
            if plain in VARIABLES_TOO and plain in receiver_keywords:
                value = scopes.binding(plain, scope)
                if type(value) is not Expression:
                    return expression.unknown()
                expression = expression.on(value)
                continue
        if type(head) is not Name or head.name in receiver_keywords or scope < 0:
            break
        value = scopes.binding(head.name, scope)
        if value is None or (scopes.makes_types and _is_variable(value, head.name)):
            value = scopes.rebound(head.name, scope)
        if value is None:
            break
        if type(next(iter(expression.steps), None)) is Call and scopes.is_outside(head.name, value):
            break
        if scopes.bound_behind and scopes.is_outside(head.name, value):
            expression = expression.on(value)  # type: ignore[arg-type]
            break
        if type(value) is not Expression or value.head == head:
            given = _told(expression)
            if given is None:
                return expression.without_arguments().unknown()
            expression = given
            continue
        if not keeps_arguments:
            value = value.without_arguments()
        expression = expression.on(value)
        if len(expression.text) > _MAX_LENGTH:
            return Expression(Unknown(expression.text[:_MAX_LENGTH]))
    else:
        return expression.unknown()
    if scope < 0 or expression.is_plain:
        return expression
    expression = expression.with_types(
        lambda part: _type(part, scope, scopes, receiver_keywords, depth)
    )
    return _with_arguments(expression, scope, scopes, receiver_keywords)


def _told(expression: Expression) -> Expression | None:
    """Nobody knows what is called, but what it is to give: `parse<Config>(…)`."""
    steps = expression.steps
    for index in range(len(steps) - 1):
        if type(steps[index]) is Call and type(told := steps[index + 1]) is GivenTypeArguments:
            if len(told.types) != 1:
                return None
            return Expression(Instance(told.types[0]), steps[index + 2 :])
    return None


def _has_arguments(expression: Expression) -> bool:
    return any(type(step) is GivenArguments for step in expression.steps)


def _with_arguments(
    expression: Expression, scope: int, scopes: Scopes, receiver_keywords: frozenset[str]
) -> Expression:
    """The same with local names replaced in what calls are handed."""
    if not _has_arguments(expression):
        return expression
    steps: list[Step] = []
    for step in expression.steps:
        if type(step) is GivenArguments and step.arguments:
            found = tuple(
                _argument(each, scope, scopes, receiver_keywords) for each in step.arguments
            )
            if any(each.is_function or each.expression is not None for each in found):
                steps.append(GivenArguments(found))
        else:
            steps.append(step)
    whole = Expression(expression.head, tuple(steps))
    return whole if len(whole.text) <= _MAX_LENGTH else expression.without_arguments()


def _argument(
    argument: Argument, scope: int, scopes: Scopes, receiver_keywords: frozenset[str]
) -> Argument:
    value = argument.expression
    if value is not None:
        value = value.without_arguments()
        if type(value.head) is not Instance and type(value.head) is not Local:
            value = _substitute(value, scope, scopes, receiver_keywords, keeps_arguments=False)
        if value.is_unknown:
            value = None
    return Argument(value, argument.is_function)


def _type(
    part: TypePart, scope: int, scopes: Scopes, receiver_keywords: frozenset[str], depth: int
) -> Type | None:
    """A part of a type with what is local in it replaced: a definition, a type parameter.

    None where nothing is.
    """
    head = part.head
    if type(head) is ValueOf:
        value = _substitute(
            head.expression,
            scope,
            scopes,
            receiver_keywords,
            keeps_arguments=False,
            depth=depth + 1,
        )
        return NOTHING if value.is_unknown else Type((TypePart(ValueOf(value), (), part.steps),))
    if type(head) is TypeName:
        bound = scopes.binding(head.name, scope)
        if type(bound) is Expression and type(bound.head) is Local:
            return Type((TypePart(Shape(bound.head.qualname), part.given, part.steps),))
        if (
            type(bound) is Expression
            and type(bound.head) is Instance
            and not bound.steps
            and head.name not in scopes.variables
            and bound.head.type != Type((TypePart(head),))
        ):
            return bound.head.type.then(*part.steps)
        if type(bound) is Unbound and scopes.variables and head.name not in scopes.variables:
            return NOTHING  # a type parameter
        if scopes.makes_types and _is_given(bound or scopes.binding(_first(head.name), scope)):
            return NOTHING  # `const Box = make(); new Box()`: a type that a call gives
    return None


def _first(dotted: str) -> str:
    return dotted.partition(".")[0]


def _is_given(bound: Binding | None) -> bool:
    """Whether a local name holds what nobody says, or what a call gives."""
    if type(bound) is not Expression:
        return type(bound) is Unbound
    return bound.is_unknown or (
        type(bound.head) in (Module, Name) and any(type(step) is Call for step in bound.steps)
    )


def _is_variable(bound: Binding | None, name: str) -> bool:
    """Whether a name stands for the type parameter of that name, which no value has."""
    return (
        type(bound) is Expression
        and type(bound.head) is Instance
        and not bound.steps
        and any(
            type(part.head) is TypeVariable and part.head.name == name
            for part in bound.head.type.parts
        )
    )
