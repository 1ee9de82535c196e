"""Swift: `import Module`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from surveyor.graph.languages.readers import Found, line, text
from surveyor.parsing.types import Import

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["read"]


def read(node: Node) -> Found:
    """`import A`, `@testable import A`, `import struct A.B`: all that the module makes public."""
    path = next((c for c in node.named_children if c.type == "identifier"), None)
    if path is None:
        return [], []
    return [Import(module=text(path).split(".")[0], names=(("*", "*"),), line=line(node))], []
