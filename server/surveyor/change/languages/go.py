"""Go, where a signature says how many values are returned."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from surveyor.change.languages.reader import CallReader, Passed, field_text, text
from surveyor.change.languages.results import USING, ResultUses
from surveyor.change.signatures import CallParameter

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["READER"]

_FUNCTIONS = frozenset({"function_declaration", "method_declaration", "func_literal"})
_TARGETS = frozenset({"short_var_declaration", "assignment_statement", "var_spec"})


def _parameters(listed: Node) -> Iterator[CallParameter]:
    for child in listed.named_children:
        if child.type == "comment":
            continue
        names = [text(name) for name in child.children_by_field_name("name")]
        rest = child.type == "variadic_parameter_declaration"
        for name in names or [""]:
            yield CallParameter(name, "rest" if rest else "positional")


def _argument(node: Node) -> Passed | None:
    return Passed(is_spread=node.type == "variadic_argument")


def _takes_instance(function: Node, listed: Node) -> bool:
    return function.type == "method_declaration"


def _results(function: Node) -> int:
    result = function.child_by_field_name("result")
    if result is None:
        return 0
    return len(list(_parameters(result))) if result.type == "parameter_list" else 1


def _returned_around(statement: Node) -> int:
    """How many values the function returns that a `return` is of; -1 where none."""
    function = statement.parent
    while function is not None and function.type not in _FUNCTIONS:
        function = function.parent
    return (_results(function) or -1) if function is not None else -1


def _parts(around: Node, value: Node) -> int:
    """One, where a call stands beside other values: `g(1, f())`, `return f(), nil`."""
    is_listed = around.type in ("argument_list", "expression_list")
    return 1 if is_listed and len(around.named_children) > 1 else -1


def _taken(call: Node) -> int:
    """The variables on the left of `a, b := f()`; as many as the function returns that returns
    it."""
    listed = call.parent
    if listed is None or listed.type != "expression_list" or len(listed.named_children) != 1:
        return -1
    statement = listed.parent
    if statement is None:
        return -1
    if statement.type == "return_statement":
        return _returned_around(statement)
    if statement.type not in _TARGETS:
        return -1
    if statement.type == "var_spec":
        return len(statement.children_by_field_name("name"))
    left = statement.child_by_field_name("left")
    return len(left.named_children) if left is not None else -1


def _fields(definition: Node) -> list[CallParameter] | None:
    """The fields of a struct: all of them by position, or any of them by name."""
    struct = definition.child_by_field_name("type")
    if definition.type != "type_spec" or struct is None or struct.type != "struct_type":
        return None
    found: list[CallParameter] = []
    for field in struct.named_children[0].named_children if struct.named_children else ():
        if field.type != "field_declaration":
            continue
        names = [text(name) for name in field.children_by_field_name("name")]
        embedded = field_text(field, "type").partition("[")[0].rpartition(".")[2].lstrip("*")
        found += [CallParameter(name) for name in names or [embedded]]
    return found


def _argument_or_field(node: Node) -> Passed | None:
    if node.type == "keyed_element":
        return Passed(field_text(node, "key"), leaves_out=True)
    return _argument(node)


READER = CallReader(
    _parameters,
    _argument_or_field,
    fields=_fields,
    literals=frozenset({"composite_literal"}),
    empty_literals=True,
    result_uses=ResultUses(
        using=frozenset({"call_expression"}),
        as_one=USING - {"argument_list"} | {"call_expression"},
        parts=_parts,
    ),
    takes_instance=_takes_instance,
    shares_names=True,
    results=_results,
    taken=_taken,
    single_call_is_open=True,
    wrappers=frozenset({"type_instantiation_expression", "index_expression"}),
    blocks=frozenset(
        {"block", "if_statement", "for_statement", "expression_switch_statement",
         "type_switch_statement", "expression_case", "type_case", "default_case",
         "communication_case"}
    ),
    is_known_from_binding=True,
)  # fmt: skip
