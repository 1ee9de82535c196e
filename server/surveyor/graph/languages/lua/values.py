"""Values and receivers of Lua, where tables are modules, classes and objects."""

from __future__ import annotations

import re
from math import inf
from typing import TYPE_CHECKING

from surveyor.graph.expressions.model import UNKNOWN, Call, Element, Expression, Name
from surveyor.graph.languages.readers import MAX_DEPTH, once_a_file, text

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["alias_of", "base_of", "protected", "receiver", "required", "value"]

_REQUIRE = frozenset({"require", "dofile", "loadfile"})
_SELF = "self"
_COPYING = {
    "vim.tbl_extend": 1,
    "vim.tbl_deep_extend": 1,
    "vim.deepcopy": 0,
    "tablex.copy": 0,
    "tablex.deepcopy": 0,
}
"""Functions that give a table with what others have, and the place of the first of these."""


def alias_of(module: str) -> str:
    """The name that stands for what requiring a module gives."""
    return "require$" + re.sub(r"\W", "$", module)


def required(call: Node) -> str:
    """The module of `require("a.b")`; empty where it is no text."""
    arguments = call.child_by_field_name("arguments")
    listed = arguments.named_children if arguments is not None else []
    if text(call.child_by_field_name("name")) == "pcall":  # pcall(require, "a.b")
        listed = listed[1:] if listed and text(listed[0]) in _REQUIRE else []
    first = listed[0] if listed else None
    if first is None or first.type != "string":
        return ""
    return text(first.child_by_field_name("content"))


def protected(call: Node) -> Expression | None:
    """What `local ok, M = pcall(require, "a.b")` gives its second name."""
    if call.type != "function_call" or text(call.child_by_field_name("name")) != "pcall":
        return None
    module = required(call)
    return Expression(Name(alias_of(module))) if module else None


def value(node: Node | None, depth: int = 0) -> Expression | None:
    """A value as an expression; None when it says nothing."""
    if node is None or depth > MAX_DEPTH:
        return None
    kind = node.type
    field = node.child_by_field_name
    if kind == "identifier":
        owner = _owner(node) if text(node) == _SELF else None
        return owner or Expression(Name(text(node)))
    if kind in ("dot_index_expression", "method_index_expression"):
        before, name = value(field("table"), depth + 1), field("field") or field("method")
        return before.member(text(name)) if before is not None and name is not None else None
    if kind == "bracket_index_expression":
        before = value(field("table"), depth + 1)
        return before.then(Element()) if before is not None else None
    if kind == "function_call":
        return _called(node, depth)
    if kind == "parenthesized_expression":
        return value(node.named_children[0], depth + 1) if node.named_children else None
    if kind == "binary_expression" and any(c.type in ("or", "and") for c in node.children):
        found = (value(child, depth + 1) for child in node.named_children)
        return next((each for each in found if each is not None), None)
    return None


def _called(node: Node, depth: int) -> Expression | None:
    called = node.child_by_field_name("name")
    name = text(called)
    if name in _REQUIRE or _is_require(called):
        module = required(node)
        return Expression(Name(alias_of(module))) if module else None
    if name == "setmetatable":
        return _with_metatable(node, depth)
    if (first := _COPYING.get(name)) is not None:
        return _copied(node, first, depth)
    before = value(called, depth + 1)
    return before.then(Call()) if before is not None else None


def _is_require(called: Node | None) -> bool:
    """`lazy.require("a.b")`: a library's own `require`."""
    field = called.child_by_field_name("field") if called is not None else None
    return text(field) == "require"


def _copied(node: Node, first: int, depth: int) -> Expression | None:
    """`vim.tbl_extend("force", base, { … })`: it has what the first table has that has a name."""
    arguments = node.child_by_field_name("arguments")
    listed = arguments.named_children[first:] if arguments is not None else []
    found = (value(each, depth + 1) for each in listed if each.type != "table_constructor")
    return next((each for each in found if each is not None), None)


def _with_metatable(node: Node, depth: int) -> Expression | None:
    """`setmetatable({}, Box)`, `setmetatable({}, { __index = Box })`: it has Box's members."""
    arguments = node.child_by_field_name("arguments")
    listed = arguments.named_children if arguments is not None else []
    if len(listed) < 2:
        return None
    if listed[1].type != "table_constructor":
        return value(listed[1], depth + 1)
    if listed[0].type == "identifier":
        return value(listed[0], depth + 1)
    for field in listed[1].named_children:
        if text(field.child_by_field_name("name")) == "__index":
            return value(field.child_by_field_name("value"), depth + 1)
    return None


def base_of(call: Node) -> tuple[Node, Node] | None:
    """The table that `setmetatable(a, { __index = b })` or `setmetatable(a, b)` extends, and what
    it then has too."""
    arguments = call.child_by_field_name("arguments")
    listed = arguments.named_children if arguments is not None else []
    if text(call.child_by_field_name("name")) != "setmetatable" or len(listed) != 2:
        return None
    if listed[0].type != "identifier":
        return None
    if listed[1].type != "table_constructor":
        named = listed[1].type in ("identifier", "dot_index_expression")
        return (listed[0], listed[1]) if named else None
    for field in listed[1].named_children:
        given = field.child_by_field_name("value")
        if text(field.child_by_field_name("name")) == "__index" and given is not None:
            return listed[0], given
    return None


def _owner(node: Node) -> Expression | None:
    """The table whose method is around `self`; None where `self` is a local name."""
    around = node.parent
    while around is not None:
        if around.type in ("function_declaration", "function_definition"):
            if _takes_self(around):
                return _table(around)
            name = around.child_by_field_name("name")
            if name is not None and name.type == "method_index_expression":
                return value(name.child_by_field_name("table"))
        if around.type == "block" and _declares_self(around, node):
            return None
        around = around.parent
    return None


def _table(function: Node) -> Expression | None:
    """The table that a function is put into, by its name or by an assignment."""
    name = function.child_by_field_name("name")
    if name is None and function.parent is not None:
        assigned = function.parent.parent
        if assigned is not None and assigned.type == "assignment_statement":
            name = assigned.named_children[0].named_children[0]
    if name is not None and name.type in ("dot_index_expression", "method_index_expression"):
        return value(name.child_by_field_name("table"))
    return None


def _takes_self(function: Node) -> bool:
    parameters = function.child_by_field_name("parameters")
    return parameters is not None and any(text(c) == _SELF for c in parameters.named_children)


def _declares_self(block: Node, before: Node) -> bool:
    return _self_declared(block) < before.start_byte


@once_a_file
def _self_declared(block: Node) -> float:
    """The first byte from which a block has a `self` of its own; infinite for none."""
    for child in block.named_children:
        if child.type == "variable_declaration" and (child.text or b"").startswith(b"local self"):
            return child.start_byte
    return inf


def receiver(name: Node) -> Expression | None:
    """What a name after a dot or colon is a member of."""
    around = name.parent
    table = around.child_by_field_name("table") if around is not None else None
    return value(table) or UNKNOWN
