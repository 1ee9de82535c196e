"""C and C++."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from surveyor.change.languages.reader import CallReader, Passed, field_text, text
from surveyor.change.languages.results import ResultUses
from surveyor.change.signatures import CallParameter

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["CPP_READER", "READER"]

_DECLARED = frozenset({"parameter_declaration", "optional_parameter_declaration"})


def _parameters(listed: Node) -> Iterator[CallParameter]:
    for child in listed.named_children:
        if child.type in _DECLARED:
            if text(child) == "void":
                continue
            required = child.type == "parameter_declaration"
            yield CallParameter(_name(child), "positional", required, _type(child))
        elif child.type in ("variadic_parameter", "variadic_parameter_declaration"):
            yield CallParameter("", "rest")
    if any(child.type == "..." for child in listed.children):
        yield CallParameter("", "rest")


def _name(declaration: Node) -> str:
    node = declaration.child_by_field_name("declarator")
    while node is not None and node.type != "identifier":
        node = node.child_by_field_name("declarator") or (
            node.named_children[-1] if node.named_children else None
        )
    return text(node)


def _type(declaration: Node) -> str:
    """The type with its stars and brackets, without what the parameter is called or is by default:
    a declaration may call it otherwise than its definition."""
    written = text(declaration)
    named = declaration.child_by_field_name("declarator")
    default = declaration.child_by_field_name("default_value")
    while named is not None and named.type != "identifier":
        named = named.child_by_field_name("declarator") or (
            named.named_children[-1] if named.named_children else None
        )
    end = len(written) if default is None else default.start_byte - declaration.start_byte
    written = written[:end].rstrip().removesuffix("=")
    if named is not None:
        at = named.start_byte - declaration.start_byte
        written = written[:at] + written[at + named.end_byte - named.start_byte :]
    return "".join(written.split())


def _argument(node: Node) -> Passed | None:
    return Passed(is_spread=node.type == "parameter_pack_expansion")


def _results(declarator: Node) -> int:
    """Nothing where the type is `void` and no star is between it and the name."""
    around = declarator.parent
    if around is None or around.child_by_field_name("declarator") != declarator:
        return -1
    return 0 if field_text(around, "type") == "void" else -1


READER = CallReader(
    _parameters,
    _argument,
    results=_results,
    result_uses=ResultUses(using=frozenset({"return_statement"})),
    wrappers=frozenset({"template_function", "template_method", "template_type"}),
    arguments=("argument_list",),
    copies=True,
    grammar_has_gaps=True,
    blocks=frozenset({"compound_statement", "for_statement", "if_statement", "switch_statement"}),
    is_known_from_binding=True,
    hands_by_arity=True,
)

_NAMES = frozenset({"template_type", "qualified_identifier"})


def _made_in_declaration(name: Node) -> tuple[Node, Node | None] | None:
    """`Box one(1);` and `Box one;`: braces may be a list of elements."""
    node, around = name, name.parent
    while around is not None and around.type in _NAMES:
        if around.child_by_field_name("name") != node:
            return None
        node, around = around, around.parent
    if around is None or around.type != "declaration" or _is_elsewhere(around):
        return None
    declared = around.child_by_field_name("declarator")
    if around.child_by_field_name("type") != node or declared is None:
        return None
    if declared.type == "identifier":
        return around, None
    value = declared.child_by_field_name("value") if declared.type == "init_declarator" else None
    if value is None or value.type != "argument_list":
        return None
    return (around, value) if _field_type(declared, "declarator") == "identifier" else None


def _field_type(node: Node, field: str) -> str:
    """The type of a field's node; empty for none."""
    inner = node.child_by_field_name(field)
    return inner.type if inner is not None else ""


def _is_elsewhere(declaration: Node) -> bool:
    return any(
        child.type == "storage_class_specifier" and text(child) == "extern"
        for child in declaration.named_children
    )


CPP_READER = replace(
    READER,
    hands_by_arity=False,
    result_uses=ResultUses(),  # what returns `auto` returns nothing as well
    made_in_declaration=_made_in_declaration,
)
"""C++, where templates take functions of any kind."""
