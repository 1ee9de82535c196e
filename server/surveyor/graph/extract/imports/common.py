"""What the import readers share."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from surveyor.parsing.types import Import

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["Found", "line", "string_value", "text"]

Found: TypeAlias = "tuple[list[Import], list[tuple[Node, str]]]"
"""Imports, and the name nodes inside the statement with the module that each comes from."""


def text(node: Node | None) -> str:
    """Source text of a node; empty for none."""
    return node.text.decode("utf-8", "replace") if node is not None and node.text else ""


def line(node: Node) -> int:
    """1-based first line of a node."""
    return node.start_point[0] + 1


def string_value(node: Node | None) -> str:
    """A string literal without its quotes."""
    return text(node).strip("\"'`")
