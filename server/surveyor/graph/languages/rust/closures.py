"""What closures of Rust are handed: by the methods that walk, and by functions that say it.

`fn with<F: FnOnce(&mut Builder)>(f: F)` says what the closure has of all who call it with one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from surveyor.graph.expressions.grammar import split
from surveyor.graph.expressions.model import Expression, Parameter
from surveyor.graph.extract.type_names import instance_of
from surveyor.graph.extract.written_types import expression_of, text_of

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["handed_by_function", "parameters"]

_FUNCTION = re.compile(r"\bFn(?:Mut|Once)?\s*\(")
_SKIPPED = frozenset({"self_parameter", "attribute_item", "line_comment", "block_comment"})


def handed_by_function(closure: Node) -> Iterator[tuple[Node, Expression]]:
    """The parameters of a closure that is an argument, as the function that is called says."""
    arguments = closure.parent
    call = arguments.parent if arguments is not None else None
    listed = closure.child_by_field_name("parameters")
    if arguments is None or arguments.type != "arguments" or call is None or listed is None:
        return
    called = expression_of(call.child_by_field_name("function"))
    if called is None:
        return
    number = _listed(arguments).index(closure)
    for place, pattern in enumerate(listed.named_children):
        if pattern.type != "parameter":  # those say their type themselves
            yield pattern, called.then(Parameter((number, place)))


def parameters(function: Node) -> Iterator[tuple[tuple[int, ...], Node, Expression]]:
    """(place, node, type) of what the functions are called with that a function takes."""
    listed = function.child_by_field_name("parameters")
    bounds = _bounds(function)
    for number, each in enumerate(_listed(listed) if listed is not None else ()):
        declared = each.child_by_field_name("type")
        if declared is None:
            continue
        written = text_of(declared)
        taken = _taken(bounds.get(written, written))
        for place, one in enumerate(taken):
            value = instance_of(one.strip())
            if value is not None:
                yield (number, place), declared, value


def _listed(node: Node) -> list[Node]:
    return [each for each in node.named_children if each.type not in _SKIPPED]


def _bounds(function: Node) -> dict[str, str]:
    """What the type parameters of a function are that are functions themselves."""
    found: dict[str, str] = {}
    generic = function.child_by_field_name("type_parameters")
    where = next((each for each in function.children if each.type == "where_clause"), None)
    for listed in (generic, where):
        if listed is None or b"Fn" not in (listed.text or b""):
            continue
        for each in listed.named_children:
            name = each.child_by_field_name("name") or each.child_by_field_name("left")
            bounds = each.child_by_field_name("bounds")
            if name is not None and bounds is not None and _FUNCTION.search(text_of(bounds)):
                found[text_of(name)] = text_of(bounds)
    return found


def _taken(written: str) -> list[str]:
    """`FnOnce(&mut Builder, Size) -> T`: what stands in the brackets."""
    match = _FUNCTION.search(written)
    if match is None:
        return []
    depth = 1
    for index in range(match.end(), len(written)):
        depth += (written[index] == "(") - (written[index] == ")")
        if not depth:
            return split(written[match.end() : index], ",")
    return []
