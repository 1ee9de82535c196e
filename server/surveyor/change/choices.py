"""`match`, `switch` and `when` over the members of an enumeration: which of them they name."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from surveyor.change.jobs import Choice, EnumMember
from surveyor.change.languages.reader import child_of, text
from surveyor.parsing.source import Utf16Columns
from surveyor.parsing.types import Symbol

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["choice_around", "sealed_members"]

_MAX_CLIMB = 8
_MAX_ARMS = 500
_ARMS = frozenset(
    {"match_arm", "switch_label", "when_entry", "switch_section", "switch_expression_arm",
     "case_statement", "switch_case", "match_conditional_expression", "case_clause"}
)  # fmt: skip
_DEFAULTS = frozenset({"switch_default", "match_default_expression", "default_statement"})
_CHOICES = frozenset(
    {"match_expression", "switch_expression", "switch_statement", "when_expression",
     "match_statement"}
)  # fmt: skip
_PATTERNS = frozenset(
    {"scoped_identifier", "scoped_type_identifier", "or_pattern", "match_pattern",
     "tuple_struct_pattern", "struct_pattern", "field_access", "navigation_expression",
     "navigation_suffix", "when_condition", "constant_pattern", "member_access_expression",
     "qualified_identifier", "qualified_name", "member_expression",
     "class_constant_access_expression", "match_condition_list", "case_pattern", "union_pattern",
     "dotted_name", "parenthesized_pattern", "parenthesized_expression", "type_test", "user_type"}
)  # fmt: skip
"""Nodes between the name of a member and the arm that is for it."""
_WRAPPERS = frozenset({"Some", "Ok", "Err"})
"""What Rust has around one value, which is chosen by as by itself."""
_WITH_PARTS = frozenset({"tuple_struct_pattern", "struct_pattern"})
_GUARDS = frozenset({"if_clause", "when_clause", "guard"})
_CHECKED = frozenset({"match_expression", "when_expression", "switch_expression"})
"""What has a value, so that every member has to be named."""


def choice_around(name: Node, columns: Utf16Columns) -> Choice | None:
    """The choice one of whose arms is for the member that is named; None where it is named
    elsewhere, or as a part of a pattern."""
    arm, wrapper = _arm_of(name)
    choice = arm.parent if arm is not None else None
    for _ in range(_MAX_CLIMB):
        if choice is None or choice.type in _CHOICES:
            break
        choice = choice.parent
    if choice is None or choice.type not in _CHOICES:
        return None
    names, has_default = set[str](), False
    waiting, seen = [*choice.named_children], 0
    while waiting and seen < _MAX_ARMS:
        node = waiting.pop()
        seen += 1
        if node.type in _ARMS:
            found, is_default = _named(node, wrapper)
            names |= found
            has_default = has_default or is_default
            waiting += [child for child in node.named_children if child.type in _ARMS]
        elif node.type in _DEFAULTS:
            has_default = True
        elif node.type.endswith(("_block", "_body", "_group", "_rule")) or node.type in (
            "block", "compound_statement", "switch_block_statement_group",
        ):  # fmt: skip
            waiting += node.named_children
    if waiting:
        return None
    row, byte = choice.start_point
    return Choice(
        row + 1, columns.of(choice.start_byte, byte), choice.end_point[0] + 1,
        has_default, sorted(names), _is_checked(choice),
    )  # fmt: skip


def sealed_members(
    symbols: Sequence[Symbol], at: Callable[[int, int], Node | None]
) -> list[EnumMember]:
    """Types of a Kotlin file right below its sealed ones: `when` goes by them as by members."""
    heads: list[tuple[Symbol, Node]] = []
    for symbol in symbols:
        name = at(symbol.line, symbol.column)
        declared = name.parent if name is not None else None
        if declared is not None and declared.type in ("class_declaration", "object_declaration"):
            heads.append((symbol, declared))
    sealed = {
        symbol.name: symbol
        for symbol, declared in heads
        if "sealed" in text(child_of(declared, "modifiers")).split()
    }
    found = []
    for symbol, declared in heads if sealed else ():
        for base in declared.named_children:
            if base.type != "delegation_specifier":
                continue
            owner = sealed.get(re.split(r"[<(]", text(base), maxsplit=1)[0].rpartition(".")[2])
            if owner is not None and owner is not symbol:
                member = _qualname(symbol)
                found.append(EnumMember(_qualname(owner), symbol.name, symbol.line, member))
    return found


def _qualname(symbol: Symbol) -> str:
    return f"{symbol.container}.{symbol.name}" if symbol.container else symbol.name


def _is_checked(choice: Node) -> bool:
    """Whether what leaves a member out is refused, or fails when it runs."""
    if choice.type != "switch_expression":
        return choice.type in _CHECKED
    body = choice.child_by_field_name("body")  # Java calls its statements so, too
    around = choice.parent
    is_statement = around is not None and around.type in ("block", "expression_statement")
    return body is None or not is_statement


def _arm_of(name: Node) -> tuple[Node | None, str]:
    """The arm that is for what is named, and what stands around it there: `Some(Kind::One)`."""
    node, wrapper = name, ""
    for _ in range(_MAX_CLIMB):
        around = node.parent
        if around is None:
            break
        if around.type in _ARMS:
            return (around if node in _labels(around) else None), wrapper
        if around.type in _WITH_PARTS and around.child_by_field_name("type") != node:
            wrapper = _wrapper(around)
            if not wrapper:
                break
        elif around.type not in _PATTERNS:
            break
        node = around
    return None, ""


def _wrapper(pattern: Node) -> str:
    """The name of what is around one pattern; empty for anything else."""
    name = text(pattern.child_by_field_name("type"))
    is_one = pattern.type == "tuple_struct_pattern" and pattern.named_child_count == 2
    return name if is_one and name in _WRAPPERS else ""


def _labels(arm: Node) -> list[Node]:
    """What an arm is for: the nodes before its code."""
    if arm.type == "match_arm":
        return [each for each in (arm.child_by_field_name("pattern"),) if each is not None]
    for field in ("value", "conditional_expressions"):
        label = arm.child_by_field_name(field)
        if label is not None:
            return [label]
    if arm.type == "switch_label":
        return list(arm.named_children)
    labels = []
    for child in arm.named_children:
        if child.type not in _PATTERNS and not child.type.endswith(("pattern", "discard", "_test")):
            break
        labels.append(child)
    return labels


def _named(arm: Node, wrapper: str) -> tuple[set[str], bool]:
    """The last names of what an arm is for, none where a condition is added; and whether it is for
    all that is left, of what is in `wrapper` where that is not empty."""
    if any(child.type in ("default", "else") for child in arm.children):
        return set(), True
    labels = _labels(arm)
    if any(child.type in _GUARDS for child in arm.named_children) or any(
        label.child_by_field_name("condition") is not None for label in labels
    ):
        return set(), False
    names, is_default = set[str](), False
    waiting = [(label, True) for label in labels]
    while waiting:
        node, is_whole = waiting.pop()
        if node.type in _WITH_PARTS:
            around, inner = _wrapper(node), node.child_by_field_name("type")
            if around:
                waiting += [(node.named_children[1], True)] if around == wrapper else []
            elif inner is not None:
                waiting.append((inner, False))
            continue
        words = text(node)
        if node.named_child_count == 0 or words == "_":
            is_any = words == "_" or node.type in ("discard", "var_pattern")
            is_bound = is_whole and words[:1].islower() and node.type == "identifier"
            is_default = is_default or is_any or is_bound
            names.add(words)
        elif node.type in ("match_pattern", "or_pattern", "case_pattern", "union_pattern"):
            waiting += [(child, is_whole) for child in node.named_children]
        elif node.type == "dotted_name" and node.named_child_count == 1:
            waiting.append((node.named_children[0], is_whole))
        elif node.type in _PATTERNS or node.type.endswith(
            ("_pattern", "_expression", "_identifier", "_test", "_type")
        ):
            waiting += [(child, False) for child in node.named_children]
        else:
            is_default = True  # what it is for is not to be seen
    return names, is_default
