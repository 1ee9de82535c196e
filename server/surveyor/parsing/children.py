"""Children of a node by their place: the parser's binding raises where there are none."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["first_named", "last_named"]


def first_named(node: Node | None) -> Node | None:
    """A node's first named child; None where it has none, or there is no node."""
    return node.named_child(0) if node is not None and node.named_child_count else None


def last_named(node: Node | None) -> Node | None:
    """A node's last named child; None where it has none, or there is no node."""
    count = node.named_child_count if node is not None else 0
    return node.named_child(count - 1) if node is not None and count else None
