"""What a word of a shell script is handed to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from surveyor.graph.expressions.model import UNKNOWN, Expression, Name
from surveyor.graph.languages.readers import text

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["receiver"]


def receiver(word: Node) -> Expression:
    """The command that a word is an argument of: a function of the project may run it."""
    command = word.parent.child_by_field_name("name") if word.parent is not None else None
    return Expression(Name(text(command))) if command is not None else UNKNOWN
