"""What C# runs without naming it: the ends of `using`, and what `foreach` walks by."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from surveyor.graph.expressions.model import Call, Expression
from surveyor.graph.extract.written_types import declared_type, expression_of

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["read"]


def read(node: Node) -> Iterator[tuple[Node, Expression, str]]:
    """(where it stands, the object, the method) of each method that a statement runs."""
    is_async = any(child.type == "await" for child in node.children)
    if node.type == "foreach_statement":
        yield from _walked(node.child_by_field_name("right"), is_async=is_async)
        return
    method = "DisposeAsync/Dispose" if is_async else "Dispose"
    for place, held in _held(node):
        yield place, held, method


def _walked(whole: Node | None, *, is_async: bool) -> Iterator[tuple[Node, Expression, str]]:
    walked = expression_of(whole)
    if whole is None or walked is None:
        return
    iterates = "GetAsyncEnumerator" if is_async else "GetEnumerator"
    yield whole, walked, iterates
    following = "MoveNextAsync" if is_async else "MoveNext"
    yield whole, walked.member(iterates).then(Call()), following


def _held(node: Node) -> Iterator[tuple[Node, Expression]]:
    """What `using (var a = Open())`, `using (a)` and `using Box a = new();` hold."""
    for child in node.named_children:
        if child.type == "variable_declaration":
            declared = child.child_by_field_name("type")
            said = None if declared is None or declared.type == "implicit_type" else declared
            for variable in child.named_children:
                if variable.type != "variable_declarator":
                    continue
                name, value = variable.named_children[0], variable.named_children[-1]
                held = declared_type(said) if said is not None else expression_of(value)
                if held is not None:
                    yield name, held
        elif child.type not in ("block", "comment", "modifier") and child == node.named_children[0]:
            held = expression_of(child)
            if held is not None:
                yield child, held
