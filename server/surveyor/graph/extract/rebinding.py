"""Names that are given another value: from where on, and how far, they have it.

A name that a function binds once has its value everywhere in it. One that is bound again, by a
declaration in another block or by an assignment, has the new value in what is left of the block.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["Rest", "rest_of_block"]

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
_ASSIGNMENTS = frozenset({"assignment", "assignment_expression", "augmented_assignment"})
_NO_STATEMENTS = frozenset(
    {"parameters", "formal_parameters", "parameter", "match_arm", "closure_parameters",
     "catch_clause", "except_clause", "with_statement", "let_condition", "let_chain"}
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
    """What is left of the block behind the statement that binds a name; None where that is not
    said by where it stands."""
    is_assigned = False
    child, parent = name, name.parent
    for _ in range(_MAX_CLIMB):
        if parent is None or parent.type in _NO_STATEMENTS:
            return None
        if parent.type in _LOOPS:
            return Rest(child.end_byte, parent.end_byte, is_assigned, False)
        if parent.type in _BLOCKS or parent.type in _FILES:
            is_top = parent.type in _FILES
            return Rest(child.end_byte, parent.end_byte, is_assigned, is_top)
        is_assigned = is_assigned or parent.type in _ASSIGNMENTS
        child, parent = parent, parent.parent
    return None
