"""Type parameters: whose they are, and what bases are given for them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from surveyor.graph.expressions.keys import (
    given_base,
    type_parameters_of,
    type_parameters_of_function,
)
from surveyor.graph.expressions.model import (
    Expression,
    Instance,
    Type,
    TypePart,
    instance,
    type_called,
)
from surveyor.graph.extract.parameters import owner_of_parameters
from surveyor.graph.extract.written_types import script_type, text_of
from surveyor.graph.languages.ecmascript.types import arguments_of, bounded_type, type_of

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["given_bases", "type_parameter", "type_parameters"]

_TYPES = frozenset(
    {"class_declaration", "abstract_class_declaration", "class", "interface_declaration",
     "type_alias_declaration"}
)  # fmt: skip
OwnerOf = Callable[["Node"], str]


def type_parameter(parameter: Node) -> tuple[str, Expression]:
    """(name, an instance of it)."""
    named = parameter.child_by_field_name("name")
    name = text_of(named) if named is not None else ""
    constraint = parameter.child_by_field_name("constraint")
    return name, Expression(Instance(bounded_type(name, constraint)))


def type_parameters(
    lists: list[Node], owner_of: OwnerOf, type_around: Callable[[Node], str]
) -> Iterator[tuple[str, list[tuple[str, Type]], Node]]:
    """(`Box<>` or `function()<>`, names of the parameters and what they are by default, node)."""
    for parameters in lists:
        holder = parameters.parent
        names = [(text_of(name), type_of(child.child_by_field_name("value")))
                 for child in parameters.named_children
                 if (name := child.child_by_field_name("name")) is not None]  # fmt: skip
        if holder is None or not names:
            continue
        if holder.type in _TYPES:
            named = holder.child_by_field_name("name")
            owner = owner_of(named) if named is not None else ""
            key = type_parameters_of(owner)
        else:
            owner = owner_of_parameters(holder, owner_of, type_around)
            key = type_parameters_of_function(owner)
        if owner:
            yield key, names, parameters


def given_bases(clauses: list[Node], owner_of: OwnerOf) -> Iterator[tuple[str, Expression, Node]]:
    """(`Cars:List`, `<List<Car>>`, node) of classes whose bases are given types."""
    for clause in clauses:
        holder = clause.parent
        if holder is not None and holder.type == "class_heritage":
            holder = holder.parent
        name = holder.child_by_field_name("name") if holder is not None else None
        owner = owner_of(name) if name is not None else ""
        if not owner:
            continue
        listed = clause.child_by_field_name("type_arguments")
        value = clause.child_by_field_name("value")
        if listed is not None and value is not None:
            base = text_of(value)
            given = _base_type(base, listed)
            if given is not None:
                yield given_base(owner, base.rpartition(".")[2]), given, clause
        for child in clause.named_children:
            named = child.child_by_field_name("name") if child.type == "generic_type" else None
            found = script_type(child) if named is not None else None
            if named is not None and found is not None and _is_given(found):
                yield given_base(owner, text_of(named).rpartition(".")[2]), found, clause


def _is_given(found: Expression) -> bool:
    return any(part.given for type in found.types() for part in type.parts)


def _base_type(base: str, listed: Node) -> Expression | None:
    """`class A extends Base<T>`, where the base is an expression and its types stand beside it."""
    given = arguments_of(listed)
    if not any(each.parts for each in given):
        return None
    return instance(Type((TypePart(type_called(base).parts[0].head, given),)))
