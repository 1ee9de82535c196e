"""Declared types and values, reduced to dotted expressions.

The small language of these expressions is the same for all languages: `a.b` a name, `f()` the
result of a call or of a construction, `<T>` an instance of T (after a call, what it is told to
give: it counts where the result is not known), `?x` something unknown called x, `{a.b}` a
definition that is local to a function of the file, `!x` a fixture of pytest.
`::`, `->`, `?.` and `$` of the source become dots or vanish.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING

from surveyor.graph.extract.arguments import handed
from surveyor.graph.extract.type_names import REMEMBERED, instance_of
from surveyor.graph.languages.ecmascript_types import NOTHING, arguments_of, type_of

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = [
    "FUNCTIONS",
    "NO_VALUES",
    "declared_type",
    "expression_of",
    "literal_keys",
    "normal",
    "script_type",
    "text_of",
    "told_types",
    "unwrapped",
]

MAX_TEXT = 200
"""Longer expressions are read link by link, or not at all."""
MAX_LINKS = 24
_ARGUMENTS = re.compile(r"\((?:[^()]|\(\))+\)")
_TOLD = re.compile(r"([\w$]+|::)<([A-Za-z_$][\w$.:]*)>\(\)$")
"""The one type that a call is given: `container.get<Engine>()`, `parse::<Config>()`."""
_CHAIN = re.compile(r"^[\w$@!]+(?:\(\)|\[\])*(?:\.#?[\w$!]+(?:\(\)|\[\])*)*$")


def declared_type(node: Node | None) -> str:
    """What a type annotation says, as an expression.

    `@row:column` in it stands for an object type that is written out, by the place of its first
    member's name; its members are nodes of their own.
    """
    if node is None:
        return ""
    return script_type(node) if node.type == "type_annotation" else instance_of(text_of(node))


def script_type(node: Node | None) -> str:
    """What a type of TypeScript says, as an expression."""
    found = type_of(node)
    if found.startswith("=(") and found.endswith(")") and found.count("=(") == 1:
        return found[2:-1]  # of a value, and of whatever type that is
    return f"<{found}>" if found else ""


def text_of(node: Node) -> str:
    """A node's text."""
    text = node.text
    return text.decode("utf-8", "replace") if text else ""


_CALLS = frozenset(
    {"call", "call_expression", "method_invocation", "invocation_expression",
     "function_call_expression", "member_call_expression", "scoped_call_expression",
     "nullsafe_member_call_expression"}
)  # fmt: skip
_WRAPPERS = frozenset(
    {"await", "await_expression", "parenthesized_expression", "unary_expression", "try_expression",
     "reference_expression", "non_null_expression", "expression_list", "pointer_expression",
     "as_pattern", "satisfies_expression"}
)  # fmt: skip
_CASTS = frozenset({"cast_expression", "as_expression", "type_cast_expression"})
_SCRIPT = frozenset(
    {"identifier", "member_expression", "call_expression", "subscript_expression", "this"}
)
"""Of these those of JavaScript, where `$` is a letter; other languages with them have no `$`."""
_CHOICES = {
    "ternary_expression": ("consequence", "alternative"),
    "binary_expression": ("left", "right"),
    "assignment_expression": ("right",),
}
"""Values that are one of several, as JavaScript writes them."""
_CHOOSING = frozenset({"??", "||"})
NO_VALUES = frozenset({"undefined", "null"})
"""What JavaScript writes where there is nothing."""
_NAMES = frozenset(
    {"identifier", "attribute", "member_expression", "selector_expression", "field_expression",
     "scoped_identifier", "field_access", "member_access_expression", "qualified_identifier",
     "constant", "scope_resolution", "instance_variable", "variable_name", "self", "this", "name",
     "type_identifier", "qualified_name"}
)  # fmt: skip
_ELEMENTS = frozenset(
    {"subscript", "subscript_expression", "index_expression", "array_access",
     "element_access_expression"}
)  # fmt: skip
_NEW = frozenset(
    {"new_expression", "object_creation_expression", "struct_expression", "composite_literal",
     "compound_literal_expression"}
)  # fmt: skip


@lru_cache(REMEMBERED)
def normal(text: str, *, sigils: bool = True) -> str:
    """An expression as a dotted chain with `()` for calls; empty when it is anything else.

    `sigils`: a `$` marks a variable (PHP) and is no part of its name.
    """
    if len(text) > MAX_TEXT:
        return ""
    text = re.sub(r"\s+", "", text)
    while "(" in text:
        reduced = _ARGUMENTS.sub("()", text)
        if reduced == text:
            break
        text = reduced
    if "[" in text:
        text = re.sub(r"(?:\?\.|!)?\[[^\[\]]+\]", "[]", text)
    text = (
        text.replace("!.", ".")
        .replace("?.", ".")
        .replace("::", ".")
        .replace("->", ".")
        .replace("\\", ".")
    )
    text = re.sub(r"\.?<[^<>()]*>", "", text).lstrip("&*.")
    if sigils:
        text = text.replace("$", "")
    if text.startswith("@"):
        text = "self." + text.lstrip("@")
    return text if _CHAIN.match(text) else ""


def expression_of(node: Node | None, depth: int = 0) -> str:
    """A value reduced to a dotted expression; empty when it says nothing about a type."""
    if node is None or depth > 4:
        return ""
    kind = node.type
    if kind in _LINKS and (node.end_byte - node.start_byte > MAX_TEXT or _is_told(node)):
        return _chain(node, MAX_LINKS)
    if kind in _NAMES or kind in _ELEMENTS:
        text = text_of(node)
        return normal(text, sigils=kind not in _SCRIPT or (kind in _ELEMENTS and text[:1] == "$"))
    if kind in _NEW:
        target = (
            node.child_by_field_name("constructor")
            or node.child_by_field_name("type")
            or node.child_by_field_name("name")
            or next((child for child in node.named_children if child.type in _NAMES), None)
        )
        found = declared_type(target)
        told = told_types(node)
        return f"{found[:-1]}{told}>" if told and found.endswith(">") else found
    if kind in _CALLS:
        written = _call_text(node)
        text = normal(written, sigils=kind not in _SCRIPT)
        if kind == "call" and text.endswith(".new()"):  # Ruby
            return f"<{text[:-6]}>"
        return text + _told(node, written) + handed(node, expression_of) if text else text
    if kind == "object":
        first = next(literal_keys(node), None)
        return f"<@{first.start_point[0]}:{first.start_point[1]}>" if first is not None else ""
    if kind in _CASTS:
        last = node.named_children[-1] if node.named_children else None
        if last is not None and last.type == "object":  # as const
            return expression_of(last, depth + 1)
        if kind == "as_expression":
            return script_type(last)
        return declared_type(
            node.child_by_field_name("type") or next(iter(reversed(node.named_children)), None)
        )
    if kind in _CHOICES:
        operator = node.child_by_field_name("operator")
        if operator is not None and text_of(operator) not in _CHOOSING:
            return ""
        for field in _CHOICES[kind]:
            found = expression_of(node.child_by_field_name(field), depth + 1)
            if found and found not in NO_VALUES:
                return found
        return ""
    if kind in _WRAPPERS:
        for child in node.named_children:
            if found := expression_of(child, depth + 1):
                return found
    return ""


FUNCTIONS = frozenset(
    {"function_declaration", "generator_function_declaration", "method_definition",
     "arrow_function", "function_expression", "generator_function"}
)  # fmt: skip


def literal_keys(literal: Node) -> Iterator[Node]:
    """The names of an object literal's members that are written as names."""
    for child in literal.named_children:
        key: Node | None = None
        if child.type == "pair":
            key = child.child_by_field_name("key")
        elif child.type == "method_definition":
            key = child.child_by_field_name("name")
        elif child.type == "shorthand_property_identifier":
            key = child
        if key is not None and key.type in ("property_identifier", "shorthand_property_identifier"):
            yield key


def unwrapped(literal: Node) -> Node:
    """A literal with the brackets and assertions around it."""
    node = literal
    while node.parent is not None and node.parent.type in (
        "parenthesized_expression", "as_expression", "satisfies_expression",
    ):  # fmt: skip
        if node.parent.type == "satisfies_expression" or len(node.parent.named_children) > 1:
            break
        node = node.parent
    return node


_LINKS = frozenset({"call_expression", "member_expression"})


def _chain(node: Node, links: int) -> str:
    """`a.b().c` of a chain of JavaScript whose arguments are long."""
    if not links:
        return ""
    if node.type == "call_expression":
        called = node.child_by_field_name("function")
        before = _chain(called, links - 1) if called is not None else ""
        return f"{before}(){told_types(node)}{handed(node, expression_of)}" if before else ""
    if node.type == "member_expression":
        owner, name = node.child_by_field_name("object"), node.child_by_field_name("property")
        before = _chain(owner, links - 1) if owner is not None else ""
        return f"{before}.{text_of(name)}" if before and name is not None else ""
    if node.type == "parenthesized_expression" or node.end_byte - node.start_byte <= MAX_TEXT:
        return expression_of(node)
    return ""


def _is_told(node: Node) -> bool:
    """Whether a call of a chain of TypeScript is told types: `create<State>()(…)`."""
    if ">(" not in text_of(node):
        return False
    link: Node | None = node
    for _ in range(MAX_LINKS):
        if link is None or link.type not in _LINKS:
            break
        if told_types(link):
            return True
        link = link.child_by_field_name("function") or link.child_by_field_name("object")
    return False


def told_types(node: Node) -> str:
    """`<A,B>` of the types that a call is told; empty where they say nothing."""
    listed = node.child_by_field_name("type_arguments")
    if listed is None or text_of(listed)[:1] != "<":
        return ""
    given = arguments_of(listed)
    return f"<{','.join(given)}>" if any(each != NOTHING for each in given) else ""


_TEMPLATES = frozenset({"template_function", "qualified_identifier"})


def _told(node: Node, written: str) -> str:
    """The type that a call is told to give. In C++, where constructors look alike, of `make_…`."""
    match = _TOLD.search(written)
    if match is None:
        return ""
    called = node.child_by_field_name("function")
    if called is not None and called.type in _TEMPLATES and not match[1].startswith("make_"):
        return ""
    return instance_of(match[2])


def _call_text(node: Node) -> str:
    arguments = node.child_by_field_name("arguments")
    source = text_of(node)
    if arguments is None:
        return source if source.endswith(")") else source + "()"
    head = (
        source[: len(source) - len(text_of(arguments))]
        if arguments.end_byte == node.end_byte
        else ""
    )
    return head + "()" if head else source
