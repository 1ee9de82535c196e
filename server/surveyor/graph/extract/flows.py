"""What functions of a file are handed by calls in the same file, where no type says what it is."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING, NamedTuple

from surveyor.graph.expressions.model import Expression
from surveyor.graph.extract.written_types import expression_of, text_of

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["MAX_HANDING", "Handing", "decorators", "handing", "name_of", "parameters_of"]

MAX_HANDING = 300
"""Calls of one file."""
_TELLING = frozenset(
    {"identifier", "attribute", "call", "list", "dictionary", "tuple", "member_expression",
     "call_expression", "new_expression", "array", "object", "subscript_expression"}
)  # fmt: skip
_LISTS = frozenset({"argument_list", "arguments"})
_SPREADS = frozenset({"list_splat", "dictionary_splat", "spread_element"})
_NAMED = frozenset({"default_parameter", "typed_parameter", "typed_default_parameter"})
_HOLDERS = frozenset({"variable_declarator", "pair", "field_definition", "assignment_expression"})
"""What gives a function without a name of its own one."""
_NO_PARAMETERS = frozenset({"comment", "positional_separator", "keyword_separator"})


class Handing(NamedTuple):
    """A call that hands over what may be a function or an object."""

    node: Node
    callee: Expression
    arguments: list[tuple[str, Expression]]
    """(position or name of the parameter, value)."""


def handing(call: Node, words: Collection[str]) -> Handing | None:
    """A call of something that may be defined in the file (`words`); None where it says nothing."""
    field = call.child_by_field_name
    function, listed = field("function") or field("constructor"), field("arguments")
    if function is None or listed is None or listed.type not in _LISTS:
        return None
    member = function.child_by_field_name("attribute") or function.child_by_field_name("property")
    if (member is not None or function.type == "identifier") and (
        text_of(member or function) not in words
    ):
        return None
    arguments: list[tuple[str, Expression]] = []
    for index, argument in enumerate(listed.named_children):
        where, value = str(index), argument
        if argument.type == "keyword_argument":
            name = argument.child_by_field_name("name")
            held = argument.child_by_field_name("value")
            if name is None or held is None:
                continue
            where, value = text_of(name), held
        elif argument.type in _SPREADS:
            break
        found = expression_of(value) if value.type in _TELLING else None
        if found is not None:
            arguments.append((where, found))
    callee = expression_of(function) if arguments else None
    return Handing(call, callee, arguments) if callee is not None else None


def decorators(decorated: Node) -> Iterator[Expression | None]:
    """What a definition is handed to, the innermost first; None where that cannot be said."""
    for child in reversed(decorated.named_children):
        if child.type == "decorator" and child.named_children:
            yield expression_of(child.named_children[0])


def name_of(function: Node) -> Node | None:
    """The name that a function has, or that what holds it gives it."""
    name = function.child_by_field_name("name")
    if name is not None and function.type != "function_expression":
        return name
    holder = function.parent
    if holder is None or holder.type not in _HOLDERS:
        return name
    given = (
        holder.child_by_field_name("name")
        or holder.child_by_field_name("key")
        or holder.child_by_field_name("property")
        or holder.child_by_field_name("left")
    )
    is_member = given is not None and given.type == "member_expression"
    return given.child_by_field_name("property") if given is not None and is_member else given


def parameters_of(function: Node) -> Iterator[tuple[str, Node, Node | None]]:
    """(name, name node, default) of each parameter; the node of a typed one is its whole."""
    only = function.child_by_field_name("parameter")
    listed = function.child_by_field_name("parameters")
    children = [only] if only is not None else listed.named_children if listed is not None else []
    for child in children:
        if child.type == "identifier":
            yield text_of(child), child, None
        elif child.type in _NAMED:
            name = child.child_by_field_name("name") or child.named_children[0]
            default = child.child_by_field_name("value")
            typed = child.child_by_field_name("type") is not None
            yield text_of(name), child if typed else name, default
        elif child.type == "assignment_pattern":
            target = child.child_by_field_name("left") or child
            default = child.child_by_field_name("right")
            yield text_of(target) if target.type == "identifier" else "", target, default
        elif child.type not in _NO_PARAMETERS:
            yield "", child, None
