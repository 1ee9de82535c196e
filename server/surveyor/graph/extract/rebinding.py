"""Names that are given another value: from where on, and how far, they have it.

A name that a function binds once has its value everywhere in it. One that is bound again, by a
declaration in another block or by an assignment, has the new value in what is left of the block;
one that the head of a statement declares, in what that statement runs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["Rest", "rest_behind", "rest_of_block"]

_MAX_CLIMB = 12
_BLOCKS = frozenset(
    {"block", "statement_block", "compound_statement", "statement_list", "statements",
     "function_body", "body_statement", "constructor_body", "do_block", "then", "else", "begin",
     "class_body", "switch_case", "switch_block_statement_group"}
)  # fmt: skip
_FILES = frozenset({"program", "module", "source_file", "translation_unit", "compilation_unit"})
_LOOPS = frozenset(
    {"for_statement", "for_in_statement", "for_expression", "enhanced_for_statement",
     "foreach_statement", "for_range_loop", "for_in_clause", "for"}
)  # fmt: skip
_HEADS = frozenset(
    {"except_clause", "except_group_clause", "catch_clause", "catch_block", "rescue",
     "try_with_resources_statement", "using_statement", "if_statement", "while_statement",
     "switch_statement", "expression_switch_statement", "type_switch_statement",
     "communication_case", "when_expression"}
)  # fmt: skip
"""Statements whose heads declare names for what they run, and for nothing else."""
_OPEN_HEADS = frozenset({"with_statement"})
"""Those whose names are known behind them as well."""
_ASSIGNMENTS = frozenset(
    {"assignment", "assignment_expression", "augmented_assignment", "named_expression"}
)
_NO_STATEMENTS = frozenset(
    {"parameters", "formal_parameters", "parameter", "match_arm", "closure_parameters",
     "let_condition", "let_chain"}
)  # fmt: skip


class Rest(NamedTuple):
    """Where a name that is bound again has its new value."""

    start: int
    end: int
    is_assigned: bool
    """It is no declaration: the variable is the one that it was."""
    is_top: bool
    """The statement stands in the file itself, in no block."""


def rest_of_block(name: Node) -> Rest | None:
    """What is left of the block behind the statement that binds a name, or what a statement runs
    whose head binds it; None where that is not said by where it stands."""
    return _rest(name, _HEADS)


def rest_behind(part: Node) -> Rest | None:
    """What is left of the block behind the statement that something is a part of."""
    return _rest(part, frozenset())


def _rest(name: Node, heads: frozenset[str]) -> Rest | None:
    is_assigned, start = False, 0
    child, parent = name, name.parent
    for _ in range(_MAX_CLIMB):
        if parent is None or parent.type in _NO_STATEMENTS:
            return None
        if parent.type in _LOOPS:
            return Rest(child.end_byte, parent.end_byte, is_assigned, False)
        if parent.type in _BLOCKS or parent.type in _FILES:
            is_top = parent.type in _FILES
            return Rest(start or child.end_byte, parent.end_byte, is_assigned, is_top)
        if parent.type in heads and not is_assigned:
            return Rest(child.end_byte, parent.end_byte, False, False)
        if heads and (parent.type in heads or parent.type in _OPEN_HEADS):
            start = start or child.end_byte
        is_assigned = is_assigned or parent.type in _ASSIGNMENTS
        child, parent = parent, parent.parent
    return None
