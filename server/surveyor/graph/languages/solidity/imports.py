"""Solidity: `import {A as B} from "./a.sol"`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from surveyor.graph.languages.readers import Found, line, string_value
from surveyor.parsing.types import Import

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["read"]

ALL = (("*", "*"),)


def read(node: Node) -> Found:
    """All of a file, some names of it, or all of it under a name."""
    module = string_value(node.child_by_field_name("source"))
    names: list[list[str]] = []
    named: list[tuple[Node, str]] = []
    alias = ""
    for index, child in enumerate(node.children):
        field = node.field_name_for_child(index)
        word = (child.text or b"").decode("utf-8", "replace")
        if field == "import_name":
            names.append([word, word])
            named.append((child, module))
        elif field == "alias" and names:
            names[-1][1] = word
        elif field == "alias":
            alias = word
    pairs = tuple((name, local) for name, local in names)
    if alias:
        return [Import(module, alias=alias, line=line(node))], []
    return [Import(module, pairs or ALL, line=line(node))], named
