"""What functions are called with: types of parameters, and what that says of callbacks.

`(c) => …`, handed to `app.get` as the second argument, has a parameter that is the first of what
is the second of `app.get`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from surveyor.graph.expressions.keys import (
    Arity,
    arities_of,
    parameter_of,
    print_arities,
    rest_of,
    result_of,
)
from surveyor.graph.expressions.model import Call, Expression, Instance, Parameter, instance
from surveyor.graph.extract.arguments import handed
from surveyor.graph.extract.written_types import (
    FUNCTIONS,
    declared_type,
    expression_of,
    script_type,
    text_of,
    told_types,
)

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = [
    "callback_parameters",
    "literal_type",
    "overloads",
    "owner_of_parameters",
    "typed_parameters",
]

_NAMED = FUNCTIONS | {
    "method_signature", "abstract_method_signature", "function_signature",
}  # fmt: skip
_UNTYPED = frozenset({"identifier", "object_pattern", "required_parameter", "optional_parameter"})

_MAX_NESTING = 4
"""Literals within literals whose keys are still looked for."""
OwnerOf = Callable[["Node"], str]
"""The qualified name of what is named at a node; empty for what is local."""


def typed_parameters(
    lists: list[Node], owner_of: OwnerOf, type_around: Callable[[Node], str]
) -> Iterator[tuple[str, Node, Expression]]:
    """(parameter's key, its annotation, its type) of what is declared with parameters.

    `type_around`: the type that a call signature is of.
    """
    for parameters in lists:
        owner = owner_of_parameters(parameters.parent, owner_of, type_around)
        if not owner:
            continue
        for number, parameter in enumerate(_parameters(parameters)):
            annotation = parameter.child_by_field_name("type")
            if annotation is None:
                continue
            pattern = parameter.child_by_field_name("pattern")
            rest = pattern is not None and pattern.type == "rest_pattern"
            found = script_type(_first(annotation) if rest else annotation)
            if rest and found is not None and type(found.head) is Instance:
                found = instance(found.head.type.without_many())
            inner = annotation.named_children[0] if annotation.named_children else None
            result = inner.child_by_field_name("return_type") if inner is not None else None
            if inner is not None and inner.type == "constructor_type":
                result = inner.child_by_field_name("type")
            key = parameter_of(owner, Parameter((number,)))
            if result is not None and (gives := script_type(result)) is not None:
                yield result_of(key), annotation, gives
            if found is not None:
                yield rest_of(owner) if rest else key, annotation, found


def overloads(
    lists: list[Node], owner_of: OwnerOf, type_around: Callable[[Node], str]
) -> tuple[dict[int, int], dict[str, str]]:
    """What is declared more than once.

    Returns the number of each signature but the first of a name, by its byte, and facts that say
    how many arguments each takes.
    """
    taken: dict[str, list[Arity]] = {}
    numbers: dict[int, int] = {}
    for parameters in lists:
        node = parameters.parent
        if node is None or node.type not in _SIGNATURES:
            continue
        owner = owner_of_parameters(node, owner_of, type_around)
        if not owner:
            continue
        least = most = 0
        for parameter in _parameters(parameters):
            most += 1
            pattern = parameter.child_by_field_name("pattern")
            if pattern is not None and pattern.type == "rest_pattern":
                most = _ANY_NUMBER
            elif parameter.type == "required_parameter" and least == most - 1:
                least = most
        known = taken.setdefault(owner, [])
        if known:
            numbers[node.start_byte] = len(known)
        known.append(Arity(least, most))
    several = {name: arities for name, arities in taken.items() if len(arities) > 1}
    return numbers, {arities_of(name): print_arities(each) for name, each in several.items()}


_SIGNATURES = frozenset(
    {"call_signature", "method_signature", "abstract_method_signature", "function_signature"}
)
_ANY_NUMBER = 99


def _first(annotation: Node) -> Node:
    """Of a tuple the first element: `...handlers: [First, ...Others]`."""
    inner = annotation.named_children[0] if annotation.named_children else annotation
    if inner.type == "tuple_type" and inner.named_children:
        return inner.named_children[0]
    return annotation


def _parameters(parameters: Node) -> list[Node]:
    return [child for child in parameters.named_children if child.type != "comment"]


def owner_of_parameters(
    node: Node | None, owner_of: OwnerOf, type_around: Callable[[Node], str], depth: int = 0
) -> str:
    """What has a list of parameters."""
    if node is None or depth > 2:
        return ""
    if node.type == "call_signature":
        return type_around(node)
    name = node.child_by_field_name("name")
    if node.type in _NAMED and name is not None:
        return owner_of(name)
    holder = node.parent
    if node.type == "function_type":
        while holder is not None and holder.type in ("type_annotation", "parenthesized_type"):
            holder = holder.parent
    if holder is None:
        return ""
    if holder.type in ("required_parameter", "optional_parameter"):
        outer = holder.parent
        if outer is None or outer.type != "formal_parameters":
            return ""
        function = owner_of_parameters(outer.parent, owner_of, type_around, depth + 1)
        number = _parameters(outer).index(holder)
        return parameter_of(function, Parameter((number,))) if function else ""
    name = holder.child_by_field_name("name") or holder.child_by_field_name("key")
    if name is None or (node.type != "function_type" and node.type not in FUNCTIONS):
        return ""
    return owner_of(name)


def callback_parameters(function: Node) -> Iterator[tuple[Node, Expression]]:
    """Parameters without a type of a function that is handed over or held by what has a type."""
    whole = _expected(function)
    if whole is None:
        return
    single = function.child_by_field_name("parameter")
    listed = function.child_by_field_name("parameters")
    parameters = [single] if single is not None else _parameters(listed) if listed else []
    for number, parameter in enumerate(parameters):
        if parameter.type not in _UNTYPED or parameter.child_by_field_name("type") is not None:
            continue
        name = parameter.child_by_field_name("pattern") or parameter
        if name.type in ("identifier", "object_pattern"):
            yield name, whole.then(Parameter((number,)))


def _expected(function: Node) -> Expression | None:
    """What says which parameters a function has."""
    parent = function.parent
    if parent is None:
        return None
    if parent.type == "arguments":
        return _argument(function)
    if parent.type == "variable_declarator":
        return declared_type(parent.child_by_field_name("type"))
    if parent.type in ("return_statement", "arrow_function"):
        return _returned(parent)
    key, literal = function.child_by_field_name("name"), parent  # a method of a literal
    if parent.type == "pair":
        key, literal = parent.child_by_field_name("key"), parent.parent or parent
    if key is None or literal.type != "object":
        return None
    whole = literal_type(literal)
    return whole.member(text_of(key)) if whole is not None else None


def _returned(node: Node) -> Expression | None:
    """What a function says that it returns: `(): Handler => (c) => …`."""
    around: Node | None = node
    while around is not None and around.type not in FUNCTIONS:
        around = around.parent
    if around is None:
        return None
    declared = declared_type(around.child_by_field_name("return_type"))
    if declared is not None:
        return declared
    whole = _expected(around)
    return whole.then(Call()) if whole is not None else None


def literal_type(literal: Node, depth: int = 0) -> Expression | None:
    """What says which members an object has: the parameter, variable or member that it is for."""
    parent = literal.parent
    if parent is None or depth > _MAX_NESTING:
        return None
    if parent.type == "arguments":
        return _argument(literal)
    if parent.type == "variable_declarator":
        return declared_type(parent.child_by_field_name("type"))
    if parent.type == "pair" and parent.parent is not None:
        key, outer = parent.child_by_field_name("key"), literal_type(parent.parent, depth + 1)
        return outer.member(text_of(key)) if key is not None and outer is not None else None
    return None


def _argument(node: Node) -> Expression | None:
    arguments = node.parent
    call = arguments.parent if arguments is not None else None
    if arguments is None or call is None:
        return None
    called = call.child_by_field_name("function") or call.child_by_field_name("constructor")
    callee = expression_of(called)
    if callee is None or type(callee.head) is Instance:
        return None
    parameter = Parameter((_parameters(arguments).index(node),))
    return callee.then(*told_types(call), *handed(call, expression_of), parameter)
