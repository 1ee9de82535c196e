"""What becomes of a call's result, and what a function's body says that it returns."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["UNSEEN", "ResultUse", "ResultUses", "returned", "use_of"]

MAX_AROUND = 4
"""Brackets and the like around a call."""
_EITHER = frozenset({"&&", "||", "??", "and", "or", "?:"})
"""Operators by which something may be run rather than computed: `ready && start()`."""
_MEMBER_FIELDS = ("attribute", "property", "field", "name")


class ResultUse(NamedTuple):
    """What becomes of one result."""

    is_used: bool = False
    """It goes somewhere; not where it is only handed on, as by `return`."""
    taken: int = -1
    """Into how many parts it is taken apart, 1 where it has to be one thing; -1 for neither."""
    takes_fewer: bool = False
    """Whether taking fewer parts than there are is fine."""
    needs_value: bool = False
    """What is done with it cannot be done with one that has to be awaited."""


@dataclass(frozen=True, slots=True)
class ResultUses:
    """How one family of languages uses results: types of the nodes around a call."""

    using: frozenset[str] = frozenset()
    """Nodes that use a value which is their child."""
    as_one: frozenset[str] = frozenset()
    """Of these, those that can do nothing with several values in one."""
    around: frozenset[str] = frozenset()
    """Nodes that are the value itself: brackets, `await`."""
    of_several: frozenset[str] = frozenset()
    """Members that several values in one have as well."""
    parts: Callable[[Node, Node], int] = lambda around, value: -1
    """Into how many parts a node takes the value, from the node and the value."""
    takes_fewer: bool = False
    needing_value: frozenset[str] = frozenset()
    """Nodes that can do nothing with what has to be awaited: `f() + 1`."""
    of_awaited: frozenset[str] = frozenset()
    """Members that what has to be awaited has itself: `f().then(…)`."""


UNSEEN = ResultUses()
"""Where it is not looked at what becomes of results."""


def use_of(call: Node, uses: ResultUses) -> ResultUse:
    """What becomes of what a call returns."""
    value, around = call, call.parent
    for _ in range(MAX_AROUND):
        if around is None or around.type not in uses.around:
            break
        value, around = around, around.parent
    if around is None:
        return ResultUse()
    needs_value = around.type in uses.needing_value and not _has(around, value, uses.of_awaited)
    if (parts := uses.parts(around, value)) >= 0:
        return ResultUse(True, parts, uses.takes_fewer, parts > 1)
    if around.type not in uses.using:
        return ResultUse(needs_value=needs_value)
    operator = around.child_by_field_name("operator")
    if operator is not None and operator.type in _EITHER:
        return ResultUse()
    is_one = around.type in uses.as_one and not _has(around, value, uses.of_several)
    return ResultUse(is_used=True, taken=1 if is_one else -1, needs_value=needs_value)


def _has(around: Node, value: Node, of_several: frozenset[str]) -> bool:
    """Whether a node asks for a member that several values in one have too."""
    for field in _MEMBER_FIELDS:
        member = around.child_by_field_name(field)
        if member is not None and member != value and member.text:
            name = member.text.decode("utf-8", "replace")
            return name in of_several or name.isdigit()
    return False


def returned(
    body: Node,
    statement: str,
    several: frozenset[str],
    apart: frozenset[str],
    is_idle: Callable[[Node], bool],
) -> int:
    """How many values a body returns: 0 where it returns none, n where each `return` has n
    written side by side; -1 for anything else.

    `statement` is the type of a `return`, `several` those of values side by side, `apart` those
    of functions within, `is_idle` tells statements of a body that is only declared.
    """
    if all(is_idle(child) or "comment" in child.type for child in body.named_children):
        return -1
    counts = set[int]()
    waiting = [body]
    while waiting:
        node = waiting.pop()
        if node.type == statement:
            values = [child for child in node.named_children if "comment" not in child.type]
            counts.add(_side_by_side(values[0], several) if values else 0)
        elif node.type in ("yield", "yield_expression"):
            return -1
        elif node.type not in apart:
            waiting.extend(node.named_children)
    if not counts or counts == {0}:
        return 0
    return counts.pop() if len(counts) == 1 else -1


def _side_by_side(value: Node, several: frozenset[str]) -> int:
    """How many values an expression is; -1 where that is not to be seen."""
    if value.type not in several or any("splat" in each.type for each in value.named_children):
        return -1
    count = len([each for each in value.named_children if "comment" not in each.type])
    return count if count > 1 else -1
