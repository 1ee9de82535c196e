"""What JSDoc says of JavaScript: `@param {Box} box`, `@returns {Box}`, `@type {Box}`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from surveyor.graph.expressions.keys import CALLED
from surveyor.graph.expressions.model import Call, Expression, Member, Module
from surveyor.graph.extract.type_names import instance_of
from surveyor.graph.extract.written_types import text_of
from surveyor.graph.languages.readers import Binding

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["documented", "is_documented"]

_SAYS = re.compile(
    r"@(?P<of>param|arg|argument|returns?|type)\s*\{(?P<type>[^{}]{1,200})\}"
    r"(?:[ \t]*\[?(?P<name>[\w$]+)(?![\w$.]))?"
)
_IMPORTED = re.compile(r"(?:typeof\s+)?import\(\s*[\"']([^\"']+)[\"']\s*\)\.([\w$]+)")
_NOTHING = frozenset({"null", "undefined", "void", "false", ""})
_VAGUE = frozenset({"*", "any", "object", "function", "unknown", "this", "t"})
_NAMED = re.compile(r"[\w$.]+")
_FUNCTIONS = frozenset(
    {"function_declaration", "generator_function_declaration", "function_expression",
     "arrow_function", "method_definition", "generator_function", "function"}
)  # fmt: skip
_DECLARATIONS = frozenset({"lexical_declaration", "variable_declaration", "export_statement"})


def documented(comment: Node) -> Iterator[Binding]:
    """The names that stand behind a comment, with what it says that they are."""
    told: dict[str, Expression] = {}
    for match in _SAYS.finditer(text_of(comment)):
        if (value := _type(match["type"])) is not None:
            of = match["of"]
            key = of if of in ("type", "return") else "return" if of == "returns" else ""
            told.setdefault(key or f"={match['name'] or ''}", value)
    about = comment.next_named_sibling if told else None
    if about is not None:
        yield from _of(about, told)


def is_documented(declarator: Node) -> bool:
    """Whether a comment says of what type a variable is: that counts, whatever it is given."""
    declaration = declarator.parent
    around = declaration.parent if declaration is not None else None
    if around is not None and around.type == "export_statement":
        declaration = around
    before = declaration.prev_named_sibling if declaration is not None else None
    if before is None or before.type != "comment" or b"@type" not in (before.text or b""):
        return False
    name = declarator.child_by_field_name("name")
    return any(found.node == name for found in documented(before))


def _of(about: Node, told: dict[str, Expression]) -> Iterator[Binding]:
    """What is said of a statement or a member of a class."""
    if about.type in _DECLARATIONS:
        inner = about.child_by_field_name("declaration") or next(
            (child for child in about.named_children if child.type == "variable_declarator"), None
        )
        if inner is not None:
            yield from _of(inner, told)
        return
    field = about.child_by_field_name
    if about.type == "expression_statement":
        assignment = about.named_children[0] if about.named_children else None
        if assignment is not None and assignment.type == "assignment_expression":
            yield from _assigned(assignment, told)
    elif about.type in _FUNCTIONS:
        yield from _function(about, field("name"), told)
    elif about.type in ("variable_declarator", "field_definition"):
        name, value = field("name") or field("property"), field("value")
        said = told.get("type")
        if value is not None and value.type in _FUNCTIONS:
            yield from _function(value, name, told)
        elif name is not None and said is not None:
            yield Binding(name, said, is_field=about.type == "field_definition")


def _assigned(assignment: Node, told: dict[str, Expression]) -> Iterator[Binding]:
    """`this.box = …`, `exports.open = function (box) {}`."""
    left = assignment.child_by_field_name("left")
    right = assignment.child_by_field_name("right")
    if left is None or left.type != "member_expression":
        return
    owner, name = left.child_by_field_name("object"), left.child_by_field_name("property")
    if right is not None and right.type in _FUNCTIONS:
        yield from _function(right, None, told)
    elif owner is not None and owner.type == "this" and name is not None and "type" in told:
        yield Binding(name, told["type"], is_attribute=True)


def _function(function: Node, name: Node | None, told: dict[str, Expression]) -> Iterator[Binding]:
    listed = function.child_by_field_name("parameters")
    for parameter in listed.named_children if listed is not None else ():
        inner = parameter
        if parameter.type == "assignment_pattern":
            inner = parameter.child_by_field_name("left") or parameter
        said = told.get(f"={text_of(inner)}") if inner.type == "identifier" else None
        if said is not None:
            yield Binding(inner, said)
    if name is not None and "return" in told:
        yield Binding(name, told["return"], place=CALLED)


def _type(written: str) -> Expression | None:
    """What documentation says; None where it says nothing, or several things."""
    parts = [part.strip(" \t()?!=.") for part in written.split("|")]
    parts = [part for part in parts if part.lower() not in _NOTHING]
    if len(parts) != 1 or parts[0].lower() in _VAGUE:
        return None
    if (loaded := _IMPORTED.match(parts[0])) is not None:
        made = Expression(Module(loaded[1], False), (Member(loaded[2]), Call()))
        return made if loaded.end() == len(parts[0]) else None
    if _NAMED.match(parts[0]) is None:
        return None
    return instance_of(parts[0])
