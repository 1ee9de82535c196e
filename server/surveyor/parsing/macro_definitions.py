"""Functions that macros of C and C++ define: an invocation at file scope with a body behind it.

`TEST(BoxTest, Opens) { … }` defines `BoxTest.Opens`, `TEST_IMPL(tcp_open) { … }` `tcp_open` and
`TEST_CASE("box opens", "[box]") { … }` `box opens`. The grammar reads them as functions
without a result whose parameters have no names, or as a call and a block. No macro is known by its
name: what counts is the shape, and that the name is written in capitals.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["LANGUAGES", "MacroDefinition", "definitions_of_macros"]

LANGUAGES = frozenset({"c", "cpp"})
_CAPITALS = re.compile(rb"[A-Z][A-Z0-9_]{2,}")
_INVOKED = re.compile(rb"^[ \t]*(?:[\w:*&]+[ \t]+){0,4}[A-Z][A-Z0-9_]{2,}[ \t]*\(", re.MULTILINE)
"""At least one line begins as such an invocation."""
_SCOPES = frozenset(
    {"namespace_definition", "declaration_list", "linkage_specification", "preproc_if",
     "preproc_ifdef", "preproc_else", "preproc_elif", "preproc_elifdef", "ERROR"}
)  # fmt: skip
"""What is around definitions at file scope."""
_WORDS = frozenset({b"void", b"int", b"bool", b"char", b"long", b"float", b"double"})
"""Types behind a name: `HOOK(run, void) { … }`."""
_NAMES = frozenset({"identifier", "type_identifier", "qualified_identifier"})


class MacroDefinition(NamedTuple):
    """A function that an invocation of a macro defines."""

    macro: Node
    """The macro's name."""
    name: Node
    owner: Node | None
    """What stands before the name: a suite of tests, the fixture that they run on."""
    node: Node
    """The definition, or its first part."""
    body: Node


def definitions_of_macros(root: Node, data: bytes) -> Iterator[MacroDefinition]:
    """What invocations at file scope and in namespaces define."""
    if _INVOKED.search(data) is None:
        return
    stack = [root]
    while stack:
        children = stack.pop().named_children
        for index, child in enumerate(children):
            found = None
            if child.type in _SCOPES:
                stack.append(child)
            elif child.type == "function_definition":
                found = _as_function(child)
            elif child.type == "expression_statement" and index + 1 < len(children):
                found = _as_call(child, children[index + 1])
            if found is not None:
                yield found


def _as_function(node: Node) -> MacroDefinition | None:
    field = node.child_by_field_name
    declarator, body, result = field("declarator"), field("body"), field("type")
    if declarator is None or body is None or _is_label(node, declarator, body):
        return None
    if declarator.type == "parenthesized_declarator" and result is not None:
        inner = declarator.named_children
        if _is_capitals(result) and len(inner) == 1 and inner[0].type == "identifier":
            return MacroDefinition(result, inner[0], None, node, body)
        return None
    macro = declarator.child_by_field_name("declarator")
    while macro is not None and macro.type != "identifier":
        declarator, macro = macro, macro.child_by_field_name("declarator")
    if declarator.type != "function_declarator" or macro is None or not _is_capitals(macro):
        return None
    listed = declarator.child_by_field_name("parameters")
    handed = [_bare_parameter(each) for each in listed.named_children] if listed else []
    named = [each for each in handed if each is not None]
    return _defined(macro, named, node, body) if len(named) == len(handed) else None


def _as_call(node: Node, body: Node) -> MacroDefinition | None:
    """A statement without its `;` before a block."""
    call = node.named_children[0] if node.named_children else None
    if (
        body.type != "compound_statement"
        or call is None
        or call.type != "call_expression"
        or not node.children[-1].is_missing
    ):
        return None
    macro, listed = call.child_by_field_name("function"), call.child_by_field_name("arguments")
    if macro is None or listed is None or macro.type != "identifier" or not _is_capitals(macro):
        return None
    return _defined(macro, listed.named_children, node, body)


def _is_label(node: Node, before: Node, body: Node) -> bool:
    """Whether a colon alone stands before a body, as in a switch: `CASE_CODE(JUMP): { … }`."""
    text = node.text or b""
    between = text[before.end_byte - node.start_byte : body.start_byte - node.start_byte]
    return between.strip() == b":"


def _defined(macro: Node, handed: list[Node], node: Node, body: Node) -> MacroDefinition | None:
    """By its first argument, or the first two: the first of two names says what it belongs to."""
    if not handed:
        return None
    first, second = handed[0], handed[1] if len(handed) > 1 else None
    name = _named(second) if second is not None and second.text not in _WORDS else None
    if first.type in _NAMES and name is not None:
        return MacroDefinition(macro, name, first, node, body)
    name = _named(first)
    return MacroDefinition(macro, name, None, node, body) if name is not None else None


def _named(argument: Node) -> Node | None:
    """The node of a name, or of the text of a string."""
    if argument.type in ("identifier", "type_identifier"):
        return argument
    if argument.type == "string_literal":
        return next((c for c in argument.named_children if c.type == "string_content"), None)
    return None


def _bare_parameter(parameter: Node) -> Node | None:
    """The type of a parameter that is nothing else."""
    of = parameter.child_by_field_name("type")
    if parameter.type != "parameter_declaration" or of is None or parameter.child_count != 1:
        return None
    return of if of.type in _NAMES else None


def _is_capitals(name: Node) -> bool:
    return _CAPITALS.fullmatch(name.text or b"") is not None
