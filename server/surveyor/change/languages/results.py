"""What becomes of a call's result, and what a function's body says that it returns."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["UNSEEN", "USING", "ResultUse", "ResultUses", "returned", "use_of"]

MAX_AROUND = 8
"""Brackets, choices and the like around a call."""
_EITHER = frozenset({"&&", "||", "??", "and", "or", "?:"})
"""Operators that choose: what is on the right may be run for its own sake, `ready && start()`."""
_CHOICES = frozenset(
    {"conditional_expression", "ternary_expression", "conditional", "if_expression", "else_clause",
     "when_expression", "when_entry", "match_expression", "match_block", "match_arm",
     "match_conditional_expression", "match_default_expression", "switch_expression",
     "switch_expression_arm", "elvis_expression", "conjunction_expression",
     "disjunction_expression", "boolean_operator"}
)  # fmt: skip
"""Nodes that are one of their children, by another one."""
_AROUND = frozenset(
    {"parenthesized_expression", "condition_clause", "satisfies_expression", "as_expression",
     "cast_expression", "control_structure_body", "non_null_expression", "postfix_expression",
     "postfix_unary_expression"}
)  # fmt: skip
_OPERATIONS = frozenset(
    {"binary_expression", "binary_operator", "boolean_operator", "comparison_expression",
     "equality_expression", "additive_expression", "multiplicative_expression",
     "infix_expression", "conjunction_expression", "disjunction_expression", "elvis_expression"}
)  # fmt: skip
"""Nodes whose left side is given nothing."""
_AWAITING = frozenset({"await", "await_expression"})
USING = frozenset(
    {"assignment", "assignment_expression", "augmented_assignment",
     "augmented_assignment_expression", "compound_assignment_expr", "named_expression",
     "variable_declarator", "init_declarator", "let_declaration", "let_condition",
     "property_declaration", "public_field_definition", "field_definition",
     # computed with
     "binary_expression", "binary_operator", "comparison_operator", "comparison_expression",
     "equality_expression", "additive_expression", "multiplicative_expression",
     "range_expression", "check_expression", "infix_expression", "unary_expression",
     "unary_operator", "unary_op_expression", "not_operator", "prefix_expression",
     "prefix_unary_expression", "instanceof_expression", "is_pattern_expression",
     "type_assertion_expression", "type_cast_expression", "pointer_expression",
     "update_expression",
     # asked for a member
     "attribute", "member_expression", "field_expression", "selector_expression", "field_access",
     "method_invocation", "member_access_expression", "member_call_expression",
     "nullsafe_member_access_expression", "nullsafe_member_call_expression",
     "navigation_expression", "conditional_access_expression", "subscript",
     "subscript_expression", "index_expression", "indexing_expression", "array_access",
     "element_access_expression",
     # passed on, or put among others
     "argument_list", "arguments", "argument", "value_argument", "value_arguments",
     "keyword_argument", "list_splat", "spread_element", "list", "set", "tuple", "pair",
     "list_comprehension", "set_comprehension", "array", "array_expression", "tuple_expression",
     "array_initializer", "array_creation_expression", "array_element_initializer",
     "initializer_list", "initializer_pair", "initializer_expression", "collection_expression",
     "literal_element", "literal_value", "keyed_element", "field_initializer", "interpolation",
     "interpolated_expression", "template_substitution",
     # what statements go by
     "for_in_statement", "for_in_clause", "if_clause", "enhanced_for_statement",
     "foreach_statement", "for_expression", "for_range_loop", "range_clause", "with_item",
     "as_pattern", "raise_statement", "throw_statement", "throw_expression", "echo_statement",
     "print_intrinsic", "match_statement", "switch_statement", "when_subject",
     "expression_switch_statement", "expression_case", "send_statement"}
)  # fmt: skip
"""Nodes that use a value which is their child, in any language."""
_UNARY = frozenset(
    {"unary_expression", "unary_operator", "unary_op_expression", "not_operator",
     "prefix_expression", "prefix_unary_expression"}
)  # fmt: skip
_DISCARDING = frozenset({"void", "delete", "typeof"})
"""Operators that need no value."""
_BY_FIRST = frozenset({"for_statement", "while_statement", "assert_statement", "if_clause"})
"""Statements whose first child is what they go on by, where no field says so."""
_FIRST_OF_LOOPS = ("initializer", "initialize", "init", "left")
_NAMING = frozenset(
    {"assignment", "assignment_expression", "let_declaration", "variable_declarator"}
)
_NAMES = frozenset({"identifier", "variable_name"})
_PATTERNS = frozenset({"pattern_list", "tuple_pattern", "list_pattern", "list_splat_pattern"})
_SCOPES = ("function_definition", "function_declaration", "function_item", "function_expression",
           "method_definition", "method_declaration", "arrow_function", "lambda")  # fmt: skip
"""Ends of the types of functions."""
MAX_LOOKED_AT = 4000
"""Nodes of a function, or of a file, that are looked through for a name."""
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

    is_seen: bool = True
    """Whether it is looked at what becomes of results at all."""
    using: frozenset[str] = frozenset()
    """Nodes that use a value which is their child, besides those that do in any language."""
    as_one: frozenset[str] = frozenset()
    """Of these, those that can do nothing with several values in one."""
    of_several: frozenset[str] = frozenset()
    """Members that several values in one have as well."""
    parts: Callable[[Node, Node], int] = lambda around, value: -1
    """Into how many parts a node takes the value, from the node and the value."""
    takes_fewer: bool = False
    needing_value: frozenset[str] = frozenset()
    """Nodes that can do nothing with what has to be awaited: `f() + 1`."""
    of_awaited: frozenset[str] = frozenset()
    """Members that what has to be awaited has itself: `f().then(…)`."""


UNSEEN = ResultUses(is_seen=False)


def use_of(call: Node, uses: ResultUses) -> ResultUse:
    """What becomes of what a call returns."""
    if not uses.is_seen:
        return ResultUse()
    found = _use_at(call, uses)
    held = _held_in(call) if found.is_used else None
    if held is None:
        return found
    names = _uses_of_name(*held)
    later = [_use_at(name, uses) for name in names]
    if any(each.needs_value for each in later) and not any(map(_is_awaited, names)):
        found = found._replace(needs_value=True)
    taken = next((each for each in later if each.taken >= 0), None)
    if found.taken < 0 and taken is not None:
        found = found._replace(taken=taken.taken, takes_fewer=taken.takes_fewer)
    return found


def _is_awaited(value: Node) -> bool:
    around = value.parent
    while around is not None and around.type in _AROUND:
        around = around.parent
    return around is not None and around.type in _AWAITING


def _held_in(call: Node) -> tuple[Node, Node] | None:
    """The name that a call's result is given, and the statement; None where it is given none."""
    around = call.parent
    if around is None or around.type not in _NAMING:
        return None
    for field in ("left", "name", "pattern"):
        name = around.child_by_field_name(field)
        if name is not None:
            return (name, around) if name.type in _NAMES and name != call else None
    return None


def _uses_of_name(name: Node, statement: Node) -> list[Node]:
    """Where a name is used behind the statement that gives it a value, in its function; none where
    it is given another value there."""
    scope = statement
    while scope.parent is not None and not scope.type.endswith(_SCOPES):
        scope = scope.parent
    found: list[Node] = []
    waiting, seen = [scope], 0
    while waiting and seen < MAX_LOOKED_AT:
        node = waiting.pop()
        seen += 1
        if node.type == name.type and node.text == name.text and node != name:
            given = _held_by(node)
            if given:
                return []
            if node.start_byte >= statement.end_byte:
                found.append(node)
        waiting += node.children
    return sorted(found, key=lambda node: node.start_byte) if not waiting else []


def _held_by(name: Node) -> bool:
    """Whether it is a name that is given a value, wholly or among others."""
    around = name.parent
    while around is not None and around.type in _PATTERNS:
        name, around = around, around.parent
    if around is None or around.type in _OPERATIONS:
        return False
    return any(around.child_by_field_name(field) == name for field in ("left", "pattern"))


def _use_at(call: Node, uses: ResultUses) -> ResultUse:
    """What becomes of a value right where it is."""
    value, around = call, call.parent
    for _ in range(MAX_AROUND):
        if around is None or not _is_handed_up(around, value):
            break
        value, around = around, around.parent
    if around is None:
        return ResultUse()
    if _is_condition(around, value) or (around.type in _CHOICES and not _is_chosen(around, value)):
        return ResultUse(is_used=True, taken=1, needs_value=bool(uses.needing_value))
    if around.type in _UNARY and _operator(around) in _DISCARDING:
        return ResultUse()
    is_computed = around.type in uses.needing_value or around.type in _UNARY
    needs_value = (
        bool(uses.needing_value) and is_computed and not _has(around, value, uses.of_awaited)
    )
    if (parts := uses.parts(around, value)) >= 0:
        return ResultUse(True, parts, uses.takes_fewer, parts > 1)
    is_iterated = around.type == "for_statement" and around.child_by_field_name("right") == value
    if not is_iterated and around.type not in USING and around.type not in uses.using:
        return ResultUse(needs_value=needs_value)
    as_one = around.type in uses.as_one or around.type in _UNARY
    is_one = as_one and not _has(around, value, uses.of_several)
    return ResultUse(is_used=True, taken=1 if is_one else -1, needs_value=needs_value)


def _is_handed_up(around: Node, value: Node) -> bool:
    """Whether what becomes of a value is what becomes of the node around it."""
    if around.type in _AROUND:
        return True
    if around.type == "block":  # in Rust it is its last expression
        above = around.parent
        is_last = bool(around.named_children) and around.named_children[-1] == value
        return above is not None and above.type in _CHOICES and is_last
    return _is_chosen(around, value)


def _is_chosen(around: Node, value: Node) -> bool:
    """Whether a node is this child of it, where it is one of several."""
    if around.type in ("binary_expression", "binary_operator") and _operator(around) in _EITHER:
        return around.child_by_field_name("right") == value
    return around.type in _CHOICES and not _decides(around, value)


def _decides(choice: Node, value: Node) -> bool:
    """Whether a child of a choice is what is chosen by."""
    for field in ("condition", "value", "left"):
        if choice.child_by_field_name(field) == value:
            # The value of an arm is what it is.
            return not choice.type.endswith(("_arm", "_entry"))
    if choice.type == "conditional_expression" and choice.child_by_field_name("condition") is None:
        return choice.named_children[1] == value  # in Python it stands in the middle
    is_operator = choice.type in ("elvis_expression", "conjunction_expression",
                                  "disjunction_expression")  # fmt: skip
    by_first = is_operator or choice.type == "switch_expression"
    return by_first and choice.named_children[0] == value


def _is_condition(around: Node, value: Node) -> bool:
    """Whether a statement goes on by a value."""
    if around.child_by_field_name("condition") == value:
        return around.type != "conditional_access_expression"  # F()?.A
    if around.type not in _BY_FIRST or around.named_children[0] != value:
        return False
    return not any(around.child_by_field_name(field) == value for field in _FIRST_OF_LOOPS)


def _operator(node: Node) -> str:
    operator = node.child_by_field_name("operator")
    return operator.type if operator is not None else ""


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
