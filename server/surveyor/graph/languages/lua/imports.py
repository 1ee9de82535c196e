"""Lua: `require "a.b"`, and the table that a file returns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from surveyor.graph.languages.lua.values import alias_of, required
from surveyor.graph.languages.readers import (
    GLOBAL,
    NOT_CONSTANT,
    Found,
    descend,
    line,
    once_a_file,
    text,
)
from surveyor.parsing.types import Import

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["read", "returned"]


def _made_global(node: Node) -> list[str]:
    """The names that a statement of the file defines for all others."""
    if node.type == "function_declaration":
        names = [node.child_by_field_name("name")]
    else:
        names = [n for n in node.named_children[0].named_children if n.type == "identifier"]
    chunk = node.parent
    declared = _declared(chunk) if chunk is not None else frozenset()
    return [text(name) for name in names if name is not None and text(name) not in declared]


@once_a_file
def _declared(chunk: Node) -> frozenset[str]:
    """The names that the statements of a file declare for themselves."""
    return frozenset(
        text(name)
        for child in chunk.named_children
        if child.type == "variable_declaration" or (child.text or b"").startswith(b"local ")
        for name in descend(child, frozenset({"identifier"}))
    )


def read(node: Node) -> Found:
    """A call of `require` and its like, under a name that stands for its result."""
    module = required(node)
    if not module:
        source = text(node.child_by_field_name("arguments")).strip("()")
        found = Import(source, line=line(node), kind="dynamic", unresolved_reason=NOT_CONSTANT)
        return [found], []
    return [Import(module, alias=alias_of(module), line=line(node))], []


def returned(node: Node) -> list[Import]:
    """`return M` at the end of a file: what it offers as its whole; and what it makes global."""
    if node.type != "return_statement":
        return [
            Import("", ((name, name),), line=line(node), kind=GLOBAL) for name in _made_global(node)
        ]
    listed = node.named_children[0] if node.named_children else None
    first = listed.named_children[0] if listed is not None and listed.named_children else None
    if first is None:
        return []
    if first.type == "function_call":  # return setmetatable(M, …)
        arguments = first.child_by_field_name("arguments")
        first = arguments.named_children[0] if arguments and arguments.named_children else first
    if first.type != "identifier":
        return []
    return [Import("", ((text(first), "default"),), line=line(node), kind="reexport")]
