"""Shells: files that are sourced."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from surveyor.graph.languages.readers import NOT_CONSTANT, Found, line, text
from surveyor.parsing.types import Import

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["read"]

_EXPANSION = re.compile(r"^.*[)}]|^.*\$\w+|[\"']")
"""What stands before the constant end of a path: `$(dirname "$0")/`, `${HERE}/`, `$HERE/`."""


def read(node: Node) -> Found:
    """`source path`, `. path`, `load path` of bats: all that the file defines."""
    argument = node.child_by_field_name("argument")
    written = text(argument)
    path = _EXPANSION.sub("", written).strip("\"'").lstrip("/")
    if not path or "$" in path or path.startswith("-"):
        return [
            Import(written, line=line(node), kind="dynamic", unresolved_reason=NOT_CONSTANT)
        ], []
    return [Import(path, (("*", "*"),), line=line(node))], []
